//! The judge catches planted faults: for each rule one plan that breaks it.

use planner::bounds::bounds;
use planner::metrics::metrics;
use planner::{
    Buffer, Bytes, Gap, Handover, Lifetimes, Objects, Offset, Options, Plan, Pool, Pools, Span,
    Step, VIOLATIONS_LISTED as LISTED, Violation, check, metrics,
};

const OPTIONS: Options = Options::aligned(Bytes(8));

fn lifetimes(buffers: &[(u64, u64, u64)]) -> Lifetimes {
    let buffer = |&(size, start, end): &(u64, u64, u64)| {
        Buffer::new(format!("[{start}, {end})"), size, Span::new(start, end))
    };
    Lifetimes {
        buffers: buffers.iter().map(buffer).collect(),
        horizon: Step(10),
        ..Lifetimes::default()
    }
}

/// 0 and 1 are live together at step 1; 2 follows 0.
fn three() -> Lifetimes {
    lifetimes(&[(16, 0, 2), (8, 1, 4), (16, 2, 4)])
}

fn plan(offsets: &[u64], arena: u64) -> Plan {
    Plan {
        origin: "by hand".into(),
        offsets: offsets.iter().copied().map(Offset).collect(),
        arena: Bytes(arena),
        ..Plan::default()
    }
}

fn shared(mut plan: Plan, sizes: &[u64], offsets: &[u64], of_buffer: &[u32]) -> Plan {
    plan.objects = Some(Objects {
        sizes: sizes.iter().copied().map(Bytes).collect(),
        offsets: offsets.iter().copied().map(Offset).collect(),
        of_buffer: of_buffer.to_vec(),
    });
    plan
}

/// Two objects: 0 and 2 in the one, 1 in the other.
fn two_objects() -> Plan {
    shared(plan(&[0, 16, 0], 24), &[16, 8], &[0, 16], &[0, 1, 0])
}

/// Each violation is a sentence that calls the buffers by their names.
#[track_caller]
fn told(lifetimes: &Lifetimes, found: &[Violation]) {
    for violation in found {
        let sentence = violation.named(lifetimes, &two_pools().pools);
        assert!(sentence.len() > 20, "{violation:?} says only {sentence:?}");
        for buffer in violation.buffers() {
            let name = format!("{:?}", lifetimes.buffers[buffer].name);
            assert!(sentence.contains(&name), "{violation:?}: {sentence}");
            assert!(!sentence.contains("buffer "), "{violation:?}: {sentence}");
        }
    }
}

#[track_caller]
fn caught(lifetimes: &Lifetimes, plan: &Plan, expected: &[Violation]) {
    assert_eq!(check(lifetimes, plan, &OPTIONS), expected);
    told(lifetimes, expected);
}

#[test]
fn valid_plans_pass() {
    caught(&three(), &plan(&[0, 16, 0], 24), &[]);
    caught(&three(), &two_objects(), &[]);
    caught(&lifetimes(&[]), &plan(&[], 0), &[]);
    // Neither a buffer of no bytes nor one of no steps collides with anything.
    let weightless = lifetimes(&[(16, 0, 2), (0, 0, 2), (16, 1, 1)]);
    caught(&weightless, &plan(&[0, 8, 0], 16), &[]);
    // Half-open: what ends at a step leaves its bytes to what starts there.
    caught(&lifetimes(&[(8, 0, 3), (8, 3, 5)]), &plan(&[0, 0], 8), &[]);
}

#[test]
fn offset_count() {
    let expected = Violation::OffsetCount {
        offsets: 2,
        buffers: 3,
    };
    caught(&three(), &plan(&[0, 16], 24), &[expected]);
}

#[test]
fn overlap_in_steps_and_bytes() {
    let overlap = |first, second| Violation::Overlap { first, second };
    caught(&three(), &plan(&[0, 8, 16], 32), &[overlap(0, 1)]);
    caught(
        &three(),
        &plan(&[0, 0, 0], 16),
        &[overlap(0, 1), overlap(1, 2)],
    );
    // One inside another, and a pair hidden behind a first overlap.
    let nested = lifetimes(&[(64, 0, 9), (8, 1, 2), (8, 3, 5), (8, 4, 6)]);
    let found = [overlap(0, 1), overlap(0, 2), overlap(0, 3), overlap(2, 3)];
    caught(&nested, &plan(&[0, 8, 16, 16], 64), &found);
}

