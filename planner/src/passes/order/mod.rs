//! Order: in which order the operators run, so that less is live at the peak.
//!
//! An operator may run as soon as what it reads is there, and most graphs leave a choice. The
//! order decides which tensors are live together, and no plan can be smaller than the
//! most that is live at a step.
//!
//! ```text
//! a ─▶ big1 ─▶ small1 ─┐     a big1 big2 small1 small2 y     both big ones at once
//! └──▶ big2 ─▶ small2 ─┴▶ y  a big1 small1 big2 small2 y     one after the other
//! ```
//!
//! Every rule keeps what any order must keep, which `constraints` lists. It works on the
//! parts of the graph that every order runs one after the other, and never leaves a higher
//! peak than the file's own order, which stays wherever it is as good.

mod bound;
mod constraints;
mod exact;
mod given;
mod listed;
mod pieces;
mod problem;
mod search;

use serde::{Deserialize, Serialize};

use super::{LeftAlone, OrderFound, Pass, Report, Work};
use crate::graph::OpId;
use crate::program::Program;
use crate::schedule::{Schedule, ScheduledStep, check};
use crate::settings::Settings;
use crate::units::Bytes;
use pieces::Pieces;
use problem::Problem;

/// Its name on command lines, in links and in files.
pub(super) const NAME: &str = "order";

pub(super) const PASS: Pass = Pass {
    name: NAME,
    summary: "runs the operators in an order that lowers the peak",
    optional: true,
    keeps_graph: false,
    rules: &[
        super::Rule {
            name: "exact",
            summary: "the least peak of all orders, where that can be found",
        },
        super::Rule {
            name: "search",
            summary: "local search from the best of the others",
        },
        super::Rule {
            name: "greedy",
            summary: "always the operator after which the least is live",
        },
        super::Rule {
            name: "depth_first",
            summary: "one branch after the other",
        },
    ],
};

/// Orders the steps by the rule of the pass.
pub(super) fn run(work: &mut Work<'_>) -> Report {
    let rule = match work.rule {
        0 => Rule::Exact,
        1 => Rule::Search,
        2 => Rule::Greedy,
        _ => Rule::DepthFirst,
    };
    let limits = Limits::default();
    let (program, settings) = (&work.program, work.settings);
    let found = order(program, settings, rule, &limits, work.on_progress);
    let steps = work.program.schedule.steps.iter();
    let moved = steps
        .zip(&found.schedule.steps)
        .filter(|(one, other)| one != other);
    let report = Report {
        changes: moved.count() as u64,
        left_alone: found.left_alone,
        order: found.left_alone.is_none().then_some(OrderFound {
            before: found.before,
            peak: found.peak,
            bound: found.bound,
            proven: found.proof.is_some(),
        }),
        ..Report::default()
    };
    work.program.schedule = found.schedule;
    report
}

/// How an order is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// As the file has it.
    #[default]
    File,
    /// Back from the outputs, one branch after the other, the one first whose making takes most
    /// more than is left of it (Sethi and Ullman 1970, Liu 1986).
    DepthFirst,
    /// Always the operator after which the least is live.
    Greedy,
    /// The least peak of all orders, by dynamic programming over sets of operators; where that
    /// goes beyond the limits, the local search.
    Exact,
    /// Local search from the best of the others.
    Search,
}

impl Rule {
    /// Every rule.
    pub const ALL: [Self; 5] = [
        Self::File,
        Self::DepthFirst,
        Self::Greedy,
        Self::Exact,
        Self::Search,
    ];
}

/// How far a rule may go, and what it must keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most sets of operators that the exact rule keeps, of all parts together.
    pub states: u64,
    /// The most moves of the local search, of all parts together.
    pub tries: u64,
    /// How many places an operator may move away from where the file has it; `None` for any.
    pub window: Option<u64>,
    /// Pairs of operators of which the first must run before the second, whatever they read.
    /// One that the file itself does not keep is left out.
    pub control: Vec<(OpId, OpId)>,
}

