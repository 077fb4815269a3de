//! Arguments in, one report out.
//!
//! Exit codes: 0 planned or judged valid, 1 the input cannot be read or planned or breaks a
//! rule, 2 wrong usage. Errors are one line on standard error.

mod file;
mod plans;
mod report;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Args, Parser, Subcommand, ValueEnum};
use planner::bounds::{self, Bounds};
use planner::check;
use planner::graph::Bindings;
use planner::liveness::{Io, Settings};
use planner::load::{Document, Format, Warning, load};
use planner::pipeline::{Subject, prepare};
use planner::plan::Options;
use planner::strategies::Strategy;
use planner::units::Bytes;

use file::FileSource;

/// Plans where every tensor of a neural network lives in memory.
#[derive(Parser)]
#[command(name = "arenascope", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Plans a model or a problem and prints the figures of every plan.
    Plan(PlanArgs),
    /// Judges the plan in a file; exit code 1 when it breaks a rule.
    Check(CheckArgs),
    /// Prints the lower bounds that no plan can beat.
    Bounds(BoundsArgs),
}

#[derive(Args)]
struct PlanArgs {
    #[command(flatten)]
    input: Input,
    /// A strategy; "deployed" for the plan that the file holds; or "all": that plan, if there
    /// is one, then every strategy.
    #[arg(long, default_value = "all", value_parser = plans::chosen)]
    strategy: Chosen,
    /// Adds each tensor's name, size, offset, first and last step; both steps are inclusive.
    /// In json per plan; in table and csv for one --strategy, csv in MiniMalloc's columns
    /// (whose "upper" is exclusive).
    #[arg(long)]
    offsets: bool,
    /// How the result is printed.
    #[arg(long, value_enum, default_value = "table")]
    format: Output,
}

#[derive(Args)]
struct CheckArgs {
    /// A plan: MiniMalloc CSV with offsets, or plan JSON.
    file: PathBuf,
    /// Bytes that every offset must be a multiple of.
    #[arg(long, value_name = "BYTES", default_value_t = 1, value_parser = alignment)]
    align: u64,
    /// How the result is printed.
    #[arg(long, value_enum, default_value = "table")]
    format: Output,
}

#[derive(Args)]
struct BoundsArgs {
    #[command(flatten)]
    input: Input,
    /// How the result is printed.
    #[arg(long, value_enum, default_value = "table")]
    format: Output,
}

/// A file and what is chosen about its lifetimes.
#[derive(Args)]
struct Input {
    /// An ONNX or TFLite model, a MiniMalloc CSV or a plan JSON.
    file: PathBuf,
    /// Bytes that sizes and offsets are multiples of: 64 for models, 1 otherwise.
    #[arg(long, value_name = "BYTES", value_parser = alignment)]
    align: Option<u64>,
    /// Binds a symbolic dimension, which is 1 or what the file suggests otherwise.
    #[arg(long, value_name = "NAME=N", value_parser = binding)]
    bind: Vec<(String, u64)>,
    /// Places graph inputs and outputs too, live for the whole run.
    #[arg(long)]
    pin_io: bool,
    /// Fuses Relu and Clip into the Conv, Gemm or MatMul before them.
    #[arg(long)]
    fuse: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Output {
    /// For people.
    Table,
    /// One object.
    Json,
    /// Rows for spreadsheets and scripts.
    Csv,
}

/// The plans asked for.
#[derive(Clone, Copy)]
enum Chosen {
    /// The plan in the file, if there is one, then every strategy.
    All,
    /// The plan in the file.
    Deployed,
    /// What one strategy makes.
    One(Strategy),
}

/// An opened and prepared file.
struct Opened {
    name: String,
    format: Format,
    /// Operators and tensors of the file; `None` when it is no model.
    counts: Option<(usize, usize)>,
    subject: Subject,
    bounds: Bounds,
    options: Options,
}

/// What goes wrong: the exit code and one line.
enum Failure {
    /// Exit code 1.
    Input(String),
    /// Exit code 2.
    Usage(String),
}

/// Runs the command line.
pub(crate) fn run() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
            ) =>
        {
            let _ = error.print();
            return ExitCode::SUCCESS;
        }
        Err(error) if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let message = "choose a command: plan, check or bounds (--help says more)";
            return fail(&Failure::Usage(message.into()));
        }
        Err(error) => return fail(&Failure::Usage(error.to_string())),
    };
    let done = match &cli.command {
        Command::Plan(args) => plans::plan(args),
        Command::Check(args) => judge(args),
        Command::Bounds(args) => open(&args.input).map(|opened| {
            let text = report::bounds(&opened, args.format);
            (text, ExitCode::SUCCESS)
        }),
    };
    match done {
        Ok((text, code)) => {
            // A reader that closes the pipe early has what it wanted.
            let _ = std::io::stdout().lock().write_all(text.as_bytes());
            code
        }
        Err(failure) => fail(&failure),
    }
}