#[test]
fn behind_the_arena() {
    let expected = Violation::BehindArena {
        buffer: 1,
        end: Offset(24),
        arena: Bytes(16),
    };
    caught(&three(), &plan(&[0, 16, 0], 16), &[expected]);
}

#[test]
fn misaligned() {
    let misaligned = |buffer, offset, alignment| Violation::Misaligned {
        buffer,
        offset: Offset(offset),
        alignment: Bytes(alignment),
    };
    caught(&three(), &plan(&[0, 20, 0], 28), &[misaligned(1, 20, 8)]);
    let mut strict = three();
    strict.buffers[1].alignment = Bytes(32);
    caught(&strict, &plan(&[0, 16, 0], 24), &[misaligned(1, 16, 32)]);
}

#[test]
fn fixed_address_not_honoured() {
    let mut pinned = three();
    pinned.buffers[1].fixed = Some(Offset(32));
    let expected = Violation::NotFixed {
        buffer: 1,
        offset: Offset(16),
        fixed: Offset(32),
    };
    caught(&pinned, &plan(&[0, 16, 0], 24), &[expected]);
    caught(&pinned, &plan(&[0, 32, 0], 40), &[]);
}

#[test]
fn address_overflow() {
    let huge = lifetimes(&[(u64::MAX, 0, 1)]);
    let expected = Violation::AddressOverflow { buffer: 0 };
    caught(&huge, &plan(&[8], u64::MAX), &[expected]);
}

#[test]
fn unused_tail() {
    let expected = Violation::UnusedTail {
        arena: Bytes(40),
        end: Offset(24),
    };
    caught(&three(), &plan(&[0, 16, 0], 40), &[expected]);
    // Up to the next multiple of the alignment it is no waste.
    caught(&lifetimes(&[(12, 0, 1)]), &plan(&[0], 16), &[]);
}

#[test]
fn object_count() {
    let expected = |sizes, offsets, assigned| Violation::ObjectCount {
        sizes,
        offsets,
        assigned,
    };
    let place = plan(&[0, 16, 0], 24);
    let short = shared(place.clone(), &[16, 8], &[0, 16], &[0, 1]);
    caught(&three(), &short, &[expected(2, 2, 2)]);
    let unplaced = shared(place, &[16, 8], &[0], &[0, 1, 0]);
    caught(&three(), &unplaced, &[expected(2, 1, 3)]);
}

#[test]
fn no_such_object() {
    let mut dangling = two_objects();
    dangling.objects.as_mut().unwrap().of_buffer[1] = 2;
    let expected = Violation::NoSuchObject {
        buffer: 1,
        object: 2,
    };
    caught(&three(), &dangling, &[expected]);
}

#[test]
fn larger_than_its_object() {
    let mut small = two_objects();
    small.objects.as_mut().unwrap().sizes[1] = Bytes(4);
    let expected = Violation::LargerThanObject {
        buffer: 1,
        object: 1,
    };
    caught(&three(), &small, &[expected]);
}

#[test]
fn outside_its_object() {
    let outside = shared(plan(&[0, 16, 8], 24), &[16, 8], &[0, 16], &[0, 1, 0]);
    let elsewhere = Violation::OutsideObject {
        buffer: 2,
        object: 0,
    };
    let overlap = Violation::Overlap {
        first: 1,
        second: 2,
    };
    caught(&three(), &outside, &[elsewhere, overlap]);
}

#[test]
fn live_at_once_in_one_object() {
    let crowded = shared(plan(&[0, 0, 16], 32), &[16, 16], &[0, 16], &[0, 0, 1]);
    let expected = Violation::SharedObject {
        first: 0,
        second: 1,
        object: 0,
    };
    caught(&three(), &crowded, &[expected]);
}

#[test]
fn objects_that_overlap() {
    // Objects overlap although the buffers in them happen not to.
    let overlapping = shared(plan(&[0, 16, 0], 32), &[32, 16], &[0, 16], &[0, 1, 0]);
    let expected = Violation::ObjectsOverlap {
        first: 0,
        second: 1,
    };
    caught(&three(), &overlapping, &[expected]);
}

