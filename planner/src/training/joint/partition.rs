//! What the forward pass keeps for the backward pass, under a memory budget.
//!
//! | budget | kept |
//! |---|---|
//! | 0 | the inputs: everything is computed again |
//! | between | the first of the usual cut, two more aggressive ones and the most aggressive with a knapsack that is within the budget |
//! | 1 | the usual minimum cut |
//!
//! The budget is a share of what lies between the two: of a proxy, bytes that are kept, not of
//! the memory that a run needs at a time.

use serde::{Deserialize, Serialize};

use super::bans::{Banned, Bans};
use super::cut::{ENDLESS, Network};
use super::knapsack::{self, Item};
use super::{Class, Classified, FAR, JointGraph};
use crate::sorting::Sorting as _;
use crate::units::Bytes;

/// How the knapsack is solved: `activation_memory_budget_solver`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Solver {
    /// Dynamic programming.
    #[default]
    Dp,
    /// By cost for each byte.
    Greedy,
}

/// The most entries of the knapsack's table.
const MOST_ENTRIES: usize = 1 << 30;
const PARTS: usize = 10_001;

/// The partitioner of a joint graph, with what does not depend on the budget.
#[derive(Clone, Debug)]
pub struct Partitioner<'a> {
    graph: Classified<'a>,
    inputs: Vec<usize>,
    usual: Vec<usize>,
    aggressive: Option<Aggressive>,
}

/// The cuts behind the usual one.
#[derive(Clone, Debug)]
struct Aggressive {
    /// What the inputs take, and what the usual cut takes more, in units of 10⁹ bytes.
    least: f64,
    range: f64,
    first: Vec<usize>,
    second: Vec<usize>,
    /// What of the second's banned nodes a knapsack chooses from, the largest first.
    costly: Vec<usize>,
    items: Vec<Item>,
}

/// Why a graph is not cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoCut {
    /// The backward pass needs what can be neither kept nor computed again.
    Endless,
    /// The knapsack has too many items.
    TooMany,
}

impl<'a> Partitioner<'a> {
    /// Makes the cuts of `graph`.
    ///
    /// # Errors
    /// [`NoCut`].
    pub fn new(graph: &'a JointGraph) -> Result<Self, NoCut> {
        let graph = Classified::of(graph);
        let primal = |node: &usize| graph.graph.nodes[*node].class.is_primal();
        let inputs: Vec<usize> = (0..graph.users.len()).filter(primal).collect();
        let nothing = vec![false; graph.users.len()];
        let cut = |bans: Bans| saved(&graph, bans, &nothing);
        let (usual, _) = cut(Bans::USUAL)?;
        let least = gigabytes(&graph, &inputs);
        let range = gigabytes(&graph, &usual) - least;
        let aggressive = if range > 0.0 {
            let (first, _) = cut(Bans::AGGRESSIVE)?;
            let (second, banned) = cut(Bans::MORE_AGGRESSIVE)?;
            let costly = costly(&graph, &banned);
            if costly.len().saturating_mul(PARTS) > MOST_ENTRIES {
                return Err(NoCut::TooMany);
            }
            let item = |node: &usize| {
                let own = &graph.graph.nodes[*node];
                Item {
                    share: own.bytes.0 as f64 / 1e9 / range,
                    runtime: own.runtime.max(1),
                }
            };
            Some(Aggressive {
                least,
                range,
                first,
                second,
                items: costly.iter().map(item).collect(),
                costly,
            })
        } else {
            None
        };
        Ok(Self {
            graph,
            inputs,
            usual,
            aggressive,
        })
    }

    /// The nodes that are kept with so much of the memory between that of the inputs and that of
    /// the usual cut, from 0 to 1; ascending.
    ///
    /// # Errors
    /// [`NoCut::Endless`].
    pub fn saved(&self, budget: f64, solver: Solver) -> Result<Vec<usize>, NoCut> {
        let budget = budget.clamp(0.0, 1.0);
        if budget <= 0.0 {
            return Ok(self.inputs.clone());
        }
        let Some(more) = self.aggressive.as_ref().filter(|_| budget < 1.0) else {
            return Ok(self.usual.clone());
        };
        let share = |kept: &[usize]| (gigabytes(&self.graph, kept) - more.least) / more.range;
        if share(&more.first) < budget {
            return Ok(more.first.clone());
        }
        if share(&more.second) < budget || more.costly.is_empty() {
            return Ok(more.second.clone());
        }
        let kept = match solver {
            Solver::Dp => knapsack::by_table(&more.items, budget),
            Solver::Greedy => knapsack::by_density(&more.items, budget),
        };
        let mut allowed = vec![false; self.graph.users.len()];
        for (node, kept) in more.costly.iter().zip(kept) {
            allowed[*node] = !kept;
        }
        saved(&self.graph, Bans::MORE_AGGRESSIVE, &allowed).map(|(saved, _)| saved)
    }

