//! Why buffers lie where they do: handovers, pauses, pools, objects, and what searches give up.

use planner::internals::exact::{Rules, search};
use planner::trace::{
    Ended, Key, Layout, Note, Outcome, Picture, Pooling, Range, Reason, Recorder, Refusal, Rule,
    Sent, Shared, Sharing, Stop, Trace, Trial, free_ranges, shared, survey,
};
use planner::{Bytes, Handover, Lifetimes, Offset, Options, Pause, Plan, Pool, Span, Strategy};
use tests::lifetimes::of;

use super::{greedy_medium, leading_free_range, options, traced};

/// The picture after so many decisions.
fn at(trace: &Trace, lifetimes: &Lifetimes, step: usize) -> Layout {
    let mut picture = Picture::new(lifetimes.buffers.len());
    picture.show(trace, step);
    picture.layout(lifetimes, Bytes(1))
}

fn notes(trace: &Trace, frame: usize) -> Vec<Note> {
    let note = |reason: &Reason| match *reason {
        Reason::Note(note) => Some(note),
        Reason::FreeRange { .. } | Reason::Object { .. } => None,
    };
    trace.reasons(frame).iter().filter_map(note).collect()
}

fn outcomes(trace: &Trace) -> Vec<Outcome> {
    trace.frames().iter().map(|frame| frame.outcome).collect()
}

fn placed(buffer: usize, offset: u64) -> Outcome {
    let offset = Offset(offset);
    Outcome::Placed { buffer, offset }
}

/// b0 is written over by b1 and that by b2, 100 bytes each; b3, 60 bytes, is live beside both
/// handovers.
fn chain() -> Lifetimes {
    let mut lifetimes = of([
        (100, Span::new(0, 3)),
        (100, Span::new(2, 5)),
        (100, Span::new(4, 6)),
        (60, Span::new(1, 5)),
    ]);
    let shift = Bytes::ZERO;
    lifetimes.handovers = [(0, 1), (1, 2)]
        .map(|(before, after)| Handover {
            before,
            after,
            shift,
        })
        .to_vec();
    lifetimes
}

#[test]
fn the_buffer_whose_bytes_are_taken_over_is_reported() {
    let lifetimes = chain();
    for strategy in [
        Strategy::LitertArena,
        Strategy::OnnxruntimePattern,
        Strategy::XlaSpatial,
    ] {
        let (plan, trace) = traced(strategy, &lifetimes, &options(1)).expect("nothing is fixed");
        // All three at 0, and the 60 on them.
        assert_eq!(plan.offsets, [0, 0, 0, 100].map(Offset), "{strategy}");
        assert_eq!(notes(&trace, 0), [Note::Chain { last: 2 }], "{strategy}");
        let whole = at(&trace, &lifetimes, trace.frames().len());
        let shares = |other, how| Shared { other, how };
        assert_eq!(
            shared(&lifetimes, &whole, 1),
            [shares(0, Sharing::TakesOver), shares(2, Sharing::HandsOn)],
            "{strategy}"
        );
        assert_eq!(shared(&lifetimes, &whole, 3), [], "{strategy}");
        // Without those that follow b0, the 60 lie on it; they are gone when b2 ends.
        let mut two = whole.clone();
        (two.offsets[1], two.offsets[2]) = (None, None);
        let until = Some(lifetimes.buffers[2].span.end);
        let free = free_ranges(&lifetimes, &two, 0, until);
        let known = free.iter().map(|range| (range.from.0, range.size));
        let known: Vec<(u64, Option<Bytes>)> = known.collect();
        assert_eq!(known, [(0, Some(Bytes(100))), (160, None)], "{strategy}");
        // Alone, b0 ends before a buffer of the last step begins; with its chain it does not.
        let mut late = lifetimes.clone();
        late.buffers[3].span = Span::new(5, 6);
        assert_eq!(free_ranges(&late, &two, 0, None).len(), 1, "{strategy}");
        assert_eq!(free_ranges(&late, &two, 0, until).len(), 2, "{strategy}");
    }
}