#[test]
fn object_behind_the_arena() {
    let beyond = shared(plan(&[0, 16, 0], 24), &[16, 64], &[0, 16], &[0, 1, 0]);
    let expected = Violation::ObjectBehindArena {
        object: 1,
        arena: Bytes(24),
    };
    caught(&three(), &beyond, &[expected]);
}

/// 0 needs only its upper half during steps 1 and 2, where 1 lives.
fn with_gap() -> Lifetimes {
    let mut lifetimes = lifetimes(&[(16, 0, 4), (8, 1, 3)]);
    lifetimes.buffers[0].gaps = vec![Gap {
        span: Span::new(1, 3),
        window: Some((Bytes(8), Bytes(16))),
    }];
    lifetimes
}

#[test]
fn what_is_needed_during_a_gap_is_taken() {
    let needed = |step| Violation::NeededTwice {
        first: 0,
        second: 1,
        step,
    };
    caught(&with_gap(), &plan(&[0, 0], 16), &[]);
    caught(&with_gap(), &plan(&[0, 8], 16), &[needed(1)]);
    // One step longer than the gap: then all of 0 is needed again.
    let mut longer = with_gap();
    longer.buffers[1].span = Span::new(1, 4);
    caught(&longer, &plan(&[0, 0], 16), &[needed(3)]);
    // A gap without a window needs nothing at all.
    let mut absent = with_gap();
    absent.buffers[0].gaps[0].window = None;
    caught(&absent, &plan(&[0, 8], 16), &[]);
    // Both have gaps, at steps that differ: [8, 16) of 0 at 2, all of both at 1.
    let mut both = with_gap();
    both.buffers[0].gaps[0].span = Span::new(2, 3);
    both.buffers[1].gaps = vec![Gap {
        span: Span::new(2, 3),
        window: None,
    }];
    caught(&both, &plan(&[0, 8], 16), &[needed(1)]);
    // In one object both start where it starts, which the gap allows.
    let one = shared(plan(&[0, 0], 16), &[16], &[0], &[0, 0]);
    caught(&with_gap(), &one, &[]);
    let expected = Violation::SharedObject {
        first: 0,
        second: 1,
        object: 0,
    };
    caught(&longer, &one, &[expected]);
}

/// 0 is read for the last time at step 1, where 1 is written over it, 8 bytes further up.
fn handed_over(shift: u64) -> Lifetimes {
    let mut lifetimes = lifetimes(&[(16, 0, 2), (8, 1, 4)]);
    lifetimes.handovers = vec![Handover {
        before: 0,
        after: 1,
        shift: Bytes(shift),
    }];
    lifetimes
}

#[test]
fn a_handover_allows_one_address_at_one_step() {
    let missed = Violation::HandoverMissed {
        before: 0,
        after: 1,
        shift: 8,
    };
    caught(&handed_over(8), &plan(&[0, 8], 16), &[]);
    caught(&handed_over(8), &plan(&[0, 16], 24), &[]);
    caught(&handed_over(8), &plan(&[0, 0], 16), &[missed]);
    // Two common steps, a step in the middle, the wrong way round: not handed over at all.
    let overlap = Violation::Overlap {
        first: 0,
        second: 1,
    };
    for spans in [[(0, 3), (1, 4)], [(0, 5), (1, 2)], [(1, 4), (0, 2)]] {
        let mut wrong = handed_over(8);
        for (buffer, (start, end)) in wrong.buffers.iter_mut().zip(spans) {
            buffer.span = Span::new(start, end);
        }
        caught(&wrong, &plan(&[0, 8], 16), std::slice::from_ref(&overlap));
    }
    // The bytes are the heir's alone: a third that is live at that step may not have them.
    let mut crowded = handed_over(8);
    crowded.buffers.push(Buffer::new("2", 8, Span::new(1, 2)));
    let third = |first| Violation::Overlap { first, second: 2 };
    caught(&crowded, &plan(&[0, 8, 8], 16), &[third(0), third(1)]);
    caught(&crowded, &plan(&[0, 8, 0], 16), &[third(0)]);
    // Neither does an index that leads nowhere disturb the judge.
    let mut dangling = handed_over(8);
    dangling.handovers[0].after = 7;
    caught(
        &dangling,
        &plan(&[0, 8], 16),
        std::slice::from_ref(&overlap),
    );
}

