//! Whether a schedule fits: what allocators and planned arenas take for its requests.

use std::cmp::Reverse;

use super::kind::{Kind, Kinds};
use super::trials::LARGE;
use crate::caching_allocator::AllocatorSettings;
use crate::strategies::Strategy;
use crate::training::estimate::arena::stays_beside;
use crate::training::estimate::replayed::{Needed, needed};
use crate::training::estimate::requests::{Requests, requests};
use crate::training::estimate::verdict::tried;
use crate::training::estimate::{Allocator, Asked, Scheduled, of_schedule};
use crate::training::{Policy, Recipe, choice};
use crate::units::Bytes;

/// Steps that are played: from the second on all are alike.
const STEPS: u32 = 2;

/// The strategies that plan an arena.
pub const ARENAS: [Strategy; 2] = [Strategy::OffsetsBySize, Strategy::MegenginePushdown];

/// A device's memory, and what is taken of it beside a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    /// What the driver leaves.
    pub(super) left: u64,
    /// What each operator has while it runs.
    pub(super) workspace: Option<Bytes>,
    pub(super) kinds: Kinds,
    /// Whether it is said of what does not fit, too, what it takes.
    pub(super) whole: bool,
}

/// What the schedules of some stages take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Taken {
    pub(super) by: Allocator,
    /// The most of any, without the driver's own; of what does not fit at least so much.
    pub(super) bytes: u64,
    /// The one that takes so much.
    pub(super) stage: usize,
    pub(super) fits: bool,
}

impl Taken {
    /// What is missing for it to fit.
    pub(super) fn missing(self, left: u64) -> u64 {
        match self.fits {
            true => 0,
            false => self.bytes.saturating_sub(left).max(1),
        }
    }
}

/// A schedule of a stage, and what it asks for.
struct Asks<'a> {
    scheduled: &'a Scheduled,
    asked: Asked,
    requests: Requests,
}

impl Asks<'_> {
    fn free(&self, settings: AllocatorSettings) -> Needed {
        needed(&self.requests, settings, None)
    }

    /// What an allocator takes with so much, if it meets them all; what an arena takes anyway.
    fn by(&self, by: Allocator, left: u64) -> Option<u64> {
        match by {
            Allocator::Caching(settings) => {
                let own = needed(&self.requests, settings, Some(left));
                own.met.then_some(own.reserved)
            }
            Allocator::Planned(_) => {
                let asked = Asked { by, ..self.asked };
                Some(of_schedule(self.scheduled, &asked).ok()?.reserved.0)
            }
        }
    }
}

impl Room {
    fn asked(self, recipe: Recipe) -> Asked {
        Asked {
            // The way is given.
            training: choice::of(Policy::KeepAll, 1, None, recipe),
            steps: STEPS,
            workspace: self.workspace,
            context: None,
            by: Allocator::Caching(AllocatorSettings::default()),
        }
    }

    /// What values may take at once, as far as sums of bytes say.
    pub(super) fn for_values(self, kept: &Scheduled, recipe: Recipe) -> Option<u64> {
        let beside = stays_beside(kept, &self.asked(recipe));
        self.left.checked_sub(beside.0)
    }

    /// Who may be asked, the usual one first; of a large step the first of each kind.
    pub(super) fn allocators(self, large: bool) -> Vec<Allocator> {
        let usual = AllocatorSettings::default();
        let most = if large { 1 } else { usize::MAX };
        let others = tried(usual).take(most);
        let others = others.filter(|_| self.kinds.has(Kind::Settings));
        let caching = [usual].into_iter().chain(others).map(Allocator::Caching);
        let planned = ARENAS.into_iter().take(most);
        let planned = planned.filter(|_| self.kinds.has(Kind::Arena));
        caching.chain(planned.map(Allocator::Planned)).collect()
    }

    /// What schedules of stages take by the first allocator that meets all requests of each; each comes
    /// with the most bytes that its values take. Where none does, by the one that takes least. Where
    /// something quicker fits already (`is_answer` is false), the usual one alone is asked.
    pub(super) fn taken(
        self,
        stages: &[(Scheduled, Bytes)],
        recipe: Recipe,
        is_answer: bool,
    ) -> Taken {
        let asked = self.asked(recipe);
        let most = |each: &mut dyn Iterator<Item = u64>| {
            let all = each
                .enumerate()
                .map(|(stage, bytes)| (bytes, Reverse(stage)));
            all.max()
                .map_or((0, 0), |(bytes, Reverse(stage))| (bytes, stage))
        };
        let sums = stages.iter().map(|(it, peak)| {
            let beside = stays_beside(it, &asked).0;
            beside.saturating_add(peak.0)
        });
        let (bytes, stage) = most(&mut { sums });
        let mut best = Taken {
            by: asked.by,
            bytes,
            stage,
            fits: false,
        };
        if bytes > self.left && !self.whole {
            return best;
        }
        let asks = stages.iter().map(|(scheduled, _)| Asks {
            scheduled,
            asked,
            requests: requests(scheduled, &asked),
        });
        let asks: Vec<Asks<'_>> = asks.collect();
        // Without a limit: if that fits, so does all else, and what is allocated no setting changes.
        let usual = AllocatorSettings::default();
        let free: Vec<Needed> = asks.iter().map(|it| it.free(usual)).collect();
        let (reserved, of) = most(&mut free.iter().map(|it| it.reserved));
        let taken = |by, (bytes, stage), fits| Taken {
            by,
            bytes,
            stage,
            fits,
        };
        if reserved <= self.left {
            return taken(asked.by, (reserved, of), true);
        }
        best = taken(asked.by, (reserved, of), false);
        if !is_answer {
            return best;
        }
        let allocated = free.iter().all(|it| it.allocated <= self.left);
        let large = |it: &(Scheduled, Bytes)| it.0.step.problem.nodes.len() > LARGE;
        for by in self.allocators(stages.iter().any(large)) {
            let planned = matches!(by, Allocator::Planned(_));
            let own = asks.iter().filter(|_| planned || allocated);
            let own: Option<Vec<u64>> = own.map(|it| it.by(by, self.left)).collect();
            let Some(own) = own.filter(|it| !it.is_empty()) else {
                continue;
            };
            let (bytes, stage) = most(&mut own.into_iter());
            if bytes <= self.left {
                return taken(by, (bytes, stage), true);
            }
            if bytes < best.bytes {
                best = taken(by, (bytes, stage), false);
            }
        }
        best
    }
}
