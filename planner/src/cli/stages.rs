//! `arenascope stages`: the model after each of its passes, with what there is to allocate, to
//! copy and to plan then. Sizes are bytes.

use planner::passes::{self, Given};
use planner::stages::{Blocked, FoundByName, StageRow, Staged, listed};
use planner::{Options, PassSet, message, prepare};
use serde_json::{Value, json};

use super::args::{Output, StagesArgs};
use super::report::{columns_of, lines};
use super::{
    Failure, chosen, read, too_large, warn, warn_of_in_order, warn_of_left_alone, warn_of_unused,
};

/// The report.
pub(super) fn report(args: &StagesArgs) -> Result<String, Failure> {
    let input = &args.input;
    let (name, _, document) = read(&input.files, input.said.told())?;
    let (bindings, mut settings) = chosen(input, &document, false)?;
    let Some(graph) = document.graph() else {
        let message = format!("{name}: there are no operators in this file (open a model)");
        return Err(Failure::Input(message));
    };
    if settings.training.is_some() {
        let message = "stages are those of the model: leave --train out";
        return Err(Failure::Usage(message.to_owned()));
    }
    if settings.passes == PassSet::NONE {
        settings.passes = passes::usual(graph);
    }
    let known = (&bindings, &Given::new());
    let options = Options {
        largest_allocation: settings.largest_allocation,
        ..Options::aligned(settings.alignment)
    };
    let chosen = (&settings, &options);
    let staged = listed(&document, known, chosen, args.strategy, &mut |_, _| true);
    let Staged { rows, blocked, .. } = staged.map_err(|error| too_large(&name, &error))?;
    let subject = prepare(&document, &bindings, &settings).map_err(|it| too_large(&name, &it))?;
    warn_of_unused(&name, subject.program.as_ref(), &settings);
    warn_of_left_alone(&name, &subject.reports);
    for row in &rows {
        warn_of_in_order(&name, &row.in_order);
        if let Err(why) = &row.arena {
            warn(&format!("{name}: {}: {why}", row.name()));
        }
    }
    let values: Vec<Value> = rows.iter().map(json_of).collect();
    Ok(match args.format {
        Output::Json => lines(&json!({
            "file": name,
            "stages": values,
            "blocked": blocked.as_ref().map(|it| json!({
                "without": it.passes,
                "arena": it.arena.0,
            })),
        })),
        Output::Csv => columns_of(&COLUMNS, &values, |cells| cells.join(",")),
        Output::Table => {
            let head = format!(
                "{name}: {}; {}, alignment {}; sizes in bytes\n",
                message!("stage" | "stages", rows.len()),
                args.strategy.name(),
                settings.alignment.0,
            );
            let right = |cells: &[String]| -> String {
                cells.iter().map(|cell| format!("{cell:>14}")).collect()
            };
            let line = |cells: &[String]| format!("{:<10}{}", cells[0], right(&cells[1..]));
            let text = head + &columns_of(&COLUMNS, &values, line) + &better(blocked.as_ref());
            match args.changes {
                true => text + &rows.iter().flat_map(findings).collect::<String>(),
                false => text,
            }
        }
    })
}

/// That fewer passes end smaller.
fn better(blocked: Option<&Blocked>) -> String {
    blocked.map_or_else(String::new, |it| {
        let (names, arena) = (it.passes.join(", "), it.arena.0);
        format!("without {names} the arena is {arena}: what it makes blocks a later pass\n")
    })
}

fn json_of(row: &StageRow) -> Value {
    let figures = row.figures;
    json!({
        "stage": row.name(),
        "allocations": figures.allocations,
        "copied": figures.copied.0,
        "naive": figures.naive.0,
        "peak": figures.peak.0,
        "bound": figures.bound.0,
        "arena": row.arena.as_ref().ok().map(|arena| arena.0),
        "changes": row.changes,
    })
}

/// The columns, by their names in JSON.
const COLUMNS: [&str; 8] = [
    "stage",
    "allocations",
    "copied",
    "naive",
    "peak",
    "bound",
    "arena",
    "changes",
];

/// Every rewrite and every refusal with its reason.
fn findings(row: &StageRow) -> impl Iterator<Item = String> {
    row.found.iter().map(|finding| {
        let FoundByName {
            what,
            ops,
            tensors,
            refused,
        } = finding;
        let refused = match refused {
            None => "made".to_owned(),
            Some((reason, Some(op))) => format!("refused: {reason} ({op})"),
            Some((reason, None)) => format!("refused: {reason}"),
        };
        let (ops, tensors) = (ops.join(", "), tensors.join(", "));
        format!("{}: {what} [{ops}] {tensors}: {refused}\n", row.name())
    })
}
