//! `arenascope train`: a training step under a budget, by one policy or by all. Sizes are bytes.

use std::path::PathBuf;

use clap::Args;
use planner::graph::Graph;
use planner::load::{Document, plain_text};
use planner::training::backward::Step;
use planner::training::devices::{Batches, Device};
use planner::training::dtr::{Limits, Log};
use planner::training::layers::{self, Layers};
use planner::training::placements::residencies;
use planner::training::policies::{Found, below_minimum, live};
use planner::training::stage::{self, NoStep, Trained};
use planner::training::switches::switches;
use planner::training::table::{Row, prove};
use planner::training::{Policy, Problem, Recipe, Rule, UnknownPolicy};
use planner::{Bytes, PassSet, Settings, message, passes, prepare, size};
use serde_json::{Value, json};

use super::amount::in_bytes;
use super::args::{Input, Output};
use super::device::{self, OnDevice, largest, timed};
use super::estimate::{self, EstimateArgs};
use super::file::FileSource;
use super::no_schedule::{advised, sentence};
use super::recipe::{self, RecipeArgs};
use super::report::{columns_of, lines};
use super::{Failure, chosen, partitions, placements, played, read, switches, too_large, warn};

#[derive(Args)]
pub(super) struct TrainArgs {
    #[command(flatten)]
    input: Input,
    /// A policy, or "all"; may be given several times.
    #[arg(long, value_name = "NAME", default_value = "all", value_parser = policy)]
    pub(super) policy: Vec<Option<Policy>>,
    /// The most bytes that values may take at once, fixed bytes aside; as many as it takes unless
    /// said.
    #[arg(long, value_name = "BYTES", value_parser = size)]
    pub(super) budget: Option<u64>,
    /// The device, by name or by the bytes of its memory: the budget is what fixed bytes leave of
    /// it. Of one with a name JSON also has the least time that each schedule takes.
    #[arg(long, value_name = "NAME|BYTES", conflicts_with = "budget", value_parser = device::parse)]
    pub(super) device: Option<OnDevice>,
    /// Samples of a step; of a model, runs of it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 24))]
    batch: Option<u64>,
    #[command(flatten)]
    recipe: RecipeArgs,
    /// What the schedule of the policy needs in addresses, by several strategies and allocators.
    #[arg(long)]
    pub(super) placements: bool,
    /// What torch.compile's partitioner makes of each memory budget: what it counts, and what the
    /// schedule needs; needs --rule compile.
    #[arg(long, conflicts_with_all = ["placements", "decisions", "saved", "switches"])]
    partitions: bool,
    /// What PyTorch's users are told to do against running out of memory, and what it saves here.
    #[arg(long, conflicts_with_all = ["placements", "decisions", "saved"])]
    switches: bool,
    #[command(flatten)]
    pub(super) estimate: EstimateArgs,
    /// Why the policy evicted what it did, as JSON into this file; "-" prints it instead.
    #[arg(long, value_name = "FILE", conflicts_with = "placements")]
    pub(super) decisions: Option<PathBuf>,
    /// Of policies that evict: nothing below a hundredth of the mean size is evicted.
    #[arg(long)]
    pub(super) skip_small: bool,
    /// Of policies that evict: look at some candidates only, at random by this seed.
    #[arg(long, value_name = "SEED")]
    pub(super) sample: Option<u64>,
    /// How the policies are printed.
    #[arg(long, value_enum, default_value = "table")]
    pub(super) format: Output,
}

impl TrainArgs {
    /// What a step is made of: what is swapped goes over the device's link.
    fn recipe(&self) -> Recipe {
        let device = self.device.and_then(OnDevice::named);
        Recipe {
            rates: device.map(Device::rates),
            ..self.recipe.recipe()
        }
    }

    /// Whether something is chosen that a log has not.
    fn is_for_logs(&self) -> Result<(), Failure> {
        let of_graphs = self.batch.is_some() || self.switches || self.estimate.estimate;
        if !of_graphs && !self.recipe.saved && self.recipe.recipe() == Recipe::default() {
            return Ok(());
        }
        let message = "a log is one run: it has no batch, rule, optimizer, precision, frozen \
                       layers, saved tensors, switches or estimate to choose";
        Err(Failure::Usage(message.to_owned()))
    }

    /// Whether the rule has a use for all that is chosen.
    fn has_effect(&self) -> Result<(), Failure> {
        let message = if self.recipe.without_effect() {
            "--relu-in-place needs --rule autograd, --set-to-none and --decomposed that or compile, \
             --gist one of the others"
        } else if self.recipe.saved && self.recipe.recipe().rule == Rule::Checkmate {
            "--saved needs --rule autograd or compile: by Checkmate's rule everything is read"
        } else {
            return Ok(());
        };
        Err(Failure::Usage(message.to_owned()))
    }