#[test]
fn a_handover_within_an_object_has_no_shift() {
    let one = shared(plan(&[0, 0], 16), &[16], &[0], &[0, 0]);
    caught(&handed_over(0), &one, &[]);
    let expected = Violation::SharedObject {
        first: 0,
        second: 1,
        object: 0,
    };
    caught(&handed_over(8), &one, &[expected]);
}

#[test]
fn bytes_handed_on_twice_at_one_step_are_noticed() {
    // 1 takes over from 0 and 2 from 1, all at step 1: 0 and 2 are no pair.
    let mut chain = lifetimes(&[(8, 0, 2), (8, 1, 2), (8, 1, 3)]);
    let pass = |before, after| Handover {
        before,
        after,
        shift: Bytes(0),
    };
    chain.handovers = vec![pass(0, 1), pass(1, 2)];
    let expected = Violation::Overlap {
        first: 0,
        second: 2,
    };
    caught(&chain, &plan(&[0, 0, 0], 8), &[expected]);
    // Two that are read at once are written over by a third.
    let mut both = lifetimes(&[(8, 1, 2), (8, 0, 2), (8, 1, 3)]);
    both.handovers = vec![pass(0, 2), pass(1, 2)];
    let expected = Violation::Overlap {
        first: 0,
        second: 1,
    };
    caught(&both, &plan(&[0, 0, 0], 8), &[expected]);
}

/// A fast pool of 16 bytes and a slow one without a limit.
fn two_pools() -> Options {
    let pool = |name: &str, capacity| Pool {
        name: name.into(),
        capacity,
    };
    Options {
        pools: vec![pool("fast", Some(Bytes(16))), pool("slow", None)],
        ..OPTIONS
    }
}

/// 0 and 2 in the fast pool, 1 in the slow one.
fn pooled() -> Plan {
    Plan {
        pools: Some(Pools {
            declared: two_pools().pools,
            bases: vec![Offset(0), Offset(16)],
            sizes: vec![Bytes(16), Bytes(8)],
            of_buffer: vec![0, 1, 0],
        }),
        ..plan(&[0, 16, 0], 24)
    }
}

#[track_caller]
fn caught_in_pools(change: impl FnOnce(&mut Plan, &mut Pools), expected: &[Violation]) {
    let mut plan = pooled();
    let mut pools = plan.pools.take().unwrap_or_default();
    change(&mut plan, &mut pools);
    plan.pools = Some(pools);
    let mut lifetimes = three();
    lifetimes.buffers[1].pools = vec![1];
    assert_eq!(check(&lifetimes, &plan, &two_pools()), expected);
    told(&lifetimes, expected);
}

#[test]
fn pools_that_are_asked_for() {
    caught_in_pools(|_, _| (), &[]);
    let asked = Violation::NoPools { asked: 2 };
    let none = plan(&[0, 16, 0], 24);
    assert_eq!(check(&three(), &none, &two_pools()), [asked]);
    let count = |asked, bases, sizes, assigned| Violation::PoolCount {
        asked,
        bases,
        sizes,
        assigned,
    };
    caught(&three(), &pooled(), &[count(0, 2, 2, 3)]);
    let expected = count(2, 2, 2, 2);
    caught_in_pools(|_, pools| pools.of_buffer.truncate(2), &[expected]);
    let expected = count(2, 1, 2, 3);
    caught_in_pools(|_, pools| pools.bases.truncate(1), &[expected]);
}

#[test]
fn buffers_in_their_pools() {
    let (buffer, pool) = (0, 2);
    let expected = Violation::NoSuchPool { buffer, pool };
    caught_in_pools(|_, pools| pools.of_buffer[0] = 2, &[expected]);
    let (buffer, pool) = (1, 0);
    let expected = [
        Violation::WrongPool { buffer, pool },
        Violation::OutsidePool { buffer, pool },
    ];
    caught_in_pools(|_, pools| pools.of_buffer[1] = 0, &expected);
    let (buffer, pool) = (0, 1);
    let expected = Violation::OutsidePool { buffer, pool };
    caught_in_pools(|_, pools| pools.of_buffer[0] = 1, &[expected]);
}

