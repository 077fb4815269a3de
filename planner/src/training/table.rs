//! What the policies come to, side by side: under one budget, and over a range of budgets.

use std::mem;

use serde::{Deserialize, Serialize};

use super::backward::Step;
use super::cost::Needs;
use super::fixed::Fixed;
use super::policies::min_cut::{Partition, partitions};
use super::policies::{Found, Known, NoWalk, Pace, keep_all};
use super::{Policy, Problem, Rule, cost};
use crate::units::Bytes;

/// Into how many parts the range between the smallest budget and that of keeping everything is
/// divided.
const NOTCHES: u64 = 8;

/// What one policy comes to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The policy.
    pub policy: Policy,
    /// What the values may take at once.
    pub budget: Option<Bytes>,
    /// What its schedule needs; `None` where there is none.
    pub needs: Option<Needs>,
    /// What is computed over what is computed when everything is kept.
    pub overhead: f64,
    /// The bytes of all that is computed once more.
    pub again: Bytes,
    /// Whether no schedule under this budget computes less.
    pub optimal: bool,
    /// No schedule under this budget computes less than that, as far as the policy knows.
    pub lower_bound: Option<u64>,
    /// Why there is no schedule.
    pub why: Option<NoWalk>,
    /// The node at which there is none.
    pub at: Option<String>,
}

/// A training step and what the policies come to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PolicyTable {
    /// Whether it is about a log: nodes are calls, and budgets count what is always there.
    pub log: bool,
    /// How many nodes the step has.
    pub nodes: usize,
    /// What stays beside the values during the whole step.
    pub fixed: Bytes,
    /// What that is for; nothing of a log.
    pub fixed_by: Fixed,
    /// What the backward pass reads of the forward pass, by autograd's rule, or of what
    /// torch.compile keeps; the model's inputs aside.
    pub saved: Option<Bytes>,
    /// The kinds of operators that count as saving everything, because nobody knows.
    pub unknown: Vec<String>,
    /// The kinds of operators whose weights are not trained.
    pub untrained: Vec<String>,
    /// The kinds of operators through which no gradient passes.
    pub without_gradient: Vec<String>,
    /// The modules that count as such, each with how often, by autograd's rule.
    pub recognised: Vec<(String, u64)>,
    /// What computing every node once costs.
    pub base: u64,
    /// The least budget under which the step can run.
    pub minimum: Bytes,
    /// The node that sets it.
    pub minimum_at: String,
    /// What keeping everything needs.
    pub keep_all: Bytes,
    /// What torch.compile's partitioner makes of each of its memory budgets; nothing where the step
    /// is no joint graph.
    #[serde(default)]
    pub partitions: Vec<Partition>,
    /// What each policy comes to under the budget, in the order of [`Policy::ALL`].
    pub rows: Vec<Row>,
    /// The same over a range of budgets, those rows left out that have no schedule, and those
    /// whose schedule needs as much memory and as much arithmetic as one of the same policy
    /// before.
    pub points: Vec<Row>,
}

impl Row {
    /// The row of what a policy has found.
    #[must_use]
    pub fn new(problem: &Problem, policy: Policy, budget: Option<Bytes>, found: &Found) -> Self {
        let needs = found.walk.as_ref().map(|_| found.needs);
        let node = match found.why {
            Some(NoWalk::BelowMinimum { node, .. } | NoWalk::OutOfMemory(node)) => Some(node),
            _ => None,
        };
        let named = |node: usize| problem.nodes.get(node).map(|it| it.name.clone());
        Self {
            policy,
            budget,
            needs,
            overhead: needs.map_or(0.0, |needs| cost::overhead(problem, needs.time())),
            again: found
                .walk
                .as_ref()
                .map_or(Bytes::ZERO, |walk| cost::again(problem, walk)),
            optimal: found.optimal,
            lower_bound: found.lower_bound,
            why: found.why.clone(),
            at: node.and_then(named),
        }
    }

