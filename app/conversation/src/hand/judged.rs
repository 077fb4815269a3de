//! Changes that the worker judges, and what becomes of its answer.

use std::sync::Arc;

use worker::{CaseId, Change, Planned, Unchanged};

use super::of_case::difference;
use super::{Laying, Then};
use crate::case::Edit;
use crate::column::Column;
use crate::given::Given;
use crate::notice::{Message, Why};
use crate::state::State;

impl State {
    pub(super) fn begin_spoil(&mut self, id: CaseId) {
        let Some(case) = self.case_mut(id) else {
            return;
        };
        let Some((column, original)) = case.target_original() else {
            return;
        };
        let seed = case.hand.spoils;
        case.hand.spoils = seed.wrapping_add(1);
        case.hand.laying = Some(Laying {
            base: Arc::clone(&original),
            then: Then::Confirm,
            ..Laying::new(column, original, Change::Spoil(seed))
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
        case.hand.laying = Some(Laying {
            base: Arc::clone(&original),
            file: Some(file.content),
            name: file.name,
            then: Then::Target,
            ..Laying::new(column, original, Change::Import)
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
            case.hand.laying = Some(Laying {
                base: now,
                remember: false,
                ..Laying::new(column, made, Change::Move(Vec::new()))
            });
            self.hurry();
        }
    }

    /// Has a change of a column's plan judged.
    pub(super) fn lay(&mut self, id: CaseId, column: Column, change: Change, remember: bool) {
        let Some(case) = self.case_mut(id) else {
            return;
        };
        let both = case.original(column).zip(case.planned(column).cloned());
        let Some((original, base)) = both else {
            return;
        };
        case.hand.laying = Some(Laying {
            base,
            remember,
            ..Laying::new(column, original, change)
        });
        self.hurry();
    }

    /// The worker has judged a change, or there is none.
    pub(crate) fn changed(&mut self, id: CaseId, changed: Result<Planned, Unchanged>) {
        let Some(laying) = self.case_mut(id).and_then(|case| case.hand.laying.take()) else {
            return;
        };
        let planned = match changed {
            Ok(planned) => planned,
            Err(Unchanged::NothingToSpoil) => return self.say(Message::NothingToSpoil),
            Err(Unchanged::Unreadable(error)) => {
                return self.misfit(laying.name, Why::Text(error.to_string()));
            }
            Err(Unchanged::Misses(buffer)) => return self.misfit(laying.name, Why::Misses(buffer)),
        };
        if laying.remember {
            self.remember(id, laying.column);
        }
        let planned = Planned {
            order: laying.original.order.clone(),
            ms: laying.original.ms,
            ..planned
        };
        let column = laying.column;
        let Some(case) = self.case_mut(id) else {
            return;
        };
        let planned = case.take_reasons(column, planned, false);
        case.change(column, laying.original, planned);
        self.drop_outcome(id, column);
        match laying.then {
            Then::Nothing => {}
            Then::Confirm => {
                self.select(id, None);
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
