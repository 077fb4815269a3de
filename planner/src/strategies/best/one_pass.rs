//! The one-pass strategies that the best plan is never worse than, up to some size.

use std::cmp::Reverse;
use std::ops::ControlFlow;

use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::sorting::Sorting as _;
use crate::strategies::best_fit::place_all;
use crate::strategies::incumbent::Attempts;
use crate::strategies::records::{Record, records};
use crate::strategies::{
    Ended, Event, Observer, PlanError, Stage, Strategy, Trial, offsets_by_breadth, offsets_by_size,
    offsets_in_order, strip_best_fit,
};
use crate::units::Bytes;

/// Beyond so many conflicting pairs, or buffers, these take seconds.
const PAIRS: u64 = 1 << 24;
const BUFFERS: usize = 1 << 14;

/// Of so many events one is passed on.
const BREATH: u64 = 64;

type Planner = fn(&Lifetimes, &Options, &mut dyn Observer) -> Result<Plan, PlanError>;

const PLANNERS: [(Trial, Planner); 6] = [
    (
        Trial::Strategy(Strategy::OffsetsBySize),
        offsets_by_size::plan,
    ),
    (
        Trial::Strategy(Strategy::OffsetsByBreadth),
        offsets_by_breadth::plan,
    ),
    (Trial::ByArea, by_area),
    (Trial::ByLength, by_length),
    (
        Trial::Strategy(Strategy::StripBestFit),
        strip_best_fit::plan,
    ),
    (
        Trial::Strategy(Strategy::OffsetsInOrder),
        offsets_in_order::plan,
    ),
];

/// Offers what each of them plans, until one meets `bound`.
///
/// # Errors
/// [`PlanError::Cancelled`] when the observer breaks off.
pub(super) fn attempt_all(
    lifetimes: &Lifetimes,
    options: &Options,
    conflicts: u64,
    bound: u64,
    attempts: &mut Attempts<'_>,
) -> Result<(), PlanError> {
    if conflicts > PAIRS || lifetimes.buffers.len() > BUFFERS {
        return Ok(());
    }
    attempts.stage(Stage::Passes)?;
    let buffers = lifetimes.buffers.len() as u64;
    let total = buffers * PLANNERS.len() as u64;
    for (tried, (trial, planner)) in (0..).zip(PLANNERS) {
        let done = tried * buffers;
        attempts.emit(Event::Progress { done, total })?;
        attempts.begin(trial)?;
        let mut relay = Relay {
            attempts,
            placed: Vec::new(),
            before: done,
            total,
            events: 0,
        };
        let plan = planner(lifetimes, options, &mut relay);
        let placed = relay.placed;
        // A strategy that cannot keep something leaves the field to the others.
        match plan {
            Ok(plan) if plan.arena.0 >= attempts.limit() => {
                let (arena, best) = (plan.arena, Bytes(attempts.limit()));
                let how = Ended::Larger { arena, best };
                attempts.emit(Event::Ended { how })?;
            }
            Ok(plan) => attempts.offer_offsets(plan.arena.0, plan.offsets, placed)?,
            Err(PlanError::Cancelled) => return Err(PlanError::Cancelled),
            Err(_) => attempts.emit(Event::Ended { how: Ended::Unable })?,
        }
        if attempts.is_settled(bound) {
            break;
        }
    }
    Ok(())
}

/// Notes what is placed, and asks from time to time whether to go on.
struct Relay<'a, 'b> {
    attempts: &'a mut Attempts<'b>,
    placed: Vec<usize>,
    /// Buffers that others before it have placed, and all that all will place.
    before: u64,
    total: u64,
    events: u64,
}

impl Observer for Relay<'_, '_> {
    fn observe(&mut self, event: Event) -> ControlFlow<()> {
        if let Event::Placed { buffer, .. } = event {
            self.placed.push(buffer);
        }
        self.events += 1;
        if !self.events.is_multiple_of(BREATH) {
            return ControlFlow::Continue(());
        }
        let total = self.total;
        let done = self.before + self.placed.len() as u64;
        match self.attempts.emit(Event::Progress { done, total }) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    }
}

/// By bytes times steps descending, each by best fit.
fn by_area(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let area = |record: &Record| u128::from(record.size) * u128::from(record.len());
    by(lifetimes, options, observer, |record| Reverse(area(record)))
}

/// By number of steps descending, then by size, each by best fit.
fn by_length(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let key = |record: &Record| Reverse((record.len(), Bytes(record.size)));
    by(lifetimes, options, observer, key)
}

fn by<K: Ord>(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
    key: impl Fn(&Record) -> K,
) -> Result<Plan, PlanError> {
    let records = records(lifetimes);
    let mut order: Vec<usize> = (0..records.len()).collect();
    order.order_by_key(|&record| key(&records[record]));
    let turns = (records.as_slice(), order.as_slice());
    place_all(Strategy::Best, lifetimes, turns, options, observer)
}
