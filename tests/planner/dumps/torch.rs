//! PyTorch memory snapshots, against the books of the allocator that made them.

use std::collections::BTreeMap;

use planner::Step;
use planner::deployed::{Arena, Deployed, LaneKind, Refused};
use planner::load::{Format, LoadError, Warning};
use planner::space::{RANGES_LISTED, Spot, at as spot_at, free, free_for, free_ranges};
use planner::waste::WasteKind;
use tests::chinese::load;
use tests::deployed::{deployed, split, split_fullest, violations};
use tests::snapshot::allocator::Settings;
use tests::snapshot::books::{Line, Taken};
use tests::snapshot::program::{FRAMES, SAID, STACKS};
use tests::snapshot::{Block, Made, Spec, USUAL};

mod advised;
mod allocators;
mod broken;
mod failed;
mod golden;
mod of_2_15;
mod pickles;
mod profiled;
mod ranged;
mod replayed;
mod reserved;
mod segments;
mod settings_said;
mod timed;
mod written_back;

fn read(bytes: &[u8]) -> (Deployed, Vec<Warning>) {
    let (format, document, warnings) = load(&bytes.to_vec()).expect("a whole snapshot");
    assert_eq!(format, Format::Torch);
    (deployed(document), warnings)
}

fn error(bytes: &[u8]) -> LoadError {
    load(&bytes.to_vec()).expect_err("it cannot be read")
}

/// Every kind of allocator, whole and with its oldest events lost.
fn specs() -> Vec<Spec> {
    let settings = [
        USUAL,
        Settings {
            expandable: true,
            ..USUAL
        },
        Settings {
            max_split: Some(16 << 20),
            ..USUAL
        },
        Settings {
            divisions: 8,
            ..USUAL
        },
        // Small enough to run out of memory.
        Settings {
            capacity: 200 << 20,
            ..USUAL
        },
    ];
    let mut specs = Vec::new();
    for (number, device) in settings.into_iter().enumerate() {
        for kept in [usize::MAX, 900, 100, 1, 0] {
            specs.push(Spec {
                kept,
                devices: vec![device; 1 + number % 2],
                ..Spec::of(7 + number as u64, 1500)
            });
        }
    }
    specs
}

/// The value of a lane at `step`.
fn at(arena: &Arena, kind: LaneKind, step: u64) -> u64 {
    let lane = arena.lanes.iter().find(|lane| lane.kind == kind);
    let points = &lane.expect("all four lanes").points;
    let after = points.partition_point(|point| point.0 <= Step(step));
    points[after - 1].1.0
}

/// Whether the file does not hold the block's size: it was handed out before the trace and given
/// back in it, and the trace only knows what was asked for. What it is cut down from shows
/// where its end might be, but not for sure in segments for large blocks.
fn unsure(block: &Block) -> bool {
    block.alloc.is_none() && block.completed_free.is_some()
}

/// The order in which the reader has them: those before the trace by address, then by event.
fn in_order(made: &Made, device: usize) -> Vec<Block> {
    let mut blocks = made.blocks(device);
    blocks.sort_by_key(|block| match block.alloc {
        None => (0, block.taken.address),
        Some(event) => (event as u64 + 1, 0),
    });
    blocks
}

