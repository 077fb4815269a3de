//! Offsets as STAlloc plans them. Source: STAlloc (Infinigence, arXiv 2507.16274),
//! `Synthesizer/allocator.py`; its groups are those of `Synthesizer/plan_generator.py`.
//!
//! Sizes are rounded up to 512 bytes, and those of one size are planned together, the largest
//! first. They are shared out among as few layers of their size as may be: each, in order of
//! start, goes into the layer that became free last. In that order (layer by layer) each is tried
//! in the layers of larger sizes: it fits where the highest that is in use during its life leaves
//! room, and it is put there, whatever is free below. What finds no room has layers of its own, on
//! top of all others.
//!
//! Before that the same is tried six times without any effect but on the order: in each layer by
//! itself, and those that fit in none go to the front. The reference writes places in the order
//! where it means blocks from the second time on; and it never counts what its order would save,
//! so that it always tries six times. Both are kept.
//!
//! Time is the number of the event, from 1 on: at each step first everything is released that ended
//! before, then everything is requested that starts, in the buffers' order. A block that goes into a
//! layer needs the event of its release and, of those that made the layer, the event before their
//! start, too.
//!
//! With [`iteration`](crate::liveness::Lifetimes::iteration) what starts in it or later is there
//! once more, later by its length, where blocks of one size are shared out; nowhere else. What
//! STAlloc does beside that is not here: it stacks weights and what lives from one turn to
//! the next, and leaves requests of at most 512 bytes to another allocator.
//!
//! With [`phases`](crate::liveness::Lifetimes::phases) blocks are planned in groups as well, and the
//! smaller plan counts, as with its option `--autotune`. A group is what begins in one phase and
//! ends in another, the same two for all: at the end of the first all of it is live, so that
//! its blocks lie on top of each other. Groups that are small or hold little for how long they
//! last are not kept. A group goes into the range of a larger one that begins or ends with it in
//! use, block by block, where that is a better use of both. Groups of one size share layers as blocks
//! do, and go into layers of larger ones at times when nothing is there. All other blocks follow as
//! above.
//!
//! Some points of groups are ours. The reference has its phases from its own hooks, one for each
//! micro-batch; here what begins before the first phase, or is never released, has none and is in
//! no group. A group goes into one other at most (in the reference it may go into several, which its
//! reader refuses). What two groups in one range use is known from where it begins (the reference
//! cuts its record at the wrong end where the earliest blocks find no room). What would meet itself a
//! turn later waits (there it is lost). And how much may be tried is limited.

mod groups;
mod layer;
mod rows;

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;

use self::groups::{Group, grouped};
use self::layer::{Layer, form_layers};
use self::rows::Rows;
use super::megengine::joint_alignment;
use crate::liveness::Lifetimes;
use crate::message;
use crate::plan::{Options, Plan};
use crate::sorting::Sorting as _;
use crate::strategies::description::{
    AboveNaive, Capabilities, Description, Family, Growth, Model,
};
use crate::strategies::layout::Layout;
use crate::strategies::objects::least_common_multiple;
use crate::strategies::records::{InUse, Record, in_order};
use crate::strategies::{Event, Note, Observer, PlanError, Strategy, emit, overflow};
use crate::units::{Bytes, Offset, Span, Step};

pub(in crate::strategies) const STRATEGY: Description = Description {
    name: "stalloc",
    source: "STAlloc, Synthesizer",
    family: Family::Deployed,
    model: Model::Offsets,
    cost: "O(n · layers · log n)",
    growth: Growth::Square,
    capabilities: Capabilities::UNFIXED,
    above_naive: Some(AboveNaive::Blocks(Bytes(GRANULE))),
    limit: Some(LIMIT),
};

/// Sizes are rounded up to a multiple of this.
const GRANULE: u64 = 512;

/// How often the order is changed before it counts.
const ROUNDS: usize = 6;

/// More buffers than this are refused: where most are live together, there are as many layers, and
/// each buffer is tried in each.
const LIMIT: usize = 1 << 17;

/// One request, in numbers of events: it needs every one from its start to its end.
#[derive(Clone, Copy)]
struct Life {
    start: u64,
    end: u64,
}

