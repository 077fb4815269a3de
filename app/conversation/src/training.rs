//! The model as a training step: what policies come to, and the schedule that is planned.

use std::sync::Arc;

use planner::graph::Bindings;
use planner::training::stage::NoStep;
use planner::training::table::PolicyTable;
use planner::training::{Policy, choice};
use planner::{Bytes, Settings, Training};
use worker::{CaseId, Request};

use crate::appearance::Tab;
use crate::case::Case;
use crate::event::{PlanningAction, Setting};
use crate::state::State;
use crate::talk::{Question, Stage};
use crate::text::Edited;
use crate::tracked::Tracked;

/// The most samples of a step.
pub const MOST_SAMPLES: u64 = 1 << 20;

/// Something that a person did with training steps.
#[derive(Clone, Copy, Debug)]
pub enum TrainingAction {
    /// Chose how many samples a step has.
    Batch(u64),
    /// Slides over budgets: this one is chosen meanwhile.
    Budget(Option<Bytes>),
    /// Whatever is done but sliding writes the address.
    Rest,
    /// Chose the policy whose schedule is planned, or the model itself.
    Plan(Option<Policy>),
    /// Chose a policy under a budget.
    Open(Policy, Option<Bytes>),
    /// Does not want the table any longer.
    Stop,
    /// Asked for it anew.
    Again,
}

/// How far the table of policies is.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum TrainingFound {
    /// Nobody has asked for it.
    #[default]
    Unasked,
    /// At work: schedules done and in all; none before the first is begun.
    Working(u64, u64),
    /// There.
    There(Arc<PolicyTable>),
    /// There is no training step, for this reason.
    Nothing(NoStep),
    /// It was stopped.
    Stopped,
}

/// The training steps of a case.
#[derive(Debug)]
pub struct TrainingSteps {
    /// How far the table is.
    pub found: Tracked<TrainingFound>,
    /// How many samples a step has, and what its values may take at once.
    pub chosen: Tracked<(u64, Option<Bytes>)>,
    /// What the table was asked for with.
    asked_with: Option<TrainingOf>,
}

/// What the table follows from.
#[derive(Clone, Debug, PartialEq)]
struct TrainingOf {
    /// The edited text of the graph.
    text: Edited,
    bindings: Bindings,
    settings: Settings,
    chosen: (u64, Option<Bytes>),
}

impl Default for TrainingSteps {
    fn default() -> Self {
        Self {
            found: Tracked::default(),
            chosen: Tracked::new((1, None)),
            asked_with: None,
        }
    }
}

impl State {
    pub(crate) fn train(&mut self, id: CaseId, action: TrainingAction) {
        let (batch, budget) = *self.case(id).training.chosen;
        let planned = self.case(id).settings.training.map(choice::policy);
        match action {
            TrainingAction::Stop => self.end_training(id, TrainingFound::Stopped),
            TrainingAction::Again => self.end_training(id, TrainingFound::Unasked),
            TrainingAction::Rest => {}
            TrainingAction::Batch(batch) => {
                self.choose_step(id, planned, batch.clamp(1, MOST_SAMPLES), None);
            }
            TrainingAction::Budget(budget) => self.choose_step(id, planned, batch, budget),
            TrainingAction::Plan(policy) => self.choose_step(id, policy, batch, budget),
            TrainingAction::Open(policy, budget) => {
                self.choose_step(id, Some(policy), batch, budget);
            }
        }
    }

    /// Has the table made for other figures, and the policy's schedule planned.
    fn choose_step(
        &mut self,
        id: CaseId,
        policy: Option<Policy>,
        batch: u64,
        budget: Option<Bytes>,
    ) {
        if let Some(case) = self.case_mut(id) {
            case.training.chosen.put((batch, budget));
        }
        let training = policy.map(|policy| choice::of(policy, batch, budget));
        if training != self.case(id).settings.training {
            self.choose(id, PlanningAction::Set(Setting::Training(training)));
        }
    }

    /// What is at work for the table is not done.
    fn end_training(&mut self, id: CaseId, then: TrainingFound) {
        if self.at_work(id) == Some(&Stage::Training) {
            self.cut();
        }
        if let Some(case) = self.case_mut(id) {
            case.queue.training = false;
            case.training.found.put(then);
        }
    }

