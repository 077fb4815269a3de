//! What-if: where a buffer may go, which buffers are in the way, that the judge agrees, and what
//! can plan the rest.

use planner::what_if::{
    Breaks, Kept, StartRange, arena, finish, finishers, highest, in_the_way, kept, look, moved,
    next, snapped, start_ranges, swapped,
};
use planner::{
    Buffer, Bytes, Effort, Handover, LIFETIMES_LIMIT as LIMIT, Lifetimes, Offset, Options, Pause,
    Plan, PlanError, Pool, Pools, Silent, Span, Strategy, Violation, check, plan,
};
use tests::lifetimes::scattered;
use tests::random::Random;

const ONE: Options = Options::aligned(Bytes(1));

/// A plan that lays buffers at `offsets`.
fn laid(lifetimes: &Lifetimes, offsets: &[Offset]) -> Plan {
    Plan {
        arena: arena(lifetimes, offsets, &ONE),
        offsets: offsets.to_vec(),
        ..Plan::default()
    }
}

/// 100 bytes at 0, 50 bytes at 160, both live with `held` (20 bytes); `apart` never is.
fn shelf() -> (Lifetimes, Vec<Offset>) {
    let lifetimes = Lifetimes::of([
        Buffer::new("low", 100, Span::new(0, 4)),
        Buffer::new("high", 50, Span::new(0, 4)),
        Buffer::new("held", 20, Span::new(1, 3)),
        Buffer::new("apart", 500, Span::new(4, 6)),
    ]);
    (lifetimes, [0, 160, 300, 0].map(Offset).to_vec())
}

#[test]
fn rooms_lie_between_those_in_the_way() {
    let (lifetimes, offsets) = shelf();
    // After low (100) and below high (160 - 20), or after high (210).
    let between = StartRange {
        first: Offset(100),
        last: Some(Offset(140)),
    };
    let above = StartRange {
        first: Offset(210),
        last: None,
    };
    let plan = laid(&lifetimes, &offsets);
    assert_eq!(start_ranges(&lifetimes, &plan, &ONE, 2), [between, above]);
    // Multiples of 64: 128 is the only one between, 256 the first above.
    let options = Options::aligned(Bytes(64));
    let start_ranges = start_ranges(&lifetimes, &plan, &options, 2);
    let ends: Vec<_> = start_ranges
        .iter()
        .map(|r| (r.first.0, r.last.map(|l| l.0)))
        .collect();
    assert_eq!(ends, [(128, Some(128)), (256, None)]);
    assert_eq!(in_the_way(&lifetimes, &offsets, 2, Offset(90)), [0]);
    assert_eq!(in_the_way(&lifetimes, &offsets, 2, Offset(141)), [1]);
    assert!(in_the_way(&lifetimes, &offsets, 2, Offset(140)).is_empty());
    assert!(in_the_way(&lifetimes, &offsets, 3, Offset(0)).is_empty());
}

#[test]
fn a_held_buffer_snaps_to_the_nearest_end_within_reach() {
    let (lifetimes, offsets) = shelf();
    let plan = laid(&lifetimes, &offsets);
    let snap = |at, reach| snapped(&lifetimes, &plan, &ONE, (2, Offset(at)), Bytes(reach)).0;
    assert_eq!(snap(95, 8), 100);
    assert_eq!(snap(133, 8), 140);
    assert_eq!(snap(120, 8), 120, "free, and no end is near");
    assert_eq!(snap(60, 8), 60, "in the way, and no end is near");
    assert_eq!(snap(120, 20), 100, "both ends are 20 away: the lower");
    let options = Options::aligned(Bytes(64));
    let at = (2, Offset(40));
    assert_eq!(snapped(&lifetimes, &plan, &options, at, Bytes(8)).0, 64);
}

#[test]
fn a_pause_makes_room() {
    let (mut lifetimes, offsets) = shelf();
    // While `held` is live, `low` needs only its first 30 bytes.
    lifetimes.buffers[0].pauses = vec![Pause {
        span: Span::new(1, 3),
        window: Some((Bytes(0), Bytes(30))),
    }];
    let start_ranges = start_ranges(&lifetimes, &laid(&lifetimes, &offsets), &ONE, 2);
    assert_eq!(start_ranges[0].first, Offset(30));
    assert_eq!(in_the_way(&lifetimes, &offsets, 2, Offset(29)), [0]);
}