    /// The policy that is asked for.
    pub(super) fn one_policy(&self) -> Result<Policy, Failure> {
        let [Some(policy)] = self.policy[..] else {
            let message = "choose one --policy for --placements, --decisions and --estimate";
            return Err(Failure::Usage(message.to_owned()));
        };
        Ok(policy)
    }

    /// What a run that evicts may take.
    pub(super) fn limits(&self, budget: Option<Bytes>, base: u64) -> Limits {
        let limits = Limits {
            budget,
            recompute: Some(base),
            skip_small: self.skip_small,
            sample: self.sample.is_some(),
            ..Limits::default()
        };
        Limits {
            seed: self.sample.unwrap_or(limits.seed),
            ..limits
        }
    }

    /// What a policy finds.
    fn found(&self, policy: Policy, problem: &Problem, budget: Option<Bytes>) -> Found {
        match (policy.evictor(), below_minimum(problem, budget)) {
            (_, Some(why)) => Found::none(why),
            (Some(evictor), None) => {
                live(problem, evictor, self.limits(budget, problem.base_cost()))
            }
            _ => policy.run(problem, budget, &mut |_, _| true),
        }
    }

    /// What a table says of chance and of what is skipped.
    pub(super) fn chosen(&self) -> String {
        let small = self.skip_small.then(|| "; small ones stay".to_owned());
        let sample = self.sample.map(|seed| format!("; sampled by seed {seed}"));
        small.into_iter().chain(sample).collect()
    }

    /// The policies that are asked for.
    pub(super) fn policies(&self) -> Vec<Policy> {
        match self.policy.contains(&None) {
            true => Policy::ALL.to_vec(),
            false => self.policy.iter().copied().flatten().collect(),
        }
    }
}

/// A policy, or all of them.
fn policy(text: &str) -> Result<Option<Policy>, UnknownPolicy> {
    match text {
        "all" => Ok(None),
        name => name.parse().map(Some),
    }
}

/// The report.
pub(super) fn report(args: &TrainArgs) -> Result<String, Failure> {
    let recipe = args.recipe();
    let opened = opened(args)?;
    let (name, batch, step) = match &opened {
        Opened::Log(name, log) => {
            args.is_for_logs()?;
            return played::played(args, name, log);
        }
        Opened::Layers(name, layers) => {
            let batch = args.batch.unwrap_or(layers.batch);
            (name, batch, recipe::of_layers(layers, batch, recipe))
        }
        Opened::Model(name, graph) => {
            let batch = args.batch.unwrap_or(1);
            if args.switches {
                let found = switches(graph, batch, recipe);
                let found = found.map_err(|why| no_step(name, &why))?;
                return Ok(switches::report(name, batch, &found, args.format));
            }
            (name, batch, stage::step(graph, batch, recipe))
        }
    };
    if args.switches {
        return Err(no_step(name, &NoStep::OnlyLayers));
    }
    args.has_effect()?;
    let step = step.map_err(|why| no_step(name, &why))?;
    warn_of_unknown(name, &step);
    if args.estimate.estimate {
        return estimate::report(args, &opened, (batch, recipe));
    }
    if args.recipe.saved {
        return Ok(recipe::saved(&step, args.format));
    }
    let problem = &step.problem;
    if args.partitions {
        return partitions::report(args.format, name, problem);
    }
    let budget = budget(args, name, problem)?;
    if args.placements {
        return placed(args, name, problem, budget);
    }
    if let Some(out) = &args.decisions
        && let Some(text) = played::decide(args, (name, out), &Log::from(problem), budget)?
    {
        return Ok(text);
    }
    let rows = args.policies().into_iter().map(|policy| {
        let found = args.found(policy, problem, budget);
        Row::new(problem, policy, budget, &found)
    });
    let mut rows: Vec<Row> = rows.collect();
    prove(&mut rows.iter_mut().collect::<Vec<_>>());
    let rows = rows
        .iter()
        .map(|row| timed(row, args.device, args.recipe()));
    let rows: Vec<Value> = rows.collect();
    let largest = args.device.and_then(|it| largest(&opened, recipe, it));
    let largest = largest.transpose().map_err(|why| no_step(name, &why))?;
    Ok(policies(args, (name, batch), (&step, largest), &rows))
}

