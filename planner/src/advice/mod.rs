//! What could be changed so that a program takes less memory, and what each change saves.
//!
//! Every figure comes from the program's own requests, replayed with the change: those of a
//! trace by a model of PyTorch's caching allocator, those of any other plan by a strategy that
//! places them anew.

mod allocator;
mod allocators;
mod flag;
mod requests;
mod unheld;

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use crate::caching_allocator::AllocatorSettings;
use crate::deployed::{Note, Refused};
use crate::liveness::Lifetimes;
use crate::liveness::profile::profile;
use crate::plan::{Effort, Options, Plan, Segments};
use crate::query::{Facts, Field};
use crate::sorting::Sorting as _;
use crate::strategies::{PlanError, Silent, Strategy, plan};
use crate::units::{Bytes, Step};

pub use allocator::{Surroundings, surroundings};
pub use allocators::{AllocatorKind, AllocatorRow, Allocators, allocators};
pub use flag::Flag;
pub use requests::{Replayed, reserved_by_gmlake, reserved_under};
pub use unheld::Group;

/// Up to so many buffers are placed anew by the best strategy, more by size.
const BEST_UP_TO: usize = 2_000;

/// How long it may search.
const EFFORT: Effort = Effort {
    nodes: 20_000,
    moves: 200,
};

/// What is replayed beside what follows from the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wish {
    /// Bytes that the allocator of a trace may reserve; `None` for as many as the trace shows.
    pub capacity: Option<Bytes>,
    /// The step before which its cache is emptied.
    pub empty: Option<Step>,
    /// Whether other allocators are compared, which takes longer than all else.
    #[serde(default)]
    pub others: bool,
}

/// Something that can be changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Change {
    /// Other addresses, found by a strategy.
    Plan(Strategy),
    /// Another configuration of the allocator: the whole of it.
    Settings(AllocatorSettings),
    /// What is cached goes back to the device before this step.
    EmptyCache(Step),
    /// What stays to the end of the trace is asked for before anything else: how many buffers.
    LastingFirst(u64),
    /// What this group holds at the peak, or where a request failed, is not held there.
    Unheld(Group),
}

/// What a program takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// The most bytes that are needed at a time; of a trace what was asked for, as its allocator
    /// rounds it, so that never less is taken.
    pub needed: Bytes,
    /// The most bytes that its allocator reserves at a time, or its arena.
    pub taken: Bytes,
    /// The most segments at a time; 0 for an arena.
    pub segments: u64,
    /// Requests for which there was no room.
    pub failed: u64,
    /// Of these, those that were met before.
    pub failed_anew: u64,
}

/// A change and what comes of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proposal {
    /// The change.
    pub change: Change,
    /// What comes of it.
    pub outcome: Outcome,
    /// Bytes that are taken less than without it: than the file's own plan takes for another
    /// plan, else than [`Advice::base`].
    pub saved: i64,
}

/// Changes side by side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Advice {
    /// What the file's own plan takes: what was reserved at the peak, or the arena.
    pub taken: Bytes,
    /// The requests replayed without a change.
    pub base: Outcome,
    /// How an allocator was configured; `None` for a plan that was made in advance.
    pub settings: Option<AllocatorSettings>,
    /// The limit that everything was replayed under.
    pub capacity: Option<Bytes>,
    /// What buffers are grouped by.
    pub field: Field,
    /// Those first with which fewer requests fail. Of these, changes of one kind together, the
    /// kinds in the order of [`Change`], those of groups that last after the others; of each kind
    /// those first that take least, of groups those that need least.
    pub proposals: Vec<Proposal>,
    /// Whether something was asked for after the last request that failed.
    pub continued: bool,
    /// Where requests fail with everything that the allocator was told: the smallest capacity found
    /// with which one of the settings meets every request. Not all capacities are tried.
    pub least: Option<Bytes>,
    /// Whether the file says what happened over time; nothing is said of use where it does not.
    pub traced: bool,
    /// Flags of the toolchain with which its schedule needs less. How much less is not known: the
    /// file says nothing of that schedule. Where the file does not tell the platform, those of
    /// each.
    pub flags: Vec<Flag>,
    /// What other allocators would reserve, if that is wished.
    #[serde(default)]
    pub others: Option<Allocators>,
}

/// What buffers are grouped by: the first that the file says something of.
const FIELDS: [Field; 3] = [Field::Caller, Field::Source, Field::Name];

