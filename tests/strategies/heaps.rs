//! XLA's heaps, TVM's USMP and MegEngine's allocators: published vectors, rules worked out by
//! hand, a real dump of XLA, and a second implementation in `data/heaps.py`.

use std::ops::ControlFlow;

use planner::bounds::bounds;
use planner::trace::{Event, Reason, Refusal};
use planner::{
    Bytes, Handover, Lifetimes, Observer, Offset, Options, Plan, PlanError, Silent, Strategy, plan,
};
use serde_json::Value;
use tests::judged::{self, reasons, traced};
use tests::lifetimes::problem;
use tests::random::Random;

const MEGENGINE: [Strategy; 3] = [
    Strategy::MegenginePushdown,
    Strategy::MegengineIntervalMove,
    Strategy::MegengineBestFit,
];
const HEAPS: [Strategy; 9] = [
    Strategy::XlaSpatial,
    Strategy::XlaTemporal,
    Strategy::XlaBest,
    Strategy::UsmpBySize,
    Strategy::UsmpByConflicts,
    Strategy::UsmpHillClimb,
    Strategy::MegenginePushdown,
    Strategy::MegengineIntervalMove,
    Strategy::MegengineBestFit,
];

/// (after, before, shift), as MegEngine gives overwrites.
fn overwritten(mut lifetimes: Lifetimes, pairs: &[(usize, usize, u64)]) -> Lifetimes {
    let handovers = pairs.iter().map(|&(after, before, shift)| Handover {
        before,
        after,
        shift: Bytes(shift),
    });
    lifetimes.handovers = handovers.collect();
    lifetimes
}

fn judged(strategy: Strategy, lifetimes: &Lifetimes, alignment: u64) -> Plan {
    judged::judged(strategy, lifetimes, &Options::aligned(Bytes(alignment)))
}

fn offsets(strategy: Strategy, buffers: &[(u64, u64, u64)]) -> Vec<u64> {
    judged::offsets(&judged(strategy, &problem(buffers), 1))
}

fn up(size: u64, alignment: u64) -> u64 {
    size.next_multiple_of(alignment)
}

/// Alignments and paddings that MegEngine's tests try, and some more.
fn paddings() -> impl Iterator<Item = (u64, u64)> {
    let alignments = [1, 2, 4, 256].into_iter();
    alignments.flat_map(|alignment| [0, 1, 2, 32].map(|padding| (alignment, padding)))
}

// MegEngine 47952c07, src/core/test/static_mem_alloc.cpp (Apache-2.0; figures only): the arena
// is rounded up to the alignment, and the padding is added to each size.

#[test]
fn megengine_alloc() {
    for (alignment, padding) in paddings() {
        let (one, two) = (1 + padding, 2 + padding);
        let lifetimes = problem(&[(one, 0, 1), (one, 0, 1), (two, 1, 2)]);
        let expected = up(two, alignment).max(2 * up(one, alignment));
        for strategy in MEGENGINE {
            let arena = judged(strategy, &lifetimes, alignment).arena;
            assert_eq!(up(arena.0, alignment), expected, "{strategy}");
        }
    }
}

#[test]
fn megengine_overwrite() {
    for (alignment, padding) in paddings() {
        let sizes = [
            (3 + padding, 0, 2),
            (1 + padding, 1, 3),
            (1 + padding, 2, 4),
        ];
        let mut lifetimes = overwritten(problem(&sizes), &[(1, 0, 1), (2, 1, 0)]);
        // MegEngine aligns only what overwrites nothing.
        lifetimes.buffers[0].alignment = Bytes(alignment);
        for strategy in MEGENGINE {
            let made = judged(strategy, &lifetimes, 1);
            assert_eq!(up(made.arena.0, alignment), up(3 + padding, alignment));
            assert_eq!(made.offsets, [0, 1, 1].map(Offset), "{strategy}");
        }
    }
}

