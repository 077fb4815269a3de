//! The last picture of a trace is the plan.

use super::changes::Changes;
use super::{BufferPlace, Change, Picture, Trace};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::units::narrow;
use alloc::vec::Vec;

/// Changes what still differs between the picture and `plan`: nothing, for a strategy that
/// reported all of its last attempt.
pub(super) fn finish(
    (trace, pending): (&Trace, &mut Changes),
    lifetimes: &Lifetimes,
    options: &Options,
    plan: &Plan,
) {
    let mut now = Picture::new(lifetimes.buffers.len());
    now.show(trace, trace.frames.len());
    let known: Vec<Change> = pending.take().collect();
    for change in known {
        now.change(change);
        pending.add(change);
    }
    let mut change = |now: &mut Picture, change: Change| {
        now.change(change);
        pending.add(change);
    };
    if let Some(objects) = &plan.objects {
        if now.objects().len() > objects.sizes.len() {
            change(&mut now, Change::Clear);
        }
        for (object, &size) in objects.sizes.iter().enumerate() {
            if now.objects().get(object) != Some(&size) {
                change(&mut now, Change::Object(narrow(object), size));
            }
        }
        for (buffer, &object) in objects.of_buffer.iter().enumerate() {
            if now.places().get(buffer) != Some(&Some(BufferPlace::In(object as usize))) {
                change(&mut now, Change::In(narrow(buffer), object));
            }
        }
    }
    if let Some(pools) = &plan.pools {
        for (pool, &base) in pools.bases.iter().enumerate() {
            change(&mut now, Change::Base(narrow(pool), base));
        }
        let known = now.layout(lifetimes, options.alignment);
        for (buffer, &pool) in pools.of_buffer.iter().enumerate() {
            if known.pool(buffer) != pool as usize {
                change(&mut now, Change::Pool(narrow(buffer), pool));
            }
        }
    }
    let shown = now.layout(lifetimes, options.alignment);
    for (buffer, &offset) in plan.offsets.iter().enumerate() {
        if shown.offsets.get(buffer) != Some(&Some(offset)) {
            change(&mut now, Change::At(narrow(buffer), offset));
        }
    }
}
