//! What training policies come to, and why one evicts what it does.

use std::rc::Rc;

use planner::advice::Allocators;
use planner::graph::{Bindings, Graph};
use planner::load::Document;
use planner::training::advisor::{Advice, Wanted};
use planner::training::backward::Step;
use planner::training::devices::{Batches, batches};
use planner::training::dtr;
use planner::training::dtr::decisions::{Decisions, decisions as find};
use planner::training::estimate::{Asked, NoEstimate};
use planner::training::policies::Known;
use planner::training::sharding::bars::{Axis, Bar};
use planner::training::stage::{self, NoStep};
use planner::training::swap::timetable::{Timetable, timetable};
use planner::training::switches::{Switch, switches};
use planner::training::table::{Part, PolicyTable, table_by};
use planner::training::{Policy, Recipe, eager, policies};
use planner::{
    Bytes, Lifetimes, Options, Plan, PlanError, Program, Settings, Strategy, Subject, TooLarge,
    plan,
};
use serde::{Deserialize, Serialize};

use crate::CaseId;
use crate::asks::{Answered, AskContext};
use crate::estimates::{Estimated, estimate, others, requests};
use crate::fits::cheapest;
use crate::ranks::ranks;

/// What of training steps is wanted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TrainingWanted {
    /// A part of the table of policies.
    Part(Part),
    /// The evictions of a policy.
    Decisions(Policy),
    /// What PyTorch's users are told to do, and what it saves.
    Switches,
    /// The largest batches that fit into so many bytes.
    Batches(Bytes),
    /// What a policy that swaps does over time.
    Timetable(Policy),
    /// What the step takes on a device, beside what a snapshot, open as another case, measured.
    Estimate(Asked, Option<CaseId>),
    /// What other allocators would reserve for what the step asks for.
    Allocators(Asked),
    /// What a rank holds where something is chosen otherwise.
    Bars(Asked, Axis),
    /// The cheapest way to make the step fit.
    Fits(Box<Wanted>),
    /// All that is asked for in a step, as a problem.
    Requests(Asked),
    /// The model that is trained, for a run.
    Model,
}

/// The model that is trained, planned so that it can be run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Untrained {
    /// The sized graph with its schedule: operators are called as nodes of the step are.
    pub program: Program,
    /// What is planned.
    pub lifetimes: Lifetimes,
    /// Where it lies.
    pub plan: Plan,
}

/// What was wanted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum TrainingAnswer {
    /// A part of the table of policies.
    Table(Box<PolicyTable>),
    /// The evictions of a policy; none of one that does not evict.
    Decisions(Decisions),
    /// What each piece of advice saves, or why that cannot be said; none of a log.
    Switches(Result<Vec<Switch>, NoStep>),
    /// The largest batches; none of a log.
    Batches(Batches),
    /// What the policy does over time; nothing where it has no schedule.
    Timetable(Timetable),
    /// What the step takes, or why that is not known.
    Estimate(Result<Box<Estimated>, NoEstimate>),
    /// What allocators would reserve, or why that is not known.
    Allocators(Result<Allocators, NoEstimate>),
    /// A rank for each value of what is chosen otherwise; none of a log.
    Bars(Vec<Bar>),
    /// The cheapest way, or why there is no step.
    Fits(Result<Box<Advice>, NoEstimate>),
    /// All that is asked for, as a file of a problem, or why that is not known.
    Requests(Result<String, NoEstimate>),
    /// The model that is trained, or why it has no plan.
    Model(Result<Box<Untrained>, PlanError>),
}

/// Find what training policies come to with the open model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainingQuestion {
    /// Values of symbolic dimensions.
    pub bindings: Bindings,
    /// What the user chose about lifetimes.
    pub settings: Settings,
    /// How many samples a step has.
    pub batch: u64,
    /// What the values may take at once.
    pub budget: Option<Bytes>,
    /// What a step is made of.
    pub recipe: Recipe,
    /// What of it.
    pub wanted: TrainingWanted,
}

impl Answered for TrainingQuestion {
    fn answer(self, at: &AskContext<'_>) -> Option<Result<TrainingAnswer, NoStep>> {
        let document = &at.case()?.document;
        Some(match &**document {
            Document::Log(log) => Ok(of_log(log, self.budget, &self.wanted)),
            Document::Model(_) if self.wanted == TrainingWanted::Model => {
                let subject = self.prepared(document);
                subject.map(|it| TrainingAnswer::Model(untrained(it, &self.settings)))
            }
            Document::Model(_) => {
                let mut slot = at.server.kept.borrow_mut();
                let kept = slot.as_mut().and_then(|it| it.downcast_mut::<Kept>());
                match kept.filter(|it| it.is_of(document, &self)) {
                    Some(kept) => of_model(at, kept, &self),
                    None => Kept::new(document, &self).and_then(|mut kept| {
                        let answer = of_model(at, &mut kept, &self);
                        *slot = Some(Box::new(kept));
                        answer
                    }),
                }
            }
            _ => Err(NoStep::NoModel),
        })
    }
}

impl TrainingQuestion {
    pub(crate) fn prepared(&self, document: &Document) -> Result<Subject, NoStep> {
        let subject = planner::prepare(document, &self.bindings, &self.settings);
        subject.map_err(|error: TooLarge| NoStep::TooLarge(error.message()))
    }
}