#[test]
fn megengine_overwrite_with_the_same_end() {
    for (alignment, padding) in paddings() {
        let lifetimes = problem(&[(1 + padding, 1, 2), (1 + padding, 0, 2)]);
        let lifetimes = overwritten(lifetimes, &[(0, 1, 0)]);
        for strategy in MEGENGINE {
            let arena = judged(strategy, &lifetimes, alignment).arena;
            assert_eq!(up(arena.0, alignment), up(1 + padding, alignment));
        }
    }
}

#[test]
fn megengine_pushdown_chains() {
    for (count, expected) in [(5, 9), (100, 199)] {
        let chain: Vec<_> = (0..count).map(|i| (i + 1, i, i + 2)).collect();
        let lifetimes = problem(&chain);
        assert_eq!(bounds(&lifetimes).offsets, Bytes(expected));
        let made = judged(Strategy::MegenginePushdown, &lifetimes, 1);
        assert_eq!(made.arena, Bytes(expected));
    }
}

/// Both ask for the place of the first, whose bytes suffice for either; the larger gets it,
/// though it asks later. The other must stay clear of it: 8 + 2 bytes.
#[test]
fn the_largest_overwrites() {
    let lifetimes = problem(&[(8, 0, 2), (2, 1, 3), (4, 1, 3)]);
    let lifetimes = overwritten(lifetimes, &[(1, 0, 0), (2, 0, 4)]);
    for strategy in MEGENGINE {
        let made = judged(strategy, &lifetimes, 1);
        assert_eq!(made.offsets[2].0, made.offsets[0].0 + 4, "{strategy}");
        assert_eq!(made.arena, Bytes(10), "{strategy}");
    }
}

/// An overwrite that would leave a buffer unaligned, that reaches beyond what it overwrites,
/// or that comes too late or too early, is not done.
#[test]
fn other_overwrites_are_not_done() {
    let whole = problem(&[(8, 0, 2), (8, 1, 3)]);
    for shift in [2, 8, u64::MAX] {
        let lifetimes = overwritten(whole.clone(), &[(1, 0, shift)]);
        for strategy in MEGENGINE {
            assert_eq!(judged(strategy, &lifetimes, 4).arena, Bytes(16));
        }
    }
    let apart = problem(&[(8, 0, 3), (8, 1, 3)]);
    for pairs in [[(1, 0, 0)], [(0, 1, 0)], [(1, 7, 0)]] {
        let lifetimes = overwritten(apart.clone(), &pairs);
        for strategy in MEGENGINE {
            assert_eq!(judged(strategy, &lifetimes, 1).arena, Bytes(16));
        }
    }
}

/// XLA's clock. Calls: allocate 3 and 1 (step 0, the shorter first), release 3, allocate 2 and
/// 0 (step 1), release 1 and 2, release 0. So 1 lasts from call 1 to call 5, and 0 only from
/// call 4 to call 7, though both are live for two steps; 1 chooses first. 0 goes above it, 2
/// above both, and 3, which meets only 1, above that.
#[test]
fn xla_counts_calls_not_steps() {
    let buffers = [(4, 1, 3), (4, 0, 2), (1, 1, 2), (1, 0, 1)];
    assert_eq!(offsets(Strategy::XlaSpatial, &buffers), [4, 0, 8, 4]);
}

/// By size: 0 at 0, 2 beside it in time at 0, 1 above both. By duration: 1 at 0, 2 above it, 0
/// above 1. Both take 12 bytes, and XLA keeps the first.
#[test]
fn xla_keeps_the_first_of_equals() {
    let buffers = [(10, 0, 1), (2, 0, 4), (3, 1, 4)];
    assert_eq!(offsets(Strategy::XlaSpatial, &buffers), [0, 10, 0]);
    assert_eq!(offsets(Strategy::XlaTemporal, &buffers), [2, 0, 2]);
    assert_eq!(offsets(Strategy::XlaBest, &buffers), [0, 10, 0]);
}