    /// Has the table made once its tab is open, and anew where something else is chosen.
    pub(crate) fn follow_training(&mut self) {
        for (id, asks) in self.at_tab(Tab::TRAINING) {
            let Some(case) = self.case_mut(id).filter(|case| case.prepared.is_some()) else {
                continue;
            };
            // A link, or a step back, says what is chosen.
            if let Some(Training { batch, budget, .. }) = case.settings.training {
                case.training.chosen.put((batch, budget));
            }
            let of = case.training_of();
            let outdated = case.training.asked_with.as_ref() != Some(&of);
            let working = matches!(*case.training.found, TrainingFound::Working(..));
            if working && !asks {
                self.end_training(id, TrainingFound::Unasked);
            }
            let Some(case) = self.case_mut(id).filter(|_| asks) else {
                continue;
            };
            if outdated || *case.training.found == TrainingFound::Unasked {
                case.queue.training = true;
                // A table that is there stays until the next one is.
                if !matches!(*case.training.found, TrainingFound::There(_)) {
                    case.training.found.put(TrainingFound::Working(0, 0));
                }
            }
        }
    }

    /// What is in view is planned before.
    pub(crate) fn training_question(&mut self, case: CaseId) -> Option<Question> {
        let it = self.case(case);
        let seen = it.queue.columns.front();
        if !it.queue.training || seen.is_some_and(|column| it.shown.contains(column)) {
            return None;
        }
        let of = it.training_of();
        let own = self.case_mut(case)?;
        own.queue.training = false;
        // Other budgets have the same range.
        let range = own.training.range_differs(&of);
        own.training.asked_with = Some(of.clone());
        let id = self.ask(case, Stage::Training);
        let request = Request::Training {
            id,
            case,
            bindings: of.bindings,
            settings: of.settings,
            batch: of.chosen.0,
            budget: of.chosen.1,
            range,
        };
        Some((request, Vec::new()))
    }

    /// The worker has made so many of so many schedules.
    pub(crate) fn training_went_on(&mut self, id: CaseId, (done, total): (u64, u64)) {
        let shown = |case: &&mut Case| !matches!(*case.training.found, TrainingFound::There(_));
        if let Some(case) = self.case_mut(id).filter(shown) {
            case.training.found.put(TrainingFound::Working(done, total));
        }
    }

    pub(crate) fn trained(&mut self, id: CaseId, table: Result<PolicyTable, NoStep>) {
        let Some(case) = self.case_mut(id) else {
            return;
        };
        let found = match table {
            Ok(mut table) => {
                if let (true, TrainingFound::There(old)) =
                    (table.points.is_empty(), &*case.training.found)
                {
                    table.points.clone_from(&old.points);
                }
                TrainingFound::There(Arc::new(table))
            }
            Err(why) => TrainingFound::Nothing(why),
        };
        case.training.found.put(found);
    }
}

impl TrainingSteps {
    /// Whether the range of budgets is to be found for `of`.
    fn range_differs(&self, of: &TrainingOf) -> bool {
        let there = matches!(*self.found, TrainingFound::There(_));
        let same = |old: &TrainingOf| {
            let chosen = (of.chosen.0, old.chosen.1);
            let old_batch = TrainingOf {
                chosen,
                ..of.clone()
            };
            *old == old_batch
        };
        !there || !self.asked_with.as_ref().is_some_and(same)
    }
}

impl Case {
    /// What the table follows from now.
    fn training_of(&self) -> TrainingOf {
        TrainingOf {
            text: self.text.planned.clone(),
            bindings: self.bindings.clone(),
            settings: Settings {
                training: None,
                ..self.settings.as_in_file()
            },
            chosen: *self.training.chosen,
        }
    }

    /// The table is not made any longer.
    pub(crate) fn stop_training(&mut self) {
        self.queue.training = false;
        if matches!(*self.training.found, TrainingFound::Working(..)) {
            self.training.found.put(TrainingFound::Unasked);
            self.training.asked_with = None;
        }
    }
}
