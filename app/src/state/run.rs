//! What the page knows of runs: what was chosen, what is going on, what was found.

use std::collections::BTreeMap;
use std::sync::Arc;

use executor::measure::report::{Finding, Phase, Progress, Report};
use leptos::prelude::*;
use planner::{Lifetimes, Offset, Residencies, Step};
use runner::{Adapter, Failure, MachineKind};
use timeline::overlay_run::RunMarks;
use timeline::scene::Rect;
use worker::Planned;

use super::column::Column;
use super::session::{Session, Tab, to_f64};
use crate::links::gpu::Missing;

/// A plan that was run: a column's, and whether it was edited before.
pub(crate) type Key = (Column, bool);

/// Whether there is a GPU to run on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Gpu {
    /// It was not asked for.
    #[default]
    Unasked,
    /// There is one; its name.
    There(String),
    /// There is none.
    Missing(Missing),
    /// A run was refused one; why.
    Refused(String),
}

/// What an input is fed with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Feeding {
    /// Seeded random elements.
    #[default]
    Seeded,
    /// A file of this name, as elements.
    File(String, Arc<Vec<u8>>),
    /// A file of this name does not fit; why.
    Misfit(String, String),
}

/// A run that is going on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Going {
    /// Which plan.
    pub(crate) key: Key,
    /// The machine that runs it.
    pub(crate) machine: MachineKind,
    /// The seed of its inputs.
    pub(crate) seed: u64,
    /// Inputs that a file feeds: position and name of the file.
    pub(crate) fed: Vec<(usize, String)>,
    /// Where it is, once it has begun.
    pub(crate) progress: Option<Progress>,
    /// What is run after it.
    pub(crate) rest: Vec<Key>,
}

/// For how many seconds a run has sent nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Quiet {
    /// Since the runner has last given any sign.
    pub(crate) mute: u32,
    /// Since the run has last gone on.
    pub(crate) still: u32,
}

impl Quiet {
    /// Another second has gone by. Seconds are counted rather than clocked: a page that sleeps
    /// counts none.
    pub(crate) fn after(self, answered: bool, went_on: bool) -> Self {
        let count = |seconds: u32, sign: bool| if sign { 0 } else { seconds.saturating_add(1) };
        Self {
            mute: count(self.mute, answered || went_on),
            still: count(self.still, went_on),
        }
    }
}

/// What became of a run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Outcome {
    /// The machine that ran it.
    pub(crate) machine: MachineKind,
    /// The seed of its inputs.
    pub(crate) seed: u64,
    /// Inputs that a file fed: position and name of the file.
    pub(crate) fed: Vec<(usize, String)>,
    /// The GPU, where one ran it.
    pub(crate) adapter: Option<Adapter>,
    /// What was found, or why nothing was.
    pub(crate) result: Result<Report, Trouble>,
}

/// Why there is no report.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Trouble {
    /// The runner says why.
    Failure(Failure),
    /// The runner died with these words.
    Died(String),
}

/// A plan that was changed by hand or spoiled.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Edit {
    /// The plan before.
    pub(crate) original: Arc<Planned>,
    /// The buffers that were moved, each once, with where they were.
    pub(crate) moved: BTreeMap<usize, Offset>,
}

/// A rectangle that is being dragged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moving {
    pub(crate) column: Column,
    pub(crate) buffer: usize,
    pub(crate) to: Offset,
}