/// The place that is handed over is kept whole: 1 takes that of 0 and 2 that of 1.
#[test]
fn xla_colocates_what_is_handed_over() {
    let lifetimes = problem(&[(8, 0, 2), (8, 1, 3), (6, 2, 4), (3, 0, 4)]);
    let lifetimes = overwritten(lifetimes, &[(1, 0, 0), (2, 1, 0)]);
    for strategy in [Strategy::XlaSpatial, Strategy::XlaTemporal] {
        let made = judged(strategy, &lifetimes, 1);
        assert_eq!(made.offsets[1], made.offsets[0]);
        assert_eq!(made.offsets[2], made.offsets[0]);
        assert_eq!(made.arena, Bytes(11), "{strategy}");
    }
}

/// 2 meets only 1, which lies above 0, and goes above it, though the ten bytes of 0 are free.
#[test]
fn usmp_never_looks_below() {
    let buffers = [(10, 0, 2), (6, 1, 3), (4, 2, 4)];
    assert_eq!(offsets(Strategy::UsmpBySize, &buffers), [0, 10, 16]);
    let options = Options::aligned(Bytes(1));
    let (_, trace) = traced(Strategy::UsmpBySize, &problem(&buffers), &options);
    let overlooked = Reason::FreeRange {
        from: Offset(0),
        size: Some(Bytes(10)),
        why: Refusal::Overlooked,
    };
    let known: Vec<&[Reason]> = (0..3).map(|buffer| reasons(&trace, buffer)).collect();
    assert_eq!(known, [&[][..], &[], &[overlooked]]);
}

/// Of equal sizes the one with more conflicts comes first, then the later name: "9" before
/// "10". And by conflicts the sizes come second.
#[test]
fn usmp_breaks_ties_by_name_downwards() {
    let equal = [(5, 0, 1), (5, 0, 3), (5, 2, 3), (5, 2, 3)];
    assert_eq!(offsets(Strategy::UsmpBySize, &equal), [5, 0, 10, 5]);
    let unequal = [(9, 0, 1), (1, 0, 3), (9, 2, 3)];
    assert_eq!(offsets(Strategy::UsmpBySize, &unequal), [0, 9, 0]);
    assert_eq!(offsets(Strategy::UsmpByConflicts, &unequal), [1, 0, 1]);
    let mut pair = problem(&[(5, 0, 1), (5, 0, 1)]);
    pair.buffers[0].name = "10".into();
    pair.buffers[1].name = "9".into();
    for strategy in [Strategy::UsmpBySize, Strategy::UsmpByConflicts] {
        assert_eq!(judged(strategy, &pair, 1).offsets, [5, 0].map(Offset));
    }
}

/// TVM, tests/python/unittest/test_tir_usmp_algo_hill_climb.py (Apache-2.0; figures only):
/// closed intervals on which the hill climb must come within 5 % of the largest live sum.
#[test]
fn usmp_climbs_to_where_tvm_wants_it() {
    let cases: [&[(u64, u64, u64)]; 3] = [
        &[
            (2048, 0, 159),
            (7904, 0, 13),
            (16, 4, 35),
            (32768, 12, 17),
            (32768, 16, 21),
        ],
        &[
            (131_072, 0, 23),
            (65568, 4, 5),
            (8192, 4, 9),
            (15360, 8, 30),
            (65568, 10, 11),
            (4096, 10, 15),
            (65552, 16, 17),
            (2048, 16, 21),
            (32784, 22, 23),
            (1024, 22, 27),
        ],
        &[
            (95, 4, 5),
            (52135, 1, 4),
            (12136, 3, 4),
            (62099, 3, 5),
            (50458, 4, 5),
        ],
    ];
    for case in cases {
        let half_open = case
            .iter()
            .map(|&(size, first, last)| (size, first, last + 1));
        let lifetimes = problem(&half_open.collect::<Vec<_>>());
        let wanted = bounds(&lifetimes).offsets.0;
        let made = judged(Strategy::UsmpHillClimb, &lifetimes, 1);
        assert!(100 * (made.arena.0 - wanted) < 5 * wanted, "{case:?}");
    }
}

fn numbers(value: &Value) -> Vec<u64> {
    let list = value.as_array().expect("a list").iter();
    list.map(|n| n.as_u64().expect("a number")).collect()
}

