//! Which devices a training step fits into: as it is configured, only under other settings, or not
//! at all.
//!
//! A device has room for a step where the allocator meets every request with the bytes that the
//! driver leaves. Before it fails, it gives cached segments back: what it reserves without a limit
//! may be more than it needs. Where it fails, what the model knows is tried, each setting alone
//! and with gradients set to none.

use serde::{Deserialize, Serialize};

use super::replayed::{Needed, needed};
use super::requests::{Requests, requests};
use super::{Allocator, Asked, NoEstimate, Scheduled, arena, scheduled};
use crate::caching_allocator::{AllocatorSettings, SEGMENT_GRANULE};
use crate::graph::Graph;
use crate::sorting::Sorting as _;
use crate::units::Bytes;

/// A device by name, and what it has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fit {
    /// Its name.
    pub device: String,
    /// Its memory.
    pub memory: Bytes,
    /// What comes of the step on it.
    pub verdict: Verdict,
}

/// Whether a step fits into a device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// As it is configured.
    Fits,
    /// Only with one of these.
    FitsWith(Vec<Remedy>),
    /// With nothing that the model knows.
    TooSmall {
        /// The least that is missing, of all that was found.
        missing: Bytes,
        /// With what no more is missing; `None` as it is configured.
        with: Option<Remedy>,
    },
}

/// What can be told to PyTorch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remedy {
    /// Other settings of the allocator: all of them; `None` for those that are chosen. A threshold
    /// of collection acts only where the program sets its limit, too
    /// (`set_per_process_memory_fraction`).
    pub settings: Option<AllocatorSettings>,
    /// `zero_grad(set_to_none=True)`, where the step keeps the gradients of weights.
    pub set_to_none: bool,
}

/// What a step asks for in one way, under settings.
struct Candidate<'a> {
    remedy: Option<Remedy>,
    requests: &'a Requests,
    settings: AllocatorSettings,
    /// Without a limit.
    free: Needed,
}

/// Whether the training step of a sized graph, as it is scheduled, fits into each device: names
/// and bytes. `on_progress` is the policy's, where another step is tried.
///
/// # Errors
/// [`NoEstimate::TooLarge`] or [`NoEstimate::NoPlan`].
pub fn fits(
    graph: &Graph,
    (step, asked): (&Scheduled, &Asked),
    devices: &[(String, Bytes)],
    on_progress: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<Vec<Fit>, NoEstimate> {
    let context = asked.context.unwrap_or_default();
    let settings = match asked.by {
        Allocator::Caching(settings) => settings,
        Allocator::Planned(strategy) => {
            let taken = arena::planned(step, asked, strategy)?.reserved;
            let taken = taken.0.saturating_add(context.0);
            return Ok(each(devices, |memory| match taken.checked_sub(memory.0) {
                None | Some(0) => Verdict::Fits,
                Some(missing) => Verdict::TooSmall {
                    missing: Bytes(missing),
                    with: None,
                },
            }));
        }
    };
    let own = requests(step, asked);
    let configured = Candidate::new(None, &own, settings);
    let room = |memory: &Bytes| memory.0.checked_sub(context.0);
    let all = devices.iter().map(|(_, memory)| room(memory));
    if all.flatten().filter(|it| configured.fits(*it)).count() == devices.len() {
        return Ok(each(devices, |_| Verdict::Fits));
    }
    // By autograd's rule and in a joint graph it is another step.
    let mut other = *asked;
    other.training.recipe.set_to_none = true;
    let gone = (other != *asked).then(|| scheduled(graph, other.training, on_progress));
    let gone = gone.and_then(Result::ok).map(|it| requests(&it, &other));
    let candidates = candidates(configured, gone.as_ref(), settings);
    // From the smallest on, so that what is found for one counts for the next.
    let mut order: Vec<Bytes> = devices.iter().map(|it| it.1).collect();
    order.order();
    let mut known: Vec<(u64, usize)> = Vec::new();
    for room in order.iter().map(|it| room(it).unwrap_or(0)) {
        let fits = candidates.iter().any(|it| it.fits(room));
        if !fits && known.iter().all(|it| it.0 <= room) {
            known.push(least(&candidates, room));
        }
    }
    Ok(each(devices, |memory| {
        judged((&candidates, &known), memory.0, context.0)
    }))
}

fn each(devices: &[(String, Bytes)], verdict: impl Fn(Bytes) -> Verdict) -> Vec<Fit> {
    let fits = devices.iter().map(|(device, memory)| Fit {
        device: device.clone(),
        memory: *memory,
        verdict: verdict(*memory),
    });
    fits.collect()
}

/// What is tried, as it is configured first.
fn candidates<'a>(
    own: Candidate<'a>,
    gone: Option<&'a Requests>,
    settings: AllocatorSettings,
) -> Vec<Candidate<'a>> {
    let requests = own.requests;
    let mut all = vec![own];
    let with = |settings, set_to_none| {
        Some(Remedy {
            settings,
            set_to_none,
        })
    };
    let others = tried(settings);
    all.extend(others.map(|it| Candidate::new(with(Some(it), false), requests, it)));
    if let Some(gone) = gone {
        all.push(Candidate::new(with(None, true), gone, settings));
        let others = tried(settings);
        all.extend(others.map(|it| Candidate::new(with(Some(it), true), gone, it)));
    }
    all
}

