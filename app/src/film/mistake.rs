//! What went wrong at the decision with which an arena got its height above the bound.

use planner::trace::{Frame, FreeRange, Refusal, Stack, free_ranges, stack, unused_below};
use planner::{Bytes, Offset, Sorting as _};

use super::considered::{Choice, Considered, Fate, choice};
use super::narrator::{Narrator, apart};
use crate::format::bytes;
use crate::strings::FilmWord as W;

/// What a buffer stands on is named up to this many.
const NAMED: usize = 4;

/// The sentence that follows the decision's own.
pub(super) fn sentence(narrator: &Narrator<'_>, frame: &Frame) -> String {
    let arena = narrator.still.layout.arena;
    let bound = narrator.still.recording.bound;
    let word = narrator.of_model(W::Decides, W::DecidesObjects);
    let over = bytes(arena.0.saturating_sub(bound.0));
    let [arena, bound] = apart([arena.0, bound.0]);
    let mut said = narrator.fill(word, &[&arena, &over, &bound]);
    said += &narrator.of_objects();
    if let Some(buffer) = frame.outcome.buffer().filter(|_| !narrator.objects) {
        said += &in_the_range(narrator)
            .unwrap_or_else(|| on_the_stack(narrator, &held_up(narrator, buffer)));
    }
    said
}

/// What `buffer` stands on.
pub(super) fn held_up(narrator: &Narrator<'_>, buffer: usize) -> Stack {
    stack(
        narrator.lifetimes,
        &narrator.still.layout,
        buffer,
        narrator.still.alignment,
    )
}

/// What the arena would be in a range that was not taken and would do, if that is less; with
/// the first that is overlooked, else with the first that there is.
fn in_the_range(narrator: &Narrator<'_>) -> Option<String> {
    let choice = choice(narrator)?;
    let overlooked = Fate::Refused(Refusal::Overlooked);
    let would_do = |range: &&Considered| range.fate != Fate::Taken && range.size >= choice.needed.0;
    let mut ranges: Vec<&Considered> = choice.ranges.iter().filter(would_do).collect();
    ranges.order_by_key(|range| range.fate != overlooked);
    ranges.iter().find_map(|range| {
        let enough = arena_in(narrator, &choice, range)?;
        let said = bytes(enough.0);
        let layout = &narrator.still.layout;
        let whole = layout.offsets.iter().all(Option::is_some);
        Some(match range.fate == overlooked && choice.few_overlooked() {
            true if whole => narrator.fill(W::InTheRange, &[&said]),
            true => narrator.fill(W::InTheRangeSoFar, &[&said]),
            false => {
                let at = narrator.address(choice.buffer, Offset(range.from));
                narrator.fill(W::InThatRange, &[&bytes(range.size), &at, &said])
            }
        })
    })
}

/// The arena with the buffer in `range`, if it is smaller than it is now.
fn arena_in(narrator: &Narrator<'_>, choice: &Choice, range: &Considered) -> Option<Bytes> {
    let layout = &narrator.still.layout;
    let there = Offset(range.from).end(narrator.bytes(choice.buffer))?;
    let placed = narrator.lifetimes.buffers.iter().zip(&layout.offsets);
    let others = placed
        .enumerate()
        .filter(|(index, _)| *index != choice.buffer);
    let ends = others.filter_map(|(_, (buffer, offset))| (*offset)?.end(buffer.size));
    let enough = Bytes(ends.fold(there, Ord::max).0);
    (enough < layout.arena).then_some(enough)
}

