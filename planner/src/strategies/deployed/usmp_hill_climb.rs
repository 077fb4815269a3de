//! Offsets as TVM's USMP searches for them. Source: TVM USMP, `hill_climb`.
//!
//! 500 attempts, each a first fit of all buffers in some order. The first order is by size.
//! From a buffer that reaches the top of the arena, two of those that stand in its way, or in
//! the way of these, are drawn and change places in the order. A smaller arena is kept; one
//! that is not smaller is kept with a probability that falls with the loss and with the
//! number of attempts; otherwise the swap is undone.
//!
//! Numbers are drawn as on Linux, by glibc's `rand_r` from seed 0. Two things are as odd as in
//! TVM: the result is what was kept last, not the smallest; and when no two buffers can be
//! drawn, the next attempt, which is no better, takes back the swap before. Where all that may
//! be drawn is one buffer again and again, TVM never returns; here there is no swap then.

use super::usmp_neighbours::Neighbours;
use super::usmp_stack::{Conflicts, pressure};
use crate::free_space::Fit;
use crate::liveness::Lifetimes;
use crate::message;
use crate::plan::{Options, Plan};
use crate::strategies::description::{
    AboveNaive, Capabilities, Description, Family, Growth, Model,
};
use crate::strategies::layout::Layout;
use crate::strategies::placed::Placed;
use crate::strategies::records::Record;
use crate::strategies::{Ended, Event, Observer, PlanError, Strategy, Trial, emit};
use alloc::vec;
use alloc::vec::Vec;

pub(in crate::strategies) const STRATEGY: Description = Description {
    name: "usmp_hill_climb",
    source: "TVM USMP, hill_climb",
    family: Family::Deployed,
    model: Model::Offsets,
    cost: "500 attempts of O(n · k log k)",
    growth: Growth::Attempts,
    capabilities: Capabilities::UNFIXED,
    above_naive: Some(AboveNaive::Padding),
    limit: Some(LIMIT),
};

/// More buffers than this are refused: each attempt takes the time of their square.
pub(in crate::strategies) const LIMIT: usize = 1 << 12;
const ATTEMPTS: u32 = 500;
/// Draws after which two different buffers are no longer hoped for.
const DRAWS: u32 = 10_000;

/// A whole plan: the exclusive end of each record, the highest of these, and what the
/// strategy returns for it.
struct Packed {
    tops: Vec<u64>,
    top: u64,
    plan: Plan,
}

/// Climbs from the order by size until the arena is the largest live sum or 500 attempts are
/// done.
pub(in crate::strategies) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let conflicts = Conflicts::of(lifetimes);
    if conflicts.records.len() > LIMIT {
        return Err(PlanError::Unsupported {
            what: message!("a hill climb over more than {} buffers", LIMIT),
        });
    }
    let mut smallest = None;
    match climb((lifetimes, options), &conflicts, (observer, &mut smallest)) {
        Err(PlanError::Cancelled) => smallest.ok_or(PlanError::Cancelled),
        ended => ended,
    }
}

/// The climb. `smallest` is the smallest plan so far, for when it is broken off.
fn climb(
    (lifetimes, options): (&Lifetimes, &Options),
    conflicts: &Conflicts<'_>,
    (observer, smallest): (&mut dyn Observer, &mut Option<Plan>),
) -> Result<Plan, PlanError> {
    let records = &conflicts.records;
    let wanted = pressure(records);
    let mut random = Random(0);
    let mut order = Order::new(conflicts.by_size());
    let mut neighbours = Neighbours::new(records);
    let mut swapped = (0, 0);
    let mut trial = Trial::FirstFit;
    let mut kept: Option<Packed> = None;
    for attempt in 0..ATTEMPTS {
        emit(observer, Event::Attempt { attempt, trial })?;
        let layout = Layout::new(lifetimes, options, observer)?;
        let packed = first_fit(layout, records, &order)?;
        emit_smallest(observer, &packed.plan, smallest)?;
        let (done, total) = (u64::from(attempt) + 1, u64::from(ATTEMPTS));
        emit(observer, Event::Progress { done, total })?;
        let (known, top) = (kept.as_ref().map(|kept| kept.top), packed.top);
        if known.is_none_or(|known| top < known || random.below(100) < chance(known, top, attempt))
        {
            kept = Some(packed);
            if top <= wanted {
                break;
            }
        } else {
            order.swap(swapped);
        }
        let Some(packed) = &kept else { break };
        let peak = highest(packed, &order);
        let node = peak[random.index(peak.len())];
        let mut pair = None;
        if let Some(drawn) = draw(&mut random, &mut neighbours, (node, &order)) {
            swapped = drawn;
            let of = |place: usize| records[order.turns[place]].buffer;
            pair = Some((of(swapped.0), of(swapped.1)));
            order.swap(swapped);
        }
        trial = Trial::Swapped { pair };
    }
    kept.map(|kept| kept.plan).ok_or(PlanError::Cancelled)
}

