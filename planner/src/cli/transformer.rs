//! `arenascope transformer`: what a transformer keeps in memory, without a file of it. Sizes are
//! bytes.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use planner::generate::closed_forms::parameters;
use planner::generate::presets::{NAMES, preset};
use planner::generate::{AttentionForm, Execution, Mode};
use planner::graph::{Bindings, DType, Role, Tensor};
use planner::load::{Described, Document, Warning, described};
use planner::{Options, Settings, Silent, Strategy, bounds, judged, prepare};
use serde_json::json;

use super::file::FileSource;
use super::report::lines;
use super::{Failure, too_large, warn, warn_of_left_out};

#[derive(Args)]
pub(super) struct TransformerArgs {
    /// A config.json of Hugging Face, a GGUF, a safetensors file, or a description that this command
    /// wrote.
    #[arg(value_name = "FILE", conflicts_with = "preset")]
    file: Option<PathBuf>,
    /// A transformer that many people know.
    #[arg(long, value_name = "NAME", value_parser = clap::builder::PossibleValuesParser::new(NAMES))]
    preset: Option<String>,
    /// What it does: reads sequences (forward), reads one and keeps its keys and values (prefill), or
    /// reads one token more (decode).
    #[arg(long, value_enum)]
    mode: Option<ModeName>,
    /// Tokens of a sequence: those that are read, or with decode those that are kept.
    #[arg(long, value_name = "N")]
    context: Option<u64>,
    /// Sequences at once.
    #[arg(long, value_name = "N")]
    batch: Option<u64>,
    /// Whether scores of all pairs of tokens are there at once (written), or not (fused).
    #[arg(long, value_enum)]
    attention: Option<AttentionName>,
    /// The type of the weights, as in bf16.
    #[arg(long, value_name = "TYPE", value_parser = dtype)]
    weights: Option<DType>,
    /// The type of what is computed.
    #[arg(long, value_name = "TYPE", value_parser = dtype)]
    activations: Option<DType>,
    /// The type of the keys and values that are kept.
    #[arg(long, value_name = "TYPE", value_parser = dtype)]
    cache: Option<DType>,
    /// How it is printed: a table, JSON, or the description, which other commands read.
    #[arg(long, value_enum, default_value = "table")]
    format: Form,
}

#[derive(Clone, Copy, ValueEnum)]
enum ModeName {
    Forward,
    Prefill,
    Decode,
}

#[derive(Clone, Copy, ValueEnum)]
enum AttentionName {
    Written,
    Fused,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    Table,
    Json,
    Description,
}

fn dtype(name: &str) -> Result<DType, String> {
    let sized = |dtype: &DType| dtype.bits().is_some();
    let named = DType::named(name).filter(sized);
    named.ok_or_else(|| "write f32, f16, bf16, f8e4m3, i8 or another type with a size".to_owned())
}

impl TransformerArgs {
    /// What is described, with what is said beside it.
    fn described(&self) -> Result<(String, Described), Failure> {
        let (name, mut found) = match (&self.file, &self.preset) {
            (Some(path), _) => {
                let name = path.display().to_string();
                let source = FileSource::open(path);
                let source = source.map_err(|error| Failure::Input(format!("{name}: {error}")))?;
                let found = described(&source);
                let (found, warnings) =
                    found.map_err(|error| Failure::Input(format!("{name}: {error}")))?;
                for Warning { place, message } in warnings {
                    warn(&format!("{name}: {place}: {message}"));
                }
                (name, found)
            }
            (None, Some(name)) => {
                let of = preset(name).ok_or_else(|| Failure::Usage(name.clone()))?;
                (name.clone(), Described::new(of, Execution::default()))
            }
            (None, None) => {
                let message = "give a FILE or a --preset";
                return Err(Failure::Usage(message.to_owned()));
            }
        };
        let own = &mut found.execution;
        let fitted = own.fitted(&found.transformer);
        let (sequence, context) = fitted.mode.tokens();
        let tokens = self.context.unwrap_or(sequence.max(context));
        own.mode = match self.mode {
            None => fitted.mode.of(tokens),
            Some(ModeName::Forward) => Mode::Forward(tokens),
            Some(ModeName::Prefill) => Mode::Prefill(tokens),
            Some(ModeName::Decode) => Mode::Decode(tokens),
        };
        own.attention = match self.attention {
            None => own.attention,
            Some(AttentionName::Written) => AttentionForm::Written,
            Some(AttentionName::Fused) => AttentionForm::Fused,
        };
        own.batch = self.batch.unwrap_or(own.batch);
        own.weights = self.weights.unwrap_or(own.weights);
        own.activations = self.activations.unwrap_or(own.activations);
        own.cache = self.cache.unwrap_or(own.cache);
        Ok((name, found))
    }
}

