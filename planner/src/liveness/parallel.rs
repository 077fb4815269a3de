//! Spans for operators that run at the same time: how far reachability widens them.
//!
//! Let an operator *use* a tensor when it writes or reads it; the tensor is live from when
//! its first user starts to when its last user has finished. A run gives the steps of the
//! schedule a meaning even when operators overlap: it is at step s while operator s is the
//! first of the schedule that has not finished. The run passes the steps in order. While an
//! operator runs, all of its ancestors have finished and it has not, so the run is at least
//! at the first step that is none of its ancestors, and at most at its own step. The *early*
//! span of a tensor is the hull of these ranges, over all of its users: from the first step
//! that is not an ancestor of every user, to after its last user in the schedule. The tensor
//! is live only while the run is within that span.
//!
//! **So tensors with disjoint spans are never live together, however the operators run**,
//! and may share bytes without any dependency that the graph does not have. (In the graph:
//! let the span of a end where that of b begins or before. Every user of a stands before the
//! first step that is not an ancestor of every user of b, so it is an ancestor of all of
//! them.) A [`Handover`](super::Handover) stays right too: if the spans share one step, that
//! of the operator that reads a last and writes b, then every other user of a stands before
//! it, and all those are its ancestors.
//!
//! Seen from the end of the run, when it is at step s while operator s is the last one that
//! has started, the same holds with *late* spans: from the first user in the schedule to the
//! last step that is not a descendant of every user. Neither is better for all models, so
//! both are made, and that with the smaller largest sum of live sizes is kept. Either is
//! within the range of all operators that may run while the tensor is live; that range,
//! which is simpler to decide, is safe twice over, and costs up to twelve times as much.
//!
//! The first step that is not an ancestor of every user is the least, over the users u, of
//! the first that is not an ancestor of u. So there are two numbers per operator, found in
//! time n · (n + edges) / 64 and memory n + edges: ancestors among 64 operators at a time
//! are one word per operator. Where that would take longer than two seconds or so, every
//! span is the whole run, which is safe and saves nothing.

use std::borrow::Cow;

use super::dependencies::Dependencies;
use crate::program::Program;
use crate::settings::Parallel;
use crate::sorting::Sorting as _;
use crate::units::Span;

/// The most work spent on reachability, in words looked at: a second or two. 100,000
/// operators in a chain, or 60,000 that read five tensors each, stay below it.
const WORK: u64 = 1 << 29;

/// Ways to be safe when operators run at the same time: for each step of `program` the span
/// that a tensor used there must at least have. The span of a tensor is the hull of those of
/// its users. At least one way; mixing two is not safe.
pub(super) fn windows(
    program: &Program,
    dependencies: &Dependencies,
    parallel: Parallel,
) -> Vec<Vec<Span>> {
    let steps = program.schedule.len();
    let all = 0..steps as u64;
    if parallel == Parallel::Serial {
        return vec![one_by_one(program)];
    }
    let edges = &*waits(program, dependencies, parallel);
    let words = (steps as u64).div_ceil(64);
    let work = words.saturating_mul((steps + edges.len()) as u64);
    if work > WORK {
        return vec![vec![Span::new(0, steps as u64); steps]];
    }
    let first = first_not_before(edges).into_iter();
    let early = first.zip(all.clone());
    let early = early.map(|(first, step)| Span::new(first as u64, step + 1));
    // From the end of the run, steps are numbered backwards.
    let last = first_not_before(&edges.reversed()).into_iter().rev();
    let late = last.zip(all);
    let late = late.map(|(last, step)| Span::new(step, (steps - last) as u64));
    vec![early.collect(), late.collect()]
}

/// The only way where one step runs after the other.
pub(super) fn one_by_one(program: &Program) -> Vec<Span> {
    let all = 0..program.schedule.len() as u64;
    all.map(|step| Span::new(step, step + 1)).collect()
}

/// Which steps wait for which: those whose results they read, and in a stream those before.
pub(super) fn waits<'d>(
    program: &Program,
    dependencies: &'d Dependencies,
    parallel: Parallel,
) -> Cow<'d, Dependencies> {
    match parallel {
        Parallel::Streams => Cow::Owned(dependencies.with_chains(&streams(program))),
        Parallel::Serial | Parallel::Free => Cow::Borrowed(dependencies),
    }
}

/// The steps of each stream in order; operators without a stream are of stream 0.
fn streams(program: &Program) -> Vec<Vec<usize>> {
    let stream = |&step: &usize| {
        let op = program.schedule.op(step).map(|op| program.graph.op(op));
        op.and_then(|op| op.stream).unwrap_or(0)
    };
    let mut steps: Vec<usize> = (0..program.schedule.len()).collect();
    steps.order_by_key(stream);
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
