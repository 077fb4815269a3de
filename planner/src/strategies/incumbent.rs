//! The best plan so far of a strategy that makes several, and its trace.

use super::skyline::Blocks;
use super::{Event, Observer, PlanError, SearchStage, Strategy, Trial, emit};
use crate::liveness::Lifetimes;
use crate::plan::Plan;
use crate::sorting::Sorting as _;
use crate::units::{Bytes, Offset};
use alloc::vec;
use alloc::vec::Vec;

/// Several attempts at one problem, of which the smallest arena is kept, the first on ties.
pub(super) struct Attempts<'a> {
    lifetimes: &'a Lifetimes,
    blocks: &'a Blocks,
    observer: &'a mut dyn Observer,
    begun: u32,
    best: Option<Incumbent>,
    /// No plan is smaller than this.
    proved: Option<Bytes>,
}

/// A whole plan.
pub(super) struct Incumbent {
    /// Number of the attempt that made it.
    attempt: u32,
    /// One address per buffer.
    offsets: Vec<Offset>,
    arena: u64,
    /// The buffers that need memory and have no fixed address, as they were placed.
    placed: Vec<usize>,
}

impl<'a> Attempts<'a> {
    /// No attempt yet.
    pub(super) fn new(
        lifetimes: &'a Lifetimes,
        blocks: &'a Blocks,
        observer: &'a mut dyn Observer,
    ) -> Self {
        Self {
            lifetimes,
            blocks,
            observer,
            begun: 0,
            best: None,
            proved: None,
        }
    }

    /// Emits an event to the observer.
    ///
    /// # Errors
    /// [`PlanError::Cancelled`] when it breaks off.
    pub(super) fn emit(&mut self, event: Event) -> Result<(), PlanError> {
        emit(self.observer, event)
    }

    /// The next attempt begins; it tries `trial`.
    ///
    /// # Errors
    /// [`PlanError::Cancelled`] when the observer breaks off.
    pub(super) fn begin(&mut self, trial: Trial) -> Result<(), PlanError> {
        let attempt = self.begun;
        self.begun += 1;
        self.emit(Event::Attempt { attempt, trial })
    }

    /// The next stage begins.
    ///
    /// # Errors
    /// [`PlanError::Cancelled`] when the observer breaks off.
    pub(super) fn stage(&mut self, stage: SearchStage) -> Result<(), PlanError> {
        self.emit(Event::SearchStage { stage })
    }

    /// The arena to stay below: the smallest so far.
    pub(super) fn limit(&self) -> u64 {
        self.best.as_ref().map_or(u64::MAX, |best| best.arena)
    }

    /// Whether no plan can be smaller than the best so far, because that needs no more than
    /// `bound` or what was proved.
    pub(super) fn is_settled(&self, bound: u64) -> bool {
        let proved = self.proved.map_or(0, |proved| proved.0);
        self.best
            .as_ref()
            .is_some_and(|best| best.arena <= bound.max(proved))
    }

    /// The attempt has put each block at its offset, in the order `placed`, and needs `arena`
    /// bytes. It is kept if none before it needs as few.
    ///
    /// # Errors
    /// [`PlanError::Cancelled`] when the observer breaks off.
    pub(super) fn offer(
        &mut self,
        arena: u64,
        blocks: &[u64],
        placed: &[u32],
    ) -> Result<(), PlanError> {
        let buffers = &self.lifetimes.buffers;
        let mut offsets: Vec<Offset> = buffers
            .iter()
            .map(|b| b.fixed.unwrap_or_default())
            .collect();
        for (record, &offset) in self.blocks.records.iter().zip(blocks) {
            offsets[record.buffer] = Offset(offset);
        }
        let buffer = |&block: &u32| self.blocks.records[block as usize].buffer;
        let placed = placed.iter().map(buffer).collect();
        self.offer_offsets(arena, offsets, placed)
    }

