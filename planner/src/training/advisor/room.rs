//! Whether a schedule fits: what allocators and planned arenas take for its requests.

use super::kind::{Kind, Kinds};
use crate::caching_allocator::AllocatorSettings;
use crate::settings::Training;
use crate::strategies::Strategy;
use crate::training::estimate::arena::stays_beside;
use crate::training::estimate::replayed::needed;
use crate::training::estimate::requests::requests;
use crate::training::estimate::verdict::tried;
use crate::training::estimate::{Allocator, Asked, Scheduled, of_schedule};
use crate::units::Bytes;

/// Steps that are played: from the second on all are alike.
const STEPS: u32 = 2;

/// The strategy that plans an arena.
pub const ARENA: Strategy = Strategy::OffsetsBySize;

/// A device's memory, and what is taken of it beside a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    /// What the driver leaves.
    pub(super) left: u64,
    /// What each operator has while it runs.
    pub(super) workspace: Option<Bytes>,
    pub(super) kinds: Kinds,
}

/// What a schedule takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Taken {
    pub(super) by: Allocator,
    /// Without the driver's own; of what does not fit at least so much.
    pub(super) bytes: u64,
    pub(super) fits: bool,
}

impl Room {
    fn asked(self, training: Training) -> Asked {
        Asked {
            training,
            steps: STEPS,
            workspace: self.workspace,
            context: None,
            by: Allocator::Caching(AllocatorSettings::default()),
        }
    }

    /// What values may take at once, as far as sums of bytes say.
    pub(super) fn for_values(self, scheduled: &Scheduled, training: Training) -> Option<u64> {
        let beside = stays_beside(scheduled, &self.asked(training));
        self.left.checked_sub(beside.0)
    }

    /// What a schedule takes by the first allocator that meets all its requests: as it is usually
    /// configured, otherwise, and planned in advance. Where none does, the one that needs least of
    /// those that were looked at.
    pub(super) fn taken(self, scheduled: &Scheduled, training: Training, peak: Bytes) -> Taken {
        let asked = self.asked(training);
        let usual = AllocatorSettings::default();
        let least = stays_beside(scheduled, &asked).0.saturating_add(peak.0);
        let mut best = Taken {
            by: asked.by,
            bytes: least,
            fits: false,
        };
        if least > self.left {
            return best;
        }
        let requests = requests(scheduled, &asked);
        let free = needed(&requests, usual, None);
        let caching = |settings, bytes| Taken {
            by: Allocator::Caching(settings),
            bytes,
            fits: true,
        };
        if free.met && free.reserved <= self.left {
            return caching(usual, free.reserved);
        }
        best.bytes = free.reserved.max(self.left.saturating_add(1));
        if free.met && free.allocated <= self.left {
            let others = tried(usual).filter(|_| self.kinds.has(Kind::Settings));
            for settings in [usual].into_iter().chain(others) {
                let own = needed(&requests, settings, Some(self.left));
                if own.met {
                    return caching(settings, own.reserved);
                }
            }
        }
        if !self.kinds.has(Kind::Arena) {
            return best;
        }
        let by = Allocator::Planned(ARENA);
        let planned = of_schedule(scheduled, &Asked { by, ..asked });
        let bytes = planned.map_or(u64::MAX, |it| it.reserved.0);
        if bytes < best.bytes {
            let fits = bytes <= self.left;
            best = Taken { by, bytes, fits };
        }
        best
    }
}
