//! What other allocators would reserve for the same requests, side by side.
//!
//! The requests are what was asked for, when, and until when: blocks of a trace without what its
//! allocator rounded them up to, tensors of a schedule. Of a trace the online allocators that
//! PyTorch may run on are replayed as for [`advise`](super::advise), stream by stream, with what
//! was there before; all others see one stream and begin with nothing. What is away for a time, as
//! over the turn of a loop, is given back then and asked for again by those that see one request
//! at a time. A figure is the most that
//! was reserved at a time, or the whole of a plan that was made in advance. STAlloc plans in groups
//! as well where the phases of a training are known.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::requests::{reserved_by_gmlake, reserved_under};
use super::{BEST_UP_TO, EFFORT, Surroundings, needed, surroundings};
use crate::bounds;
use crate::caching_allocator::AllocatorSettings;
use crate::deployed::Refused;
use crate::liveness::{Buffer, Lifetimes, Pause};
use crate::plan::{Options, Plan};
use crate::strategies::{Silent, Strategy, plan};
use crate::units::{Bytes, Span, Step};
use crate::{Message, message};

/// What may serve the requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AllocatorKind {
    /// What the trace says that the process had reserved.
    AsItWas,
    /// PyTorch's caching allocator with its default settings.
    Caching,
    /// The same with `expandable_segments`.
    Expandable,
    /// GMLake, which stitches free chunks.
    Gmlake,
    /// Two-level segregated fit, as tinygrad has it.
    Tlsf,
    /// STAlloc's plan in advance.
    Stalloc,
    /// The smallest plan in advance that is found.
    Best,
    /// What no plan can be smaller than.
    Bound,
}

/// What one of them reserves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AllocatorRow {
    /// Which.
    pub kind: AllocatorKind,
    /// The most bytes at a time; `None` where that is not known.
    pub reserved: Option<Bytes>,
    /// The most bytes that are asked for at a time, the same for all.
    pub needed: Bytes,
    /// Requests that find no room under the limit that the trace shows.
    pub failed: u64,
    /// Why it is not known.
    pub unknown: Option<Message>,
}

/// All of them, for the same requests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Allocators {
    /// How many requests there are.
    pub requests: u64,
    /// One row each; of requests without a trace none says how it was.
    pub rows: Vec<AllocatorRow>,
}

impl AllocatorKind {
    /// All of them, those that see one request at a time before those that know the future.
    pub const ALL: [Self; 8] = [
        Self::AsItWas,
        Self::Caching,
        Self::Expandable,
        Self::Gmlake,
        Self::Tlsf,
        Self::Stalloc,
        Self::Best,
        Self::Bound,
    ];

    /// What it is called in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::AsItWas => "as_it_was",
            Self::Caching => "caching",
            Self::Expandable => "expandable",
            Self::Gmlake => "gmlake",
            Self::Tlsf => "tlsf",
            Self::Stalloc => "stalloc",
            Self::Best => "best",
            Self::Bound => "bound",
        }
    }
}

impl fmt::Display for AllocatorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl AllocatorRow {
    /// What is needed, as a share of what is reserved in parts of a thousand, rounded down.
    #[must_use]
    pub fn utilisation(&self) -> Option<u64> {
        let reserved = self.reserved.filter(|it| *it > Bytes::ZERO)?;
        let share = u128::from(self.needed.0) * 1000 / u128::from(reserved.0);
        u64::try_from(share).ok()
    }
}

/// What each would reserve for the requests of `lifetimes`; `trace` is the plan of an allocator's
/// trace, with the requests that failed in it and the steps at which another phase of a training
/// begins, as far as they are known. `on_progress` is told how many of how many are
/// done.
#[must_use]
pub fn allocators(
    lifetimes: &Lifetimes,
    trace: Option<(&Plan, &[Refused], &[Step])>,
    on_progress: &mut dyn FnMut(u64, u64),
) -> Allocators {
    let phases = trace.map_or(lifetimes.phases.as_slice(), |it| it.2);
    let requests = Lifetimes {
        horizon: lifetimes.horizon,
        phases: phases.to_vec(),
        ..Lifetimes::of(lifetimes.buffers.iter().filter_map(request))
    };
    let stays = Lifetimes::of(requests.buffers.iter().flat_map(stays));
    let nowhere = Plan::default();
    let trace = trace.filter(|(plan, ..)| plan.segments.is_some());
    let around = trace.map(|(plan, refused, _)| surroundings(lifetimes, plan, refused, None));
    let case = Case {
        // Without a trace what is replayed are the requests alone.
        lifetimes: trace.map_or(&stays, |_| lifetimes),
        stays: &stays,
        plan: trace.map_or(&nowhere, |it| it.0),
        around: around.unwrap_or_default(),
        needed: needed(&requests),
        requests: &requests,
    };
    let kinds = AllocatorKind::ALL.into_iter();
    let kinds: Vec<AllocatorKind> = kinds
        .filter(|kind| trace.is_some() || *kind != AllocatorKind::AsItWas)
        .collect();
    let total = kinds.len() as u64;
    let rows = (0..).zip(kinds).map(|(done, kind)| {
        on_progress(done, total);
        case.row(kind)
    });
    let rows = rows.collect();
    on_progress(total, total);
    Allocators {
        requests: requests.buffers.len() as u64,
        rows,
    }
}

