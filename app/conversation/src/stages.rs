//! The model after each of its passes: the table of stages, and the one that is planned.

use std::sync::Arc;

use planner::stages::Staged;
use planner::{Lifetimes, Settings, Strategy, TooLarge};
use worker::{CaseId, Packed, StagesQuestion, Topic};

use crate::asks::Background;
use crate::model::appearance::Tab;
use crate::model::ask::Answer;
use crate::model::case::Case;
use crate::model::column::Column;
use crate::model::event::{PlanningAction, Setting, StagesAction};
use crate::model::notice::Notice;
use crate::model::opening::{OpenTarget, Where};
use crate::model::stages::StagesOf;
use crate::model::state::State;
use crate::model::worker_queue::Envelope;
use crate::opening::MOST_CASES;

impl State {
    pub(crate) fn stage(&mut self, id: CaseId, action: &StagesAction) {
        match action {
            StagesAction::Stop => self.end_staging(id, Answer::Stopped),
            StagesAction::Again => self.end_staging(id, Answer::Unasked),
            StagesAction::Slide(until) => {
                self.choose(id, PlanningAction::Set(Setting::Until(*until)));
            }
            // Whatever is done but sliding writes the address.
            StagesAction::Rest => {}
            StagesAction::Lead(tensor, until) => self.lead_to(id, tensor, *until),
            StagesAction::Beside(until) => self.put_beside(id, *until),
        }
    }

    /// Selects the buffer that holds a tensor, at the stage that has it.
    fn lead_to(&mut self, id: CaseId, tensor: &str, until: u8) {
        let here = self.case(id).lifetimes();
        if let Some(buffer) = here.and_then(|lifetimes| holder(lifetimes, tensor)) {
            self.select(id, Some(buffer));
            return;
        }
        if let Some(case) = self.case_mut(id) {
            case.select = Some(tensor.to_owned());
        }
        let setting = Setting::Until(Some(until));
        self.choose(id, PlanningAction::Set(setting));
    }

    /// The same document at another stage, beside.
    fn put_beside(&mut self, id: CaseId, until: u8) {
        let strategy = Column::Strategy(self.case(id).stages_of().strategy);
        let wanted = self.fragment_of(id).map(|it| crate::model::link::Fragment {
            stage: Some(until),
            shown: Some(vec![strategy]),
            ..it
        });
        let place = OpenTarget {
            at: Where::Beside,
            of: id,
        };
        let room = self.shown().count() < MOST_CASES;
        if let Some(wish) = self.like(id, place, wanted).filter(|_| room) {
            self.opening.next = Some(wish);
            self.hurry();
        }
    }

    /// What is at work for stages is not done.
    fn end_staging(&mut self, id: CaseId, then: Answer<Staged>) {
        self.end_ask(id, Topic::Stages);
        if let Some(case) = self.case_mut(id) {
            case.stages.found.put(then);
        }
    }

    /// Asks for the stages once their tab is open, and anew where something else is chosen.
    fn follow_stages(&mut self) {
        for (id, asks) in self.at_tab(Tab::STAGES) {
            let Some(case) = self.case_mut(id).filter(|case| case.prepared.is_some()) else {
                continue;
            };
            let of = case.stages_of();
            let outdated = case.stages.of.as_ref() != Some(&of);
            let working = case.stages.found.is_working();
            if working && (outdated || !asks) {
                self.end_staging(id, Answer::Unasked);
            }
            let Some(case) = self.case_mut(id).filter(|_| asks) else {
                continue;
            };
            if case.graph().is_none() {
                case.stages.found.put(Answer::Nothing);
            } else if outdated || *case.stages.found == Answer::Unasked {
                case.queue.asks.insert(Topic::Stages);
                case.stages.begin(of);
            }
        }
    }
}

impl Background for StagesQuestion {
    fn follow(state: &mut State) {
        state.follow_stages();
    }

    /// What is in view is planned before.
    fn message(state: &mut State, case: CaseId) -> Option<Envelope> {
        let it = state.case(case);
        let seen = it.queue.columns.front();
        if seen.is_some_and(|column| it.shown.contains(column)) {
            return None;
        }
        let of = it.stages_of();
        let question = Packed::new(&Self {
            bindings: of.bindings,
            settings: of.settings,
            strategy: of.strategy,
            pools: of.pools,
            effort: of.effort,
        })?;
        Some(state.ask_behind(case, question, Vec::new()))
    }

    fn on_progress(state: &mut State, case: CaseId, parts: (u64, u64)) {
        if let Some(case) = state.case_mut(case) {
            case.stages.on_progress(parts);
        }
    }

    fn found(
        state: &mut State,
        case: CaseId,
        found: Packed<Result<Staged, TooLarge>>,
    ) -> Option<()> {
        let found = match found.open()? {
            Ok(staged) => Answer::There(Arc::new(staged)),
            Err(error) => {
                state.page.notice.set(Some(Notice::TooLarge(error)));
                Answer::Stopped
            }
        };
        if let Some(case) = state.case_mut(case) {
            case.stages.found.set(found);
        }
        Some(())
    }

    fn unanswered(state: &mut State, case: CaseId) {
        if let Some(case) = state.case_mut(case) {
            case.stages.found.put(Answer::Stopped);
        }
    }
}

impl Case {
    /// What stages follow from now: they are planned with the first strategy in view that
    /// reuses memory.
    pub(crate) fn stages_of(&self) -> StagesOf {
        let mut shown = self.shown.iter().filter_map(|column| match column {
            Column::Strategy(strategy) => Some(*strategy),
            Column::Deployed => None,
        });
        let strategy = shown.find(|strategy| *strategy != Strategy::Naive);
        StagesOf {
            text: self.text.planned.clone(),
            bindings: self.bindings.clone(),
            settings: Settings {
                until: None,
                training: None,
                ..*self.settings
            },
            strategy: strategy.unwrap_or(Strategy::Best),
            pools: self.planning.pools.clone(),
            effort: *self.planning.effort,
        }
    }

    /// Stages are not looked for any longer.
    pub(crate) fn stop_staging(&mut self) {
        self.queue.asks.remove(&Topic::Stages);
        if self.stages.found.is_working() {
            self.stages.found.set(Answer::Unasked);
            self.stages.of = None;
        }
    }

    fn graph(&self) -> Option<&planner::graph::Graph> {
        self.prepared.as_ref()?.subject.graph()
    }
}

/// The buffer of this name, or that a tensor of this name lies in.
pub(crate) fn holder(lifetimes: &Lifetimes, tensor: &str) -> Option<usize> {
    let own = lifetimes.buffers.iter().position(|it| it.name == tensor);
    let view = || lifetimes.views.iter().find(|view| view.name == tensor);
    own.or_else(|| Some(view()?.buffer))
}
