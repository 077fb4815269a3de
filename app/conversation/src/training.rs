//! The model as a training step: what policies come to, and the schedule that is planned.

use planner::training::devices::Device;
use planner::training::stage::NoStep;
use planner::training::{Policy, choice};
use planner::{Bytes, Recipe, Training};
use worker::{CaseId, Packed, Topic, TrainingAnswer, TrainingQuestion, TrainingWanted};

use crate::asks::Background;
use crate::model::appearance::Tab;
use crate::model::ask::Answer;
use crate::model::case::Case;
use crate::model::event::{PlanningAction, Setting};
use crate::model::state::State;
use crate::model::training::TrainingAction;
use crate::model::training_steps::{
    Anew, AskedFor, ChosenStep, Estimating, TrainingFound, TrainingSteps,
};
use crate::model::worker_queue::Envelope;

/// The most samples of a step.
pub const MOST_SAMPLES: u64 = 1 << 24;

impl State {
    pub(crate) fn train(&mut self, id: CaseId, action: TrainingAction) {
        let chosen = *self.case(id).training.chosen;
        // The budget of another step says nothing of this one, but a device stays as large.
        let fills = self.case(id).training.fills_device;
        let free = ChosenStep {
            budget: chosen.budget.filter(|_| fills),
            ..chosen
        };
        if matches!(action, TrainingAction::Budget(_) | TrainingAction::Open(..))
            && let Some(case) = self.case_mut(id)
        {
            case.training.fills_device = false;
        }
        self.slide(id, matches!(action, TrainingAction::Budget(Some(_))));
        let planned = self.case(id).settings.training.map(choice::policy);
        match action {
            TrainingAction::Stop => self.end_training(id, TrainingFound::Stopped),
            TrainingAction::Again => self.end_training(id, TrainingFound::Unasked),
            TrainingAction::Rest => {}
            TrainingAction::Explain(_)
            | TrainingAction::Iteration(_)
            | TrainingAction::Switches(_)
            | TrainingAction::Allocators(_)
            | TrainingAction::Bars(_)
            | TrainingAction::Fits(_)
            | TrainingAction::Requests(_) => {
                if let Some(case) = self.case_mut(id) {
                    case.training.look(action);
                }
            }
            TrainingAction::Eviction(at) => self.go_to_eviction(id, at),
            TrainingAction::Film(film) => self.film_evictions(id, film),
            TrainingAction::Estimate(wanted) => self.want_estimate(id, wanted),
            TrainingAction::Take(at) => self.take_case(id, at),
            TrainingAction::Ranks => self.put_ranks_beside(id),
            TrainingAction::Count(true) => self.count_zeros(id),
            TrainingAction::Count(false) => self.end_counting(id),
            TrainingAction::Device(device) => self.choose_device(id, device),
            TrainingAction::Batch(batch) => {
                let batch = batch.clamp(1, MOST_SAMPLES);
                self.choose_step(id, planned, ChosenStep { batch, ..free });
            }
            TrainingAction::Recipe(recipe) => {
                self.choose_step(id, planned, ChosenStep { recipe, ..free });
            }
            TrainingAction::Budget(budget) => {
                self.choose_step(id, planned, ChosenStep { budget, ..chosen });
            }
            TrainingAction::Plan(policy) => self.choose_step(id, policy, chosen),
            TrainingAction::Open(policy, budget) => {
                self.choose_step(id, Some(policy), ChosenStep { budget, ..chosen });
            }
            TrainingAction::Partition(share) => self.choose_partition(id, share, chosen),
        }
    }

    /// Wants an estimate made so, or none.
    fn want_estimate(&mut self, id: CaseId, wanted: Option<Estimating>) {
        let Some(case) = self.case_mut(id) else {
            return;
        };
        case.training.estimate.want(wanted.is_some());
        if let Some(estimating) = wanted {
            case.training.estimating.put(estimating);
        }
    }

