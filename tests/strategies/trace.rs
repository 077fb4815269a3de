//! What strategies report of their decisions, and the trace made of it.

mod limits;
mod objects;
mod reasons;
mod windows;

use planner::trace::{
    Event, Layout, Outcome, Picture, Reason, Recorder, Refusal, Rule, Stack, Stop, Trace, Trial,
    free_ranges, stack, survey,
};
use planner::{
    Buffer, Bytes, Effort, Lifetimes, Observer, Offset, Options, Plan, PlanError, Silent, Span,
    Strategy, plan,
};
use tests::lifetimes::{chain, layered, of, scattered, skips};

/// Searches are short, so that every decision is kept.
fn options(alignment: u64) -> Options {
    Options {
        effort: Effort {
            nodes: 500,
            moves: 50,
        },
        ..Options::aligned(Bytes(alignment))
    }
}

/// Records a strategy; `None` where it cannot plan these lifetimes.
fn traced(strategy: Strategy, lifetimes: &Lifetimes, options: &Options) -> Option<(Plan, Trace)> {
    let mut recorder = Recorder::new(lifetimes);
    match plan(strategy, lifetimes, options, &mut recorder) {
        Ok(plan) => {
            let trace = recorder.finish(options, &plan);
            Some((plan, trace))
        }
        Err(PlanError::Unsupported { .. }) => None,
        Err(error) => panic!("{strategy}: {error}"),
    }
}

/// Records events that no strategy emitted.
fn recorded(lifetimes: &Lifetimes, plan: &Plan, events: &[Event]) -> Trace {
    let mut recorder = Recorder::new(lifetimes);
    for &event in events {
        assert!(
            recorder.observe(event).is_continue(),
            "a recorder never stops"
        );
    }
    recorder.finish(&options(1), plan)
}

fn small() -> Vec<Lifetimes> {
    let mut some = vec![
        Lifetimes::default(),
        of([(7, Span::new(0, 3))]),
        of([
            (0, Span::new(0, 3)),
            (9, Span::new(2, 2)),
            (5, Span::new(1, 4)),
        ]),
        greedy_medium(),
        leading_free_range(),
    ];
    for seed in 0..4 {
        some.push(scattered(seed, 24, 20, 500));
        some.push(chain(seed, 12, 900));
        some.push(skips(seed, 16, 3, 6, 300));
        some.push(layered(seed, 2, 3, 400));
    }
    some
}

fn placed(buffer: usize, offset: u64) -> Event {
    let offset = Offset(offset);
    Event::Placed { buffer, offset }
}

/// An attempt whose decisions are reported.
fn attempt(attempt: u32) -> Event {
    let trial = Trial::FirstFit;
    Event::Attempt { attempt, trial }
}

/// A branch given up at buffer `buffer`.
fn stop(buffer: usize) -> Stop {
    Stop {
        buffer,
        offset: Offset(0),
        other: None,
        step: None,
        floor: Bytes::ZERO,
        needed: Bytes::ZERO,
        capacity: Bytes::ZERO,
    }
}

/// Which buffer lies where, in one memory.
fn layout(offsets: &[Option<Offset>]) -> Layout {
    Layout {
        offsets: offsets.to_vec(),
        ..Layout::default()
    }
}

/// TFLite Micro's TestGreedyMedium, its closed spans as half-open ones.
fn greedy_medium() -> Lifetimes {
    of([
        (10, Span::new(0, 2)),
        (20, Span::new(1, 3)),
        (30, Span::new(2, 4)),
        (40, Span::new(3, 5)),
        (50, Span::new(0, 2)),
    ])
}

/// XNNPACK's issue 10800.
fn leading_free_range() -> Lifetimes {
    of([
        (100, Span::new(0, 2)),
        (80, Span::new(1, 3)),
        (60, Span::new(2, 4)),
    ])
}

