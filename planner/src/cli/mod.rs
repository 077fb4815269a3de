//! Arguments in, one report out.
//!
//! Exit codes: 0 planned or judged valid, 1 the input cannot be read or planned or breaks a
//! rule, 2 wrong usage. Errors are one line on standard error.

mod advise;
mod allocators;
mod amount;
mod args;
mod basis;
mod bounds;
mod check;
mod counts;
mod device;
mod diff;
mod estimate;
mod export;
mod failed;
mod figures;
mod file;
mod fits;
mod held;
mod list;
mod no_schedule;
mod overview;
mod partitions;
mod passes;
mod placements;
mod plans;
mod played;
mod recipe;
mod report;
mod requests;
mod save;
mod segments;
mod stages;
mod sweep;
mod switches;
mod tail;
mod told;
mod train;
mod transformer;
mod unsized_reason;
mod waste;
mod why;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;
use planner::bounds::{Bounds, aligned};
use planner::graph::{Bindings, Dialect};
use planner::load::{
    Columns, Document, Fault, Figures, Files, Format, Part, Warning, figures as figures_of,
    load_files,
};
use planner::passes::Report;
use planner::training::layers::is_layer;
use planner::{
    Bytes, Effort, Io, Lifetimes, Options, Parallel, Pool, Program, Settings, Subject,
    TFLM_ALIGNMENT, TooLarge, clash, fixed_unaligned, message, prepare_owned,
};

use args::{Chosen, Cli, Command, Input, Output, PlanArgs};
use failed::one_line;
use file::FileSource;
use overview::Arenas;
use told::Told;
use unsized_reason::reason;

/// An opened and prepared file.
struct Opened {
    name: String,
    format: Format,
    /// Where inputs and outputs live.
    io: Io,
    /// Operators and tensors of the file; `None` when it is no model.
    counts: Option<(usize, usize)>,
    /// All arenas of the file; the subject is the chosen one.
    arenas: Arenas,
    subject: Subject,
    bounds: Bounds,
    options: Options,
}

/// What goes wrong: the exit code and one line.
enum Failure {
    /// Exit code 1.
    Input(String),
    /// A text with figures and no lifetimes: what it is called, and what it says. Exit code 1,
    /// but for who has something to print of it.
    Figures(String, Box<Figures>),
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
            let message = "choose a command: plan, check, bounds, passes, stages, waste, held, segments, advise, allocators, overview, diff, list, sweep, train, fits, transformer or export (--help says more)";
            return fail(&Failure::Usage(message.into()));
        }
        Err(error) => return fail(&Failure::Usage(error.to_string())),
    };
    let done = |text: String| (text, ExitCode::SUCCESS);
    let told = match &cli.command {
        Command::Plan(args) => plans::plan(args),
        Command::Check(args) => check::judge(args),
        Command::List(args) => list::list(args),
        Command::Bounds(args) => open(&args.input, Effort::DEFAULT, false).map(|opened| {
            if let Some(clash) = clash(&opened.subject.lifetimes) {
                warn(&format!("{}: {clash}", opened.name));
            }
            done(bounds::report(&opened, args.format))
        }),
        Command::Passes(args) => passes::report(&args.input, args.format).map(done),
        Command::Stages(args) => stages::report(args).map(done),
        Command::Train(args) => train::report(args).map(done),
        Command::Fits(args) => fits::report(args),
        Command::Overview(args) => basis::report(args),
        Command::Diff(args) => diff::diff(args),
        Command::Held(args) => held::report(args),
        Command::Segments(args) => segments::report(args),
        Command::Sweep(args) => sweep::report(args),
        Command::Export(args) => export::export(args),
        Command::Waste(args) => waste::split(args),
        Command::Advise(args) => advise::advise(args),
        Command::Allocators(args) => allocators::report(args).map(done),
        Command::Transformer(args) => transformer::report(args),
        Command::Requests(args) => requests::report(args),
    };
    told.and_then(|(text, code)| put(text.as_bytes()).map(|()| code))
        .unwrap_or_else(|failure| fail(&failure))
}

/// Writes to standard output.
fn put(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        // A reader that closes the pipe early has what it wanted.
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::Input(format!("standard output: {error}")))
        }
        _ => Ok(()),
    }
}

