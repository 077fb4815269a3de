//! `arenascope plan`: every strategy asked for, timed and judged.

use std::process::ExitCode;
use std::time::Instant;

use planner::pipeline::{Judged, judged};
use planner::strategies::{Silent, Strategy, UnknownStrategy};

use super::{Chosen, Failure, Output, PlanArgs, open, report, warn};

/// A judged plan and how long it took to make.
pub(super) struct Timed {
    pub(super) strategy: Strategy,
    pub(super) judged: Judged,
    /// Milliseconds of planning, judging included.
    pub(super) ms: f64,
}

/// The strategies that `text` names.
pub(super) fn strategies(text: &str) -> Result<Chosen, UnknownStrategy> {
    match text {
        "all" => Ok(Chosen(Strategy::ALL.to_vec())),
        name => name.parse().map(|strategy| Chosen(vec![strategy])),
    }
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
        warn(&format!("{}: {failure}", opened.name));
    }
    let text = report::plans(&opened, &plans, args.offsets, args.format);
    Ok((text, ExitCode::SUCCESS))
}

fn timed(strategy: Strategy, opened: &super::Opened) -> Result<Timed, String> {
    let start = Instant::now();
    let (lifetimes, options) = (&opened.subject.lifetimes, &opened.options);
    let judged = judged(strategy, lifetimes, &opened.bounds, options, &mut Silent);
    let judged = judged.map_err(|error| format!("{strategy} has no plan: {error}"))?;
    let ms = start.elapsed().as_secs_f64() * 1e3;
    if let Some(violation) = judged.violations.first() {
        let message = "made an invalid plan, which is our mistake: please report it";
        return Err(format!("{strategy} {message}: {violation}"));
    }
    Ok(Timed {
        strategy,
        judged,
        ms,
    })
}