fn on_the_stack(narrator: &Narrator<'_>, stack: &Stack) -> String {
    if stack.free.is_some()
        && let Some(said) = free_under(narrator, stack.buffers[0])
    {
        return said;
    }
    if stack.free.is_some() && is_windowed(narrator, stack) {
        return lower(narrator, stack).unwrap_or_default();
    }
    let mut names: Vec<String> = Vec::new();
    let count = stack.buffers.len();
    for (place, &buffer) in stack.buffers.iter().enumerate() {
        // Of a high stack the middle is left out.
        if place < NAMED - 1 || place + 1 == count {
            names.push(narrator.name(buffer));
        } else if place + 2 == count {
            names.push("…".to_owned());
        }
    }
    let Some((top, others)) = names.split_first() else {
        return String::new();
    };
    let others = others.join(narrator.str(W::On1));
    match stack.apart {
        Some((upper, lower)) => {
            let (upper, lower) = (narrator.name(upper), narrator.name(lower));
            narrator.fill(W::Stands, &[top, &others, &upper, &lower])
        }
        None => padding(narrator, stack, (top, &others)),
    }
}

/// What is free under a buffer as long as it is live.
fn free_under(narrator: &Narrator<'_>, buffer: usize) -> Option<String> {
    let layout = &narrator.still.layout;
    let free = unused_below(narrator.lifetimes, layout, buffer);
    let (at, Bytes(largest)) = free.iter().copied().max_by_key(|(_, size)| *size)?;
    let sum = bytes(free.iter().map(|(_, size)| size.0).sum());
    let at = narrator.address(buffer, at);
    if free.len() == 1 {
        return Some(narrator.fill(W::FreeUnderOne, &[&narrator.name(buffer), &sum, &at]));
    }
    Some(narrator.fill(
        W::FreeUnder,
        &[&narrator.name(buffer), &sum, &bytes(largest), &at],
    ))
}

/// Whether some of the stack need only a part of their bytes for some time: then a free range need
/// not be free, and sizes do not add up.
fn is_windowed(narrator: &Narrator<'_>, stack: &Stack) -> bool {
    let known = |&buffer: &usize| narrator.lifetimes.buffers.get(buffer);
    let mut known = stack.buffers.iter().filter_map(known);
    known.any(|known| !known.pauses.is_empty())
}

/// Where the last of the stack could lie instead, over its free range.
fn lower(narrator: &Narrator<'_>, stack: &Stack) -> Option<String> {
    let layout = &narrator.still.layout;
    let &buffer = stack.buffers.last()?;
    let known = narrator.lifetimes.buffers.get(buffer)?;
    let place = (*layout.offsets.get(buffer)?)?;
    let alignment = known.alignment.max(narrator.still.alignment);
    let fits = |range: &FreeRange| {
        let at = range.from.align_up(alignment).filter(|at| *at < place)?;
        let end = at.end(known.size)?;
        let room = range
            .size
            .is_none_or(|size| range.from.end(size).is_some_and(|it| end <= it));
        room.then_some(at)
    };
    let at = free_ranges(narrator.lifetimes, layout, buffer, None)
        .iter()
        .find_map(fits)?;
    let at = narrator.address(buffer, at);
    Some(narrator.fill(W::CouldLie, &[&known.name, &at]))
}

/// Each of the stack is live with each other: two of them could share bytes and do not, or
/// what they are more than the bound is padding.
fn padding(narrator: &Narrator<'_>, stack: &Stack, (top, others): (&str, &str)) -> String {
    let within = |buffer: &usize| stack.buffers.contains(buffer);
    let mut pairs = narrator.lifetimes.handovers.iter();
    let unshared = pairs.find(|pair| within(&pair.before) && within(&pair.after));
    if let Some(pair) = unshared {
        let (after, before) = (narrator.name(pair.after), narrator.name(pair.before));
        return narrator.fill(W::StandsUnshared, &[top, others, &after, &before]);
    }
    let sizes = stack.buffers.iter().map(|&buffer| narrator.bytes(buffer).0);
    let free = match is_windowed(narrator, stack) {
        true => 0,
        false => narrator.still.layout.arena.0.saturating_sub(sizes.sum()),
    };
    match (others.is_empty(), free) {
        (true, 0) => String::new(),
        (true, free) => narrator.fill(W::PaddingAlone, &[&bytes(free)]),
        (false, 0) => narrator.fill(W::StandsPlain, &[top, others]),
        (false, free) => narrator.fill(W::Padding, &[top, others, &bytes(free)]),
    }
}
