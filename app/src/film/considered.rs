//! The free ranges that a decision was about: those that the trace names, or, where it names
//! none, those that can be seen in the picture.

use planner::trace::{
    FreeRange, Note, Outcome, Reason, Refusal, Shared, Sharing, Taken, free_ranges, is_unused,
    shared,
};
use planner::{Buffer, Bytes, Offset, Sorting as _, Step};

use super::narrator::Narrator;

/// One free range between placed buffers, from the first address on at which the buffer could
/// start.
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

/// What became of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// The buffer is there now.
    Taken,
    /// The trace says why not.
    Refused(Refusal),
    /// It would do, and no reason is given why not.
    Free,
}

/// Where a buffer was put, and what else there was.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    pub(super) buffer: usize,
    pub(super) offset: Offset,
    /// Its effective size: what the strategy counts it as.
    pub(super) needed: Bytes,
    /// The stretch that the buffer is in, unless it lies over others.
    pub(super) own: Option<FreeRange>,
    /// Whether anything is live beside it.
    pub(super) alone: bool,
    /// By address, without the open space.
    pub(super) ranges: Vec<Considered>,
    /// Those that another buffer needs bytes of: the buffer needs only a part of its own, so
    /// that they say where it may start, and not what is free.
    pub(super) starts: Vec<Considered>,
    /// Whether some of them begin below the first address at which the buffer could start.
    pub(super) padded: bool,
    /// The buffers with which it shares bytes.
    pub(super) shared: Vec<Shared>,
}

impl Choice {
    /// Whether it lies where it does because it takes over bytes, or hands them on.
    pub(super) fn is_handed_over(&self) -> bool {
        let mut how = self.shared.iter().map(|shared| shared.how);
        how.any(|how| matches!(how, Sharing::TakesOver | Sharing::HandsOn))
    }

    /// Distinguishes free ranges from those of which another buffer needs bytes. The latter there
    /// are only for a buffer with pauses of its own: they are measured from where it starts, not
    /// from the first byte that it needs.
    fn set_starts_apart(&mut self, narrator: &Narrator<'_>, known: &Buffer) {
        if known.pauses.is_empty() {
            return;
        }
        let layout = &narrator.still.layout;
        let unused = |range: &Considered| {
            let bytes = (Offset(range.from), Bytes(range.size));
            is_unused(narrator.lifetimes, layout, self.buffer, bytes)
        };
        let (free, starts) = self.ranges.iter().copied().partition(unused);
        (self.ranges, self.starts) = (free, starts);
    }
}

/// What the strategy noted of where a buffer goes.
struct Noted {
    /// What it counts it as.
    needed: Bytes,
    /// Until when room is sought.
    until: Option<Step>,
    /// The free range or block that it chose.
    chosen: Option<(Offset, Bytes)>,
    /// Whether it made room.
    widened: bool,
}

impl Noted {
    fn of(narrator: &Narrator<'_>, known: &Buffer) -> Self {
        let mut noted = Self {
            needed: known.size,
            until: None,
            chosen: None,
            widened: false,
        };
        for note in narrator.notes() {
            match note {
                Note::Counted { bytes } => noted.needed = bytes,
                Note::Chain { last } => {
                    let last = narrator.lifetimes.buffers.get(last);
                    noted.until = last.map(|last| last.span.end);
                }
                Note::Widened { .. } => noted.widened = true,
                _ => {}
            }
        }
        let choice = narrator.frame().and_then(|(_, frame)| frame.choice);
        if let Some(Taken::Range { from, size }) = choice.map(|choice| choice.taken)
            && !noted.widened
        {
            noted.chosen = Some((from, size));
        }
        noted
    }
}

/// What the decision that is explained was about; `None` when it put nothing anywhere.
pub(super) fn choice(narrator: &Narrator<'_>) -> Option<Choice> {
    let (_, frame) = narrator.frame()?;
    let (lifetimes, still) = (narrator.lifetimes, narrator.still);
    let (buffer, offset) = match frame.outcome {
        Outcome::Placed { buffer, offset } => (buffer, offset),
        Outcome::Moved { buffer, to, .. } => (buffer, to),
        _ => return None,
    };
    let known = lifetimes.buffers.get(buffer)?;
    let noted = Noted::of(narrator, known);
    let around = free_ranges(lifetimes, &still.layout, buffer, noted.until);
    let own = around.iter().copied().find(|range| within(range, offset));
    let bottom = still.layout.base(still.layout.pool(buffer));
    let mut choice = Choice {
        buffer,
        offset,
        needed: noted.needed,
        padded: noted.needed < known.size,
        own,
        alone: false,
        ranges: refused(narrator, &around),
        starts: Vec::new(),
        shared: shared(lifetimes, &still.layout, buffer),
    };
    choice.alone = around.len() == 1 && around[0].from == bottom && choice.shared.is_empty();
    let alignment = known.alignment.max(still.alignment);
    let free = !choice.is_handed_over() && !noted.widened;
    if choice.ranges.is_empty() && free && narrator.searches_free_ranges() {
        let others = around.iter().filter(|range| Some(**range) != own);
        let others = others.filter_map(|range| considered(range, noted.needed, alignment));
        choice.ranges.extend(others);
    }
    let taken = match noted.chosen {
        Some((from, size)) => Some(Considered {
            from: from.0,
            size: size.0,
            above: above(&around, from),
            fate: Fate::Taken,
        }),
        None if free && narrator.searches_free_ranges() => {
            own.and_then(|range| considered(&range, noted.needed, alignment))
        }
        None => None,
    };
    choice.ranges.extend(taken.map(|range| Considered {
        fate: Fate::Taken,
        ..range
    }));
    choice.ranges.order_by_key(|range| range.from);
    let starts_inside = |range: &Considered| {
        let raw = around.iter().find(|raw| within(raw, Offset(range.from)));
        raw.is_some_and(|raw| raw.from.0 < range.from && range.from - raw.from.0 < alignment.0)
    };
    choice.padded |= choice.ranges.iter().any(starts_inside);
    choice.set_starts_apart(narrator, known);
    Some(choice)
}

/// The free ranges that the trace names, without the open one.
fn refused(narrator: &Narrator<'_>, around: &[FreeRange]) -> Vec<Considered> {
    let Some((frame, _)) = narrator.frame() else {
        return Vec::new();
    };
    let reasons = narrator.still.recording.trace.reasons(frame).iter();
    let ranges = reasons.filter_map(|reason| match *reason {
        Reason::FreeRange {
            from,
            size: Some(size),
            why,
        } => Some(Considered {
            from: from.0,
            size: size.0,
            above: above(around, from),
            fate: Fate::Refused(why),
        }),
        _ => None,
    });
    ranges.collect()
}

fn within(range: &FreeRange, at: Offset) -> bool {
    range.from <= at && range.size.is_none_or(|size| at.0 - range.from.0 < size.0)
}

/// The buffer over the range around an address.
fn above(around: &[FreeRange], at: Offset) -> Option<usize> {
    around.iter().find(|range| within(range, at))?.above
}

/// A free range of the picture; `None` for the open one, and where the buffer could not start.
fn considered(range: &FreeRange, needed: Bytes, alignment: Bytes) -> Option<Considered> {
    let end = range.from.end(range.size?)?;
    let from = range.from.align_up(alignment)?.0;
    let size = end.0.checked_sub(from).filter(|size| *size > 0)?;
    Some(Considered {
        from,
        size,
        above: range.above,
        fate: if size < needed.0 {
            Fate::Refused(Refusal::TooSmall)
        } else {
            Fate::Free
        },
    })
}