/// What questions of one step have in common: each asks for a part of its table.
pub(crate) struct Kept {
    /// The document itself, so that no other one can have its address.
    pub(crate) document: Rc<Document>,
    /// Of what it is kept, with what was wanted first.
    pub(crate) of: TrainingQuestion,
    pub(crate) graph: Graph,
    /// The step, once it was needed.
    step: Option<Step>,
    known: Known,
}

impl Kept {
    fn new(document: &Rc<Document>, of: &TrainingQuestion) -> Result<Self, NoStep> {
        let subject = of.prepared(document)?;
        Ok(Self {
            document: Rc::clone(document),
            of: of.clone(),
            graph: stage::operators(subject.program.unwrap_or_default()),
            step: None,
            known: Known::default(),
        })
    }

    fn is_of(&self, document: &Rc<Document>, question: &TrainingQuestion) -> bool {
        let same = (self.of.batch, self.of.recipe) == (question.batch, question.recipe)
            && (&self.of.bindings, &self.of.settings) == (&question.bindings, &question.settings);
        same && Rc::ptr_eq(&self.document, document)
    }

    /// The step, and what is known of it.
    fn step(&mut self) -> Result<(&Step, &mut Known), NoStep> {
        if self.step.is_none() {
            let TrainingQuestion { batch, recipe, .. } = self.of;
            self.step = Some(stage::step(&self.graph, batch, recipe)?);
        }
        let step = self.step.as_ref().ok_or(NoStep::NoModel)?;
        Ok((step, &mut self.known))
    }
}

fn of_model(
    at: &AskContext<'_>,
    kept: &mut Kept,
    question: &TrainingQuestion,
) -> Result<TrainingAnswer, NoStep> {
    let TrainingQuestion {
        batch,
        recipe,
        budget,
        ..
    } = *question;
    Ok(match &question.wanted {
        TrainingWanted::Part(part) => {
            let (step, known) = kept.step()?;
            let table = table_by(known, &step.problem, budget, part);
            TrainingAnswer::Table(Box::new(table.of(step)))
        }
        TrainingWanted::Decisions(policy) => {
            let problem = &kept.step()?.0.problem;
            let limits = policies::limits(problem, budget);
            decisions(&dtr::Log::from(problem), *policy, limits)
        }
        TrainingWanted::Switches => {
            // Layers do not say what autograd saves, but have a step all the same.
            TrainingAnswer::Switches(switches(&kept.graph, batch, recipe))
        }
        TrainingWanted::Batches(memory) => {
            let found = batches(&kept.graph, recipe, *memory);
            TrainingAnswer::Batches(found?)
        }
        TrainingWanted::Timetable(policy) => {
            let found = timetable(&kept.step()?.0.problem, *policy, budget);
            TrainingAnswer::Timetable(found.unwrap_or_default())
        }
        TrainingWanted::Estimate(asked, measured) => estimate(at, &kept.graph, asked, *measured),
        TrainingWanted::Allocators(asked) => others(at, &kept.graph, asked),
        TrainingWanted::Fits(wanted) => TrainingAnswer::Fits(cheapest(at, kept, wanted)),
        TrainingWanted::Requests(asked) => requests(at, &kept.graph, asked),
        TrainingWanted::Bars(asked, axis) => TrainingAnswer::Bars(ranks(at, kept, (asked, *axis))),
        TrainingWanted::Model => return Err(NoStep::NoModel),
    })
}

/// A model is planned in one pass: it is to be run soon, and need not be small.
fn untrained(subject: Subject, settings: &Settings) -> Result<Box<Untrained>, PlanError> {
    let options = Options::aligned(settings.alignment);
    let lifetimes = subject.lifetimes;
    let plan = plan(
        Strategy::OffsetsBySize,
        &lifetimes,
        &options,
        &mut planner::Silent,
    )?;
    Ok(Box::new(Untrained {
        program: subject.program.unwrap_or_default(),
        lifetimes,
        plan,
    }))
}

fn of_log(log: &dtr::Log, budget: Option<Bytes>, wanted: &TrainingWanted) -> TrainingAnswer {
    match wanted {
        TrainingWanted::Part(part) => {
            TrainingAnswer::Table(Box::new(eager::table(log, budget, part)))
        }
        TrainingWanted::Decisions(policy) => decisions(log, *policy, eager::limits(log, budget)),
        TrainingWanted::Switches => TrainingAnswer::Switches(Ok(Vec::new())),
        TrainingWanted::Batches(_) => TrainingAnswer::Batches(Batches::default()),
        // A log is not run.
        TrainingWanted::Timetable(_) | TrainingWanted::Model => {
            TrainingAnswer::Timetable(Timetable::default())
        }
        TrainingWanted::Estimate(..) => TrainingAnswer::Estimate(Err(NoStep::NoModel.into())),
        TrainingWanted::Allocators(_) => TrainingAnswer::Allocators(Err(NoStep::NoModel.into())),
        TrainingWanted::Bars(..) => TrainingAnswer::Bars(Vec::new()),
        TrainingWanted::Fits(_) => TrainingAnswer::Fits(Err(NoStep::NoModel.into())),
        TrainingWanted::Requests(_) => TrainingAnswer::Requests(Err(NoStep::NoModel.into())),
    }
}

fn decisions(log: &dtr::Log, policy: Policy, limits: dtr::Limits) -> TrainingAnswer {
    let evictor = policy.evictor();
    let found = evictor.map(|evictor| find(log, evictor, limits));
    TrainingAnswer::Decisions(found.unwrap_or_default())
}
