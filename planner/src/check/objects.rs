//! Shared objects against the arena, each other and the buffers given to them.

use super::needs::{Handovers, collision, is_needed, needs};
use super::ranges::{outside, sharing};
use super::{LISTED, Violation};
use crate::liveness::{Buffer, Lifetimes};
use crate::plan::{Objects, Plan};
use alloc::vec::Vec;

/// All rules of objects.
pub(super) fn check_objects(
    lifetimes: &Lifetimes,
    plan: &Plan,
    handovers: &Handovers,
    found: &mut Vec<Violation>,
) {
    let Some(objects) = &plan.objects else {
        return;
    };
    let buffers = &lifetimes.buffers;
    if objects.of_buffer.len() != buffers.len() || objects.offsets.len() != objects.sizes.len() {
        found.push(Violation::ObjectCount {
            sizes: objects.sizes.len(),
            offsets: objects.offsets.len(),
            assigned: objects.of_buffer.len(),
        });
        return;
    }
    check_places(plan, objects, found);
    check_holders(buffers, plan, objects, found);
    check_sharing(buffers, objects, handovers, found);
}

/// Objects against the arena and each other.
fn check_places(plan: &Plan, objects: &Objects, found: &mut Vec<Violation>) {
    let (offsets, sizes, arena) = (&objects.offsets, &objects.sizes, plan.arena);
    let outside = outside(offsets, sizes, arena);
    found.extend(outside.map(|object| Violation::ObjectBehindArena { object, arena }));
    let pairs = sharing(offsets, sizes).into_iter();
    found.extend(pairs.map(|(first, second)| Violation::ObjectsOverlap { first, second }));
}

/// Buffers against the objects that they are given to.
fn check_holders(buffers: &[Buffer], plan: &Plan, objects: &Objects, found: &mut Vec<Violation>) {
    for (buffer, &object) in objects.of_buffer.iter().enumerate() {
        let place = object as usize;
        let (Some(&size), Some(&offset)) = (objects.sizes.get(place), objects.offsets.get(place))
        else {
            found.push(Violation::NoSuchObject { buffer, object });
            continue;
        };
        if buffers[buffer].size > size {
            found.push(Violation::LargerThanObject { buffer, object });
        }
        if plan.offsets[buffer] != offset {
            found.push(Violation::OutsideObject { buffer, object });
        }
    }
}

/// Buffers of one object that need it at the same step. All of them start where it starts.
fn check_sharing(
    buffers: &[Buffer],
    objects: &Objects,
    handovers: &Handovers,
    found: &mut Vec<Violation>,
) {
    let mut held: Vec<(u32, u64, usize)> = Vec::new();
    for (buffer, &object) in objects.of_buffer.iter().enumerate() {
        if is_needed(&buffers[buffer]) {
            held.push((object, buffers[buffer].span.start.0, buffer));
        }
    }
    held.sort_unstable();
    for together in held.chunk_by(|a, b| a.0 == b.0) {
        let plain = |&(_, _, buffer): &(u32, u64, usize)| buffers[buffer].pauses.is_empty();
        if handovers.is_empty() && together.iter().all(plain) {
            check_chain(buffers, together, found);
        } else {
            check_pairs(buffers, together, handovers, found);
        }
    }
}

/// Of buffers without exceptions at least those that meet the one that ends last so far.
fn check_chain(buffers: &[Buffer], together: &[(u32, u64, usize)], found: &mut Vec<Violation>) {
    let mut last = together[0].2;
    for &(object, start, buffer) in &together[1..] {
        if start < buffers[last].span.end.0 {
            found.push(Violation::SharedObject {
                first: last.min(buffer),
                second: last.max(buffer),
                object,
            });
        }
        if buffers[buffer].span.end > buffers[last].span.end {
            last = buffer;
        }
    }
}

fn check_pairs(
    buffers: &[Buffer],
    together: &[(u32, u64, usize)],
    handovers: &Handovers,
    found: &mut Vec<Violation>,
) {
    for (place, &(object, _, one)) in together.iter().enumerate() {
        let needed = needs(&buffers[one], 0);
        let end = buffers[one].span.end.0;
        let later = together[place + 1..].iter();
        for &(_, _, other) in later.take_while(|&&(_, start, _)| start < end) {
            let collides = collision(&needed, &needs(&buffers[other], 0)).is_some();
            if collides && !handovers.allows_no_shift(one, other) {
                found.push(Violation::SharedObject {
                    first: one.min(other),
                    second: one.max(other),
                    object,
                });
            }
            if found.len() >= LISTED {
                return;
            }
        }
    }
}