#[test]
fn pools_in_their_place() {
    let expected = Violation::PoolTooLarge {
        pool: 0,
        size: Bytes(24),
        capacity: Bytes(16),
    };
    let larger = |plan: &mut Plan, pools: &mut Pools| {
        (plan.offsets[1], plan.arena) = (Offset(24), Bytes(32));
        (pools.bases[1], pools.sizes[0]) = (Offset(24), Bytes(24));
    };
    caught_in_pools(larger, &[expected]);
    let expected = Violation::PoolsOverlap {
        first: 0,
        second: 1,
    };
    let lower = |_: &mut Plan, pools: &mut Pools| {
        (pools.bases[1], pools.sizes[1]) = (Offset(8), Bytes(16));
    };
    caught_in_pools(lower, &[expected]);
    let expected = Violation::PoolBehindArena {
        pool: 1,
        arena: Bytes(24),
    };
    caught_in_pools(|_, pools| pools.sizes[1] = Bytes(16), &[expected]);
}

#[test]
fn figures_of_pools_and_proofs() {
    let mut lifetimes = three();
    lifetimes.buffers[1].pools = vec![0, 1];
    let bounds = bounds(&lifetimes);
    let figures = metrics(&lifetimes, &pooled(), &bounds);
    assert_eq!(figures.spilled, Some(Bytes(8)));
    let per_pool = metrics::pools(&lifetimes, &pooled());
    let summary = per_pool
        .iter()
        .map(|it| (it.used.0, it.buffers, it.spilled.0));
    assert_eq!(summary.collect::<Vec<_>>(), [(16, 2, 0), (8, 1, 8)]);
    // An arena above the bound is optimal when that much was proved.
    let mut proved = plan(&[0, 16, 24], 40);
    assert_eq!(metrics(&lifetimes, &proved, &bounds).spilled, None);
    proved.proved = Some(Bytes(32));
    assert!(!metrics(&lifetimes, &proved, &bounds).optimal);
    proved.proved = Some(Bytes(40));
    assert!(metrics(&lifetimes, &proved, &bounds).optimal);
}

#[test]
fn a_flood_is_cut_off() {
    let many = lifetimes(&vec![(8, 0, 1); 2000]);
    assert_eq!(
        check(&many, &plan(&vec![0; 2000], 8), &OPTIONS).len(),
        LISTED
    );
}

/// Live bytes of `three`: 16, 24, 24, 24. Positional maxima: 16 and 8.
#[test]
fn figures_of_a_plan() {
    let lifetimes = three();
    let bounds = bounds(&lifetimes);
    assert_eq!((bounds.offsets, bounds.peak), (Bytes(24), Step(1)));
    assert_eq!(bounds.witness, [0, 1]);
    assert_eq!(bounds.maxima, [Bytes(16), Bytes(8)]);
    let best = metrics(&lifetimes, &two_objects(), &bounds);
    assert!(best.optimal);
    assert_eq!(best.objects, Some(2));
    assert_eq!(best.model_bound, Bytes(24));
    assert!(best.over_bound.abs() < 1e-12);
    assert!(best.fragmentation.abs() < 1e-12);
    assert!((best.reuse - 40.0 / 24.0).abs() < 1e-12);
    // The same blocks, for which an allocator held 48 bytes: twice the bound.
    let held = best.counting_reserved(Some(Bytes(48)));
    assert_eq!((held.arena, held.taken()), (Bytes(24), Bytes(48)));
    assert!(!held.optimal);
    assert!((held.over_bound - 1.0).abs() < 1e-12);
    assert!((held.fragmentation - 0.5).abs() < 1e-12);
    assert!((held.reuse - 40.0 / 48.0).abs() < 1e-12);
    assert_eq!(best.counting_reserved(None), best);
    assert!(best.counting_reserved(Some(Bytes(24))).optimal);
    let none = metrics(&lifetimes, &plan(&[0, 16, 24], 40), &bounds);
    assert!(!none.optimal);
    assert_eq!(none.objects, None);
    assert!((none.over_bound - 16.0 / 24.0).abs() < 1e-12);
    assert!((none.fragmentation - 16.0 / 40.0).abs() < 1e-12);
    assert!((none.reuse - 1.0).abs() < 1e-12);
}
