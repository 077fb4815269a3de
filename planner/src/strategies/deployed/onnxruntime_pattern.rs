//! Offsets by ONNX Runtime's memory pattern. Source: ONNX Runtime, MemPatternPlanner.
//!
//! A trace of one run is replayed: an operator's outputs are allocated as it starts, and what
//! it read for the last time is freed after it. Each allocation goes into the closest fit
//! between the blocks that are live at that moment, the lowest on ties, else at the end of the last
//! of them; nothing that comes later is looked at. Values that are computed in place are one
//! block, as ONNX Runtime's allocation planner makes them before the trace.

use super::chains::merge;
use super::rounded::rounded;
use crate::free_space::{Fit, choose, free_ranges};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::sorting::Sorting as _;
use crate::strategies::description::{
    AboveNaive, Capabilities, Capability, Description, Family, Growth, Model,
};
use crate::strategies::layout::Layout;
use crate::strategies::records::Record;
use crate::strategies::{Note, Observer, PlanError, Search, Strategy, overflow};
use alloc::vec::Vec;

pub(in crate::strategies) const STRATEGY: Description = Description {
    name: "onnxruntime_pattern",
    source: "ONNX Runtime, MemPatternPlanner",
    family: Family::Deployed,
    model: Model::Offsets,
    cost: "O(n · live)",
    growth: Growth::Square,
    capabilities: Capabilities {
        handovers: Capability::Yes,
        ..Capabilities::WHOLE
    },
    above_naive: Some(AboveNaive::Padding),
    limit: None,
};

/// A live block: first byte, exclusive end of its bytes, and when it is freed.
#[derive(Clone, Copy, Debug)]
struct Block {
    offset: u64,
    top: u64,
    end: u64,
}

/// Replays the allocations in order of their starts, those of one step in the buffers' order.
///
/// Sizes are rounded up to the alignment, as the trace has them. ONNX Runtime fixes no
/// address: what is fixed is taken as allocated for as long as it can be in the way.
pub(in crate::strategies) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let chains = merge(lifetimes, &rounded(lifetimes, options)?, options);
    let mut layout = Layout::new(lifetimes, options, observer)?;
    let mut fixed: Vec<(Record, Block)> = Vec::new();
    for record in &chains.roots {
        if let Some(offset) = layout.fixed(record) {
            layout.put(record, offset)?;
            fixed.push((*record, block(lifetimes, record, offset)?));
        }
    }
    let mut order: Vec<usize> = (0..chains.roots.len()).collect();
    order.order_by_key(|&index| chains.roots[index].start);
    // Live blocks in order of address.
    let mut live: Vec<Block> = Vec::new();
    for index in order {
        let record = &chains.roots[index];
        if layout.fixed(record).is_some() {
            continue;
        }
        live.retain(|block| block.end > record.start);
        let in_the_way = fixed
            .iter()
            .filter(|(other, _)| other.start < record.end && record.start < other.end);
        let mut blocks: Vec<Block> = in_the_way.map(|&(_, block)| block).collect();
        blocks.extend(&live);
        // Without fixed addresses they are in order already.
        blocks.order_by_key(|block| block.offset);
        if let Some((last, _)) = chains.shared[index].last() {
            let last = last.buffer;
            layout.note(record, Note::Chain { last })?;
        }
        let offset = closest_fit(&mut layout, record, &blocks)?;
        layout.put(record, offset)?;
        for (shared, distance) in &chains.shared[index] {
            layout.put(shared, offset.saturating_add(*distance))?;
        }
        let at = live.partition_point(|block| block.offset <= offset);
        live.insert(at, block(lifetimes, record, offset)?);
    }
    Ok(layout.into_plan(Strategy::OnnxruntimePattern))
}

fn block(lifetimes: &Lifetimes, record: &Record, offset: u64) -> Result<Block, PlanError> {
    let top = offset.checked_add(record.size);
    let top = top.ok_or_else(|| overflow(&lifetimes.buffers[record.buffer]))?;
    Ok(Block {
        offset,
        top,
        end: record.end,
    })
}

/// The start of the smallest free range below one of `blocks`, which are in order of address,
/// that takes `record`, or the end of them all.
fn closest_fit(
    layout: &mut Layout<'_>,
    record: &Record,
    blocks: &[Block],
) -> Result<u64, PlanError> {
    let ranges = free_ranges(0, blocks.iter().map(|it| (it.offset, it.top, ())));
    let wanted = (record.size, layout.alignment(record));
    let chosen = choose(ranges, wanted, Fit::Best);
    let chosen = chosen.ok_or_else(|| layout.overflow(record))?;
    layout.chosen(record, Search::Free(Fit::Best), chosen.into())?;
    Ok(chosen.start)
}
