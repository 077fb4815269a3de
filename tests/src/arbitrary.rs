//! Arbitrary lifetimes with every constraint that there is, and a judge of its own: byte by
//! byte and step by step, too slow for anything but small problems.

use planner::{Buffer, Bytes, Handover, Lifetimes, Offset, Pause, Span, Step};

use crate::random::Random;

/// What kind of lifetimes to make. Chances are in percent, per buffer or pair.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shape {
    /// Number of buffers.
    pub buffers: u64,
    /// Number of steps, at least 1.
    pub steps: u64,
    /// One more than the largest size.
    pub size: u64,
    /// The largest alignment of a buffer is 2 to the power of one less than this; 0 for none.
    pub alignments: u64,
    /// Chance of a pause, which may come twice.
    pub pauses: u64,
    /// Chance of a handover where two buffers meet.
    pub handovers: u64,
    /// Chance of a fixed address.
    pub fixed: u64,
    /// Number of pools, of which a buffer may live in some, in some order, with a chance of
    /// one half.
    pub pools: u64,
}

/// Lifetimes in arbitrary order, empty spans and sizes of 0 among them. Buffers with fixed
/// addresses may be in each other's way.
pub fn lifetimes(random: &mut Random, shape: Shape) -> Lifetimes {
    let buffers = (0..shape.buffers).map(|index| buffer(random, shape, index));
    let mut lifetimes = Lifetimes {
        buffers: buffers.collect(),
        horizon: Step(shape.steps),
        ..Lifetimes::default()
    };
    for (before, one) in lifetimes.buffers.iter().enumerate() {
        for (after, other) in lifetimes.buffers.iter().enumerate() {
            let meet = before != after && one.span.end.0 == other.span.start.0 + 1;
            if meet && random.below(100) < shape.handovers {
                let shift = random.below(2) * random.below(shape.size);
                lifetimes.handovers.push(Handover {
                    before,
                    after,
                    shift: Bytes(shift),
                });
            }
        }
    }
    lifetimes
}

fn buffer(random: &mut Random, shape: Shape, index: u64) -> Buffer {
    let start = random.below(shape.steps);
    let end = start + random.below(shape.steps - start + 1);
    let size = random.below(shape.size);
    let mut buffer = Buffer::new(format!("b{index}"), size, Span::new(start, end));
    if shape.alignments > 0 {
        buffer.alignment = Bytes(1 << random.below(shape.alignments));
    }
    if random.below(100) < shape.fixed {
        buffer.fixed = Some(Offset(random.below(2 * shape.size)));
    }
    if shape.pools > 0 && random.below(2) == 0 {
        let first = random.below(shape.pools);
        let count = 1 + random.below(shape.pools);
        let pools = (first..first + count).map(|pool| u32::try_from(pool % shape.pools));
        buffer.pools = pools.filter_map(Result::ok).collect();
    }
    let mut from = start;
    while from < end && random.below(100) < shape.pauses {
        let first = from + random.below(end - from);
        let until = first + 1 + random.below(end - first);
        let low = random.below(size + 1);
        let high = low + random.below(size - low + 1);
        buffer.pauses.push(Pause {
            span: Span::new(first, until),
            window: (low < high).then_some((Bytes(low), Bytes(high))),
        });
        from = until;
    }
    buffer
}

/// Whether `buffer` needs its byte number `byte` at `step`.
#[must_use]
pub fn needs(buffer: &Buffer, step: u64, byte: u64) -> bool {
    let live = buffer.span.start.0 <= step && step < buffer.span.end.0;
    let mut pauses = buffer.pauses.iter();
    let pause = pauses.find(|pause| pause.span.start.0 <= step && step < pause.span.end.0);
    live && byte < buffer.size.0
        && pause.is_none_or(|pause| {
            pause
                .window
                .is_some_and(|(start, end)| start.0 <= byte && byte < end.0)
        })
}

/// Whether the buffers `one` and `other` may start at these addresses.
#[must_use]
pub fn compatible(lifetimes: &Lifetimes, one: (usize, u64), other: (usize, u64)) -> bool {
    let handed = |(before, from): (usize, u64), (after, to): (usize, u64)| {
        let (giver, heir) = (&lifetimes.buffers[before], &lifetimes.buffers[after]);
        let meet = giver.span.start < giver.span.end
            && heir.span.start < heir.span.end
            && heir.span.start.0 + 1 == giver.span.end.0;
        meet && lifetimes
            .handovers
            .iter()
            .any(|it| (it.before, it.after) == (before, after) && from + it.shift.0 == to)
    };
    if handed(one, other) || handed(other, one) {
        return true;
    }
    let (a, b) = (&lifetimes.buffers[one.0], &lifetimes.buffers[other.0]);
    let end = (one.1 + a.size.0).max(other.1 + b.size.0);
    (0..lifetimes.horizon.0).all(|step| {
        (0..end).all(|address| {
            let needed =
                |buffer: &Buffer, from: u64| address >= from && needs(buffer, step, address - from);
            !(needed(a, one.1) && needed(b, other.1))
        })
    })
}

/// The smallest arena of all, found by trying every address below `limit`; `None` when there
/// is none, because fixed addresses are in each other's way. Only for the smallest problems.
#[must_use]
pub fn least_arena(lifetimes: &Lifetimes, alignment: u64, limit: u64) -> Option<u64> {
    (0..=limit).find(|&arena| fits(lifetimes, alignment, arena, &mut Vec::new()))
}

fn fits(lifetimes: &Lifetimes, alignment: u64, arena: u64, placed: &mut Vec<u64>) -> bool {
    let index = placed.len();
    let Some(buffer) = lifetimes.buffers.get(index) else {
        return true;
    };
    let weightless = buffer.size.0 == 0 || buffer.span.start >= buffer.span.end;
    if weightless && buffer.fixed.is_none() {
        placed.push(0);
        let found = fits(lifetimes, alignment, arena, placed);
        placed.pop();
        return found;
    }
    let step = alignment.max(buffer.alignment.0).max(1);
    for offset in 0..=arena.saturating_sub(buffer.size.0) {
        let allowed = match buffer.fixed {
            Some(fixed) => offset == fixed.0,
            None => offset.is_multiple_of(step),
        };
        let free =
            |(other, &at): (usize, &u64)| compatible(lifetimes, (index, offset), (other, at));
        if allowed && offset + buffer.size.0 <= arena && placed.iter().enumerate().all(free) {
            placed.push(offset);
            let found = fits(lifetimes, alignment, arena, placed);
            placed.pop();
            if found {
                return true;
            }
        }
    }
    false
}