/// Every offset as the second implementation has it, overwrites among them.
#[test]
fn a_second_implementation_agrees() {
    let vectors = include_str!("../data/heap_vectors.json");
    let cases: Value = serde_json::from_str(vectors).expect("vectors are JSON");
    let cases = cases.as_array().expect("a list of cases");
    assert!(cases.len() >= 20);
    for case in cases {
        let rows = |key: &str| -> Vec<Vec<u64>> {
            let list = case[key].as_array().expect("rows").iter();
            list.map(numbers).collect()
        };
        let buffers: Vec<_> = rows("buffers").iter().map(|b| (b[0], b[1], b[2])).collect();
        let index = |n: u64| usize::try_from(n).expect("an index");
        let pairs: Vec<_> = rows("overwrites")
            .iter()
            .map(|o| (index(o[0]), index(o[1]), o[2]))
            .collect();
        let plain = problem(&buffers);
        let lifetimes = overwritten(plain.clone(), &pairs);
        let alignment = case["alignment"].as_u64().expect("a number");
        for strategy in HEAPS {
            // The second implementation knows overwrites as MegEngine has them.
            let asked = if MEGENGINE.contains(&strategy) {
                &lifetimes
            } else {
                &plain
            };
            let made = judged(strategy, asked, alignment);
            let made: Vec<u64> = made.offsets.iter().map(|offset| offset.0).collect();
            assert_eq!(
                made,
                numbers(&case[strategy.name()]),
                "{strategy} {buffers:?}"
            );
        }
    }
}

/// Records everything.
#[derive(Default)]
struct Observed {
    events: Vec<Event>,
    /// Where the buffers are by what was reported.
    reported: Vec<Option<Offset>>,
    /// The same at the end of each attempt.
    attempts: Vec<Vec<Option<Offset>>>,
    incumbents: Vec<Vec<Offset>>,
    plan: Plan,
}

impl Observed {
    fn of(strategy: Strategy, lifetimes: &Lifetimes) -> Self {
        let mut observed = Self {
            reported: vec![None; lifetimes.buffers.len()],
            ..Self::default()
        };
        let options = Options::aligned(Bytes(1));
        observed.plan =
            plan(strategy, lifetimes, &options, &mut observed).expect("it can plan this");
        observed.attempts.push(observed.reported.clone());
        observed
    }
}