/// The settings that may take less, each changed alone.
pub(in crate::training) fn tried(
    own: AllocatorSettings,
) -> impl Iterator<Item = AllocatorSettings> {
    let expandable = AllocatorSettings {
        expandable: true,
        ..own
    };
    let split = [512, 256, 128, 64, 32].map(|mib| AllocatorSettings {
        max_split: mib << 20,
        ..own
    });
    let collected = [0.8, 0.6].map(|share| AllocatorSettings {
        collect_above: AllocatorSettings::collects_above(share),
        ..own
    });
    let all = [expandable].into_iter().chain(split).chain(collected);
    all.filter(move |it| *it != own)
}

/// What comes of a device; rooms that are known to be enough, each for a candidate, are those that
/// may be missing.
fn judged(
    (candidates, known): (&[Candidate<'_>], &[(u64, usize)]),
    memory: u64,
    context: u64,
) -> Verdict {
    let room = memory.checked_sub(context);
    let fits = |it: &&Candidate<'_>| room.is_some_and(|room| it.fits(room));
    let Some((own, others)) = candidates.split_first() else {
        return Verdict::Fits;
    };
    if fits(&own) {
        return Verdict::Fits;
    }
    let with = others.iter().filter(fits).filter_map(|it| it.remedy);
    let with: Vec<Remedy> = with.collect();
    if !with.is_empty() {
        return Verdict::FitsWith(with);
    }
    let above = known.iter().filter(|it| it.0 > room.unwrap_or(0));
    let (least, candidate) = above.min().copied().unwrap_or_default();
    Verdict::TooSmall {
        missing: Bytes(least.saturating_add(context).saturating_sub(memory)),
        with: candidates.get(candidate).and_then(|it| it.remedy),
    }
}

/// The least room above `below` that is found to be enough, and for which candidate; of those that
/// need as little the first that is tried.
fn least(candidates: &[Candidate<'_>], below: u64) -> (u64, usize) {
    let mut order: Vec<(usize, &Candidate<'_>)> = candidates.iter().enumerate().collect();
    order.order_by_key(|(index, it)| (it.free.allocated, *index));
    let mut least = (u64::MAX, usize::MAX);
    for (index, candidate) in order {
        if candidate.free.allocated <= least.0 {
            least = least.min((candidate.least(below), index));
        }
    }
    least
}

impl<'a> Candidate<'a> {
    fn new(remedy: Option<Remedy>, requests: &'a Requests, settings: AllocatorSettings) -> Self {
        Self {
            remedy,
            requests,
            settings,
            free: needed(requests, settings, None),
        }
    }

    /// Whether every request is met with `room` bytes.
    fn fits(&self, room: u64) -> bool {
        // Under a limit, what is collected changes where blocks lie.
        let settled = self.settings.collect_above == 0 && room >= self.free.reserved;
        let enough = room >= self.free.allocated && self.free.met;
        enough && (settled || needed(self.requests, self.settings, Some(room)).met)
    }

    /// A room above `below` with which every request is met, and not with a segment's granule less:
    /// more may be too little again, as blocks lie otherwise then.
    fn least(&self, below: u64) -> u64 {
        let (mut below, mut above) = (below, self.free.reserved);
        if self.fits(self.free.allocated) && self.free.allocated > below {
            return self.free.allocated;
        }
        while above.saturating_sub(below) > SEGMENT_GRANULE {
            let middle = below.midpoint(above) / SEGMENT_GRANULE * SEGMENT_GRANULE;
            let middle = middle.max(below + 1);
            match self.fits(middle) {
                true => above = middle,
                false => below = middle,
            }
        }
        above
    }
}