fn fail(failure: &Failure) -> ExitCode {
    let (line, code) = match failure {
        Failure::Input(line) => (line.clone(), 1),
        Failure::Figures(name, found) => (format!("{name}: {}", found.sentence()), 1),
        Failure::Usage(line) => (line.clone(), 2),
    };
    let _ = writeln!(std::io::stderr().lock(), "arenascope: {}", one_line(&line));
    ExitCode::from(code)
}

/// Opens a file; with `home` to write its plan into it, for TFLite Micro.
fn open(input: &Input, effort: Effort, home: bool) -> Result<Opened, Failure> {
    let (name, format, mut document) = read(&input.files, input.said.told())?;
    if let Some(settings) = input.alloc_conf
        && !told::configure(&mut document, settings)
    {
        let message = format!("--alloc-conf: {name} has no segments of an allocator");
        return Err(Failure::Usage(message));
    }
    let counts = document.graph().map(|it| (it.ops.len(), it.tensors.len()));
    let arenas = overview::choose(&name, &document, input.arena)?;
    let (bindings, mut settings) = chosen(input, &document, home)?;
    settings.arena = arenas.chosen;
    if let Some(remark) = arenas.remark().filter(|_| input.arena.is_none()) {
        warn(&format!("{name}: {remark}"));
    }
    let subject = prepare_owned(document, &bindings, &settings);
    let subject = subject.map_err(|error| too_large(&name, &error))?;
    if settings.training.is_some() {
        train::check(&name, &settings, subject.trained.as_ref())?;
    }
    let subject = input.said.turned(&name, subject, &settings)?;
    warn_of_left_out(&name, &subject);
    warn_of_unaligned(&name, &subject.lifetimes, settings.alignment);
    warn_of_unused(&name, subject.program.as_ref(), &settings);
    warn_of_left_alone(&name, &subject.reports);
    let pools = pools(&input.pool, subject.declared_pools())?;
    if pools.is_empty()
        && subject
            .lifetimes
            .buffers
            .iter()
            .any(|it| !it.pools.is_empty())
    {
        warn(&format!(
            "{name}: its pools are ignored: name them with --pool, the first one being pool 0"
        ));
    }
    let mut bounds = aligned(&subject.lifetimes, settings.alignment);
    bounds.count_pools(&subject.lifetimes, pools.len());
    Ok(Opened {
        name,
        format,
        io: settings.io,
        counts,
        arenas,
        bounds,
        options: Options {
            alignment: settings.alignment,
            pools,
            effort,
            largest_allocation: settings.largest_allocation,
        },
        subject,
    })
}

/// What is chosen about a document: the sizes of its symbolic dimensions, and the settings.
fn chosen(input: &Input, document: &Document, home: bool) -> Result<(Bindings, Settings), Failure> {
    let bindings: Bindings = input.bind.iter().cloned().collect();
    unknown_symbols("--bind", document, bindings.keys())?;
    let io = io(input, document, home)?;
    let alignment = input.align.unwrap_or(match (io, document.graph()) {
        (Io::Tflm, Some(_)) => TFLM_ALIGNMENT.0,
        // Their bytes may be any unit.
        (_, Some(graph)) if graph.ops.iter().any(is_layer) => 1,
        (_, Some(_)) => 64,
        (_, None) => 1,
    });
    let passes = input.passes();
    let settings = Settings {
        alignment: Bytes(alignment),
        io,
        passes: passes.map_err(|error| Failure::Usage(error.to_string()))?,
        parallel: input.parallel,
        arena: 0,
        until: None,
        training: input.train,
        largest_allocation: input.largest_allocation.map(Bytes),
    };
    Ok((bindings, settings))
}

fn too_large(name: &str, error: &TooLarge) -> Failure {
    Failure::Input(format!(
        "{name}: {error} (bind smaller dimensions with --bind)"
    ))
}

/// Where inputs and outputs live: as asked for, otherwise as what the file is for has them.
fn io(input: &Input, document: &Document, home: bool) -> Result<Io, Failure> {
    let graph = document.graph();
    let brings = graph.is_some_and(|graph| !graph.offline.is_empty());
    let io = match input.io {
        Some(io) => io,
        None if home || brings => Io::Tflm,
        None => Io::Beside,
    };
    let model = graph.is_some_and(|graph| graph.dialect == Dialect::Tflite);
    if home && io != Io::Tflm {
        let message = "--save-tflite plans as TFLite Micro does: leave --io out, or say tflm";
        return Err(Failure::Usage(message.into()));
    }
    if io == Io::Tflm && model && input.fuse {
        let message = "--fuse: TFLite Micro runs every operator as the file has it";
        return Err(Failure::Usage(message.into()));
    }
    Ok(io)
}

