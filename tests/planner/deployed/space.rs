//! What lies at a place, against a table of every byte at every step.

use planner::space::{self, FreePoint, FreeRange, Spot, at, chain, free, free_ranges, reliefs};
use planner::{Buffer, Bytes, Lifetimes, Offset, Plan, Span, Step};
use tests::arbitrary::needs;

use super::plans;

/// Which buffers need `byte` of the arena at `step`.
fn holders(lifetimes: &Lifetimes, plan: &Plan, step: u64, byte: u64) -> Vec<usize> {
    let placed = lifetimes.buffers.iter().zip(&plan.offsets).enumerate();
    let holds = |(index, (buffer, offset)): (usize, (&Buffer, &Offset))| {
        let own = byte.checked_sub(offset.0)?;
        needs(buffer, step, own).then_some(index)
    };
    placed.filter_map(holds).collect()
}

fn is_free(lifetimes: &Lifetimes, plan: &Plan, step: u64, byte: u64) -> bool {
    holders(lifetimes, plan, step, byte).is_empty()
}

#[test]
fn every_place_is_held_or_a_hole() {
    for (lifetimes, _, plan) in plans().take(60) {
        let (arena, horizon) = (plan.arena.0, lifetimes.horizon.0);
        for step in 0..horizon {
            for byte in (0..arena).step_by(3) {
                let found = at(&lifetimes, &plan, Step(step), Offset(byte));
                let held = holders(&lifetimes, &plan, step, byte);
                let free_range = match found {
                    Spot::Empty(free_range) => free_range,
                    Spot::Held(by) => {
                        assert_eq!(by, held);
                        continue;
                    }
                    Spot::NotTaken | Spot::Outside => panic!("inside"),
                };
                assert!(held.is_empty(), "{held:?} at {step}, {byte}");
                let all_free = |step| {
                    (free_range.low.0..free_range.high.0)
                        .all(|byte| is_free(&lifetimes, &plan, step, byte))
                };
                assert!(
                    (free_range.low.0..free_range.high.0).contains(&byte)
                        && free_range.span.contains(Step(step))
                );
                assert!((free_range.span.start.0..free_range.span.end.0).all(all_free));
                // It could be no higher at that step, and no longer.
                assert!(
                    free_range.low.0 == 0
                        || !is_free(&lifetimes, &plan, step, free_range.low.0 - 1)
                );
                assert!(
                    free_range.high.0 == arena
                        || !is_free(&lifetimes, &plan, step, free_range.high.0)
                );
                assert!(free_range.span.start.0 == 0 || !all_free(free_range.span.start.0 - 1));
                assert!(free_range.span.end.0 == horizon || !all_free(free_range.span.end.0));
            }
        }
        let outside = at(&lifetimes, &plan, Step(0), Offset(arena));
        assert_eq!(outside, Spot::Outside);
    }
}

#[test]
fn free_bytes_are_counted_step_by_step() {
    for (lifetimes, _, plan) in plans() {
        let points = free(&lifetimes, &plan);
        for step in 0..lifetimes.horizon.0 {
            let row: Vec<bool> = (0..plan.arena.0)
                .map(|byte| is_free(&lifetimes, &plan, step, byte))
                .collect();
            let free_ranges: Vec<u64> = row
                .chunk_by(|a, b| a == b)
                .filter(|run| run[0])
                .map(|run| run.len() as u64)
                .collect();
            let expected = FreePoint {
                step: Step(step),
                free: Bytes(free_ranges.iter().sum()),
                free_ranges: free_ranges.len() as u64,
                largest: Bytes(free_ranges.iter().copied().max().unwrap_or(0)),
            };
            let last = points.iter().rev().find(|point| point.step.0 <= step);
            let last = last.copied().expect("a point at step 0");
            assert_eq!(
                FreePoint {
                    step: Step(step),
                    ..last
                },
                expected,
                "{lifetimes:?}"
            );
        }
    }
}

#[test]
fn holes_are_the_free_bytes_of_a_step_for_as_long_as_they_are_free() {
    for (lifetimes, _, plan) in plans().take(100) {
        let (arena, horizon) = (plan.arena.0, lifetimes.horizon.0);
        for step in 0..horizon {
            let free = |step: u64, byte| is_free(&lifetimes, &plan, step, byte);
            let bytes: Vec<u64> = (0..arena).filter(|&byte| free(step, byte)).collect();
            let runs = bytes.chunk_by(|a, b| a + 1 == *b);
            let mut expected: Vec<FreeRange> = runs
                .map(|run| {
                    let all = |step: &u64| run.iter().all(|&byte| free(*step, byte));
                    let start = (0..=step).rev().take_while(all).last();
                    let last = (step..horizon).take_while(all).last();
                    FreeRange {
                        low: Offset(run[0]),
                        high: Offset(run[run.len() - 1] + 1),
                        span: Span::new(
                            start.expect("free at the step itself"),
                            last.expect("free at the step itself") + 1,
                        ),
                        segment: None,
                    }
                })
                .collect();
            expected.sort_by_key(|room| (std::cmp::Reverse(room.high.0 - room.low.0), room.low));
            assert_eq!(free_ranges(&lifetimes, &plan, Step(step)), expected);
        }
        assert_eq!(free_ranges(&lifetimes, &plan, Step(horizon)), []);
    }
}

