//! Pauses, handovers, fixed addresses, pools and bounds through every strategy: what is said of
//! them, and that it is true.

use planner::bounds::must_move;
use planner::{
    AboveNaive, Bytes, Constraint, Effort, Handover, Lifetimes, Offset, Options, Pause, Plan,
    PlanError, Pool, Silent, Span, Strategy, Unsearched, check, clash, fixed_unaligned, metrics,
    plan, what_if,
};
use tests::arbitrary::{Shape, compatible, lifetimes};
use tests::lifetimes::named as problem;
use tests::random::Random;

fn options(alignment: u64) -> Options {
    Options {
        effort: Effort {
            nodes: 500,
            moves: 50,
        },
        ..Options::aligned(Bytes(alignment))
    }
}

/// Two fixed buffers that share bytes 4 to 8 during steps 2 and 3.
fn colliding() -> Lifetimes {
    let mut three = problem(&[("low", 8, 0, 4), ("free", 4, 0, 4), ("high", 8, 2, 6)]);
    three.buffers[0].fixed = Some(Offset(0));
    three.buffers[2].fixed = Some(Offset(4));
    three
}

#[test]
fn fixed_addresses_that_collide_are_one_named_error_for_all() {
    let three = colliding();
    for strategy in Strategy::ALL {
        let error = plan(strategy, &three, &options(1), &mut Silent).expect_err("no plan");
        let PlanError::FixedClash(clash) = &error else {
            panic!("{strategy}: {error}");
        };
        let names = clash.buffers.each_ref().map(|it| it.name.as_str());
        assert_eq!((names, clash.step.0), (["low", "high"], 2));
        tests::chinese::assert_told(&error);
        let says = error.to_string();
        for part in [
            "\"low\" (bytes 0 to 8, steps 0 to 3)",
            "\"high\" (bytes 4 to 12, steps 2 to 5)",
            "step 2",
            "move one",
        ] {
            assert!(says.contains(part), "{says}");
        }
    }
}

#[test]
fn what_touches_or_misses_does_not_collide() {
    let mut three = colliding();
    // One after the other in memory, or in time.
    three.buffers[2].fixed = Some(Offset(8));
    assert_eq!(clash(&three), None);
    three.buffers[2].fixed = Some(Offset(4));
    three.buffers[2].span = Span::new(4, 6);
    assert_eq!(clash(&three), None);
    // Of `low` only the first 4 bytes are needed while `high` is there.
    let mut three = colliding();
    three.buffers[0].pauses = vec![Pause {
        span: Span::new(2, 4),
        window: Some((Bytes(0), Bytes(4))),
    }];
    assert_eq!(clash(&three), None);
    // `high` is written over `low`, 4 bytes after its start.
    let mut three = colliding();
    three.buffers[0].span = Span::new(0, 3);
    let shifted = |shift| Handover {
        before: 0,
        after: 2,
        shift: Bytes(shift),
    };
    three.handovers = vec![shifted(4)];
    assert_eq!(clash(&three), None);
    three.handovers = vec![shifted(3)];
    assert!(clash(&three).is_some());
}

/// The judge, which shares no code with it, rejects a plan of the fixed buffers alone exactly
/// where they collide; so does a test byte by byte.
#[test]
fn the_judge_rejects_what_collides() {
    let mut random = Random::new(2026);
    let mut counts = [0, 0];
    for round in 0..600 {
        let shape = Shape {
            buffers: 1 + random.below(6),
            steps: 1 + random.below(8),
            size: 1 + random.below(12),
            pauses: 40 * (round % 2),
            handovers: 50 * (round / 2 % 2),
            fixed: 100,
            ..Shape::default()
        };
        let lifetimes = lifetimes(&mut random, shape);
        let places = lifetimes.buffers.iter().map(|it| it.fixed);
        let offsets: Vec<Offset> = places.map(Option::unwrap_or_default).collect();
        let given = Plan {
            arena: what_if::arena(&lifetimes, &offsets, &options(1)),
            offsets,
            ..Plan::default()
        };
        let found = clash(&lifetimes);
        let judged = check(&lifetimes, &given, &options(1));
        assert_eq!(
            found.is_some(),
            !judged.is_empty(),
            "{lifetimes:?} {judged:?}"
        );
        if let Some(clash) = &found {
            let place = |which: usize| (clash.buffers[which].buffer, clash.buffers[which].at.0);
            assert!(!compatible(&lifetimes, place(0), place(1)), "{clash}");
        }
        counts[usize::from(found.is_some())] += 1;
    }
    assert!(counts.iter().all(|&count| count > 50), "{counts:?}");
}