#[test]
fn blocks_and_lines_are_those_of_the_books() {
    let (mut sure, mut short) = (0, 0);
    for spec in specs() {
        let made = spec.make();
        let (found, warnings) = read(&made.bytes(4));
        let reported: Vec<_> = warnings.iter().map(|it| it.message.to_string()).collect();
        assert!(
            reported.iter().all(|message| message
                .contains("bytes were taken from the device at a time")
                || message.contains("annotation")),
            "{spec:?}: {reported:?}"
        );
        assert_eq!(found.arenas.len(), spec.devices.len());
        for (device, arena) in found.arenas.iter().enumerate() {
            assert_eq!(arena.name, *format!("device {device}"));
            let blocks = in_order(&made, device);
            let lines = made.lines(device);
            let horizon = lines.len() as u64;
            assert_eq!(arena.lifetimes.horizon, Step(horizon));
            assert_eq!(arena.lifetimes.buffers.len(), blocks.len(), "{spec:?}");
            let mut missing = vec![Line::default(); lines.len()];
            for (index, (block, buffer)) in blocks.iter().zip(&arena.lifetimes.buffers).enumerate()
            {
                let taken = block.taken;
                let prefix = format!("b{:x}_", taken.address);
                assert!(buffer.name.starts_with(&prefix), "{}", buffer.name);
                assert_eq!(buffer.payload.0, taken.requested, "{}", buffer.name);
                let start = block.alloc.map_or(0, |event| event as u64 + 1);
                let end = block
                    .completed_free
                    .map_or(horizon, |event| event as u64 + 1);
                assert_eq!(buffer.span.start, Step(start), "{}", buffer.name);
                assert_eq!(buffer.span.end, Step(end), "{}", buffer.name);
                sure += 1;
                if unsure(block) && buffer.size.0 < taken.size {
                    short += 1;
                    let given = block.requested_free.flatten();
                    let given = given.map_or(end, |event| event as u64 + 1);
                    let given = if block.requested_free == Some(None) {
                        0
                    } else {
                        given
                    };
                    for step in 0..end {
                        let lacks = taken.size - buffer.size.0;
                        let slot = &mut missing[usize::try_from(step).expect("small")];
                        slot.active += lacks;
                        slot.allocated += if step < given { lacks } else { 0 };
                    }
                } else {
                    assert_eq!(buffer.size.0, taken.size, "{spec:?} {index} {block:?}");
                }
            }
            for (step, (line, lacks)) in lines.iter().zip(&missing).enumerate() {
                let found = Line {
                    reserved: at(arena, LaneKind::Reserved, step as u64),
                    allocated: at(arena, LaneKind::Allocated, step as u64) + lacks.allocated,
                    active: at(arena, LaneKind::Active, step as u64) + lacks.active,
                    requested: at(arena, LaneKind::Requested, step as u64),
                    ..*line
                };
                assert_eq!(found, *line, "{spec:?} step {step}");
            }
            assert_eq!(violations(arena), []);
            if missing.iter().all(|line| *line == Line::default()) {
                is_split_as_in_the_books(arena, &blocks, &lines);
                is_free_as_in_the_books(arena, &lines);
            }
        }
    }
    // Few enough that most of what is asked is asked in earnest.
    assert!(short * 100 < sure, "{short} of {sure}");
}

/// What was reserved at its peak, split as the books have it: at the event at which most is
/// reserved, and of these most is in use.
fn is_split_as_in_the_books(arena: &Arena, blocks: &[Block], lines: &[Line]) {
    is_needed_as_in_the_books(arena, blocks, lines);
    let waste = split_fullest(arena);
    assert_eq!(
        (Some(waste.arena), waste.reserved),
        (arena.plan.reserved, true)
    );
    // The first of equals: of what comes later in the books, nothing may be larger.
    let fullest = |(_, line): &(usize, &Line)| (line.reserved, line.active);
    let lined = lines.iter().enumerate().rev();
    let (step, line) = lined.max_by_key(fullest).expect("lines");
    // Given back at an event before, and not to be used again before one that comes later.
    let waits = |block: &&Block| {
        let given = block.requested_free.map(|at| at.map_or(0, |at| at + 1));
        given.is_some_and(|given| given <= step)
            && block.alloc.is_none_or(|at| at < step)
            && block.completed_free.is_none_or(|at| at >= step)
    };
    let asked: u64 = blocks
        .iter()
        .filter(waits)
        .map(|it| it.taken.requested)
        .sum();
    let bytes = |bytes: u64| i64::try_from(bytes).expect("not many");
    let needed = line.requested - asked;
    let mut expected = vec![(WasteKind::Needed, bytes(needed))];
    // What no other stream uses may be used again at the very next event.
    let late = |block: &Block| match (block.requested_free, block.completed_free) {
        (Some(Some(asked)), Some(done)) => done > asked + 1,
        (asked, _) => asked.is_some(),
    };
    if blocks.iter().any(late) {
        expected.push((WasteKind::Pending, bytes(line.active - line.allocated)));
    }
    let inside = line.reserved - line.active - line.unused;
    expected.extend([
        (WasteKind::Padding, bytes(line.allocated - needed)),
        (WasteKind::FreeSegments, bytes(line.unused)),
        (WasteKind::FreeInside, bytes(inside)),
    ]);
    let parts = waste.parts.iter().map(|part| (part.kind, part.bytes));
    let parts: Vec<_> = parts.collect();
    assert_eq!(parts, expected, "{}: {line:?}", arena.name);
    let sum: i64 = parts.iter().map(|part| part.1).sum();
    assert_eq!(sum, bytes(line.reserved));
}