#[test]
fn a_free_range_that_would_do_gives_way_to_a_hand_over() {
    // By size: b0 100 at 0; b1 100, written over it, at 0 too. The open space above would do.
    let mut lifetimes = of([(100, Span::new(0, 2)), (100, Span::new(1, 3))]);
    lifetimes.handovers = vec![Handover {
        before: 0,
        after: 1,
        shift: Bytes::ZERO,
    }];
    let (plan, trace) =
        traced(Strategy::OffsetsBySize, &lifetimes, &options(1)).expect("nothing is fixed");
    assert_eq!(plan.arena, Bytes(100));
    let open = Reason::FreeRange {
        from: Offset(100),
        size: None,
        why: Refusal::HandedOver,
    };
    assert_eq!(trace.reasons(1), [open]);
}

#[test]
fn who_lies_in_whose_pause_is_reported() {
    // b0 needs none of its 100 bytes in steps 2 to 4, the whole life of b1.
    let mut lifetimes = of([(100, Span::new(0, 8)), (60, Span::new(2, 5))]);
    let span = Span::new(2, 5);
    lifetimes.buffers[0].pauses = vec![Pause { span, window: None }];
    let (plan, trace) =
        traced(Strategy::OffsetsBySize, &lifetimes, &options(1)).expect("nothing is fixed");
    assert_eq!(plan.offsets, [0, 0].map(Offset));
    let whole = at(&trace, &lifetimes, 2);
    let shares = |other, how| vec![Shared { other, how }];
    let (of_other, own) = (Sharing::InPauseOf(span), Sharing::InOwnPause(span));
    assert_eq!(shared(&lifetimes, &whole, 1), shares(0, of_other));
    assert_eq!(shared(&lifetimes, &whole, 0), shares(1, own));
    // Nothing keeps it from lying anywhere.
    let free = free_ranges(&lifetimes, &whole, 1, None);
    assert_eq!(
        (free.len(), free[0].from, free[0].size),
        (1, Offset(0), None)
    );
}

fn two_pools() -> Options {
    let pool = |name: &str, capacity| Pool {
        name: name.into(),
        capacity,
    };
    Options {
        pools: vec![pool("SRAM", Some(Bytes(100))), pool("DRAM", None)],
        ..options(1)
    }
}

/// By hand: b2, 120 bytes, is larger than SRAM. Of the others by size: b0 60 at 0, b1 50 on
/// it, from 60 to 110 where SRAM ends at 100, so that it goes on to DRAM. SRAM without it needs
/// 60 again. DRAM begins there: b2 at its start, b1 on it.
#[test]
fn pools_are_told_with_what_they_have_left() {
    let lifetimes = of([
        (60, Span::new(0, 3)),
        (50, Span::new(1, 4)),
        (120, Span::new(0, 6)),
    ]);
    let (plan, trace) =
        traced(Strategy::OffsetsBySize, &lifetimes, &two_pools()).expect("it fits DRAM");
    assert_eq!(plan.offsets, [0, 180, 60].map(Offset));
    let planned = |pool, base, buffers, again| {
        Outcome::Pooling(Pooling::Planned {
            pool,
            base: Offset(base),
            buffers,
            again,
        })
    };
    let sent = |buffer, why| {
        let (from, to) = (0, 1);
        Outcome::Pooling(Pooling::Sent {
            buffer,
            from,
            to,
            why,
        })
    };
    let kept = Outcome::Pooling(Pooling::Kept {
        pool: 0,
        arena: Bytes(60),
        other: Bytes(60),
    });
    let expected = [
        sent(2, Sent::TooLarge),
        planned(0, 0, 2, 0),
        placed(0, 0),
        placed(1, 60),
        sent(1, Sent::Above { end: Bytes(110) }),
        planned(0, 0, 1, 1),
        placed(0, 0),
        kept,
        planned(1, 60, 2, 0),
        placed(2, 60),
        placed(1, 180),
        Outcome::Finished { arena: Bytes(230) },
    ];
    assert_eq!(outcomes(&trace), expected);
    // No buffer is taken up without an event: b1 leaves with step 5, b0 with step 6.
    let lies = |step| at(&trace, &lifetimes, step).offsets;
    assert_eq!(lies(4), [Some(Offset(0)), Some(Offset(60)), None]);
    assert_eq!(lies(5), [Some(Offset(0)), None, None]);
    assert_eq!(lies(6), [None; 3]);
    let whole = at(&trace, &lifetimes, 11);
    assert_eq!([0, 1, 2].map(|buffer| whole.pool(buffer)), [0, 1, 1]);
    assert_eq!([0, 1].map(|pool| whole.base(pool)), [Offset(0), Offset(60)]);
    // In DRAM b1 lies on b2; what lies in SRAM does not stand in its way.
    assert_eq!(
        free_ranges(&lifetimes, &whole, 1, None)[0].from,
        Offset(180)
    );
    assert_eq!(survey(&trace, &lifetimes, Bytes(1)).decisive, None);
}