/// A plan that came with a document, and what is known of its buffers.
#[derive(Clone, Copy, Debug)]
pub struct Shipped<'a> {
    /// Its buffers.
    pub lifetimes: &'a Lifetimes,
    /// The plan.
    pub plan: &'a Plan,
    /// What the file says of each buffer.
    pub notes: &'a [Note],
    /// The same as text, with the step at which most is needed.
    pub facts: &'a Facts,
    /// The step at which less has to be held: where the last request failed, else that one.
    pub decides: Step,
    /// Requests that failed, by step.
    pub refused: &'a [Refused],
    /// The steps at which another phase of a training begins, for what other allocators would
    /// reserve.
    pub phases: &'a [Step],
    /// What made the plan; empty where the file does not say.
    pub toolchain: &'a str,
}

impl Shipped<'_> {
    /// See [`Advice::continued`].
    fn continued(&self) -> bool {
        let failed = self.refused.iter().map(|it| it.step).max();
        let mut buffers = self.lifetimes.buffers.iter();
        failed.is_some_and(|failed| buffers.any(|it| it.span.start > failed))
    }
}

/// How its requests are replayed.
struct Replay<'a> {
    shipped: Shipped<'a>,
    /// Of a trace.
    around: Option<Surroundings>,
    strategy: Strategy,
    options: Options,
}

/// Proposes changes of a plan; `options` are those of the plan, for one that was made in advance.
/// `on_progress` is told how many replays of how many are done.
///
/// `None` where the buffers cannot be placed anew.
#[must_use]
pub fn advise(
    shipped: Shipped<'_>,
    options: &Options,
    wish: &Wish,
    on_progress: &mut dyn FnMut(u64, u64),
) -> Option<Advice> {
    let Shipped { plan, facts, .. } = shipped;
    let replay = Replay::new(shipped, options, wish.capacity);
    let knows = |field: &Field| facts.knows(*field);
    let field = FIELDS.into_iter().find(knows).unwrap_or(Field::Name);
    let own = plan.segments.as_ref().map(|segments| segments.settings);
    let changes = replay.changes(wish, field);
    let total = changes.len() as u64 + 1;
    on_progress(0, total);
    let base = replay.outcome(shipped.lifetimes, plan, None).ok()?;
    let taken = plan
        .reserved
        .filter(|_| own.is_some())
        .unwrap_or(plan.arena);
    let mut proposals = Vec::new();
    if own.is_none() {
        let change = Change::Plan(replay.strategy);
        proposals.push(Proposal::new(change, base, taken));
    }
    for (done, change) in (1..).zip(changes) {
        on_progress(done, total);
        // What the strategy places no longer finds no room.
        let outcome = replay.with(&change).unwrap_or(Outcome {
            failed: 1,
            failed_anew: 1,
            ..base
        });
        proposals.push(Proposal::new(change, outcome, base.taken));
    }
    proposals.order_by_key(|it| {
        let Outcome { failed, needed, .. } = it.outcome;
        // Of a group it counts first how far the peak falls: elsewhere in the trace as much may be
        // reserved as before.
        let first = match it.change {
            Change::Unheld(_) => needed,
            _ => Bytes::ZERO,
        };
        (failed, it.change.kind(), first, Reverse(it.saved), needed)
    });
    on_progress(total, total);
    Some(Advice {
        taken,
        base,
        settings: own,
        capacity: replay.around.as_ref().and_then(|around| around.capacity),
        field,
        continued: shipped.continued(),
        least: replay.least(base, &proposals),
        traced: own.is_none() || shipped.lifetimes.horizon > Step(1),
        proposals,
        flags: Flag::of(shipped.toolchain).to_vec(),
        others: wish.others.then(|| {
            let trace = Some((plan, shipped.refused, shipped.phases));
            allocators(shipped.lifetimes, trace, on_progress)
        }),
    })
}

impl Advice {
    /// Whether a change with which `saved` bytes are taken less helps: with it more requests are met,
    /// or no other one fails and less is taken. Where the program ended with a request that failed,
    /// nothing is saved as long as one fails.
    #[must_use]
    pub fn helps(&self, outcome: Outcome, saved: i64) -> bool {
        let same = outcome.failed == self.base.failed && outcome.failed_anew == 0;
        let counts = outcome.failed == 0 || self.continued;
        outcome.failed < self.base.failed || (same && counts && saved > 0)
    }

