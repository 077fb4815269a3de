//! What could be changed of the open plan, and what each change saves.

use std::sync::Arc;

use planner::advice::{Advice, Wish};
use worker::{AdviceQuestion, CaseId, Packed, Topic};

use crate::asks::Background;
use crate::model::appearance::Tab;
use crate::model::ask::Answer;
use crate::model::case::Case;
use crate::model::column::Column;
use crate::model::event::AdviceAction;
use crate::model::state::State;
use crate::model::worker_queue::Envelope;

impl State {
    pub(crate) fn advise(&mut self, id: CaseId, action: AdviceAction) {
        match action {
            AdviceAction::Wish(wish) => {
                let Some(case) = self.case_mut(id) else {
                    return;
                };
                case.advice.wish.put(wish);
                case.advice.ask.found.put(Answer::Unasked);
                self.end_advising(id, Answer::Unasked);
            }
            AdviceAction::Stop => self.end_advising(id, Answer::Stopped),
        }
    }

    /// Asks to replay what a link wants.
    pub(crate) fn wish_as_linked(&mut self, id: CaseId, wish: Wish) {
        if *self.case(id).advice.wish != wish {
            self.advise(id, AdviceAction::Wish(wish));
        }
    }

    /// What is at work for advice is not done.
    fn end_advising(&mut self, id: CaseId, then: Answer<Advice>) {
        self.end_ask(id, Topic::Advice);
        if let Some(case) = self.case_mut(id) {
            case.advice.ask.found.put(then);
        }
    }

    /// Asks for advice once its tab is open, and no longer once it is not.
    fn follow_advice(&mut self) {
        for (id, asks) in self.at_tab(Tab::ADVICE) {
            let Some(case) = self.case_mut(id) else {
                continue;
            };
            match (&*case.advice.ask.found, asks) {
                (Answer::Unasked, true) if case.prepared.is_some() => {
                    if case.has(Column::Deployed) {
                        case.queue.asks.insert(Topic::Advice);
                        case.advice.ask.begin(*case.advice.wish);
                        // A search that is at work may take minutes.
                        self.put_search_off(id, Column::Deployed);
                    } else {
                        case.advice.ask.found.set(Answer::Nothing);
                    }
                }
                (Answer::Working(..), false) => self.end_advising(id, Answer::Unasked),
                _ => {}
            }
        }
    }
}

impl Background for AdviceQuestion {
    fn follow(state: &mut State) {
        state.follow_advice();
    }

    fn message(state: &mut State, case: CaseId) -> Option<Envelope> {
        let wish = *state.case(case).advice.wish;
        let question = Packed::new(&Self { wish })?;
        Some(state.ask_behind(case, question, Vec::new()))
    }

    fn on_progress(state: &mut State, case: CaseId, parts: (u64, u64)) {
        if let Some(case) = state.case_mut(case) {
            case.advice.ask.on_progress(parts);
        }
    }

    fn found(state: &mut State, case: CaseId, found: Packed<Option<Advice>>) -> Option<()> {
        let advice = found.open()?;
        let found = advice.map_or(Answer::Nothing, |it| Answer::There(Arc::new(it)));
        if let Some(case) = state.case_mut(case) {
            case.advice.ask.found.set(found);
        }
        Some(())
    }

    fn unanswered(state: &mut State, case: CaseId) {
        if let Some(case) = state.case_mut(case) {
            case.advice.ask.found.put(Answer::Stopped);
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
        self.queue.asks.remove(&Topic::Advice);
        self.advice
            .wish
            .put(std::mem::take(&mut self.advice.wished));
        self.advice.ask.found.put(Answer::Unasked);
    }

    /// Advice is not looked for any longer.
    pub(crate) fn stop_advising(&mut self) {
        self.queue.asks.remove(&Topic::Advice);
        if matches!(*self.advice.ask.found, Answer::Working(..)) {
            self.advice.ask.found.set(Answer::Stopped);
        }
    }
}