#[test]
fn the_last_picture_is_the_plan_whatever_the_strategy() {
    for (problem, lifetimes) in small().iter().enumerate() {
        for strategy in Strategy::ALL {
            for alignment in [1, 64] {
                let options = options(alignment);
                let Some((plan, trace)) = traced(strategy, lifetimes, &options) else {
                    continue;
                };
                let what = format!("{strategy}, problem {problem}, alignment {alignment}");
                let frames = trace.frames();
                let last = frames.last().map(|frame| frame.outcome);
                assert_eq!(
                    last,
                    Some(Outcome::Finished { arena: plan.arena }),
                    "{what}"
                );
                assert_eq!(
                    (trace.decisions, trace.sampled),
                    (frames.len() as u64, None),
                    "{what}"
                );
                let mut picture = Picture::new(lifetimes.buffers.len());
                picture.show(&trace, frames.len());
                is_the_plan(&picture, lifetimes, &options, &plan, &what);
                // What a strategy of one attempt reported is all that there is.
                let searched = frames.iter().any(|frame| {
                    matches!(
                        frame.outcome,
                        Outcome::Attempt { .. } | Outcome::Incumbent { .. }
                    )
                });
                if !searched {
                    picture.show(&trace, frames.len() - 1);
                    is_the_plan(
                        &picture,
                        lifetimes,
                        &options,
                        &plan,
                        &format!("{what}, told"),
                    );
                }
            }
        }
    }
}

fn is_the_plan(
    picture: &Picture,
    lifetimes: &Lifetimes,
    options: &Options,
    plan: &Plan,
    what: &str,
) {
    let layout = picture.layout(lifetimes, options.alignment);
    let offsets: Option<Vec<Offset>> = layout.offsets.into_iter().collect();
    assert_eq!(offsets.as_ref(), Some(&plan.offsets), "{what}");
    if let Some(objects) = &plan.objects {
        assert_eq!(picture.objects(), objects.sizes, "{what}");
    }
}

#[test]
fn being_filmed_changes_no_plan() {
    for lifetimes in small() {
        for strategy in Strategy::ALL {
            let quiet = plan(strategy, &lifetimes, &options(8), &mut Silent).ok();
            let trace = traced(strategy, &lifetimes, &options(8));
            assert_eq!(trace.map(|trace| trace.0), quiet, "{strategy}");
        }
    }
}

#[test]
fn a_film_survives_the_way_to_the_page() {
    let lifetimes = scattered(3, 40, 30, 900);
    for strategy in [Strategy::OffsetsBySize, Strategy::GreedyByBreadth] {
        let (_, trace) = traced(strategy, &lifetimes, &options(1)).expect("nothing is fixed");
        let bytes = postcard::to_allocvec(&trace).expect("a film has a length");
        assert_eq!(
            postcard::from_bytes::<Trace>(&bytes),
            Ok(trace),
            "{strategy}"
        );
    }
}

#[test]
fn going_back_shows_what_was_there() {
    let lifetimes = scattered(9, 30, 20, 700);
    let (_, trace) = traced(Strategy::OffsetsInOrder, &lifetimes, &options(1)).expect("plans");
    let mut there = Vec::new();
    let mut picture = Picture::new(30);
    for step in 0..=trace.frames().len() {
        picture.show(&trace, step);
        let count = picture.places().iter().flatten().count();
        assert_eq!(count, step.min(30), "one buffer each step, then the end");
        there.push(picture.clone());
    }
    for step in (0..there.len()).rev().chain([3, 17, 2]) {
        picture.show(&trace, step);
        assert_eq!(picture, there[step], "step {step}");
    }
}

/// a [0, 4) and b [0, 1) lie at 0 and 40; c [1, 2) and d [1, 3) on a, so that e [0, 3) meets
/// only what is left between them.
#[test]
fn the_best_fit_is_reported_with_the_ranges_that_were_not_taken() {
    // By hand, the largest first: a 40 at 0; b 30 [0,1) at 40; c 20 [2,3) at 40;
    // d 15 [1,3) on c at 60; e 10 [1,2): beside a and d, in the free range from 40 to 60.
    let lifetimes = of([
        (40, Span::new(0, 4)),
        (30, Span::new(0, 1)),
        (20, Span::new(2, 3)),
        (15, Span::new(1, 3)),
        (10, Span::new(1, 2)),
    ]);
    let (plan, trace) = traced(Strategy::OffsetsBySize, &lifetimes, &options(1)).expect("plans");
    assert_eq!(plan.offsets, [0, 40, 40, 60, 40].map(Offset));
    let open = |from| Reason::FreeRange {
        from: Offset(from),
        size: None,
        why: Refusal::LooserFit,
    };
    let reasons: Vec<&[Reason]> = (0..6).map(|frame| trace.reasons(frame)).collect();
    assert_eq!(reasons, [&[][..], &[], &[], &[], &[open(75)], &[]]);
}

