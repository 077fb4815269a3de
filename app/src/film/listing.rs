//! Free ranges in a sentence: how large they are, and why they were not taken.

use planner::trace::{Note, Refusal, unused_below};
use planner::{Bytes, Offset, Sorting as _};

use super::considered::{Choice, Considered, Fate};
use super::narrator::{Narrator, address, apart};
use crate::format::{bytes, grouped};
use crate::strings::FilmWord as W;

/// More objects than this are only counted.
pub(super) const LISTED: usize = 4;

/// Of more ranges that have the same fate only the largest are named.
const SIZES: usize = 3;

/// Free ranges that are overlooked are named one by one up to this many.
const NAMED: usize = 2;

/// What a strategy noted, in clauses.
#[derive(Default)]
pub(super) struct Noted {
    /// Why the buffer is where it is.
    pub(super) why: Vec<String>,
    /// What it could not be put into.
    pub(super) passed: Vec<String>,
}

impl Noted {
    pub(super) fn is_empty(&self) -> bool {
        self.why.is_empty() && self.passed.is_empty()
    }
}

impl Choice {
    /// Whether the overlooked ranges are so few that each can be named with its place.
    pub(super) fn few_overlooked(&self) -> bool {
        let overlooked = Fate::Refused(Refusal::Overlooked);
        let ranges = self.ranges.iter().filter(|range| range.fate == overlooked);
        ranges.count() <= NAMED
    }
}

