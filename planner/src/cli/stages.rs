//! `arenascope stages`: the model after each of its passes, with what there is to allocate, to
//! copy and to plan then. Sizes are bytes.

use planner::bounds::aligned;
use planner::graph::Bindings;
use planner::load::Document;
use planner::passes::{Given, Report};
use planner::{
    Options, PassSet, Settings, Silent, Stage, Strategy, TooLarge, counted, judged, passes,
    prepare, stage_figures, stages,
};
use serde_json::json;

use super::args::{Output, StagesArgs};
use super::report::{columns_of, lines};
use super::{Failure, chosen, read, too_large, warn, warn_of_left_alone, warn_of_unused};

/// The passes that run where none are chosen.
const USUAL: &str = "fusion,views,concat,in_place=aggressive,order";

/// The report.
pub(super) fn report(args: &StagesArgs) -> Result<String, Failure> {
    let input = &args.input;
    let (name, _, document) = read(&input.files, &input.columns)?;
    let (bindings, mut settings) = chosen(input, &document, false)?;
    if document.graph().is_none() {
        let message = format!("{name}: there are no operators in this file (open a model)");
        return Err(Failure::Input(message));
    }
    if settings.passes == PassSet::NONE {
        settings.passes = passes::parse(USUAL).map_err(|it| Failure::Usage(it.to_string()))?;
    }
    let known = (&bindings, &Given::new());
    let too_large = |error| too_large(&name, &error);
    let mut found = stages(&document, known, &settings).map_err(too_large)?;
    let optional = |stage: &Stage| passes::is_optional(&stage.report.pass);
    if found.first().is_none_or(optional) {
        found.insert(
            0,
            as_written(&document, &bindings, &settings).map_err(too_large)?,
        );
    }
    let last = found.last().map(|stage| &stage.program);
    warn_of_unused(&name, last, &settings);
    warn_of_left_alone(&name, found.iter().map(|stage| &stage.report));
    let options = Options::aligned(settings.alignment);
    let mut rows = Vec::new();
    for (place, stage) in found.iter().enumerate() {
        // What is needed before anything can be planned is one stage, the model.
        if !optional(stage) && found.get(place + 1).is_some_and(|next| !optional(next)) {
            continue;
        }
        let arena = arena(stage, args.strategy, &options);
        if let Err(why) = &arena {
            warn(&format!("{name}: {}: {why}", stage.report.pass));
        }
        let (stage_name, changes) = match optional(stage) {
            true => (stage.report.pass.as_str(), stage.report.changes),
            false => ("model", 0),
        };
        let figures = stage_figures(stage, settings.alignment);
        rows.push(json!({
            "stage": stage_name,
            "allocations": figures.allocations,
            "copied": figures.copied.0,
            "naive": figures.naive.0,
            "peak": figures.peak.0,
            "bound": figures.bound.0,
            "arena": arena.ok(),
            "changes": changes,
        }));
    }
    Ok(match args.format {
        Output::Json => lines(&json!({"file": name, "stages": rows})),
        Output::Csv => columns_of(&COLUMNS, &rows, |cells| cells.join(",")),
        Output::Table => {
            let head = format!(
                "{name}: {}; {}, alignment {}; sizes in bytes\n",
                counted(rows.len(), "stage", "stages"),
                args.strategy.name(),
                settings.alignment.0,
            );
            let right = |cells: &[String]| -> String {
                cells.iter().map(|cell| format!("{cell:>14}")).collect()
            };
            let line = |cells: &[String]| format!("{:<10}{}", cells[0], right(&cells[1..]));
            let text = head + &columns_of(&COLUMNS, &rows, line);
            text + &findings(&found, args.changes)
        }
    })
}

/// A program that no pass is needed for, as it is.
fn as_written(
    document: &Document,
    bindings: &Bindings,
    settings: &Settings,
) -> Result<Stage, TooLarge> {
    let none = Settings {
        passes: PassSet::NONE,
        ..*settings
    };
    let subject = prepare(document, bindings, &none)?;
    Ok(Stage {
        program: subject.program.unwrap_or_default(),
        lifetimes: subject.lifetimes,
        report: Report::default(),
    })
}

/// The arena of a plan that the judge has passed; why there is none.
fn arena(stage: &Stage, strategy: Strategy, options: &Options) -> Result<u64, String> {
    let lifetimes = &stage.lifetimes;
    let bounds = aligned(lifetimes, options.alignment);
    let plan = judged(strategy, lifetimes, &bounds, options, &mut Silent);
    let plan = plan.map_err(|error| error.to_string())?;
    match plan.violations.first() {
        None => Ok(plan.metrics.arena.0),
        Some(broken) => Err(broken.named(lifetimes, &[])),
    }
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

/// Every rewrite and every refusal with its reason, where that is asked for.
fn findings(stages: &[Stage], wanted: bool) -> String {
    let mut text = String::new();
    for pair in stages.windows(2).filter(|_| wanted) {
        let (before, stage) = (&pair[0].program.graph, &pair[1]);
        for finding in &stage.report.found {
            let tensors = finding.tensors.iter().map(|id| &*before.tensor(*id).name);
            let tensors: Vec<&str> = tensors.collect();
            let ops = finding.ops.iter().map(|id| &*before.op(*id).name);
            let ops: Vec<&str> = ops.collect();
            let refused = match finding.refused {
                None => "made".to_owned(),
                Some(reason) => match reason.op() {
                    Some(op) => format!("refused: {reason} ({})", before.op(op).name),
                    None => format!("refused: {reason}"),
                },
            };
            let line = format!(
                "{}: {} [{}] {}: {refused}\n",
                stage.report.pass,
                finding.what,
                ops.join(", "),
                tensors.join(", "),
            );
            text.push_str(&line);
        }
    }
    text
}