#[test]
fn free_ranges_are_listed_by_address_with_what_keeps_the_buffer_out() {
    // Fixed: 10 bytes at 20, 10 at 34, 10 at 104. 12 bytes find free ranges of 20, 4 and 60.
    let fixed = |name: &str, at| Buffer {
        fixed: Some(Offset(at)),
        ..Buffer::new(name, 10, Span::new(0, 5))
    };
    let lifetimes = Lifetimes::of([
        fixed("x", 20),
        fixed("y", 34),
        fixed("z", 104),
        Buffer::new("w", 12, Span::new(1, 2)),
    ]);
    let (plan, trace) = traced(Strategy::OffsetsBySize, &lifetimes, &options(1)).expect("plans");
    assert_eq!(plan.offsets[3], Offset(0));
    let range = |from, size, why| Reason::FreeRange {
        from: Offset(from),
        size,
        why,
    };
    let expected = [
        range(30, Some(Bytes(4)), Refusal::TooSmall),
        range(44, Some(Bytes(60)), Refusal::LooserFit),
        range(114, None, Refusal::LooserFit),
    ];
    assert_eq!(trace.reasons(3), expected);
}

#[test]
fn strip_packing_reports_what_it_gave_up() {
    // What lies below a fixed buffer is given up: 20 bytes, where the 12 would do and the 21
    // would not. The longer-lived goes first.
    let fixed = Buffer {
        fixed: Some(Offset(20)),
        ..Buffer::new("x", 10, Span::new(0, 5))
    };
    let lifetimes = Lifetimes::of([
        fixed,
        Buffer::new("w", 12, Span::new(1, 4)),
        Buffer::new("v", 21, Span::new(4, 5)),
    ]);
    let (plan, trace) = traced(Strategy::StripBestFit, &lifetimes, &options(1)).expect("plans");
    assert_eq!(plan.offsets, [20, 30, 30].map(Offset));
    let range = |why| Reason::FreeRange {
        from: Offset(0),
        size: Some(Bytes(20)),
        why,
    };
    let reasons: Vec<&[Reason]> = (0..3).map(|frame| trace.reasons(frame)).collect();
    let expected = [
        &[][..],
        &[range(Refusal::Overlooked)],
        &[range(Refusal::TooSmall)],
    ];
    assert_eq!(reasons, expected);
}

#[test]
fn objects_are_told_with_what_keeps_the_buffer_out() {
    // By hand, in order of first use: a opens 0 of 30; b, beside it, opens 1 of 10; c finds
    // 0 taken by a, and 1, which grows to 20; d fits 0 of 30 better than 1 of 20.
    let lifetimes = of([
        (30, Span::new(0, 3)),
        (10, Span::new(1, 2)),
        (20, Span::new(2, 3)),
        (28, Span::new(3, 4)),
    ]);
    let (_, trace) = traced(Strategy::GreedyInOrder, &lifetimes, &options(1)).expect("plans");
    let outcomes: Vec<Outcome> = trace.frames().iter().map(|frame| frame.outcome).collect();
    let opened = |buffer, object, size| Outcome::Opened {
        buffer: Some(buffer),
        object,
        size: Bytes(size),
    };
    let expected = [
        opened(0, 0, 30),
        opened(1, 1, 10),
        Outcome::Grown {
            buffer: Some(2),
            object: 1,
            from: Bytes(10),
            to: Bytes(20),
        },
        Outcome::Assigned {
            buffer: 3,
            object: 0,
        },
        Outcome::Finished { arena: Bytes(50) },
    ];
    assert_eq!(outcomes, expected);
    let busy = |object, by| Reason::Object {
        object,
        why: Refusal::Busy { by },
    };
    let looser = Reason::Object {
        object: 1,
        why: Refusal::LooserFit,
    };
    let reasons: Vec<&[Reason]> = (0..5).map(|frame| trace.reasons(frame)).collect();
    assert_eq!(
        reasons,
        [&[][..], &[busy(0, 0)], &[busy(0, 0)], &[looser], &[]]
    );
}

#[test]
fn a_greedy_stack_is_found_out() {
    // As TFLite Micro's test has it: 50 at 0, 40 at 0, 30 on the 40, 20 on the 30, 10 on the
    // 50: 90 bytes, where 80 would do.
    let lifetimes = greedy_medium();
    let plan = Plan {
        offsets: [50, 70, 40, 0, 0].map(Offset).to_vec(),
        arena: Bytes(90),
        ..Plan::default()
    };
    let events = [
        placed(4, 0),
        placed(3, 0),
        placed(2, 40),
        placed(1, 70),
        placed(0, 50),
    ];
    let trace = recorded(&lifetimes, &plan, &events);
    let found = survey(&trace, &lifetimes, Bytes(80));
    assert_eq!((found.decisive, found.highest), (Some(3), Bytes(90)));
    assert_eq!(survey(&trace, &lifetimes, Bytes(90)).decisive, None);
    let mut picture = Picture::new(5);
    picture.show(&trace, 4);
    let layout = picture.layout(&lifetimes, Bytes(1));
    let expected = Stack {
        buffers: vec![1, 2, 3],
        free: None,
        apart: Some((1, 3)),
    };
    assert_eq!(stack(&lifetimes, &layout, 1, Bytes(1)), expected);
}