impl Life {
    /// Number of events from the first to the last.
    fn len(self) -> u64 {
        self.end - self.start
    }
}

/// The turn of a loop, in numbers of events, and the last event of all.
#[derive(Clone, Copy)]
struct Turn {
    start: u64,
    length: u64,
    last: u64,
}

impl Turn {
    /// The same a turn later, where that begins before the end.
    fn again(self, life: Life) -> Option<Life> {
        let starts = life.start.checked_add(self.length);
        let start = starts.filter(|start| life.start >= self.start && *start <= self.last)?;
        let end = life.end.saturating_add(self.length).min(self.last);
        Some(Life { start, end })
    }
}

/// What is planned: blocks, in order of start.
struct Case {
    lives: Vec<Life>,
    /// In whole units.
    sizes: Vec<u64>,
    turn: Option<Turn>,
}

impl Case {
    /// The same a turn later.
    fn again(&self, life: Life) -> Option<Life> {
        self.turn.and_then(|turn| turn.again(life))
    }
}

/// Where a block came to lie.
struct Place {
    layer: usize,
    /// Bytes from the start of the layer.
    above: u64,
    /// Of these, up to the highest that is in use during its life.
    below: u64,
    /// Whether the layer was made for it.
    opens: bool,
}

/// Plans one size after the other, then says where everything came to lie.
pub(in crate::strategies) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let records = in_order(lifetimes);
    if records.len() > LIMIT {
        return Err(PlanError::Unsupported {
            what: message!("more than {} buffers in layers", LIMIT),
        });
    }
    let too_large = |index: usize| overflow(&lifetimes.buffers[records[index].buffer]);
    let alignment = joint_alignment(lifetimes, options, &records)?;
    let granule = least_common_multiple(GRANULE, alignment).ok_or_else(|| too_large(0))?;
    let sizes = records.iter().enumerate().map(|(index, record)| {
        let size = Bytes(record.size).align_up(Bytes(granule));
        size.map(|it| it.0).ok_or_else(|| too_large(index))
    });
    let case = Case {
        sizes: sizes.collect::<Result<_, _>>()?,
        lives: lives(&records),
        turn: lifetimes.iteration.map(|it| turn(&records, it)),
    };
    let grouped = grouped(&case, &phases(lifetimes, &records));
    let count = records.len() as u64;
    let total = if grouped.is_some() { 2 * count } else { count };
    let mut done = 0;
    let mut filled = |mut stack: Stack, blocks: Vec<usize>| {
        for class in classes(&case, blocks) {
            emit(observer, Event::Progress { done, total })?;
            done += class.len() as u64;
            let one = class[0];
            let fits = stack.put(&case, class);
            fits.ok_or_else(|| too_large(one))?;
        }
        Ok(stack)
    };
    let mut stack = filled(Stack::default(), (0..records.len()).collect())?;
    if let Some(it) = grouped {
        let other = filled(Stack::of(&case, &it.groups, it.ranges), it.rest)?;
        if other.top <= stack.top {
            stack = other;
        }
    }
    let mut layout = Layout::new(lifetimes, options, observer)?;
    for (index, place) in stack.placed {
        let (record, layer) = (&records[index], &stack.layers[place.layer]);
        let (range, base) = (place.layer, layer.base);
        layout.note(
            record,
            if place.opens {
                let (from, size) = (Offset(base), Bytes(layer.size));
                Note::Opened { range, from, size }
            } else {
                let (below, padding) = (Bytes(place.below), Bytes(place.above - place.below));
                Note::Joined {
                    range,
                    below,
                    padding,
                }
            },
        )?;
        layout.held(record, case.sizes[index])?;
        layout.put_held(record, base.saturating_add(place.above))?;
    }
    Ok(layout.into_plan(Strategy::Stalloc))
}

