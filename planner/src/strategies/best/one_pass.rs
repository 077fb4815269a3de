//! The other strategies, so that the best plan is never worse than one that it can afford: some
//! before anything is searched, the rest after it, where that has not settled the plan.

use alloc::vec::Vec;
use core::cmp::Reverse;
use core::ops::ControlFlow;

use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::sorting::Sorting as _;
use crate::strategies::best_fit::place_all;
use crate::strategies::incumbent::Attempts;
use crate::strategies::records::{Record, records};
use crate::strategies::{
    Ended, Event, Growth, Observer, PlanError, SearchStage, Strategy, Trial, admits,
    offsets_by_breadth, offsets_by_size, offsets_in_order, strip_best_fit,
};
use crate::units::Bytes;

/// Beyond so many conflicting pairs each of the first takes seconds, and all of the rest do.
const PAIRS: u64 = 1 << 26;
const PAIRS_OF_REST: u64 = 1 << 24;

/// Most buffers for which any of them is tried.
const BUFFERS: usize = 1 << 20;

/// Most buffers for those that plan everything again and again.
const FEW: usize = 1 << 9;

/// Of so many events one is passed on.
const BREATH: u64 = 64;

type Planner = fn(&Lifetimes, &Options, &mut dyn Observer) -> Result<Plan, PlanError>;

/// The one whose time does not grow with the pairs.
const STRIP: (Trial, Planner) = (
    Trial::Strategy(Strategy::StripBestFit),
    strip_best_fit::plan,
);

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
    STRIP,
    (
        Trial::Strategy(Strategy::OffsetsInOrder),
        offsets_in_order::plan,
    ),
];

/// Offers what each of the first plans, until one meets `bound`.
///
/// # Errors
/// [`PlanError::Cancelled`] when the observer breaks off.
pub(super) fn attempt_all(
    lifetimes: &Lifetimes,
    options: &Options,
    (conflicts, bound): (u64, u64),
    attempts: &mut Attempts<'_>,
) -> Result<(), PlanError> {
    if lifetimes.buffers.len() > BUFFERS {
        return Ok(());
    }
    let planners = match conflicts > PAIRS {
        true => &[STRIP][..],
        false => &PLANNERS,
    };
    attempt_each(lifetimes, options, (planners, bound), attempts)
}

/// Offers what every other strategy plans, until one meets `bound`.
///
/// # Errors
/// [`PlanError::Cancelled`] when the observer breaks off.
pub(super) fn attempt_rest(
    lifetimes: &Lifetimes,
    options: &Options,
    (conflicts, bound): (u64, u64),
    attempts: &mut Attempts<'_>,
) -> Result<(), PlanError> {
    let buffers = lifetimes.buffers.len();
    if conflicts > PAIRS_OF_REST || buffers > BUFFERS {
        return Ok(());
    }
    let tried = |strategy: Strategy| match strategy {
        // They are tried already, or the best of two that are tried here.
        Strategy::Skyline | Strategy::Best | Strategy::Exact => true,
        Strategy::XlaBest | Strategy::GreedyBest | Strategy::Naive => true,
        _ => PLANNERS.iter().any(|it| it.0 == Trial::Strategy(strategy)),
    };
    let affordable = |strategy: &Strategy| match strategy.description().growth {
        Growth::Linear | Growth::Square => true,
        Growth::Cube | Growth::Attempts | Growth::Effort => buffers <= FEW,
    };
    let rest = Strategy::ALL.into_iter().filter(|it| !tried(*it));
    let rest = rest.filter(affordable).filter(|strategy| {
        let limit = strategy.description().limit;
        let kept = admits(*strategy, lifetimes, options).is_ok();
        kept && limit.is_none_or(|limit| buffers <= limit)
    });
    let rest: Vec<(Trial, Planner)> = rest
        .map(|strategy| (Trial::Strategy(strategy), strategy.planner() as Planner))
        .collect();
    attempt_each(lifetimes, options, (&rest, bound), attempts)
}

fn attempt_each(
    lifetimes: &Lifetimes,
    options: &Options,
    (planners, bound): (&[(Trial, Planner)], u64),
    attempts: &mut Attempts<'_>,
) -> Result<(), PlanError> {
    attempts.stage(SearchStage::Passes)?;
    let buffers = lifetimes.buffers.len() as u64;
    let total = buffers * planners.len() as u64;
    for (tried, (trial, planner)) in (0..).zip(planners) {
        let done = tried * buffers;
        attempts.emit(Event::Progress { done, total })?;
        attempts.begin(*trial)?;
        let mut relay = Relay {
            attempts,
            placed: Vec::new(),
            assigned: 0,
            before: done,
            total,
            most: buffers,
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
            Ok(plan) if placed.len() == attempts.movable() => {
                attempts.offer_offsets(plan.arena.0, plan.offsets, placed)?;
            }
            // It has moved some, planned more than once, or filled objects.
            Ok(plan) => attempts.offer_by_address(plan.arena.0, &plan.offsets)?,
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
    /// How many buffers were given to objects.
    assigned: u64,
    /// Buffers that others before it have placed, and all that all will place.
    before: u64,
    total: u64,
    /// The most that one of them places, however often.
    most: u64,
    events: u64,
}

impl Observer for Relay<'_, '_> {
    fn observe(&mut self, event: Event) -> ControlFlow<()> {
        match event {
            Event::Placed { buffer, .. } => self.placed.push(buffer),
            Event::Assigned { .. } => self.assigned += 1,
            _ => {}
        }
        self.events += 1;
        if !self.events.is_multiple_of(BREATH) {
            return ControlFlow::Continue(());
        }
        let total = self.total;
        let placed = self.assigned.max(self.placed.len() as u64);
        let done = self.before + self.most.min(placed);
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
