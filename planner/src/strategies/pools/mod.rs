//! Several pools, whatever the strategy: it plans one after the other.
//!
//! At first every buffer goes to the first of its candidates that is large enough for it. Then
//! each pool, the lowest first, is planned as if it had no limit. What ends above the capacity
//! goes to its next candidate; the rest fits as it lies, but is planned once more, and the
//! smaller plan is kept. Where something above the capacity has no other candidate, larger
//! ones that are live with it leave in its place, twice as many each time, until it fits or
//! no buffer can leave. A pool that receives a buffer after it was planned is planned again;
//! buffers only ever go down their lists, so that this ends.
//!
//! The pools are laid end to end, each at a multiple of all alignments in it. A fixed address
//! counts from the start of the arena and so must lie in the first pool, unless the caller
//! says that it counts from the start of its own.

mod best;
mod listener;
mod reported;

use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;

use super::objects::least_common_multiple;
use super::{Event, FixedFrom, Observer, PlanError, Sent, Strategy, alignment, emit, overflow};
use crate::liveness::{Handover, Lifetimes};
use crate::message;
use crate::plan::{Options, Plan, Pools, Unsearched};
use crate::sorting::Sorting as _;
use crate::units::{Bytes, Offset, narrow};
use listener::Listener;

/// Plans `lifetimes` into `options.pools`, of which there is at least one.
pub(super) fn plan(
    strategy: Strategy,
    from: FixedFrom,
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let mut plan = match strategy {
        Strategy::Best => best::plan(from, lifetimes, options, observer)?,
        strategy => plan_with(strategy, from, lifetimes, options, observer)?,
    };
    if matches!(strategy, Strategy::Best | Strategy::Exact) {
        // Each pool may have been searched; which buffer goes where was not.
        plan.unsearched = Some(Unsearched::Pools);
    }
    Ok(plan)
}

/// One pool after the other with `strategy`.
fn plan_with(
    strategy: Strategy,
    from: FixedFrom,
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let mut pooling = Pooling::new(strategy, from, lifetimes, options, observer)?;
    while let Some(pool) = pooling.drafts.iter().position(|draft| draft.plan.is_none()) {
        pooling.fit(pool)?;
        pooling.rebase()?;
    }
    pooling.into_plan()
}

/// One pool in the making.
#[derive(Default)]
struct Draft {
    /// Index of each buffer in it, ascending.
    members: Vec<usize>,
    /// Their offsets from the start of the pool and the arena; `None` before it is planned.
    plan: Option<Plan>,
}

struct Pooling<'a> {
    strategy: Strategy,
    from: FixedFrom,
    lifetimes: &'a Lifetimes,
    /// The pools.
    options: &'a Options,
    /// What the strategy is asked for: the same without pools.
    unpooled: Options,
    observer: &'a mut dyn Observer,
    drafts: Vec<Draft>,
    /// How far down its list of candidates each buffer is.
    turns: Vec<usize>,
    /// Where the observer believes each buffer to be, and each pool to start.
    reported: Vec<Option<Offset>>,
    bases: Vec<u64>,
}

impl<'a> Pooling<'a> {
    fn new(
        strategy: Strategy,
        from: FixedFrom,
        lifetimes: &'a Lifetimes,
        options: &'a Options,
        observer: &'a mut dyn Observer,
    ) -> Result<Self, PlanError> {
        let count = lifetimes.buffers.len();
        let mut pooling = Self {
            strategy,
            from,
            lifetimes,
            options,
            unpooled: Options {
                pools: Vec::new(),
                ..options.clone()
            },
            observer,
            drafts: options.pools.iter().map(|_| Draft::default()).collect(),
            turns: vec![0; count],
            reported: vec![None; count],
            bases: vec![0; options.pools.len()],
        };
        for buffer in 0..count {
            let turn = pooling.first_turn(buffer)?;
            pooling.turns[buffer] = turn;
            let pool = pooling.candidate(buffer, turn).unwrap_or(0);
            pooling.drafts[pool].members.push(buffer);
            let preferred = pooling.candidate(buffer, 0).unwrap_or(pool);
            if preferred != pool && pooling.lifetimes.buffers[buffer].fixed.is_none() {
                pooling.emit_sent(buffer, (preferred, pool), Sent::TooLarge)?;
            }
        }
        Ok(pooling)
    }

