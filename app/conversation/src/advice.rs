//! What could be changed of the open plan, and what each change saves.

use std::sync::Arc;

use planner::advice::{Advice, Wish};
use worker::{CaseId, Request};

use crate::model::advice::Advised;
use crate::model::appearance::Tab;
use crate::model::case::Case;
use crate::model::column::Column;
use crate::model::event::AdviceAction;
use crate::model::state::State;
use crate::model::talk::Stage;
use crate::talk::Question;

impl State {
    pub(crate) fn advise(&mut self, id: CaseId, action: AdviceAction) {
        match action {
            AdviceAction::Wish(wish) => {
                let Some(case) = self.case_mut(id) else {
                    return;
                };
                case.advice.wish.put(wish);
                case.advice.advised.put(Advised::Unasked);
                self.end_advising(id, Advised::Unasked);
            }
            AdviceAction::Stop => self.end_advising(id, Advised::Stopped),
        }
    }

    /// Has that replayed which a link wants.
    pub(crate) fn wish_as_linked(&mut self, id: CaseId, wish: Wish) {
        if *self.case(id).advice.wish != wish {
            self.advise(id, AdviceAction::Wish(wish));
        }
    }

    /// What is at work for advice is not done.
    fn end_advising(&mut self, id: CaseId, then: Advised) {
        if self.at_work(id) == Some(&Stage::Advising) {
            self.cut();
        }
        if let Some(case) = self.case_mut(id) {
            case.queue.advise = false;
            case.advice.advised.put(then);
        }
    }

    /// Has advice found once its tab is open, and no longer once it is not.
    pub(crate) fn follow_advice(&mut self) {
        for (id, asks) in self.at_tab(Tab::ADVICE) {
            let Some(case) = self.case_mut(id) else {
                continue;
            };
            match (&*case.advice.advised, asks) {
                (Advised::Unasked, true) if case.prepared.is_some() => {
                    if case.has(Column::Deployed) {
                        case.queue.advise = true;
                        case.advice.advised.set(Advised::Working(0, 0));
                        // A search that is at work may take minutes.
                        self.put_search_off(id, Column::Deployed);
                    } else {
                        case.advice.advised.set(Advised::Nothing);
                    }
                }
                (Advised::Working(..), false) => self.end_advising(id, Advised::Unasked),
                _ => {}
            }
        }
    }

    pub(crate) fn advise_question(&mut self, case: CaseId) -> Option<Question> {
        if !std::mem::take(&mut self.case_mut(case)?.queue.advise) {
            return None;
        }
        let id = self.ask(case, Stage::Advising);
        let wish = *self.case(case).advice.wish;
        Some((Request::Advise { id, case, wish }, Vec::new()))
    }

    /// The worker has replayed so many of so many changes.
    pub(crate) fn advice_went_on(&mut self, id: CaseId, (done, total): (u64, u64)) {
        if let Some(case) = self.case_mut(id) {
            case.advice.advised.put(Advised::Working(done, total));
        }
    }

    pub(crate) fn advised(&mut self, id: CaseId, advice: Option<Advice>) {
        let advised = advice.map_or(Advised::Nothing, |it| Advised::There(Arc::new(it)));
        if let Some(case) = self.case_mut(id) {
            case.advice.advised.set(advised);
        }
    }
}

impl Case {
    /// What is replayed beside what follows from the file, or will be.
    pub(crate) fn wish(&self) -> Wish {
        match self.advice.wished == Wish::default() {
            true => *self.advice.wish,
            false => self.advice.wished,
        }
    }

    /// Advice about other lifetimes is none, and what was wished of it is what a link wants.
    pub(crate) fn forget_advice(&mut self) {
        self.queue.advise = false;
        self.advice
            .wish
            .put(std::mem::take(&mut self.advice.wished));
        self.advice.advised.put(Advised::Unasked);
    }

    /// Advice is not looked for any longer.
    pub(crate) fn stop_advising(&mut self) {
        self.queue.advise = false;
        if matches!(*self.advice.advised, Advised::Working(..)) {
            self.advice.advised.set(Advised::Stopped);
        }
    }
}
