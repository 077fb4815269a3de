//! What went wrong with the plan that came with a document, and what could be changed of it.

use super::Subject;
use crate::advice::{Advice, Allocators, Shipped, Wish, advise, allocators};
use crate::attribution::Attribution;
use crate::deployed::Refused;
use crate::liveness::profile::profile;
use crate::plan::{Options, Plan};
use crate::space::{Failure, Misfit, failure};
use crate::units::{Bytes, Step};

impl Subject {
    /// Whether the file is what an allocator was asked for, be its plan known or not: it has blocks and
    /// no operators.
    #[must_use]
    pub fn is_recording(&self) -> bool {
        self.is_trace() || self.toolchain == "PyTorch"
    }

    /// The last request that failed in the trace that came with the document, and why: the one that
    /// the program most likely ended with.
    #[must_use]
    pub fn failure(&self) -> Option<Failure> {
        let refused = self.refused.last()?;
        let plan = self.deployed.as_ref().filter(|it| it.segments.is_some())?;
        let when = (refused.step, (refused.stream, refused.pool));
        let bytes = (refused.asked, refused.device_free);
        Some(failure((&self.lifetimes, plan), when, bytes))
    }

    /// The requests that failed, beside `plan`: none beside other addresses than the file's own, for
    /// which nobody knows whether they would have failed.
    #[must_use]
    pub fn refused_under(&self, plan: &Plan) -> &[Refused] {
        let own = self.deployed.as_ref();
        let same = own.is_some_and(|it| it.offsets == plan.offsets && it.segments == plan.segments);
        if same { &self.refused } else { &[] }
    }

    /// When that was.
    #[must_use]
    pub fn failed_at(&self) -> Option<Step> {
        self.refused.last().map(|it| it.step)
    }

    /// Where a limit of the program's own refused a request, and `advice` has the least that it can
    /// be: what it is below, for with that much more the request would have been met.
    #[must_use]
    pub fn limit_below(&self, advice: &Advice) -> Option<Bytes> {
        let failure = self.failure().filter(|it| it.why == Misfit::Limit)?;
        let below = failure.reserved.0.saturating_add(failure.asked.0);
        let capacity = advice.capacity.filter(|it| *it < failure.capacity());
        capacity.map(|_| Bytes(below))
    }

    /// Whether a request that failed for the process is met in the replay without a change.
    #[must_use]
    pub fn fits_in_replay(&self, advice: &Advice) -> bool {
        advice.settings.is_some() && advice.base.failed < self.refused.len() as u64
    }

    /// How many requests a trace has, with those that failed, where all of them are met in the replay
    /// under a limit without a change.
    #[must_use]
    pub fn all_fit(&self, advice: &Advice) -> Option<usize> {
        let limited = advice.settings.is_some() && advice.traced && advice.capacity.is_some();
        let made = self.lifetimes.buffers.iter();
        let made = made.filter(|it| it.span.start > Step(0)).count();
        let all = made + self.refused.len();
        (limited && advice.base.failed == 0).then_some(all)
    }

    /// What could be changed of the plan that came with the document, see [`advise`].
    /// `alignment` is what addresses are a multiple of, beside what each buffer asks for. `None`
    /// where there is no such plan, and where it is of separate allocations.
    #[must_use]
    pub fn advise(
        &self,
        alignment: Bytes,
        wish: &Wish,
        on_progress: &mut dyn FnMut(u64, u64),
    ) -> Option<Advice> {
        let plan = self.deployed.as_ref().filter(|_| !self.separate)?;
        let highest = profile(&self.lifetimes).highest()?.0;
        let decides = self.failed_at().unwrap_or(highest);
        let phases = if wish.others {
            self.phase_starts()
        } else {
            Vec::new()
        };
        let shipped = Shipped {
            lifetimes: &self.lifetimes,
            plan,
            notes: &self.notes,
            facts: &self.facts(highest, None),
            decides,
            refused: &self.refused,
            phases: &phases,
            toolchain: &self.toolchain,
        };
        let options = Options {
            pools: self.declared_pools().to_vec(),
            ..Options::aligned(alignment)
        };
        advise(shipped, &options, wish, on_progress)
    }

    /// What other allocators would reserve for the same requests: those of a trace, else those of
    /// the lifetimes. `on_progress` is told how many allocators of how many are done.
    #[must_use]
    pub fn allocators(&self, on_progress: &mut dyn FnMut(u64, u64)) -> Allocators {
        let trace = self.deployed.as_ref().filter(|_| !self.separate);
        let phases = trace.map_or_else(Vec::new, |_| self.phase_starts());
        let trace = trace.map(|plan| (plan, self.refused.as_slice(), phases.as_slice()));
        allocators(&self.lifetimes, trace, on_progress)
    }

    /// The steps at which another phase of a training begins, as stacks and scopes tell.
    fn phase_starts(&self) -> Vec<Step> {
        let (notes, stacks, scopes) = (&self.notes, &self.stacks, &self.scopes);
        Attribution::of(&self.lifetimes, notes, stacks, scopes).phase_starts(&self.lifetimes)
    }
}
