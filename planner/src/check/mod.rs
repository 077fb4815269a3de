//! The judge: lists every rule that a plan breaks. Shares no code with the strategies.
//!
//! A buffer occupies the rectangle of its steps and its addresses; one of no bytes or no
//! steps occupies nothing and collides with nothing, but must lie inside the arena and be
//! aligned all the same.
//!
//! Two exceptions. During a pause a buffer needs only the pause's window of its bytes; two buffers
//! may share bytes at every step at which not both need them. And a pair of a
//! [`Handover`](crate::liveness::Handover) may share any bytes when the one starts exactly
//! `shift` bytes after the other and the last step of the one is the first of the other,
//! the only step that both have.
//!
//! An arena may be larger than its last byte: toolchains reserve a tail on purpose.

mod needs;
mod objects;
mod overlaps;
mod pools;
mod ranges;
mod sentence;
mod violation;

use crate::liveness::{Buffer, Lifetimes};
use crate::plan::{Options, Plan};
use crate::units::Bytes;
use alloc::vec;
use alloc::vec::Vec;

use needs::Handovers;

pub use violation::Violation;

/// At most this many violations are listed.
pub const LISTED: usize = 1000;

/// Every rule that `plan` breaks, at most [`LISTED`]; none for a valid plan.
#[must_use]
pub fn check(lifetimes: &Lifetimes, plan: &Plan, options: &Options) -> Vec<Violation> {
    let buffers = &lifetimes.buffers;
    if plan.offsets.len() != buffers.len() {
        return vec![Violation::OffsetCount {
            offsets: plan.offsets.len(),
            buffers: buffers.len(),
        }];
    }
    // What makes results wrong comes first, what only some device refuses after it.
    let mut found = Vec::new();
    let handovers = Handovers::of(lifetimes, plan);
    overlaps::check_overlaps(lifetimes, plan, &handovers, &mut found);
    objects::check_objects(lifetimes, plan, &handovers, &mut found);
    pools::check_pools(lifetimes, plan, options, &mut found);
    for (index, buffer) in buffers.iter().enumerate() {
        check_place(index, buffer, plan, options, &mut found);
    }
    found.truncate(LISTED);
    found
}

/// One buffer against the rules that concern it alone.
fn check_place(
    index: usize,
    buffer: &Buffer,
    plan: &Plan,
    options: &Options,
    found: &mut Vec<Violation>,
) {
    let offset = plan.offsets[index];
    match offset.end(buffer.size) {
        None => found.push(Violation::AddressOverflow { buffer: index }),
        Some(end) if end.0 > plan.arena.0 => found.push(Violation::BehindArena {
            buffer: index,
            end,
            arena: plan.arena,
        }),
        Some(_) => {}
    }
    if let Some(fixed) = buffer.fixed {
        // A fixed address is the problem's own: it holds whether it is aligned or not, and
        // `liveness::fixed_unaligned` reports where it is not.
        if fixed != offset {
            found.push(Violation::NotFixed {
                buffer: index,
                offset,
                fixed,
            });
        }
        return;
    }
    let alignment = buffer.alignment.max(options.alignment).max(Bytes(1));
    if !offset.0.is_multiple_of(alignment.0) {
        found.push(Violation::Misaligned {
            buffer: index,
            offset,
            alignment,
        });
    }
}