#[test]
fn a_window_leaves_room_above_and_below_it() {
    let (mut lifetimes, offsets) = shelf();
    // While `held` is live, `low` needs only its bytes 40 to 59: below fit 20 bytes at 0 to
    // 20, above at 60 to 140.
    lifetimes.buffers[0].pauses = vec![Pause {
        span: Span::new(0, 4),
        window: Some((Bytes(40), Bytes(60))),
    }];
    let start_ranges = start_ranges(&lifetimes, &laid(&lifetimes, &offsets), &ONE, 2);
    let ends = start_ranges
        .iter()
        .map(|room| (room.first.0, room.last.map(|last| last.0)));
    assert_eq!(
        ends.collect::<Vec<_>>(),
        [(0, Some(20)), (60, Some(140)), (210, None)]
    );
    assert_eq!(in_the_way(&lifetimes, &offsets, 2, Offset(21)), [0]);
    assert!(in_the_way(&lifetimes, &offsets, 2, Offset(20)).is_empty());
}

#[test]
fn a_place_that_is_handed_over_is_free_to_the_byte() {
    // `old` ends with the step in which `new` begins, 16 bytes after its start; `wall` lies
    // after `old`.
    let mut lifetimes = Lifetimes::of([
        Buffer::new("old", 100, Span::new(0, 3)),
        Buffer::new("wall", 50, Span::new(0, 6)),
        Buffer::new("new", 84, Span::new(2, 6)),
    ]);
    lifetimes.handovers = vec![Handover {
        before: 0,
        after: 2,
        shift: Bytes(16),
    }];
    let offsets = [0, 100, 200].map(Offset);
    let plan = laid(&lifetimes, &offsets);
    let room = |first, last: Option<u64>| StartRange {
        first: Offset(first),
        last: last.map(Offset),
    };
    assert_eq!(
        start_ranges(&lifetimes, &plan, &ONE, 2),
        [room(16, Some(16)), room(150, None)]
    );
    assert!(in_the_way(&lifetimes, &offsets, 2, Offset(16)).is_empty());
    assert_eq!(in_the_way(&lifetimes, &offsets, 2, Offset(15)), [0]);
    assert_eq!(in_the_way(&lifetimes, &offsets, 2, Offset(17)), [0, 1]);
    assert_eq!(
        snapped(&lifetimes, &plan, &ONE, (2, Offset(12)), Bytes(8)),
        Offset(16)
    );
    // A multiple of 64 it is not.
    let aligned = start_ranges(&lifetimes, &plan, &Options::aligned(Bytes(64)), 2);
    assert_eq!(aligned, [room(192, None)]);
    // The other way round: `old` under `new`, which lies at 200 then: 184.
    let handed = start_ranges(&lifetimes, &plan, &ONE, 0);
    assert_eq!(
        handed,
        [room(0, Some(0)), room(184, Some(184)), room(284, None)]
    );
    let changed = moved(&lifetimes, &plan, &ONE, &[(2, Offset(16))]);
    assert_eq!(check(&lifetimes, &changed, &ONE), []);
    assert_eq!(changed.arena, Bytes(150));
}

/// Handovers between what meets, and pauses.
pub(crate) fn constrained(seed: u64) -> Lifetimes {
    let mut lifetimes = scattered(seed, 14, 8, 60);
    let mut random = Random::new(seed + 7);
    for buffer in &mut lifetimes.buffers {
        let (span, size) = (buffer.span, buffer.size.0);
        if span.len() > 1 && size > 4 && random.below(3) == 0 {
            let window = (random.below(2) == 0).then(|| {
                let first = random.below(size / 2);
                (Bytes(first), Bytes(first + 1 + random.below(size - first)))
            });
            let pause = Span::new(
                span.start.0,
                span.start.0 + 1 + random.below(span.len() - 1),
            );
            buffer.pauses = vec![Pause {
                span: pause,
                window,
            }];
        }
    }
    let count = lifetimes.buffers.len();
    for before in 0..count {
        for after in 0..count {
            let (one, other) = (&lifetimes.buffers[before], &lifetimes.buffers[after]);
            if one.span.end.0 == other.span.start.0 + 1 && random.below(2) == 0 {
                let shift = Bytes(random.below(3) * 2);
                lifetimes.handovers.push(Handover {
                    before,
                    after,
                    shift,
                });
            }
        }
    }
    lifetimes
}

