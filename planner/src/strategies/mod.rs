//! Strategies: what they report, why they may fail, and the one door [`plan`]. The closed list
//! is in `list.rs`.
//!
//! The shared-object strategies and GREEDY_BY_SIZE over offsets follow TFLite's GPU delegate
//! down to its ties. "Index" in a tie rule is the buffer's place in [`Lifetimes::buffers`];
//! strategies that go in order of first use sort by it stably.

// In reading order: what they are, what they share, objects, offsets, other size types.
mod description;
mod capabilities;
mod list;
mod note;
mod choice;
mod records;
pub(crate) mod separation;
mod objects;
mod naive;
mod equality;
mod greedy_in_order;
mod breadth;
mod conflicts;
mod greedy_by_breadth;
mod greedy_by_size;
mod greedy_best;
mod min_cost_flow;
mod layout;
mod by_address;
mod constrained;
mod placed;
mod best_fit;
mod offsets_by_size;
mod offsets_by_breadth;
mod offsets_in_order;
mod longest;
mod strip_best_fit;
mod incumbent;
mod skyline;
mod best;
pub mod exact;
mod deployed;
mod online;
mod coloring;
pub(crate) mod trace;
mod pools;

use alloc::boxed::Box;
use alloc::string::String;
use core::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use crate::liveness::{Buffer, Clash, Lifetimes, clash};
use crate::plan::{Options, Plan};
use crate::units::{Bytes, Offset, Step};
use crate::{Message, impl_message, message};

pub use capabilities::Constraint;
pub use choice::{Choice, Fit, Match, Search, Taken};
pub use description::{AboveNaive, Capabilities, Capability, Description, Family, Growth, Model};
pub use list::{Strategy, UnknownStrategy};
pub use note::{Ended, Note, Pooling, Sent, Stop, Trial};
pub use skyline::Key;

/// One decision of a strategy, reported as it is made.
///
/// What a strategy reports about a buffer before it is placed or assigned belongs to that
/// decision. It reports what it did; what it did not take, and why, follows from that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum Event {
    /// A new attempt begins, with nothing placed: number `attempt`, from 0 up. Strategies of
    /// one attempt do not say so.
    Attempt {
        /// Number of the attempt.
        attempt: u32,
        /// What it tries. Of some, no decision is reported: only what comes of them.
        trial: Trial,
    },
    /// How an attempt ended that led to no smaller plan, or to one for several pools.
    Ended {
        /// How it ended.
        how: Ended,
    },
    /// What is known of buffer `buffer`, whose decision comes next.
    Noted {
        /// Index of the buffer.
        buffer: usize,
        /// What is known.
        note: Note,
    },
    /// How pools are filled.
    Pooling(Pooling),
    /// A place was chosen for buffer `buffer`, whose decision comes next.
    Chosen {
        /// Index of the buffer.
        buffer: usize,
        /// Where it was sought, and what was taken.
        choice: Choice,
    },
    /// Buffer `buffer`, which is placed next, keeps other bytes or steps than its own.
    Held {
        /// Index of the buffer.
        buffer: usize,
        /// Bytes from its start on.
        bytes: Bytes,
        /// The end of the steps, exclusive.
        until: Step,
    },
    /// Buffer `buffer` was put at `offset`.
    Placed {
        /// Index of the buffer.
        buffer: usize,
        /// Where.
        offset: Offset,
    },
    /// Buffer `buffer`, placed before, is elsewhere now.
    Moved {
        /// Index of the buffer.
        buffer: usize,
        /// Where it was.
        from: Offset,
        /// Where it is.
        to: Offset,
    },
    /// Buffer `buffer`, placed before, was taken up again.
    Unplaced {
        /// Index of the buffer.
        buffer: usize,
    },
    /// The shared object `object` was opened for the buffer that is assigned next.
    Opened {
        /// Index of the object.
        object: usize,
        /// Its size.
        size: Bytes,
    },
    /// The shared object `object` was made larger for the buffer that is assigned next.
    Grown {
        /// Index of the object.
        object: usize,
        /// Bytes before.
        from: Bytes,
        /// Bytes now.
        to: Bytes,
    },
    /// Buffer `buffer` was given to the shared object `object`.
    Assigned {
        /// Index of the buffer.
        buffer: usize,
        /// Index of the object.
        object: usize,
    },
    /// The search gave a branch up, after so many buffers were placed.
    Pruned {
        /// By which rule.
        rule: Rule,
        /// Buffers placed.
        depth: usize,
        /// Where, and by which numbers.
        stop: Stop,
    },
    /// A whole plan was found that is smaller than all before.
    Incumbent {
        /// Its arena.
        arena: Bytes,
    },
    /// No plan of offsets has a smaller arena than this.
    Proved {
        /// Bytes.
        bound: Bytes,
    },
    /// A strategy of several stages begins this one: progress is that of the stage.
    SearchStage {
        /// Which one.
        stage: SearchStage,
    },
    /// Nothing was decided, but work went on: `done` of about `total` parts.
    Progress {
        /// Parts done.
        done: u64,
        /// Parts in all.
        total: u64,
    },
}