/// The pools asked for, otherwise those that a plan in the file was made for.
fn pools(asked: &[Pool], declared: &[Pool]) -> Result<Vec<Pool>, Failure> {
    const MOST: usize = 64;
    let names = asked.iter().map(|pool| &pool.name);
    let twice = names.enumerate().find(|&(place, name)| {
        let mut before = asked[..place].iter();
        before.any(|pool| pool.name == *name)
    });
    if let Some((_, name)) = twice {
        let message = format!("--pool {name}: there are two pools of this name");
        return Err(Failure::Usage(message));
    }
    if asked.len() > MOST {
        return Err(Failure::Usage(format!("--pool: at most {MOST} pools")));
    }
    Ok(if asked.is_empty() { declared } else { asked }.to_vec())
}

/// The document that `paths` make together, and what to call it.
fn read(paths: &[PathBuf], told: Told<'_>) -> Result<(String, Format, Document), Failure> {
    let names: Vec<String> = paths.iter().map(|it| called(it)).collect();
    let name = names.join(" + ");
    piped_once(paths)?;
    let sources = opened_files(paths, &names)?;
    let parts: Vec<Part<'_>> = names.iter().zip(&sources).map(part).collect();
    let loaded = file::loaded(&parts, |parts| {
        let files = Files::new(parts);
        match told {
            Told::Columns(columns) => load_files(&Files {
                columns: &Columns(columns.to_vec()),
                ..files
            }),
            Told::Range(range) | Told::RangeOfRecording(range) => {
                let (range, whole) = (Some(range), matches!(told, Told::RangeOfRecording(_)));
                match load_files(&Files { range, ..files }) {
                    Err(error) if whole && error.kind == Fault::Unsupported => load_files(&files),
                    found => found,
                }
            }
        }
    });
    let (format, document, warnings) = loaded.map_err(|error| match names.as_slice() {
        [name] if error.kind == Fault::Figures => match file::loaded(&parts, figures_of) {
            Ok(Some(figures)) => Failure::Figures(name.clone(), Box::new(figures)),
            _ => Failure::Input(format!("{name}: {error}")),
        },
        // Several files are named by the error itself.
        [name] => Failure::Input(format!("{name}: {error}")),
        _ => Failure::Input(error.to_string()),
    })?;
    for Warning { place, message } in warnings {
        warn(&format!("{name}: {place}: {message}"));
    }
    Ok((name, format, document))
}

/// Refuses standard input where it is among `paths` twice.
fn piped_once<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) -> Result<(), Failure> {
    let piped = paths.into_iter().filter(|path| is_piped(path));
    if piped.count() > 1 {
        let message = "standard input, which is \"-\", can be read once";
        return Err(Failure::Usage(message.into()));
    }
    Ok(())
}

fn opened_files(paths: &[PathBuf], names: &[String]) -> Result<Vec<FileSource>, Failure> {
    let opened = paths.iter().zip(names).map(|(path, name)| {
        FileSource::open(path).map_err(|error| {
            let remedy = "check that the file is there and can be read";
            Failure::Input(format!("{name}: {error} ({remedy})"))
        })
    });
    opened.collect()
}

/// What messages call the file at `path`.
fn called(path: &Path) -> String {
    match is_piped(path) {
        true => "standard input".to_owned(),
        false => path.display().to_string(),
    }
}

fn is_piped(path: &Path) -> bool {
    path == Path::new(file::PIPED)
}

fn part<'s>((name, source): (&'s String, &'s FileSource)) -> Part<'s> {
    Part { name, source }
}

