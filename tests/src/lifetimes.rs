//! Deterministic generators of lifetimes, for property tests and benchmarks.
//!
//! The same seed gives the same lifetimes on every machine. Each generator says what is known
//! about its problems beforehand, so that a test has something to hold a plan against.

use planner::{Buffer, Lifetimes, Span};

use crate::random::Random;

/// Lifetimes of `buffers`, named b0, b1, ... in their order, with the horizon they need.
#[must_use]
pub fn of(buffers: impl IntoIterator<Item = (u64, Span)>) -> Lifetimes {
    let name = |(index, (size, span))| Buffer::new(format!("b{index}"), size, span);
    Lifetimes::of(buffers.into_iter().enumerate().map(name))
}

/// Buffers of (size, first step, end), named as by [`of`].
#[must_use]
pub fn problem(buffers: &[(u64, u64, u64)]) -> Lifetimes {
    let buffers = buffers.iter();
    of(buffers.map(|&(size, start, end)| (size, Span::new(start, end))))
}

/// Buffers of (name, size, first step, end).
#[must_use]
pub fn named(buffers: &[(&str, u64, u64, u64)]) -> Lifetimes {
    let buffer = |&(name, size, start, end): &(&str, u64, u64, u64)| {
        Buffer::new(name, size, Span::new(start, end))
    };
    Lifetimes::of(buffers.iter().map(buffer))
}

/// `count` buffers of sizes 1 to `largest`, each live for 1 to 1 + `steps` / 4 steps
/// anywhere in `steps` steps.
#[must_use]
pub fn scattered(seed: u64, count: usize, steps: u64, largest: u64) -> Lifetimes {
    let mut random = Random::new(seed);
    let steps = steps.max(1);
    of((0..count).map(|_| {
        let start = random.within(0, steps);
        let len = random.within(1, steps / 4 + 2);
        let end = (start + len).min(steps);
        (random.within(1, largest + 1), Span::new(start, end))
    }))
}

/// A chain, as in a network without branches: buffer i is written at step i and read at
/// step i + 1. With random sizes the lower bound is the largest sum of two neighbours, and
/// placing them alternately at the bottom and at the top reaches it.
#[must_use]
pub fn chain(seed: u64, count: u64, largest: u64) -> Lifetimes {
    let mut random = Random::new(seed);
    let size = move |_| random.within(1, largest + 1);
    let sizes: Vec<u64> = (0..count).map(size).collect();
    of((0..count)
        .zip(sizes)
        .map(|(step, size)| (size, Span::new(step, step + 2))))
}

/// A chain with skip connections: every buffer in `every` is read again up to `reach` steps
/// later, as in residual and U-shaped networks.
#[must_use]
pub fn skips(seed: u64, count: u64, every: u64, reach: u64, largest: u64) -> Lifetimes {
    let mut random = Random::new(seed);
    let end = count + 1;
    let mut buffers = Vec::new();
    for step in 0..count {
        let skipped = step % every.max(1) == 0;
        let more = if skipped {
            random.within(1, reach + 1)
        } else {
            0
        };
        let size = random.within(1, largest + 1);
        buffers.push((size, Span::new(step, (step + 2 + more).min(end))));
    }
    of(buffers)
}

/// Layers of `width` branches that start together and end together, as in Inception modules.
/// A branch works for 1 to 4 steps, one buffer a step, after the branches before it; all
/// branches' last buffers wait for the layer's end. Sizes are multiples of 64.
#[must_use]
pub fn layered(seed: u64, layers: u64, width: u64, largest: u64) -> Lifetimes {
    let mut random = Random::new(seed);
    let mut buffers = Vec::new();
    let mut now = 0;
    for _ in 0..layers {
        let mut waiting = Vec::new();
        for _ in 0..width {
            let depth = random.within(1, 5);
            for step in 1..=depth {
                let size = 64 * random.within(1, largest / 64 + 2);
                if step == depth {
                    waiting.push((size, now));
                } else {
                    buffers.push((size, Span::new(now, now + 2)));
                }
                now += 1;
            }
        }
        // The operator that joins the branches reads what waits.
        now += 1;
        let wait = |(size, start)| (size, Span::new(start, now));
        buffers.extend(waiting.into_iter().map(wait));
    }
    buffers.sort_by_key(|&(_, span)| span);
    of(buffers)
}

/// A full rectangle of `steps` × `capacity` cut into at most `count` pieces, in random order:
/// the lower bound is `capacity` at every step, and a plan that reaches it exists, for it was
/// cut apart. Hard for greedy strategies.
///
/// The largest piece is cut next, across its longer side; no side is cut below 1. Takes time
/// in the square of `count`: meant for some thousand pieces.
#[must_use]
pub fn tight(seed: u64, count: usize, steps: u64, capacity: u64) -> Lifetimes {
    let mut random = Random::new(seed);
    let mut pieces = vec![(capacity.max(1), Span::new(0, steps.max(1)))];
    while pieces.len() < count {
        // Each side as a share of the whole, in parts of 2^16, decides what is large.
        let share = |part: u64, whole: u64| (u128::from(part) << 16) / u128::from(whole.max(1));
        let sides = |&(size, span): &(u64, Span)| {
            let width = if span.len() > 1 {
                share(span.len(), steps)
            } else {
                0
            };
            let height = if size > 1 { share(size, capacity) } else { 0 };
            (width, height)
        };
        let area = |piece: &(u64, Span)| {
            let (width, height) = sides(piece);
            let whole = share(piece.1.len(), steps) * share(piece.0, capacity);
            if width == 0 && height == 0 { 0 } else { whole }
        };
        let largest = (0..pieces.len()).max_by_key(|&index| area(&pieces[index]));
        let Some(index) = largest.filter(|&index| sides(&pieces[index]) != (0, 0)) else {
            break;
        };
        let piece = pieces.swap_remove(index);
        let (width, height) = sides(&piece);
        pieces.extend(cut(&mut random, piece, width >= height));
    }
    for index in (1..pieces.len()).rev() {
        let other = random.within(0, index as u64 + 1);
        pieces.swap(index, usize::try_from(other).unwrap_or(index));
    }
    of(pieces)
}

/// Cuts a piece in two between a quarter and three quarters of its length.
fn cut(random: &mut Random, (size, span): (u64, Span), in_time: bool) -> [(u64, Span); 2] {
    let mut middle = |length: u64| {
        let quarter = (length / 4).max(1);
        random.within(quarter, (length - quarter + 1).max(quarter + 1))
    };
    let (start, end) = (span.start.0, span.end.0);
    if in_time {
        let at = start + middle(span.len());
        [(size, Span::new(start, at)), (size, Span::new(at, end))]
    } else {
        let lower = middle(size);
        [(lower, span), (size - lower, span)]
    }
}
