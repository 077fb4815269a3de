//! `arenascope overview`: what several cases take on one basis. Sizes are bytes.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use planner::basis::{Basis, Figure, basis};
use planner::deployed::Arena;
use planner::graph::Dialect;
use planner::load::{Document, Part, documents};
use planner::tail::Tail;
use planner::{Bytes, Io, Options, Settings, TFLM_ALIGNMENT, message, prepare};
use serde_json::{Value, json};

use super::amount::in_bytes;
use super::args::OverviewArgs;
use super::file::FileSource;
use super::told::Told;
use super::{Failure, Output, called, is_piped, one_line, overview, read, tail, too_large, warn};

/// A column: what it is called, and its figure of a case.
type Column = (&'static str, fn(&Basis) -> Figure);

/// The columns, each with more in it than the one before.
const COLUMNS: [Column; 4] = [
    ("arenas", |it| it.arenas),
    ("temporary", |it| it.temporary),
    ("with_inputs_and_outputs", |it| it.handed),
    ("with_weights", |it| it.whole),
];

/// A case of the table.
struct Case {
    name: String,
    /// What it takes, or why it could not be read.
    found: Result<Listed, String>,
}

/// What is listed of a case.
struct Listed {
    basis: Basis,
    /// What the file does not tell of what its runtime needs beside the plan; often nothing.
    untold: &'static str,
    /// What its own plan takes of TFLite Micro's arena, and what is kept beside it.
    given: Option<(Bytes, Tail)>,
    /// How many requests failed, and the bytes of the first one in the arena most worth a look.
    failed: Option<(usize, Bytes)>,
}

/// What a model's own plan takes of TFLite Micro's arena, and what is kept beside it; `None` where
/// it brings no plan, or one that breaks a rule.
fn given(files: &[PathBuf], name: &str, document: &Document) -> Option<(Bytes, Tail)> {
    let [path] = files else { return None };
    if is_piped(path) {
        return None;
    }
    let arena = own(document)?;
    let options = Options::aligned(TFLM_ALIGNMENT);
    let broken = !planner::check(&arena.lifetimes, &arena.plan, &options).is_empty();
    if broken {
        return None;
    }
    Some((arena.plan.arena, tail::of_file(path, name)?))
}

/// The plan that a TFLite model brings for TFLite Micro; `None` of everything else.
pub(super) fn own(document: &Document) -> Option<Arena> {
    let graph = document.graph()?;
    if graph.offline.is_empty() || graph.dialect != Dialect::Tflite {
        return None;
    }
    let settings = Settings {
        alignment: TFLM_ALIGNMENT,
        io: Io::Tflm,
        ..Settings::default()
    };
    let subject = prepare(document, &Default::default(), &settings).ok()?;
    Some(Arena {
        plan: subject.deployed?,
        lifetimes: subject.lifetimes,
        ..Arena::default()
    })
}

/// Lists the cases; exit code 1 where one of them could not be read.
pub(super) fn report(args: &OverviewArgs) -> Result<(String, ExitCode), Failure> {
    let mut rows = Vec::new();
    for files in cases(&args.files) {
        let found = match listed(&files, args) {
            Ok(listed) => Ok(listed),
            Err(Failure::Input(error)) => Err(error),
            Err(Failure::Figures(_, found)) => Err(found.sentence().to_string()),
            Err(usage) => return Err(usage),
        };
        let names: Vec<String> = files.iter().map(|it| called(it)).collect();
        let name = names.join(" + ");
        // Its row begins with the name.
        let start = format!("{name}: ");
        let found = found.map_err(|error| match error.strip_prefix(&start) {
            Some(error) => error.to_owned(),
            None => error,
        });
        rows.push(Case { name, found });
    }
    let failed = rows.iter().any(|row| row.found.is_err());
    let text = match args.format {
        Output::Table => table(&rows),
        Output::Csv => csv(&rows),
        Output::Json => {
            let rows: Value = rows.iter().map(json_row).collect();
            format!("{:#}\n", json!({ "cases": rows }))
        }
    };
    Ok((text, ExitCode::from(u8::from(failed))))
}

/// What the case of these files takes.
fn listed(files: &[PathBuf], args: &OverviewArgs) -> Result<Listed, Failure> {
    let told = args
        .range
        .map_or(Told::Columns(&[]), Told::RangeOfRecording);
    let (name, format, document) = read(files, told)?;
    let arenas = overview::choose(&name, &document, None)?;
    let settings = Settings {
        alignment: Bytes(1),
        io: args.io,
        arena: arenas.chosen,
        ..Settings::default()
    };
    let subject = prepare(&document, &Default::default(), &settings);
    let subject = subject.map_err(|error| too_large(&name, &error))?;
    Ok(Listed {
        basis: basis(&subject, &arenas.rows),
        untold: tail::untold(format),
        given: given(files, &name, &document),
        failed: failed(&document, arenas.chosen),
    })
}

/// How many requests failed in all arenas, and the bytes of the first in this one.
fn failed(document: &Document, chosen: u32) -> Option<(usize, Bytes)> {
    let deployed = document.deployed()?;
    let all = deployed.arenas.iter().map(|it| it.refused.len());
    let first = deployed.arena(chosen)?.refused.first()?;
    Some((all.sum(), first.asked))
}

/// The files of each case. What is there twice counts once; what cannot be opened is a case by
/// itself, of which its row says why, and so is standard input, which can be read only once.
fn cases(paths: &[PathBuf]) -> Vec<Vec<PathBuf>> {
    let (mut opened, mut alone) = (Vec::new(), Vec::new());
    let mut known: Vec<&PathBuf> = Vec::new();
    for path in paths {
        if known.contains(&path) {
            warn(&format!("{}: given twice, listed once", called(path)));
            continue;
        }
        known.push(path);
        if is_piped(path) {
            alone.push(vec![path.clone()]);
            continue;
        }
        match FileSource::open(path) {
            Ok(source) => opened.push((path, called(path), source)),
            Err(_) => alone.push(vec![path.clone()]),
        }
    }
    let parts = opened.iter().map(|(_, name, source)| Part { name, source });
    let parts: Vec<Part<'_>> = parts.collect();
    let of = |places: Vec<usize>| {
        let paths = places.iter().filter_map(|&it| opened.get(it));
        paths.map(|(path, ..)| (*path).clone()).collect()
    };
    documents(&parts).into_iter().map(of).chain(alone).collect()
}

fn table(rows: &[Case]) -> String {
    let mut text = String::new();
    let mut line = |cells: [&str; 4], name: &str| {
        let [arenas, temporary, handed, whole] = cells;
        let _ = writeln!(
            text,
            "{arenas:>15} {temporary:>15} {handed:>15} {whole:>15}  {name}"
        );
    };
    line(
        ["arenas as they", "temporary", "with inputs", "with weights"],
        "case",
    );
    line(["are", "", "and outputs", ""], "");
    for Case { name, found } in rows {
        let Ok(listed) = found else {
            line(["not read"; 4], name);
            continue;
        };
        let cells = COLUMNS.map(|(_, of)| match of(&listed.basis) {
            Figure::Exact(bytes) => bytes.0.to_string(),
            Figure::AtLeast(bytes) => format!("≥ {}", bytes.0),
            Figure::Unsaid => "not said".to_owned(),
        });
        line(cells.each_ref().map(String::as_str), name);
    }
    text.push_str(
        "≥: no plan of it is known, or arguments are not told apart into inputs and weights\n",
    );
    for Case { name, found } in rows {
        if let Ok(Listed {
            failed: Some((requests, asked)),
            ..
        }) = found
        {
            let requests = message!("request" | "requests", *requests);
            let _ = write!(
                text,
                "\n{name}: out of memory: {requests} failed, the first for {}\n",
                in_bytes(asked.0)
            );
        }
        let says = match found {
            Err(error) => format!("not read: {}\n", one_line(error)),
            Ok(listed) => match &listed.given {
                Some((head, beside)) => tail::of_heads(beside, &[("its own plan", *head)]),
                None => listed.untold.to_owned(),
            },
        };
        if !says.is_empty() {
            let _ = write!(text, "\n{name}: {says}");
        }
    }
    text
}

fn csv(rows: &[Case]) -> String {
    let mut text = String::from("case");
    for (column, _) in COLUMNS {
        let _ = write!(text, ",{column},{column}_is_bound");
    }
    text.push_str(",requests_failed,first_failed,error");
    let quoted = |text: &str| format!("\"{}\"", one_line(text).replace('"', "\"\""));
    for Case { name, found } in rows {
        let _ = write!(text, "\n{}", quoted(name));
        for (_, of) in COLUMNS {
            let _ = match found.as_ref().map_or(Figure::Unsaid, |it| of(&it.basis)) {
                Figure::Exact(bytes) => write!(text, ",{},false", bytes.0),
                Figure::AtLeast(bytes) => write!(text, ",{},true", bytes.0),
                Figure::Unsaid => write!(text, ",,"),
            };
        }
        let _ = match found.as_ref().ok().and_then(|it| it.failed) {
            Some((requests, first)) => write!(text, ",{requests},{}", first.0),
            None => write!(text, ",,"),
        };
        let error = found.as_ref().err();
        let _ = write!(text, ",{}", error.map_or_else(String::new, |it| quoted(it)));
    }
    text.push('\n');
    text
}

fn json_row(case: &Case) -> Value {
    let mut json = json!({ "case": case.name });
    let listed = match &case.found {
        Ok(listed) => listed,
        Err(error) => {
            json["error"] = json!(one_line(error));
            return json;
        }
    };
    for (column, of) in COLUMNS {
        json[column] = match of(&listed.basis) {
            Figure::Exact(bytes) => json!({ "bytes": bytes.0, "is_bound": false }),
            Figure::AtLeast(bytes) => json!({ "bytes": bytes.0, "is_bound": true }),
            Figure::Unsaid => Value::Null,
        };
    }
    if let Some((requests, first)) = listed.failed {
        json["failed"] = json!({ "requests": requests, "first": first.0 });
    }
    if let Some((head, beside)) = &listed.given {
        json["beside"] = tail::json(beside);
        json["with_tail"] = json!(beside.arena(*head));
    }
    json
}