    /// What is compared of two: time, then memory; what has no schedule comes last.
    fn price(&self) -> (bool, Option<(u64, Bytes)>) {
        let needs = self.needs.map(|needs| (needs.time(), needs.peak));
        (needs.is_none(), needs)
    }
}

/// Says of each row what all of them prove: a bound that is met is a proof, whichever policy knows
/// it, and what no schedule under a budget is below, none under a smaller budget is.
pub fn prove(rows: &mut [&mut Row]) {
    let known = |row: &&mut Row| {
        let own = row.needs.filter(|_| row.optimal).map(Needs::time);
        Some((row.budget, own.max(row.lower_bound)?))
    };
    let bounds: Vec<(Option<Bytes>, u64)> = rows.iter().filter_map(known).collect();
    for row in rows {
        let own = row.budget;
        let holds = |most: Option<Bytes>| most.is_none_or(|most| own.is_some_and(|it| it <= most));
        let mut least = bounds.iter().filter(|it| holds(it.0)).map(|it| it.1);
        let met = |needs: Needs| least.any(|least| needs.time() <= least);
        row.optimal = row.optimal || row.needs.is_some_and(met);
    }
}

/// A part of a table: what some policies come to at one budget. A page asks for one at a time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Which policies.
    pub policies: Vec<Policy>,
    /// At which budget.
    pub at: At,
}

/// The budget of a part of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum At {
    /// The one that was chosen.
    Chosen,
    /// Half of what keeping everything needs.
    Half,
    /// One of those between the smallest and that of keeping everything, from 0.
    Notch(u64),
}

/// The parts of a table in the order in which they are wanted: the chosen budget first, quick
/// policies first. With `range` also half of the largest budget, and those between the smallest
/// and the largest.
#[must_use]
pub fn parts(range: bool) -> Vec<Part> {
    let paced = |pace| Policy::ALL.into_iter().filter(move |it| it.pace() == pace);
    let alone = || paced(Pace::Slow).map(|it| vec![it]);
    let groups = [Pace::Quick, Pace::Moderate].map(|pace| paced(pace).collect());
    let part = |at| move |policies| Part { policies, at };
    let most = |at| {
        let most = Policy::ALL.into_iter().filter(|it| it.pace() != Pace::Slow);
        part(at)(most.collect())
    };
    let half = || range.then_some(At::Half).into_iter();
    let notches = || (0..=NOTCHES).filter(|_| range).map(At::Notch);
    let quick = groups.into_iter().map(part(At::Chosen));
    quick
        .chain(half().map(most))
        .chain(alone().map(part(At::Chosen)))
        .chain(half().flat_map(|at| alone().map(part(at))))
        .chain(notches().map(most))
        .chain(notches().flat_map(|at| alone().map(part(at))))
        .collect()
}

/// A part of the table under a chosen `budget`. A long search is ended early, see
/// [`Policy::glance`].
#[must_use]
pub fn table(problem: &Problem, budget: Option<Bytes>, part: &Part) -> PolicyTable {
    table_by(&mut Known::default(), problem, budget, part)
}

/// The same, from what is known of the problem.
pub fn table_by(
    known: &mut Known,
    problem: &Problem,
    budget: Option<Bytes>,
    part: &Part,
) -> PolicyTable {
    let (minimum, node) = problem.minimum();
    let all = cost::needs(problem, &keep_all(problem)).peak;
    let mut table = PolicyTable {
        nodes: problem.nodes.len(),
        fixed: problem.fixed,
        base: problem.base_cost(),
        minimum,
        minimum_at: node.map_or_else(String::new, |node| problem.nodes[node].name.clone()),
        keep_all: all,
        ..PolicyTable::default()
    };
    if part.at == At::Chosen && part.policies.contains(&Policy::MinCut) {
        table.partitions = partitions(problem).unwrap_or_default();
    }
    table.fill(budget, part, |policy, budget| {
        let found = known.glance(policy, problem, budget);
        Row::new(problem, policy, budget, &found)
    });
    table
}

