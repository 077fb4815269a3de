//! What went wrong at the decision from which on a plan cannot meet the bound any more.

use planner::strategies::Refusal;
use planner::strategies::film::Frame;
use planner::strategies::film::story::{Stack, stack};
use planner::units::{Bytes, Offset};

use super::considered::{Fate, choice};
use super::sentence::{Teller, address};
use crate::format::exact;
use crate::words::FilmWord as W;

/// What a buffer stands on is named up to this many.
const NAMED: usize = 4;

/// The sentence that follows the decision's own.
pub(super) fn told(teller: &Teller<'_>, frame: &Frame) -> String {
    let arena = teller.still.layout.arena;
    let bound = teller.still.reel.bound;
    let word = teller.of_model(W::Decides, W::DecidesObjects);
    let over = exact(arena.0.saturating_sub(bound.0));
    let mut said = teller.fill(word, &[&exact(arena.0), &over, &exact(bound.0)]);
    if let Some(buffer) = frame.outcome.buffer().filter(|_| !teller.objects) {
        said +=
            &in_the_gap(teller).unwrap_or_else(|| on_the_stack(teller, &held_up(teller, buffer)));
    }
    said
}

/// What `buffer` stands on.
pub(super) fn held_up(teller: &Teller<'_>, buffer: usize) -> Stack {
    let offsets = &teller.still.layout.offsets;
    stack(teller.lifetimes, offsets, buffer, teller.still.alignment)
}

/// What the arena would be in a gap that was overlooked, if that is less.
fn in_the_gap(teller: &Teller<'_>) -> Option<String> {
    let choice = choice(teller.still, teller.lifetimes)?;
    let overlooked = Fate::Refused(Refusal::Overlooked);
    let gap = choice.gaps.iter().find(|gap| gap.fate == overlooked)?;
    let size = teller.lifetimes.buffers.get(choice.buffer)?.size;
    let there = Offset(gap.from).end(size)?;
    let layout = &teller.still.layout;
    let placed = teller.lifetimes.buffers.iter().zip(&layout.offsets);
    let others = placed
        .enumerate()
        .filter(|(index, _)| *index != choice.buffer);
    let ends = others.filter_map(|(_, (buffer, offset))| (*offset)?.end(buffer.size));
    let enough = Bytes(ends.fold(there, Ord::max).0);
    (enough < layout.arena).then(|| teller.fill(W::InTheGap, &[&exact(enough.0)]))
}

fn on_the_stack(teller: &Teller<'_>, stack: &Stack) -> String {
    let mut names: Vec<String> = Vec::new();
    let count = stack.buffers.len();
    for (place, &buffer) in stack.buffers.iter().enumerate() {
        // Of a high stack the middle is left out.
        if place < NAMED - 1 || place + 1 == count {
            names.push(teller.name(buffer));
        } else if place + 2 == count {
            names.push("…".to_owned());
        }
    }
    let Some((top, others)) = names.split_first() else {
        return String::new();
    };
    let others = others.join(teller.str(W::On1));
    match (stack.hole, stack.apart) {
        (Some((from, size)), _) if others.is_empty() => {
            teller.fill(W::HangsOverHole, &[top, &exact(size.0), &address(from)])
        }
        (Some((from, size)), _) => teller.fill(
            W::StandsOnHole,
            &[top, &others, &exact(size.0), &address(from)],
        ),
        (None, Some((upper, lower))) => {
            let (upper, lower) = (teller.name(upper), teller.name(lower));
            teller.fill(W::Stands, &[top, &others, &upper, &lower])
        }
        (None, None) => String::new(),
    }
}