/// b0, 60 bytes, prefers DRAM, where b1, 70, is planned after SRAM was. Then b2 comes back
/// to SRAM, which is planned again: DRAM moves up as a whole.
#[test]
fn a_pool_moves_as_a_whole() {
    // b1 goes to SRAM at first, 70 of 100 bytes; b2, 50, is larger than the 40 of FAST, its
    // first choice, and b0 is in DRAM.
    let lifetimes = {
        let mut lifetimes = of([
            (60, Span::new(0, 2)),
            (30, Span::new(0, 2)),
            (35, Span::new(0, 2)),
        ]);
        // b1 and b2 want the first pool of 40, where one of them goes on to the third; the
        // second pool was planned by then.
        lifetimes.buffers[0].pools = vec![2];
        lifetimes.buffers[1].pools = vec![1, 0];
        lifetimes.buffers[2].pools = vec![1, 0];
        lifetimes
    };
    let pool = |name: &str, capacity: u64| Pool {
        name: name.into(),
        capacity: Some(Bytes(capacity)),
    };
    let options = Options {
        pools: vec![pool("A", 100), pool("B", 40), pool("C", 100)],
        ..options(1)
    };
    let (plan, trace) =
        traced(Strategy::OffsetsBySize, &lifetimes, &options).expect("there is room");
    // B is planned with 35 and 30: the 30 ends at 65 and goes to A, which then needs 30. So B
    // begins at 30 and C after it at 65.
    assert_eq!(plan.offsets, [65, 0, 30].map(Offset));
    let based = Pooling::Based {
        pool: 1,
        from: Offset(0),
        to: Offset(30),
    };
    let found = outcomes(&trace);
    let step = found.iter().position(|&it| it == Outcome::Pooling(based));
    let step = step.expect("B begins elsewhere") + 1;
    let (before, after) = (
        at(&trace, &lifetimes, step - 1),
        at(&trace, &lifetimes, step),
    );
    assert_eq!(before.offsets[2], Some(Offset(0)));
    assert_eq!(after.offsets[2], Some(Offset(30)));
    assert_eq!(after.base(1), Offset(30));
}

/// As in the test of deployed planners: 100 opens object 0, 90 object 1, and so on.
#[test]
fn ranges_are_in_the_picture() {
    let lifetimes = of([
        (100, Span::new(0, 3)),
        (90, Span::new(2, 3)),
        (80, Span::new(0, 1)),
    ]);
    let (_, trace) =
        traced(Strategy::ExecutorchGreedy, &lifetimes, &options(1)).expect("nothing is fixed");
    let whole = at(&trace, &lifetimes, 3);
    let range = |index, from, size| Range {
        pool: 0,
        index,
        from: Offset(from),
        size: Bytes(size),
    };
    assert_eq!(whole.ranges, [range(0, 0, 100), range(1, 100, 90)]);
    // A segment of PyTorch's is no part of the arena, which ends after the 300 bytes.
    let one = of([(300, Span::new(0, 1))]);
    let (plan, trace) =
        traced(Strategy::PytorchCaching, &one, &options(1)).expect("nothing is fixed");
    let whole = at(&trace, &one, 1);
    assert_eq!((plan.arena, whole.arena), (Bytes(300), Bytes(300)));
    assert_eq!(whole.ranges, [range(0, 0, 2 << 20)]);
    assert_eq!(trace.reserved, Some(Bytes(2 << 20)));
    assert_eq!(notes(&trace, 0)[0], Note::Counted { bytes: Bytes(512) });
}

