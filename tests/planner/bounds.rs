//! No bound is above the smallest arena of all, and every witness adds up to its figure.

use planner::bounds::{Bound, BoundKind, bounds};
use planner::{Buffer, Bytes, Handover, Lifetimes, Offset, Pause, Span, Step, bounds};
use tests::arbitrary::{self, Shape, least_arena, needs};
use tests::random::Random;

fn shapes() -> impl Iterator<Item = (Lifetimes, u64)> {
    let mut random = Random::new(0xB0_07);
    (0..600).map(move |round| {
        // Each constraint alone, then all together.
        let chance = |kind| {
            if round % 5 == kind || round % 5 == 4 {
                60
            } else {
                0
            }
        };
        let shape = Shape {
            buffers: 1 + random.below(4),
            steps: 5,
            size: 6,
            alignments: if round % 5 == 3 { 3 } else { 0 },
            pauses: chance(0),
            handovers: chance(1),
            fixed: chance(2) / 2,
            pools: 0,
        };
        let alignment = 1 + random.below(4);
        (arbitrary::lifetimes(&mut random, shape), alignment)
    })
}

#[test]
fn no_bound_is_above_the_smallest_arena() {
    let (mut tight, mut total) = (0, 0);
    for (lifetimes, alignment) in shapes() {
        let Some(least) = least_arena(&lifetimes, alignment, 60) else {
            continue;
        };
        let bounds = bounds::aligned(&lifetimes, Bytes(alignment));
        for bound in &bounds.list {
            let (kind, bytes) = (bound.kind, bound.bytes.0);
            let holds = bytes <= least || !kind.is_for_all_plans();
            assert!(
                holds,
                "{kind:?}: {bytes} > {least}: {lifetimes:?} {alignment}"
            );
        }
        assert!(bounds.offsets.0 <= least);
        tight += usize::from(bounds.offsets.0 == least);
        total += 1;
    }
    // Bounds of nothing would hold too.
    assert!(total > 400 && tight * 10 > total * 8, "{tight} of {total}");
}

/// Bytes of `buffer` needed at `step`, counted one by one.
fn needed(buffer: &Buffer, step: Step) -> u64 {
    (0..buffer.size.0)
        .filter(|&byte| needs(buffer, step.0, byte))
        .count() as u64
}

fn assert_adds_up(lifetimes: &Lifetimes, bound: &Bound, bounds: &bounds::Bounds) {
    let witness = bound.witness.iter().map(|&index| &lifetimes.buffers[index]);
    let step = bound.step.unwrap_or_default();
    let sizes = || witness.clone().map(|buffer| needed(buffer, step));
    let sum: u64 = sizes().sum();
    let bytes = match bound.kind {
        BoundKind::Live => sum - bound.shared.0,
        BoundKind::Partition { span } => {
            assert!(span.contains(step) || sum == 0);
            let inside = |it: &Buffer| span.start <= it.span.start && it.span.end <= span.end;
            assert!(witness.clone().all(inside));
            sum - bound.shared.0
        }
        BoundKind::Largest => witness.clone().map(|buffer| buffer.size.0).sum(),
        BoundKind::Aligned { alignment } => {
            let rounded = |size: u64| size.next_multiple_of(alignment.0);
            let padding = sizes().map(|size| rounded(size) - size).max();
            sizes().map(rounded).sum::<u64>() - padding.unwrap_or(0)
        }
        BoundKind::Fixed { top, free_below } => {
            let movable = witness.clone().filter(|it| it.fixed.is_none());
            let rest: u64 = movable.map(|buffer| needed(buffer, step)).sum();
            top.0 + rest.saturating_sub(free_below.0)
        }
        BoundKind::Maxima => {
            let sizes: Vec<Bytes> = witness.clone().map(|buffer| buffer.size).collect();
            assert_eq!((sizes.as_slice(), bound.step), (&bounds.maxima[..], None));
            sizes.iter().map(|size| size.0).sum()
        }
        BoundKind::Pools => unreachable!("there are no pools"),
        BoundKind::Proved => unreachable!("nothing was proved"),
    };
    assert_eq!(bound.bytes.0, bytes, "{bound:?}: {lifetimes:?}");
}

#[test]
fn every_witness_adds_up() {
    let mut seen = [0; 6];
    for (lifetimes, alignment) in shapes() {
        let bounds = bounds::aligned(&lifetimes, Bytes(alignment));
        for bound in &bounds.list {
            assert_adds_up(&lifetimes, bound, &bounds);
            let kinds = ["live", "largest", "partition", "aligned", "fixed", "maxima"];
            let place = kinds.iter().position(|&name| name == bound.kind.name());
            seen[place.expect("one of these")] += 1;
        }
        let strongest = bounds.list.iter().filter(|it| it.kind.is_for_all_plans());
        assert_eq!(strongest.map(|it| it.bytes).max(), Some(bounds.offsets));
    }
    assert!(seen.iter().all(|&count| count > 20), "{seen:?}");
}

