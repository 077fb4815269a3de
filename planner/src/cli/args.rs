//! The arguments, as clap reads them.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use planner::load::Meaning;
use planner::passes::UnknownPass;
use planner::query::{Field, Measure};
use planner::sweep::{self, Over};
use planner::training::choice;
use planner::{
    AllocatorSettings, Bytes, Effort, Io, Parallel, PassSet, Pool, Span, Strategy, Training,
    passes, size,
};

use super::fits::FitsArgs;
use super::plans;
use super::recipe;
use super::requests::RequestsArgs;
use super::told::{self, Said, column};
use super::train::TrainArgs;
use super::transformer::TransformerArgs;

/// Plans where every tensor of a neural network lives in memory.
#[derive(Parser)]
#[command(name = "arenascope", version)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Subcommand)]
pub(super) enum Command {
    /// Plans a model or a problem and prints the figures of every plan.
    Plan(PlanArgs),
    /// Judges the plan in a file; exit code 1 when it breaks a rule.
    Check(CheckArgs),
    /// Prints the lower bounds that no plan can beat.
    Bounds(BoundsArgs),
    /// Prints what each pass makes of a model, and what there is to plan after it.
    Passes(BoundsArgs),
    /// Prints what each chosen pass saves: allocations, bytes copied, naive, bound and arena.
    Stages(StagesArgs),
    /// Lists the buffers that a query means, such as "size > 1MiB and op = Conv".
    List(ListArgs),
    /// Splits an arena into why its bytes are there; the parts sum to it. Exit code 1 where the
    /// plan breaks a rule: then nothing is split.
    Waste(WasteArgs),
    /// Groups who holds the bytes of a moment: at the peak, at the end, added between two steps.
    Held(HeldArgs),
    /// Lists what the allocator of a memory snapshot held at a step, segment by segment.
    Segments(SegmentsArgs),
    /// Proposes what to change so that less memory is taken; says what each change saves, by a
    /// replay of the file's own requests.
    Advise(AdviseArgs),
    /// Says what other allocators would reserve for the same requests, side by side: GMLake, STAlloc,
    /// expandable segments, TLSF, the best plan.
    Allocators(BoundsArgs),
    /// Runs a training step under a budget: what is kept, what is computed again, at what cost.
    Train(Box<TrainArgs>),
    /// Finds the cheapest way to make a training step fit into devices. Exit code 1 where there is
    /// none.
    Fits(Box<FitsArgs>),
    /// Plans for one value after another of a symbolic dimension, or of the alignment.
    Sweep(SweepArgs),
    /// Lists what several cases take on one basis: temporary, with inputs and outputs, with
    /// weights. Files of one dump are found among the others.
    Overview(OverviewArgs),
    /// Compares two dumps of one program, before and after a change.
    Diff(DiffArgs),
    /// Says what a transformer keeps in memory, by its description, without a file of it.
    Transformer(TransformerArgs),
    /// Plays requests to a language model: what its key-value cache needs under each placement.
    Requests(RequestsArgs),
    /// Prints one plan for other tools, or the graph of a model as text.
    Export(ExportArgs),
}

#[derive(Args)]
pub(super) struct StagesArgs {
    #[command(flatten)]
    pub(super) input: Input,
    /// The strategy that plans every stage.
    #[arg(long, value_name = "NAME", default_value = "best")]
    pub(super) strategy: Strategy,
    /// With every rewrite and every refusal, and why; in the table only.
    #[arg(long)]
    pub(super) changes: bool,
    /// How the stages are printed.
    #[arg(long, value_enum, default_value = "table")]
    pub(super) format: Output,
}

#[derive(Args)]
pub(super) struct HeldArgs {
    #[command(flatten)]
    pub(super) input: Input,
    /// When: peak, end (what is never given back), a step, or two steps as in 10..20: what began
    /// from step 10 on and before step 20, and is held at step 20. Unless said, where a request
    /// failed, else peak.
    #[arg(long, value_name = "WHEN")]
    pub(super) at: Option<String>,
    /// By what: caller, phase, module, op, stream, or any other text that a query knows; or stack,
    /// as lines that flame graphs are drawn from. Unless said, the first of these that the file
    /// says.
    #[arg(long, value_name = "FIELD", value_parser = by)]
    pub(super) by: Option<By>,
    /// With --by stack: frames of what runs below Python, too.
    #[arg(long)]
    pub(super) runtime: bool,
    /// How groups are printed.
    #[arg(long, value_enum, default_value = "table")]
    pub(super) format: Output,
}