    /// As [`Self::offer`], with one offset per buffer.
    ///
    /// # Errors
    /// [`PlanError::Cancelled`] when the observer breaks off.
    pub(super) fn offer_offsets(
        &mut self,
        arena: u64,
        offsets: Vec<Offset>,
        placed: Vec<usize>,
    ) -> Result<(), PlanError> {
        let arena = arena.max(self.blocks.floor);
        if arena >= self.limit() {
            return Ok(());
        }
        self.best = Some(Incumbent {
            attempt: self.begun.saturating_sub(1),
            offsets,
            arena,
            placed,
        });
        let emitted = self.emit(Event::Incumbent {
            arena: Bytes(arena),
        });
        if let Some(best) = &self.best {
            self.observer.incumbent(&best.offsets, Bytes(arena));
        }
        emitted
    }

    /// How many buffers need memory and have no fixed address.
    pub(super) fn movable(&self) -> usize {
        let fixed = |buffer: usize| self.lifetimes.buffers[buffer].fixed.is_some();
        let all = self.blocks.records.iter();
        all.filter(|record| !fixed(record.buffer)).count()
    }

    /// As [`Self::offer_offsets`], for a plan whose lowest blocks count as placed first.
    ///
    /// # Errors
    /// [`PlanError::Cancelled`] when the observer breaks off.
    pub(super) fn offer_by_address(
        &mut self,
        arena: u64,
        offsets: &[Offset],
    ) -> Result<(), PlanError> {
        let buffers = self.blocks.records.iter().map(|record| record.buffer);
        let fixed = |&buffer: &usize| self.lifetimes.buffers[buffer].fixed.is_some();
        let mut placed: Vec<usize> = buffers.filter(|buffer| !fixed(buffer)).collect();
        placed.order_by_key(|&buffer| offsets[buffer]);
        self.offer_offsets(arena, offsets.to_vec(), placed)
    }

    /// The best plan so far.
    pub(super) fn incumbent(&self) -> Option<Plan> {
        let best = self.best.as_ref()?;
        Some(Plan {
            offsets: best.offsets.clone(),
            arena: Bytes(best.arena),
            ..Plan::default()
        })
    }

    /// No plan is smaller than `bound`.
    pub(super) fn prove(&mut self, bound: Option<Bytes>) {
        self.proved = self.proved.max(bound);
    }

    /// The best plan, after its decisions were reported. It is there after a break, too.
    ///
    /// # Errors
    /// [`PlanError::Cancelled`] when no attempt came to an end.
    pub(super) fn finish(mut self, strategy: Strategy) -> Result<Plan, PlanError> {
        let best = self.best.take().ok_or(PlanError::Cancelled)?;
        match self.play(&best) {
            Ok(()) | Err(PlanError::Cancelled) => Ok(best.into_plan(strategy, self.proved)),
            Err(error) => Err(error),
        }
    }

    /// Reports the decisions of `best`: what needs no memory or is fixed, then the others.
    fn play(&mut self, best: &Incumbent) -> Result<(), PlanError> {
        let Incumbent { attempt, .. } = *best;
        let trial = Trial::Again;
        self.emit(Event::Attempt { attempt, trial })?;
        let mut waits = vec![false; best.offsets.len()];
        for &buffer in &best.placed {
            waits[buffer] = true;
        }
        let given = (0..best.offsets.len()).filter(|&buffer| !waits[buffer]);
        for buffer in given.chain(best.placed.iter().copied()) {
            let offset = best.offsets[buffer];
            self.emit(Event::Placed { buffer, offset })?;
        }
        Ok(())
    }
}

impl Incumbent {
    fn into_plan(self, strategy: Strategy, proved: Option<Bytes>) -> Plan {
        Plan {
            origin: strategy.name().into(),
            offsets: self.offsets,
            arena: Bytes(self.arena),
            proved,
            ..Plan::default()
        }
    }
}