    /// The pool that `buffer` may live in at this place of its list.
    fn candidate(&self, buffer: usize, turn: usize) -> Option<usize> {
        let known = &self.lifetimes.buffers[buffer];
        match known.pools.is_empty() {
            true => (turn < self.options.pools.len()).then_some(turn),
            false => known.pools.get(turn).map(|&pool| pool as usize),
        }
    }

    fn first_turn(&self, buffer: usize) -> Result<usize, PlanError> {
        let known = &self.lifetimes.buffers[buffer];
        let count = self.options.pools.len();
        if let Some(pool) = known.pools.iter().find(|&&pool| pool as usize >= count) {
            let name = &known.name;
            let what = message!(
                "{} in pool {}, of which there are {}",
                format_args!("{name:?}"),
                pool,
                count
            );
            return Err(PlanError::Unsupported { what });
        }
        if known.fixed.is_some() && self.from == FixedFrom::Pool {
            return Ok(0);
        }
        if known.fixed.is_some() {
            let mut turns = 0..count.max(known.pools.len());
            let first = turns.find(|&turn| self.candidate(buffer, turn) == Some(0));
            return first.ok_or_else(|| PlanError::Unsupported {
                what: message!(
                    "the fixed address of {} in another pool than the first",
                    format_args!("{:?}", known.name)
                ),
            });
        }
        self.next_turn(buffer, 0).ok_or_else(|| {
            let last = known.pools.last().map_or(count - 1, |&pool| pool as usize);
            self.no_room(buffer, last, known.size)
        })
    }

    /// The next place from `turn` on in the list of `buffer` with a pool that is large enough
    /// for it alone.
    fn next_turn(&self, buffer: usize, turn: usize) -> Option<usize> {
        let size = self.lifetimes.buffers[buffer].size;
        let mut turns = turn..;
        turns.find_map(|turn| match self.candidate(buffer, turn) {
            None => Some(None),
            Some(pool) => (self.capacity(pool) >= size.0).then_some(Some(turn)),
        })?
    }

    fn capacity(&self, pool: usize) -> u64 {
        let capacity = self.options.pools[pool].capacity;
        capacity.map_or(u64::MAX, |capacity| capacity.0)
    }

    /// Plans `pool` until what is in it fits.
    fn fit(&mut self, pool: usize) -> Result<(), PlanError> {
        let capacity = self.capacity(pool);
        let mut patience = 1;
        loop {
            let mut plan = self.draft(pool)?;
            let above = self.above(pool, &plan, capacity);
            let Some(&highest) = above.first() else {
                self.drafts[pool].plan = Some(plan);
                return Ok(());
            };
            let leaves = |&&buffer: &&usize| self.may_leave(buffer);
            let stuck: Vec<usize> = above.iter().filter(|it| !leaves(it)).copied().collect();
            let leaving: BTreeSet<usize> = above.iter().filter(leaves).copied().collect();
            let why = |buffer: usize| Sent::Above {
                end: plan_end(self.lifetimes, &self.drafts[pool].members, &plan, buffer),
            };
            if stuck.is_empty() {
                let leaving: Vec<(usize, Sent)> =
                    leaving.into_iter().map(|it| (it, why(it))).collect();
                self.restrict(pool, &mut plan, &leaving);
                self.leave(pool, &leaving)?;
                let again = self.draft(pool)?;
                let better = again.arena < plan.arena;
                if !better {
                    self.keep(pool, &plan, again.arena)?;
                }
                self.drafts[pool].plan = Some(if better { again } else { plan });
                return Ok(());
            }
            let mut leaving: Vec<(usize, Sent)> =
                leaving.into_iter().map(|it| (it, why(it))).collect();
            if leaving.is_empty() {
                let by = stuck[0];
                let end = plan_end(self.lifetimes, &self.drafts[pool].members, &plan, by);
                let others = self.in_its_place(pool, &stuck, patience).into_iter();
                leaving = others.map(|it| (it, Sent::InPlaceOf { by, end })).collect();
                patience *= 2;
            }
            if leaving.is_empty() {
                return Err(self.no_room(highest, pool, plan.arena));
            }
            self.leave(pool, &leaving)?;
        }
    }

