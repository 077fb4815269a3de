//! Undo, redo and taking everything back; a strategy that plans the rest.

use std::sync::Arc;

use planner::{PlanError, what_if};
use worker::{CaseId, Planned};

use crate::hand::REMEMBERED;
use crate::model::case::Version;
use crate::model::column::Column;
use crate::model::event::Keep;
use crate::model::hand::Finish;
use crate::model::notice::{Message, Notice};
use crate::model::state::State;

impl State {
    /// Keeps a column's plan as it is now, because it is about to change.
    pub(super) fn remember(&mut self, id: CaseId, column: Column) {
        let Some(case) = self.case_mut(id) else {
            return;
        };
        let version = case.version(column);
        let finishing = *case.hand.finishing;
        let meanwhile = finishing.is_some_and(|(finished, _)| finished == column);
        if meanwhile {
            case.hand.finishing.set(None);
        }
        case.hand.future.retain(|version| version.column != column);
        let past = &mut case.hand.past;
        past.push(version);
        let surplus = past.len().saturating_sub(REMEMBERED);
        past.drain(..surplus);
        if meanwhile {
            self.say(Message::ChangedMeanwhile);
        }
    }

    /// Takes all changes of a plan back.
    pub(crate) fn restore(&mut self, id: CaseId, column: Column) {
        let Some(case) = self.case_mut(id) else {
            return;
        };
        let Some(edit) = case.hand.edits.remove(&column) else {
            return;
        };
        case.hand.moving.put(None);
        case.show(column, Arc::clone(&edit.original));
        self.drop_outcome(id, column);
        if let Some(case) = self.case_mut(id)
            && *case.runs.shown == Some((column, true))
        {
            case.runs.shown.set(Some((column, false)));
        }
    }

    /// Goes one change of the plan that the buttons are about back, or forth again.
    pub(super) fn travel(&mut self, id: CaseId, back: bool) {
        let Some(case) = self.case_mut(id) else {
            return;
        };
        let target = case.target();
        let versions = if back {
            &mut case.hand.past
        } else {
            &mut case.hand.future
        };
        let own = |version: &Version| Some(version.column) == target;
        let Some(latest) = versions.iter().rposition(own) else {
            if self.travel_text(id, back) {
                return;
            }
            return self.say(if back {
                Message::NothingToUndo
            } else {
                Message::NothingToRedo
            });
        };
        let version = versions.remove(latest);
        let column = version.column;
        let now = case.version(column);
        let others = if back {
            &mut case.hand.future
        } else {
            &mut case.hand.past
        };
        others.push(now);
        case.hand.pins.insert(column, version.pins);
        case.hand.moving.put(None);
        match (version.planned, case.original(column)) {
            (Some(planned), Some(original)) => {
                case.change(column, original, planned, true);
                self.drop_outcome(id, column);
            }
            _ => self.restore(id, column),
        }
    }

    /// Asks a strategy to plan what is not kept. The strategy that plans now waits for it, and begins
    /// anew.
    pub(super) fn finish(&mut self, id: CaseId, column: Column, keep: Keep) {
        let Some(case) = self.case_mut(id) else {
            return;
        };
        let Some(now) = case.planned(column).cloned() else {
            return;
        };
        let plan = &now.judged.plan;
        let kept = match keep {
            Keep::Pins => what_if::kept(plan, case.pinned(column)),
            Keep::AllBut(free) => {
                let all = 0..plan.offsets.len();
                what_if::kept(plan, all.filter(|buffer| *buffer != free))
            }
        };
        let number = case.hand.wishes.wrapping_add(1);
        case.hand.wishes = number;
        case.hand.finishing.set(Some((column, number)));
        case.queue.finish = Some(Finish {
            column,
            number,
            strategy: *case.hand.finisher,
            kept,
        });
        if matches!(
            self.at_work(id),
            Some(crate::model::worker_queue::QuestionKind::Planning(_))
        ) {
            self.cut();
        } else {
            self.hurry();
        }
    }

    /// A strategy has planned the rest of a column's plan, or could not. An answer that nothing
    /// waits for any longer is dropped.
    pub(crate) fn finished(
        &mut self,
        id: CaseId,
        wish: (Column, u32),
        planned: Result<Planned, PlanError>,
    ) {
        let Some(case) = self.case_mut(id) else {
            return;
        };
        if *case.hand.finishing != Some(wish) {
            return;
        }
        case.hand.finishing.set(None);
        let planned = match planned {
            Ok(planned) => planned,
            Err(error) => {
                self.page.notice.set(Some(Notice::NotFinished(error)));
                return;
            }
        };
        let column = wish.0;
        let both = case.original(column).zip(case.planned(column));
        let Some((original, now)) = both else { return };
        if planned.judged.plan.offsets == now.judged.plan.offsets {
            return self.say(Message::NothingMoved);
        }
        self.remember(id, column);
        let Some(case) = self.case_mut(id) else {
            return;
        };
        let planned = case.take_reasons(column, planned, false);
        case.change(column, original, planned, false);
        self.drop_outcome(id, column);
    }
}
