//! The gaps that a decision was about: those that the strategy told of, or, where it told of
//! none, those that can be seen in the picture.

use planner::strategies::film::story::{Gap, Shared, Sharing, gaps, shared};
use planner::strategies::film::{Outcome, Reason};
use planner::strategies::{Note, Refusal, Strategy};
use planner::units::{Bytes, Offset};

use super::teller::Teller;

/// One gap between placed buffers, from the first address on at which the buffer could start.
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
    /// What the strategy counts it as.
    pub(super) needed: Bytes,
    /// The stretch that the buffer is in, unless it lies over others.
    pub(super) own: Option<Gap>,
    /// Whether anything is live beside it.
    pub(super) alone: bool,
    /// By address, without the open space.
    pub(super) gaps: Vec<Considered>,
    /// Whether some of them begin below the first address at which the buffer could start.
    pub(super) padded: bool,
    /// With whom it shares bytes.
    pub(super) shared: Vec<Shared>,
}

impl Choice {
    /// Whether it lies where it does because it takes over bytes, or hands them on.
    pub(super) fn is_handed_over(&self) -> bool {
        let mut how = self.shared.iter().map(|shared| shared.how);
        how.any(|how| matches!(how, Sharing::TakesOver | Sharing::HandsOn))
    }
}

/// What the decision that is told was about; `None` when it put nothing anywhere.
pub(super) fn choice(teller: &Teller<'_>) -> Option<Choice> {
    let (frame, known) = teller.frame()?;
    let (lifetimes, still) = (teller.lifetimes, teller.still);
    let (buffer, offset) = match known.outcome {
        Outcome::Placed { buffer, offset } => (buffer, offset),
        Outcome::Moved { buffer, to, .. } => (buffer, to),
        _ => return None,
    };
    let known = lifetimes.buffers.get(buffer)?;
    let (mut needed, mut until, mut chosen) = (known.size, None, None);
    let mut widened = false;
    for note in teller.notes() {
        match note {
            Note::Counted { bytes } => needed = bytes,
            Note::Chain { last } => until = lifetimes.buffers.get(last).map(|last| last.span.end),
            Note::Widened { .. } => widened = true,
            Note::Chosen { from, size } => chosen = Some((from, size)),
            _ => {}
        }
    }
    let around = gaps(lifetimes, &still.layout, buffer, until);
    let shared = shared(lifetimes, &still.layout, buffer);
    let within = |gap: &Gap, at: Offset| {
        gap.from <= at && gap.size.is_none_or(|size| at.0 - gap.from.0 < size.0)
    };
    let own = around.iter().copied().find(|gap| within(gap, offset));
    let alignment = known.alignment.max(still.alignment);
    let above = |at: Offset| around.iter().find(|gap| within(gap, at))?.above;
    let mut found = Vec::new();
    for reason in still.reel.film.reasons(frame) {
        if let &Reason::Gap {
            from,
            size: Some(size),
            why,
        } = reason
        {
            found.push(Considered {
                from: from.0,
                size: size.0,
                above: above(from),
                fate: Fate::Refused(why),
            });
        }
    }
    let handed_over = shared.iter().any(|shared| {
        let how = shared.how;
        matches!(how, Sharing::TakesOver | Sharing::HandsOn)
    });
    if found.is_empty() && !handed_over && !widened && !tells_all(teller) {
        let others = around.iter().filter(|gap| Some(**gap) != own);
        found.extend(others.filter_map(|gap| considered(gap, needed, alignment)));
    }
    if let Some((from, size)) = chosen {
        found.push(Considered {
            from: from.0,
            size: size.0,
            above: above(from),
            fate: Fate::Taken,
        });
    } else if !handed_over && !widened && !looks_elsewhere(teller.strategy) {
        let taken = own
            .as_ref()
            .and_then(|gap| considered(gap, needed, alignment));
        found.extend(taken.map(|gap| Considered {
            fate: Fate::Taken,
            ..gap
        }));
    }
    found.sort_by_key(|gap| gap.from);
    let starts_inside = |gap: &Considered| {
        let raw = around.iter().find(|raw| within(raw, Offset(gap.from)));
        raw.is_some_and(|raw| raw.from.0 < gap.from && gap.from - raw.from.0 < alignment.0)
    };
    Some(Choice {
        buffer,
        offset,
        needed,
        padded: needed < known.size || found.iter().any(starts_inside),
        own,
        alone: around.len() == 1
            && around[0].from == still.layout.base(still.layout.pool(buffer))
            && shared.is_empty(),
        gaps: found,
        shared,
    })
}

/// Whether the strategy has told of all gaps that it saw, so that one that it does not tell
/// of is none to it.
fn tells_all(teller: &Teller<'_>) -> bool {
    teller.gives_blocks() || looks_elsewhere(teller.strategy)
}

/// Whether the strategy has no gaps at all: it looks into objects, or at blocks without
/// addresses.
pub(super) fn looks_elsewhere(strategy: Option<Strategy>) -> bool {
    matches!(
        strategy,
        Some(
            Strategy::ExecutorchGreedy
                | Strategy::MegenginePushdown
                | Strategy::PytorchCaching
                | Strategy::TensorflowBfc
        )
    )
}

/// A gap of the picture; `None` for the open space, and where the buffer could not start.
fn considered(gap: &Gap, needed: Bytes, alignment: Bytes) -> Option<Considered> {
    let end = gap.from.end(gap.size?)?;
    let from = gap.from.align_up(alignment)?.0;
    let size = end.0.checked_sub(from).filter(|size| *size > 0)?;
    Some(Considered {
        from,
        size,
        above: gap.above,
        fate: if size < needed.0 {
            Fate::Refused(Refusal::TooSmall)
        } else {
            Fate::Free
        },
    })
}