#[test]
fn a_fixed_address_holds_whatever_the_alignment() {
    let mut two = problem(&[("a", 8, 0, 4), ("b", 8, 0, 4)]);
    two.buffers[1].fixed = Some(Offset(100));
    assert_eq!(fixed_unaligned(&two, Bytes(64)), vec![1], "100 = 64 + 36");
    assert!(fixed_unaligned(&two, Bytes(4)).is_empty());
    two.buffers[1].alignment = Bytes(8);
    assert_eq!(
        fixed_unaligned(&two, Bytes(4)),
        vec![1],
        "its own counts too"
    );
    let made = plan(Strategy::OffsetsBySize, &two, &options(64), &mut Silent).expect("a plan");
    assert_eq!(made.offsets[1], Offset(100));
    assert_eq!(check(&two, &made, &options(64)), []);
}

#[test]
fn what_is_kept_without_being_used_is_said() {
    let mut pair = problem(&[("a", 8, 0, 2), ("b", 8, 1, 3)]);
    assert_eq!(
        Strategy::TflmGreedy.unused(&pair),
        [],
        "nothing is asked for"
    );
    pair.handovers = vec![Handover {
        before: 0,
        after: 1,
        shift: Bytes(0),
    }];
    assert_eq!(Strategy::TflmGreedy.unused(&pair), [Constraint::Handovers]);
    assert_eq!(Strategy::LitertArena.unused(&pair), []);
    pair.buffers[0].pauses = vec![Pause {
        span: Span::new(1, 2),
        window: None,
    }];
    let both = [Constraint::Pauses, Constraint::Handovers];
    assert_eq!(Strategy::TflmGreedy.unused(&pair), both);
    assert_eq!(
        Strategy::StripBestFit.unused(&pair),
        [Constraint::Handovers]
    );
    assert_eq!(Strategy::Best.unused(&pair), []);
    // A strategy that leaves both unused plans as if neither were there: 8 bytes beside 8.
    for strategy in Strategy::ALL {
        let made = plan(strategy, &pair, &options(1), &mut Silent).expect("a plan");
        let least = if strategy.unused(&pair) == both {
            16
        } else {
            8
        };
        assert!(made.arena.0 >= least, "{strategy}");
    }
}

/// Pools of these capacities, 0 for no limit.
fn pools(capacities: &[u64]) -> Options {
    let pool = |(index, &capacity): (usize, &u64)| Pool {
        name: format!("pool {index}"),
        capacity: (capacity > 0).then_some(Bytes(capacity)),
    };
    Options {
        pools: capacities.iter().enumerate().map(pool).collect(),
        ..options(1)
    }
}

fn least(lifetimes: &Lifetimes, options: &Options) -> u64 {
    let capacities = options.pools.iter().map(|pool| pool.capacity);
    must_move(lifetimes, &capacities.collect::<Vec<_>>()).0
}

#[test]
fn what_cannot_stay_is_counted() {
    // 12 + 8 at step 1: 4 beyond 16, but what leaves is whole: 8 at least. Later 10 + 10 with
    // nothing in between: 4 beyond, 10 at least. And 20 never fits.
    let five = problem(&[
        ("a", 12, 0, 2),
        ("b", 8, 1, 3),
        ("c", 10, 3, 5),
        ("d", 10, 4, 6),
        ("huge", 20, 8, 9),
    ]);
    let two = pools(&[16, 0]);
    assert_eq!(least(&five, &two), 8 + 10 + 20);
    let best = plan(Strategy::Best, &five, &two, &mut Silent).expect("a plan");
    let bounds = planner::bounds::bounds(&five);
    let figures = metrics::metrics(&five, &best, &bounds);
    assert_eq!(figures.must_move, Some(Bytes(38)));
    assert_eq!(figures.spilled, Some(Bytes(38)), "so no plan moves less");
    // What prefers the other pool counts there; no limit, nothing to move.
    let mut other = five;
    for buffer in &mut other.buffers {
        buffer.pools = vec![1, 0];
    }
    assert_eq!(least(&other, &two), 0);
    assert_eq!(least(&other, &pools(&[0, 16])), 38);
}

#[test]
fn nobody_moves_less_than_must_be() {
    let mut random = Random::new(91);
    let (mut met, mut positive) = (0, 0);
    for round in 0..240 {
        let shape = Shape {
            buffers: random.below(14),
            steps: 1 + random.below(12),
            size: 1 + random.below(30),
            pauses: 30 * (round % 2),
            handovers: 40 * (round / 2 % 2),
            pools: 3,
            ..Shape::default()
        };
        let lifetimes = lifetimes(&mut random, shape);
        let options = pools(&[10 + random.below(40), 10 + random.below(40), 0]);
        let must = least(&lifetimes, &options);
        let bounds = planner::bounds::bounds(&lifetimes);
        for strategy in Strategy::ALL {
            if let Ok(made) = plan(strategy, &lifetimes, &options, &mut Silent) {
                let figures = metrics::metrics(&lifetimes, &made, &bounds);
                let spilled = figures.spilled.unwrap_or_default().0;
                assert!(spilled >= must, "{strategy} {lifetimes:?} {options:?}");
                met += u32::from(spilled == must && must > 0);
            }
        }
        positive += u32::from(must > 0);
    }
    assert!(positive > 30 && met > 100, "{positive} {met}");
}