/// An order, and how good it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ordered {
    /// The steps in their new order.
    pub schedule: Schedule,
    /// The most that is live at a step.
    pub peak: Bytes,
    /// The same in the order of the file.
    pub before: Bytes,
    /// No order that keeps the constraints has a smaller peak.
    pub bound: Bytes,
    /// How it is known that no order has a smaller peak; `None` where it is not.
    pub proof: Option<Proof>,
    /// How many sets and moves were looked at.
    pub tried: u64,
    /// Why the order stayed as it is, whatever the rule; bytes are not counted then.
    pub left_alone: Option<LeftAlone>,
}

/// Why no order has a smaller peak.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Proof {
    /// An operator needs as much in every order.
    Bound,
    /// All orders were searched.
    Search,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            states: 200_000,
            tries: 20_000,
            window: None,
            control: Vec::new(),
        }
    }
}

/// Counts sets and moves, and asks from time to time whether to go on.
struct Watch<'a> {
    tried: u64,
    total: u64,
    on_progress: &'a mut dyn FnMut(u64, u64) -> bool,
    stopped: bool,
}

/// After so many sets or moves it is asked whether to go on.
const ASK: u64 = 256;

impl Watch<'_> {
    /// Counts `more`, and says whether to go on.
    fn goes_on(&mut self, more: u64) -> bool {
        if !self.stopped && self.tried.is_multiple_of(ASK) {
            self.stopped = !(self.on_progress)(self.tried.min(self.total), self.total);
        }
        self.tried += more;
        !self.stopped
    }
}

/// Orders the steps of `program` by `rule`, so that less is live at the peak under `settings`:
/// with the same limits the same order everywhere. `on_progress` is told from time to time how many
/// sets and moves were looked at, of at most how many, and says whether to go on; where
/// it does not, the result is the best order so far.
pub fn order(
    program: &Program,
    settings: &Settings,
    rule: Rule,
    limits: &Limits,
    on_progress: &mut dyn FnMut(u64, u64) -> bool,
) -> Ordered {
    let problem = match Problem::of(program, settings, limits) {
        Ok(problem) => problem,
        Err(why) => return left_alone(program, why),
    };
    let total = match rule {
        Rule::File | Rule::DepthFirst | Rule::Greedy => 1,
        Rule::Exact => limits.states.saturating_add(limits.tries),
        Rule::Search => limits.tries,
    };
    let mut watch = Watch {
        tried: 0,
        total,
        on_progress,
        stopped: false,
    };
    let file = problem.in_file_order();
    let before = problem.peak(&file);
    let mut pieces = Pieces::of(&problem);
    let floor = pieces.floor;
    if rule != Rule::File {
        pieces.improve(rule, limits, &mut watch);
    }
    let mut schedule = program.schedule.clone();
    let mut peak = before;
    let found = pieces.order();
    let found_peak = problem.peak(&found);
    if found_peak < before {
        let step = |&index: &u32| program.schedule.steps[index as usize];
        let steps: Vec<ScheduledStep> = found.iter().map(step).collect();
        let found = Schedule { steps };
        // What is written over cannot be read; that this holds is checked once more.
        let is_possible = |it: &Schedule| check(&program.graph, &program.storages, it).is_ok();
        if is_possible(&found) || !is_possible(&schedule) {
            (schedule, peak) = (found, found_peak);
        }
    }
    let bound = pieces.floor.min(peak);
    let proof = (bound == peak).then_some(match floor == peak {
        true => Proof::Bound,
        false => Proof::Search,
    });
    Ordered {
        schedule,
        peak: Bytes(peak),
        before: Bytes(before),
        bound: Bytes(bound),
        proof,
        tried: watch.tried,
        left_alone: None,
    }
}

fn left_alone(program: &Program, why: LeftAlone) -> Ordered {
    Ordered {
        schedule: program.schedule.clone(),
        peak: Bytes::ZERO,
        before: Bytes::ZERO,
        bound: Bytes::ZERO,
        proof: None,
        tried: 0,
        left_alone: Some(why),
    }
}
