//! What training policies come to.

use planner::TooLarge;
use planner::load::Document;
use planner::training::eager;
use planner::training::stage::{self, NoStep};
use planner::training::table::table;

use crate::{Desk, Packed, Reply, Request};

/// Answers a question about training steps; `None` for any other.
pub(crate) fn training(desk: &Desk, request: &Request) -> Option<Reply> {
    let Request::Training {
        id,
        case,
        bindings,
        settings,
        batch,
        budget,
        part,
    } = request
    else {
        return None;
    };
    let document = &desk.cases.get(case)?.document;
    if let Document::Log(log) = &**document {
        let table: Result<_, NoStep> = Ok(eager::table(log, *budget, part));
        let table = Packed::new(&table)?;
        return Some(Reply::Trained { id: *id, table });
    }
    let problem = match **document {
        Document::Model(_) => {
            let subject = planner::prepare(document, bindings, settings);
            let too_large = |error: TooLarge| NoStep::TooLarge(error.to_string());
            subject.map_err(too_large).and_then(|subject| {
                let graph = subject.program.unwrap_or_default().graph;
                stage::problem(&graph, *batch)
            })
        }
        _ => Err(NoStep::NoModel),
    };
    let table = problem.map(|problem| table(&problem, *budget, part));
    let table = Packed::new(&table)?;
    Some(Reply::Trained { id: *id, table })
}
