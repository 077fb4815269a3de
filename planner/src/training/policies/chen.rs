//! Chen et al. 2016, "Training Deep Nets with Sublinear Memory Cost": some values of the forward
//! pass are kept, the rest is computed once more between two of them. As Checkmate's artifact
//! takes it to graphs that are no chains (Jain et al. 2020, section 6.2).

use super::keeping;
use crate::training::cost::needs;
use crate::training::{Problem, Walk};

/// How many thresholds are tried.
pub const THRESHOLDS: u64 = 60;

/// Every √n-th articulation point is kept.
pub(super) fn sqrt_n(problem: &Problem) -> Walk {
    let points = articulation_points(problem);
    let every = points.len().isqrt().max(1);
    let kept = points.into_iter().enumerate();
    let kept = kept.filter(|(index, _)| (index + 1) % every == 0);
    let kept: Vec<usize> = kept.map(|(_, node)| node).collect();
    keeping(problem, &kept)
}

/// Something is kept once `threshold` bytes have gathered: the thresholds are multiples of what
/// [`sqrt_n`] needs, from 0 to nearly 3 in steps of 0.05. `None` where it was stopped.
pub(super) fn greedy(
    problem: &Problem,
    only_points: bool,
    watch: &mut dyn FnMut(u64, u64) -> bool,
) -> Option<Vec<Walk>> {
    let allowed = match only_points {
        true => articulation_points(problem),
        false => (0..problem.forward()).collect(),
    };
    let mut may = vec![false; problem.nodes.len()];
    allowed.into_iter().for_each(|node| may[node] = true);
    let peak = needs(problem, &sqrt_n(problem)).peak.0;
    let mut walks = Vec::new();
    let mut tried: Vec<Vec<usize>> = Vec::new();
    for step in 0..THRESHOLDS {
        if !watch(step, THRESHOLDS) {
            return None;
        }
        let threshold = u128::from(peak) * u128::from(step) / 20;
        let mut kept = Vec::new();
        let mut gathered = 0;
        for (node, own) in problem.nodes.iter().enumerate().take(problem.forward()) {
            gathered += u128::from(own.bytes.0);
            if may[node] && gathered > threshold {
                gathered = 0;
                kept.push(node);
            }
        }
        if !tried.contains(&kept) {
            walks.push(keeping(problem, &kept));
            tried.push(kept);
        }
    }
    Some(walks)
}

/// The nodes of the forward pass that every way from its first node to its last goes through,
/// and all that a graph without direction falls apart without. Both ends count as tied to
/// something outside, so that they are among them. Tarjan 1972, "Depth-first search and linear
/// graph algorithms".
pub(super) fn articulation_points(problem: &Problem) -> Vec<usize> {
    let count = problem.forward();
    if count == 0 {
        return Vec::new();
    }
    // Two more for what is outside, at both ends.
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); count + 2];
    let mut tie = |one: usize, other: usize| {
        next[one].push(other);
        next[other].push(one);
    };
    for (node, own) in problem.nodes.iter().enumerate().take(count) {
        own.reads.iter().for_each(|read| tie(*read, node));
    }
    tie(count, 0);
    tie(count + 1, count - 1);
    let mut found = vec![false; count + 2];
    let mut order = vec![usize::MAX; count + 2];
    let mut lowest = vec![usize::MAX; count + 2];
    let mut visited = 0;
    for root in [count, count + 1].into_iter().chain(0..count) {
        if order[root] != usize::MAX {
            continue;
        }
        let mut stack = vec![(root, usize::MAX, 0)];
        let mut below_root = 0;
        while let Some((node, from, at)) = stack.last_mut() {
            let (node, from) = (*node, *from);
            if *at == 0 {
                (order[node], lowest[node]) = (visited, visited);
                visited += 1;
            }
            let Some(&other) = next[node].get(*at) else {
                stack.pop();
                if let Some((above, ..)) = stack.last() {
                    let above = *above;
                    lowest[above] = lowest[above].min(lowest[node]);
                    match above == root {
                        true => below_root += 1,
                        false => found[above] |= lowest[node] >= order[above],
                    }
                }
                continue;
            };
            *at += 1;
            if order[other] == usize::MAX {
                stack.push((other, node, 0));
            } else if other != from {
                lowest[node] = lowest[node].min(order[other]);
            }
        }
        found[root] |= below_root > 1;
    }
    (0..count).filter(|node| found[*node]).collect()
}