/// The judge, which shares no code with this, finds fault with exactly those that are said to be
/// in the way, pauses and handovers included; and what is free is a room.
#[test]
fn the_judge_agrees() {
    let mut random = Random::new(41);
    let (mut free, mut handed) = (0, 0);
    for seed in 0..600 {
        let lifetimes = match seed % 2 {
            0 => scattered(seed, 12, 10, 60),
            _ => constrained(seed),
        };
        let made = plan(Strategy::OffsetsBySize, &lifetimes, &ONE, &mut Silent).expect("a plan");
        let count = lifetimes.buffers.len() as u64;
        let buffer = usize::try_from(random.below(count)).expect("small");
        let mut at = Offset(random.below(made.arena.0 + 30));
        // Now and then exactly where something is handed over.
        let meets = lifetimes.handovers.iter().find(|it| it.after == buffer);
        if let Some(meets) = meets.filter(|_| random.below(2) == 0) {
            at = Offset(made.offsets[meets.before].0 + meets.shift.0);
            handed += 1;
        }
        let changed = moved(&lifetimes, &made, &ONE, &[(buffer, at)]);
        let mut found: Vec<usize> = check(&lifetimes, &changed, &ONE)
            .into_iter()
            .map(|violation| match violation {
                Violation::Overlap { first, second }
                | Violation::NeededTwice { first, second, .. }
                | Violation::HandoverMissed {
                    before: first,
                    after: second,
                    ..
                } => first + second - buffer,
                other => panic!("{other}"),
            })
            .collect();
        found.sort_unstable();
        let said = in_the_way(&lifetimes, &made.offsets, buffer, at);
        assert_eq!(said, found, "seed {seed}, {buffer} at {at:?}");
        let room = start_ranges(&lifetimes, &made, &ONE, buffer)
            .iter()
            .any(|room| room.first <= at && room.last.is_none_or(|last| at <= last));
        assert_eq!(room, said.is_empty(), "seed {seed}, {buffer} at {at:?}");
        let looked = look(&lifetimes, &made, &ONE, (buffer, at));
        assert_eq!((looked.is_free(), looked.arena), (room, changed.arena));
        free += u32::from(room);
    }
    assert!(
        free > 100 && handed > 30,
        "{free} free, {handed} handed over"
    );
}

#[test]
fn swapping_and_the_arena() {
    let (lifetimes, offsets) = shelf();
    assert_eq!(arena(&lifetimes, &offsets, &ONE), Bytes(500));
    assert_eq!(
        swapped(&offsets, 1, 2),
        [(1, Offset(300)), (2, Offset(160))]
    );
    assert_eq!(swapped(&offsets, 1, 9), [], "there is no ninth");
    let options = Options::aligned(Bytes(64));
    assert_eq!(arena(&lifetimes, &[Offset(0); 4], &options), Bytes(512));
}

#[test]
fn the_next_room_is_the_next_end() {
    let (lifetimes, offsets) = shelf();
    // Rooms are 100 to 140 and 210 on; `held` lies at 300.
    let mut plan = laid(&lifetimes, &offsets);
    assert_eq!(next(&lifetimes, &plan, &ONE, 2, true), None);
    assert_eq!(next(&lifetimes, &plan, &ONE, 2, false), Some(Offset(210)));
    plan.offsets[2] = Offset(140);
    assert_eq!(next(&lifetimes, &plan, &ONE, 2, true), Some(Offset(210)));
    assert_eq!(next(&lifetimes, &plan, &ONE, 2, false), Some(Offset(100)));
}

#[test]
fn a_place_can_be_wrong_with_nobody_in_the_way() {
    let (mut lifetimes, offsets) = shelf();
    let plan = laid(&lifetimes, &offsets);
    let options = Options::aligned(Bytes(64));
    let looked = look(&lifetimes, &plan, &options, (2, Offset(330)));
    assert_eq!(looked.breaks, Some(Breaks::Misaligned(Bytes(64))));
    assert!(looked.in_the_way.is_empty() && !looked.is_free());
    // What the problem fixes has one room, aligned or not.
    lifetimes.buffers[2].fixed = Some(Offset(111));
    let room = StartRange {
        first: Offset(111),
        last: Some(Offset(111)),
    };
    assert_eq!(start_ranges(&lifetimes, &plan, &options, 2), [room]);
    let looked = look(&lifetimes, &plan, &options, (2, Offset(128)));
    assert_eq!(looked.breaks, Some(Breaks::Fixed(Offset(111))));
    lifetimes.buffers[2].fixed = Some(Offset(99));
    assert_eq!(
        start_ranges(&lifetimes, &plan, &options, 2),
        [],
        "low is there"
    );
}

