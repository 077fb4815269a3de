//! `arenascope passes`: the model after each of its passes, and what there would be to plan if
//! that were the last one. Sizes are bytes.

use planner::bounds::aligned;
use planner::passes::{self, Given};
use planner::{Bytes, Stage, message, prepare, stages};
use serde_json::{Value, json};

use super::args::{Input, Output};
use super::report::{columns_of, lines};
use super::{Failure, chosen, read, too_large, warn_of_in_order, warn_of_unused};

/// The report.
pub(super) fn report(input: &Input, format: Output) -> Result<String, Failure> {
    let (name, _, document) = read(&input.files, input.said.told())?;
    let (bindings, settings) = chosen(input, &document, false)?;
    if document.graph().is_none() {
        let message = format!("{name}: there are no operators in this file (open a model)");
        return Err(Failure::Input(message));
    }
    let subject = prepare(&document, &bindings, &settings);
    let subject = subject.map_err(|error| too_large(&name, &error))?;
    warn_of_unused(&name, subject.program.as_ref(), &settings);
    let found = stages(&document, (&bindings, &Given::new()), &settings);
    let found = found.map_err(|error| too_large(&name, &error))?;
    let ordered = found.iter().find(|it| it.report.pass == passes::ORDER);
    if let Some(stage) = ordered {
        warn_of_in_order(&name, &passes::in_order(&stage.program.graph));
    }
    let rows = found.iter().map(|stage| row(stage, settings.alignment));
    let rows: Vec<Value> = rows.collect();
    Ok(match format {
        Output::Json => lines(&json!({"file": name, "passes": rows})),
        Output::Csv => columns_of(&COLUMNS, &rows, |cells| cells.join(",")),
        Output::Table => {
            let count = message!("pass" | "passes", rows.len());
            let align = settings.alignment.0;
            let head =
                format!("{name}: {count} ran; naive and bound in bytes, alignment {align}\n");
            let line = |cells: &[String]| format!("{:<12}{}", cells[0], right(&cells[1..]));
            head + &columns_of(&COLUMNS, &rows, line)
        }
    })
}

/// The columns, by their names in JSON.
const COLUMNS: [&str; 7] = [
    "pass",
    "changes",
    "operators",
    "tensors",
    "buffers",
    "naive",
    "bound",
];

fn row(stage: &Stage, alignment: Bytes) -> Value {
    let graph = &stage.program.graph;
    let buffers = &stage.lifetimes.buffers;
    json!({
        "pass": stage.report.pass,
        "changes": stage.report.changes,
        "operators": graph.ops.len(),
        "tensors": graph.tensors.len(),
        "buffers": buffers.len(),
        "naive": buffers.iter().map(|buffer| buffer.size.0).sum::<u64>(),
        "bound": aligned(&stage.lifetimes, alignment).offsets.0,
    })
}

fn right(cells: &[String]) -> String {
    cells.iter().map(|cell| format!("{cell:>13}")).collect()
}
