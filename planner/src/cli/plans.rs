//! `arenascope plan`: the plan in the file and every strategy asked for, timed and judged.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use planner::{
    Constraint, Effort, Family, Judged, Silent, Strategy, UnknownStrategy, clash, judge, judged,
    message,
};

use super::{Chosen, Failure, Opened, Output, PlanArgs, no_plan, open, report, save, tail, warn};

/// What the plan in the file is called where strategies have their names.
const DEPLOYED: &str = "deployed";

/// A judged plan and how long it took to make.
pub(super) struct Timed {
    /// The strategy, or "deployed" for the plan in the file.
    pub(super) name: String,
    /// Where the strategy comes from; `None` for the plan in the file.
    pub(super) family: Option<Family>,
    /// What the problem allows and the strategy makes no use of.
    pub(super) unused: Vec<Constraint>,
    pub(super) judged: Judged,
    /// Milliseconds of planning, judging included; `None` for the plan in the file.
    pub(super) ms: Option<f64>,
}

/// What `text` asks for.
pub(super) fn chosen(text: &str) -> Result<Chosen, UnknownStrategy> {
    match text {
        "all" => Ok(Chosen::All),
        DEPLOYED => Ok(Chosen::Deployed),
        name => name.parse().map(Chosen::One),
    }
}

/// Plans and reports.
pub(super) fn plan(args: &PlanArgs) -> Result<(String, ExitCode), Failure> {
    let all = matches!(args.strategy, Chosen::All);
    if args.offsets && args.format != Output::Json && all {
        let message = "--offsets prints one plan: choose one --strategy, or --format json";
        return Err(Failure::Usage(message.into()));
    }
    let effort = Effort {
        nodes: args.nodes,
        moves: args.moves,
    };
    if args.save_tflite.is_some() && all {
        let message = "--save-tflite writes one plan: choose one --strategy";
        return Err(Failure::Usage(message.into()));
    }
    let opened = open(&args.input, effort, args.save_tflite.is_some())?;
    // Said once: no strategy has a plan then.
    if let (Some(clash), false) = (
        clash(&opened.subject.lifetimes),
        matches!(args.strategy, Chosen::Deployed),
    ) {
        return Err(Failure::Input(format!("{}: {clash}", opened.name)));
    }
    let strategies = match args.strategy {
        Chosen::All => Strategy::ALL.to_vec(),
        Chosen::Deployed => Vec::new(),
        Chosen::One(strategy) => vec![strategy],
    };
    let mut plans = Vec::new();
    if !matches!(args.strategy, Chosen::One(_)) {
        plans.extend(deployed(&opened));
    }
    let mut failures = Vec::new();
    for &strategy in &strategies {
        match timed(strategy, &opened) {
            Ok(plan) => plans.push(plan),
            Err(error) => failures.push(error),
        }
    }
    if plans.is_empty() {
        return Err(match failures.first() {
            Some(failure) => Failure::Input(format!("{}: {failure}", opened.name)),
            None => no_plan(&opened.name),
        });
    }
    for failure in &failures {
        warn(&format!("{}: {failure}", opened.name));
    }
    if let (Some(out), Some(plan)) = (&args.save_tflite, plans.first()) {
        // A model is one file: several that are none were refused above.
        let file = args
            .input
            .files
            .first()
            .map_or(Path::new(""), PathBuf::as_path);
        save::tflite(file, out, &opened, &plan.judged.plan)?;
    }
    let tail = tail::of(&args.input, &opened);
    let text = report::plans(&opened, &plans, tail.as_ref(), (args.offsets, args.format));
    Ok((text, ExitCode::SUCCESS))
}

/// The plan in the file, which is shown even if it breaks rules, but not without saying so.
pub(super) fn deployed(opened: &Opened) -> Option<Timed> {
    let plan = opened.subject.deployed.clone()?;
    let (lifetimes, options) = (&opened.subject.lifetimes, &opened.options);
    let judged = opened
        .subject
        .counted(judge(lifetimes, &opened.bounds, options, plan));
    if let Some(first) = judged.violations.first() {
        let count = judged.violations.len();
        let first = first.named(lifetimes, &options.pools);
        let found = message!("rule broken" | "rules broken", count);
        let message = format!("the plan in the file is not valid ({found}): {first}");
        warn(&format!("{}: {message}", opened.name));
    }
    Some(Timed {
        name: DEPLOYED.to_owned(),
        family: None,
        unused: Vec::new(),
        judged,
        ms: None,
    })
}

pub(super) fn timed(strategy: Strategy, opened: &Opened) -> Result<Timed, String> {
    let start = Instant::now();
    let (lifetimes, options) = (&opened.subject.lifetimes, &opened.options);
    let judged = judged(strategy, lifetimes, &opened.bounds, options, &mut Silent);
    let judged = judged.map_err(|error| format!("{strategy} has no plan: {error}"))?;
    let judged = opened.subject.counted(judged);
    let ms = start.elapsed().as_secs_f64() * 1e3;
    if let Some(violation) = judged.violations.first() {
        let message = "made an invalid plan, which is our mistake: please report it";
        let violation = violation.named(lifetimes, &options.pools);
        return Err(format!("{strategy} {message}: {violation}"));
    }
    Ok(Timed {
        name: strategy.to_string(),
        family: Some(strategy.description().family),
        unused: strategy.unused(lifetimes),
        judged,
        ms: Some(ms),
    })
}
