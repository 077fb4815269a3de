//! What the page knows of runs: what was chosen, what is going on, what was found.

use std::sync::Arc;

use conversation::{Going, Key, Outcome};
use executor::verify::report::{Finding, Phase, Progress, Report};
use planner::{Lifetimes, Offset, Residencies, Step, Violation};
use timeline::overlay_run::RunMarks;
use timeline::scene::Rect;
use worker::CaseId;

use super::session::{Column, Runs, Session, Tab, to_f64};

impl Runs {
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

impl Session {
    /// The inputs that a file feeds: position and name of the file.
    pub(crate) fn fed(self) -> Vec<(usize, String)> {
        self.runs.inputs.track();
        self.case(conversation::Case::fed)
    }

    /// Milliseconds per step of the run that is shown, where they were measured.
    pub(crate) fn step_times(self) -> Option<Vec<f64>> {
        let (_, outcome) = self.runs.outcome()?;
        let times = outcome.result.as_ref().ok()?.step_times.as_ref()?;
        Some(times.milliseconds.clone())
    }

    /// Whether a column's picture makes room, because another one is about to be run.
    pub(crate) fn is_aside(self, column: Column) -> bool {
        if self.tab.get() == Tab::FILM {
            return !self.filmed().contains(&column);
        }
        if self.tab.get() != Tab::RUN {
            return false;
        }
        let runs = self
            .runs
            .going
            .with(|going| own_run(going.as_ref(), self.id()).map(|going| going.key.0));
        let seen = |other: &Column| self.shown.with(|shown| shown.contains(other));
        let other = runs.filter(seen).or_else(|| self.target().filter(seen));
        other.is_some_and(|other| other != column)
    }

    /// What a column's picture shows of runs.
    pub(crate) fn run_marks(self, column: Column) -> RunMarks {
        let mut marks = RunMarks::default();
        self.runs.going.with(|going| {
            let going = own_run(going.as_ref(), self.id());
            let going = going.filter(|going| going.key.0 == column);
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
            marks.witness_step = bound.step.map(|step| to_f64(step.0));
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

    /// Where moved rectangles were, the one that is held, and what lies over each other.
    fn mark_previews(self, column: Column, marks: &mut RunMarks) {
        let moving = self.runs.moving.get();
        let moving = moving.filter(|moving| moving.column == column);
        let edit = self.runs.edits.with(|edits| edits.get(&column).cloned());
        // In a lesson that would be the answer: where a planner had put what is to be moved.
        let edit = edit.filter(|_| !self.is_taught());
        let moved = edit.iter().flat_map(|edit| &edit.moved);
        let moved: Vec<_> = moved.map(|(&buffer, &was)| (buffer, was)).collect();
        let planned = self.planned(column);
        let look = self.outlook(column);
        let marked = self.with_lifetimes(|lifetimes| {
            let at = |(buffer, at): (usize, Offset)| rect(lifetimes, buffer, at);
            marks.previews = moved.into_iter().filter_map(at).collect();
            let plan = planned.as_ref().map(|planned| &planned.judged);
            let lies = |buffer: usize| at((buffer, *plan?.plan.offsets.get(buffer)?));
            if let Some(moving) = moving {
                let held = at((moving.buffer, moving.to));
                marks.held = held.map(|rect| (moving.buffer, rect));
                let others = look.iter().flat_map(|look| &look.in_the_way);
                let both = others.filter_map(|other| shared(&held?, &lies(*other)?));
                marks.overlaps = both.collect();
                return;
            }
            let violations = plan.iter().flat_map(|judged| &judged.violations);
            let pairs = violations.filter_map(overlapping).take(HATCHED);
            let both = pairs.filter_map(|(one, other)| shared(&lies(one)?, &lies(other)?));
            marks.overlaps = both.collect();
        });
        marked.unwrap_or_default();
    }
}

/// So many overlaps of an invalid plan are hatched.
const HATCHED: usize = 100;

/// The two buffers that a judge's finding says lie over each other.
fn overlapping(violation: &Violation) -> Option<(usize, usize)> {
    match *violation {
        Violation::Overlap { first, second } | Violation::NeededTwice { first, second, .. } => {
            Some((first, second))
        }
        Violation::HandoverMissed { before, after, .. } => Some((before, after)),
        _ => None,
    }
}

/// What two rectangles have in common.
fn shared(one: &Rect, other: &Rect) -> Option<Rect> {
    let both = Rect {
        x0: one.x0.max(other.x0),
        x1: one.x1.min(other.x1),
        y0: one.y0.max(other.y0),
        y1: one.y1.min(other.y1),
    };
    (both.x0 < both.x1 && both.y0 < both.y1).then_some(both)
}

/// The run that is going on, if it is one of this case.
pub(crate) fn own_run(going: Option<&Going>, case: CaseId) -> Option<&Going> {
    going.filter(|going| going.case == case)
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
