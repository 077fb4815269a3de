//! What is asked for of the training steps of a case, and what becomes of the answers.

use std::sync::Arc;

use planner::training::advisor::Wanted;
use planner::training::stage::NoStep;
use planner::training::table::{At, PolicyTable, parts};
use planner::training::{Policy, choice};
use planner::{Effort, Recipe, Sharding, Training, passes};
use worker::{Topic, TrainingAnswer, TrainingWanted};

use crate::model::ask::{Answer, Ask};
use crate::model::case::Case;
use crate::model::training_steps::{
    Anew, ChosenStep, Counting, Estimating, Fitting, TrainingFound, TrainingOf, TrainingSteps,
};

impl<Of: PartialEq, T: PartialEq> Ask<Of, T> {
    /// A person wants to know it, or no longer.
    pub(crate) fn want(&mut self, wanted: bool) {
        self.of = None;
        self.found.put(match wanted {
            true => Answer::Working(0, 0),
            false => Answer::Unasked,
        });
    }

    /// Whether it has to be asked for: it is wanted, and not known of `of`.
    fn asks(&mut self, of: Of) -> bool {
        let asks = *self.found != Answer::Unasked && self.of.as_ref() != Some(&of);
        if asks {
            self.of = Some(of);
            self.found.put(Answer::Working(0, 0));
        }
        asks
    }

    fn arrived(&mut self, found: T) {
        if self.found.is_working() {
            self.found.put(Answer::There(Arc::new(found)));
        }
    }

    /// How far it is.
    pub(crate) fn goes_on(&mut self, (done, total): (u64, u64)) {
        if self.found.is_working() {
            self.found.set(Answer::Working(done, total));
        }
    }

    /// What is at work is not done.
    fn end(&mut self) {
        if self.found.is_working() {
            self.want(false);
        }
    }

    /// What is at work has to be asked for anew.
    fn ask_anew(&mut self) {
        if self.found.is_working() {
            self.of = None;
        }
    }
}

impl TrainingSteps {
    /// How long what searches may search: hardly at all while the budget slides, because a
    /// search would be cut off by the next one.
    pub(crate) fn effort(&self, chosen: Effort) -> Effort {
        const GLANCE: Effort = Effort { nodes: 1, moves: 1 };
        if self.slides { GLANCE } else { chosen }
    }

    /// Asks for the table of `of`. The old table stays until the first part of the new one is there.
    pub(crate) fn begin(&mut self, of: TrainingOf) {
        let same = |old: &TrainingOf| {
            let chosen = ChosenStep {
                budget: old.chosen.budget,
                ..of.chosen
            };
            let other = TrainingOf {
                chosen,
                ..of.clone()
            };
            *old == other
        };
        let there = matches!(*self.found, TrainingFound::There(_));
        // Other budgets have the same range, which may be under way.
        let range = !there || self.anew == Anew::All || !self.asked_with.as_ref().is_some_and(same);
        let in_range = |wanted: &TrainingWanted| matches!(wanted, TrainingWanted::Part(part) if part.at != At::Chosen);
        let left = self.wanted.drain(..).filter(in_range);
        let left: Vec<TrainingWanted> = left.filter(|_| !range).collect();
        let parts = parts(range).into_iter().map(TrainingWanted::Part);
        self.wanted.extend(parts.chain(left));
        self.asked_with = Some(of);
        self.asked = false;
        self.stopped.put(false);
        self.evictions.ask_anew();
        self.switches.ask_anew();
        self.batches.ask_anew();
        self.estimate.ask_anew();
        self.allocators.ask_anew();
        self.bars.ask_anew();
        self.requests.ask_anew();
        self.fits.ask_anew();
        self.anew = if range { Anew::All } else { Anew::Rows };
        self.parts.put((0, 0));
        self.count();
        if !there {
            self.found.put(TrainingFound::Working);
        }
    }