#[test]
fn an_overlooked_range_is_found_out() {
    let lifetimes = leading_free_range();
    let offsets = [Some(Offset(0)), Some(Offset(100)), Some(Offset(180))];
    let found = free_ranges(&lifetimes, &layout(&offsets), 2, None);
    let found: Vec<_> = found
        .iter()
        .map(|range| {
            (
                range.from.0,
                range.size.map(|size| size.0),
                range.below,
                range.above,
            )
        })
        .collect();
    assert_eq!(
        found,
        [(0, Some(100), None, Some(1)), (180, None, Some(1), None)]
    );
    let held = stack(&lifetimes, &layout(&offsets), 2, Bytes(1));
    assert_eq!((held.buffers, held.apart), (vec![2, 1, 0], Some((2, 0))));
    let without = layout(&[None, offsets[1], offsets[2]]);
    // With b0 out of the way, b1 hangs over a free range of 100 bytes.
    let held = stack(&lifetimes, &without, 2, Bytes(1));
    assert_eq!(held.free, Some((Offset(0), Bytes(100))));
    // Up to the alignment it is none.
    let held = stack(&lifetimes, &without, 2, Bytes(128));
    assert_eq!(
        held.free,
        Some((Offset(0), Bytes(100))),
        "100 is no multiple of 128"
    );
}

#[test]
fn searches_are_told_as_they_go() {
    let lifetimes = of([(10, Span::new(0, 2)), (20, Span::new(1, 3))]);
    let plan = Plan {
        offsets: [0, 10].map(Offset).to_vec(),
        arena: Bytes(30),
        ..Plan::default()
    };
    let (rule, depth, stop) = (Rule::Capacity, 2, stop(0));
    let events = [
        attempt(0),
        placed(1, 0),
        placed(0, 20),
        Event::Incumbent { arena: Bytes(30) },
        Event::Progress { done: 1, total: 2 },
        Event::Unplaced { buffer: 0 },
        attempt(1),
        placed(0, 0),
        Event::Moved {
            buffer: 0,
            from: Offset(0),
            to: Offset(5),
        },
        Event::Pruned { rule, depth, stop },
        Event::Proved { bound: Bytes(30) },
    ];
    let trace = recorded(&lifetimes, &plan, &events);
    assert_eq!(
        trace.decisions, 11,
        "progress is no decision, the end is one"
    );
    let mut picture = Picture::new(2);
    let mut at = |step| {
        picture.show(&trace, step);
        let offsets = picture.layout(&lifetimes, Bytes(1)).offsets;
        [offsets[0].map(|at| at.0), offsets[1].map(|at| at.0)]
    };
    assert_eq!(at(4), [Some(20), Some(0)]);
    assert_eq!(at(5), [None, Some(0)]);
    assert_eq!(at(6), [None, None], "an attempt begins with nothing");
    assert_eq!(at(8), [Some(5), None]);
    assert_eq!(at(11), [Some(0), Some(10)], "the end is the plan");
    assert_eq!(
        survey(&trace, &lifetimes, Bytes(1)).decisive,
        None,
        "it took one back"
    );
}

/// The same two, reported by the planners themselves.
#[test]
fn the_deployed_planners_report_their_own_mistakes() {
    let (plan, trace) =
        traced(Strategy::Xnnpack, &leading_free_range(), &options(1)).expect("nothing is fixed");
    assert_eq!((plan.arena, plan.offsets[2]), (Bytes(240), Offset(180)));
    let overlooked = Reason::FreeRange {
        from: Offset(0),
        size: Some(Bytes(100)),
        why: Refusal::Overlooked,
    };
    assert_eq!(trace.reasons(2), [overlooked]);
    assert_eq!(
        survey(&trace, &leading_free_range(), Bytes(180)).decisive,
        Some(2)
    );
    let (plan, trace) =
        traced(Strategy::TflmGreedy, &greedy_medium(), &options(1)).expect("nothing is fixed");
    assert_eq!(plan.arena, Bytes(90));
    assert_eq!(
        survey(&trace, &greedy_medium(), Bytes(80)).decisive,
        Some(3)
    );
}
