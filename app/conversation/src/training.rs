//! The model as a training step: what policies come to, and the schedule that is planned.

use std::collections::VecDeque;
use std::sync::Arc;

use planner::graph::Bindings;
use planner::training::dtr::decisions::Decisions;
use planner::training::stage::NoStep;
use planner::training::table::{PolicyTable, parts};
use planner::training::{Policy, choice};
use planner::{Bytes, Effort, Recipe, Settings, Training};
use worker::{CaseId, Request, TrainingAnswer, TrainingWanted};

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
    /// Chose what a step is made of.
    Recipe(Recipe),
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
    /// Wants to see why the planned policy evicts what it does, or no longer.
    Explain(bool),
    /// Looks at this eviction.
    Eviction(usize),
}

/// A training step and its budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChosenStep {
    /// How many samples it has.
    pub batch: u64,
    /// What its values may take at once.
    pub budget: Option<Bytes>,
    /// What it is made of.
    pub recipe: Recipe,
}

/// How far the table of policies is.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum TrainingFound {
    /// Nobody has asked for it.
    #[default]
    Unasked,
    /// The first part is at work.
    Working,
    /// There, but for the parts that are asked for yet.
    There(Arc<PolicyTable>),
    /// There is no training step, for this reason.
    Nothing(NoStep),
    /// It was stopped.
    Stopped,
}

/// How far it is why a policy evicts what it does.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum EvictionsFound {
    /// Nobody wants to know.
    #[default]
    Unasked,
    /// At work.
    Working,
    /// There.
    There(Arc<Decisions>),
}

/// The training steps of a case.
#[derive(Debug)]
pub struct TrainingSteps {
    /// How far the table is.
    pub found: Tracked<TrainingFound>,
    /// Which step it is, and under which budget.
    pub chosen: Tracked<ChosenStep>,
    /// How many parts of the table are there, and how many there will be.
    pub parts: Tracked<(u64, u64)>,
    /// What the table follows from that is asked for.
    asked_with: Option<TrainingOf>,
    /// Parts of the table that are not there yet, in the order in which they are asked for.
    wanted: VecDeque<TrainingWanted>,
    /// Why the planned policy evicts what it does.
    pub evictions: Tracked<EvictionsFound>,
    /// Which of these is looked at.
    pub eviction: Tracked<usize>,
    /// What [`evictions`](Self::evictions) are about.
    explained: Option<(TrainingOf, Training)>,
    /// Whether the part at work is the first of them.
    asked: bool,
    /// What the next part takes the place of.
    anew: Anew,
    /// Whether the budget slides: then only the first part is made, so that the next budget does
    /// not wait for a search.
    slides: bool,
}

/// What of the table holds no longer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Anew {
    /// Nothing.
    #[default]
    Nothing,
    /// The rows: another budget is chosen.
    Rows,
    /// All of it.
    All,
}

/// What the table follows from.
#[derive(Clone, Debug, PartialEq)]
struct TrainingOf {
    /// The edited text of the graph.
    text: Edited,
    bindings: Bindings,
    settings: Settings,
    chosen: ChosenStep,
}

impl Default for ChosenStep {
    fn default() -> Self {
        Self {
            batch: 1,
            budget: None,
            recipe: Recipe::default(),
        }
    }
}

impl Default for TrainingSteps {
    fn default() -> Self {
        Self {
            found: Tracked::default(),
            chosen: Tracked::default(),
            parts: Tracked::default(),
            asked_with: None,
            wanted: VecDeque::new(),
            evictions: Tracked::default(),
            eviction: Tracked::default(),
            explained: None,
            asked: false,
            anew: Anew::Nothing,
            slides: false,
        }
    }
}