/// Names the first operators whose subgraphs are not planned, and the first tensors without a size,
/// each with its reason.
fn warn_of_left_out(file: &str, subject: &Subject) {
    const SHOWN: usize = 5;
    for (op, why) in subject.left_out().take(SHOWN) {
        let (name, kind) = (&op.name, &op.kind);
        warn(&format!(
            "{file}: {name} ({kind}): what its subgraphs hold is not in the plan: {why}"
        ));
    }
    let tensors = subject.graph().into_iter().flat_map(|graph| &graph.tensors);
    let missing = tensors.filter_map(|tensor| Some((&tensor.name, tensor.missing.as_ref()?)));
    let missing: Vec<_> = missing.collect();
    for (tensor, why) in missing.iter().take(SHOWN) {
        let (reason, detail) = (reason(why.reason), &why.detail);
        warn(&format!(
            "{file}: {tensor}: no size, left out: {reason}: {detail}"
        ));
    }
    if let Some(more @ 1..) = missing.len().checked_sub(SHOWN) {
        let more = message!(
            "more tensor without a size is" | "more tensors without a size are",
            more
        );
        warn(&format!("{file}: {more} left out"));
    }
}

/// A fixed address holds whatever the alignment, which is worth a line.
fn warn_of_unaligned(file: &str, lifetimes: &Lifetimes, alignment: Bytes) {
    let found = fixed_unaligned(lifetimes, alignment);
    let first = found.first().and_then(|&index| {
        let buffer = lifetimes.buffers.get(index)?;
        Some((buffer, buffer.fixed?.0, buffer.alignment.max(alignment).0))
    });
    let Some((buffer, at, alignment)) = first else {
        return;
    };
    let count = message!("fixed address is" | "fixed addresses are", found.len());
    let name = &buffer.name;
    warn(&format!(
        "{file}: {count} no multiple of the alignment and kept all the same: {name:?} at {at}, \
         alignment {alignment}"
    ));
}

/// Names what was asked for and changes nothing here; without a program there are no operators.
fn warn_of_unused(file: &str, program: Option<&Program>, settings: &Settings) {
    let why = match program {
        Some(_) => "its operators are planned as written",
        None => "there are no operators in this file",
    };
    for (row, pass) in planner::passes::optional() {
        if settings.passes.has(row) && !program.is_some_and(|it| pass.applies(it)) {
            let name = pass.name;
            warn(&format!("{file}: the pass {name} is not run: {why}"));
        }
    }
    let why = match program {
        Some(program) if program.schedule.only_computes() => return,
        Some(_) => "a schedule that does more than compute runs one step after the other",
        None => why,
    };
    if settings.parallel != Parallel::Serial {
        warn(&format!("{file}: --parallel changes nothing: {why}"));
    }
}

/// Says which passes looked at nothing, and why.
fn warn_of_left_alone<'r>(file: &str, reports: impl IntoIterator<Item = &'r Report>) {
    for report in reports {
        if let Some(why) = report.left_alone {
            let pass = &report.pass;
            warn(&format!("{file}: the pass {pass} changes nothing: {why}"));
        }
    }
}

/// Says which operators the order pass leaves in their order.
fn warn_of_in_order(file: &str, kinds: &[String]) {
    if !kinds.is_empty() {
        let kinds = kinds.join(", ");
        warn(&format!(
            "{file}: these keep their order, because they may do more than compute: {kinds}"
        ));
    }
}

fn warn(message: &str) {
    let line = one_line(message);
    let _ = writeln!(std::io::stderr().lock(), "warning: {line}");
}

/// A misspelt symbol would silently change nothing.
fn unknown_symbols<'n>(
    option: &str,
    document: &Document,
    names: impl IntoIterator<Item = &'n String>,
) -> Result<(), Failure> {
    let symbols = document.graph().map_or(&[][..], |graph| &graph.symbols);
    let known = |name: &&String| symbols.iter().any(|symbol| symbol.name == **name);
    match names.into_iter().find(|name| !known(name)) {
        None => Ok(()),
        Some(name) => {
            let names: Vec<&str> = symbols.iter().map(|symbol| symbol.name.as_str()).collect();
            let names = match names.is_empty() {
                true => "none".to_owned(),
                false => names.join(", "),
            };
            let message = format!("{option} {name}: no such dimension; the file has: {names}");
            Err(Failure::Usage(message))
        }
    }
}

fn no_plan(file: &str) -> Failure {
    Failure::Input(format!(
        "{file}: there is no plan in this file (give a CSV with an offset in every row, or a plan \
         JSON)"
    ))
}