#[derive(Args)]
pub(super) struct SweepArgs {
    #[command(flatten)]
    pub(super) input: Input,
    /// A symbolic dimension, or "alignment", and its values: batch=1..32 has both ends,
    /// batch=1..32:4 a step, alignment=1,16,64 names each.
    #[arg(long, value_name = "NAME=VALUES", value_parser = sweep::parse)]
    pub(super) over: (Over, Vec<u64>),
    /// A strategy, or "all"; may be given several times.
    #[arg(long, default_value = "best", value_parser = plans::chosen)]
    pub(super) strategy: Vec<Chosen>,
    /// How the result is printed; a value or a strategy without a plan has its error there.
    #[arg(long, value_enum, default_value = "table")]
    pub(super) format: Output,
}

#[derive(Args)]
pub(super) struct SegmentsArgs {
    #[command(flatten)]
    pub(super) input: Input,
    /// At which step; unless said, where a request failed, else where most is reserved.
    #[arg(long, value_name = "N")]
    pub(super) step: Option<u64>,
    /// How segments are printed.
    #[arg(long, value_enum, default_value = "table")]
    pub(super) format: Output,
}

/// What buffers are grouped by.
#[derive(Clone, Copy)]
pub(super) enum By {
    /// What a text field says first.
    Field(Field),
    /// The whole stack.
    Stack,
}

fn by(text: &str) -> Result<By, String> {
    let field = Field::named(text).filter(|field| field.measure() == Measure::Text);
    match (text, field) {
        ("stack", _) => Ok(By::Stack),
        (_, Some(field)) => Ok(By::Field(field)),
        _ => Err("write stack, or a text such as phase, caller, module, op or stream".into()),
    }
}

#[derive(Args)]
pub(super) struct OverviewArgs {
    /// Models, dumps and plans, of as many files as they have; "-" is standard input.
    #[arg(value_name = "FILE", required = true)]
    pub(super) files: Vec<PathBuf>,
    /// Of memory snapshots only these events, counted from 0, the last one left out; other cases
    /// are read whole.
    #[arg(long, value_name = "FIRST..END", value_parser = told::range)]
    pub(super) range: Option<Span>,
    /// Where inputs and outputs of models without a plan live: beside the arena, or in it
    /// (whole-run, litert, tflm), where other buffers may take their bytes.
    #[arg(long, value_name = "WHERE", value_parser = told::io, default_value = "beside")]
    pub(super) io: Io,
    /// How the table is printed; of figures that are lower bounds csv and json say so.
    #[arg(long, value_enum, default_value = "table")]
    pub(super) format: Output,
}

#[derive(Args)]
pub(super) struct DiffArgs {
    /// The dump before; several files where it has several.
    #[arg(long, value_name = "FILE", num_args = 1.., required = true)]
    pub(super) before: Vec<PathBuf>,
    /// The dump after.
    #[arg(long, value_name = "FILE", num_args = 1.., required = true)]
    pub(super) after: Vec<PathBuf>,
    /// Which column of a table, before and after, means what, where its header does not say it, such as
    /// "lower=first,end=last,size=nbytes": "end" is the last step, "upper" the one after it; a
    /// meaning without a column, such as "offset=", has none.
    #[arg(long, value_name = "MEANING=COLUMN", value_delimiter = ',', value_parser = column)]
    pub(super) columns: Vec<(Meaning, String)>,
    /// Of memory snapshots only these events, counted from 0, the last one left out: of both where
    /// it is given once; of the dump before and of the one after where twice.
    #[arg(long, value_name = "FIRST..END", value_parser = told::range, conflicts_with = "columns")]
    pub(super) range: Vec<Span>,
    /// Which arena of each, from 0, where they have several: unless it is given, the one that
    /// wastes most in the dump before.
    #[arg(long, value_name = "INDEX")]
    pub(super) arena: Option<u32>,
    /// How the result is printed; csv is one row for each buffer that differs.
    #[arg(long, value_enum, default_value = "table")]
    pub(super) format: Output,
}