impl Observer for Observed {
    fn observe(&mut self, event: Event) -> ControlFlow<()> {
        self.events.push(event);
        match event {
            Event::Attempt { .. } => {
                self.attempts.push(self.reported.clone());
                self.reported.fill(None);
            }
            Event::Placed { buffer, offset } => {
                assert_eq!(self.reported[buffer].replace(offset), None);
            }
            Event::Moved { buffer, from, to } => {
                assert_ne!(from, to);
                assert_eq!(self.reported[buffer].replace(to), Some(from));
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn wants_every_step(&self) -> bool {
        true
    }

    fn incumbent(&mut self, offsets: &[Offset], arena: Bytes) {
        assert_eq!(self.events.last(), Some(&Event::Incumbent { arena }));
        self.incumbents.push(offsets.to_vec());
    }
}

fn arbitrary(random: &mut Random) -> Lifetimes {
    let buffer = |_| {
        let start = random.below(20);
        (random.within(1, 60), start, start + random.within(1, 8))
    };
    problem(&(0..30).map(buffer).collect::<Vec<_>>())
}

/// What is reported adds up to the plan: to the last attempt that was kept, where there are
/// several.
#[test]
fn what_is_told_is_what_is_planned() {
    let mut random = Random::new(11);
    let mut moved = 0;
    for _ in 0..40 {
        let lifetimes = arbitrary(&mut random);
        for strategy in HEAPS {
            let observed = Observed::of(strategy, &lifetimes);
            let planned: Vec<_> = observed.plan.offsets.iter().copied().map(Some).collect();
            assert!(observed.attempts.contains(&planned), "{strategy}");
            if strategy == Strategy::XlaBest {
                assert_eq!(observed.incumbents.last(), Some(&observed.plan.offsets));
                assert_eq!(
                    observed.attempts.len(),
                    3,
                    "what was before the first, and two"
                );
            }
            let move_reported = |event: &&Event| matches!(event, Event::Moved { .. });
            moved += observed.events.iter().filter(move_reported).count();
            let quiet = judged(strategy, &lifetimes, 1);
            assert_eq!(
                observed.plan, quiet,
                "{strategy}: asking for reasons changes nothing"
            );
        }
    }
    assert!(moved > 100, "MegEngine moves");
}

/// By size: 0 at 0, 1 above it, 2 below 1 where 0 is over, 3 above 1, and 4 above 3, since the
/// two bytes between 2 and 1 are too few. They suffice for 5, which leaves the 15 bytes between
/// 1 and 4 free.
#[test]
fn ranges_not_taken_have_their_reason() {
    let sizes = [
        (20, 0, 1),
        (19, 0, 2),
        (18, 1, 3),
        (15, 0, 1),
        (14, 0, 2),
        (2, 1, 2),
    ];
    let options = Options::aligned(Bytes(1));
    let made = |sizes: &[(u64, u64, u64)]| {
        let (plan, trace) = traced(Strategy::XlaSpatial, &problem(sizes), &options);
        let offsets: Vec<u64> = plan.offsets.iter().map(|offset| offset.0).collect();
        (offsets, trace)
    };
    let range = |from, size: Option<u64>, why| Reason::FreeRange {
        from: Offset(from),
        size: size.map(Bytes),
        why,
    };
    let (offsets, trace) = made(&sizes[..]);
    assert_eq!(offsets, [0, 20, 0, 39, 54, 18]);
    let expected = [
        range(39, Some(15), Refusal::LooserFit),
        range(68, None, Refusal::LooserFit),
    ];
    assert_eq!(reasons(&trace, 5), expected);
    let (offsets, trace) = made(&[(20, 0, 1), (19, 0, 2), (18, 1, 3), (12, 1, 2)][..]);
    assert_eq!(offsets, [0, 20, 0, 39]);
    assert_eq!(reasons(&trace, 3), [range(18, Some(2), Refusal::TooSmall)]);
}

/// Stops at the first attempt after so many.
struct Impatient(u32);

impl Observer for Impatient {
    fn observe(&mut self, event: Event) -> ControlFlow<()> {
        match event {
            Event::Attempt { attempt, .. } if attempt == self.0 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }
}

#[test]
fn a_stopped_climb_has_its_smallest_plan() {
    let mut random = Random::new(5);
    let options = Options::aligned(Bytes(1));
    for _ in 0..20 {
        let lifetimes = arbitrary(&mut random);
        let mut known = u64::MAX;
        for attempts in [1, 2, 5, 20, 100, 400] {
            let mut observer = Impatient(attempts);
            let made = plan(Strategy::UsmpHillClimb, &lifetimes, &options, &mut observer);
            let made = made.expect("there is a plan after the first attempt");
            assert!(made.arena.0 <= known);
            known = made.arena.0;
        }
        let none = plan(
            Strategy::UsmpHillClimb,
            &lifetimes,
            &options,
            &mut Impatient(0),
        );
        assert_eq!(none, Err(PlanError::Cancelled));
    }
}

#[test]
fn too_many_buffers_are_refused_by_number() {
    let many = |count| problem(&vec![(1, 0, 1); count]);
    let options = Options::aligned(Bytes(1));
    for (strategy, limit) in [
        (Strategy::UsmpHillClimb, 1 << 12),
        (Strategy::MegengineIntervalMove, 1 << 13),
    ] {
        let refused = plan(strategy, &many(limit + 1), &options, &mut Silent);
        let error = refused.expect_err("one too many");
        tests::chinese::assert_told(&error);
        let error = error.to_string();
        assert!(error.contains(&limit.to_string()), "{error}");
    }
}
