//! What PyTorch's users are told to do and what it saves, as `arenascope train --switches` prints
//! it.

use planner::training::switches::{Hint, Switch};
use serde_json::{Value, json};

use super::args::Output;
use super::report::{columns_of, lines};

/// The columns, by their names in JSON.
const COLUMNS: [&str; 7] = [
    "switch", "layers", "measure", "without", "with", "saves", "on",
];

pub(super) fn report(name: &str, batch: u64, switches: &[Switch], format: Output) -> String {
    let rows = switches.iter().map(|it| {
        let layers = match it.hint {
            Hint::Frozen(layers) => Some(layers),
            _ => None,
        };
        json!({
            "switch": it.hint.name(),
            "layers": layers,
            "measure": it.measure.name(),
            "without": it.without.0,
            "with": it.with.0,
            "saves": i128::from(it.without.0) - i128::from(it.with.0),
            "on": it.on,
        })
    });
    let rows: Vec<Value> = rows.collect();
    match format {
        Output::Json => lines(&json!({ "file": name, "batch": batch, "switches": rows })),
        Output::Csv => columns_of(&COLUMNS, &rows, |cells| cells.join(",")),
        Output::Table => {
            let head =
                format!("{name}: batch {batch}, autograd's rule; bytes with what is fixed\n");
            head + &columns_of(&COLUMNS, &rows, |cells| {
                let cells: Vec<&str> = cells.iter().map(|it| it.trim_matches('"')).collect();
                let layers = cells[1].replace("null", "");
                format!(
                    "{:<12} {layers:>6} {:<15}{:>20}{:>20}{:>20}  {}",
                    cells[0], cells[2], cells[3], cells[4], cells[5], cells[6]
                )
            })
        }
    }
}