#[derive(Args)]
pub(super) struct ExportArgs {
    #[command(flatten)]
    pub(super) input: Input,
    /// A strategy, or "deployed" for the plan that the file holds. Unless said, deployed for what an
    /// allocator recorded, else best.
    #[arg(long, value_parser = plans::chosen)]
    pub(super) strategy: Option<Chosen>,
    /// What is written.
    #[arg(long = "as", value_name = "WHAT", value_enum)]
    pub(super) kind: Export,
    /// The file that it is written to, in place of standard output.
    #[arg(long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
}

/// What is written.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Export {
    /// MiniMalloc CSV with offsets, which run over all pools, end to end in their order.
    Csv,
    /// Arenascope's own plan JSON.
    Json,
    /// A C header of sizes and offsets.
    C,
    /// The order of the steps as JSON, with what begins and ends at each.
    Schedule,
    /// The graph and its schedule, as in a training step with what is computed again: JSON that
    /// can be opened, and is checked then.
    Program,
    /// A memory snapshot of PyTorch, which pytorch.org/memory_viz and torch.cuda._memory_viz
    /// draw: a pickle. They draw blocks in segments only: a plan that no allocator made has its
    /// arena as the one segment, which they call reserved.
    MemoryViz,
    /// A Chrome trace for ui.perfetto.dev: bytes over time, a slice for each tensor and step.
    Perfetto,
    /// The operators and tensors of a model as text, which can be edited and opened; no plan.
    Graph,
}

#[derive(Args)]
pub(super) struct PlanArgs {
    #[command(flatten)]
    pub(super) input: Input,
    /// A strategy; "deployed" for the plan that the file holds; or "all": that plan, if there
    /// is one, then every strategy.
    #[arg(long, default_value = "all", value_parser = plans::chosen)]
    pub(super) strategy: Chosen,
    /// The most nodes of the exact search.
    #[arg(long, value_name = "N", default_value_t = Effort::DEFAULT.nodes)]
    pub(super) nodes: u64,
    /// The most moves of a local search.
    #[arg(long, value_name = "N", default_value_t = Effort::DEFAULT.moves)]
    pub(super) moves: u64,
    /// Adds each tensor's name, size, offset, first and last step; both steps are inclusive.
    /// In json per plan; in table and csv for one --strategy, csv in MiniMalloc's columns
    /// (whose "upper" is exclusive). Offsets run over all pools, end to end in their order.
    #[arg(long)]
    pub(super) offsets: bool,
    /// Writes the TFLite model with the plan of the one --strategy as the offsets that TFLite
    /// Micro is to use; everything else in it stays as it is. Plans as with --io tflm.
    #[arg(long, value_name = "OUT")]
    pub(super) save_tflite: Option<PathBuf>,
    /// How the result is printed.
    #[arg(long, value_enum, default_value = "table")]
    pub(super) format: Output,
}

#[derive(Args)]
pub(super) struct CheckArgs {
    /// A plan: a dump of a toolchain, of as many files as it has; a MiniMalloc CSV with
    /// offsets, or a plan JSON.
    #[arg(value_name = "FILE", required = true)]
    pub(super) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) said: Said,
    /// A memory that was planned for, with its bytes if it has a limit; may be given several
    /// times. Replaces the pools that a plan JSON says it was made for.
    #[arg(long, value_name = "NAME=BYTES", value_parser = pool)]
    pub(super) pool: Vec<Pool>,
    /// Which arena of a deployed plan that has several, from 0: unless it is given, all of them.
    #[arg(long, value_name = "INDEX")]
    pub(super) arena: Option<u32>,
    /// Bytes that every offset must be a multiple of.
    #[arg(long, value_name = "BYTES", default_value_t = 1, value_parser = alignment)]
    pub(super) align: u64,
    /// How the result is printed.
    #[arg(long, value_enum, default_value = "table")]
    pub(super) format: Output,
}

