//! Zeros of ReLUs: a run of the model counts them, and training steps that are packed take them.

use std::sync::Arc;

use executor::verify::report::Progress;
use executor::verify::zeros::Zeros;
use planner::training::{Gist, choice};
use planner::{PlanError, Recipe};
use runner::{Failure, MachineKind, Run};
use worker::{CaseId, Packed, Request, Untrained};

use crate::model::case::Trouble;
use crate::model::effect::Effect;
use crate::model::event::{PlanningAction, Setting};
use crate::model::state::State;
use crate::model::training_steps::{ChosenStep, Counting};

impl State {
    /// Asks the planner's worker for the model, which is run once it is there.
    pub(crate) fn count_zeros(&mut self, id: CaseId) {
        if !self.inputs_fit(id) {
            return;
        }
        self.cancel_run();
        if let Some(case) = self.case_mut(id) {
            case.training.counting.put(Counting::Begins);
        }
    }

    /// Zeros are not counted any longer; those that are there stay.
    pub(crate) fn end_counting(&mut self, id: CaseId) {
        if self.counting == Some(id) {
            self.counting = None;
            // The program is in the middle of something; another one starts with the next run.
            self.effects.push(Effect::EndRunner);
        }
        if let Some(case) = self.case_mut(id) {
            case.training.rest();
        }
    }

    /// The model is there: it runs on the CPU, where every element is at hand.
    pub(crate) fn run_for_zeros(&mut self, id: CaseId, model: Result<Box<Untrained>, PlanError>) {
        if !matches!(*self.case(id).training.counting, Counting::Begins) {
            return;
        }
        self.cancel_run();
        let model = match model {
            Ok(model) => *model,
            Err(why) => {
                self.counting = Some(id);
                return self.counted(Err(Trouble::Failure(Failure::Plan(why))));
            }
        };
        let case = self.case(id);
        let run = Run {
            inputs: case.feeds(&model.program.graph),
            program: model.program,
            bindings: case.bindings.clone(),
            lifetimes: model.lifetimes,
            plan: model.plan,
            settings: *case.settings,
            machine: MachineKind::Cpu,
            seed: *self.page.seed,
            corrupted: false,
            reference: false,
            naive: false,
            until: None,
        };
        let files = case.files();
        self.run = self.run.wrapping_add(1);
        self.counting = Some(id);
        let request = runner::Request::Zeros {
            id: self.run,
            run: Box::new(run),
        };
        self.effects
            .push(Effect::AskRunner(Box::new(request), files));
        if let Some(case) = self.case_mut(id) {
            case.training.counting.put(Counting::Runs(None));
        }
    }

    /// A run that counts zeros says how far it is.
    pub(crate) fn counts_on(&mut self, progress: Progress) {
        if let Some(case) = self.counting.and_then(|id| self.case_mut(id)) {
            case.training.counting.put(Counting::Runs(Some(progress)));
        }
    }

    /// Zeros are counted, and taken from now on; or there are none, and what was there stays.
    pub(crate) fn counted(&mut self, found: Result<Zeros, Trouble>) {
        let Some(id) = self.counting.take() else {
            return;
        };
        let Some(case) = self.case_mut(id) else {
            return;
        };
        let zeros = match found {
            Ok(zeros) => zeros,
            Err(why) => return case.training.counting.put(Counting::Failed(why)),
        };
        case.training.counting.put(Counting::Rests);
        // Packed where it is counted, so that telling it needs no more.
        case.queue.zeros = Packed::new(&zeros.shares);
        case.training.zeros.set(Some(Arc::new(zeros)));
        case.queue.zeros_told = false;
        let chosen = *case.training.chosen;
        let recipe = Recipe {
            gist: Gist {
                measured: true,
                ..chosen.recipe.gist
            },
            ..chosen.recipe
        };
        let planned = case.settings.training;
        let again = planned.filter(|it| it.recipe.gist.measured);
        let budget = chosen.budget.filter(|_| case.training.fills_device);
        let next = ChosenStep {
            recipe,
            budget,
            ..chosen
        };
        self.choose_step(id, planned.map(choice::policy), next);
        // What is planned was packed with other zeros, whether or not its words are the same.
        if again.is_some() && self.case(id).settings.training == planned {
            self.choose(id, PlanningAction::Set(Setting::Training(planned)));
        }
    }

    /// Tells the planner's worker the zeros that were counted, unless it has them.
    pub(crate) fn tell_zeros(&mut self, id: CaseId) {
        let Some(case) = self.case_mut(id).filter(|case| !case.queue.zeros_told) else {
            return;
        };
        case.queue.zeros_told = true;
        if let Some(shares) = case.queue.zeros.clone() {
            let request = Request::Zeros { case: id, shares };
            self.effects
                .push(Effect::Ask(Box::new(request), Vec::new()));
        }
    }
}
