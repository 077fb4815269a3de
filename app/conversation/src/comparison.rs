//! Two dumps of one program, each a case of its own, and what differs between them.

use std::sync::Arc;

use worker::{CaseId, Request};

use crate::model::case::Case;
use crate::model::column::Column;
use crate::model::comparison::{Found, Pair};
use crate::model::event::DifferenceAction;
use crate::model::opening::Where;
use crate::model::state::State;
use crate::model::talk::Stage;
use crate::talk::Question;

impl State {
    pub(crate) fn differ(&mut self, id: CaseId, action: DifferenceAction) {
        match action {
            DifferenceAction::Plans(from, to) => {
                self.unlight(id);
                if let Some(case) = self.case_mut(id) {
                    case.compared.set(Some((from, to)));
                }
                for column in [from, to] {
                    if !self.case(id).shown.contains(&column) {
                        self.show_column(id, column, true);
                    }
                }
            }
            DifferenceAction::AllMoved(all) => {
                if let Some(case) = self.case_mut(id) {
                    case.all_moved.put(all);
                }
            }
            DifferenceAction::Outlines => self.unlight(id),
            DifferenceAction::Dump(files) => self.open_files(id, files, Where::Other),
            DifferenceAction::Turn => {
                if let Some(pair) = self.page.pair.clone() {
                    self.page.pair.set(Some(Pair::new(pair.after, pair.before)));
                }
            }
            DifferenceAction::Close => {
                self.opening.other.clear();
                let pair = self.page.pair.clone();
                if let Some(pair) = pair {
                    self.close(pair.other(*self.active));
                }
            }
        }
    }

    /// Compares the case that was opened as the other dump with the one that was open: what was
    /// open is the dump after.
    pub(crate) fn pair(&mut self, other: CaseId, opened: CaseId) {
        self.page.pair.set(Some(Pair::new(other, opened)));
    }

    /// A case is gone: it is compared no longer.
    pub(crate) fn unpair(&mut self, case: CaseId) {
        if self.page.pair.as_ref().is_some_and(|pair| pair.has(case)) {
            self.page.pair.set(None);
        }
    }

    /// Has the worker asked about the two dumps once both are prepared, and again when one of
    /// them is prepared in another way.
    pub(crate) fn follow_pair(&mut self) {
        let Some(mut pair) = self.page.pair.clone() else {
            return;
        };
        let (before, after) = (self.case(pair.before), self.case(pair.after));
        let prepared = |case: &Case| case.prepared.is_some() && !case.queue.stale;
        if !prepared(before) || !prepared(after) {
            return;
        }
        let of = (before.prepared.changes(), after.prepared.changes());
        if pair.of != of {
            pair.of = of;
            pair.found = Found::Waiting;
            self.page.pair.set(Some(pair.clone()));
        }
        let wanted = pair.is_wanted();
        if let Some(case) = self.case_mut(pair.after) {
            case.queue.differ = wanted;
        }
    }

    /// Both dumps have to be prepared in the worker: the one that was is asked about when the
    /// other one is, too.
    pub(crate) fn differ_question(&mut self, case: CaseId) -> Option<Question> {
        let wanted = self.case(case).queue.differ;
        let pair = self
            .page
            .pair
            .clone()
            .filter(|pair| wanted && pair.is_wanted());
        let Some(pair) = pair else {
            self.case_mut(case)?.queue.differ = false;
            return None;
        };
        let (before, after) = (pair.before, pair.after);
        let other = if case == before { after } else { before };
        if !self.case(other).queue.held {
            return self.open_again(other);
        }
        if self.case(other).queue.stale {
            return self.question_of(other);
        }
        let id = self.ask(case, Stage::Differing(pair));
        self.case_mut(case)?.queue.differ = false;
        Some((Request::Differ { id, before, after }, Vec::new()))
    }

    pub(crate) fn differed(&mut self, asked: &Pair, found: Found) {
        let same = |pair: &Pair| {
            (pair.before, pair.after, pair.of) == (asked.before, asked.after, asked.of)
        };
        if let Some(pair) = self.page.pair.clone().filter(same) {
            self.page.pair.set(Some(Pair { found, ..pair }));
        }
    }

    /// Looks at the arena of the other dump that has the name of the one that is looked at now.
    pub(crate) fn follow_arena(&mut self, id: CaseId) {
        let Some(pair) = self.page.pair.clone().filter(|pair| pair.has(id)) else {
            return;
        };
        let other = pair.other(id);
        let arena = self.same_arena(id, other);
        let Some(case) = self.case_mut(other) else {
            return;
        };
        if case.settings.arena != arena {
            case.settings.arena = arena;
            self.replan(other);
        }
    }

    /// The arena of `other` that has the name of the one that is looked at in `id`, else the one
    /// with its number, else the first.
    fn same_arena(&self, id: CaseId, other: CaseId) -> u32 {
        let chosen = self.case(id).settings.arena;
        let facts = |case: &Case| case.file.as_ref().map(|file| Arc::clone(&file.opened));
        let (Some(own), Some(theirs)) = (facts(self.case(id)), facts(self.case(other))) else {
            return 0;
        };
        let name = own.arenas.get(chosen as usize).map(|arena| &arena.name);
        let named = |name: &String| {
            let mut all = theirs.arenas.iter();
            all.position(|arena| !name.is_empty() && arena.name == *name)
        };
        let index = name.and_then(named).unwrap_or(chosen as usize);
        let index = if index < theirs.arenas.len() {
            index
        } else {
            0
        };
        u32::try_from(index).unwrap_or(0)
    }

    /// Gives the other dump the arena of the open one, before it is prepared.
    pub(crate) fn choose_arena(&mut self, id: CaseId, other: CaseId) {
        let arena = self.same_arena(id, other);
        if let Some(case) = self.case_mut(other) {
            case.settings.arena = arena;
            if case.has(Column::Deployed) {
                case.shown.set(vec![Column::Deployed]);
            }
        }
    }
}
