//! The stages as a table lists them: figures, the arena of a judged plan, and what each pass found
//! by the names that people know.

use serde::{Deserialize, Serialize};

use super::blocked::{self, Blocked};
use super::{Stage, StageFigures, last, stage_figures, stages_watched};
use crate::Message;
use crate::bounds::aligned;
use crate::graph::{Bindings, Graph};
use crate::liveness::TooLarge;
use crate::load::Document;
use crate::passes::{self, Finding, Given, LeftAlone, OrderFound, Reason, Report};
use crate::pipeline::{judged, prepare};
use crate::plan::Options;
use crate::settings::{PassSet, Settings};
use crate::strategies::{Silent, Strategy};
use crate::units::{Bytes, Step};

/// The stages of a document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Staged {
    /// What plans the stages.
    pub strategy: Strategy,
    /// What is needed before anything can be planned as one stage, and one for each chosen pass.
    pub rows: Vec<StageRow>,
    /// Passes without which the model ends smaller, if there are any.
    pub blocked: Option<Blocked>,
}

/// One stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StageRow {
    /// The optional pass that it ends with, by its row in the [table](passes::ALL); `None` for
    /// the model before all of them.
    pub pass: Option<u8>,
    /// Its figures.
    pub figures: StageFigures,
    /// How many steps its schedule has.
    pub steps: Step,
    /// The arena of a plan that the judge has passed; why there is none.
    pub arena: Result<Bytes, Message>,
    /// How many rewrites there were.
    pub changes: u64,
    /// What the pass looked at one by one.
    pub found: Vec<FoundByName>,
    /// What an order was chosen for.
    pub order: Option<OrderFound>,
    /// Why the pass looked at nothing.
    pub left_alone: Option<LeftAlone>,
    /// The kinds of operators that keep their order, whatever is chosen, because what they do beside
    /// computing is not known; of the pass that orders.
    pub in_order: Vec<String>,
}

/// A [`Finding`] by the names of the graph before the pass.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FoundByName {
    /// See [`Finding::what`].
    pub what: Message,
    /// See [`Finding::ops`].
    pub ops: Vec<String>,
    /// See [`Finding::tensors`].
    pub tensors: Vec<String>,
    /// Why it was left as it is, and the operator that is in the way, if one is; `None` where it
    /// was rewritten.
    pub refused: Option<(Reason, Option<String>)>,
}

impl StageRow {
    /// The name of the stage: that of its pass, or `model`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        let pass = self.pass.and_then(|row| passes::ALL.get(usize::from(row)));
        pass.map_or("model", |pass| pass.name)
    }

    /// What [`Settings::until`] is for this stage.
    #[must_use]
    pub fn until(&self) -> u8 {
        let needed = passes::ALL.iter().take_while(|pass| !pass.optional);
        let last = || needed.count().saturating_sub(1);
        self.pass
            .unwrap_or_else(|| u8::try_from(last()).unwrap_or_default())
    }
}