#[test]
fn sizes_and_the_highest_address_stay_below_the_limit() {
    let (lifetimes, _) = shelf();
    // Sizes 100 + 50 + 20 + 500, and 64 of padding for each of the four.
    let highest = highest(&lifetimes, &Options::aligned(Bytes(64)));
    assert_eq!(highest.0 + 670 + 4 * 64, LIMIT.0 - 1);
    let large = Lifetimes::of([Buffer::new("large", u64::MAX, Span::new(0, 1))]);
    assert_eq!(super::what_if::highest(&large, &ONE), Offset(0));
}

/// `fast` (60 B) alone in an SRAM of 128 B, `slow` (50 B) in the DRAM after it; always live.
fn pooled(dram: Option<u64>) -> (Lifetimes, Options, Plan) {
    let lifetimes = Lifetimes::of([
        Buffer::new("fast", 60, Span::new(0, 4)),
        Buffer::new("slow", 50, Span::new(0, 4)),
    ]);
    let pool = |name: &str, capacity: Option<u64>| Pool {
        name: name.into(),
        capacity: capacity.map(Bytes),
    };
    let options = Options {
        pools: vec![pool("SRAM", Some(128)), pool("DRAM", dram)],
        ..ONE
    };
    let plan = Plan {
        offsets: [0, 60].map(Offset).to_vec(),
        arena: Bytes(110),
        pools: Some(Pools {
            declared: options.pools.clone(),
            bases: [0, 60].map(Offset).to_vec(),
            sizes: [60, 50].map(Bytes).to_vec(),
            of_buffer: vec![0, 1],
        }),
        ..Plan::default()
    };
    assert_eq!(check(&lifetimes, &plan, &options), []);
    (lifetimes, options, plan)
}

#[test]
fn a_buffer_that_changes_its_pool_is_counted_there() {
    let (lifetimes, options, plan) = pooled(None);
    let ends = |lifetimes: &Lifetimes, plan: &Plan, buffer| {
        let start_ranges = start_ranges(lifetimes, plan, &options, buffer);
        let ends = start_ranges
            .iter()
            .map(|room| (room.first.0, room.last.map(|last| last.0)));
        ends.collect::<Vec<_>>()
    };
    // The SRAM up to where the DRAM begins, or after `slow`.
    assert_eq!(ends(&lifetimes, &plan, 0), [(0, Some(0)), (110, None)]);
    let changed = moved(&lifetimes, &plan, &options, &[(0, Offset(110))]);
    assert_eq!(check(&lifetimes, &changed, &options), []);
    let pools = changed.pools.as_ref().expect("pools");
    assert_eq!(pools.of_buffer, [1, 1]);
    assert_eq!(pools.sizes, [Bytes(0), Bytes(110)]);
    assert_eq!(changed.arena, Bytes(170));
    // Back again: as before.
    let back = moved(&lifetimes, &changed, &options, &[(0, Offset(0))]);
    assert_eq!(back, plan);
    // Lower within the DRAM: it shrinks, and so does the arena.
    let mut apart = moved(&lifetimes, &plan, &options, &[(1, Offset(300))]);
    assert_eq!(apart.arena, Bytes(350));
    apart = moved(&lifetimes, &apart, &options, &[(1, Offset(61))]);
    assert_eq!(check(&lifetimes, &apart, &options), []);
    assert_eq!(apart.arena, Bytes(111));
    // Across the border it lies in no pool whole.
    let across = look(&lifetimes, &plan, &options, (0, Offset(1)));
    assert_eq!(across.breaks, Some(Breaks::Pools));
}

#[test]
fn a_pool_ends_at_its_capacity_and_is_for_its_candidates() {
    let (lifetimes, options, plan) = pooled(Some(100));
    let only = StartRange {
        first: Offset(0),
        last: Some(Offset(0)),
    };
    // `fast` after `slow` would end at 110 of 100.
    assert_eq!(start_ranges(&lifetimes, &plan, &options, 0), [only]);
    assert_eq!(
        look(&lifetimes, &plan, &options, (0, Offset(110))).breaks,
        Some(Breaks::Pools)
    );
    let (mut lifetimes, options, plan) = pooled(None);
    lifetimes.buffers[0].pools = vec![0];
    assert_eq!(start_ranges(&lifetimes, &plan, &options, 0), [only]);
    let changed = moved(&lifetimes, &plan, &options, &[(0, Offset(110))]);
    let found = check(&lifetimes, &changed, &options);
    assert_eq!(found, [Violation::WrongPool { buffer: 0, pool: 1 }]);
}

