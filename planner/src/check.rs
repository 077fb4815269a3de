//! The judge: lists every rule that a plan breaks. Shares no code with the strategies.
//!
//! A buffer occupies the rectangle of its steps and its addresses; one of no bytes or no
//! steps occupies nothing and collides with nothing, but must lie inside the arena and be
//! aligned all the same.

mod violation;

use std::collections::{BTreeMap, BTreeSet};

use crate::liveness::{Buffer, Lifetimes};
use crate::plan::{Objects, Options, Plan};
use crate::units::{Bytes, Offset};

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
    let mut found = Vec::new();
    for (index, buffer) in buffers.iter().enumerate() {
        check_place(index, buffer, plan, options, &mut found);
    }
    match &plan.objects {
        Some(objects)
            if objects.of_buffer.len() == buffers.len()
                && objects.offsets.len() == objects.sizes.len() =>
        {
            check_objects(buffers, plan, objects, &mut found);
            check_sharing(buffers, objects, &mut found);
        }
        Some(objects) => found.push(Violation::ObjectCount {
            sizes: objects.sizes.len(),
            offsets: objects.offsets.len(),
            assigned: objects.of_buffer.len(),
        }),
        None => {}
    }
    check_overlaps(buffers, plan, &mut found);
    check_tail(buffers, plan, options, &mut found);
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
        // A fixed address is the problem's own, aligned or not.
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

/// Steps and addresses of a buffer: first and last, the last exclusive.
struct Rectangle {
    buffer: usize,
    steps: (u64, u64),
    bytes: (u64, u64),
}

fn rectangles(buffers: &[Buffer], plan: &Plan) -> Vec<Rectangle> {
    let occupied = buffers.iter().zip(&plan.offsets).enumerate();
    let occupied = occupied.filter(|(_, (b, _))| b.size.0 > 0 && b.span.start < b.span.end);
    let mut rectangles: Vec<Rectangle> = occupied
        .map(|(buffer, (known, offset))| Rectangle {
            buffer,
            steps: (known.span.start.0, known.span.end.0),
            bytes: (offset.0, offset.0.saturating_add(known.size.0)),
        })
        .collect();
    rectangles.sort_by_key(|rectangle| rectangle.steps.0);
    rectangles
}

/// Pairs of rectangles that overlap, except those that share an object: these break another
/// rule already.
fn check_overlaps(buffers: &[Buffer], plan: &Plan, found: &mut Vec<Violation>) {
    let rectangles = rectangles(buffers, plan);
    if !any_overlap(&rectangles) {
        return;
    }
    let object = |buffer: usize| {
        let objects = plan.objects.as_ref()?;
        objects.of_buffer.get(buffer).copied()
    };
    for (index, one) in rectangles.iter().enumerate() {
        let later = rectangles[index + 1..].iter();
        for other in later.take_while(|other| other.steps.0 < one.steps.1) {
            let share_bytes = one.bytes.0 < other.bytes.1 && other.bytes.0 < one.bytes.1;
            let share_object =
                object(one.buffer).is_some() && object(one.buffer) == object(other.buffer);
            if share_bytes && !share_object {
                found.push(Violation::Overlap {
                    first: one.buffer.min(other.buffer),
                    second: one.buffer.max(other.buffer),
                });
            }
            if found.len() >= LISTED {
                return;
            }
        }
    }
}

/// Whether any two rectangles overlap. Sweeps over the steps with the live address ranges at
/// hand: as long as they are disjoint, a new one can only hit the one below or above it.
fn any_overlap(rectangles: &[Rectangle]) -> bool {
    let mut live: BTreeMap<u64, u64> = BTreeMap::new();
    let mut ends: BTreeSet<(u64, u64)> = BTreeSet::new();
    for rectangle in rectangles {
        while let Some(&(end, offset)) = ends.first() {
            if end > rectangle.steps.0 {
                break;
            }
            ends.pop_first();
            live.remove(&offset);
        }
        let (start, end) = rectangle.bytes;
        let below = live.range(..end).next_back();
        if below.is_some_and(|(_, &below_end)| below_end > start) {
            return true;
        }
        live.insert(start, end);
        ends.insert((rectangle.steps.1, start));
    }
    false
}

/// Objects against the arena, each other and the buffers given to them.
fn check_objects(buffers: &[Buffer], plan: &Plan, objects: &Objects, found: &mut Vec<Violation>) {
    let mut ranges = Vec::new();
    for (object, (&size, &offset)) in objects.sizes.iter().zip(&objects.offsets).enumerate() {
        match offset.end(size) {
            Some(end) if end.0 <= plan.arena.0 => {}
            _ => found.push(Violation::ObjectBehindArena {
                object,
                arena: plan.arena,
            }),
        }
        if size.0 > 0 {
            ranges.push((offset.0, offset.0.saturating_add(size.0), object));
        }
    }
    ranges.sort_unstable();
    for pair in ranges.windows(2) {
        if pair[0].1 > pair[1].0 {
            found.push(Violation::ObjectsOverlap {
                first: pair[0].2.min(pair[1].2),
                second: pair[0].2.max(pair[1].2),
            });
        }
    }
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

/// Buffers of one object that are live at the same step; of each object at least those that
/// meet the one that ends last so far.
fn check_sharing(buffers: &[Buffer], objects: &Objects, found: &mut Vec<Violation>) {
    let mut held: Vec<(u32, u64, usize)> = Vec::new();
    for (buffer, &object) in objects.of_buffer.iter().enumerate() {
        let known = &buffers[buffer];
        if known.size.0 > 0 && known.span.start < known.span.end {
            held.push((object, known.span.start.0, buffer));
        }
    }
    held.sort_unstable();
    for together in held.chunk_by(|a, b| a.0 == b.0) {
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
}

fn check_tail(buffers: &[Buffer], plan: &Plan, options: &Options, found: &mut Vec<Violation>) {
    let sizes = buffers.iter().map(|buffer| buffer.size);
    let mut blocks: Vec<(Offset, Bytes)> = plan.offsets.iter().copied().zip(sizes).collect();
    if let Some(objects) = &plan.objects {
        blocks.extend(
            objects
                .offsets
                .iter()
                .copied()
                .zip(objects.sizes.iter().copied()),
        );
    }
    let ends = blocks
        .iter()
        .map(|&(offset, size)| offset.0.saturating_add(size.0));
    let end = Offset(ends.max().unwrap_or(0));
    let rounded = end.align_up(options.alignment).unwrap_or(end);
    if plan.arena.0 > rounded.0 {
        found.push(Violation::UnusedTail {
            arena: plan.arena,
            end,
        });
    }
}