#[derive(Args)]
pub(super) struct BoundsArgs {
    #[command(flatten)]
    pub(super) input: Input,
    /// How the result is printed.
    #[arg(long, value_enum, default_value = "table")]
    pub(super) format: Output,
}

#[derive(Args)]
pub(super) struct ListArgs {
    #[command(flatten)]
    pub(super) input: Input,
    /// Which buffers: a name, or tests such as "size > 1MiB and live at peak"; all of them
    /// unless it is given. Offsets are those of the plan in the file.
    #[arg(long = "where", value_name = "QUERY", default_value = "")]
    pub(super) query: String,
    /// How the result is printed.
    #[arg(long, value_enum, default_value = "table")]
    pub(super) format: Output,
}

#[derive(Args)]
pub(super) struct AdviseArgs {
    #[command(flatten)]
    pub(super) input: Input,
    /// Bytes that the allocator may reserve, as set_per_process_memory_fraction has it: unless it
    /// is given, as many as the trace shows, and no limit where it shows none.
    #[arg(long, value_name = "BYTES", value_parser = size)]
    pub(super) capacity: Option<u64>,
    /// Empties the cache of PyTorch's allocator before this step.
    #[arg(long, value_name = "STEP")]
    pub(super) empty: Option<u64>,
    /// How the result is printed.
    #[arg(long, value_enum, default_value = "table")]
    pub(super) format: Output,
}

#[derive(Args)]
pub(super) struct WasteArgs {
    #[command(flatten)]
    pub(super) input: Input,
    /// Whose arena: "deployed" for the plan that the file holds, or a strategy.
    #[arg(long, default_value = "deployed", value_parser = plans::chosen)]
    pub(super) strategy: Chosen,
    /// How the result is printed.
    #[arg(long, value_enum, default_value = "table")]
    pub(super) format: Output,
}

/// A file and what is chosen about its lifetimes.
#[derive(Args)]
pub(super) struct Input {
    /// An ONNX or TFLite model, a text graph, a MiniMalloc CSV, a plan JSON or a dump of a toolchain;
    /// several files where a dump has several. "-" is standard input; gzip, zip and tar around any
    /// of them are opened.
    #[arg(value_name = "FILE", required = true)]
    pub(super) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) said: Said,
    /// How the allocator of a memory snapshot was configured, as PYTORCH_ALLOC_CONF has it, where
    /// the file does not say it: its requests are replayed so.
    #[arg(long, value_name = "KEY:VALUE,…", value_parser = told::conf)]
    pub(super) alloc_conf: Option<AllocatorSettings>,
    /// Bytes that sizes and offsets are multiples of: 64 for models, 16 with --io tflm, 1
    /// otherwise.
    #[arg(long, value_name = "BYTES", value_parser = alignment)]
    pub(super) align: Option<u64>,
    /// The most bytes that the device gives in one allocation, of which ggml_gallocr asks for
    /// several; no limit unless it is said.
    #[arg(long, value_name = "BYTES", value_parser = told::largest)]
    pub(super) largest_allocation: Option<u64>,
    /// Binds a symbolic dimension, which is 1 or what the file suggests otherwise; or the most that
    /// an operator gives of which only a run finds how much (ONNX's NonZero, NonMaxSuppression,
    /// Unique, Compress, TopK of a computed k; TFLite's WHERE, UNIQUE, NON_MAX_SUPPRESSION_V4 and
    /// _V5, TOPK_V2 of a computed k), by the name of its first output, or at_most=N for all.
    #[arg(long, value_name = "NAME=N", value_parser = told::binding)]
    pub(super) bind: Vec<(String, u64)>,
    /// Where graph inputs and outputs live: beside the arena; in it for the whole run
    /// (whole-run); in it as LiteRT has them, outputs only from the operator that writes them
    /// (litert); or as TFLite Micro has them, inputs only until they are read for the last
    /// time, and with every operator as the file has it (tflm). Beside where nothing is said,
    /// but tflm for a TFLite model that brings a plan of its own.
    #[arg(long, value_name = "WHERE", value_parser = told::io)]
    pub(super) io: Option<Io>,
    /// Lets an operator write over an input that nobody reads after it.
    #[arg(long)]
    pub(super) in_place: bool,
    /// Which operators may run at the same time: none (serial), those of different streams
    /// (streams), or all whose inputs are there (free).
    #[arg(long, value_name = "WHICH", default_value = "serial", value_parser = told::parallel)]
    pub(super) parallel: Parallel,
    /// Which arena of a deployed plan that has several, from 0: unless it is given, the one that
    /// wastes most.
    #[arg(long, value_name = "INDEX")]
    pub(super) arena: Option<u32>,
    /// A memory to plan for, the fastest first; may be given several times. Without a number
    /// of bytes it has no limit. Replaces the pools of a plan JSON.
    #[arg(long, value_name = "NAME=BYTES", value_parser = pool)]
    pub(super) pool: Vec<Pool>,
    /// Fuses Relu and Clip into the Conv, Gemm or MatMul before them.
    #[arg(long)]
    pub(super) fuse: bool,
    /// The passes that rewrite a model before it is planned, separated by commas, each with its
    /// rule where that is not the usual one: fusion, fusion=activations (as --fuse), views,
    /// concat, in_place (as --in-place), in_place=mxnet.
    #[arg(long, value_name = "PASSES", default_value = "", value_parser = pass_set)]
    passes: PassSet,

    /// Plans the model's training step in place of the model: the policy, the batch and, where
    /// there is one, what the values may take at once, as in dtr_eq,8,1GiB (the command train
    /// lists policies).
    #[arg(long, value_name = "POLICY,BATCH[,BUDGET[,RECIPE]]", value_parser = training)]
    pub(super) train: Option<Training>,
}

