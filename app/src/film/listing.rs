//! Free ranges in a sentence: how large they are, and what became of each.

use planner::trace::{Note, Refusal, unused_below};
use planner::{Bytes, Offset, Sorting as _};

use super::considered::{Choice, Considered, Fate};
use super::narrator::{Narrator, address};
use crate::format::{exact, grouped};
use crate::words::FilmWord as W;

/// More ranges or objects than this are only counted.
pub(super) const LISTED: usize = 4;

/// Free ranges that are overlooked are named one by one up to this many.
const NAMED: usize = 2;

impl Choice {
    /// Whether the overlooked ranges are so few that each can be named with its place.
    pub(super) fn few_overlooked(&self) -> bool {
        let overlooked = Fate::Refused(Refusal::Overlooked);
        let ranges = self.ranges.iter().filter(|range| range.fate == overlooked);
        ranges.count() <= NAMED
    }
}

impl Narrator<'_> {
    /// "ranges of 200,704 and 602,112 B; the first is too small; the second is chosen". The one
    /// that is chosen is always among them.
    pub(super) fn listed(
        &self,
        choice: &Choice,
        ranges: &[&Considered],
        unlisted: u32,
    ) -> Vec<String> {
        let mut shown: Vec<&Considered> = ranges.to_vec();
        shown.order_by_key(|range| (rank(range.fate), std::cmp::Reverse(range.size)));
        shown.truncate(LISTED);
        shown.order_by_key(|range| range.from);
        let more = ranges.len() - shown.len() + unlisted as usize;
        let Some((last, others)) = shown.split_last() else {
            return Vec::new();
        };
        let word = match (others.is_empty() && more == 0, self.gives_blocks()) {
            (true, false) => W::OneRange,
            (false, false) => W::Ranges,
            (true, true) => W::OneBlock,
            (false, true) => W::Blocks,
        };
        let mut sizes: Vec<String> = others.iter().map(|range| grouped(range.size)).collect();
        sizes.push(exact(last.size));
        if more > 0 {
            sizes.push(self.fill(W::More, &[&grouped(more as u64)]));
        }
        let mut said = self.fill(word, &[&self.list(&sizes, W::LastNumber)]);
        if choice.padded {
            let own = self.lifetimes.buffers.get(choice.buffer);
            let own = own.map_or(Bytes(1), |own| own.alignment.max(self.still.alignment));
            said += &self.fill(W::FromAligned, &[&exact(own.0)]);
        }
        let mut clauses = vec![said];
        let fates: Vec<Fate> = shown.iter().map(|range| range.fate).collect();
        for (at, &fate) in fates.iter().enumerate() {
            let first = fates.iter().position(|other| *other == fate) == Some(at);
            let alone = fate == Fate::Taken && fates.len() == 1 && more == 0;
            if let Some(words) = of_fate(fate).filter(|_| first && !alone) {
                let of: Vec<usize> = (0..fates.len()).filter(|&i| fates[i] == fate).collect();
                // What is true of all is not said of those alone that are shown.
                let of_all = unlisted == 0 && ranges.iter().all(|range| range.fate == fate);
                let all = if of_all { of.len() } else { fates.len() + more };
                clauses.push(self.verdict(words, fate, &of, all));
            }
        }
        clauses
    }

    /// "the first and the third are too small".
    fn verdict(&self, (one, several): (W, W), fate: Fate, of: &[usize], all: usize) -> String {
        const ORDINALS: [W; LISTED] = [W::Ordinal1, W::Ordinal2, W::Ordinal3, W::Ordinal4];
        let subject = match (of.len(), all) {
            (1, 1) => self.word(W::It),
            (2, 2) => self.word(W::Both),
            (some, all) if some == all => self.word(W::Each),
            _ => {
                let ordinals = of.iter().filter_map(|&index| ORDINALS.get(index));
                let ordinals: Vec<String> = ordinals.map(|&word| self.word(word)).collect();
                self.list(&ordinals, W::Last)
            }
        };
        let word = if of.len() == 1 { one } else { several };
        match fate {
            Fate::Refused(Refusal::Remembered { whole }) => {
                self.fill(word, &[&subject, &exact(whole.0)])
            }
            _ => self.fill(word, &[&subject]),
        }
    }

    /// Where the buffer may start, where that is not said by what is free.
    pub(super) fn starts(&self, choice: &Choice) -> Option<String> {
        let known = self.lifetimes.buffers.get(choice.buffer)?;
        let step = known.alignment.max(self.still.alignment).0.max(1);
        let range = |range: &Considered| {
            let room = range.size.checked_sub(choice.needed.0)?;
            let last = range.from.saturating_add(room - room % step);
            let at = |at| self.address(choice.buffer, Offset(at));
            Some(match last == range.from {
                true => self.fill(W::StartAt, &[&at(last)]),
                false => self.fill(W::StartFrom, &[&at(range.from), &at(last)]),
            })
        };
        let ranges: Vec<String> = choice
            .starts
            .iter()
            .filter_map(range)
            .take(LISTED)
            .collect();
        let listed = self.list(&ranges, W::LastStart);
        (!ranges.is_empty()).then(|| self.fill(W::CouldStart, &[&listed]))
    }

    /// Bytes right under the buffer that stay free as long as it is live, and that it could
    /// have.
    pub(super) fn free_under(&self, choice: &Choice) -> u64 {
        let Some(own) = choice.own else {
            return 0;
        };
        let unused = unused_below(self.lifetimes, &self.still.layout, choice.buffer);
        let right_under = |(from, size): &(Offset, Bytes)| from.end(*size) == Some(choice.offset);
        let unused = unused.last().filter(|it| right_under(it));
        let most = unused.map_or(0, |(_, size)| size.0);
        most.min(choice.offset.0 - own.from.0)
    }

    /// Adds what the strategy noted of the place of `buffer`; whether that says where it goes
    /// without any range.
    pub(super) fn noted(&self, buffer: usize, clauses: &mut Vec<String>) -> bool {
        let mut says = false;
        let mut left: usize = LISTED;
        let mut more = 0_u64;
        for note in self.notes() {
            if matches!(note, Note::Full { .. } | Note::InUse { .. }) {
                left = left.saturating_sub(1);
                more += u64::from(left == 0);
                if left == 0 {
                    continue;
                }
            } else if more > 0 {
                clauses.push(self.fill(W::MoreObjects, &[&grouped(more)]));
                more = 0;
            }
            if let Some(clause) = self.note(buffer, note) {
                clauses.push(clause);
                says = true;
            }
        }
        says
    }

    fn note(&self, buffer: usize, note: Note) -> Option<String> {
        let sized = |range: usize| {
            let layout = &self.still.layout;
            let known = layout.range(layout.pool(buffer), range);
            let size = known.map(|known| known.size.0);
            (grouped(range as u64 + 1), exact(size.unwrap_or(0)))
        };
        let needed = self.notes().find_map(|note| match note {
            Note::Counted { bytes } => Some(bytes),
            _ => None,
        });
        let needed = needed.unwrap_or_else(|| self.bytes(buffer));
        Some(match note {
            Note::Counted { .. } | Note::Chain { .. } | Note::MakesRoom { .. } => return None,
            Note::Reused { block: None } => self.word(W::ReusedNone),
            Note::Reused { block: Some(block) } if block < needed => {
                self.fill(W::ReusedGrows, &[&exact(block.0), &exact(needed.0)])
            }
            Note::Reused { block: Some(block) } => self.fill(W::ReusedLarge, &[&exact(block.0)]),
            Note::Widened { from, size } => {
                let at = self.address(buffer, from);
                match size {
                    Bytes(0) => self.fill(W::WidenedNone, &[&at]),
                    Bytes(size) => self.fill(W::WidenedRange, &[&exact(size), &at]),
                }
            }
            Note::Opened { range, from, size } if self.gives_blocks() => {
                let index = grouped(range as u64 + 1);
                self.fill(W::Segment, &[&index, &exact(size.0), &address(from)])
            }
            Note::Opened { range, size, .. } => {
                let index = grouped(range as u64 + 1);
                self.fill(W::RangeOpened, &[&index, &exact(size.0)])
            }
            Note::Joined {
                range,
                below,
                padding,
            } => {
                let (index, size) = sized(range);
                let mut said = match below {
                    Bytes(0) => self.fill(W::RangeJoined, &[&index, &size]),
                    Bytes(below) => self.fill(W::RangeAbove, &[&index, &size, &exact(below)]),
                };
                if padding > Bytes::ZERO {
                    said += &self.fill(W::RangePadded, &[&exact(padding.0)]);
                }
                said
            }
            Note::Full { range, left, live } => {
                let (index, size) = sized(range);
                let left = exact(left.0);
                match left == size {
                    true => self.fill(W::RangeSmall, &[&index, &size]),
                    false if !live => self.fill(W::RangeAligned, &[&index, &size, &left]),
                    false if left == exact(0) => self.fill(W::RangeFull, &[&index, &size]),
                    false => self.fill(W::RangeLeft, &[&index, &size, &left]),
                }
            }
            Note::InUse { range, by } => {
                let (index, size) = sized(range);
                self.fill(W::RangeInUse, &[&index, &size, &self.name(by)])
            }
        })
    }
}