/// Fixed addresses that do not collide, in a first pool that holds all, with and without
/// other pools to go to: every plan keeps them, that of the best strategy too.
#[test]
fn fixed_addresses_are_kept_with_pools() {
    let mut random = Random::new(33);
    let (mut planned, mut refused) = (0, 0);
    for _ in 0..40 {
        let shape = Shape {
            buffers: 12,
            steps: 10,
            size: 30,
            pools: 2,
            ..Shape::default()
        };
        let mut lifetimes = lifetimes(&mut random, shape);
        for (buffer, place) in lifetimes.buffers.iter_mut().step_by(4).zip(0_u64..) {
            buffer.fixed = Some(Offset(place * 40 + random.below(10)));
            buffer.pools = Vec::new();
        }
        let options = pools(&[150, 0]);
        for strategy in Strategy::ALL {
            match plan(strategy, &lifetimes, &options, &mut Silent) {
                Ok(made) => {
                    assert_eq!(check(&lifetimes, &made, &options), [], "{strategy}");
                    planned += 1;
                }
                Err(PlanError::Unsupported { .. }) => refused += 1,
                Err(error) => panic!("{strategy}: {error}"),
            }
        }
        assert!(plan(Strategy::Best, &lifetimes, &options, &mut Silent).is_ok());
    }
    assert!(planned > 200 && refused > 200, "{planned} {refused}");
}

/// Without alignments only those that say so are ever larger than no reuse at all, and they
/// are; with alignments the order of blocks decides how much padding there is.
#[test]
fn only_whole_blocks_and_padding_exceed_no_reuse() {
    let naive = |lifetimes: &Lifetimes, options: &Options| {
        let made = plan(Strategy::Naive, lifetimes, options, &mut Silent);
        made.expect("a plan").arena
    };
    let mut random = Random::new(5);
    for _ in 0..60 {
        let shape = Shape {
            buffers: random.below(20),
            steps: 1 + random.below(20),
            size: 1 + random.below(200),
            ..Shape::default()
        };
        let lifetimes = lifetimes(&mut random, shape);
        let most = naive(&lifetimes, &options(1));
        for strategy in Strategy::ALL {
            if matches!(
                strategy.description().above_naive,
                None | Some(AboveNaive::Padding)
            ) {
                let made = plan(strategy, &lifetimes, &options(1), &mut Silent);
                assert!(made.expect("a plan").arena <= most, "{strategy}");
            }
        }
    }
    // One byte takes a whole block, and two that are live at once two of them.
    let two = problem(&[("a", 1, 0, 2), ("b", 1, 0, 2)]);
    for strategy in [Strategy::TensorflowBfc, Strategy::PytorchCaching] {
        let Some(AboveNaive::Blocks(block) | AboveNaive::Segments(block)) =
            strategy.description().above_naive
        else {
            panic!("{strategy} gives out whole blocks");
        };
        let made = plan(strategy, &two, &options(1), &mut Silent).expect("a plan");
        assert_eq!(made.offsets[1], Offset(block.0), "{strategy}");
        assert!(made.arena > naive(&two, &options(1)));
    }
    // In order of the file 1 lies after 8, and 8 + 1 is all. By first use it lies below.
    let mut late = problem(&[("late", 8, 1, 3), ("early", 1, 0, 2)]);
    late.buffers[0].alignment = Bytes(8);
    assert_eq!(naive(&late, &options(1)), Bytes(9));
    let made = plan(Strategy::OffsetsInOrder, &late, &options(1), &mut Silent);
    assert_eq!(made.expect("a plan").arena, Bytes(16));
}

/// What searches says that with pools it does not search which buffer goes where; what does not
/// search has nothing to say.
#[test]
fn searches_say_that_they_do_not_share_out_pools() {
    let three = problem(&[("a", 8, 0, 4), ("b", 6, 0, 4), ("c", 4, 0, 4)]);
    let pool = |name: &str, capacity| Pool {
        name: name.into(),
        capacity,
    };
    for strategy in [Strategy::Best, Strategy::Exact, Strategy::OffsetsBySize] {
        let mut options = options(1);
        let alone = plan(strategy, &three, &options, &mut Silent).expect("there is room");
        assert_eq!(alone.unsearched, None);
        options.pools = vec![pool("small", Some(Bytes(10))), pool("large", None)];
        let pooled = plan(strategy, &three, &options, &mut Silent).expect("there is room");
        let searches = strategy != Strategy::OffsetsBySize;
        let said = searches.then_some(Unsearched::Pools);
        assert_eq!(pooled.unsearched, said, "{strategy}");
    }
}
