//! Offsets by best fit, then pushed down. Source: MegEngine, `StaticMemAllocPushdown`.
//!
//! First a best fit without addresses, in the order of execution: a list of blocks, of which
//! the free ones are reused; where none is large enough the largest free one grows. It only
//! says which buffer lies directly below which. Then every buffer drops until it rests on one of
//! those below it.
//!
//! What is reported: a buffer is placed on the one below it as soon as that is known, and moved
//! up in the end where later ones came in between.

use super::block_list::BlockList;
use super::megengine::{Call, Intervals};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::strategies::description::{
    AboveNaive, Capabilities, Capability, Description, Family, Growth, Model,
};
use crate::strategies::layout::Layout;
use crate::strategies::{Note, Observer, PlanError, Search, Strategy, Taken};
use crate::units::Bytes;
use alloc::vec;
use alloc::vec::Vec;

pub(in crate::strategies) const STRATEGY: Description = Description {
    name: "megengine_pushdown",
    source: "MegEngine, StaticMemAllocPushdown",
    family: Family::Deployed,
    model: Model::Offsets,
    cost: "O(n log n)",
    growth: Growth::Square,
    capabilities: Capabilities {
        handovers: Capability::Yes,
        ..Capabilities::UNFIXED
    },
    above_naive: Some(AboveNaive::Padding),
    limit: None,
};

/// Finds the order of the buffers over each other, then their addresses from below.
pub(in crate::strategies) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let intervals = Intervals::of(lifetimes, options);
    let records = &intervals.records;
    let mut layout = Layout::new(lifetimes, options, observer)?;
    let mut list = BlockList::new(records);
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); records.len()];
    let mut offsets = vec![0; records.len()];
    for (call, index) in intervals.calls() {
        let record = &records[index];
        match (call, intervals.below[index]) {
            (Call::Free, _) => {
                list.free(index);
                continue;
            }
            (_, Some((dest, shift))) => {
                list.overwrite(dest, shift, index);
                offsets[index] = offsets[dest] + shift;
            }
            (_, None) => {
                let block = list.alloc(index).map(Bytes);
                layout.chosen(record, Search::Unaddressed, Taken::Open)?;
                layout.note(record, Note::Reused { block })?;
                let rest = list.below(index);
                let top = rest.map_or(0, |other| offsets[other] + records[other].size);
                offsets[index] = layout.align(record, top)?;
            }
        }
        layout.put(record, offsets[index])?;
        below[index].extend(list.below(index));
        if let Some(next) = list.above(index) {
            below[next].push(index);
        }
    }
    for root in bottom_up(&intervals, &below) {
        let mut rest = 0;
        for index in intervals.chain(root) {
            let (_, shift) = intervals.roots[index];
            let tops = below[index]
                .iter()
                .map(|&other| offsets[other] + records[other].size);
            rest = tops.fold(rest, |rest, top| rest.max(top.saturating_sub(shift)));
        }
        let rest = layout.align(&records[root], rest)?;
        for index in intervals.chain(root) {
            let offset = rest + intervals.roots[index].1;
            if offset != offsets[index] {
                offsets[index] = offset;
                layout.raise(&records[index], offset)?;
            }
        }
    }
    Ok(layout.into_plan(Strategy::MegenginePushdown))
}

/// The roots, each after those that lie below any of its chain.
fn bottom_up(intervals: &Intervals, below: &[Vec<usize>]) -> Vec<usize> {
    let mut order = Vec::new();
    let mut seen = vec![false; below.len()];
    // Each root with all that is still to be looked at below it.
    let mut path: Vec<(usize, Vec<usize>)> = Vec::new();
    let under = |root: usize| {
        let chain = intervals.chain(root);
        let below = chain.flat_map(|index| &below[index]);
        below.map(|&index| intervals.roots[index].0).collect()
    };
    for start in 0..below.len() {
        let mut enter = Some(intervals.roots[start].0);
        loop {
            if let Some(root) = enter.take().filter(|&root| !seen[root]) {
                seen[root] = true;
                path.push((root, under(root)));
            }
            let Some((root, waiting)) = path.last_mut() else {
                break;
            };
            enter = waiting.pop();
            if enter.is_none() {
                order.push(*root);
                path.pop();
            }
        }
    }
    order
}