fn fail(failure: &Failure) -> ExitCode {
    let (line, code) = match failure {
        Failure::Input(line) => (line, 1),
        Failure::Usage(line) => (line, 2),
    };
    let _ = writeln!(std::io::stderr().lock(), "arenascope: {}", one_line(line));
    ExitCode::from(code)
}

/// Errors stay on one line, whatever names of the file they quote.
fn one_line(text: &str) -> String {
    let text = text.strip_prefix("error: ").unwrap_or(text);
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join(" · ")
}

fn open(input: &Input) -> Result<Opened, Failure> {
    let (name, format, document) = read(&input.file)?;
    let counts = match &document {
        Document::Model(graph) => Some((graph.ops.len(), graph.tensors.len())),
        _ => None,
    };
    let bindings: Bindings = input.bind.iter().cloned().collect();
    unknown_symbols(&document, &bindings)?;
    let alignment = input.align.unwrap_or(if counts.is_some() { 64 } else { 1 });
    let io = if input.pin_io {
        Io::WholeRun
    } else {
        Io::Beside
    };
    let settings = Settings {
        alignment: Bytes(alignment),
        io,
        fuse: input.fuse,
        ..Settings::default()
    };
    let subject = prepare(&document, &bindings, &settings).map_err(|error| {
        Failure::Input(format!(
            "{name}: {error} (bind smaller dimensions with --bind)"
        ))
    })?;
    warn_of_unsized(&name, &subject);
    let bounds = bounds::aligned(&subject.lifetimes, settings.alignment);
    Ok(Opened {
        name,
        format,
        counts,
        subject,
        bounds,
        options: Options::aligned(settings.alignment),
    })
}

fn read(path: &Path) -> Result<(String, Format, Document), Failure> {
    let name = path.display().to_string();
    let failed = |error: String| Failure::Input(format!("{name}: {error}"));
    let source = FileSource::open(path).map_err(|error| {
        failed(format!(
            "{error} (check that the file is there and can be read)"
        ))
    })?;
    let (format, document, warnings) = load(&source).map_err(|error| failed(error.to_string()))?;
    for Warning { place, message } in warnings {
        warn(&format!("{name}: {place}: {message}"));
    }
    Ok((name, format, document))
}

/// Names the first tensors without a size, each with its reason.
fn warn_of_unsized(file: &str, subject: &Subject) {
    const SHOWN: usize = 5;
    let tensors = subject.graph.iter().flat_map(|graph| &graph.tensors);
    let missing = tensors.filter_map(|tensor| Some((&tensor.name, tensor.missing.as_ref()?)));
    let missing: Vec<_> = missing.collect();
    for (tensor, why) in missing.iter().take(SHOWN) {
        let (reason, detail) = (report::reason(why.reason), &why.detail);
        warn(&format!(
            "{file}: {tensor}: no size, left out: {reason}: {detail}"
        ));
    }
    if let Some(more @ 1..) = missing.len().checked_sub(SHOWN) {
        warn(&format!(
            "{file}: {more} more tensors without a size are left out"
        ));
    }
}

fn warn(message: &str) {
    let line = one_line(message);
    let _ = writeln!(std::io::stderr().lock(), "warning: {line}");
}

/// A misspelt symbol would silently change nothing.
fn unknown_symbols(document: &Document, bindings: &Bindings) -> Result<(), Failure> {
    let symbols = match document {
        Document::Model(graph) => &graph.symbols[..],
        _ => &[],
    };
    let known = |name: &String| symbols.iter().any(|symbol| symbol.name == *name);
    match bindings.keys().find(|name| !known(name)) {
        None => Ok(()),
        Some(name) => {
            let names: Vec<&str> = symbols.iter().map(|symbol| symbol.name.as_str()).collect();
            let names = match names.is_empty() {
                true => "none".to_owned(),
                false => names.join(", "),
            };
            let message = format!("--bind {name}: no such dimension; the file has: {names}");
            Err(Failure::Usage(message))
        }
    }
}

fn judge(args: &CheckArgs) -> Result<(String, ExitCode), Failure> {
    let (name, _, document) = read(&args.file)?;
    let Document::Deployed(lifetimes, plan) = &document else {
        return Err(no_plan(&name));
    };
    let options = Options::aligned(Bytes(args.align));
    let violations = check::check(lifetimes, plan, &options);
    let text = report::violations(&name, lifetimes, plan, &violations, args.format);
    Ok((text, ExitCode::from(u8::from(!violations.is_empty()))))
}

fn no_plan(file: &str) -> Failure {
    Failure::Input(format!(
        "{file}: there is no plan in this file (give a CSV with an offset in every row, or a plan \
         JSON)"
    ))
}

fn alignment(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(bytes @ 1..=0x1_0000_0000) => Ok(bytes),
        _ => Err("an alignment is a whole number of bytes from 1 to 2^32".into()),
    }
}

fn binding(text: &str) -> Result<(String, u64), String> {
    // Symbols may contain "=", sizes may not.
    let (name, size) = text.rsplit_once('=').ok_or("write NAME=N")?;
    let size = size
        .parse()
        .map_err(|error| format!("\"{size}\": {error}"))?;
    Ok((name.to_owned(), size))
}