/// Those that are offered keep what is pinned in a plan that the judge passes; all others
/// refuse to.
#[test]
fn exactly_those_that_can_are_offered() {
    let options = Options {
        effort: Effort {
            nodes: 2_000,
            moves: 200,
        },
        ..Options::aligned(Bytes(8))
    };
    for seed in 0..12 {
        let lifetimes = constrained(seed);
        let offered = finishers(&lifetimes, &options);
        assert!(offered.contains(&Strategy::Best) && offered.contains(&Strategy::Xnnpack));
        let start = plan(Strategy::Skyline, &lifetimes, &options, &mut Silent).expect("a plan");
        let pins = [0, 3, 6].map(|buffer| (buffer, start.offsets[buffer]));
        let kept = kept(&start, pins.map(|(buffer, _)| buffer));
        for strategy in Strategy::ALL {
            let made = finish(strategy, &lifetimes, &kept, &options, &mut Silent);
            if !offered.contains(&strategy) {
                let refused = matches!(made, Err(PlanError::Unsupported { .. }));
                assert!(refused, "{strategy} is not offered");
                continue;
            }
            let made = made.expect("a plan");
            assert_eq!(
                check(&lifetimes, &made, &options),
                [],
                "{strategy}, seed {seed}"
            );
            for (buffer, at) in pins {
                assert_eq!(made.offsets[buffer], at, "{strategy}, seed {seed}");
            }
        }
    }
}

#[test]
fn a_strategy_plans_around_what_is_pinned() {
    let (lifetimes, _) = shelf();
    let held = Kept {
        buffer: 2,
        at: Offset(40),
        pool: None,
    };
    let by_size = Strategy::OffsetsBySize;
    let made = finish(by_size, &lifetimes, &[held], &ONE, &mut Silent).expect("a plan");
    // 500 B first at 0; `held` at 40 to 59; 100 B above it at 60; 50 B above that at 160.
    assert_eq!(made.offsets, [60, 160, 40, 0].map(Offset));
    assert_eq!(made.arena, Bytes(500));
    // Valid without the pin too, which only asks for more.
    assert_eq!(check(&lifetimes, &made, &ONE), []);
}

/// With pools, what is pinned stays at its place in its pool, and the rest goes where the
/// pools have room.
#[test]
fn the_rest_is_planned_into_the_pools() {
    let lifetimes = Lifetimes::of([
        Buffer::new("fast", 60, Span::new(0, 4)),
        Buffer::new("slow", 50, Span::new(0, 4)),
        Buffer::new("small", 40, Span::new(0, 4)),
    ]);
    let (_, options, _) = pooled(None);
    // All in the DRAM, `slow` 30 bytes after its start: by hand no buffer lies in the SRAM.
    let start = Plan {
        offsets: [80, 30, 140].map(Offset).to_vec(),
        arena: Bytes(180),
        pools: Some(Pools {
            declared: options.pools.clone(),
            bases: [0, 0].map(Offset).to_vec(),
            sizes: [0, 180].map(Bytes).to_vec(),
            of_buffer: vec![1, 1, 1],
        }),
        ..Plan::default()
    };
    assert_eq!(check(&lifetimes, &start, &options), []);
    let kept = kept(&start, [1]);
    let slow = Kept {
        buffer: 1,
        at: Offset(30),
        pool: Some(1),
    };
    assert_eq!(kept, [slow]);
    for strategy in finishers(&lifetimes, &options) {
        let made = finish(strategy, &lifetimes, &kept, &options, &mut Silent).expect("a plan");
        assert_eq!(check(&lifetimes, &made, &options), [], "{strategy}");
        let pools = made.pools.as_ref().expect("pools");
        // 60 and 40 fit into the 128 bytes of the SRAM; the DRAM begins after them.
        assert_eq!(pools.of_buffer, [0, 1, 0], "{strategy}");
        assert_eq!(made.offsets[1].0, pools.bases[1].0 + 30, "{strategy}");
        assert_eq!(made.arena, Bytes(100 + 80), "{strategy}");
    }
}