impl PolicyTable {
    /// With what the step is made of.
    #[must_use]
    pub fn of(self, step: &Step) -> Self {
        let own = step.saved.iter().filter(|it| !it.input);
        let saved = own.map(|it| it.bytes.0).sum();
        Self {
            fixed_by: step.fixed,
            saved: (step.problem.rule != Rule::Checkmate).then_some(Bytes(saved)),
            unknown: step.unknown.clone(),
            untrained: step.untrained.clone(),
            without_gradient: step.without_gradient.clone(),
            recognised: step.recognised.clone(),
            ..self
        }
    }

    /// Half of what keeping everything needs.
    #[must_use]
    pub const fn half(&self) -> Bytes {
        Bytes(self.keep_all.0 / 2)
    }

    /// Adds the rows or the points of `part`, which `row` makes.
    pub(super) fn fill(
        &mut self,
        budget: Option<Bytes>,
        part: &Part,
        mut row: impl FnMut(Policy, Option<Bytes>) -> Row,
    ) {
        let above = self.keep_all.0.saturating_sub(self.minimum.0);
        let share = |notch: u64| u128::from(above) * u128::from(notch) / u128::from(NOTCHES);
        let at = |notch: u64| self.minimum.0 + u64::try_from(share(notch)).unwrap_or(above);
        let budget = match part.at {
            At::Chosen => budget,
            At::Half => Some(self.half()),
            At::Notch(notch) => Some(Bytes(at(notch))),
        };
        let rows = part.policies.iter().map(|policy| row(*policy, budget));
        match part.at {
            At::Chosen => self.rows = rows.collect(),
            _ => self.points = rows.filter(|row| row.needs.is_some()).collect(),
        }
    }

    /// The rows, with the one of the schedule that is `planned` among them, for which a search had
    /// more time. An exact search that did not end has the cheapest of them all: what is beside
    /// it is never better.
    #[must_use]
    pub fn beside(&self, planned: Option<&Row>) -> Vec<Row> {
        let mut rows = self.rows.clone();
        if let Some(planned) = planned {
            match rows.iter_mut().find(|row| row.policy == planned.policy) {
                // Of the same schedule the table may know a proof.
                Some(row) if row.budget == planned.budget && row.price() <= planned.price() => {}
                Some(row) => row.clone_from(planned),
                None => rows.push(planned.clone()),
            }
        }
        let open = |row: &Row| matches!(row.why, None | Some(NoWalk::NotSearched)) && !row.optimal;
        let exact = rows.iter().position(|row| row.policy == Policy::Exact);
        if let Some(exact) = exact.filter(|at| open(&rows[*at])) {
            let own = &rows[exact];
            let others = rows.iter().filter(|row| row.budget == own.budget);
            let best = others.min_by_key(|row| row.price());
            if let Some(best) = best.filter(|best| best.price() < own.price()) {
                rows[exact] = Row {
                    policy: Policy::Exact,
                    lower_bound: own.lower_bound,
                    ..best.clone()
                };
            }
        }
        prove(&mut rows.iter_mut().collect::<Vec<_>>());
        rows
    }

    /// Takes the rows and points of another part. A point that needs as much memory and as much
    /// arithmetic as one of the same policy before is left out.
    pub fn add(&mut self, mut part: Self) {
        let (mut rows, mut points) = (mem::take(&mut self.rows), mem::take(&mut self.points));
        if part.partitions.is_empty() {
            part.partitions = mem::take(&mut self.partitions);
        }
        let old = rows.iter_mut().chain(&mut points);
        let new = part.rows.iter_mut().chain(&mut part.points);
        prove(&mut old.chain(new).collect::<Vec<_>>());
        rows.retain(|old| part.rows.iter().all(|new| new.policy != old.policy));
        rows.extend(part.rows);
        rows.sort_by_key(|row| Policy::ALL.iter().position(|it| *it == row.policy));
        for point in part.points {
            let same = |old: &Row| (old.policy, old.needs) == (point.policy, point.needs);
            if !points.iter().any(same) {
                points.push(point);
            }
        }
        *self = Self {
            rows,
            points,
            ..part
        };
    }
}