/// The signals of runs.
#[derive(Clone, Copy)]
pub(crate) struct Runs {
    pub(crate) gpu: RwSignal<Gpu>,
    pub(crate) machine: RwSignal<MachineKind>,
    pub(crate) seed: RwSignal<u64>,
    /// Whether the outputs are compared with the CPU twins'.
    pub(crate) reference: RwSignal<bool>,
    /// By input of the graph.
    pub(crate) inputs: RwSignal<BTreeMap<usize, Feeding>>,
    /// The plan that the buttons are about; `None` leaves it to what is shown.
    pub(crate) target: RwSignal<Option<Column>>,
    pub(crate) going: RwSignal<Option<Going>>,
    pub(crate) quiet: RwSignal<Quiet>,
    pub(crate) outcomes: RwSignal<BTreeMap<Key, Arc<Outcome>>>,
    /// The outcome that is shown.
    pub(crate) shown: RwSignal<Option<Key>>,
    pub(crate) edits: RwSignal<BTreeMap<Column, Arc<Edit>>>,
    pub(crate) moving: RwSignal<Option<Moving>>,
    /// Whether dragging a rectangle moves it without Shift too.
    pub(crate) handy: RwSignal<bool>,
}

impl Runs {
    pub(crate) fn new() -> Self {
        Self {
            gpu: RwSignal::new(Gpu::default()),
            machine: RwSignal::new(MachineKind::default()),
            seed: RwSignal::new(1),
            reference: RwSignal::new(true),
            inputs: RwSignal::new(BTreeMap::new()),
            target: RwSignal::new(None),
            going: RwSignal::new(None),
            quiet: RwSignal::new(Quiet::default()),
            outcomes: RwSignal::new(BTreeMap::new()),
            shown: RwSignal::new(None),
            edits: RwSignal::new(BTreeMap::new()),
            moving: RwSignal::new(None),
            handy: RwSignal::new(false),
        }
    }

    /// The plan of a column as a run knows it.
    pub(crate) fn key(self, column: Column) -> Key {
        (column, self.edits.with(|edits| edits.contains_key(&column)))
    }

    /// The outcome that is shown.
    pub(crate) fn outcome(self) -> Option<(Key, Arc<Outcome>)> {
        let key = self.shown.get()?;
        let outcome = self.outcomes.with(|outcomes| outcomes.get(&key).cloned());
        Some((key, outcome?))
    }
}

impl Runs {
    /// The inputs that a file feeds: position and name of the file.
    pub(crate) fn fed(self) -> Vec<(usize, String)> {
        self.inputs.with(|inputs| {
            let file = |(&position, feeding): (&usize, &Feeding)| match feeding {
                Feeding::File(name, _) => Some((position, name.clone())),
                Feeding::Seeded | Feeding::Misfit(..) => None,
            };
            inputs.iter().filter_map(file).collect()
        })
    }
}

impl Session {
    /// The plan that the buttons are about: the chosen one, else the first that is shown,
    /// else the first that there is.
    pub(crate) fn target(self) -> Option<Column> {
        let chosen = self.runs.target.get();
        let shown = self.shown.get();
        self.plans.with(|plans| {
            let there = |column: &Column| plans.get(column).is_some_and(|p| p.planned().is_some());
            let all = chosen.into_iter().chain(shown).chain(plans.keys().copied());
            all.into_iter().find(there)
        })
    }

    /// Milliseconds per step of the run that is shown, where the GPU timed them.
    pub(crate) fn step_times(self) -> Option<Vec<f64>> {
        let (_, outcome) = self.runs.outcome()?;
        outcome.result.as_ref().ok()?.step_times.clone()
    }

    /// Whether a column's picture makes room, because another one is about to be run.
    pub(crate) fn is_aside(self, column: Column) -> bool {
        if self.tab.get() == Tab::Film {
            return !self.filmed().contains(&column);
        }
        if self.tab.get() != Tab::Run {
            return false;
        }
        let runs = self
            .runs
            .going
            .with(|going| going.as_ref().map(|going| going.key.0));
        let seen = |other: &Column| self.shown.with(|shown| shown.contains(other));
        let other = runs.filter(seen).or_else(|| self.target().filter(seen));
        other.is_some_and(|other| other != column)
    }

