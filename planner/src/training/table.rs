//! What the policies come to, side by side: under one budget, and over a range of budgets.

use serde::{Deserialize, Serialize};

use super::cost::Needs;
use super::policies::{Found, NoWalk, keep_all};
use super::{Policy, Problem, cost};
use crate::units::Bytes;

/// Into how many parts the range between the smallest budget and that of keeping everything is
/// divided.
const PARTS: u64 = 8;

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
    /// How many nodes the step has.
    pub nodes: usize,
    /// What stays beside the values during the whole step: weights and their gradients.
    pub fixed: Bytes,
    /// What computing every node once costs.
    pub base: u64,
    /// The least budget under which the step can run.
    pub minimum: Bytes,
    /// The node that sets it.
    pub minimum_at: String,
    /// What keeping everything needs.
    pub keep_all: Bytes,
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
            overhead: needs.map_or(0.0, |needs| cost::overhead(problem, needs.cost)),
            optimal: found.optimal,
            lower_bound: found.lower_bound,
            why: found.why.clone(),
            at: node.and_then(named),
        }
    }
}

/// Has every policy make a schedule under `budget`, exact searches at a glance, and over a `range` of budgets if that is
/// wanted. `went_on` hears how many of how many are there, and says whether to go on; where not,
/// the table has what is there.
#[must_use]
pub fn table(
    problem: &Problem,
    (budget, range): (Option<Bytes>, bool),
    went_on: &mut dyn FnMut(u64, u64) -> bool,
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
    let above = all.0.saturating_sub(minimum.0);
    let share = |part: u64| u128::from(above) * u128::from(part) / u128::from(PARTS);
    let at = |part: u64| minimum.0 + u64::try_from(share(part)).unwrap_or(above);
    let budgets = (0..=PARTS).filter(|_| range);
    let budgets = budgets.map(|part| Some(Bytes(at(part))));
    let asked = Policy::ALL.map(|policy| (policy, budget, true));
    let over = budgets.flat_map(|budget| Policy::ALL.map(|policy| (policy, budget, false)));
    let asked: Vec<_> = asked.into_iter().chain(over).collect();
    for (done, &(policy, budget, is_row)) in asked.iter().enumerate() {
        let found = policy.glance(problem, budget);
        let row = Row::new(problem, policy, budget, &found);
        let same = |it: &Row| (it.policy, it.needs) == (policy, row.needs);
        if is_row {
            table.rows.push(row);
        } else if row.needs.is_some() && !table.points.iter().any(same) {
            table.points.push(row);
        }
        if !went_on(done as u64 + 1, asked.len() as u64) {
            break;
        }
    }
    table
}