fn problem(buffers: &[(u64, u64, u64)]) -> Lifetimes {
    let buffer = |&(size, start, end): &(u64, u64, u64)| {
        Buffer::new(format!("{size}"), size, Span::new(start, end))
    };
    Lifetimes::of(buffers.iter().map(buffer))
}

fn bound_of(lifetimes: &Lifetimes, alignment: u64, name: &str) -> Option<(u64, u64)> {
    let bounds = bounds::aligned(lifetimes, Bytes(alignment));
    let bound = bounds.list.iter().find(|it| it.kind.name() == name)?;
    Some((bound.bytes.0, bound.step?.0))
}

#[test]
fn rounding_all_blocks_but_one() {
    // 5 → 8, 6 → 8, 3 → 4: the most that the highest can save is the 3 of the 5.
    let three = problem(&[(5, 0, 2), (6, 1, 2), (3, 1, 3)]);
    assert_eq!(bound_of(&three, 4, "aligned"), Some((17, 1)));
    assert_eq!(bound_of(&three, 1, "aligned"), None);
    assert_eq!(bounds::aligned(&three, Bytes(4)).offsets, Bytes(17));
}

#[test]
fn what_rounding_adds_is_told_apart() {
    // As above, 5 + 6 + 3 = 14 bytes make 17; 3 of them are what rounding to 4 adds.
    let three = problem(&[(5, 0, 2), (6, 1, 2), (3, 1, 3)]);
    let bounds = bounds::aligned(&three, Bytes(4));
    let bound = bounds.witnessed().expect("three buffers");
    assert_eq!((bound.bytes, bound.step), (Bytes(17), Some(Step(1))));
    assert_eq!(bound.rounded(&three), Some((Bytes(4), Bytes(14))));
    // Nothing is rounded where starts are free: 14 bytes are the bound.
    let bounds = bounds::aligned(&three, Bytes(1));
    let bound = bounds.witnessed().expect("three buffers");
    assert_eq!((bound.bytes, bound.rounded(&three)), (Bytes(14), None));
}

#[test]
fn what_was_proved_has_no_witness() {
    let mut bounds = bounds(&problem(&[(5, 0, 2), (6, 1, 2)]));
    bounds.prove(Bytes(12));
    let bound = bounds.witnessed().expect("two buffers");
    assert_eq!(
        (bound.bytes, bound.witness.as_slice()),
        (Bytes(11), &[1, 0][..])
    );
}

#[test]
fn blocks_that_do_not_fit_below_a_fixed_one() {
    // [4, 10) is fixed; 3 fits below, 5 and 6 do not, the free holds 4 of the 14.
    let mut four = problem(&[(6, 0, 2), (3, 1, 2), (5, 1, 2), (6, 1, 2)]);
    four.buffers[0].fixed = Some(Offset(4));
    assert_eq!(bound_of(&four, 1, "fixed"), Some((20, 1)));
    // Without the small one nothing fits below.
    four.buffers.remove(1);
    assert_eq!(bound_of(&four, 1, "fixed"), Some((21, 1)));
}

#[test]
fn a_pause_and_a_handover_lower_the_live_bytes() {
    let mut pair = problem(&[(8, 0, 4), (6, 2, 4)]);
    assert_eq!(bounds(&pair).offsets, Bytes(14));
    pair.buffers[0].pauses = vec![Pause {
        span: Span::new(2, 4),
        window: Some((Bytes(2), Bytes(5))),
    }];
    // 3 and 6 at step 2; 8 alone at step 0.
    assert_eq!(bound_of(&pair, 1, "live"), Some((9, 2)));
    let mut pair = problem(&[(8, 0, 3), (6, 2, 4)]);
    pair.handovers = vec![Handover {
        before: 0,
        after: 1,
        shift: Bytes(4),
    }];
    // At step 2 the second lies at [4, 10) over [0, 8): 10 bytes, of which 4 count once.
    assert_eq!(bound_of(&pair, 1, "live"), Some((10, 2)));
    assert_eq!(bounds(&pair).list[0].shared, Bytes(4));
}

#[test]
fn stretches_are_counted_and_the_largest_listed() {
    let sizes = (0..50).map(|index| (1 + index % 7, 2 * index, 2 * index + 1));
    let many = problem(&sizes.collect::<Vec<_>>());
    let bounds = bounds(&many);
    assert_eq!(bounds.partitions, 50);
    let listed = bounds
        .list
        .iter()
        .filter(|it| it.kind.name() == "partition");
    assert_eq!(listed.count(), bounds::PARTITIONS_LISTED);
    assert_eq!(
        bound_of(&problem(&[(4, 0, 2), (4, 1, 3)]), 1, "partition"),
        None
    );
}