/// The bytes that were asked for and not given back, at the first step that has most of them, with
/// what was reserved there.
fn is_needed_as_in_the_books(arena: &Arena, blocks: &[Block], lines: &[Line]) {
    let mut changes = vec![0_i64; lines.len() + 1];
    let after = |event: Option<usize>| event.map_or(0, |event| event + 1);
    for block in blocks {
        let end = match (block.requested_free, block.completed_free) {
            // What no other stream uses may be used again at the very next event.
            (Some(Some(asked)), Some(done)) if done == asked + 1 => Some(done + 1),
            (Some(asked), _) => Some(after(asked)),
            (None, _) => None,
        };
        let bytes = i64::try_from(block.taken.requested).expect("not many");
        changes[after(block.alloc)] += bytes;
        if let Some(end) = end {
            changes[end] -= bytes;
        }
    }
    let sums = changes.iter().scan(0, |sum, change| {
        *sum += change;
        Some(*sum)
    });
    let sums: Vec<i64> = sums.take(lines.len()).collect();
    let most = sums.iter().max().expect("steps");
    let first = sums
        .iter()
        .position(|sum| sum == most)
        .expect("it is there");
    let waste = split(arena);
    let needed = waste.part(WasteKind::Needed).expect("it is listed");
    assert_eq!((needed.bytes, needed.step.0), (*most, first as u64));
    assert_eq!(waste.arena.0, lines[first].reserved);
}

/// At every step the free bytes, in how many ranges and the largest of them, as the books have
/// them: no range reaches from one segment into the next.
fn is_free_as_in_the_books(arena: &Arena, lines: &[Line]) {
    let free = free(&arena.lifetimes, &arena.plan);
    for (step, line) in (0..).zip(lines) {
        let after = free.partition_point(|point| point.step.0 <= step);
        let point = free[after - 1];
        assert_eq!(
            (point.free.0, point.free_ranges, point.largest.0),
            (line.reserved - line.active, line.pieces, line.largest),
            "{} at step {step}",
            arena.name
        );
    }
    // And for every request that failed.
    for refused in &arena.refused {
        let line = lines[usize::try_from(refused.step.0).expect("few steps")];
        let Refused {
            step, stream, pool, ..
        } = *refused;
        let found = free_for(&arena.lifetimes, &arena.plan, step, (stream, pool));
        assert_eq!(
            (found.free.0, found.pieces, found.largest.0, found.unused.0),
            (
                line.reserved - line.active,
                line.pieces,
                line.largest,
                line.unused
            )
        );
        assert!(found.largest_for_it <= found.largest);
        assert!(found.largest_for_it < refused.asked, "it would have fitted");
    }
    // And one by one at some of them.
    for (step, line) in (0..).zip(lines).step_by(lines.len() / 7 + 1) {
        let ranges = free_ranges(&arena.lifetimes, &arena.plan, Step(step));
        if ranges.len() == RANGES_LISTED {
            continue;
        }
        let unused = ranges
            .iter()
            .filter(|range| range.segment.is_some_and(|it| it.1));
        let unused: u64 = unused.map(|range| range.height().0).sum();
        let largest = ranges.first().map_or(0, |range| range.height().0);
        assert_eq!(
            (ranges.len() as u64, largest, unused),
            (line.pieces, line.largest, line.unused)
        );
        for range in ranges.iter().take(5) {
            let spot = spot_at(&arena.lifetimes, &arena.plan, Step(step), range.low);
            let Spot::Empty(spot) = spot else {
                panic!("free");
            };
            assert_eq!(
                (spot.low, spot.high, spot.span),
                (range.low, range.high, range.span)
            );
        }
    }
}

/// The last event up to `event` that took the memory at `address` from the device.
fn segment(made: &Made, device: usize, event: usize, address: u64) -> usize {
    let entries = &made.allocators[device].books.entries;
    let took = entries[..event].iter().rposition(|it| {
        matches!(it.action, "segment_alloc" | "segment_map")
            && (it.address..it.address + it.size).contains(&address)
    });
    took.expect("every block lies in a segment")
}

