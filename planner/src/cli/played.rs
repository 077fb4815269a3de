//! `arenascope train` of a log of an eager runtime: what is played, and what is said of it.

use std::fs;
use std::path::Path;

use planner::training::dtr::decisions::decisions;
use planner::training::dtr::{self, Evictor, Log};
use planner::training::{Policy, eager};
use planner::{Bytes, message};
use serde_json::json;

use super::amount::in_bytes;
use super::args::Output;
use super::device::OnDevice;
use super::report::{columns_of, lines};
use super::train::{COLUMNS, TrainArgs, no_schedule, row, table_line};
use super::{Failure, placements};

/// What a played log needs in addresses.
fn played_and_placed(args: &TrainArgs, name: &str, log: &Log) -> Result<String, Failure> {
    let policy = args.one_policy()?;
    evictor(policy)?;
    let budget = args.device.map(OnDevice::memory).or(args.budget).map(Bytes);
    let (row, played) = eager::played(log, policy, args.limits(budget, log.base_cost()));
    let (Some(needs), Some(played)) = (row.needs, played) else {
        return Err(no_schedule(name, &row));
    };
    let lifetimes = dtr::residencies(log, &played);
    let needs = (policy, budget, needs.peak);
    Ok(placements::report(name, needs, &lifetimes, args.format))
}

/// Writes why a policy evicted what it did; the text, if it is to be printed.
pub(super) fn decide(
    args: &TrainArgs,
    (name, out): (&str, &Path),
    log: &Log,
    budget: Option<Bytes>,
) -> Result<Option<String>, Failure> {
    let policy = args.one_policy()?;
    let limits = args.limits(budget, log.base_cost());
    let decided = decisions(log, evictor(policy)?, limits);
    let text = lines(&json!({
        "file": name,
        "policy": policy.name(),
        "budget": budget.map(|it| it.0),
        "seed": decided.seed,
        "left_out": decided.left_out,
        "decisions": decided.list,
    }));
    if out == Path::new("-") {
        return Ok(Some(text));
    }
    let failed = |error| Failure::Input(format!("{}: {error}", out.display()));
    fs::write(out, text).map_err(failed)?;
    Ok(None)
}

/// The eager runtime that a policy is.
fn evictor(policy: Policy) -> Result<Evictor, Failure> {
    policy.evictor().ok_or_else(|| {
        let message = format!("--policy {}: this is for those that evict", policy.name());
        Failure::Usage(message)
    })
}

/// A log of an eager runtime, played. Budgets are for all that is in memory.
pub(super) fn played(args: &TrainArgs, name: &str, log: &Log) -> Result<String, Failure> {
    if args.placements {
        return played_and_placed(args, name, log);
    }
    let budget = args.device.map(OnDevice::memory).or(args.budget);
    if let Some(out) = &args.decisions
        && let Some(text) = decide(args, (name, out), log, budget.map(Bytes))?
    {
        return Ok(text);
    }
    let mut rows = Vec::new();
    for policy in args.policies() {
        // "all" is all that can play a log.
        if args.policy.contains(&None) && policy.evictor().is_none() {
            continue;
        }
        evictor(policy)?;
        let limits = args.limits(budget.map(Bytes), log.base_cost());
        let (found, played) = eager::played(log, policy, limits);
        let well = played.filter(|_| found.needs.is_some());
        let mut row = row(&found);
        row["top"] = json!(well.as_ref().and_then(|it| it.top).map(|top| top.0));
        row["moved"] = json!(well.as_ref().map(|it| it.moved.0));
        rows.push(row);
    }
    let (fixed, minimum) = (log.constants().0, log.minimum().0);
    Ok(match args.format {
        Output::Json => lines(&json!({
            "file": name,
            "rule": null,
            "batch": null,
            "fixed": fixed,
            "minimum": minimum,
            "seed": args.sample,
            "skip_small": args.skip_small,
            "policies": rows,
        })),
        Output::Csv => columns_of(&COLUMNS, &rows, |cells| cells.join(",")),
        Output::Table => {
            let head = format!(
                "{name}: {}; always there: {}; no run needs less than {}{}\n",
                message!("call" | "calls", log.calls.len()),
                in_bytes(fixed),
                in_bytes(minimum),
                args.chosen(),
            );
            head + &columns_of(&COLUMNS, &rows, table_line)
        }
    })
}
