//! What training policies come to, and why one evicts what it does.

use planner::graph::Graph;
use planner::load::Document;
use planner::training::devices::{Batches, batches};
use planner::training::dtr;
use planner::training::dtr::decisions::{Decisions, decisions as find};
use planner::training::stage::{self, NoStep};
use planner::training::switches::{Switch, switches};
use planner::training::table::{Part, PolicyTable, table};
use planner::training::{Policy, Recipe, eager, policies};
use planner::{Bytes, TooLarge};
use serde::{Deserialize, Serialize};

use crate::{Desk, Packed, Reply, Request};

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
}

/// Answers a question about training steps; `None` for any other.
pub(crate) fn training(desk: &Desk, request: &Request) -> Option<Reply> {
    let Request::Training {
        id,
        case,
        bindings,
        settings,
        batch,
        budget,
        recipe,
        wanted,
    } = request
    else {
        return None;
    };
    let document = &desk.cases.get(case)?.document;
    let found = match &**document {
        Document::Log(log) => Ok(of_log(log, *budget, wanted)),
        Document::Model(_) => {
            let subject = planner::prepare(document, bindings, settings);
            let too_large = |error: TooLarge| NoStep::TooLarge(error.to_string());
            subject.map_err(too_large).and_then(|subject| {
                let graph = stage::operators(subject.program.unwrap_or_default());
                of_model(&graph, (*batch, *recipe), *budget, wanted)
            })
        }
        _ => Err(NoStep::NoModel),
    };
    let found = Packed::new(&found)?;
    Some(Reply::Trained { id: *id, found })
}

fn of_model(
    graph: &Graph,
    (batch, recipe): (u64, Recipe),
    budget: Option<Bytes>,
    wanted: &TrainingWanted,
) -> Result<TrainingAnswer, NoStep> {
    let step = || stage::step(graph, batch, recipe);
    Ok(match wanted {
        TrainingWanted::Part(part) => {
            let step = step()?;
            let table = table(&step.problem, budget, part);
            TrainingAnswer::Table(Box::new(table.of(&step)))
        }
        TrainingWanted::Decisions(policy) => {
            let problem = step()?.problem;
            let limits = policies::limits(&problem, budget);
            decisions(&dtr::Log::from(&problem), *policy, limits)
        }
        TrainingWanted::Switches => {
            // Layers do not say what autograd saves, but have a step all the same.
            TrainingAnswer::Switches(switches(graph, batch, recipe))
        }
        TrainingWanted::Batches(memory) => {
            let found = batches(graph, recipe, *memory);
            TrainingAnswer::Batches(found?)
        }
    })
}

fn of_log(log: &dtr::Log, budget: Option<Bytes>, wanted: &TrainingWanted) -> TrainingAnswer {
    match wanted {
        TrainingWanted::Part(part) => {
            TrainingAnswer::Table(Box::new(eager::table(log, budget, part)))
        }
        TrainingWanted::Decisions(policy) => decisions(log, *policy, eager::limits(log, budget)),
        TrainingWanted::Switches => TrainingAnswer::Switches(Ok(Vec::new())),
        TrainingWanted::Batches(_) => TrainingAnswer::Batches(Batches::default()),
    }
}

fn decisions(log: &dtr::Log, policy: Policy, limits: dtr::Limits) -> TrainingAnswer {
    let evictor = policy.evictor();
    let found = evictor.map(|evictor| find(log, evictor, limits));
    TrainingAnswer::Decisions(found.unwrap_or_default())
}
