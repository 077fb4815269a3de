//! Spans for operators that run at the same time: how far reachability widens them.
//!
//! Let an operator *use* a tensor when it writes or reads it. Operator x can run while a
//! tensor is live unless x is a strict ancestor of every user, so that it has finished
//! before the first of them starts, or a strict descendant of every user, so that it starts
//! after the last of them has finished. (With one producer and its consumers: unless x is
//! an ancestor of the producer, or a descendant of every consumer.) Let T be the set of the
//! operators that can. The widened span reaches from the first operator of T to behind the
//! last one, in positions of the schedule. T holds the users themselves, so the widened
//! span contains the serial one.
//!
//! **Tensors with disjoint widened spans may share bytes however the operators run.** Let a
//! and b be such tensors, all of T(a) before all of T(b), and let u use b. u is in T(b), so
//! it stands behind all of T(a) and is not in T(a): it is a strict ancestor or a strict
//! descendant of every user of a. Edges lead to later positions only, and the users of a
//! are in T(a) and stand before u, so u cannot be their ancestor. Hence every user of b
//! depends on every user of a: all of a's uses have finished when b is written, without
//! any dependency that the graph does not have.
//!
//! A [`Handover`](super::Handover) stays right too. Two tensors whose widened spans share
//! exactly one step have that operator in both sets; by the same argument every other user
//! of the earlier one is its ancestor, and every other user of the later one its
//! descendant.
//!
//! Only the two ends of T are needed. The first operator that is not an ancestor of every
//! user is the least, over the users u, of the first that is not an ancestor of u; the last
//! one likewise. So there are two numbers per operator, found in time n · (n + edges) / 64
//! and memory n + edges: ancestors among 64 operators at a time are one word per operator.
//! Where that would take longer than [`WORK`], every span is the whole run, which is safe
//! and saves nothing.

use super::Parallel;
use super::dependencies::Dependencies;
use crate::graph::{Graph, OpId};
use crate::units::Span;

/// The most work spent on reachability, in words looked at: a second or two. A chain of
/// 100,000 operators, or 60,000 of five inputs each, stay below it.
const WORK: u64 = 1 << 29;

/// For each step of `schedule` the span that a tensor used there must at least have: the
/// span of a tensor is the hull of those of its users.
pub(super) fn windows(
    graph: &Graph,
    schedule: &[OpId],
    dependencies: &Dependencies,
    parallel: Parallel,
) -> Vec<Span> {
    let steps = schedule.len();
    let chained;
    let edges = match parallel {
        Parallel::Serial => return (0..steps as u64).map(|s| Span::new(s, s + 1)).collect(),
        Parallel::Free => dependencies,
        Parallel::Streams => {
            chained = dependencies.with_chains(&streams(graph, schedule));
            &chained
        }
    };
    let words = (steps as u64).div_ceil(64);
    let work = words.saturating_mul((steps + edges.len()) as u64);
    if work > WORK {
        return vec![Span::new(0, steps as u64); steps];
    }
    let first = first_not_before(edges);
    let last = first_not_before(&edges.reversed());
    let window = |step: usize| {
        let behind = steps - last[steps - 1 - step];
        Span::new(first[step] as u64, behind as u64)
    };
    (0..steps).map(window).collect()
}

/// The steps of each stream in order; operators without a stream are of stream 0.
fn streams(graph: &Graph, schedule: &[OpId]) -> Vec<Vec<usize>> {
    let stream = |&step: &usize| graph.op(schedule[step]).stream.unwrap_or(0);
    let mut steps: Vec<usize> = (0..schedule.len()).collect();
    steps.sort_by_key(stream);
    let of_one = |chunk: &[usize]| chunk.to_vec();
    let chains = steps.chunk_by(|a, b| stream(a) == stream(b));
    chains.map(of_one).collect()
}

/// For each step the first step that is none of its ancestors; at most itself.
fn first_not_before(edges: &Dependencies) -> Vec<usize> {
    let steps = edges.steps();
    let mut first: Vec<Option<usize>> = vec![None; steps];
    let mut base = 0;
    let mut open = true;
    while open {
        open = false;
        // Bit i of a step: step base + i is one of its ancestors.
        let mut ancestors = vec![0_u64; steps - base];
        for step in base..steps {
            let own = |&before: &usize| match before.checked_sub(base) {
                Some(at) if at < 64 => ancestors[at] | 1 << at,
                Some(at) => ancestors[at],
                None => 0,
            };
            let before = edges.before(step).iter();
            let word = before.map(own).fold(0, |all, one| all | one);
            ancestors[step - base] = word;
            if first[step].is_none() {
                let run = word.trailing_ones() as usize;
                if run < 64 {
                    first[step] = Some(base + run);
                } else {
                    open = true;
                }
            }
        }
        base = (base + 64).min(steps);
    }
    let found = first.into_iter().enumerate();
    found.map(|(step, first)| first.unwrap_or(step)).collect()
}
