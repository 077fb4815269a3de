//! What a training step takes on a device, and what allocators would reserve for it.

use planner::advice::allocators;
use planner::graph::Graph;
use planner::save;
use planner::training::devices::DEVICES;
use planner::training::estimate::measured::{Compared, compare, of_snapshot};
use planner::training::estimate::{Answer, Asked, answer, requests as asked_for, scheduled};
use serde::{Deserialize, Serialize};

use crate::CaseId;
use crate::asks::AskContext;
use crate::training::TrainingAnswer;

/// What a training step takes on a device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimated {
    /// What it takes, and which of the devices with names it fits into.
    pub answer: Answer,
    /// Beside what was measured; none where nothing was.
    pub compared: Vec<Compared>,
}

/// What the step takes on the devices that have names.
pub(crate) fn estimate(
    at: &AskContext<'_>,
    graph: &Graph,
    asked: &Asked,
    measured: Option<CaseId>,
) -> TrainingAnswer {
    let devices = DEVICES
        .iter()
        .map(|it| (it.name.to_owned(), it.device.memory));
    let devices: Vec<_> = devices.collect();
    let found = answer(graph, asked, &devices, &mut at.telling());
    TrainingAnswer::Estimate(found.map(|answer| {
        let case = measured.and_then(|id| at.server.cases.get(&id));
        let measured = case.and_then(|case| {
            let deployed = case.document.deployed()?;
            let arena = deployed.arena(case.settings.arena)?;
            Some(of_snapshot(arena, &deployed.stacks))
        });
        let compared = measured.map(|it| compare(&answer.estimate, &it));
        Box::new(Estimated {
            compared: compared.unwrap_or_default(),
            answer,
        })
    }))
}

/// What allocators would reserve for what the step asks for.
pub(crate) fn others(at: &AskContext<'_>, graph: &Graph, asked: &Asked) -> TrainingAnswer {
    let scheduled = scheduled(graph, asked.training, &mut |_, _| true);
    TrainingAnswer::Allocators(scheduled.map(|scheduled| {
        let requests = asked_for::requests(&scheduled, asked).lifetimes();
        let mut telling = at.telling();
        allocators(&requests, None, &mut |done, of| {
            telling(done, of);
        })
    }))
}

/// All that a step asks for, as a file of a problem.
pub(crate) fn requests(at: &AskContext<'_>, graph: &Graph, asked: &Asked) -> TrainingAnswer {
    let scheduled = scheduled(graph, asked.training, &mut at.telling());
    let made = scheduled.map(|it| asked_for::requests(&it, asked).by_purpose());
    TrainingAnswer::Requests(made.map(|it| save::problem_csv(&it)))
}
