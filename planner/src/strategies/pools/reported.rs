//! What is reported of filling pools: which buffer goes elsewhere, which plan is kept, which pool
//! moves.

use super::{Draft, Pooling};
use crate::plan::Plan;
use crate::strategies::{Event, PlanError, Pooling as Step, Sent, emit};
use crate::units::{Bytes, Offset};

impl Pooling<'_> {
    /// Says why `buffer` goes from one pool to another, and takes it up.
    pub(super) fn emit_sent(
        &mut self,
        buffer: usize,
        (from, to): (usize, usize),
        why: Sent,
    ) -> Result<(), PlanError> {
        let sent = Step::Sent {
            buffer,
            from,
            to,
            why,
        };
        emit(self.observer, Event::Pooling(sent))?;
        match self.reported[buffer].take() {
            Some(_) => emit(self.observer, Event::Unplaced { buffer }),
            None => Ok(()),
        }
    }

    /// Says that `plan` of `pool` is kept, and puts everything where it is in it.
    pub(super) fn keep(&mut self, pool: usize, plan: &Plan, other: Bytes) -> Result<(), PlanError> {
        let arena = plan.arena;
        let kept = Step::Kept { pool, arena, other };
        emit(self.observer, Event::Pooling(kept))?;
        self.arrange(pool, plan, self.base(pool))
    }

    /// Moves what is not where `plan`, begun at `base`, has it.
    pub(super) fn arrange(&mut self, pool: usize, plan: &Plan, base: u64) -> Result<(), PlanError> {
        for (&buffer, offset) in self.drafts[pool].members.iter().zip(&plan.offsets) {
            let to = Offset(base.saturating_add(offset.0));
            let event = match self.reported[buffer].replace(to) {
                None => Event::Placed { buffer, offset: to },
                Some(from) if from != to => Event::Moved { buffer, from, to },
                Some(_) => continue,
            };
            emit(self.observer, event)?;
        }
        Ok(())
    }

    /// Says so where a planned pool does not start any more where it was to start.
    pub(super) fn rebase(&mut self) -> Result<(), PlanError> {
        for pool in 0..self.drafts.len() {
            let (from, to) = (self.bases[pool], self.base(pool));
            let open = |it: &Draft| it.plan.is_none() && !it.members.is_empty();
            // Not before all below it is planned.
            if from == to || self.drafts[..=pool].iter().any(open) {
                continue;
            }
            let Some(plan) = self.drafts[pool].plan.take() else {
                continue;
            };
            self.bases[pool] = to;
            let based = Step::Based {
                pool,
                from: Offset(from),
                to: Offset(to),
            };
            let emitted = emit(self.observer, Event::Pooling(based));
            let emitted = emitted.and_then(|()| self.arrange(pool, &plan, to));
            self.drafts[pool].plan = Some(plan);
            emitted?;
        }
        Ok(())
    }
}
