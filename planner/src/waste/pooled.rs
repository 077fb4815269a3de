//! A plan in pools, split pool by pool.

use super::{Part, Waste, WasteKind, signed, waste};
use crate::bounds::{self, Bounds};
use crate::deployed::Note;
use crate::liveness::{Buffer, Handover, Lifetimes};
use crate::plan::{Plan, Pools};
use crate::sorting::Sorting as _;
use crate::units::{Bytes, Offset, narrow};

/// The sums of the parts of all pools; a part counts at the step of the pool that has most of it.
pub(super) fn split(
    (lifetimes, notes): (&Lifetimes, &[Note]),
    plan: &Plan,
    pools: &Pools,
    bounds: &Bounds,
) -> Waste {
    let aligned = bounds.list.iter().find_map(|bound| match bound.kind {
        bounds::BoundKind::Aligned { alignment } => Some(alignment),
        _ => None,
    });
    let mut most: Vec<i64> = Vec::new();
    let mut parts: Vec<Part> = Vec::new();
    for pool in 0..pools.sizes.len() {
        let (members, own, own_notes, inner) = alone(lifetimes, notes, plan, (pools, pool));
        let bounds = bounds::aligned(&own, aligned.unwrap_or(Bytes(1)));
        for mut part in waste(&own, &own_notes, &inner, &bounds).parts {
            let outer = part
                .buffers
                .iter()
                .filter_map(|&it| members.get(it).copied());
            part.buffers = outer.collect();
            if part.bytes != 0 {
                part.pools = vec![(narrow(pool), part.step)];
            }
            let Some(place) = parts.iter().position(|it| it.kind == part.kind) else {
                most.push(part.bytes);
                parts.push(part);
                continue;
            };
            let sum = &mut parts[place];
            sum.bytes = sum.bytes.saturating_add(part.bytes);
            sum.buffers.extend(part.buffers);
            sum.pools.extend(part.pools);
            if part.bytes > most[place] {
                (most[place], sum.step) = (part.bytes, part.step);
            }
        }
    }
    let sum = parts
        .iter()
        .fold(0_i64, |sum, it| sum.saturating_add(it.bytes));
    let between = signed(plan.arena).saturating_sub(sum);
    if let Some(part) = parts.iter_mut().find(|it| it.kind == WasteKind::Alignment) {
        part.bytes = part.bytes.saturating_add(between);
    }
    parts.order_by_key(|it| it.kind);
    Waste {
        arena: plan.arena,
        reserved: false,
        parts,
        fullest: None,
    }
}

/// What lies in one pool, as a problem and a plan of its own, and which buffers these are.
fn alone(
    lifetimes: &Lifetimes,
    notes: &[Note],
    plan: &Plan,
    (pools, pool): (&Pools, usize),
) -> (Vec<usize>, Lifetimes, Vec<Note>, Plan) {
    let of_buffer = pools.of_buffer.iter().enumerate();
    let members = of_buffer.filter(|(_, it)| **it as usize == pool);
    let members: Vec<usize> = members.map(|(index, _)| index).collect();
    let base = pools.bases.get(pool).copied().unwrap_or_default();
    let moved = |offset: Offset| Offset(offset.0.saturating_sub(base.0));
    let own = members.iter().filter_map(|&it| lifetimes.buffers.get(it));
    let own = own.map(|buffer| Buffer {
        fixed: buffer.fixed.map(moved),
        ..buffer.clone()
    });
    let inside = |buffer: usize| members.binary_search(&buffer).ok();
    let handovers = lifetimes.handovers.iter().filter_map(|it| {
        Some(Handover {
            before: inside(it.before)?,
            after: inside(it.after)?,
            ..*it
        })
    });
    let alone = Lifetimes {
        buffers: own.collect(),
        horizon: lifetimes.horizon,
        handovers: handovers.collect(),
        ..Lifetimes::default()
    };
    let offsets = members.iter().filter_map(|&it| plan.offsets.get(it));
    let inner = Plan {
        offsets: offsets.map(|&offset| moved(offset)).collect(),
        arena: pools.sizes.get(pool).copied().unwrap_or_default(),
        ..Plan::default()
    };
    let notes = members.iter().filter_map(|&it| notes.get(it)).cloned();
    (members.clone(), alone, notes.collect(), inner)
}