/// A stage of a strategy that tries one thing after the other, and what its parts are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SearchStage {
    /// The skyline in one order after the other: buffers placed.
    Orders,
    /// Other strategies of one pass: buffers placed.
    Passes,
    /// The exact search with a part of its budget: nodes.
    Proof,
    /// Local search on the order: moves.
    Moves,
}

/// Why a free range or an object was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Refusal {
    /// It is too small.
    TooSmall,
    /// It would do, but another is a closer fit.
    LooserFit,
    /// It would do, but the strategy takes the first that it meets, and that was another.
    NotFirst,
    /// It would do, but the strategy never looks there.
    Overlooked,
    /// It is taken by a buffer that is live at the same time.
    Busy {
        /// Index of that buffer.
        by: usize,
    },
    /// It is as small as the one taken, but lower.
    LowerTie,
    /// It would do, but a fit in a later chunk wins.
    EarlierChunk,
    /// It is outside the range of sizes that the strategy accepts.
    OutOfRange,
    /// It belongs to operators that may run at the same time.
    OtherColor,
    /// It would do, but the bytes of another buffer are taken over in place.
    HandedOver,
    /// It would do, and is no looser than the one taken, but the strategy remembers it with
    /// the bytes before its first aligned address.
    Remembered {
        /// Bytes with those.
        whole: Bytes,
    },
    /// It would do, but belongs to the blocks for requests of another size.
    OtherPool,
}

/// Rules by which the exact search gives a branch up or skips an alternative (MiniMalloc,
/// Moffitt 2023).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// A buffer would end beyond the capacity.
    Capacity,
    /// The same plan is found in another order.
    Canonical,
    /// Another buffer fits wholly below the chosen place.
    Dominance,
    /// A section cannot hold what is still to be placed in it.
    SectionInference,
    /// A section's floor is lower than the last placed buffer.
    MonotonicFloor,
    /// Without a buffer at its place the rest does not fit, and others can only lift it too high.
    Postponed,
    /// Nothing unplaced lies above it, so that its place has no alternative.
    Hatless,
}

/// Receives every decision, and may stop the strategy by breaking.
///
/// A strategy that has a whole plan when it is stopped returns it; others return
/// [`PlanError::Cancelled`].
pub trait Observer {
    /// Called at each decision, in order.
    fn observe(&mut self, event: Event) -> ControlFlow<()>;

    /// Whether it asks for every step of a search, and the decisions of a plan that was
    /// found without any, which costs time.
    fn wants_every_step(&self) -> bool {
        false
    }

    /// Called after [`Event::Incumbent`], and after the best attempt so far at several pools,
    /// with the whole plan: one offset per buffer.
    fn incumbent(&mut self, _offsets: &[Offset], _arena: Bytes) {}
}

/// An observer that ignores all events and never stops.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn observe(&mut self, _event: Event) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Why there is no plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum PlanError {
    /// The observer broke off.
    Cancelled,
    /// A sum or an address goes beyond 64 bits, at this buffer.
    Overflow {
        /// Name of the buffer.
        buffer: String,
    },
    /// The strategy cannot keep something that the lifetimes ask for.
    Unsupported {
        /// What, and at which buffer.
        what: Message,
    },
    /// Two fixed addresses collide, so that no strategy has a plan.
    FixedClash(Box<Clash>),
    /// A pool is too small for what may live nowhere else.
    NoRoom {
        /// Name of a buffer that finds no room.
        buffer: String,
        /// Name of the last pool that it may live in.
        pool: String,
        /// Bytes that this pool would need.
        needed: Bytes,
        /// Bytes that it has.
        capacity: Bytes,
    },
}

impl PlanError {
    /// The sentence.
    #[must_use]
    pub fn message(&self) -> Message {
        match self {
            Self::Cancelled => message!("planning was cancelled"),
            Self::Overflow { buffer } => message!(
                "the arena goes beyond 64 bits at buffer {}",
                format_args!("{buffer:?}")
            ),
            Self::Unsupported { what } => message!("this strategy cannot plan {}", what),
            Self::FixedClash(clash) => clash.message(),
            Self::NoRoom {
                buffer,
                pool,
                needed,
                capacity,
            } => message!(
                "buffer {} finds no room: pool {} would need {} bytes and has {}",
                format_args!("{buffer:?}"),
                format_args!("{pool:?}"),
                needed.0,
                capacity.0
            ),
        }
    }
}

impl_message!(PlanError);
impl core::error::Error for PlanError {}

