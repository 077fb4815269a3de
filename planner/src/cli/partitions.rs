//! What torch.compile's partitioner makes of each memory budget, as `arenascope train --partitions`
//! prints it.

use planner::training::policies::NoWalk;
use planner::training::policies::min_cut::partitions;
use planner::training::{Problem, cost};
use serde_json::{Value, json};

use super::Failure;
use super::args::Output;
use super::report::{columns_of, lines};
use super::train::table_line;

/// The columns, by their names in JSON.
const COLUMNS: [&str; 4] = ["budget", "kept", "peak", "overhead"];

/// A row for each budget: bytes that are kept by the partitioner's count, the most bytes of values at
/// once in the schedule, and what it computes over what computing everything once costs.
pub(super) fn report(format: Output, name: &str, problem: &Problem) -> Result<String, Failure> {
    let found = partitions(problem).map_err(|why| {
        let why = match why {
            NoWalk::NoJointGraph => "--partitions needs --rule compile",
            _ => "the joint graph cannot be cut",
        };
        Failure::Usage(why.to_owned())
    })?;
    let rows = found.iter().map(|it| {
        json!({
            "budget": f64::from(it.budget) / 100.0,
            "kept": it.kept.0,
            "peak": it.needs.peak.0,
            "overhead": cost::overhead(problem, it.needs.cost),
        })
    });
    let rows: Vec<Value> = rows.collect();
    Ok(match format {
        Output::Json => {
            lines(&json!({ "file": name, "fixed": problem.fixed.0, "partitions": rows }))
        }
        Output::Csv => columns_of(&COLUMNS, &rows, |cells| cells.join(",")),
        Output::Table => columns_of(&COLUMNS, &rows, table_line),
    })
}
