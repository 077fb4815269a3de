//! Chunks of a sequence of modules, as PyTorch offers them, and a knapsack of saved activations.

use super::chen::articulation_points;
use super::keeping;
use crate::sorting::Sorting;
use crate::training::{Problem, Walk};

/// The most numbers of chunks that are tried.
const MOST_CHUNKS: usize = 64;

/// Into how many parts memory is divided for the knapsack, and the most entries of its table.
const PARTS: usize = 10_000;
const MOST_ENTRIES: usize = 1 << 26;

/// How many sizes of the knapsack are tried, from nothing to all.
const SIZES: usize = 20;

/// `torch.utils.checkpoint.checkpoint_sequential`: modules, which end at articulation points, in
/// chunks of the same number; of each chunk only the output is kept, of the last one, which has
/// what is left over, everything. The number of chunks is the
/// cheapest that fits; there is a walk for each. `None` where it was stopped.
pub(super) fn segments(
    problem: &Problem,
    watch: &mut dyn FnMut(u64, u64) -> bool,
) -> Option<Vec<Walk>> {
    let ends = articulation_points(problem);
    let most = ends.len().clamp(1, MOST_CHUNKS);
    let mut walks = Vec::new();
    for chunks in 1..=most {
        if !watch(chunks as u64, most as u64) {
            return None;
        }
        walks.push(in_chunks(problem, &ends, chunks));
    }
    Some(walks)
}

fn in_chunks(problem: &Problem, ends: &[usize], chunks: usize) -> Walk {
    let size = (ends.len() / chunks).max(1);
    let outputs = (1..chunks).filter_map(|chunk| ends.get(chunk * size - 1).copied());
    let mut kept: Vec<usize> = outputs.collect();
    let last = kept.last().map_or(0, |end| end + 1);
    kept.extend(last..problem.forward());
    keeping(problem, &kept)
}

/// A knapsack over all activations: of those that the backward pass reads the ones are kept that
/// cost most to compute and fit into so many bytes together, by dynamic programming over memory in
/// 10,000 parts and by cost for each byte. How many bytes they may take together is tried in steps
/// of a twentieth of what all of them take. PyTorch's partitioner asks its knapsack only about what
/// its cuts do not compute again, see [`joint`](crate::training::joint).
pub(super) fn knapsack(
    problem: &Problem,
    watch: &mut dyn FnMut(u64, u64) -> bool,
) -> Option<Vec<Walk>> {
    let forward = problem.forward();
    let mut saved = vec![false; forward];
    for node in &problem.nodes[forward..] {
        let read = node.reads.iter().filter(|read| **read < forward);
        read.for_each(|read| saved[*read] = true);
    }
    let items: Vec<usize> = (0..forward).filter(|node| saved[*node]).collect();
    if !watch(0, 1) {
        return None;
    }
    let mut choices: Vec<Vec<usize>> = Vec::new();
    let sack = Sack::new(problem, &items);
    for size in 0..=SIZES {
        choices.push(sack.best(size * sack.parts / SIZES));
        choices.push(by_density(problem, &items, size));
    }
    choices.order_by_key(|kept| (kept.len(), kept.clone()));
    choices.dedup();
    let walks = choices.iter().map(|kept| keeping(problem, kept));
    Some(walks.collect())
}

/// Those with the highest cost for each byte, as long as they fit into `size` twentieths.
fn by_density(problem: &Problem, items: &[usize], size: usize) -> Vec<usize> {
    let figures = |node: usize| {
        let own = &problem.nodes[node];
        (u128::from(own.cost), u128::from(own.bytes.0))
    };
    let all: u128 = items.iter().map(|node| figures(*node).1).sum();
    let mut left = all * size as u128 / SIZES as u128;
    let mut order = items.to_vec();
    order.order_by(|one, other| {
        let ((cost, bytes), (its_cost, its_bytes)) = (figures(*one), figures(*other));
        (its_cost * bytes).cmp(&(cost * its_bytes))
    });
    let mut kept = Vec::new();
    for node in order {
        let bytes = figures(node).1;
        if bytes <= left {
            left -= bytes;
            kept.push(node);
        }
    }
    kept.order_by_key(|node| *node);
    kept
}

/// The table of the knapsack: for each item and each size whether it is in the best choice.
struct Sack {
    items: Vec<usize>,
    weights: Vec<usize>,
    parts: usize,
    taken: Vec<bool>,
}

impl Sack {
    fn new(problem: &Problem, items: &[usize]) -> Self {
        let parts = PARTS.min(MOST_ENTRIES / (items.len() + 1));
        let bytes = |node: &usize| u128::from(problem.nodes[*node].bytes.0);
        let all: u128 = items.iter().map(bytes).sum::<u128>().max(1);
        let weight = |node: &usize| {
            let weight = (bytes(node) * parts as u128 + all / 2) / all;
            usize::try_from(weight).unwrap_or(parts)
        };
        let weights: Vec<usize> = items.iter().map(weight).collect();
        let mut most = vec![0_u64; parts + 1];
        let mut taken = vec![false; items.len() * (parts + 1)];
        for (item, (&node, &weight)) in items.iter().zip(&weights).enumerate() {
            let cost = problem.nodes[node].cost;
            for size in (weight..=parts).rev() {
                let with = most[size - weight] + cost;
                if with > most[size] {
                    most[size] = with;
                    taken[item * (parts + 1) + size] = true;
                }
            }
        }
        Self {
            items: items.to_vec(),
            weights,
            parts,
            taken,
        }
    }

    /// The best choice that fits into so many parts, ascending.
    fn best(&self, mut size: usize) -> Vec<usize> {
        let mut kept = Vec::new();
        for item in (0..self.items.len()).rev() {
            if self.taken[item * (self.parts + 1) + size] {
                kept.push(self.items[item]);
                size -= self.weights[item];
            }
        }
        kept.reverse();
        kept
    }
}
