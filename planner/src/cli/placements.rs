//! What a schedule needs in addresses, as `arenascope train --placements` prints it.

use planner::training::Policy;
use planner::training::placements::{ALIGNMENT, placements};
use planner::{Bytes, Effort, Lifetimes, Silent, message};
use serde_json::{Value, json};

use super::amount::in_bytes;
use super::args::Output;
use super::report::{columns_of, lines};

/// The columns, by their names in JSON.
const COLUMNS: [&str; 4] = ["strategy", "bytes", "above_bound", "why"];

/// The bound and each strategy. `peak` is the sum of what is there at once at most.
pub(super) fn report(
    name: &str,
    (policy, budget, peak): (Policy, Option<Bytes>, Bytes),
    lifetimes: &Lifetimes,
    format: Output,
) -> String {
    let placed = placements(lifetimes, Effort::DEFAULT, &mut Silent);
    let row = |name: &str, bytes: Result<Bytes, String>| {
        let above = |bytes: Bytes| bytes.0 as f64 / placed.bound.0.max(1) as f64;
        json!({
            "strategy": name,
            "bytes": bytes.as_ref().ok().map(|it| it.0),
            "above_bound": bytes.as_ref().ok().map(|it| above(*it)),
            "why": bytes.err(),
        })
    };
    let rows = placed.rows.iter().map(|it| {
        let bytes = it.bytes.as_ref().map_err(ToString::to_string);
        row(it.strategy.name(), bytes.copied())
    });
    let rows: Vec<Value> = [row("bound", Ok(placed.bound))]
        .into_iter()
        .chain(rows)
        .collect();
    match format {
        Output::Json => lines(&json!({
            "file": name,
            "policy": policy.name(),
            "budget": budget.map(|it| it.0),
            "peak": peak.0,
            "residencies": placed.residencies,
            "alignment": ALIGNMENT.0,
            "placements": rows,
        })),
        Output::Csv => columns_of(&COLUMNS, &rows, |cells| cells.join(",")),
        Output::Table => {
            let head = format!(
                "{name}: {}; {}, {} at once; addresses are multiples of {}\n",
                policy.name(),
                message!("residency" | "residencies", placed.residencies),
                in_bytes(peak.0),
                ALIGNMENT.0,
            );
            head + &columns_of(&COLUMNS, &rows, |cells| {
                let why = cells.last().filter(|why| *why != "null");
                let line = format!("{:<20}{:>20}  {:<20}", cells[0], cells[1], cells[2]);
                (line + why.map_or("", String::as_str))
                    .trim_end()
                    .to_owned()
            })
        }
    }
}