    /// Takes a device, and of its memory what the step leaves as the budget.
    fn choose_device(&mut self, id: CaseId, device: Option<Device>) {
        let Some(case) = self.case_mut(id) else {
            return;
        };
        case.training.device.put(device);
        case.training.fills_device = device.is_some();
        case.training.batches.want(device.is_some());
        // What is swapped goes over its link.
        let recipe = case.training.chosen.recipe;
        let chosen = ChosenStep {
            recipe: Recipe {
                rates: device.map(Device::rates),
                ..recipe
            },
            ..*case.training.chosen
        };
        case.training.chosen.put(chosen);
        match device {
            Some(_) => self.fill_device(id),
            None => {
                let chosen = *case.training.chosen;
                let planned = case.settings.training.map(choice::policy);
                // Without a link nothing is swapped.
                let needs_link = |it: Policy| it.swaps() || it == Policy::Poet;
                let planned = planned.map(|it| if needs_link(it) { Policy::KeepAll } else { it });
                self.choose_step(
                    id,
                    planned,
                    ChosenStep {
                        budget: None,
                        ..chosen
                    },
                );
            }
        }
    }

    /// The budget is what the step leaves of the device's memory, unless another was chosen since.
    fn fill_device(&mut self, id: CaseId) {
        let training = &self.case(id).training;
        let (Some(device), TrainingFound::There(table)) = (*training.device, &*training.found)
        else {
            return;
        };
        // A log counts what is always there.
        let beside = if table.log { 0 } else { table.fixed.0 };
        let budget = Some(Bytes(device.memory.0.saturating_sub(beside)));
        let chosen = *training.chosen;
        if training.fills_device && chosen.budget != budget {
            let planned = self.case(id).settings.training.map(choice::policy);
            self.choose_step(id, planned, ChosenStep { budget, ..chosen });
        }
    }

    /// The budget slides, or rests: then what searches searches with all its effort.
    fn slide(&mut self, id: CaseId, slides: bool) {
        let planned = self.case(id).settings.training.is_some();
        let Some(case) = self.case_mut(id) else {
            return;
        };
        let slid = std::mem::replace(&mut case.training.slides, slides);
        if slid && !slides && planned {
            self.search_again(id, None);
        }
    }

    /// Asks for the table of another step, and plans the policy's schedule.
    pub(crate) fn choose_step(&mut self, id: CaseId, policy: Option<Policy>, chosen: ChosenStep) {
        if let Some(case) = self.case_mut(id) {
            case.training.chosen.put(chosen);
        }
        let ChosenStep {
            batch,
            budget,
            recipe,
        } = chosen;
        let training = policy.map(|policy| choice::of(policy, batch, budget, recipe));
        if training != self.case(id).settings.training {
            self.choose(id, PlanningAction::Set(Setting::Training(training)));
        }
    }

    /// Plans what torch.compile makes of a memory budget.
    fn choose_partition(&mut self, id: CaseId, share: u8, chosen: ChosenStep) {
        let ChosenStep { batch, recipe, .. } = chosen;
        if let Some(case) = self.case_mut(id) {
            case.training.chosen.put(ChosenStep {
                budget: None,
                ..chosen
            });
        }
        let training = Training {
            share: Some(share),
            ..choice::of(Policy::MinCut, batch, None, recipe)
        };
        self.choose(id, PlanningAction::Set(Setting::Training(Some(training))));
    }

    /// Plans a case that the advisor has found.
    fn take_case(&mut self, id: CaseId, at: usize) {
        let Answer::There(found) = &*self.case(id).training.fits.found else {
            return;
        };
        let Some(case) = found.as_ref().as_ref().ok().and_then(|it| it.cases.get(at)) else {
            return;
        };
        let (passes, training, by) = (case.passes, case.training, AskedFor::of(case.by));
        // Its budget is its own, and an estimate asks whom it has asked.
        if let Some(case) = self.case_mut(id) {
            case.training.fills_device = false;
            let estimating = Estimating {
                by,
                ..*case.training.estimating
            };
            case.training.estimating.put(estimating);
        }
        let own = self.case(id).settings.passes;
        if own.union(passes) != own {
            self.choose(id, PlanningAction::Set(Setting::Passes(own.union(passes))));
        }
        let Training {
            batch,
            budget,
            recipe,
            ..
        } = training;
        let chosen = ChosenStep {
            batch,
            budget,
            recipe,
        };
        self.choose_step(id, Some(choice::policy(training)), chosen);
    }

    /// What is at work for the table is not done; what is there of it stays.
    pub(crate) fn end_training(&mut self, id: CaseId, then: TrainingFound) {
        self.end_ask(id, Topic::Training);
        if let Some(case) = self.case_mut(id) {
            case.training.end();
            let stays = matches!(*case.training.found, TrainingFound::There(_));
            if !stays || then != TrainingFound::Stopped {
                case.training.found.put(then);
            }
        }
    }

