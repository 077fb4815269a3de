//! Offsets as STAlloc plans them. Source: STAlloc (Infinigence, arXiv 2507.16274),
//! `Synthesizer/allocator.py`, without groups.
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
//! the next, leaves requests of at most 512 bytes to another allocator, and may group what passes
//! from the forward to the backward pass.

mod layer;

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;

use self::layer::{Layer, form_layers};
use super::megengine::joint_alignment;
use crate::liveness::Lifetimes;
use crate::message;
use crate::plan::{Options, Plan};
use crate::strategies::description::{
    AboveNaive, Capabilities, Description, Family, Growth, Model,
};
use crate::strategies::layout::Layout;
use crate::strategies::objects::least_common_multiple;
use crate::strategies::records::{InUse, Record, in_order};
use crate::strategies::{Event, Note, Observer, PlanError, Strategy, emit, overflow};
use crate::units::{Bytes, Offset, Step};

pub(in crate::strategies) const STRATEGY: Description = Description {
    name: "stalloc",
    source: "STAlloc, Synthesizer without groups",
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

/// The turn of a loop, in numbers of events, and the last event of all.
#[derive(Clone, Copy)]
struct Turn {
    start: u64,
    length: u64,
    last: u64,
}

/// Where a block came to lie.
struct Place {
    layer: usize,
    /// Bytes from the start of the layer.
    above: u64,
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
    let mut classes: BTreeMap<Reverse<u64>, Vec<usize>> = BTreeMap::new();
    for (index, record) in records.iter().enumerate() {
        let size = Bytes(record.size).align_up(Bytes(granule));
        let size = size.ok_or_else(|| too_large(index))?.0;
        classes.entry(Reverse(size)).or_default().push(index);
    }
    let lives = lives(&records);
    let turn = lifetimes.iteration.map(|it| {
        let start = number(&records, it.start);
        Turn {
            start,
            length: number(&records, it.end).saturating_sub(start),
            last: 2 * records.len() as u64,
        }
    });
    let mut stack = Stack::default();
    let total = records.len() as u64;
    for (Reverse(size), class) in classes {
        let done = stack.placed.len() as u64;
        emit(observer, Event::Progress { done, total })?;
        let one = class[0];
        let fits = stack.put(&lives, size, class, turn);
        fits.ok_or_else(|| too_large(one))?;
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
                let (below, padding) = (Bytes(place.above), Bytes::ZERO);
                Note::Joined {
                    range,
                    below,
                    padding,
                }
            },
        )?;
        let size = Bytes(record.size).align_up(Bytes(granule));
        layout.held(record, size.unwrap_or_default().0)?;
        layout.put_held(record, base.saturating_add(place.above))?;
    }
    Ok(layout.into_plan(Strategy::Stalloc))
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
    /// Puts the blocks of one size, which are in order of start; `None` beyond 64 bits.
    fn put(
        &mut self,
        lives: &[Life],
        size: u64,
        class: Vec<usize>,
        turn: Option<Turn>,
    ) -> Option<()> {
        let mut waiting = form_layers(lives, &class, turn).concat();
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
                        opens,
                    };
                    self.placed.push((index, place));
                }
            }
        }
        waiting = left.into_iter().flatten().collect();
        waiting.sort_unstable();
        for blocks in form_layers(lives, &waiting, turn) {
            let base = self.top;
            self.top = base.checked_add(size)?;
            let layer = self.layers.len();
            self.layers.push(Layer::of(lives, &blocks, (base, size)));
            let place = |(at, index)| {
                let (above, opens) = (0, at == 0);
                let place = Place {
                    layer,
                    above,
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