/// Warns of operators of which not all is known that training asks for.
fn warn_of_unknown(name: &str, step: &Step) {
    let said = [
        (
            &step.unknown,
            "all that these read and write counts as saved, because it is not known",
        ),
        (&step.untrained, "what these read as weights is not trained"),
        (
            &step.without_gradient,
            "no gradient passes through these, which round to integers",
        ),
    ];
    for (kinds, says) in said.into_iter().filter(|(kinds, _)| !kinds.is_empty()) {
        warn(&format!("{name}: {says}: {}", kinds.join(", ")));
    }
}

/// What the policies come to.
fn policies(
    args: &TrainArgs,
    (name, batch): (&str, u64),
    (step, largest): (&Step, Option<Batches>),
    rows: &[Value],
) -> String {
    let problem = &step.problem;
    let (minimum, node) = problem.minimum();
    match args.format {
        Output::Json => lines(&json!({
            "file": name,
            "rule": problem.rule.name(),
            "batch": batch,
            "fixed": problem.fixed.0,
            "fixed_by": recipe::by_kind(step.fixed),
            "minimum": minimum.0,
            "seed": args.sample,
            "skip_small": args.skip_small,
            "largest_batch": largest,
            "policies": rows,
        })),
        Output::Csv => columns_of(&COLUMNS, rows, |cells| cells.join(",")),
        Output::Table => {
            let set = node.map_or("", |node| problem.nodes[node].name.as_str());
            let fits = largest.map_or_else(String::new, |it| {
                format!(
                    "; the device holds batches up to {} with everything kept, and none above {}",
                    it.keep_all, it.any
                )
            });
            let head = format!(
                "{name}: batch {batch}, {}; fixed beside the budget: {}; no schedule needs less \
                 than {} ({set}){}{fits}\n",
                message!("node" | "nodes", problem.nodes.len()),
                in_bytes(problem.fixed.0),
                in_bytes(minimum.0),
                args.chosen(),
            );
            head + &columns_of(&COLUMNS, rows, table_line)
        }
    }
}

/// What values may take at once.
pub(super) fn budget(
    args: &TrainArgs,
    name: &str,
    problem: &Problem,
) -> Result<Option<Bytes>, Failure> {
    let Some(device) = args.device.map(OnDevice::memory) else {
        return Ok(args.budget.map(Bytes));
    };
    let fixed = problem.fixed.0;
    let left = device.checked_sub(fixed).ok_or_else(|| {
        Failure::Input(format!(
            "{name}: fixed bytes alone are {fixed}, the device has {device}"
        ))
    })?;
    Ok(Some(Bytes(left)))
}

/// What one policy needs in addresses.
fn placed(
    args: &TrainArgs,
    name: &str,
    problem: &Problem,
    budget: Option<Bytes>,
) -> Result<String, Failure> {
    let policy = args.one_policy()?;
    if args.input.align.is_some() {
        warn("--align has no effect on --placements: their addresses are multiples of 256 bytes");
    }
    let found = args.found(policy, problem, budget);
    let row = Row::new(problem, policy, budget, &found);
    let Some(walk) = &found.walk else {
        return Err(no_schedule(name, &row));
    };
    let lifetimes = residencies(problem, walk).map_err(|it| too_large(name, &it))?;
    let needs = (policy, budget, found.needs.peak);
    Ok(placements::report(name, needs, &lifetimes, args.format))
}

/// The columns, by their names in JSON.
pub(super) const COLUMNS: [&str; 9] = [
    "policy",
    "budget",
    "peak",
    "compute",
    "overhead",
    "optimal",
    "lower_bound",
    "feasible",
    "why",
];

/// A policy has no schedule to place.
pub(super) fn no_schedule(name: &str, row: &Row) -> Failure {
    let why = row.why.as_ref().map(|why| advised(row, why));
    Failure::Input(format!("{name}: {}", why.unwrap_or_default()))
}

pub(super) fn row(row: &Row) -> Value {
    json!({
        "policy": row.policy.name(),
        "budget": row.budget.map(|budget| budget.0),
        "peak": row.needs.map(|needs| needs.peak.0),
        "compute": row.needs.map(|needs| needs.cost),
        "stall": row.needs.map(|needs| needs.stall),
        "overhead": row.needs.map(|_| row.overhead),
        "optimal": row.optimal,
        "lower_bound": row.lower_bound,
        "feasible": row.needs.is_some(),
        "why": row.why.as_ref().map(|why| sentence(row, why)),
    })
}