    /// A part is there.
    fn arrived(&mut self, part: Result<PolicyTable, NoStep>) {
        let asked = std::mem::take(&mut self.asked);
        // Of what was chosen before, rows are better than none while the budget is dragged.
        if !asked && self.anew != Anew::Rows {
            return;
        }
        let part = match part {
            Ok(part) => part,
            Err(why) => {
                self.wanted.clear();
                self.counting.put(Counting::Rests);
                self.count();
                self.found.put(TrainingFound::Nothing(why));
                return;
            }
        };
        let mut table = match (&*self.found, self.anew) {
            (TrainingFound::There(old), Anew::Nothing) => (**old).clone(),
            (TrainingFound::There(old), Anew::Rows) => PolicyTable {
                points: old.points.clone(),
                ..PolicyTable::default()
            },
            _ => PolicyTable::default(),
        };
        table.add(part);
        if asked {
            self.wanted.pop_front();
            self.anew = Anew::Nothing;
        }
        self.count();
        self.found.put(TrainingFound::There(Arc::new(table)));
    }

    /// Asks for what is shown beside the table and is missing, of this step and of the planned one.
    pub(crate) fn follow_asides(&mut self, of: &TrainingOf, planned: Option<Training>) {
        // Neither budget nor, of the largest, batch change what they are about.
        let step = TrainingOf {
            chosen: ChosenStep {
                budget: None,
                ..of.chosen
            },
            ..of.clone()
        };
        let model = TrainingOf {
            chosen: ChosenStep {
                batch: 1,
                ..step.chosen
            },
            ..step.clone()
        };
        if let Some(planned) = planned
            && self.evictions.asks((of.clone(), planned))
        {
            self.want_aside(TrainingWanted::Decisions(choice::policy(planned)));
        }
        let swaps = planned.filter(|it| choice::policy(*it).swaps());
        if swaps.is_some() != (*self.timetable.found != Answer::Unasked) {
            self.timetable.want(swaps.is_some());
        }
        if let Some(planned) = swaps
            && self.timetable.asks((of.clone(), planned))
        {
            self.want_aside(TrainingWanted::Timetable(choice::policy(planned)));
        }
        self.follow_estimate(of, planned);
        if matches!(*self.counting, Counting::Begins)
            && !self.wanted.contains(&TrainingWanted::Model)
        {
            self.want_aside(TrainingWanted::Model);
        }
        if self.switches.asks(step) {
            self.want_aside(TrainingWanted::Switches);
        }
        if let Some(device) = *self.device
            && self.batches.asks((model, device.memory))
        {
            self.want_aside(TrainingWanted::Batches(device.memory));
        }
    }

    /// Asks what the planned schedule takes on a device; of the model itself, one that keeps everything.
    fn follow_estimate(&mut self, of: &TrainingOf, planned: Option<Training>) {
        let keeps = || choice::of(Policy::KeepAll, of.chosen.batch, None, of.chosen.recipe);
        let Estimating { measured, .. } = *self.estimating;
        let asked = self.estimating.of(planned.unwrap_or_else(keeps));
        if self.estimate.asks((of.clone(), asked, measured)) {
            self.want_aside(TrainingWanted::Estimate(asked, measured));
        }
        if self.allocators.asks((of.clone(), asked)) {
            self.want_aside(TrainingWanted::Allocators(asked));
        }
        self.follow_fits(of);
        if self.requests.asks((of.clone(), asked)) {
            self.want_aside(TrainingWanted::Requests(asked));
        }
        let axis = *self.axis;
        if self.bars.asks((of.clone(), asked, axis)) {
            self.want_aside(TrainingWanted::Bars(asked, axis));
        }
    }

    /// Asks for the cheapest way to make the step fit: it is one device that is divided, under no
    /// budget but the device's memory.
    fn follow_fits(&mut self, of: &TrainingOf) {
        let Some(device) = *self.device else {
            return;
        };
        let Fitting {
            devices,
            batch,
            kinds,
        } = *self.fitting;
        let recipe = Recipe {
            sharding: Sharding::ONE,
            ..of.chosen.recipe
        };
        let wanted = Wanted {
            device,
            devices,
            batch,
            recipe,
            context: self.estimating.context.unwrap_or_default(),
            workspace: self.estimating.workspace,
            kinds,
        };
        let step = TrainingOf {
            chosen: ChosenStep {
                batch: 1,
                budget: None,
                recipe,
            },
            ..of.clone()
        };
        if self.fits.asks((step, wanted)) {
            self.want_aside(TrainingWanted::Fits(Box::new(wanted)));
        }
    }