/// Reports `plan` when it is smaller than all before.
fn emit_smallest(
    observer: &mut dyn Observer,
    plan: &Plan,
    smallest: &mut Option<Plan>,
) -> Result<(), PlanError> {
    let arena = plan.arena;
    if let Some(best) = smallest.as_ref().map(|known| known.arena)
        && best <= arena
    {
        let how = Ended::Larger { arena, best };
        return emit(observer, Event::Ended { how });
    }
    *smallest = Some(plan.clone());
    let emitted = emit(observer, Event::Incumbent { arena });
    observer.incumbent(&plan.offsets, arena);
    emitted
}

/// In how many of 100 cases an attempt that is not smaller is kept.
fn chance(known: u64, top: u64, attempt: u32) -> u64 {
    let loss = u128::from(top - known);
    let chance = 50 * loss / u128::from(top) / u128::from(attempt);
    u64::try_from(chance).unwrap_or(0)
}

/// Puts each record, in turn, at the lowest address at which nothing placed is in its way.
fn first_fit(
    mut layout: Layout<'_>,
    records: &[Record],
    order: &Order,
) -> Result<Packed, PlanError> {
    let mut placed = Placed::new(records);
    let mut tops = vec![0; records.len()];
    for &index in &order.turns {
        let record = &records[index];
        let offset = layout.choose(&mut placed, record, Fit::First)?.start;
        let end = layout.align(record, offset.saturating_add(record.size))?;
        layout.held(record, end - offset)?;
        tops[index] = layout.put_held(record, offset)?;
        placed.insert(index, (offset, end));
    }
    let top = tops.iter().copied().max().unwrap_or(0);
    let plan = layout.into_plan(Strategy::UsmpHillClimb);
    Ok(Packed { tops, top, plan })
}

/// The records that reach the top, in their order.
fn highest(packed: &Packed, order: &Order) -> Vec<usize> {
    let turns = order.turns.iter().copied();
    turns
        .filter(|&index| packed.tops[index] == packed.top)
        .collect()
}

/// Two places of the order to be swapped.
fn draw(
    random: &mut Random,
    neighbours: &mut Neighbours<'_>,
    (node, order): (usize, &Order),
) -> Option<(usize, usize)> {
    neighbours.collect(node, &order.turns, &order.places);
    let (first, second) = (&neighbours.first, &neighbours.second);
    if first.is_empty() {
        return None;
    }
    let one = first[random.index(first.len())];
    for _ in 0..DRAWS {
        let other = if second.len() > 0 && random.below(100) > 25 {
            second.get(random.index(second.len()))
        } else {
            first[random.index(first.len())]
        };
        if one != other {
            return Some((order.places[one], order.places[other]));
        }
        if second.len() < 2 && first.len() < 2 {
            return None;
        }
    }
    None
}

/// In which order the records choose.
struct Order {
    turns: Vec<usize>,
    /// Place of each record in that order.
    places: Vec<usize>,
}

impl Order {
    fn new(turns: Vec<usize>) -> Self {
        let mut places = vec![0; turns.len()];
        for (place, &index) in turns.iter().enumerate() {
            places[index] = place;
        }
        Self { turns, places }
    }

    fn swap(&mut self, (one, other): (usize, usize)) {
        self.turns.swap(one, other);
        self.places[self.turns[one]] = one;
        self.places[self.turns[other]] = other;
    }
}

/// glibc's `rand_r`: three steps of a linear congruential generator give 31 bits.
struct Random(u32);

impl Random {
    fn bits(&mut self) -> u64 {
        let mut step = || {
            self.0 = self.0.wrapping_mul(1_103_515_245).wrapping_add(12345);
            u64::from(self.0 >> 16)
        };
        let high = step() % 2048;
        let middle = step() % 1024;
        let low = step() % 1024;
        high << 20 | middle << 10 | low
    }

    fn below(&mut self, end: u64) -> u64 {
        self.bits() % end
    }

    fn index(&mut self, len: usize) -> usize {
        usize::try_from(self.below((len as u64).max(1))).unwrap_or(0)
    }
}
