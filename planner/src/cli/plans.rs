//! `arenascope plan`: every strategy asked for, timed and judged.

use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

use planner::pipeline::{Judged, judged};
use planner::strategies::{Silent, Strategy};
use serde::Deserialize;
use serde::de::value::{Error as NameError, StrDeserializer};

use super::{Chosen, Failure, Output, PlanArgs, one_line, open, report};

/// Every strategy, in the order in which they are listed everywhere.
const ALL: [Strategy; 11] = [
    Strategy::Naive,
    Strategy::Equality,
    Strategy::GreedyInOrder,
    Strategy::GreedyByBreadth,
    Strategy::GreedyBySize,
    Strategy::GreedyBest,
    Strategy::MinCostFlow,
    Strategy::OffsetsBySize,
    Strategy::OffsetsByBreadth,
    Strategy::OffsetsInOrder,
    Strategy::StripBestFit,
];

/// A judged plan and how long it took to make.
pub(super) struct Timed {
    pub(super) strategy: Strategy,
    pub(super) judged: Judged,
    /// Milliseconds of planning, judging included.
    pub(super) ms: f64,
}

/// The strategies that `text` names.
pub(super) fn strategies(text: &str) -> Result<Chosen, String> {
    if text == "all" {
        return Ok(Chosen(ALL.to_vec()));
    }
    let name = StrDeserializer::<NameError>::new(text);
    let strategy = Strategy::deserialize(name).map_err(|error| error.to_string())?;
    Ok(Chosen(vec![strategy]))
}

/// The name of a strategy, as typed and printed.
pub(super) fn name(strategy: Strategy) -> String {
    let name = serde_json::to_value(strategy).unwrap_or_default();
    name.as_str().unwrap_or_default().to_owned()
}

/// Plans and reports.
pub(super) fn plan(args: &PlanArgs) -> Result<(String, ExitCode), Failure> {
    let Chosen(strategies) = &args.strategy;
    if args.offsets && args.format != Output::Json && strategies.len() > 1 {
        let message = "--offsets prints one plan: choose one --strategy, or --format json";
        return Err(Failure::Usage(message.into()));
    }
    let opened = open(&args.input)?;
    let mut plans = Vec::new();
    let mut failures = Vec::new();
    for &strategy in strategies {
        match timed(strategy, &opened) {
            Ok(plan) => plans.push(plan),
            Err(error) => failures.push(error),
        }
    }
    if let (true, Some(failure)) = (plans.is_empty(), failures.first()) {
        return Err(Failure::Input(format!("{}: {failure}", opened.name)));
    }
    for failure in &failures {
        let line = one_line(&format!("warning: {}: {failure}", opened.name));
        let _ = writeln!(std::io::stderr().lock(), "{line}");
    }
    let text = report::plans(&opened, &plans, args.offsets, args.format);
    Ok((text, ExitCode::SUCCESS))
}

fn timed(strategy: Strategy, opened: &super::Opened) -> Result<Timed, String> {
    let start = Instant::now();
    let (lifetimes, options) = (&opened.subject.lifetimes, &opened.options);
    let judged = judged(strategy, lifetimes, &opened.bounds, options, &mut Silent);
    let judged = judged.map_err(|error| format!("{} has no plan: {error:?}", name(strategy)))?;
    let ms = start.elapsed().as_secs_f64() * 1e3;
    if let Some(violation) = judged.violations.first() {
        let message = "made an invalid plan, which is our mistake: please report it";
        return Err(format!("{} {message}: {violation:?}", name(strategy)));
    }
    Ok(Timed {
        strategy,
        judged,
        ms,
    })
}
