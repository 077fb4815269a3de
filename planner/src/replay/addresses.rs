//! Device addresses as offsets in an arena.
//!
//! Device addresses are mostly unused, and what is given back to the device comes again at
//! another address. So what is taken is laid into the arena over time: in the order in which
//! it is taken, ties by address, each at the lowest place that is free for as long as it is
//! there. Within a segment offsets are true. A block that no segment holds for all its life
//! keeps its place for the whole trace.

use std::collections::BTreeMap;

use crate::caching_allocator::AllocatorSettings;
use crate::plan::{Mapped, Segment, Segments};
use crate::sorting::Sorting as _;
use crate::units::{Offset, Span};

use super::Home;
use super::lives::Life;
use super::mapped::{Marks, Rect};

/// No segment is aligned to more than this many bytes.
const ALIGNED: u64 = 2 << 20;

/// How many pairs of rectangles are compared in all; beyond that the arena grows.
const PAIRS: usize = 1 << 26;

/// How many are compared for what keeps its distance together; beyond that it is laid as one
/// rectangle.
const PAIRS_OF_ONE: usize = 1 << 21;

/// Where everything lies in the arena.
#[derive(Clone, Debug, Default)]
pub(super) struct Addresses {
    /// By mark, the lowest of those that are one: first address, and its offset.
    places: Vec<Option<(u64, u64)>>,
    marks: Marks,
    size: u64,
    /// What is there for the whole trace: start, end, mark.
    whole: Vec<(u64, u64, usize)>,
}

/// Rectangles that keep their distance from each other.
#[derive(Clone, Debug)]
struct Group {
    rects: Vec<Rect>,
    mark: usize,
    addresses: (u64, u64),
    /// First step.
    start: u64,
}

impl Addresses {
    /// Lays out `rects`, and around those of `lives` that have no mark for `horizon` steps.
    pub(super) fn of(mut rects: Vec<Rect>, mut marks: Marks, lives: &[Life], horizon: u64) -> Self {
        let whole = whole(&rects, &mut marks, lives);
        rects.extend(whole.iter().map(|&(from, to, mark)| Rect {
            addresses: (from, to),
            steps: (0, horizon),
            mark,
            home: Home::default(),
        }));
        let mut found = Self {
            whole,
            ..Self::default()
        };
        let mut laid = Laid::default();
        for group in groups(rects, &mut marks) {
            let offset = laid.place(&group);
            if found.places.len() <= group.mark {
                found.places.resize(group.mark + 1, None);
            }
            if let Some(slot) = found.places.get_mut(group.mark) {
                *slot = Some((group.addresses.0, offset));
            }
        }
        (found.marks, found.size) = (marks, laid.top);
        found
    }

    /// The end of everything.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// Where `life` begins.
    pub(super) fn offset(&mut self, life: &Life) -> u64 {
        let mark = life.mark.or_else(|| {
            let after = self.whole.partition_point(|it| it.0 <= life.address);
            self.whole.get(after.checked_sub(1)?).map(|it| it.2)
        });
        let place = mark.and_then(|mark| self.place(mark));
        place.map_or(0, |(address, offset)| {
            offset.saturating_add(life.address.saturating_sub(address))
        })
    }

    /// First address, and its offset, of what is one with `mark`.
    fn place(&mut self, mark: usize) -> Option<(u64, u64)> {
        let mark = self.marks.lowest(mark);
        self.places.get(mark).copied().flatten()
    }

    /// What was taken from the device as segments, and the one of each of `lives`; `None` where
    /// one of them lies in none.
    pub(super) fn segments(
        &mut self,
        rects: &[Rect],
        lives: &[Life],
        settings: AllocatorSettings,
    ) -> Option<Segments> {
        let mut groups: BTreeMap<usize, Segment> = BTreeMap::new();
        for rect in rects {
            let (address, offset) = self.place(rect.mark)?;
            let at = |byte: u64| Offset(offset.saturating_add(byte.saturating_sub(address)));
            let mapped = Mapped {
                low: at(rect.addresses.0),
                high: at(rect.addresses.1),
                span: Span::new(rect.steps.0, rect.steps.1),
            };
            let fresh = || Segment {
                low: mapped.low,
                high: mapped.high,
                span: mapped.span,
                address,
                stream: rect.home.stream,
                pool: rect.home.pool,
                small: rect.home.small,
                mapped: Vec::new(),
                expandable: rect.home.expandable,
            };
            let mark = self.marks.lowest(rect.mark);
            let segment = groups.entry(mark).or_insert_with(fresh);
            segment.low = segment.low.min(mapped.low);
            segment.high = segment.high.max(mapped.high);
            segment.span.start = segment.span.start.min(mapped.span.start);
            segment.span.end = segment.span.end.max(mapped.span.end);
            segment.mapped.push(mapped);
        }
        let mut list: Vec<(usize, Segment)> = groups.into_iter().collect();
        list.order_by_key(|(_, segment)| (segment.span.start, segment.low));
        let indices = (0..).zip(&list).map(|(index, (mark, _))| (*mark, index));
        let indices: BTreeMap<usize, u32> = indices.collect();
        let of_buffer = lives.iter().map(|life| {
            let mark = self.marks.lowest(life.mark?);
            indices.get(&mark).copied()
        });
        let of_buffer = of_buffer.collect::<Option<_>>()?;
        let list = list.into_iter().map(|(_, segment)| segment).collect();
        Some(Segments {
            list,
            of_buffer,
            settings,
        })
    }
}