    /// Asks for the table once its tab is open, and again when a choice changes.
    fn follow_training(&mut self) {
        for (id, asks) in self.at_tab(Tab::TRAINING) {
            let Some(case) = self.case_mut(id).filter(|case| case.prepared.is_some()) else {
                continue;
            };
            // A link, or a step back, says what is chosen.
            if let Some(step) = case.settings.training {
                case.training.chosen.put(ChosenStep {
                    batch: step.batch,
                    budget: step.budget,
                    recipe: step.recipe,
                });
            }
            let of = case.training_of();
            let outdated = case.training.asked_with.as_ref() != Some(&of);
            let working = *case.training.found == TrainingFound::Working;
            if asks && (outdated || *case.training.found == TrainingFound::Unasked) {
                case.training.begin(of.clone());
            }
            if asks {
                let planned = case.settings.training;
                case.training.follow_asides(&of, planned);
            }
            case.want_training(asks);
            if working && !asks {
                self.end_training(id, TrainingFound::Unasked);
            }
        }
    }
}

impl TrainingSteps {
    /// How far what is at work is, of those that take long.
    fn on_progress(&mut self, parts: (u64, u64)) {
        match self.wanted.front() {
            Some(TrainingWanted::Fits(_)) => self.fits.goes_on(parts),
            Some(TrainingWanted::Bars(..)) => self.bars.goes_on(parts),
            _ => {}
        }
    }

    /// What is looked at beside the table.
    fn look(&mut self, action: TrainingAction) {
        match action {
            TrainingAction::Explain(wanted) => self.evictions.want(wanted),
            TrainingAction::Iteration(at) => self.iteration.put(at),
            TrainingAction::Switches(wanted) => self.switches.want(wanted),
            TrainingAction::Allocators(wanted) => self.allocators.want(wanted),
            TrainingAction::Requests(wanted) => self.requests.want(wanted),
            TrainingAction::Fits(wanted) => {
                self.fits.want(wanted.is_some());
                if let Some(fitting) = wanted {
                    self.fitting.put(fitting);
                }
            }
            TrainingAction::Bars(axis) => {
                self.bars.want(axis.is_some());
                self.axis.put(axis.unwrap_or_default());
            }
            _ => {}
        }
    }
}

impl Background for TrainingQuestion {
    fn follow(state: &mut State) {
        state.follow_training();
    }

    /// What is in view is planned before, unless the budget slides: then figures come first, and
    /// the picture once it dwells.
    fn message(state: &mut State, case: CaseId) -> Option<Envelope> {
        let it = state.case(case);
        let seen = it.queue.columns.front();
        let waits = match (it.training.slides, it.training.anew) {
            (true, Anew::Nothing) => true,
            (true, _) => false,
            (false, _) => seen.is_some_and(|column| it.shown.contains(column)),
        };
        if waits {
            return None;
        }
        let of = it.training.asked_with.clone()?;
        let question = Packed::new(&Self {
            bindings: of.bindings,
            settings: of.settings,
            batch: of.chosen.batch,
            budget: of.chosen.budget,
            recipe: of.chosen.recipe,
            wanted: it.training.wanted.front()?.clone(),
        })?;
        let message = state.ask_behind(case, question, Vec::new());
        // The parts after it are wanted, too.
        if let Some(case) = state.case_mut(case) {
            case.training.asked = true;
            case.want_training(true);
        }
        Some(message)
    }

    fn on_progress(state: &mut State, case: CaseId, parts: (u64, u64)) {
        if let Some(case) = state.case_mut(case) {
            case.training.on_progress(parts);
        }
    }

    fn found(
        state: &mut State,
        case: CaseId,
        found: Packed<Result<TrainingAnswer, NoStep>>,
    ) -> Option<()> {
        let found = found.open()?;
        if let Some(it) = state.case_mut(case) {
            it.training.answered(found);
            it.want_training(true);
            let to_run = it.training.to_run.take();
            state.fill_device(case);
            if let Some(model) = to_run {
                state.run_for_zeros(case, model);
            }
        }
        Some(())
    }

    fn unanswered(state: &mut State, case: CaseId) {
        state.end_training(case, TrainingFound::Stopped);
    }
}

impl Case {
    /// Whether parts of the table are asked for, as long as any is wanted.
    fn want_training(&mut self, asks: bool) {
        match asks && !self.training.wanted.is_empty() {
            true => self.queue.asks.insert(Topic::Training),
            false => self.queue.asks.remove(&Topic::Training),
        };
    }
}