    /// Asks for something beside the table, behind what is at work and the first part of a new
    /// one. What was asked of its kind is not wanted any longer, and its answer not waited for.
    fn want_aside(&mut self, wanted: TrainingWanted) {
        let kind = std::mem::discriminant(&wanted);
        let same = |it: &TrainingWanted| std::mem::discriminant(it) == kind;
        self.asked &= !self.wanted.front().is_some_and(same);
        self.wanted.retain(|it| !same(it));
        let at = usize::from(self.asked || self.anew != Anew::Nothing);
        self.wanted.insert(at.min(self.wanted.len()), wanted);
        self.count();
    }

    /// Whether the advisor waits for a part of the table.
    pub(crate) fn keeps_advisor(&self) -> bool {
        let part = matches!(self.wanted.front(), Some(TrainingWanted::Part(_)));
        self.asked && part && self.advisor().is_some()
    }

    fn advisor(&self) -> Option<usize> {
        let mut wanted = self.wanted.iter();
        wanted.position(|it| matches!(it, TrainingWanted::Fits(_)))
    }

    /// What was asked will not be answered: it is asked again, after the advisor.
    pub(crate) fn put_off(&mut self) {
        self.asked = false;
        if let Some(advisor) = self.advisor().and_then(|at| self.wanted.remove(at)) {
            self.wanted.push_front(advisor);
        }
    }

    /// Something beside the table is there.
    fn aside(&mut self, found: TrainingAnswer) {
        if !std::mem::take(&mut self.asked) {
            return;
        }
        self.wanted.pop_front();
        self.count();
        match found {
            TrainingAnswer::Table(_) => {}
            TrainingAnswer::Decisions(decisions) => {
                let last = decisions.list.len().saturating_sub(1);
                self.eviction.put((*self.eviction).min(last));
                self.evictions.arrived(decisions);
            }
            TrainingAnswer::Switches(switches) => self.switches.arrived(switches),
            TrainingAnswer::Batches(batches) => self.batches.arrived(batches),
            TrainingAnswer::Estimate(found) => self.estimate.arrived(found),
            TrainingAnswer::Allocators(found) => self.allocators.arrived(found),
            TrainingAnswer::Bars(found) => self.bars.arrived(found),
            TrainingAnswer::Fits(found) => self.fits.arrived(found),
            TrainingAnswer::Requests(found) => self.requests.arrived(found),
            TrainingAnswer::Timetable(found) => {
                self.iteration.put(found.runs.len().saturating_sub(1));
                self.timetable.arrived(found);
            }
            TrainingAnswer::Model(model) => self.to_run = Some(model),
        }
    }

    /// An answer is there.
    pub(crate) fn answered(&mut self, found: Result<TrainingAnswer, NoStep>) {
        match found {
            Ok(TrainingAnswer::Table(table)) => self.arrived(Ok(*table)),
            Ok(aside) => self.aside(aside),
            Err(why) => self.arrived(Err(why)),
        }
    }

    /// What is at work is not done.
    pub(crate) fn end(&mut self) {
        self.stopped.put(!self.wanted.is_empty());
        self.wanted.clear();
        self.evictions.end();
        self.switches.end();
        self.batches.end();
        self.timetable.end();
        self.estimate.end();
        self.allocators.end();
        self.bars.end();
        self.requests.end();
        self.fits.end();
        if matches!(*self.counting, Counting::Begins) {
            self.rest();
        }
        self.count();
    }

    /// No zeros are counted.
    pub(crate) fn rest(&mut self) {
        // What could be equal would be compared, and that takes much code.
        if !matches!(*self.counting, Counting::Rests) {
            self.counting.set(Counting::Rests);
        }
    }

    /// Counts the parts: those that are wanted, and the most that were.
    fn count(&mut self) {
        let left = self.wanted.len() as u64;
        let all = self.parts.1.max(left);
        self.parts.put((all - left, all));
    }
}

impl Case {
    /// What the table follows from now.
    pub(crate) fn training_of(&self) -> TrainingOf {
        let measured = self.training.chosen.recipe.gist.measured;
        TrainingOf {
            text: self.text.planned.clone(),
            bindings: self.bindings.clone(),
            settings: passes::order_alone(&self.settings),
            chosen: *self.training.chosen,
            zeros: self.training.zeros.clone().filter(|_| measured),
        }
    }

    /// The table is not made any longer.
    pub(crate) fn stop_training(&mut self) {
        self.queue.asks.remove(&Topic::Training);
        if *self.training.found == TrainingFound::Working {
            self.training.found.put(TrainingFound::Unasked);
            self.training.asked_with = None;
        }
    }
}
