//! Changes that the worker judges, and what becomes of its answer.

use std::sync::Arc;

use planner::{Offset, Violation};
use worker::{CaseId, Change, Planned, Unchanged};

use crate::hand::of_case::difference;
use crate::model::appearance::Window;
use crate::model::case::Edit;
use crate::model::column::Column;
use crate::model::given::Given;
use crate::model::hand::{PendingEdit, Then};
use crate::model::notice::{Message, Notice, Why};
use crate::model::state::State;

impl State {
    pub(super) fn begin_corruption(&mut self, id: CaseId, place: Option<(usize, Offset)>) {
        let Some(case) = self.case_mut(id) else {
            return;
        };
        let Some((column, original)) = case.target_original() else {
            return;
        };
        let change = match place {
            Some(place) => Change::Move(vec![place]),
            None => {
                let seed = case.hand.corruptions;
                case.hand.corruptions = seed.wrapping_add(1);
                Change::Corrupt(seed)
            }
        };
        case.hand.pending = Some(PendingEdit {
            base: Arc::clone(&original),
            then: Then::Confirm,
            ..PendingEdit::new(column, original, change)
        });
        self.hurry();
    }

    pub(super) fn begin_import(&mut self, id: CaseId, file: Given) {
        let Some(case) = self.case_mut(id) else {
            return;
        };
        let Some((column, original)) = case.target_original() else {
            self.misfit(file.name, Why::NoPlan);
            return;
        };
        case.hand.pending = Some(PendingEdit {
            base: Arc::clone(&original),
            file: Some(file.content),
            name: file.name,
            then: Then::Target,
            ..PendingEdit::new(column, original, Change::Import)
        });
        self.hurry();
    }

    /// A strategy has made another plan while one of its was changed or pinned by hand: that stays
    /// in view, as a change of the new one.
    pub(super) fn begin_rebase(&mut self, id: CaseId, column: Column, made: Arc<Planned>) {
        let Some(case) = self.case_mut(id) else {
            return;
        };
        let Some(now) = case.planned(column).cloned() else {
            case.show(column, made);
            return;
        };
        let moved = difference(&made, &now);
        if moved.is_empty() {
            case.hand.edits.remove(&column);
            case.show(column, made);
        } else if let Some(edit) = case.hand.edits.get_mut(&column) {
            let original = made;
            *edit = Arc::new(Edit { original, moved });
        } else {
            case.hand.pending = Some(PendingEdit {
                base: now,
                remember: false,
                ..PendingEdit::new(column, made, Change::Move(Vec::new()))
            });
            self.hurry();
        }
    }

    /// Asks the judge about a change of a column's plan.
    pub(super) fn lay(&mut self, id: CaseId, column: Column, change: Change, remember: bool) {
        let Some(case) = self.case_mut(id) else {
            return;
        };
        let both = case.original(column).zip(case.planned(column).cloned());
        let Some((original, base)) = both else {
            return;
        };
        case.hand.pending = Some(PendingEdit {
            base,
            remember,
            ..PendingEdit::new(column, original, change)
        });
        self.hurry();
    }

    /// Looks at the first overlap that the judge has found, with as much again around it.
    fn look_at_conflict(&mut self, id: CaseId, column: Column) {
        let case = self.case(id);
        let found = case.planned(column).and_then(|planned| {
            let pairs = planned.judged.violations.iter();
            let mut pairs = pairs.filter_map(|violation| match *violation {
                Violation::Overlap { first, second }
                | Violation::NeededTwice { first, second, .. } => Some([first, second]),
                _ => None,
            });
            Some((pairs.next()?, Arc::clone(planned)))
        });
        let both = found.and_then(|(pair, planned)| {
            let lifetimes = case.lifetimes()?;
            let areas = pair.map(|index| {
                let buffer = lifetimes.buffers.get(index)?;
                let at = planned.judged.plan.offsets.get(index)?.0;
                let end = at.saturating_add(buffer.size.0);
                Some(((buffer.span.start.0, buffer.span.end.0), (at, end)))
            });
            let [Some(first), Some(second)] = areas else {
                return None;
            };
            let joined = |a: (u64, u64), b: (u64, u64)| (a.0.min(b.0), a.1.max(b.1));
            Some((joined(first.0, second.0), joined(first.1, second.1)))
        });
        // A scale of its own is known only where pictures are drawn.
        if let Some((steps, bytes)) = both.filter(|_| !case.has_own_scales()) {
            let (x, y) = (around(steps), around(bytes));
            let across = |step: f64| case.clock().map_or(step, |clock| clock.at(step));
            let x = (across(x.0), across(x.1));
            self.look_at(id, Some(Window { x, y }));
        }
    }

    /// The worker has judged a change, or there is none.
    pub(crate) fn changed(&mut self, id: CaseId, changed: Result<Planned, Unchanged>) {
        let Some(pending) = self.case_mut(id).and_then(|case| case.hand.pending.take()) else {
            return;
        };
        let planned = match changed {
            Ok(planned) => planned,
            Err(Unchanged::NothingToCorrupt) => return self.say(Message::NothingToCorrupt),
            Err(Unchanged::Unreadable(error)) => {
                return self.misfit(pending.name, Why::Unreadable(error));
            }
            Err(Unchanged::Misses(buffer)) => {
                return self.misfit(pending.name, Why::Misses(buffer));
            }
        };
        // What was said of the file before is over.
        let of_file =
            |it: &Notice| matches!(it, Notice::Misfit(..) | Notice::Said(Message::SamePlan));
        if self.page.notice.as_ref().is_some_and(of_file) {
            self.page.notice.set(None);
        }
        if pending.remember {
            self.remember(id, pending.column);
        }
        let planned = Planned {
            order: pending.original.order.clone(),
            ms: pending.original.ms,
            ..planned
        };
        let column = pending.column;
        let Some(case) = self.case_mut(id) else {
            return;
        };
        let planned = case.take_reasons(column, planned, false);
        let from_file = pending.file.is_some();
        let is_other = case.change(column, pending.original, planned, from_file);
        self.drop_outcome(id, column);
        if from_file && !is_other {
            self.say(Message::SamePlan);
        }
        match pending.then {
            Then::Nothing => {}
            Then::Confirm => {
                self.select(id, None);
                self.look_at_conflict(id, column);
                self.confirm(id, column);
            }
            Then::Target => {
                if let Some(case) = self.case_mut(id) {
                    case.runs.target.put(Some(column));
                }
            }
        }
    }
}

/// A range with as much again around it.
#[expect(
    clippy::cast_precision_loss,
    reason = "positions on a screen need no more than 2^53"
)]
fn around((from, to): (u64, u64)) -> (f64, f64) {
    let half = (to.saturating_sub(from).max(1) as f64) / 2.0;
    (from as f64 - half, to as f64 + half)
}