/// Blocks of equal size, the largest first; those of one size as a heap by start has them.
fn classes(case: &Case, blocks: Vec<usize>) -> Vec<Vec<usize>> {
    let mut classes: BTreeMap<Reverse<u64>, Vec<usize>> = BTreeMap::new();
    for block in blocks {
        let size = Reverse(case.sizes[block]);
        classes.entry(size).or_default().push(block);
    }
    let classes = classes.into_values();
    let heaped = |class: Vec<usize>| heaped(class.into_iter(), |block| case.lives[block].start);
    classes.map(heaped).collect()
}

/// As they lie in a binary heap, the least key first, into which they were put one after the other:
/// the reference walks over it as if that were their order. What comes in order stays so.
fn heaped(items: impl Iterator<Item = usize>, key: impl Fn(usize) -> u64) -> Vec<usize> {
    let mut heap = Vec::new();
    for item in items {
        let mut at = heap.len();
        heap.push(item);
        while at > 0 && key(heap[at]) < key(heap[(at - 1) / 2]) {
            heap.swap(at, (at - 1) / 2);
            at = (at - 1) / 2;
        }
    }
    heap
}

/// The turn of a loop.
fn turn(records: &[Record], steps: Span) -> Turn {
    let start = number(records, steps.start);
    Turn {
        start,
        length: number(records, steps.end).saturating_sub(start),
        last: 2 * records.len() as u64,
    }
}

/// The numbers of the phases in which each record begins and ends. What is released at the step
/// where a phase begins is released before.
fn phases(lifetimes: &Lifetimes, records: &[Record]) -> Vec<Option<(u64, u64)>> {
    let mut begins: Vec<u64> = lifetimes.phases.iter().map(|it| it.0).collect();
    begins.order();
    begins.dedup();
    let each = records.iter().map(|record| {
        let start = begins.partition_point(|it| *it <= record.start) as u64;
        let end = begins.partition_point(|it| *it < record.end) as u64;
        let known = start > 0 && record.end < lifetimes.horizon.0;
        known.then_some((start, end))
    });
    each.collect()
}

/// The numbers of the events with which each record is requested and released.
fn lives(records: &[Record]) -> Vec<Life> {
    let mut lives = vec![Life { start: 0, end: 0 }; records.len()];
    let mut in_use = InUse::default();
    let mut now = 0;
    for (index, record) in records.iter().enumerate() {
        while let Some(ended) = in_use.release(record.start) {
            now += 1;
            lives[ended].end = now;
        }
        now += 1;
        lives[index].start = now;
        in_use.add(record.end, index);
    }
    while let Some(ended) = in_use.release(u64::MAX) {
        now += 1;
        lives[ended].end = now;
    }
    lives
}

/// The number of the first event at `step` or later; after the last event every step is one.
fn number(records: &[Record], step: Step) -> u64 {
    let events = records.iter().flat_map(|it| [it.start, it.end]);
    let before = events.clone().filter(|&it| it < step.0).count() as u64;
    let last = events.max().unwrap_or(0).saturating_add(1);
    (before + 1).saturating_add(step.0.saturating_sub(last))
}

/// Layers on top of each other, and what lies in them.
#[derive(Default)]
struct Stack {
    layers: Vec<Layer>,
    /// The end of the highest.
    top: u64,
    /// In the order in which they are put.
    placed: Vec<(usize, Place)>,
}

impl Stack {
    /// The ranges of groups on top of each other, the largest lowest.
    fn of(case: &Case, groups: &[Group], mut ranges: Vec<Rows>) -> Self {
        ranges.order_by_key(|it| Reverse(it.size));
        let mut stack = Self::default();
        for range in ranges {
            let layer = stack.layers.len();
            let mut places = range.places(groups);
            places.order_by_key(|&(block, above)| (above + case.sizes[block], block));
            let ends = places
                .iter()
                .map(|&(block, it)| (block, it + case.sizes[block]));
            let whole = (stack.top, range.size);
            stack
                .layers
                .push(Layer::of(&case.lives, ends, whole, range.floor()));
            stack.top += range.size;
            let mut so_far = Layer::empty(whole);
            for (at, (block, above)) in places.into_iter().enumerate() {
                let life = case.lives[block];
                let below = so_far.top(life, 0).unwrap_or(0);
                so_far.fill((life.start, life.end), above + case.sizes[block]);
                let place = Place {
                    layer,
                    above,
                    below,
                    opens: at == 0,
                };
                stack.placed.push((block, place));
            }
        }
        stack
    }