/// What was asked for, if anything.
fn request(buffer: &Buffer) -> Option<Buffer> {
    let asked = buffer.payload.0 > 0 && !buffer.span.is_empty();
    asked.then(|| Buffer {
        pauses: away(buffer).collect(),
        ..Buffer::new(buffer.name.clone(), buffer.payload.0, buffer.span)
    })
}

/// When nothing is needed of it.
fn away(buffer: &Buffer) -> impl Iterator<Item = Pause> {
    let pauses = buffer.pauses.iter().copied();
    pauses.filter(|pause| pause.window.is_none())
}

/// Each time that it is there.
fn stays(buffer: &Buffer) -> Vec<Buffer> {
    let ends = away(buffer).map(|pause| pause.span.start);
    let ends = ends.chain([buffer.span.end]);
    let starts = away(buffer).map(|pause| pause.span.end);
    let starts = [buffer.span.start].into_iter().chain(starts);
    let spans = starts.zip(ends).filter(|(start, end)| start < end);
    let stay = |(start, end)| Buffer::new(buffer.name.clone(), buffer.size.0, Span { start, end });
    spans.map(stay).collect()
}

struct Case<'a> {
    lifetimes: &'a Lifetimes,
    plan: &'a Plan,
    around: Surroundings,
    requests: &'a Lifetimes,
    /// Each time that one of them is there.
    stays: &'a Lifetimes,
    needed: Bytes,
}

impl Case<'_> {
    fn row(&self, kind: AllocatorKind) -> AllocatorRow {
        let Self {
            lifetimes,
            plan,
            around,
            ..
        } = self;
        let replayed = match kind {
            AllocatorKind::Caching | AllocatorKind::Expandable => {
                let settings = AllocatorSettings {
                    expandable: kind == AllocatorKind::Expandable,
                    ..AllocatorSettings::DEFAULT
                };
                Some(reserved_under(lifetimes, plan, settings, around))
            }
            AllocatorKind::Gmlake => Some(reserved_by_gmlake(lifetimes, plan, around)),
            _ => None,
        };
        let found = match (&replayed, kind) {
            (Some(replayed), _) => Ok(replayed.peak),
            (None, AllocatorKind::AsItWas) => plan
                .reserved
                .ok_or_else(|| message!("the trace does not say it")),
            (None, AllocatorKind::Tlsf) => self.planned(Strategy::Tlsf, Bytes(256)),
            (None, AllocatorKind::Stalloc) => self.planned(Strategy::Stalloc, Bytes(512)),
            (None, AllocatorKind::Best) => self.best(),
            (None, _) => Ok(bounds::bounds(self.requests).offsets),
        };
        AllocatorRow {
            kind,
            needed: self.needed,
            failed: replayed.map_or(0, |it| it.failed_anew),
            reserved: found.as_ref().ok().copied(),
            unknown: found.err(),
        }
    }

    fn best(&self) -> Result<Bytes, Message> {
        match self.requests.buffers.len() > BEST_UP_TO {
            true => Err(message!(
                "more than {} requests are too many to search for a plan",
                BEST_UP_TO
            )),
            false => self.planned(Strategy::Best, Bytes(1)),
        }
    }

    /// The arena of a strategy, in whole blocks.
    fn planned(&self, strategy: Strategy, block: Bytes) -> Result<Bytes, Message> {
        let options = Options {
            effort: EFFORT,
            ..Options::aligned(Bytes(1))
        };
        let requests = match strategy {
            Strategy::Tlsf => self.stays,
            _ => self.requests,
        };
        let made = plan(strategy, requests, &options, &mut Silent);
        let made = made.map_err(|error| error.message())?;
        Ok(made.arena.align_up(block).unwrap_or(made.arena))
    }
}