    /// How many more requests are met with a change: so many fewer fail.
    #[must_use]
    pub fn met_more(&self, outcome: Outcome) -> u64 {
        self.base.failed.saturating_sub(outcome.failed)
    }
}

impl Proposal {
    fn new(change: Change, outcome: Outcome, before: Bytes) -> Self {
        let saved = i128::from(before.0) - i128::from(outcome.taken.0);
        Self {
            change,
            outcome,
            saved: i64::try_from(saved).unwrap_or_default(),
        }
    }
}

impl Change {
    /// What its kind is called in files.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Plan(_) => "plan",
            Self::Settings(_) => "settings",
            Self::EmptyCache(_) => "empty_cache",
            Self::LastingFirst(_) => "lasting_first",
            Self::Unheld(group) if group.lasting => "elsewhere",
            Self::Unheld(_) => "not_held",
        }
    }

    /// Its place among the kinds.
    fn kind(&self) -> u8 {
        match self {
            Self::Plan(_) => 0,
            Self::Settings(_) => 1,
            Self::EmptyCache(_) => 2,
            Self::LastingFirst(_) => 3,
            Self::Unheld(group) if group.lasting => 5,
            Self::Unheld(_) => 4,
        }
    }
}

impl<'a> Replay<'a> {
    fn new(shipped: Shipped<'a>, options: &Options, capacity: Option<Bytes>) -> Self {
        let Shipped {
            lifetimes,
            plan,
            refused,
            ..
        } = shipped;
        let around = plan.segments.as_ref();
        let around = around.map(|_| surroundings(lifetimes, plan, refused, capacity));
        let strategy = match lifetimes.buffers.len() {
            ..=BEST_UP_TO => Strategy::Best,
            _ => Strategy::GreedyBySize,
        };
        let options = Options {
            effort: EFFORT,
            ..options.clone()
        };
        Self {
            shipped,
            around,
            strategy,
            options,
        }
    }

    /// What is tried. Without a trace nothing was asked for: only the cache can be emptied.
    fn changes(&self, wish: &Wish, field: Field) -> Vec<Change> {
        let mut changes = Vec::new();
        if let Some(segments) = &self.shipped.plan.segments {
            let traced = self.shipped.lifetimes.horizon > Step(1);
            let others = allocator::usual(segments.settings).into_iter();
            // Blocks are collected only under a limit that the program set itself.
            let acts = |it: &AllocatorSettings| it.collect_above == 0 || wish.capacity.is_some();
            let others = others.filter(|it| traced && acts(it));
            changes.extend(others.map(Change::Settings));
            let mut steps: Vec<Step> = wish.empty.into_iter().collect();
            for step in [highest(segments), self.idlest(segments)] {
                steps.extend(step.filter(|step| !steps.contains(step)));
            }
            changes.extend(steps.into_iter().map(Change::EmptyCache));
            let lasting = self.lasting().count() as u64;
            changes.extend((lasting > 0).then_some(Change::LastingFirst(lasting)));
        }
        let groups = unheld::groups(self.shipped, field).into_iter();
        changes.extend(groups.map(Change::Unheld));
        changes
    }

    /// The step before which emptying the cache gives most back, of those before the last request
    /// that failed, or up to the first step at which most is reserved; the last of equals.
    fn idlest(&self, segments: &Segments) -> Option<Step> {
        let Shipped {
            lifetimes,
            plan,
            refused,
            ..
        } = self.shipped;
        let around = self.around.as_ref()?;
        let idle = reserved_under(lifetimes, plan, segments.settings, around).idle;
        if lifetimes.horizon <= Step(1) {
            return (!idle.is_empty()).then_some(Step(0));
        }
        let before = refused.last().map(|it| it.step);
        let before = before.or_else(|| highest(segments))?;
        let points = idle
            .iter()
            .filter(|point| point.0.0.saturating_add(1) < before.0);
        let most = points.max_by_key(|point| point.1)?;
        (most.1 > Bytes::ZERO).then_some(Step(most.0.0 + 1))
    }