/// Plans `lifetimes` with `strategy`.
///
/// Equal input gives an equal plan, and the observer receives equal events. Buffers of no bytes
/// or no steps conflict with nothing. A buffer with a fixed address is placed there before
/// all others, aligned or not; where fixed buffers collide there is no plan. What a strategy
/// does about each constraint is said by [`Description::capabilities`]; those that it cannot
/// keep are refused here. Several pools are planned one by one, see `pools.rs`.
///
/// # Errors
/// See [`PlanError`].
pub fn plan(
    strategy: Strategy,
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    accept(strategy, lifetimes, options)?;
    planned(strategy, FixedFrom::Arena, lifetimes, options, observer)
}

/// [`plan`] by [`Strategy::OffsetsBySize`], into one arena. Code that calls nothing else carries no other
/// strategy.
///
/// # Errors
/// Those of [`plan`].
pub fn offsets_by_size(lifetimes: &Lifetimes, alignment: Bytes) -> Result<Plan, PlanError> {
    let options = Options::aligned(alignment);
    accept(Strategy::OffsetsBySize, lifetimes, &options)?;
    offsets_by_size::plan(lifetimes, &options, &mut Silent)
}

/// Strategies that plan. A program carries the code of those in the lists that it names.
#[derive(Clone, Copy, Debug)]
pub struct Planners(&'static [(&'static [Strategy], Planner)]);

/// How strategies of a list plan; `None` for what takes code that the list leaves out.
type Planner =
    fn(Strategy, &Lifetimes, &Options, &mut dyn Observer) -> Option<Result<Plan, PlanError>>;

impl Planners {
    /// Every strategy.
    pub const ALL: Self = Self(
        &[(&Strategy::ALL, |strategy, lifetimes, options, observer| {
            let from = FixedFrom::Arena;
            Some(planned(strategy, from, lifetimes, options, observer))
        })],
    );

    /// The two that people see first, where the plan goes into one arena and is found without any
    /// search: of the best one, where the first orders meet the bound.
    pub const AT_ONCE: Self = Self(&[
        (&[Strategy::Naive], |_, lifetimes, options, observer| {
            let one = options.pools.is_empty();
            one.then(|| naive::plan(lifetimes, options, observer))
        }),
        (&[Strategy::Best], |_, lifetimes, options, observer| {
            let one = options.pools.is_empty();
            one.then(|| best::plan_at_once(lifetimes, options, observer))?
        }),
    ]);

    /// As [`plan`]; `None` for what takes more than this list.
    #[must_use]
    pub fn plan(
        self,
        strategy: Strategy,
        lifetimes: &Lifetimes,
        options: &Options,
        observer: &mut dyn Observer,
    ) -> Option<Result<Plan, PlanError>> {
        let (_, planner) = self.0.iter().find(|row| row.0.contains(&strategy))?;
        match accept(strategy, lifetimes, options) {
            Ok(()) => planner(strategy, lifetimes, options, observer),
            Err(refused) => Some(Err(refused)),
        }
    }
}

/// Refuses what no strategy, or not this one, has a plan for.
fn accept(strategy: Strategy, lifetimes: &Lifetimes, options: &Options) -> Result<(), PlanError> {
    if let Some(clash) = clash(lifetimes) {
        return Err(PlanError::FixedClash(Box::new(clash)));
    }
    admits(strategy, lifetimes, options)
}

/// The same, but with pools a fixed address counts from the start of the buffer's first
/// candidate, in which it lies.
pub(crate) fn plan_within_pools(
    strategy: Strategy,
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    match options.pools.is_empty() {
        true => accept(strategy, lifetimes, options)?,
        false => admits(strategy, lifetimes, options)?,
    }
    planned(strategy, FixedFrom::Pool, lifetimes, options, observer)
}

/// A plan by `strategy`, which keeps everything that is asked for.
fn planned(
    strategy: Strategy,
    from: FixedFrom,
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    match options.pools.is_empty() {
        true => (strategy.planner())(lifetimes, options, observer),
        false => pools::plan(strategy, from, lifetimes, options, observer),
    }
}

/// Whether `strategy` keeps everything that is asked for.
///
/// # Errors
/// [`PlanError::Unsupported`] with the first thing that it does not.
pub(crate) fn admits(
    strategy: Strategy,
    lifetimes: &Lifetimes,
    options: &Options,
) -> Result<(), PlanError> {
    capabilities::refuse(strategy, lifetimes, options)
}

/// What fixed addresses count from where there are pools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FixedFrom {
    /// The start of the arena: they lie in the first pool.
    Arena,
    /// The start of the buffer's first candidate.
    Pool,
}

/// Emits an event to the observer, and turns its break into an error.
fn emit(observer: &mut dyn Observer, event: Event) -> Result<(), PlanError> {
    match observer.observe(event) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(PlanError::Cancelled),
    }
}

/// What `buffer` must be aligned to: the larger of its own wish and the option, at least 1.
fn alignment(buffer: &Buffer, options: &Options) -> Bytes {
    buffer.alignment.max(options.alignment).max(Bytes(1))
}

fn overflow(buffer: &Buffer) -> PlanError {
    PlanError::Overflow {
        buffer: buffer.name.clone(),
    }
}
