//! Offsets as GMLake's allocator would give them at run time: PyTorch's caching allocator with
//! requests in chunks of 2 MiB, which for large requests stitches free chunks that lie apart.
//! Source: GMLake (Guo et al. 2024, ASPLOS); what it does is said in
//! [`stitched`](crate::caching_allocator), with its default limits.
//!
//! An address is virtual: a stitched block has a range of its own, over chunks that lie elsewhere,
//! and the range keeps its addresses for good. So the arena counts every range, and what GMLake
//! is for is in [`Plan::reserved`]: the chunks that were ever taken from the device. The device has
//! no end, requests come from one stream.

use alloc::vec;
use alloc::vec::Vec;

use super::replay::{Run, joint_granule, replay};
use crate::caching_allocator::{
    Allocator, AllocatorSettings, Block, GRANULE, SEGMENT_GRANULE, STITCHED_FROM,
};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::strategies::description::{
    AboveNaive, Capabilities, Description, Family, Growth, Model,
};
use crate::strategies::records::{Record, in_order};
use crate::strategies::{Observer, PlanError, Strategy};
use crate::units::Bytes;

pub(in crate::strategies) const STRATEGY: Description = Description {
    name: "gmlake",
    source: "GMLake, CUDACachingAllocator (Guo et al. 2024)",
    family: Family::Online,
    model: Model::Offsets,
    cost: "O(n log n)",
    growth: Growth::Square,
    capabilities: Capabilities::UNFIXED,
    above_naive: Some(AboveNaive::Segments(Bytes(GRANULE))),
    limit: None,
};

/// Replays requests and releases; see the module.
pub(in crate::strategies) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let granule = joint_granule(GRANULE, lifetimes, &in_order(lifetimes), options)?;
    let lake = Lake {
        allocator: Allocator::stitching(AllocatorSettings::DEFAULT, STITCHED_FROM),
        // Where chunks cannot keep an alignment, a byte of the allocator stands for several.
        scale: match SEGMENT_GRANULE.is_multiple_of(granule) {
            true => 1,
            false => granule / GRANULE,
        },
        taken: vec![None; lifetimes.buffers.len()],
    };
    let what = (Strategy::Gmlake, GRANULE);
    replay(what, lifetimes, options, observer, lake)
}

struct Lake {
    allocator: Allocator,
    scale: u64,
    /// Block of each buffer.
    taken: Vec<Option<Block>>,
}

impl super::replay::Allocator for Lake {
    fn allocate(&mut self, run: &mut Run<'_>, record: &Record) -> Result<u64, PlanError> {
        let size = run.rounded(record, record.size)?;
        let block = self.allocator.alloc(size / self.scale, (0, (0, 0)));
        let block = block.ok_or_else(|| run.overflow(record))?;
        let held = block.bytes().checked_mul(self.scale);
        let address = u64::try_from(block.address()).ok();
        let address = address.and_then(|it| it.checked_mul(self.scale));
        let (Some(held), Some(address)) = (held, address) else {
            return Err(run.overflow(record));
        };
        run.held(record, held)?;
        self.taken[record.buffer] = Some(block);
        Ok(address)
    }

    fn release(&mut self, record: &Record) {
        if let Some(block) = self.taken[record.buffer].take() {
            self.allocator.free(block);
        }
    }

    fn reserved(&self) -> Option<Bytes> {
        Some(Bytes(self.allocator.peak.saturating_mul(self.scale)))
    }
}