    /// See [`Advice::least`].
    fn least(&self, base: Outcome, proposals: &[Proposal]) -> Option<Bytes> {
        let mut around = self.around.clone()?;
        let segments = self.shipped.plan.segments.as_ref()?;
        let told = |it: &&Proposal| !matches!(it.change, Change::Unheld(_));
        let mut told = proposals.iter().filter(told);
        if base.failed == 0 || told.any(|it| it.outcome.failed == 0) {
            return None;
        }
        let Shipped {
            lifetimes, plan, ..
        } = self.shipped;
        let mut all = allocator::usual(segments.settings);
        all.push(segments.settings);
        all.retain(|it| it.collect_above == 0);
        let enough = all.into_iter().filter_map(|settings| {
            around.capacity = None;
            let free = reserved_under(lifetimes, plan, settings, &around);
            // Under a limit the cache goes back before a request fails: what is needed may do.
            around.capacity = Some(free.needed);
            let tight = reserved_under(lifetimes, plan, settings, &around);
            let found = if tight.failed == 0 {
                free.needed
            } else {
                free.peak
            };
            (free.failed == 0).then_some(found)
        });
        enough.min()
    }

    /// What comes of a change.
    fn with(&self, change: &Change) -> Result<Outcome, PlanError> {
        let Shipped {
            lifetimes, plan, ..
        } = self.shipped;
        match change {
            Change::Plan(_) => self.outcome(lifetimes, plan, None),
            Change::Settings(settings) => self.outcome(lifetimes, plan, Some(*settings)),
            Change::EmptyCache(step) => {
                let mut emptied = self.around.clone().unwrap_or_default();
                emptied.emptied.push(*step);
                emptied.emptied.order();
                self.replayed((lifetimes, plan), None, &emptied)
            }
            Change::LastingFirst(_) => {
                let mut around = self.around.clone().unwrap_or_default();
                around.first = self.lasting().collect();
                self.replayed((lifetimes, plan), None, &around)
            }
            Change::Unheld(group) => {
                let (lifetimes, plan) = unheld::without(self.shipped, group);
                self.outcome(&lifetimes, &plan, None)
            }
        }
    }

    fn outcome(
        &self,
        lifetimes: &Lifetimes,
        plan: &Plan,
        settings: Option<AllocatorSettings>,
    ) -> Result<Outcome, PlanError> {
        match &self.around {
            Some(around) => self.replayed((lifetimes, plan), settings, around),
            None => self.placed(lifetimes),
        }
    }

    /// What an allocator makes of a trace, under its own settings unless others are given. For
    /// collecting, what was reserved is the limit where none is known: without one nothing is
    /// ever collected.
    fn replayed(
        &self,
        (lifetimes, plan): (&Lifetimes, &Plan),
        settings: Option<AllocatorSettings>,
        around: &Surroundings,
    ) -> Result<Outcome, PlanError> {
        let own = plan.segments.as_ref().map(|it| it.settings);
        let settings = settings.or(own).unwrap_or_default();
        let mut around = around.clone();
        if settings.collect_above > 0 {
            around.capacity = around.capacity.or(plan.reserved);
        }
        let replayed = reserved_under(lifetimes, plan, settings, &around);
        Ok(Outcome {
            needed: replayed.needed,
            taken: replayed.peak,
            segments: replayed.segments,
            failed: replayed.failed,
            failed_anew: replayed.failed_anew,
        })
    }

    /// The arena of buffers that are placed anew.
    fn placed(&self, lifetimes: &Lifetimes) -> Result<Outcome, PlanError> {
        let placed = plan(self.strategy, lifetimes, &self.options, &mut Silent)?;
        Ok(Outcome {
            needed: needed(lifetimes),
            taken: placed.arena,
            ..Outcome::default()
        })
    }

    /// The buffers that are never given back, and were not there from the start.
    fn lasting(&self) -> impl Iterator<Item = usize> + use<'a> {
        let lifetimes = self.shipped.lifetimes;
        let buffers = lifetimes.buffers.iter().enumerate();
        let lasting = buffers.filter(|(_, buffer)| {
            buffer.span.end == lifetimes.horizon && buffer.span.start > Step(0)
        });
        lasting.map(|(index, _)| index)
    }
}

/// The first step at which most is reserved.
fn highest(segments: &Segments) -> Option<Step> {
    let reserved = segments.reserved();
    let most = reserved.iter().rev().max_by_key(|point| point.1);
    most.map(|point| point.0).filter(|step| *step > Step(0))
}

/// The most bytes that are needed at a time.
fn needed(lifetimes: &Lifetimes) -> Bytes {
    let highest = profile(lifetimes).highest();
    highest.map_or(Bytes::ZERO, |it| it.1)
}
