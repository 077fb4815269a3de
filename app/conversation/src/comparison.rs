//! Two dumps of one program, each a case of its own, and what differs between them.

use std::sync::Arc;

use planner::difference::Dumps;
use worker::{CaseId, ComparisonQuestion, Packed, Topic};

use crate::asks::Background;
use crate::model::ask::Answer;
use crate::model::case::Case;
use crate::model::column::Column;
use crate::model::comparison::Pair;
use crate::model::event::DifferenceAction;
use crate::model::opening::Where;
use crate::model::state::State;
use crate::model::worker_queue::Envelope;

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

    /// Asks about the two dumps once both are prepared, and again when the preparation of one
    /// changes.
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
            pair.found = Answer::Unasked;
            self.page.pair.set(Some(pair.clone()));
        }
        let wanted = pair.is_wanted();
        if let Some(case) = self.case_mut(pair.after) {
            match wanted {
                true => case.queue.asks.insert(Topic::Comparison),
                false => case.queue.asks.remove(&Topic::Comparison),
            };
        }
    }

    /// The dumps that were asked about were compared, unless others are by now.
    fn differed(&mut self, found: Answer<Dumps>) {
        let same = |pair: &Pair| pair.asked == Some(pair.of);
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
        let named = |name: &planner::Message| {
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

impl Background for ComparisonQuestion {
    /// Both dumps have to be prepared in the worker: the one that was is asked about when the
    /// other one is, too.
    fn message(state: &mut State, case: CaseId) -> Option<Envelope> {
        let pair = state.page.pair.clone().filter(Pair::is_wanted);
        let Some(pair) = pair else {
            state.end_ask(case, Topic::Comparison);
            return None;
        };
        let (before, after) = (pair.before, pair.after);
        let other = if case == before { after } else { before };
        if !state.case(other).queue.held {
            return state.open_again(other);
        }
        if state.case(other).queue.stale {
            return state.question_of(other);
        }
        let question = Packed::new(&Self { before, after })?;
        let asked = Some(pair.of);
        state.page.pair.set(Some(Pair { asked, ..pair }));
        Some(state.ask_behind(case, question, Vec::new()))
    }

    fn found(state: &mut State, _: CaseId, found: Packed<Option<Dumps>>) -> Option<()> {
        let dumps = found.open()?;
        let found = dumps.map_or(Answer::Nothing, |it| Answer::There(Arc::new(it)));
        state.differed(found);
        Some(())
    }

    fn unanswered(state: &mut State, _: CaseId) {
        state.differed(Answer::Nothing);
    }
}
