//! Which block of one trace of an allocator is which of another's.
//!
//! A block is named by its address, which is another in every run. What stays is the stack that
//! asked for it, how many bytes it asked for, the stream, and the order. The longest common
//! subsequence of these pairs first (of long traces the part of it that needs no search), so that
//! what is new in the middle of a loop does not shift what follows; then what is equal, within the
//! same gap of it and anywhere; then, within the same gap, what the same stack asked for in
//! another size, and what the same functions asked for at other lines of an edited program.

use super::pairs::{How, Paired, Pairing, Rows, Traced, cut, ranked};
use super::subsequence::{ascending, longest};
use crate::attribution::is_address;
use crate::deployed::{Arena, Frame, Note, Stacks};
use crate::liveness::Lifetimes;
use crate::sorting::Sorting as _;
use crate::units::{Bytes, Span, Step};

/// Whether both are traces of an allocator: every block has a stream, and an address for a name.
pub(super) fn are_traces(before: &Arena, after: &Arena) -> bool {
    [before, after].into_iter().all(|arena| {
        let buffers = &arena.lifetimes.buffers;
        let notes = &arena.notes;
        !buffers.is_empty()
            && buffers.len() == notes.len()
            && notes.iter().all(|note| note.stream.is_some())
            && buffers.iter().all(|buffer| is_address(&buffer.name))
    })
}

/// The stacks of two files as numbers, equal where what `read` says of every frame is; the empty
/// stack is 0.
pub(super) fn same_stacks<'a, K: Ord>(
    before: &'a Stacks,
    after: &'a Stacks,
    read: impl Fn(&'a Frame) -> K,
) -> (Vec<usize>, Vec<usize>) {
    let frames = |stacks: &'a Stacks| stacks.frames.iter().map(&read).collect();
    let frames = ranked((frames(before), frames(after)));
    let stacks = |stacks: &Stacks, frames: &[usize]| -> Vec<Vec<usize>> {
        let read = |frame: &u32| frames.get(*frame as usize).copied();
        let stacks = stacks.stacks.iter();
        stacks
            .map(|stack| stack.iter().filter_map(read).collect())
            .collect()
    };
    ranked((stacks(before, &frames.0), stacks(after, &frames.1)))
}

/// What is in both.
pub(super) fn paired(before: Traced<'_>, after: Traced<'_>) -> Paired {
    let names = same_stacks(before.1, after.1, |frame| frame);
    let stems = same_stacks(before.1, after.1, |frame| (&frame.function, &frame.file));
    let names = ranked((asked(before.0, &names.0), asked(after.0, &names.1)));
    let stems = ranked((asked(before.0, &stems.0), asked(after.0, &stems.1)));
    let mut sides = (
        rows(before.0, names.0, stems.0),
        rows(after.0, names.1, stems.1),
    );
    let keys = |rows: &Rows| rows.in_order(|index| (rows.names[index], rows.sizes[index]));
    let keys = ranked((keys(&sides.0), keys(&sides.1)));
    let sequence = longest(&keys.0, &keys.1).unwrap_or_else(|| ascending(&keys.0, &keys.1));
    let sequence = cut((&mut sides.0, &mut sides.1), &sequence);
    let how = How::StackAndSize;
    let mut pairing = Pairing::of(&sides.0, &sides.1, &sequence, how);
    pairing.meet(how, |rows, index| {
        (rows.passed[index], rows.names[index], rows.sizes[index])
    });
    pairing.meet(how, |rows, index| (rows.names[index], rows.sizes[index]));
    let how = How::Stack;
    pairing.meet(how, |rows, index| {
        (rows.passed[index], rows.stems[index], rows.sizes[index])
    });
    pairing.meet(how, |rows, index| (rows.passed[index], rows.names[index]));
    pairing.meet(how, |rows, index| (rows.passed[index], rows.stems[index]));
    let start = |of: &Lifetimes, index: usize| of.buffers[index].span.start;
    let clock = sequence.iter().map(|&(one, other)| {
        let (before, after) = (&before.0.lifetimes, &after.0.lifetimes);
        (start(before, one), start(after, other))
    });
    Paired {
        clock: Some(clock.unzip()),
        pairs: pairing.pairs,
    }
}

/// Who asked for each block: the stack, the stream, and, where no stack is known, how many bytes.
fn asked(arena: &Arena, same: &[usize]) -> Vec<(usize, Option<i64>, Bytes)> {
    let asked = |(note, payload): (&Note, Bytes)| {
        let stack = same.get(note.stack as usize).copied().unwrap_or(0);
        let bytes = if stack == 0 { payload } else { Bytes::ZERO };
        (stack, note.stream, bytes)
    };
    let payloads = arena.lifetimes.buffers.iter().map(|it| it.payload);
    arena.notes.iter().zip(payloads).map(asked).collect()
}

fn rows(arena: &Arena, names: Vec<usize>, stems: Vec<usize>) -> Rows {
    let buffers = &arena.lifetimes.buffers;
    let mut order: Vec<usize> = (0..buffers.len()).collect();
    // What was there before the trace comes first, in the order in which it goes.
    order.order_by_key(|&index| {
        let buffer = &buffers[index];
        let Span { start, end } = buffer.span;
        (start, end, names[index], buffer.payload)
    });
    let sizes = buffers.iter().map(|it| it.payload).collect();
    Rows::new(names, stems, sizes, order)
}

/// How long a block lives by a clock that runs alike in both traces; one more where it is never
/// given back.
pub(super) fn lived(clock: &[Step], span: Span, horizon: Step) -> i64 {
    let after = clock.partition_point(|start| *start < span.end);
    let before = clock.partition_point(|start| *start <= span.start);
    let lived = i64::try_from(after.saturating_sub(before)).unwrap_or(i64::MAX);
    lived.saturating_add(i64::from(span.end == horizon))
}