impl Input {
    /// The passes that are chosen one way or the other.
    pub(super) fn passes(&self) -> Result<PassSet, UnknownPass> {
        let named = [
            (self.fuse, "fusion=activations"),
            (self.in_place, "in_place"),
        ];
        let named = named.into_iter().filter(|(chosen, _)| *chosen);
        named
            .map(|(_, name)| passes::parse(name))
            .try_fold(self.passes, |set, named| Ok(set.union(named?)))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Output {
    /// For people.
    Table,
    /// One object.
    Json,
    /// Rows for spreadsheets and scripts.
    Csv,
}

/// The plans asked for.
#[derive(Clone, Copy)]
pub(super) enum Chosen {
    /// The plan in the file, if there is one, then every strategy.
    All,
    /// The plan in the file.
    Deployed,
    /// What one strategy makes.
    One(Strategy),
}

fn pass_set(text: &str) -> Result<PassSet, String> {
    passes::parse(text).map_err(|error| error.to_string())
}

fn training(text: &str) -> Result<Training, String> {
    let wrong = || {
        "expected POLICY,BATCH, POLICY,BATCH,BUDGET or POLICY,BATCH,BUDGET,RECIPE (as autograd+adam)".to_owned()
    };
    let mut parts: Vec<String> = text.split(',').map(str::to_owned).collect();
    if let Some(budget) = parts.get_mut(2).filter(|budget| !budget.is_empty()) {
        *budget = size(budget)?.to_string();
    }
    let training = choice::parse(&parts.join(",")).ok_or_else(wrong)?;
    recipe::unmeasured(training.recipe.gist)?;
    Ok(training)
}

fn alignment(text: &str) -> Result<u64, String> {
    match size(text) {
        Ok(bytes @ 1..=0x1_0000_0000) => Ok(bytes),
        _ => Err("an alignment is a whole number of bytes from 1 to 2^32".into()),
    }
}

fn pool(text: &str) -> Result<Pool, String> {
    let (name, capacity) = match text.rsplit_once('=') {
        None => (text, None),
        Some((name, bytes)) => {
            let bytes = size(bytes);
            let bytes = bytes.map_err(|error| format!("write NAME=BYTES or NAME: {error}"))?;
            (name, Some(Bytes(bytes)))
        }
    };
    if name.is_empty() {
        return Err("a pool needs a name".into());
    }
    if name.contains('=') {
        return Err("write --pool once for each pool: --pool a=1KiB --pool b=2KiB".into());
    }
    Ok(Pool {
        name: name.to_owned(),
        capacity,
    })
}