#[test]
fn distances_within_a_segment_are_true() {
    let mut shared = 0;
    for spec in specs() {
        let made = spec.make();
        let (found, _) = read(&made.bytes(5));
        for (device, arena) in found.arenas.iter().enumerate() {
            let blocks = in_order(&made, device);
            let mut shifts: BTreeMap<usize, u64> = BTreeMap::new();
            for (block, offset) in blocks.iter().zip(&arena.plan.offsets) {
                let Taken { address, alloc, .. } = block.taken;
                let shift = address.wrapping_sub(offset.0);
                assert!(shift.is_multiple_of(1 << 21), "{block:x?} at {offset:?}");
                let segment = segment(&made, device, alloc, address);
                shared += usize::from(shifts.contains_key(&segment));
                assert_eq!(*shifts.entry(segment).or_insert(shift), shift, "{block:x?}");
            }
            let ends = blocks.iter().zip(&arena.plan.offsets);
            let highest = ends
                .map(|(block, offset)| offset.0 + block.taken.size)
                .max();
            assert_eq!(Some(arena.plan.arena.0), highest);
            let most = made.lines(device).iter().map(|line| line.reserved).max();
            assert_eq!(arena.plan.reserved.map(|it| it.0), most);
        }
    }
    assert!(shared > 1000, "{shared}");
}

#[test]
fn every_protocol_says_the_same() {
    let made = Spec {
        kept: 700,
        devices: vec![USUAL; 2],
        ..Spec::of(3, 1200)
    }
    .make();
    let two = read(&made.bytes(2));
    for protocol in 3..=5 {
        assert_eq!(read(&made.bytes(protocol)), two, "protocol {protocol}");
    }
}

#[test]
fn stacks_streams_pools_and_annotations_are_reported() {
    let made = Spec::of(11, 3000).make();
    let (found, _) = read(&made.bytes(4));
    let arena = &found.arenas[0];
    let (mut side, mut pool) = (0, 0);
    for (block, note) in in_order(&made, 0).iter().zip(&arena.notes) {
        let taken = block.taken;
        let frames: Vec<_> = found.stacks.frames_of(note.stack).collect();
        let expected = STACKS[taken.stack].iter().map(|&it| FRAMES[it]);
        let expected: Vec<_> = expected.collect();
        let reported: Vec<_> = frames
            .iter()
            .map(|it| (it.function.as_str(), it.file.as_str(), i64::from(it.line)))
            .collect();
        assert_eq!(reported, expected);
        assert_eq!(note.op, SAID[taken.stack].operator);
        assert_eq!(note.stream, Some(taken.stream));
        let role = match (taken.stream, taken.pool) {
            (0, (0, 0)) => "stream 0".to_owned(),
            (0, (a, b)) => format!("stream 0, pool ({a}, {b})"),
            (stream, _) => format!("stream {stream:#x}"),
        };
        assert_eq!(note.role, role);
        side += u32::from(taken.stream != 0);
        pool += u32::from(taken.pool != (0, 0));
    }
    assert!(side > 0 && pool > 0);
    // Each frame once.
    assert_eq!(found.stacks.frames.len(), FRAMES.len());
    let books = &made.allocators[0].books;
    let names = &arena.lifetimes.step_names;
    assert_eq!(names.len(), books.entries.len() + 1);
    assert_eq!(names[0], "before the trace");
    for (name, entry) in names[1..].iter().zip(&books.entries) {
        let words = entry.action.replace('_', " ");
        let words = if words == "oom" {
            "out of memory"
        } else {
            &words
        };
        assert!(name.starts_with(words), "{name}: {words}");
    }
    for (text, stage, time) in &books.said {
        let next = books.entries.iter().position(|entry| entry.time >= *time);
        let step = next.map_or(names.len() - 1, |event| event + 1);
        let ends = if *stage == "START" { "starts" } else { "ends" };
        assert!(
            names[step].contains(&format!("{text} {ends}")),
            "{}",
            names[step]
        );
    }
    let oom = books.entries.iter().position(|entry| entry.action == "oom");
    let oom = oom.expect("the program asks for too much now and then");
    let entry = books.entries[oom];
    let words = format!(
        "{} bytes asked for, {} free on the device",
        entry.size, entry.address
    );
    assert!(names[oom + 1].contains(&words), "{}", names[oom + 1]);
}
