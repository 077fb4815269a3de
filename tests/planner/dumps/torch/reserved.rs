//! What is taken from the device, over time, and where it lies in the arena: small traces
//! worked out by hand.

use planner::Bytes;
use planner::deployed::Arena;
use planner::load::Warning;
use tests::deployed::{split, violations};
use tests::snapshot::pickle::Writer;

use super::read;

const BASE: u64 = 0x7f00_0000_0000;
const MIB: u64 = 1 << 20;

/// An action, its address after [`BASE`], and its size; both in MiB.
type Event = (&'static str, u64, u64);

/// A trace of `events`. At its end `segments` are there, of address and size in MiB, which
/// are one block each that is in use.
fn traced(segments: &[(u64, u64)], events: &[Event]) -> Vec<u8> {
    let mut writer = Writer::new(4);
    writer.dict(2);
    writer.key("segments");
    writer.list(segments.len());
    for &(address, size) in segments {
        writer.dict(4);
        writer.key("address");
        writer.size(BASE + address * MIB);
        writer.key("total_size");
        writer.size(size * MIB);
        writer.key("segment_type");
        writer.text("large");
        writer.key("blocks");
        writer.list(1);
        writer.dict(3);
        writer.key("address");
        writer.size(BASE + address * MIB);
        writer.key("size");
        writer.size(size * MIB);
        writer.key("state");
        writer.text("active_allocated");
    }
    writer.key("device_traces");
    writer.list(1);
    writer.list(events.len());
    for &(action, address, size) in events {
        writer.dict(4);
        writer.key("action");
        writer.text(action);
        writer.key("addr");
        writer.size(BASE + address * MIB);
        writer.key("size");
        writer.size(size * MIB);
        writer.key("stream");
        writer.size(0);
    }
    writer.finish()
}

/// The one arena of a trace.
fn arena(segments: &[(u64, u64)], events: &[Event]) -> (Arena, Vec<Warning>) {
    let (found, warnings) = read(&traced(segments, events));
    let [arena] = <[Arena; 1]>::try_from(found.arenas).expect("one device");
    assert!(split(&arena).arena.0 > 0);
    (arena, warnings)
}

/// The offset of every block in MiB.
fn offsets(arena: &Arena) -> Vec<u64> {
    let offsets = arena.plan.offsets.iter();
    offsets.map(|it| it.0 / MIB).collect()
}

/// Ten rounds of 20 MiB that are taken, used and given back, each at a new address: never
/// more than 20 MiB are held, and each round may take the place of the one before.
#[test]
fn segments_that_come_one_after_the_other_take_one_place() {
    for (taken, given) in [
        ("segment_alloc", "segment_free"),
        ("segment_map", "segment_unmap"),
    ] {
        let rounds = (0..10).flat_map(|round| {
            let at = 100 * round;
            [
                (taken, at, 20),
                ("alloc", at, 20),
                ("free_completed", at, 20),
                (given, at, 20),
            ]
        });
        let (arena, warnings) = arena(&[], &rounds.collect::<Vec<_>>());
        assert_eq!(warnings, []);
        assert_eq!(offsets(&arena), [0; 10]);
        assert_eq!(arena.plan.arena, Bytes(20 * MIB));
        assert_eq!(arena.plan.reserved, Some(Bytes(20 * MIB)));
        assert_eq!(violations(&arena), []);
    }
}

/// 20 MiB are held for blocks of 5 MiB in all: the blocks reach 5 MiB, which is not what was
/// taken.
#[test]
fn what_is_held_above_the_highest_block_counts_as_reserved() {
    let events = [
        ("segment_alloc", 0, 20),
        ("alloc", 0, 3),
        ("alloc", 3, 2),
        ("free_completed", 3, 2),
        ("free_completed", 0, 3),
        ("segment_free", 0, 20),
    ];
    let (arena, warnings) = arena(&[], &events);
    assert_eq!(warnings, []);
    assert_eq!(offsets(&arena), [0, 3]);
    assert_eq!(arena.plan.arena, Bytes(5 * MIB));
    assert_eq!(arena.plan.reserved, Some(Bytes(20 * MIB)));
}

/// What was there before lies in the order of addresses. 4 MiB and 6 MiB are there; the 4 MiB
/// at the bottom are given back. Then 6 MiB do not fit into their place and lie on top, at 10,
/// and 4 MiB do. Held are 10, 6, 12 and in the end 16 MiB.
#[test]
fn the_lowest_place_that_is_free_is_taken() {
    let events = [
        ("free_completed", 0, 4),
        ("segment_free", 0, 4),
        ("segment_alloc", 200, 6),
        ("alloc", 200, 6),
        ("segment_alloc", 300, 4),
        ("alloc", 300, 4),
    ];
    let (arena, warnings) = arena(&[(50, 6), (200, 6), (300, 4)], &events);
    assert_eq!(warnings, []);
    // Before the trace by address: 0 and 50; then 200 and 300.
    assert_eq!(offsets(&arena), [0, 4, 10, 0]);
    assert_eq!(arena.plan.reserved, Some(Bytes(16 * MIB)));
    assert_eq!(violations(&arena), []);
}

/// Of 2, 2 and 2 MiB the middle stays. 4 MiB fit nowhere but after it, at 4 to 8, and 1 MiB
/// fits at 0. Held are 6, 4, 2, 6 and in the end 7 MiB, for 8 MiB of arena: that is said.
#[test]
fn an_arena_above_what_was_held_is_said() {
    let events = [
        ("free_completed", 0, 2),
        ("segment_free", 0, 2),
        ("free_completed", 20, 2),
        ("segment_free", 20, 2),
        ("segment_alloc", 40, 4),
        ("alloc", 40, 4),
        ("segment_alloc", 60, 1),
        ("alloc", 60, 1),
    ];
    let (arena, warnings) = arena(&[(10, 2), (40, 4), (60, 1)], &events);
    // Before the trace by address: 0, 10 and 20; then 40 and 60.
    assert_eq!(offsets(&arena), [0, 2, 4, 4, 0]);
    assert_eq!(arena.plan.reserved, Some(Bytes(7 * MIB)));
    let [warning] = &warnings[..] else {
        panic!("{warnings:?}")
    };
    for figure in [format!("{} bytes", 7 * MIB), format!("reach {}", 8 * MIB)] {
        assert!(warning.message.to_string().contains(&figure), "{warning:?}");
    }
}

/// An expandable segment grows upwards, from 2 MiB to 6 MiB, and a block lies across both
/// parts. A plain segment that was given back before that lay in the way, and one that is
/// there all the time lies after the 6 MiB.
#[test]
fn an_expandable_segment_keeps_its_distances() {
    let events = [
        ("segment_map", 0, 2),
        ("alloc", 0, 1),
        ("segment_alloc", 100, 4),
        ("alloc", 100, 4),
        ("free_completed", 100, 4),
        ("segment_free", 100, 4),
        ("segment_map", 2, 4),
        ("alloc", 1, 5),
        ("segment_alloc", 200, 3),
        ("alloc", 200, 3),
    ];
    let (arena, _) = arena(&[], &events);
    assert_eq!(offsets(&arena), [0, 2, 1, 6]);
    assert_eq!(arena.plan.reserved, Some(Bytes(9 * MIB)));
    assert_eq!(violations(&arena), []);
}

/// A block that is still in use where its segment is given back keeps its place: nothing that
/// is taken later lies over it. What was taken for it is unknown.
#[test]
fn a_block_without_a_segment_keeps_its_place() {
    let events = [
        ("segment_alloc", 0, 20),
        ("alloc", 0, 20),
        ("segment_free", 0, 20),
        ("segment_alloc", 100, 20),
        ("alloc", 100, 20),
    ];
    let (arena, _) = arena(&[], &events);
    assert_eq!(offsets(&arena), [0, 20]);
    assert_eq!(arena.plan.reserved, None);
    assert_eq!(violations(&arena), []);
}