    /// Puts the blocks of one size, which are in order of start unless the reference has another;
    /// `None` beyond 64 bits.
    fn put(&mut self, case: &Case, class: Vec<usize>) -> Option<()> {
        let Case { lives, turn, .. } = case;
        let size = case.sizes[*class.first()?];
        let mut waiting = form_layers(lives, &class, *turn).concat();
        let mut order: Vec<usize> = (0..waiting.len()).collect();
        let mut open = vec![None; self.layers.len()];
        for _ in 0..ROUNDS {
            let next = self.tried(lives, size, (&waiting, &order), &mut open);
            // From here on every round would be the same.
            if next == order {
                break;
            }
            order = next;
        }
        let mut left: Vec<Option<usize>> = waiting.iter().copied().map(Some).collect();
        let mut count = left.len();
        for (layer, into) in self.layers.iter_mut().enumerate() {
            if count == 0 {
                break;
            }
            for &at in &order {
                if let Some(index) = left[at]
                    && let Some(above) = into.add(lives[index], size)
                {
                    left[at] = None;
                    count -= 1;
                    let opens = false;
                    let place = Place {
                        layer,
                        above,
                        below: above,
                        opens,
                    };
                    self.placed.push((index, place));
                }
            }
        }
        waiting = left.into_iter().flatten().collect();
        waiting.sort_unstable();
        for blocks in form_layers(lives, &waiting, *turn) {
            let base = self.top;
            self.top = base.checked_add(size)?;
            let layer = self.layers.len();
            let ends = blocks.iter().map(|&block| (block, size));
            self.layers.push(Layer::of(lives, ends, (base, size), 0));
            let place = |(at, index)| {
                let (above, opens) = (0, at == 0);
                let place = Place {
                    layer,
                    above,
                    below: above,
                    opens,
                };
                (index, place)
            };
            self.placed
                .extend(blocks.into_iter().enumerate().map(place));
        }
        Some(())
    }

    /// The order after one round: first the places of those that fit in no layer. `open` has, for
    /// layers that were tried, those that fit there as the layer is: no others ever do.
    fn tried(
        &self,
        lives: &[Life],
        size: u64,
        (waiting, order): (&[usize], &[usize]),
        open: &mut [Option<Set>],
    ) -> Vec<usize> {
        let mut fitted = vec![false; order.len()];
        let mut left: Vec<usize> = waiting.to_vec();
        for (layer, open) in self.layers.iter().zip(open) {
            // What a layer holds matters only where one that fitted in none before fits in it.
            let fits = |&index: &usize| layer.top(lives[index], size).is_some();
            if !left.iter().any(fits) {
                continue;
            }
            let open = open.get_or_insert_with(|| Set::of(waiting.iter().map(fits)));
            let mut layer = layer.clone();
            for (place, &at) in order.iter().enumerate() {
                if open.has(at) && layer.add(lives[waiting[at]], size).is_some() {
                    fitted[place] = true;
                }
            }
            let places = order.iter().zip(&fitted).filter(|(_, fitted)| !**fitted);
            left = places.map(|(&at, _)| waiting[at]).collect();
        }
        // Places, not blocks: see above.
        let front = (0..order.len()).filter(|&place| !fitted[place]);
        let rest = order.iter().copied().filter(|&at| fitted[at]);
        front.chain(rest).collect()
    }
}

/// A set of small numbers.
#[derive(Clone)]
struct Set(Vec<u64>);

impl Set {
    /// The numbers of those that are true.
    fn of(all: impl ExactSizeIterator<Item = bool>) -> Self {
        let mut words = vec![0; all.len().div_ceil(64)];
        for (number, _) in all.enumerate().filter(|it| it.1) {
            words[number / 64] |= 1 << (number % 64);
        }
        Self(words)
    }

    fn has(&self, number: usize) -> bool {
        self.0[number / 64] & (1 << (number % 64)) != 0
    }
}