/// The union of the blocks that no segment holds. What shares addresses with it at any time
/// keeps its distance from it.
fn whole(rects: &[Rect], marks: &mut Marks, lives: &[Life]) -> Vec<(u64, u64, usize)> {
    let lost = lives.iter().filter(|life| life.mark.is_none());
    let lost = lost.map(|life| (life.address, life.address.saturating_add(life.size.max(1))));
    let mut lost: Vec<(u64, u64)> = lost.collect();
    lost.order();
    let mut whole: Vec<(u64, u64, usize)> = Vec::new();
    for (from, to) in lost {
        match whole.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(to),
            _ => whole.push((from, to, marks.fresh())),
        }
    }
    // How many more rectangles reach from one to the next than from the one before.
    let mut reach = vec![0_i64; whole.len() + 1];
    for rect in rects {
        let first = whole.partition_point(|it| it.1 <= rect.addresses.0);
        let end = whole.partition_point(|it| it.0 < rect.addresses.1);
        if let Some(it) = whole.get(first).filter(|_| first < end) {
            marks.join(it.2, rect.mark);
            for (at, more) in [(first, 1), (end - 1, -1)] {
                if let Some(slot) = reach.get_mut(at) {
                    *slot += more;
                }
            }
        }
    }
    let mut reaching = 0;
    for (pair, more) in whole.windows(2).zip(reach) {
        reaching += more;
        if let [one, other] = pair
            && reaching > 0
        {
            marks.join(one.2, other.2);
        }
    }
    whole
}

/// What keeps its distance together, in the order in which it begins.
fn groups(mut rects: Vec<Rect>, marks: &mut Marks) -> Vec<Group> {
    for rect in &mut rects {
        rect.mark = marks.lowest(rect.mark);
    }
    rects.order_by_key(|it| (it.mark, it.steps, it.addresses));
    let same = rects.chunk_by(|one, other| one.mark == other.mark);
    let groups = same.filter_map(|rects| {
        let first = rects.first()?;
        let from = rects.iter().map(|it| it.addresses.0).min()?;
        let to = rects.iter().map(|it| it.addresses.1).max()?;
        Some(Group {
            rects: rects.to_vec(),
            mark: first.mark,
            addresses: (from, to),
            start: first.steps.0,
        })
    });
    let mut groups: Vec<Group> = groups.collect();
    groups.order_by_key(|group| (group.start, group.addresses));
    groups
}

impl Group {
    /// All addresses from the first step to the last.
    fn around(&self) -> Rect {
        let end = self.rects.iter().map(|it| it.steps.1).max();
        Rect {
            addresses: self.addresses,
            steps: (self.start, end.unwrap_or(self.start)),
            mark: self.mark,
            home: Home::default(),
        }
    }
}

/// What is laid already.
#[derive(Clone, Debug, Default)]
struct Laid {
    /// By first byte in the arena; rectangles that ended before what comes next are left out.
    rects: Vec<Rect>,
    top: u64,
    /// Whether something begins later than the first step.
    later: bool,
    pairs: usize,
}

impl Laid {
    /// The lowest offset at which `group` meets nothing.
    fn place(&mut self, group: &Group) -> u64 {
        let (from, to) = group.addresses;
        // As much as address and size have in common.
        let alignment = 1 << (from | (to - from) | ALIGNED).trailing_zeros();
        let up = |offset: u64| offset.checked_next_multiple_of(alignment);
        let up = |offset: u64| up(offset).unwrap_or(u64::MAX);
        // All that is there is there from the first step: nothing is free below the top.
        let stacked = group.start == 0 && !self.later;
        let mut offset = 0;
        if stacked || self.pairs >= PAIRS {
            offset = up(self.top);
        } else {
            self.pairs += self.rects.len();
            self.rects.retain(|rect| rect.steps.1 > group.start);
            for (start, end) in self.taken(group) {
                if offset < start {
                    break;
                }
                if offset < end {
                    offset = up(end);
                }
            }
        }
        self.lay(group, offset);
        offset
    }

    /// The offsets at which `group` would meet something, ascending.
    fn taken(&mut self, group: &Group) -> Vec<(u64, u64)> {
        let around = [group.around()];
        let pairs = self.rects.len().saturating_mul(group.rects.len());
        let (rects, pairs) = match pairs > PAIRS_OF_ONE {
            true => (&around[..], self.rects.len()),
            false => (&group.rects[..], pairs),
        };
        self.pairs += pairs;
        let mut taken = Vec::new();
        for own in rects {
            let low = own.addresses.0 - group.addresses.0;
            let high = own.addresses.1 - group.addresses.0;
            for laid in &self.rects {
                let meet = own.steps.0 < laid.steps.1 && laid.steps.0 < own.steps.1;
                let end = laid.addresses.1.saturating_sub(low);
                if meet && end > 0 {
                    let start = laid.addresses.0.saturating_add(1).saturating_sub(high);
                    taken.push((start, end));
                }
            }
        }
        taken.order();
        taken
    }

    fn lay(&mut self, group: &Group, offset: u64) {
        let from = group.addresses.0;
        for rect in &group.rects {
            let place = |address: u64| offset.saturating_add(address - from);
            let addresses = (place(rect.addresses.0), place(rect.addresses.1));
            self.later |= rect.steps.0 > 0;
            self.top = self.top.max(addresses.1);
            self.rects.push(Rect { addresses, ..*rect });
        }
    }
}