/// a 10, b 20 over it; c, 15 bytes, comes when a is gone: the only free block, of 10 bytes
/// below b, grows to 15, so that b ends 5 bytes higher.
#[test]
fn blocks_that_grow_are_reported() {
    let lifetimes = of([
        (10, Span::new(0, 1)),
        (20, Span::new(0, 3)),
        (15, Span::new(1, 3)),
    ]);
    let (plan, trace) =
        traced(Strategy::MegenginePushdown, &lifetimes, &options(1)).expect("nothing is fixed");
    assert_eq!(plan.offsets, [0, 15, 0].map(Offset));
    let reused = |block: Option<u64>| {
        let block = block.map(Bytes);
        vec![Note::Reused { block }]
    };
    let reported: Vec<Vec<Note>> = (0..3).map(|frame| notes(&trace, frame)).collect();
    assert_eq!(reported, [reused(None), reused(None), reused(Some(10))]);
    let moved = Outcome::Moved {
        buffer: 1,
        from: Offset(10),
        to: Offset(15),
    };
    assert_eq!(outcomes(&trace)[3], moved);
}

/// The longest first: b0 60 at 0. b1 25 is as long, but starts later: no free range holds it, and
/// it costs least to put it below b0, as all costs are alike and the lowest wins.
#[test]
fn the_buffer_that_makes_room_is_reported() {
    let lifetimes = of([(60, Span::new(1, 5)), (25, Span::new(2, 6))]);
    let (plan, trace) =
        traced(Strategy::MegengineIntervalMove, &lifetimes, &options(1)).expect("nothing is fixed");
    assert_eq!(plan.offsets, [25, 0].map(Offset));
    assert_eq!(notes(&trace, 1), [Note::MakesRoom { by: 1 }]);
    let widened = Note::Widened {
        from: Offset(0),
        size: Bytes::ZERO,
    };
    assert_eq!(notes(&trace, 2), [widened]);
}

#[test]
fn an_incumbent_is_the_picture() {
    let lifetimes = greedy_medium();
    let (plan, trace) = traced(Strategy::Best, &lifetimes, &options(1)).expect("nothing is fixed");
    assert_eq!(plan.arena, Bytes(80), "the bound");
    let mut announced = 0;
    for (frame, outcome) in outcomes(&trace).into_iter().enumerate() {
        if let Outcome::Incumbent { arena } = outcome {
            let shown = at(&trace, &lifetimes, frame + 1);
            assert!(shown.offsets.iter().all(Option::is_some), "step {frame}");
            assert_eq!(shown.arena, arena, "step {frame}");
            announced += 1;
        }
    }
    assert!(announced > 0);
    // The first attempt says what it tries, and takes nothing away.
    let first = Outcome::Attempt {
        attempt: 0,
        trial: Trial::Skyline([Key::Width, Key::Area, Key::Total]),
    };
    assert_eq!(outcomes(&trace)[0], first);
}