/// The bytes, and the first step with so many, of each stretch as it is listed.
fn stretches(lifetimes: &Lifetimes) -> Vec<(Span, u64, u64)> {
    let listed = bounds(lifetimes).list.into_iter();
    let stretch = |bound: Bound| match bound.kind {
        BoundKind::Partition { span } => Some((span, bound.bytes.0, bound.step?.0)),
        _ => None,
    };
    listed.filter_map(stretch).collect()
}

/// The same, step by step.
fn counted(lifetimes: &Lifetimes, span: Span) -> (u64, u64) {
    let live = |step: u64| {
        let all = lifetimes.buffers.iter();
        let here = all.filter(|buffer| buffer.span.contains(Step(step)));
        here.map(|buffer| buffer.size.0).sum::<u64>()
    };
    let steps = (span.start.0..span.end.0).rev();
    let most = steps.max_by_key(|step| live(*step)).expect("a step");
    (live(most), most)
}

#[test]
fn a_stretch_has_the_peak_of_its_own_steps() {
    // The second begins with as many bytes as the first ended with.
    let equal = problem(&[(4, 0, 2), (4, 2, 4), (3, 4, 5), (2, 4, 6)]);
    let spans = [(0, 2), (2, 4), (4, 6)].map(|(start, end)| Span::new(start, end));
    let listed = [(spans[0], 4, 0), (spans[1], 4, 2), (spans[2], 5, 4)];
    assert_eq!(stretches(&equal), listed);
    let plain = |lifetimes: &Lifetimes| {
        let whole = |buffer: &Buffer| buffer.pauses.is_empty();
        lifetimes.handovers.is_empty() && lifetimes.buffers.iter().all(whole)
    };
    let mut seen = 0;
    for (lifetimes, _) in shapes().filter(|(lifetimes, _)| plain(lifetimes)) {
        for (span, bytes, step) in stretches(&lifetimes) {
            assert_eq!((bytes, step), counted(&lifetimes, span), "{lifetimes:?}");
            seen += 1;
        }
    }
    assert!(seen > 50, "{seen}");
}

#[test]
fn jigsaw_is_full_in_both_stretches() {
    // The sample cuts a full rectangle of 65,536 bytes by 40 steps.
    let listed = stretches(&tests::samples::jigsaw());
    assert_eq!(listed.len(), 2);
    for (span, bytes, _) in listed {
        assert_eq!(bytes, 65_536, "{span:?}");
    }
}

#[test]
fn what_was_proved_is_a_bound() {
    let mut bounds = bounds(&problem(&[(4, 0, 2), (4, 1, 3)]));
    bounds.prove(Bytes(12));
    assert_eq!(bounds.offsets, Bytes(12));
    bounds.prove(Bytes(6));
    let proved = bounds.list.iter().filter(|it| it.kind == BoundKind::Proved);
    assert_eq!(proved.map(|it| it.bytes.0).collect::<Vec<_>>(), [6]);
}

/// Two buffers of 1000 bytes meet at step 1 in the second pool, where they take 2000; the first
/// pool has 100 and later 60 at steps at which less is live in all. One arena of the four could
/// have 2000; the two pools have 2100, and no pool borrows from the other.
#[test]
fn pools_are_added_up() {
    let buffer = |size, start, end, pools: &[u32]| Buffer {
        pools: pools.to_vec(),
        ..Buffer::new("b", size, Span::new(start, end))
    };
    let mut lifetimes = Lifetimes::of([
        buffer(1000, 0, 2, &[1]),
        buffer(1000, 1, 4, &[1]),
        buffer(100, 0, 1, &[0]),
        buffer(60, 3, 4, &[0]),
    ]);
    let mut found = bounds(&lifetimes);
    assert_eq!(found.offsets, Bytes(2000));
    // One pool, or pools that nobody named: nothing changes.
    found.count_pools(&lifetimes, 1);
    assert_eq!(found.offsets, Bytes(2000));
    found.count_pools(&lifetimes, 2);
    assert_eq!(found.offsets, Bytes(2100));
    assert_eq!(found.witness, [2, 0, 1]);
    // Counted once more nothing is added.
    found.count_pools(&lifetimes, 2);
    let kinds = found.list.iter().filter(|it| it.kind == BoundKind::Pools);
    assert_eq!(kinds.count(), 1);
    // What may live in either pool binds neither.
    lifetimes.buffers[2].pools = vec![0, 1];
    let mut free = bounds(&lifetimes);
    free.count_pools(&lifetimes, 2);
    assert_eq!(free.offsets, Bytes(2060));
}
