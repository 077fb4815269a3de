//! `arenascope overview`: what several cases take on one basis. Sizes are bytes.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use planner::basis::{Basis, Figure, basis};
use planner::graph::Dialect;
use planner::load::{Document, Part, documents};
use planner::tail::Tail;
use planner::{Bytes, Io, Options, Settings, TFLM_ALIGNMENT, prepare};
use serde_json::{Value, json};

use super::args::OverviewArgs;
use super::file::FileSource;
use super::told::Told;
use super::{Failure, Output, called, is_piped, opened_files, overview, read, tail, too_large};

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
    basis: Basis,
    /// What its own plan takes of TFLite Micro's arena, and what is kept beside it.
    given: Option<(Bytes, Tail)>,
}

/// What a model's own plan takes of TFLite Micro's arena, and what is kept beside it; `None` where
/// it brings no plan, or one that breaks a rule.
fn given(files: &[PathBuf], name: &str, document: &Document) -> Option<(Bytes, Tail)> {
    let [path] = files else { return None };
    let graph = document.graph()?;
    if graph.offline.is_empty() || graph.dialect != Dialect::Tflite || is_piped(path) {
        return None;
    }
    let settings = Settings {
        alignment: TFLM_ALIGNMENT,
        io: Io::Tflm,
        ..Settings::default()
    };
    let subject = prepare(document, &Default::default(), &settings).ok()?;
    let plan = subject.deployed.as_ref()?;
    let options = Options::aligned(settings.alignment);
    let broken = !planner::check(&subject.lifetimes, plan, &options).is_empty();
    if broken {
        return None;
    }
    Some((plan.arena, tail::of_file(path, name)?))
}

/// Lists the cases.
pub(super) fn report(args: &OverviewArgs) -> Result<(String, ExitCode), Failure> {
    let mut rows = Vec::new();
    for files in cases(&args.files)? {
        let told = args
            .range
            .map_or(Told::Columns(&[]), Told::RangeOfRecording);
        let (name, _, document) = read(&files, told)?;
        let arenas = overview::choose(&name, &document, None)?;
        let settings = Settings {
            alignment: Bytes(1),
            arena: arenas.chosen,
            ..Settings::default()
        };
        let subject = prepare(&document, &Default::default(), &settings);
        let subject = subject.map_err(|error| too_large(&name, &error))?;
        let given = given(&files, &name, &document);
        rows.push(Case {
            basis: basis(&subject, &arenas.rows),
            name,
            given,
        });
    }
    let text = match args.format {
        Output::Table => table(&rows),
        Output::Csv => csv(&rows),
        Output::Json => {
            let rows: Value = rows.iter().map(json_row).collect();
            format!("{:#}\n", json!({ "cases": rows }))
        }
    };
    Ok((text, ExitCode::SUCCESS))
}

/// The files of each case.
fn cases(paths: &[PathBuf]) -> Result<Vec<Vec<PathBuf>>, Failure> {
    // Standard input can be read only once: it is a case by itself.
    let (piped, paths): (Vec<PathBuf>, Vec<PathBuf>) =
        paths.iter().cloned().partition(|path| is_piped(path));
    let names: Vec<String> = paths.iter().map(|path| called(path)).collect();
    let sources: Vec<FileSource> = opened_files(&paths, &names)?;
    let parts = names.iter().zip(&sources);
    let parts: Vec<Part<'_>> = parts.map(|(name, source)| Part { name, source }).collect();
    let of = |places: Vec<usize>| {
        places
            .iter()
            .filter_map(|&it| paths.get(it).cloned())
            .collect()
    };
    let found = documents(&parts).into_iter().map(of);
    Ok(found
        .chain(piped.into_iter().map(|path| vec![path]))
        .collect())
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
    for Case { name, basis, .. } in rows {
        let cells = COLUMNS.map(|(_, of)| match of(basis) {
            Figure::Exact(bytes) => bytes.0.to_string(),
            Figure::AtLeast(bytes) => format!("≥ {}", bytes.0),
            Figure::Unsaid => "not said".to_owned(),
        });
        line(cells.each_ref().map(String::as_str), name);
    }
    text.push_str(
        "≥: no plan of it is known, or arguments are not told apart into inputs and weights\n",
    );
    for Case { name, given, .. } in rows {
        if let Some((head, beside)) = given {
            let says = tail::of_heads(beside, &[("its own plan", *head)]);
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
    for Case { name, basis, .. } in rows {
        let _ = write!(text, "\n\"{}\"", name.replace('"', "\"\""));
        for (_, of) in COLUMNS {
            let _ = match of(basis) {
                Figure::Exact(bytes) => write!(text, ",{},false", bytes.0),
                Figure::AtLeast(bytes) => write!(text, ",{},true", bytes.0),
                Figure::Unsaid => write!(text, ",,"),
            };
        }
    }
    text.push('\n');
    text
}

fn json_row(case: &Case) -> Value {
    let mut json = json!({ "case": case.name });
    for (column, of) in COLUMNS {
        json[column] = match of(&case.basis) {
            Figure::Exact(bytes) => json!({ "bytes": bytes.0, "is_bound": false }),
            Figure::AtLeast(bytes) => json!({ "bytes": bytes.0, "is_bound": true }),
            Figure::Unsaid => Value::Null,
        };
    }
    if let Some((head, beside)) = &case.given {
        json["beside"] = tail::json(beside);
        json["with_tail"] = json!(beside.arena(*head));
    }
    json
}
