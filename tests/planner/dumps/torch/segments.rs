//! What each segment holds at a step, against the allocator that handed it out.

use std::collections::BTreeMap;

use planner::deployed::Arena;
use planner::space::{SegmentAt, envelopes, segments_at};
use planner::waste::{WasteKind, fullest};
use planner::{Plan, Step};
use tests::deployed::split_fullest;
use tests::snapshot::Made;
use tests::snapshot::allocator::State;
use tests::snapshot::books::Line;

use super::{read, specs, unsure};

/// A segment of the allocator, or all that hangs together of one that grows: what it is for,
/// bytes, free bytes, the largest free piece, and where its blocks begin.
#[derive(Debug, Default, PartialEq, Eq)]
struct Row {
    stream: i64,
    pool: (i64, i64),
    small: bool,
    bytes: u64,
    free: u64,
    largest: u64,
    blocks: Vec<u64>,
}

/// By first address.
type Rows = BTreeMap<u64, Row>;

/// What the allocator of `device` holds at the end.
fn kept(made: &Made, device: usize) -> Rows {
    let allocator = &made.allocators[device];
    let (mut first, mut rows) = (BTreeMap::new(), Rows::new());
    for (&address, piece) in &allocator.pieces {
        if piece.state == State::Unmapped {
            continue;
        }
        let first = *first.entry(piece.segment).or_insert(address);
        let owner = allocator.owners[piece.segment];
        let row = rows.entry(first).or_insert_with(|| Row {
            stream: owner.stream,
            pool: owner.pool,
            small: owner.small,
            ..Row::default()
        });
        row.bytes += piece.size;
        match piece.state {
            State::Free => {
                row.free += piece.size;
                row.largest = row.largest.max(piece.size);
            }
            _ => row.blocks.push(address),
        }
    }
    rows
}

/// The same of what was found at the last step.
fn found(arena: &Arena, rows: &[SegmentAt]) -> Rows {
    let segments = arena.plan.segments.as_ref().expect("segments");
    let rows = rows.iter().map(|row| {
        let segment = &segments.list[row.segment as usize];
        let address = |offset: u64| segment.address + (offset - segment.low.0);
        let offsets = row.blocks.iter().map(|&it| arena.plan.offsets[it].0);
        let found = Row {
            stream: segment.stream,
            pool: segment.pool,
            small: segment.small,
            bytes: row.bytes.0,
            free: row.free.0,
            largest: row.largest.0,
            blocks: offsets.map(address).collect(),
        };
        (address(row.reach().0.0), found)
    });
    rows.collect()
}

fn sum(rows: &[SegmentAt], of: impl Fn(&SegmentAt) -> u64) -> u64 {
    rows.iter().map(of).sum()
}

#[test]
fn segments_hold_what_the_allocator_says() {
    let mut compared = 0;
    for spec in specs() {
        let made = spec.make();
        let (deployed, _) = read(&made.bytes(4));
        for (device, arena) in deployed.arenas.iter().enumerate() {
            let lines = made.lines(device);
            let at = |step| segments_at(&arena.lifetimes, &arena.plan, Step(step));
            let last = lines.len() as u64 - 1;
            // At the end the file says every size.
            assert_eq!(found(arena, &at(last)), kept(&made, device), "{spec:?}");
            if made.blocks(device).iter().any(unsure) {
                continue;
            }
            compared += 1;
            for (step, line) in (0..).zip(&lines).step_by(37) {
                let rows = at(step);
                let largest = rows.iter().map(|row| row.largest.0).max();
                let Line {
                    reserved,
                    active,
                    unused,
                    largest: most,
                    ..
                } = *line;
                assert_eq!(sum(&rows, |row| row.bytes.0), reserved);
                assert_eq!(sum(&rows, |row| row.used().0), active);
                assert_eq!(sum(&rows, |row| row.unused.0), unused);
                assert_eq!(largest.unwrap_or(0), most);
            }
        }
    }
    assert!(compared >= 10, "{compared}");
}

/// The sums of the table are the parts of what was reserved.
#[test]
fn at_the_peak_they_sum_to_the_parts() {
    for spec in specs() {
        let (deployed, _) = read(&spec.make().bytes(4));
        for arena in &deployed.arenas {
            let segments = arena.plan.segments.as_ref().expect("segments");
            let step = fullest(&arena.lifetimes, segments);
            let (rows, waste) = (
                segments_at(&arena.lifetimes, &arena.plan, step),
                split_fullest(arena),
            );
            let part = |kind| waste.part(kind).map_or(0, |part| part.bytes.unsigned_abs());
            let held = [WasteKind::Needed, WasteKind::Padding, WasteKind::Pending].map(part);
            let unused = sum(&rows, |row| row.unused.0);
            assert_eq!(sum(&rows, |row| row.bytes.0), waste.arena.0);
            assert_eq!(sum(&rows, |row| row.used().0), held.iter().sum::<u64>());
            assert_eq!(unused, part(WasteKind::FreeSegments));
            assert_eq!(
                sum(&rows, |row| row.free.0) - unused,
                part(WasteKind::FreeInside)
            );
        }
    }
}

/// A plan in one address space has none, and neither has a step that is not there.
#[test]
fn where_there_are_no_segments_none_are_found() {
    let spec = specs().swap_remove(0);
    let (deployed, _) = read(&spec.make().bytes(4));
    let arena = &deployed.arenas[0];
    let beyond = arena.lifetimes.horizon;
    assert_eq!(segments_at(&arena.lifetimes, &arena.plan, beyond), []);
    let plan = Plan {
        segments: None,
        ..arena.plan.clone()
    };
    assert_eq!(segments_at(&arena.lifetimes, &plan, Step(0)), []);
}

/// For each pool and stream the bytes and free bytes are those of the allocator's pieces, and never
/// was more taken for it than is said: the sum of the most of all is no less than the most of
/// the sum, which the books have.
#[test]
fn pools_hold_what_the_allocator_has_for_them() {
    let mut private = 0;
    for spec in specs() {
        let made = spec.make();
        let (found, _) = read(&made.bytes(4));
        for (device, arena) in found.arenas.iter().enumerate() {
            let last = Step(arena.lifetimes.horizon.0 - 1);
            let rows = segments_at(&arena.lifetimes, &arena.plan, last);
            let pools = envelopes(&arena.plan, &rows, last);
            let mut kept_for: BTreeMap<_, (u64, u64)> = BTreeMap::new();
            for row in kept(&made, device).into_values() {
                let sums = kept_for.entry((row.pool, row.stream)).or_default();
                *sums = (sums.0 + row.bytes, sums.1 + row.free);
            }
            let now = pools.iter().filter(|it| it.reserved.0 > 0);
            let now = now.map(|it| ((it.pool, it.stream), (it.reserved.0, it.free.0)));
            assert_eq!(now.collect::<BTreeMap<_, _>>(), kept_for);
            let most: u64 = pools.iter().map(|it| it.most.0).sum();
            let reserved = made.lines(device).iter().map(|line| line.reserved).max();
            assert!(most >= reserved.unwrap_or_default());
            assert!(pools.iter().all(|it| it.most >= it.reserved));
            private += pools.iter().filter(|it| it.pool != (0, 0)).count();
        }
    }
    assert!(private > 0, "a private pool");
}