impl Narrator<'_> {
    /// "the gaps of 16 B, 19 B and 2 more fit less closely": what became of the ranges that were
    /// not taken, a clause for each fate. `unlisted` more are not known.
    pub(super) fn refused(
        &self,
        choice: &Choice,
        ranges: &[&Considered],
        unlisted: u32,
    ) -> Vec<String> {
        let mut left: Vec<&Considered> = ranges.to_vec();
        left.retain(|range| range.fate != Fate::Taken);
        left.order_by_key(|range| (rank(range.fate), std::cmp::Reverse(range.size)));
        let mut fates: Vec<Fate> = left.iter().map(|range| range.fate).collect();
        fates.dedup();
        let mut clauses = Vec::new();
        for (at, &fate) in fates.iter().enumerate() {
            // The same fate of two ranks apart is said once.
            if fates[..at].contains(&fate) {
                continue;
            }
            let alike = left.iter().filter(|range| range.fate == fate);
            let alike: Vec<&Considered> = alike.copied().collect();
            clauses.extend(self.verdict(choice, fate, &alike));
        }
        if unlisted > 0 {
            let word = self.of_ranges(W::Unlisted, W::UnlistedBlocks);
            clauses.push(self.fill(word, &[&grouped(u64::from(unlisted))]));
        }
        if choice.padded {
            let own = self.lifetimes.buffers.get(choice.buffer);
            let own = own.map_or(Bytes(1), |own| own.alignment.max(self.still.alignment));
            clauses.push(self.fill(W::FromAligned, &[&bytes(own.0)]));
        }
        clauses
    }

    /// "the gaps of 16 B and 19 B are too small".
    fn verdict(&self, choice: &Choice, fate: Fate, alike: &[&Considered]) -> Option<String> {
        let (one, several) = of_fate(fate)?;
        let mut shown: Vec<&Considered> = alike.iter().copied().take(SIZES).collect();
        shown.order_by_key(|range| range.from);
        let mut sizes: Vec<String> = shown
            .iter()
            .map(|range| self.short(range.size, choice.needed.0))
            .collect();
        let more = alike.len() - shown.len();
        if more > 0 {
            sizes.push(self.fill(W::More, &[&grouped(more as u64)]));
        }
        let alone = alike.len() == 1;
        let subject = match alone {
            true => self.of_ranges(W::OneRange, W::OneBlock),
            false => self.of_ranges(W::Ranges, W::Blocks),
        };
        let subject = self.fill(subject, &[&self.list(&sizes, W::Last)]);
        let word = if alone { one } else { several };
        Some(match fate {
            Fate::Refused(Refusal::Remembered { whole }) => {
                self.fill(word, &[&subject, &bytes(whole.0)])
            }
            _ => self.fill(word, &[&subject]),
        })
    }

    /// The size of a range; where it looks like what is needed and is less, by how much.
    fn short(&self, size: u64, needed: u64) -> String {
        let text = bytes(size);
        match needed.checked_sub(size) {
            Some(missing) if missing > 0 && bytes(needed) == text => {
                self.fill(W::Short, &[&text, &bytes(missing)])
            }
            _ => text,
        }
    }

    /// What is said of free ranges, or of free blocks where the strategy gives out those.
    pub(super) fn of_ranges(&self, ranges: W, blocks: W) -> W {
        if self.gives_blocks() { blocks } else { ranges }
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

    /// What the strategy noted of the place of `buffer`: why it is there, and what was passed by.
    pub(super) fn noted(&self, buffer: usize) -> Noted {
        let mut noted = Noted::default();
        let mut passed = 0_usize;
        for note in self.notes() {
            let Some(clause) = self.note(buffer, note) else {
                continue;
            };
            if !matches!(note, Note::Full { .. } | Note::InUse { .. }) {
                noted.why.push(clause);
                continue;
            }
            passed += 1;
            if passed < LISTED {
                noted.passed.push(clause);
            }
        }
        let more = passed - noted.passed.len();
        if more > 0 {
            let more = self.fill(W::MoreObjects, &[&grouped(more as u64)]);
            noted.passed.push(more);
        }
        noted
    }

    fn note(&self, buffer: usize, note: Note) -> Option<String> {
        let sized = |range: usize| {
            let layout = &self.still.layout;
            let known = layout.range(layout.pool(buffer), range);
            let size = known.map(|known| known.size.0);
            (grouped(range as u64 + 1), size.unwrap_or(0))
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
                let [block, needed] = apart([block.0, needed.0]);
                self.fill(W::ReusedGrows, &[&block, &needed])
            }
            Note::Reused { block: Some(block) } => self.fill(W::ReusedLarge, &[&bytes(block.0)]),
            Note::Widened { from, size } => {
                let at = self.address(buffer, from);
                match size {
                    Bytes(0) => self.fill(W::WidenedNone, &[&at]),
                    Bytes(size) => self.fill(W::WidenedRange, &[&bytes(size), &at]),
                }
            }
            Note::Opened { range, from, size } if self.gives_blocks() => {
                let index = grouped(range as u64 + 1);
                self.fill(W::Segment, &[&index, &bytes(size.0), &address(from)])
            }
            Note::Opened { range, size, .. } => {
                let index = grouped(range as u64 + 1);
                self.fill(W::RangeOpened, &[&index, &bytes(size.0)])
            }
            Note::Joined {
                range,
                below,
                padding,
            } => {
                let (index, size) = sized(range);
                let size = bytes(size);
                let mut said = match below {
                    Bytes(0) => self.fill(W::RangeJoined, &[&index, &size]),
                    Bytes(below) => self.fill(W::RangeAbove, &[&index, &size, &bytes(below)]),
                };
                if padding > Bytes::ZERO {
                    said += &self.fill(W::RangePadded, &[&bytes(padding.0)]);
                }
                said
            }
            Note::Full { range, left, live } => {
                let (index, size) = sized(range);
                let [left_text, size_text] = apart([left.0, size]);
                match left.0 == size {
                    true => self.fill(W::RangeSmall, &[&index, &size_text]),
                    false if !live => self.fill(W::RangeAligned, &[&index, &size_text, &left_text]),
                    false if left.0 == 0 => self.fill(W::RangeFull, &[&index, &size_text]),
                    false => self.fill(W::RangeLeft, &[&index, &size_text, &left_text]),
                }
            }
            Note::InUse { range, by } => {
                let (index, size) = sized(range);
                self.fill(W::RangeInUse, &[&index, &bytes(size), &self.name(by)])
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
        Fate::Taken => return None,
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
            Refusal::LowerTie => (W::IsLowerTie, W::AreLowerTie),
            Refusal::EarlierChunk => (W::IsEarlierChunk, W::AreEarlierChunk),
            Refusal::OtherPool => (W::IsOtherPool, W::AreOtherPool),
        },
    })
}