/// Down from a plan of 90 bytes, at 89. The longest first, ties by area: b4 50, b3 40, b2 30,
/// b1 20, b0 10, all two steps long. b4 at 0, then b3 at 0 too: of what is live at step 2, b1
/// 20 can lie on b4 only, b2 30 on b3 from 40 on: 40 + 50 bytes are beyond 89.
#[test]
fn a_branch_is_given_up_with_its_numbers() {
    let lifetimes = greedy_medium();
    let incumbent = Plan {
        offsets: [50, 70, 40, 0, 0].map(Offset).to_vec(),
        arena: Bytes(90),
        ..Plan::default()
    };
    let mut recorder = Recorder::new(&lifetimes);
    let found = search(
        &lifetimes,
        &options(1),
        Some(incumbent),
        Rules::ALL,
        &mut recorder,
    );
    let plan = found.expect("sizes are small").plan;
    let trace = recorder.finish(&options(1), &plan);
    let found = outcomes(&trace);
    let tried = |outcome: &&Outcome| matches!(outcome, Outcome::Attempt { .. });
    let walk = Outcome::Attempt {
        attempt: 0,
        trial: Trial::Walk {
            capacity: Bytes(89),
            bound: Bytes(80),
            order: [Key::Width, Key::Area, Key::Total],
            buffers: 5,
            most: Some(10),
        },
    };
    assert_eq!(found.iter().find(tried), Some(&walk));
    let stop = Stop {
        buffer: 3,
        offset: Offset(0),
        other: None,
        step: Some(2),
        floor: Bytes(40),
        needed: Bytes(90),
        capacity: Bytes(89),
    };
    assert_eq!(given_up(&found)[0], (Rule::SectionInference, 1, stop));
    let ended = Outcome::Ended {
        how: Ended::Found { arena: plan.arena },
    };
    assert!(found.contains(&ended));
    // What was searched for is not one decision's doing.
    assert_eq!(survey(&trace, &lifetimes, Bytes(1)).decisive, None);
}

/// What was given up: rule, number of placed buffers, and where.
fn given_up(outcomes: &[Outcome]) -> Vec<(Rule, usize, Stop)> {
    let pruned = outcomes.iter().filter_map(|outcome| match *outcome {
        Outcome::Pruned { rule, depth, stop } => Some((rule, depth, stop)),
        _ => None,
    });
    pruned.collect()
}

/// b0, 10 bytes fixed at 10; b1 15 beside it can lie only on it, from 20 to 35. So at 34: b1
/// at 0 would push b0 up to 15; with b3, 6 bytes, at 0, b1 at 6 would push it too, and lifted by
/// b0, which is all that is left to lift it, b1 would end at 35.
#[test]
fn the_buffer_that_would_end_above_the_capacity_is_reported() {
    let mut lifetimes = of([
        (10, Span::new(0, 4)),
        (15, Span::new(0, 2)),
        (12, Span::new(2, 4)),
        (6, Span::new(1, 3)),
    ]);
    lifetimes.buffers[0].fixed = Some(Offset(10));
    let (plan, trace) = traced(Strategy::Exact, &lifetimes, &options(1)).expect("no pools");
    assert_eq!(plan.arena, Bytes(35));
    let pushed = Stop {
        buffer: 1,
        offset: Offset(0),
        other: Some(0),
        step: None,
        floor: Bytes(15),
        needed: Bytes(25),
        capacity: Bytes(34),
    };
    let lifted = Stop {
        offset: Offset(6),
        other: Some(1),
        floor: Bytes(20),
        needed: Bytes(35),
        ..pushed
    };
    let found = outcomes(&trace);
    assert!(given_up(&found).contains(&(Rule::Capacity, 0, pushed)));
    assert!(given_up(&found).contains(&(Rule::Postponed, 1, lifted)));
    let never = Ended::Never {
        capacity: Bytes(34),
        bound: Some(Bytes(35)),
    };
    assert!(found.contains(&Outcome::Ended { how: never }));
}

/// The mark stands at the decision that reaches the final height, not at the first that is
/// above the bound.
#[test]
fn the_decision_that_makes_the_arena_is_the_decisive_one() {
    let lifetimes = leading_free_range();
    let (_, trace) = traced(Strategy::Xnnpack, &lifetimes, &options(1)).expect("nothing is fixed");
    // Against a bound of 150, the 80 at 100 are above it already; the 60 at 180 make the 240.
    assert_eq!(survey(&trace, &lifetimes, Bytes(150)).decisive, Some(2));
    assert_eq!(survey(&trace, &lifetimes, Bytes(240)).decisive, None);
}