/// Removing each buffer in turn and adding up every step again.
#[test]
fn reliefs_are_what_removal_saves() {
    for (lifetimes, _, _) in plans() {
        let peak = |lifetimes: &Lifetimes| planner::bounds::bounds(lifetimes).list[0].bytes.0;
        let whole = peak(&lifetimes);
        let mut expected: Vec<(u64, usize)> = Vec::new();
        for relief in reliefs(&lifetimes, 100) {
            let mut without = lifetimes.clone();
            without.buffers[relief.buffer].size = Bytes::ZERO;
            without.buffers[relief.buffer].pauses.clear();
            assert_eq!(relief.peak.0, peak(&without), "{lifetimes:?}");
            assert_eq!(relief.peak.0 + relief.saved.0, whole);
            let live = planner::profile(&without);
            let steps = (0..lifetimes.horizon.0).map(Step);
            let first = steps.clone().find(|&step| live.at(step) == relief.peak);
            assert_eq!(Some(relief.step), first, "{lifetimes:?}");
        }
        for index in 0..lifetimes.buffers.len() {
            let mut without = lifetimes.clone();
            without.buffers[index].size = Bytes::ZERO;
            without.buffers[index].pauses.clear();
            expected.push((whole - peak(&without).min(whole), index));
        }
        expected.retain(|relief| relief.0 > 0);
        expected.sort_by_key(|&(saved, index)| (std::cmp::Reverse(saved), index));
        expected.truncate(3);
        let found = reliefs(&lifetimes, 3).into_iter();
        let found: Vec<_> = found
            .map(|relief| (relief.saved.0, relief.buffer))
            .collect();
        assert_eq!(found, expected, "{lifetimes:?}");
    }
}

/// The leading free range that XNNPACK overlooks: what lies at 240 rests on 120 bytes at 120, and
/// these on 120 bytes at 0. A buffer of 60 bytes at 60 with no buffer below it could lie lower, and
/// would fit below the first of them, too.
#[test]
fn a_hole_names_its_neighbours_and_a_chain_ends_at_the_floor() {
    let lifetimes = Lifetimes::of([
        Buffer::new("low", 120, Span::new(0, 2)),
        Buffer::new("high", 120, Span::new(1, 3)),
        Buffer::new("loose", 60, Span::new(3, 5)),
        Buffer::new("small", 50, Span::new(2, 3)),
    ]);
    let plan = Plan {
        offsets: vec![Offset(0), Offset(120), Offset(60), Offset(240)],
        arena: Bytes(290),
        ..Plan::default()
    };
    let links = |buffer| {
        let links = chain(&lifetimes, &plan, buffer).into_iter();
        links
            .map(|link| (link.buffer, link.air.0, link.loose))
            .collect::<Vec<_>>()
    };
    assert_eq!(links(3), [(3, 0, false), (1, 0, false), (0, 0, false)]);
    assert_eq!(links(1), [(1, 0, false), (0, 0, false)]);
    assert_eq!(links(2), [(2, 60, true)]);
    let Spot::Empty(free_range) = at(&lifetimes, &plan, Step(2), Offset(10)) else {
        panic!("nobody is below `high` at step 2");
    };
    assert_eq!((free_range.low, free_range.high), (Offset(0), Offset(120)));
    assert_eq!(free_range.span, Span::new(2, 3));
    assert_eq!((free_range.below, free_range.above), (None, Some(1)));
    assert_eq!((free_range.before, free_range.after), (Some(0), Some(2)));
    assert_eq!((free_range.fitting, free_range.fitting_count), (vec![3], 1));
}

/// The same steps and bytes as rectangles: first and last step, lowest and highest byte.
#[test]
fn neighbours_by_hand() {
    let places = [
        (2, 5, 100, 200), // the one asked about
        (4, 9, 200, 300), // above, touching
        (2, 3, 210, 300), // above, with a pause
        (0, 3, 0, 100),   // below, touching
        (5, 6, 0, 100),   // below, but later
        (0, 2, 150, 200), // just before, some of the same bytes
        (0, 1, 100, 150), // before that
        (6, 7, 100, 120), // next after, with a pause
        (6, 9, 120, 200), // likewise
        (8, 9, 100, 120), // later still
        (5, 6, 200, 300), // after, other bytes
    ];
    let buffers =
        places.map(|(start, end, low, high)| Buffer::new("", high - low, Span::new(start, end)));
    let lifetimes = Lifetimes {
        buffers: buffers.into(),
        horizon: Step(9),
        ..Lifetimes::default()
    };
    let plan = Plan {
        offsets: places.map(|(_, _, low, _)| Offset(low)).into(),
        arena: Bytes(300),
        ..Plan::default()
    };
    let expected = space::Neighbours {
        above: vec![1],
        below: vec![3],
        before: vec![5],
        after: vec![7, 8],
    };
    assert_eq!(space::neighbours(&lifetimes, &plan, 0), expected);
    assert_eq!(
        space::neighbours(&lifetimes, &plan, 99),
        space::Neighbours::default()
    );
}
