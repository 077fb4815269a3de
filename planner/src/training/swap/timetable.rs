//! The runs of a policy that swaps, as a picture of three lanes shows them: names in place of
//! nodes.

use serde::{Deserialize, Serialize};

use super::run::{Run, Stall};
use super::script::How;
use super::{Direction, Played};
use crate::training::policies::NoWalk;
use crate::training::policies::swap::{capuchin, played};
use crate::training::{Policy, Problem};
use crate::units::Bytes;

/// The most bars of a lane, and rows of candidates, that are shown.
const MOST: usize = 4_000;
const MOST_CANDIDATES: usize = 40;

/// The runs of a policy: of Capuchin every iteration, of others one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timetable {
    /// The runs, the first one first.
    pub runs: Vec<Timed>,
    /// Whether there were too many nodes to list all of them.
    pub cut: bool,
}

/// A run. Times are in units of cost.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timed {
    /// Whether choices guide it: of Capuchin the first one is measured.
    pub guided: bool,
    /// What is computed.
    pub computed: Vec<Bar>,
    /// What is copied to the host.
    pub out: Vec<Bar>,
    /// What is copied from the host.
    pub back: Vec<Bar>,
    /// What was weighed, the chosen first, then the longest FreeTime first.
    pub candidates: Vec<Weighed>,
    /// When it ends.
    pub time: u64,
    /// How long it waited, by what for.
    pub stall: Stall,
    /// The most bytes at once.
    pub peak: Bytes,
}

/// A node that runs or a value that is copied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bar {
    /// Its name.
    pub name: String,
    /// When it starts, and ends.
    pub start: u64,
    /// The end.
    pub end: u64,
    /// How long it was waited for before.
    pub waited: u64,
}

/// A value that could leave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Weighed {
    /// Its name.
    pub name: String,
    /// Its size.
    pub bytes: Bytes,
    /// How long its bytes are free between both copies; below 0 the run waits so long. `None` where
    /// it cannot be copied.
    pub free_time: Option<i64>,
    /// What is done with it.
    pub how: Option<How>,
}

/// The runs of `policy`; none of one that does not swap.
///
/// # Errors
/// Why there is no run.
pub fn timetable(
    problem: &Problem,
    policy: Policy,
    budget: Option<Bytes>,
) -> Result<Timetable, NoWalk> {
    if !policy.swaps() {
        return Ok(Timetable::default());
    }
    let all = if policy == Policy::Capuchin {
        let all = capuchin::iterations(problem, budget, &mut |_, _| true)?;
        let runs = all.iter().map(|it| Timed {
            guided: it.guided,
            candidates: weighed(problem, &it.candidates),
            ..timed(problem, &it.played.run)
        });
        runs.collect()
    } else {
        let Played { run, .. } = played(policy, problem, budget, &mut |_, _| true)?;
        vec![timed(problem, &run)]
    };
    let cut = problem.nodes.len() > MOST;
    Ok(Timetable { runs: all, cut })
}

fn timed(problem: &Problem, run: &Run) -> Timed {
    let name = |node: usize| problem.nodes[node].name.clone();
    let computed = run.ran.iter().take(MOST).map(|it| Bar {
        name: name(it.node),
        start: it.start,
        end: it.end,
        waited: it.stall.sum(),
    });
    let copies = |direction| {
        let own = run
            .transfers
            .iter()
            .filter(move |it| it.direction == direction);
        let own = own.take(MOST).map(|it| Bar {
            name: name(it.node),
            start: it.start,
            end: it.end,
            waited: 0,
        });
        own.collect()
    };
    Timed {
        guided: true,
        computed: computed.collect(),
        out: copies(Direction::Out),
        back: copies(Direction::Back),
        candidates: Vec::new(),
        time: run.time,
        stall: run.stall,
        peak: run.peak,
    }
}

fn weighed(problem: &Problem, candidates: &[capuchin::Candidate]) -> Vec<Weighed> {
    let all = candidates.iter().take(MOST_CANDIDATES).map(|it| Weighed {
        name: problem.nodes[it.value].name.clone(),
        bytes: problem.nodes[it.value].bytes,
        free_time: it.free_time,
        how: it.how,
    });
    all.collect()
}