    /// The nodes that read `node` and are no part of the forward pass, ascending.
    pub fn backward_users(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        let users = self.graph.users[node].iter().copied();
        users.filter(|user| self.graph.forward[*user].is_none())
    }

    /// What keeping these nodes takes by the partitioner's count, which the budget is a share of:
    /// views count as much as what they view. Parameters, which stay in any case, are left out.
    #[must_use]
    pub fn kept(&self, saved: &[usize]) -> Bytes {
        let nodes = saved.iter().map(|node| &self.graph.graph.nodes[*node]);
        let own = nodes.filter(|node| node.class != Class::Parameter);
        Bytes(own.fold(0, |sum, node| sum.saturating_add(node.bytes.0)))
    }
}

/// What these nodes take in units of 10⁹ bytes.
fn gigabytes(graph: &Classified<'_>, nodes: &[usize]) -> f64 {
    let bytes = nodes.iter().map(|node| graph.graph.nodes[*node].bytes.0);
    bytes.fold(0, u64::saturating_add) as f64 / 1e9
}

/// The banned nodes that lead to the backward pass and are no view of an input, the largest first.
fn costly(graph: &Classified<'_>, banned: &Banned) -> Vec<usize> {
    let own = |node: &usize| {
        let it = &graph.graph.nodes[*node];
        graph.distance[*node] < FAR && !it.class.is_primal() && !it.of_input
    };
    let mut costly: Vec<usize> = banned.order.iter().copied().filter(own).collect();
    costly.order_by(|one, other| {
        let [one, other] = [one, other].map(|it| graph.graph.nodes[*it].bytes);
        other.cmp(&one)
    });
    costly
}

/// What keeping `node` weighs. What lies nearer to the backward pass is preferred, and what is in
/// memory in any case to what a kernel would have to write for it.
fn weight(graph: &Classified<'_>, powers: &[f64], node: usize) -> u128 {
    let own = &graph.graph.nodes[node];
    if own.class == Class::Parameter {
        return 0;
    }
    if own.several {
        return ENDLESS;
    }
    let steps = usize::try_from(graph.distance[node]).map_or(powers.len(), |it| it.max(1));
    let weight = own.bytes.0 as f64 * powers[steps.min(powers.len()) - 1];
    let fused = |user: &usize| graph.is_fusible(node, *user);
    let all_fused = !graph.returned[node] && graph.users[node].iter().all(fused);
    match own.class.is_placeholder() || !all_fused {
        true => truncated(weight),
        false => truncated(weight) * 2,
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a product of numbers that are not negative, below 2^78"
)]
fn truncated(number: f64) -> u128 {
    number as u128
}

/// 1.1, 1.1², … 1.1¹⁰⁰, each rounded once: in pairs of numbers, the second of which holds what the
/// first lacks (Dekker, "A Floating-Point Technique for Extending the Available Precision", 1971).
fn powers() -> Vec<f64> {
    let (mut high, mut low) = (1.0_f64, 0.0_f64);
    let mut powers = Vec::with_capacity(100);
    for _ in 0..100 {
        let product = high * 1.1;
        let rest = high.mul_add(1.1, -product) + low * 1.1;
        high = product + rest;
        low = rest - (high - product);
        powers.push(high);
    }
    powers
}

/// The nodes on the minimum cut, ascending, and those that may not be computed again.
fn saved(
    graph: &Classified<'_>,
    bans: Bans,
    allowed: &[bool],
) -> Result<(Vec<usize>, Banned), NoCut> {
    let count = graph.users.len();
    let banned = bans.of(graph, allowed);
    let powers = powers();
    let (source, sink) = (2 * count, 2 * count + 1);
    let mut network = Network::new(2 * count + 2);
    for node in 0..count {
        let (before, after) = (2 * node, 2 * node + 1);
        if graph.follows_tangent[node] {
            network.join(before, sink, ENDLESS);
            continue;
        }
        if graph.needed_backward[node] {
            network.join(after, sink, ENDLESS);
        }
        if banned.is[node] {
            network.join(source, before, ENDLESS);
        }
        network.join(before, after, weight(graph, &powers, node));
        for &user in &graph.users[node] {
            network.join(after, 2 * user, ENDLESS);
        }
    }
    let sides = network.sink_side(source, sink).ok_or(NoCut::Endless)?;
    let crosses = |node: &usize| {
        let placed = !graph.follows_tangent[*node];
        placed && !sides[2 * node] && sides[2 * node + 1]
    };
    Ok(((0..count).filter(crosses).collect(), banned))
}