    /// What a column's picture shows of runs.
    pub(crate) fn run_marks(self, column: Column) -> RunMarks {
        let mut marks = RunMarks::default();
        self.runs.going.with(|going| {
            let going = going.as_ref().filter(|going| going.key.0 == column);
            if let Some(progress) = going.and_then(|going| going.progress) {
                self.mark_step(progress, &mut marks);
            }
        });
        if marks.playhead.is_none() {
            self.mark_fault(column, &mut marks);
        }
        self.mark_previews(column, &mut marks);
        marks.pinned = self.what_if.pinned(column).into_iter().collect();
        let outlook = self.outlook(column);
        marks.in_the_way = outlook.map(|it| it.in_the_way).unwrap_or_default();
        if let Some(bound) = self.lit_bound() {
            marks.witness = bound.witness.to_vec();
            marks.witness_step = Some(to_f64(bound.step.0));
        }
        marks
    }

    /// The step that runs, and the rectangles that it touches.
    fn mark_step(self, progress: Progress, marks: &mut RunMarks) {
        let wanted = matches!(progress.phase, Phase::Audit | Phase::Reference);
        self.prepared.with(|prepared| {
            let Some(subject) = prepared.as_ref().map(|prepared| &prepared.subject) else {
                return;
            };
            let steps = subject.scheduled();
            let step = progress.done as usize;
            if !wanted || progress.total as usize != steps || step >= steps {
                return;
            }
            marks.playhead = Some(to_f64(step as u64));
            let residencies = Residencies::of(&subject.lifetimes);
            (marks.read, marks.written) = subject.operands(&residencies, Step(step as u64));
        });
    }

    /// The overwritten buffer and the overwriting step of what the column's last run found.
    fn mark_fault(self, column: Column, marks: &mut RunMarks) {
        let key = self.runs.key(column);
        let outcome = self.runs.outcomes.with(|all| all.get(&key).cloned());
        let Some(Ok(report)) = outcome.as_ref().map(|outcome| &outcome.result) else {
            return;
        };
        let Some(finding) = main_finding(report) else {
            return;
        };
        let (victim, step, at) = match finding {
            Finding::Clobbered {
                victim,
                overwriter,
                at,
                ..
            } => (Some(*victim), *overwriter, *at),
            Finding::Outside { step, at, .. } | Finding::Unwritten { step, at, .. } => {
                (None, *step, *at)
            }
        };
        marks.victim = victim;
        marks.overwriter = Some(to_f64(step.0));
        marks.address = Some((to_f64(at.0), format!("{:#x}", at.0)));
    }

    /// Where moved rectangles were, and where the dragged one is held.
    fn mark_previews(self, column: Column, marks: &mut RunMarks) {
        let moving = self
            .runs
            .moving
            .get()
            .filter(|moving| moving.column == column);
        let moving = moving.map(|moving| (moving.buffer, moving.to));
        let edit = self.runs.edits.with(|edits| edits.get(&column).cloned());
        let moved = edit.iter().flat_map(|edit| &edit.moved);
        let moved = moved.map(|(&buffer, &was)| (buffer, was));
        let previews = self.with_lifetimes(|lifetimes| {
            let rect = |(buffer, at): (usize, Offset)| rect(lifetimes, buffer, at);
            moved.chain(moving).filter_map(rect).collect()
        });
        marks.previews = previews.unwrap_or_default();
    }
}

/// The finding that says most: that a buffer was overwritten.
pub(crate) fn main_finding(report: &Report) -> Option<&Finding> {
    let findings = &report.audit.as_ref().ok()?.findings;
    let clobbered = |finding: &&Finding| matches!(finding, Finding::Clobbered { .. });
    findings.iter().find(clobbered).or(findings.first())
}

fn rect(lifetimes: &Lifetimes, buffer: usize, at: Offset) -> Option<Rect> {
    let buffer = lifetimes.buffers.get(buffer)?;
    Some(Rect {
        x0: to_f64(buffer.span.start.0),
        x1: to_f64(buffer.span.end.0),
        y0: to_f64(at.0),
        y1: to_f64(at.0.saturating_add(buffer.size.0)),
    })
}