    fn may_leave(&self, buffer: usize) -> bool {
        let fixed = self.lifetimes.buffers[buffer].fixed.is_some();
        !fixed && self.next_turn(buffer, self.turns[buffer] + 1).is_some()
    }

    /// The members of `pool` that end above `capacity`, the highest first.
    fn above(&self, pool: usize, plan: &Plan, capacity: u64) -> Vec<usize> {
        let places = self.drafts[pool].members.iter().zip(&plan.offsets);
        let ends = places.map(|(&buffer, offset)| {
            let size = self.lifetimes.buffers[buffer].size;
            (buffer, offset.0.saturating_add(size.0))
        });
        let mut above: Vec<(usize, u64)> = ends.filter(|&(_, end)| end > capacity).collect();
        above.order_by_key(|&(buffer, end)| (Reverse(end), buffer));
        above.into_iter().map(|(buffer, _)| buffer).collect()
    }

    /// Up to `count` members of `pool` that may leave and are live with one of `stuck`, the
    /// largest first, ties by lower index.
    fn in_its_place(&self, pool: usize, stuck: &[usize], count: usize) -> BTreeSet<usize> {
        let span = |buffer: usize| self.lifetimes.buffers[buffer].span;
        let beside = |&&buffer: &&usize| {
            stuck.iter().any(|&it| span(it).overlaps(span(buffer))) && self.may_leave(buffer)
        };
        let members = self.drafts[pool].members.iter().filter(beside);
        let mut beside: Vec<usize> = members.copied().collect();
        beside.order_by_key(|&buffer| Reverse(self.lifetimes.buffers[buffer].size));
        beside.into_iter().take(count).collect()
    }

    /// Takes `leaving` out of `plan`.
    fn restrict(&self, pool: usize, plan: &mut Plan, leaving: &[(usize, Sent)]) {
        let places = self.drafts[pool].members.iter().zip(&plan.offsets);
        let leaves = |buffer: usize| leaving.binary_search_by_key(&buffer, |it| it.0).is_ok();
        let stays = places.filter(|(buffer, _)| !leaves(**buffer));
        let ends = stays.clone().map(|(&buffer, offset)| {
            let size = self.lifetimes.buffers[buffer].size;
            offset.0.saturating_add(size.0)
        });
        plan.arena = Bytes(ends.max().unwrap_or(0));
        plan.offsets = stays.map(|(_, &offset)| offset).collect();
        plan.proved = None;
    }

    /// Sends `leaving` to their next candidates.
    fn leave(&mut self, pool: usize, leaving: &[(usize, Sent)]) -> Result<(), PlanError> {
        let leaves = |buffer: usize| leaving.binary_search_by_key(&buffer, |it| it.0).is_ok();
        self.drafts[pool].members.retain(|&it| !leaves(it));
        for &(buffer, why) in leaving {
            let turn = self.next_turn(buffer, self.turns[buffer] + 1);
            let turn = turn.unwrap_or(self.turns[buffer]);
            self.turns[buffer] = turn;
            let next = self.candidate(buffer, turn).unwrap_or(pool);
            self.emit_sent(buffer, (pool, next), why)?;
            let draft = &mut self.drafts[next];
            let place = draft.members.partition_point(|&known| known < buffer);
            draft.members.insert(place, buffer);
            draft.plan = None;
        }
        Ok(())
    }

    fn no_room(&self, buffer: usize, pool: usize, needed: Bytes) -> PlanError {
        PlanError::NoRoom {
            buffer: self.lifetimes.buffers[buffer].name.clone(),
            pool: self.options.pools[pool].name.clone(),
            needed,
            capacity: Bytes(self.capacity(pool)),
        }
    }

    /// Plans the members of `pool` as a problem of their own.
    fn draft(&mut self, pool: usize) -> Result<Plan, PlanError> {
        let members = &self.drafts[pool].members;
        let part = part(self.lifetimes, members);
        let base = self.base(pool);
        self.bases[pool] = base;
        let mut listener = Listener {
            observer: self.observer,
            members,
            base,
            pool,
            reported: &mut self.reported,
        };
        if !members.is_empty() {
            listener.forget()?;
        }
        let planner = match self.strategy {
            Strategy::Best => super::best::plan_pool,
            strategy => strategy.planner(),
        };
        planner(&part, &self.unpooled, &mut listener)
    }