/// Whether there is the training step that `--train` asks for.
pub(super) fn check(
    name: &str,
    settings: &Settings,
    trained: Option<&Trained>,
) -> Result<(), Failure> {
    only_order(name, settings);
    let why = match trained {
        Some(Ok(row)) => match &row.why {
            None => return Ok(()),
            Some(why) => advised(row, why),
        },
        None => return Err(no_step(name, &NoStep::NoModel)),
        Some(Err(why)) => return Err(no_step(name, why)),
    };
    Err(Failure::Input(format!("{name}: {why}")))
}

/// Says of passes that are chosen which do not run.
fn only_order(name: &str, settings: &Settings) {
    if settings.passes != passes::order_alone(settings).passes {
        warn(&format!(
            "{name}: a training step has the operators of the file: of the passes only order runs"
        ));
    }
}

/// Why there is no training step.
pub(super) fn no_step(name: &str, why: &NoStep) -> Failure {
    let why = match why {
        NoStep::NoModel => "there is no model to train".to_owned(),
        NoStep::Unsized(tensor) => format!(
            "\"{tensor}\" has no size: bind its dimensions, or see in \"arenascope plan\" why it has none"
        ),
        NoStep::TooLarge(why) => format!("{why} (choose a smaller batch)"),
        NoStep::Undivided(why) => why.to_string(),
        NoStep::OnlyLayers => "layers do not say what autograd saves (open the model)".to_owned(),
    };
    Failure::Input(format!("{name}: {why}"))
}

pub(super) fn table_line(cells: &[String]) -> String {
    let right = cells[1..].iter().map(|cell| format!(" {cell:>19}"));
    format!("{:<16}{}", cells[0], right.collect::<String>())
}

/// What is run: the layers of a training problem, a model, or a log.
pub(super) enum Opened {
    Layers(String, Layers),
    Model(String, Graph),
    Log(String, Log),
}

/// What is run, as it is read.
pub(super) enum Read {
    Layers(String, Layers),
    Log(String, Log),
    Model(String, Box<Document>),
}

/// Reads what is run.
pub(super) fn read_run(args: &Input) -> Result<Read, Failure> {
    let path = &args.files[0];
    let name = path.display().to_string();
    let input = |why: String| Failure::Input(format!("{name}: {why}"));
    let suffix = path.extension().unwrap_or_default().to_ascii_lowercase();
    // Such a file says itself how many samples a step has.
    if suffix == "json" {
        let source = FileSource::open(path).map_err(|error| input(error.to_string()))?;
        let text = plain_text(&source).map_err(|error| input(error.to_string()))?;
        // Our own files, which may have such a key, too, are read as everywhere.
        if text.contains("\"layers\"") && !text.contains("\"arenascope_") {
            if args.files.len() > 1 {
                let message = "the layers of a training problem are one file";
                return Err(Failure::Usage(message.to_owned()));
            }
            let layers = layers::read(&text).map_err(|error| input(error.message.to_string()))?;
            return Ok(Read::Layers(name, layers));
        }
    }
    let (name, _, document) = read(&args.files, args.said.told())?;
    match document {
        Document::Log(log) => Ok(Read::Log(name, log)),
        document => Ok(Read::Model(name, Box::new(document))),
    }
}

/// The operators of a model in their order, with passes that may be chosen beside those of `args`.
pub(super) fn model(
    args: &Input,
    (name, document): (&str, &Document),
    passes: PassSet,
) -> Result<(PassSet, Graph), Failure> {
    let (bindings, settings) = chosen(args, document, false)?;
    if settings.training.is_some() {
        let message = "train has --policy, --batch and --budget in place of --train";
        return Err(Failure::Usage(message.to_owned()));
    }
    if !matches!(document, Document::Model(_)) {
        let message = format!(
            "{name}: there is no model in this file, or it has a schedule already (open a model)"
        );
        return Err(Failure::Input(message));
    }
    only_order(name, &settings);
    let settings = Settings {
        passes: settings.passes.union(passes),
        ..settings
    };
    let as_trained = passes::order_alone(&settings);
    let subject = prepare(document, &bindings, &as_trained).map_err(|it| too_large(name, &it))?;
    let graph = stage::operators(subject.program.unwrap_or_default());
    Ok((as_trained.passes, graph))
}

fn opened(args: &TrainArgs) -> Result<Opened, Failure> {
    match read_run(&args.input)? {
        Read::Layers(name, layers) => Ok(Opened::Layers(name, layers)),
        Read::Log(name, log) => Ok(Opened::Log(name, log)),
        Read::Model(name, document) => {
            let (_, graph) = model(&args.input, (&name, &document), PassSet::NONE)?;
            Ok(Opened::Model(name, graph))
        }
    }
}
