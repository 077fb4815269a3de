//! The gaps that a decision was about: those that the strategy told of, or, where it told of
//! none, those that can be seen in the picture.

use planner::liveness::Lifetimes;
use planner::strategies::Refusal;
use planner::strategies::film::story::{Gap, gaps};
use planner::strategies::film::{Outcome, Reason};
use planner::units::Offset;

use crate::state::film::Still;

/// One gap between placed buffers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Considered {
    /// First byte.
    pub(super) from: u64,
    /// Bytes.
    pub(super) size: u64,
    /// The buffer above it.
    pub(super) above: Option<usize>,
    /// What became of it.
    pub(super) fate: Fate,
}

/// What became of a gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// The buffer is there now.
    Taken,
    /// The strategy says why not.
    Refused(Refusal),
    /// It would do, and nobody says why not.
    Free,
}

/// Where a buffer was put, and what else there was.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    pub(super) buffer: usize,
    pub(super) offset: Offset,
    /// The stretch that the buffer is in, unless it lies over others.
    pub(super) own: Option<Gap>,
    /// Whether anything is live beside it.
    pub(super) alone: bool,
    /// By address, without the open space.
    pub(super) gaps: Vec<Considered>,
}

/// What the decision at which `still` stands was about; `None` when it put nothing anywhere.
pub(super) fn choice(still: &Still, lifetimes: &Lifetimes) -> Option<Choice> {
    let frame = still.step.checked_sub(1)?;
    let outcome = still.reel.film.frames().get(frame)?.outcome;
    let (buffer, offset) = match outcome {
        Outcome::Placed { buffer, offset } => (buffer, offset),
        Outcome::Moved { buffer, to, .. } => (buffer, to),
        _ => return None,
    };
    let size = lifetimes.buffers.get(buffer)?.size.0;
    let around = gaps(lifetimes, &still.layout.offsets, buffer);
    let within = |gap: &Gap, at: Offset| {
        gap.from <= at && gap.size.is_none_or(|size| at.0 - gap.from.0 < size.0)
    };
    let own = around.iter().copied().find(|gap| within(gap, offset));
    let mut found = Vec::new();
    for reason in still.reel.film.reasons(frame) {
        if let &Reason::Gap {
            from,
            size: Some(size),
            why,
        } = reason
        {
            let seen = around.iter().find(|gap| within(gap, from));
            found.push(Considered {
                from: from.0,
                size: size.0,
                above: seen.and_then(|gap| gap.above),
                fate: Fate::Refused(why),
            });
        }
    }
    if found.is_empty() {
        let others = around.iter().filter(|gap| Some(**gap) != own);
        found.extend(others.filter_map(|gap| considered(gap, size)));
    }
    let taken = own.as_ref().and_then(|gap| considered(gap, size));
    found.extend(taken.map(|gap| Considered {
        fate: Fate::Taken,
        ..gap
    }));
    found.sort_by_key(|gap| gap.from);
    Some(Choice {
        buffer,
        offset,
        own,
        alone: around.len() == 1 && around[0].from == Offset(0),
        gaps: found,
    })
}

/// A gap of the picture; `None` for the open space.
fn considered(gap: &Gap, needed: u64) -> Option<Considered> {
    let size = gap.size?.0;
    Some(Considered {
        from: gap.from.0,
        size,
        above: gap.above,
        fate: if size < needed {
            Fate::Refused(Refusal::TooSmall)
        } else {
            Fate::Free
        },
    })
}