    /// Where `pool` starts as far as is known.
    fn base(&self, pool: usize) -> u64 {
        let mut end = Offset(0);
        for draft in self.drafts[..pool]
            .iter()
            .filter(|it| !it.members.is_empty())
        {
            if let Some(plan) = &draft.plan {
                let start = base(self.lifetimes, &draft.members, self.options, end);
                end = Offset(start.unwrap_or(end).0.saturating_add(plan.arena.0));
            }
        }
        let members = &self.drafts[pool].members;
        base(self.lifetimes, members, self.options, end)
            .unwrap_or(end)
            .0
    }

    /// The pools end to end.
    fn into_plan(self) -> Result<Plan, PlanError> {
        let mut plan = Plan {
            origin: self.strategy.name().into(),
            offsets: vec![Offset(0); self.lifetimes.buffers.len()],
            ..Plan::default()
        };
        let mut pools = Pools {
            declared: self.options.pools.clone(),
            of_buffer: vec![0; self.lifetimes.buffers.len()],
            ..Pools::default()
        };
        let mut end = Offset(0);
        for (pool, draft) in self.drafts.into_iter().enumerate() {
            let Some(drafted) = draft.plan else {
                continue;
            };
            let base = match draft.members.first() {
                None => end,
                Some(&buffer) => base(self.lifetimes, &draft.members, self.options, end)
                    .filter(|base| base.end(drafted.arena).is_some())
                    .ok_or_else(|| overflow(&self.lifetimes.buffers[buffer]))?,
            };
            end = Offset(base.0 + drafted.arena.0);
            pools.bases.push(base);
            pools.sizes.push(drafted.arena);
            for (&buffer, offset) in draft.members.iter().zip(&drafted.offsets) {
                plan.offsets[buffer] = Offset(base.0 + offset.0);
                pools.of_buffer[buffer] = narrow(pool);
            }
            // Pools end to end are an arena like any other.
            if draft.members.len() == plan.offsets.len() {
                plan.proved = drafted.proved;
            }
        }
        plan.arena = Bytes(end.0);
        plan.pools = Some(pools);
        for (buffer, (&to, from)) in plan.offsets.iter().zip(self.reported).enumerate() {
            let event = match from {
                None => Event::Placed { buffer, offset: to },
                Some(from) if from != to => Event::Moved { buffer, from, to },
                Some(_) => continue,
            };
            emit(self.observer, event)?;
        }
        Ok(plan)
    }
}

/// Where `buffer`, one of `members`, ends in `plan`.
fn plan_end(lifetimes: &Lifetimes, members: &[usize], plan: &Plan, buffer: usize) -> Bytes {
    let place = members.binary_search(&buffer).ok();
    let offset = place.and_then(|place| plan.offsets.get(place));
    let offset = offset.copied().unwrap_or_default().0;
    Bytes(offset.saturating_add(lifetimes.buffers[buffer].size.0))
}

/// The lowest address from `end` on at which all `members` may start.
fn base(
    lifetimes: &Lifetimes,
    members: &[usize],
    options: &Options,
    end: Offset,
) -> Option<Offset> {
    let needed = members.iter().map(|&buffer| &lifetimes.buffers[buffer]);
    let mut wanted = needed.map(|buffer| alignment(buffer, options).0);
    let common = wanted.try_fold(1, least_common_multiple)?;
    end.align_up(Bytes(common))
}

/// The lifetimes of `members` alone.
fn part(lifetimes: &Lifetimes, members: &[usize]) -> Lifetimes {
    let buffers = members
        .iter()
        .map(|&buffer| lifetimes.buffers[buffer].clone());
    let handovers = lifetimes.handovers.iter().filter_map(|handover| {
        Some(Handover {
            before: members.binary_search(&handover.before).ok()?,
            after: members.binary_search(&handover.after).ok()?,
            shift: handover.shift,
        })
    });
    Lifetimes {
        buffers: buffers.collect(),
        horizon: lifetimes.horizon,
        step_names: Vec::new(),
        handovers: handovers.collect(),
        views: Vec::new(),
        unwaiting: None,
        colors: lifetimes.colors.clone(),
        iteration: lifetimes.iteration,
        phases: lifetimes.phases.clone(),
    }
}
