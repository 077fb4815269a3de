//! What training policies come to, and why one evicts what it does.

use planner::load::Document;
use planner::training::dtr;
use planner::training::dtr::decisions::{Decisions, decisions as find};
use planner::training::stage::{self, NoStep};
use planner::training::table::{Part, PolicyTable, table};
use planner::training::{Policy, eager, policies};
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
}

/// What was wanted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum TrainingAnswer {
    /// A part of the table of policies.
    Table(PolicyTable),
    /// The evictions of a policy; none of one that does not evict.
    Decisions(Decisions),
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
            let step = subject.map_err(too_large).and_then(|subject| {
                let graph = subject.program.unwrap_or_default().graph;
                stage::step(&graph, *batch, *recipe)
            });
            step.map(|step| match wanted {
                TrainingWanted::Part(part) => {
                    let table = table(&step.problem, *budget, part);
                    TrainingAnswer::Table(table.of(&step))
                }
                TrainingWanted::Decisions(policy) => {
                    let limits = policies::limits(&step.problem, *budget);
                    decisions(&dtr::Log::from(&step.problem), *policy, limits)
                }
            })
        }
        _ => Err(NoStep::NoModel),
    };
    let found = Packed::new(&found)?;
    Some(Reply::Trained { id: *id, found })
}

fn of_log(log: &dtr::Log, budget: Option<Bytes>, wanted: &TrainingWanted) -> TrainingAnswer {
    match wanted {
        TrainingWanted::Part(part) => TrainingAnswer::Table(eager::table(log, budget, part)),
        TrainingWanted::Decisions(policy) => decisions(log, *policy, eager::limits(log, budget)),
    }
}

fn decisions(log: &dtr::Log, policy: Policy, limits: dtr::Limits) -> TrainingAnswer {
    let evictor = policy.evictor();
    let found = evictor.map(|evictor| find(log, evictor, limits));
    TrainingAnswer::Decisions(found.unwrap_or_default())
}