/// What is said first when not everything can be said.
fn rank(fate: Fate) -> u8 {
    match fate {
        Fate::Taken => 0,
        Fate::Refused(Refusal::TooSmall | Refusal::Busy { .. }) => 2,
        Fate::Refused(_) | Fate::Free => 1,
    }
}

/// How a fate is said of one range and of several.
pub(super) fn of_fate(fate: Fate) -> Option<(W, W)> {
    Some(match fate {
        Fate::Taken => (W::IsChosen, W::IsChosen),
        Fate::Free => (W::IsFree, W::AreFree),
        Fate::Refused(why) => match why {
            Refusal::TooSmall => (W::IsTooSmall, W::AreTooSmall),
            Refusal::LooserFit => (W::IsLooser, W::AreLooser),
            Refusal::NotFirst => (W::IsLater, W::AreLater),
            Refusal::Overlooked => (W::AreOverlooked, W::AreOverlooked),
            Refusal::Busy { .. } => (W::IsTaken, W::AreTaken),
            Refusal::OutOfRange => (W::IsOutOfRange, W::AreOutOfRange),
            Refusal::OtherColor => (W::IsOtherColor, W::AreOtherColor),
            Refusal::HandedOver => (W::IsHandedOver, W::AreHandedOver),
            Refusal::Remembered { .. } => (W::IsRemembered, W::IsRemembered),
            Refusal::OtherPool => (W::IsOtherPool, W::AreOtherPool),
        },
    })
}