impl State {
    pub(crate) fn train(&mut self, id: CaseId, action: TrainingAction) {
        let chosen = *self.case(id).training.chosen;
        // The budget of another step says nothing of this one.
        let free = ChosenStep {
            budget: None,
            ..chosen
        };
        self.slide(id, matches!(action, TrainingAction::Budget(Some(_))));
        let planned = self.case(id).settings.training.map(choice::policy);
        match action {
            TrainingAction::Stop => self.end_training(id, TrainingFound::Stopped),
            TrainingAction::Again => self.end_training(id, TrainingFound::Unasked),
            TrainingAction::Rest => {}
            TrainingAction::Explain(explains) => {
                if let Some(case) = self.case_mut(id) {
                    case.training.explained = None;
                    case.training.evictions.put(match explains {
                        true => EvictionsFound::Working,
                        false => EvictionsFound::Unasked,
                    });
                }
            }
            TrainingAction::Eviction(at) => {
                if let Some(case) = self.case_mut(id) {
                    case.training.eviction.put(at);
                }
            }
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

    /// Has the table made for another step, and the policy's schedule planned.
    fn choose_step(&mut self, id: CaseId, policy: Option<Policy>, chosen: ChosenStep) {
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

    /// What is at work for the table is not done; what is there of it stays.
    pub(crate) fn end_training(&mut self, id: CaseId, then: TrainingFound) {
        if self.at_work(id) == Some(&Stage::Training) {
            self.cut();
        }
        if let Some(case) = self.case_mut(id) {
            case.queue.training = false;
            case.training.wanted.clear();
            case.training.count();
            let stays = matches!(*case.training.found, TrainingFound::There(_));
            if !stays || then != TrainingFound::Stopped {
                case.training.found.put(then);
            }
        }
    }

    /// Has the table made once its tab is open, and anew where something else is chosen.
    pub(crate) fn follow_training(&mut self) {
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
            if let Some(training) = case.settings.training.filter(|_| asks) {
                case.training.explain(of, training);
            }
            case.queue.training = asks && !case.training.wanted.is_empty();
            if working && !asks {
                self.end_training(id, TrainingFound::Unasked);
            }
        }
    }

    /// What is in view is planned before, unless the budget slides: then figures come first, and
    /// the picture once it dwells.
    pub(crate) fn training_question(&mut self, case: CaseId) -> Option<Question> {
        let it = self.case(case);
        let seen = it.queue.columns.front();
        let waits = match (it.training.slides, it.training.anew) {
            (true, Anew::Nothing) => true,
            (true, _) => false,
            (false, _) => seen.is_some_and(|column| it.shown.contains(column)),
        };
        if !it.queue.training || waits {
            return None;
        }
        let wanted = it.training.wanted.front()?.clone();
        let of = it.training.asked_with.clone()?;
        self.case_mut(case)?.training.asked = true;
        let id = self.ask(case, Stage::Training);
        let request = Request::Training {
            id,
            case,
            bindings: of.bindings,
            settings: of.settings,
            batch: of.chosen.batch,
            budget: of.chosen.budget,
            recipe: of.chosen.recipe,
            wanted,
        };
        Some((request, Vec::new()))
    }

    pub(crate) fn trained(&mut self, id: CaseId, found: Result<TrainingAnswer, NoStep>) {
        if let Some(case) = self.case_mut(id) {
            match found {
                Ok(TrainingAnswer::Table(table)) => case.training.arrived(Ok(table)),
                Ok(TrainingAnswer::Decisions(decisions)) => case.training.decided(decisions),
                Err(why) => case.training.arrived(Err(why)),
            }
            case.queue.training = !case.training.wanted.is_empty();
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

    /// Has the table of `of` made. A table that is there stays until the first part is.
    fn begin(&mut self, of: TrainingOf) {
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
        let in_range = |wanted: &TrainingWanted| matches!(wanted, TrainingWanted::Part(part) if part.notch.is_some());
        let left = self.wanted.drain(..).filter(in_range);
        let left: Vec<TrainingWanted> = left.filter(|_| !range).collect();
        let parts = parts(range).into_iter().map(TrainingWanted::Part);
        self.wanted.extend(parts.chain(left));
        self.asked_with = Some(of);
        self.explained = None;
        self.asked = false;
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

    /// Has the evictions of what is planned found, if that is wanted and they are not there.
    fn explain(&mut self, of: TrainingOf, training: Training) {
        let about = (of, training);
        let asked = *self.evictions != EvictionsFound::Unasked;
        if !asked || self.explained.as_ref() == Some(&about) {
            return;
        }
        let policy = choice::policy(training);
        self.explained = Some(about);
        self.evictions.put(EvictionsFound::Working);
        // The first part of a new table goes before.
        let at = usize::from(self.anew != Anew::Nothing).min(self.wanted.len());
        let wanted = TrainingWanted::Decisions(policy);
        self.wanted
            .retain(|it| !matches!(it, TrainingWanted::Decisions(_)));
        self.wanted.insert(at.min(self.wanted.len()), wanted);
        self.count();
    }

    fn decided(&mut self, decisions: Decisions) {
        let first = self.wanted.front();
        if !std::mem::take(&mut self.asked) || !matches!(first, Some(TrainingWanted::Decisions(_)))
        {
            return;
        }
        self.wanted.pop_front();
        self.count();
        let last = decisions.list.len().saturating_sub(1);
        self.eviction.put((*self.eviction).min(last));
        if *self.evictions == EvictionsFound::Working {
            self.evictions
                .put(EvictionsFound::There(Arc::new(decisions)));
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
        if *self.training.found == TrainingFound::Working {
            self.training.found.put(TrainingFound::Unasked);
            self.training.asked_with = None;
        }
    }
}