/// Bytes of what training learns; `None` beyond 64 bits.
fn learned(tensors: &[Tensor]) -> Option<u64> {
    let named = |it: &&Tensor| it.name.ends_with("weight") || it.name.ends_with("bias");
    let constants = tensors.iter().filter(|it| it.role == Role::Constant);
    let mut bytes = constants.filter(named).map(Tensor::bytes);
    bytes.try_fold(0_u64, |sum, bytes| sum.checked_add(bytes?.0))
}

/// The report.
pub(super) fn report(args: &TransformerArgs) -> Result<(String, ExitCode), Failure> {
    let (name, found) = args.described()?;
    let of = &found.transformer;
    let graph = found.graph();
    let graph = graph.map_err(|error| Failure::Input(format!("{name}: {error}")))?;
    if args.format == Form::Description {
        return Ok((found.written() + "\n", ExitCode::SUCCESS));
    }
    let settings = Settings::default();
    let document = Document::Model(graph);
    let subject = prepare(&document, &Bindings::new(), &settings);
    let subject = subject.map_err(|error| too_large(&name, &error))?;
    warn_of_left_out(&name, &subject);
    let beyond = || Failure::Input(format!("{name}: its bytes are beyond 64 bits"));
    let split = subject.split.ok_or_else(beyond)?;
    if split.unsized_tensors > 0 {
        return Err(beyond());
    }
    let count = u64::try_from(parameters(of)).map_err(|_beyond| beyond())?;
    let bounds = bounds::aligned(&subject.lifetimes, settings.alignment);
    let options = Options::aligned(settings.alignment);
    let made = judged(
        Strategy::Best,
        &subject.lifetimes,
        &bounds,
        &options,
        &mut Silent,
    );
    let made = made.map_err(|error| Failure::Input(format!("{name}: {}", error.message())))?;
    let arena = made.metrics.taken();
    let beside = split.inputs.0.saturating_add(split.outputs.0);
    let tensors = subject.graph().map_or(&[][..], |graph| &graph.tensors);
    let weights = learned(tensors).ok_or_else(beyond)?;
    let rows = [
        ("weights", weights),
        ("other constants", split.constants.0.saturating_sub(weights)),
        ("cache", split.state.0),
        ("activations", arena.0),
        ("inputs and outputs", beside),
    ];
    let total = rows.iter().map(|row| row.1).fold(0, u64::saturating_add);
    let text = match args.format {
        Form::Json | Form::Description => {
            let bytes: serde_json::Map<_, _> = rows
                .iter()
                .map(|(name, bytes)| (name.replace(' ', "_"), json!(bytes)))
                .collect();
            lines(&json!({
                "file": name,
                "parameters": count,
                "bytes": bytes,
                "total": total,
                "activations_bound": bounds.offsets.0,
                "execution": found.execution,
            }))
        }
        Form::Table => {
            let run = &found.execution;
            let mut text = format!(
                "{name}: {count} parameters; {}, batch {}; in bytes:\n",
                told(run.mode),
                run.batch
            );
            for (name, bytes) in rows.iter().chain(&[("total", total)]) {
                let _ = writeln!(text, "{name:<20}{bytes:>18}");
            }
            text
        }
    };
    Ok((text, ExitCode::SUCCESS))
}

/// What is done, in words.
fn told(mode: Mode) -> String {
    match mode {
        Mode::Forward(tokens) => format!("reads {tokens} tokens"),
        Mode::Prefill(tokens) => format!("reads {tokens} tokens and keeps them"),
        Mode::Decode(tokens) => format!("writes a token, {tokens} with it"),
    }
}
