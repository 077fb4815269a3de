//! `arenascope overview`: what several cases take on one basis. Sizes are bytes.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use planner::basis::{Basis, Figure, basis};
use planner::load::{Part, documents};
use planner::{Bytes, Settings, prepare};
use serde_json::{Value, json};

use super::args::OverviewArgs;
use super::file::FileSource;
use super::told::Told;
use super::{Failure, Output, called, is_piped, opened_files, overview, read, too_large};

/// A column: what it is called, and its figure of a case.
type Column = (&'static str, fn(&Basis) -> Figure);

/// The columns, each with more in it than the one before.
const COLUMNS: [Column; 4] = [
    ("arenas", |it| it.arenas),
    ("temporary", |it| it.temporary),
    ("with_inputs_and_outputs", |it| it.handed),
    ("with_weights", |it| it.whole),
];

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
        rows.push((name, basis(&subject, &arenas.rows)));
    }
    let text = match args.format {
        Output::Table => table(&rows),
        Output::Csv => csv(&rows),
        Output::Json => {
            let rows: Value = rows.iter().map(|(name, row)| json_row(name, row)).collect();
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

fn table(rows: &[(String, Basis)]) -> String {
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
    for (name, row) in rows {
        let cells = COLUMNS.map(|(_, of)| match of(row) {
            Figure::Exact(bytes) => bytes.0.to_string(),
            Figure::AtLeast(bytes) => format!("≥ {}", bytes.0),
            Figure::Unsaid => "not said".to_owned(),
        });
        line(cells.each_ref().map(String::as_str), name);
    }
    text.push_str(
        "≥: no plan of it is known, or arguments are not told apart into inputs and weights\n",
    );
    text
}

fn csv(rows: &[(String, Basis)]) -> String {
    let mut text = String::from("case");
    for (column, _) in COLUMNS {
        let _ = write!(text, ",{column},{column}_is_bound");
    }
    for (name, row) in rows {
        let _ = write!(text, "\n\"{}\"", name.replace('"', "\"\""));
        for (_, of) in COLUMNS {
            let _ = match of(row) {
                Figure::Exact(bytes) => write!(text, ",{},false", bytes.0),
                Figure::AtLeast(bytes) => write!(text, ",{},true", bytes.0),
                Figure::Unsaid => write!(text, ",,"),
            };
        }
    }
    text.push('\n');
    text
}

fn json_row(name: &str, row: &Basis) -> Value {
    let mut json = json!({ "case": name });
    for (column, of) in COLUMNS {
        json[column] = match of(row) {
            Figure::Exact(bytes) => json!({ "bytes": bytes.0, "is_bound": false }),
            Figure::AtLeast(bytes) => json!({ "bytes": bytes.0, "is_bound": true }),
            Figure::Unsaid => Value::Null,
        };
    }
    json
}