/// The stages of `document`, each planned with `strategy`. `on_progress` is told how many of how
/// many are planned, 0 of 0 while the passes run, and says whether to go on; then the stages so far
/// are all.
///
/// # Errors
/// [`TooLarge`] when a size goes beyond what can be planned.
pub fn listed(
    document: &Document,
    known: (&Bindings, &Given),
    (settings, options): (&Settings, &Options),
    strategy: Strategy,
    on_progress: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<Staged, TooLarge> {
    let mut found = stages_watched(document, known, settings, &mut |_, _| on_progress(0, 0))?;
    let optional = |stage: &Stage| row_of(&stage.report).is_some();
    if document.graph().is_some() && found.first().is_none_or(optional) {
        found.insert(0, as_written(document, known.0, settings)?);
    }
    // What is needed before anything can be planned is one stage, the model.
    let first = found.iter().take_while(|stage| !optional(stage)).count();
    let mut staged = Staged {
        strategy,
        rows: Vec::new(),
        blocked: None,
    };
    let total = (found.len() + 1).saturating_sub(first) as u64;
    for place in first.saturating_sub(1)..found.len() {
        if !on_progress(staged.rows.len() as u64, total) {
            break;
        }
        let before = place.checked_sub(1).and_then(|it| found.get(it));
        let before = before.map(|stage| &stage.program.graph);
        staged
            .rows
            .push(row((&found[place], before), settings, options, strategy));
    }
    if staged.rows.len() as u64 == total {
        staged.blocked = blocked(document, known, (settings, options), &staged, on_progress)?;
    }
    Ok(staged)
}

/// Passes without which the last of the stages would be smaller.
fn blocked(
    document: &Document,
    known: (&Bindings, &Given),
    (settings, options): (&Settings, &Options),
    staged: &Staged,
    on_progress: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<Option<Blocked>, TooLarge> {
    let Some((bound, Ok(arena))) = staged
        .rows
        .last()
        .map(|row| (row.figures.bound, row.arena.as_ref()))
    else {
        return Ok(None);
    };
    let settings = Settings {
        until: None,
        ..*settings
    };
    let Some(fewer) = blocked::fewer(document, known, &settings, bound, on_progress)? else {
        return Ok(None);
    };
    let stage = last(document, known, &fewer, &mut |_, _| on_progress(0, 0))?;
    let own = stage.and_then(|stage| self::arena(&stage, staged.strategy, options).ok());
    Ok(own.filter(|own| own < arena).map(|arena| Blocked {
        passes: blocked::left_out(settings.passes, fewer.passes),
        arena,
    }))
}

fn row(
    (stage, before): (&Stage, Option<&Graph>),
    settings: &Settings,
    options: &Options,
    strategy: Strategy,
) -> StageRow {
    let report = &stage.report;
    let pass = row_of(report);
    let named = |found: &Finding| Some(by_name(found, before?));
    StageRow {
        pass,
        figures: stage_figures(stage, settings.alignment),
        steps: stage.lifetimes.horizon,
        arena: arena(stage, strategy, options),
        // Those of what is needed are not the model's.
        changes: pass.map_or(0, |_| report.changes),
        found: report.found.iter().filter_map(named).collect(),
        order: report.order,
        left_alone: report.left_alone,
        in_order: match report.pass.as_str() {
            passes::ORDER => passes::in_order(&stage.program.graph),
            _ => Vec::new(),
        },
    }
}

/// The row of the optional pass that `report` is of.
fn row_of(report: &Report) -> Option<u8> {
    let row = passes::optional().find(|(_, pass)| pass.name == report.pass);
    row.and_then(|(row, _)| u8::try_from(row).ok())
}

fn by_name(found: &Finding, graph: &Graph) -> FoundByName {
    let name = |op| graph.op(op).name.clone();
    FoundByName {
        what: found.what.clone(),
        ops: found.ops.iter().map(|op| name(*op)).collect(),
        tensors: found
            .tensors
            .iter()
            .map(|it| graph.tensor(*it).name.clone())
            .collect(),
        refused: found.refused.map(|it| (it, it.op().map(name))),
    }
}

/// A program that no pass is needed for, as it is.
fn as_written(
    document: &Document,
    bindings: &Bindings,
    settings: &Settings,
) -> Result<Stage, TooLarge> {
    let none = Settings {
        passes: PassSet::NONE,
        training: None,
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
fn arena(stage: &Stage, strategy: Strategy, options: &Options) -> Result<Bytes, Message> {
    let lifetimes = &stage.lifetimes;
    let bounds = aligned(lifetimes, options.alignment);
    let plan = judged(strategy, lifetimes, &bounds, options, &mut Silent);
    let plan = plan.map_err(|error| error.message())?;
    match plan.violations.first() {
        None => Ok(plan.metrics.arena),
        Some(broken) => Err(broken.named(lifetimes, &[])),
    }
}
