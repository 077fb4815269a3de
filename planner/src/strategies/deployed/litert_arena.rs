//! Offsets as LiteRT's CPU arena gives them. Source: LiteRT, ArenaPlanner and SimpleMemoryArena.
//!
//! Tensors that live for the whole run come first, by index; then the others by size, the
//! largest first, ties by the operator that writes them, then by index (LiteRT sorts
//! unstably there). Each goes into the closest fit between the placed tensors whose operators
//! it shares a step with, or after them all. A chain of tensors that are handed over in
//! place is one allocation.
//!
//! The option's alignment is LiteRT's tensor alignment, 64 bytes unless it is built
//! otherwise, and the default of [`Settings`](crate::liveness::Settings). Offsets are
//! multiples of it; sizes are the tensors' own, so that the space after an odd one is
//! measured as LiteRT measures it. Where sizes are not payloads rounded up to that
//! alignment, or a buffer asks for more, or addresses are fixed, none of which LiteRT knows,
//! sizes are taken as they are and what is fixed is placed first.
//!
//! What LiteRT never frees is distinguished from what its last operator frees by the span alone: a
//! buffer that lives from the first step to the last counts as living for the whole run.

use alloc::vec::Vec;
use core::cmp::Reverse;

use super::chains::merge;
use super::walk::Walk;
use crate::free_space::Fit;
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::sorting::Sorting as _;
use crate::strategies::description::{
    AboveNaive, Capabilities, Capability, Description, Family, Growth, Model,
};
use crate::strategies::records::{Record, records};
use crate::strategies::{Observer, PlanError, Strategy};

pub(in crate::strategies) const STRATEGY: Description = Description {
    name: "litert_arena",
    source: "LiteRT, ArenaPlanner and SimpleMemoryArena",
    family: Family::Deployed,
    model: Model::Offsets,
    cost: "O(n · k log k)",
    growth: Growth::Square,
    capabilities: Capabilities {
        handovers: Capability::Yes,
        ..Capabilities::WHOLE
    },
    above_naive: Some(AboveNaive::Padding),
    limit: None,
};

/// Places the whole-life tensors, then the rest by size, each into its closest fit.
pub(in crate::strategies) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let chains = merge(lifetimes, &measured(lifetimes, options), options);
    let roots = &chains.roots;
    let mut order: Vec<usize> = (0..roots.len()).collect();
    let whole_life = |record: &Record| record.start == 0 && record.end >= lifetimes.horizon.0;
    order.order_by_key(|&index| match &roots[index] {
        record if whole_life(record) => (false, Reverse(0), 0),
        record => (true, Reverse(record.size), record.start),
    });
    let mut walk = Walk::new(lifetimes, roots, Fit::BestRemembered, options, observer)?;
    for index in order {
        if let Some((last, _)) = chains.shared[index].last() {
            walk.note_chain(index, last.buffer)?;
        }
        let offset = walk.place(index)?;
        for (shared, distance) in &chains.shared[index] {
            walk.put_on(shared, offset.saturating_add(*distance))?;
        }
    }
    Ok(walk.into_plan(Strategy::LitertArena))
}

/// The records, with the bytes of the tensors themselves where every block is such a payload
/// rounded up to the alignment.
fn measured(lifetimes: &Lifetimes, options: &Options) -> Vec<Record> {
    let mut records = records(lifetimes);
    let as_in_litert = |record: &Record| {
        let buffer = &lifetimes.buffers[record.buffer];
        let rounded = buffer.payload.align_up(options.alignment);
        rounded == Some(buffer.size)
            && buffer.alignment <= options.alignment
            && buffer.fixed.is_none()
    };
    if records.iter().all(as_in_litert) {
        for record in &mut records {
            record.size = lifetimes.buffers[record.buffer].payload.0;
        }
    }
    records
}
