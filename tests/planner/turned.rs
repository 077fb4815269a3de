//! The steady state of a loop, against turns that are laid out one after the other.

use planner::advice::{AllocatorKind, allocators};
use planner::load::{Document, load};
use planner::{
    Buffer, Bytes, Effort, Lifetimes, Offset, Options, Pause, Plan, Silent, Span, Step, Strategy,
    bounds, check, plan, save,
};
use tests::random::Random;

/// A short search does.
fn options() -> Options {
    Options {
        effort: Effort {
            nodes: 5_000,
            moves: 50,
        },
        ..Options::aligned(Bytes(1))
    }
}

/// Buffers that begin in a turn of `length` steps and live for at most as long.
fn looped(random: &mut Random, count: u64, length: u64, size: u64) -> Lifetimes {
    Lifetimes::of((0..count).map(|index| {
        let start = random.below(length);
        let steps = 1 + random.below(length);
        let bytes = 1 + random.below(size);
        Buffer::new(format!("b{index}"), bytes, Span::new(start, start + steps))
    }))
}

fn turn(length: u64) -> Span {
    Span::new(0, length)
}

/// Whether buffers at these addresses keep out of each other's way when three turns are laid out
/// one after the other: every pair of any turns, step by step.
fn apart(lifetimes: &Lifetimes, length: u64, offsets: &[Offset]) -> bool {
    let mut all: Vec<(u64, u64, u64, u64)> = Vec::new();
    for round in 0..3 {
        for (buffer, at) in lifetimes.buffers.iter().zip(offsets) {
            let (start, end) = (buffer.span.start.0, buffer.span.end.0);
            let shift = round * length;
            all.push((start + shift, end + shift, at.0, at.0 + buffer.size.0));
        }
    }
    all.iter().enumerate().all(|(index, one)| {
        all[..index].iter().all(|other| {
            let meet = (one.0..one.1).any(|step| other.0 <= step && step < other.1);
            let overlap = one.2 < other.3 && other.2 < one.3;
            !(meet && overlap)
        })
    })
}

#[test]
fn plans_of_the_steady_state_hold_for_turn_after_turn() {
    let mut random = Random::new(5);
    let mut wrapped = 0;
    for _ in 0..60 {
        let length = 2 + random.below(14);
        let count = 1 + random.below(16);
        let lifetimes = looped(&mut random, count, length, 40);
        let steady = lifetimes.turned(turn(length)).expect("none lives too long");
        assert_eq!(steady.buffers.len(), lifetimes.buffers.len());
        assert_eq!(steady.horizon, Step(length));
        wrapped += lifetimes
            .buffers
            .iter()
            .filter(|it| it.span.end.0 > length)
            .count();
        // What is live at once in the steady state, by adding up.
        let live = (2 * length..3 * length).map(|step| {
            let turns = (0..3).map(|round| step - round * length);
            let live = turns.flat_map(|step| {
                let buffers = lifetimes.buffers.iter();
                buffers.filter(move |it| it.span.start.0 <= step && step < it.span.end.0)
            });
            live.map(|it| it.size.0).sum::<u64>()
        });
        let live = live.max().expect("steps");
        assert_eq!(bounds::bounds(&steady).list[0].bytes, Bytes(live));
        for strategy in Strategy::ALL {
            let made = plan(strategy, &steady, &options(), &mut Silent).expect("a plan");
            assert_eq!(check(&steady, &made, &options()), [], "{strategy}");
            assert!(apart(&lifetimes, length, &made.offsets), "{strategy}");
            assert!(made.arena.0 >= live, "{strategy}");
        }
    }
    assert!(wrapped > 100, "{wrapped}");
}

/// The judge of the steady state says of arbitrary addresses what the turns laid out say.
#[test]
fn the_judge_knows_the_loop_exactly() {
    let mut random = Random::new(6);
    let (mut good, mut bad) = (0, 0);
    for _ in 0..3000 {
        let length = 1 + random.below(6);
        let lifetimes = looped(&mut random, 3, length, 4);
        let steady = lifetimes.turned(turn(length)).expect("none lives too long");
        let offsets: Vec<Offset> = (0..3).map(|_| Offset(random.below(9))).collect();
        let ends = steady.buffers.iter().zip(&offsets);
        let arena = ends.map(|(it, at)| Bytes(at.0 + it.size.0)).max();
        let made = Plan {
            offsets: offsets.clone(),
            arena: arena.unwrap_or_default(),
            ..Plan::default()
        };
        let valid = check(&steady, &made, &options()).is_empty();
        assert_eq!(valid, apart(&lifetimes, length, &offsets), "{lifetimes:?}");
        good += u32::from(valid);
        bad += u32::from(!valid);
    }
    assert!(good > 300 && bad > 300, "{good} {bad}");
}

/// Three buffers of a loop of three steps, each live for two: any two meet, as on a circle. On
/// a line two of them never do, and 2 bytes were enough.
#[test]
fn a_circle_needs_more_than_a_line() {
    let span = |start| Span::new(start, start + 2);
    let one = |start| Buffer::new(format!("b{start}"), 1, span(start));
    let lifetimes = Lifetimes::of([one(0), one(1), one(2)]);
    let line = plan(Strategy::Exact, &lifetimes, &options(), &mut Silent).expect("a plan");
    assert_eq!(line.arena, Bytes(2));
    let steady = lifetimes.turned(turn(3)).expect("two steps");
    // From step 2 to step 4 is steps 2 and 0: away at step 1.
    assert_eq!(steady.buffers[2].span, Span::new(0, 3));
    let away = Pause {
        span: Span::new(1, 2),
        window: None,
    };
    assert_eq!(steady.buffers[2].pauses, [away]);
    // At each step two are live, but no two of the three may share a byte.
    assert_eq!(bounds::bounds(&steady).list[0].bytes, Bytes(2));
    let circle = plan(Strategy::Exact, &steady, &options(), &mut Silent).expect("a plan");
    assert_eq!((circle.arena, circle.proved), (Bytes(3), Some(Bytes(3))));
}

/// The second of two turns: what is there throughout stays, what the turn before left ends is
/// left out, and so is what comes after.
#[test]
fn the_second_turn_stands_for_all() {
    let buffer = |name: &str, start, end| Buffer::new(name, 8, Span::new(start, end));
    let lifetimes = Lifetimes::of([
        buffer("weight", 0, 30),
        buffer("left", 8, 12),
        buffer("kept", 12, 16),
        buffer("loss", 18, 22),
        buffer("whole", 15, 25),
        buffer("after", 21, 23),
    ]);
    let steady = lifetimes.turned(Span::new(10, 20)).expect("a turn");
    let names: Vec<&str> = steady.buffers.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["weight", "kept", "loss", "whole"]);
    let spans = steady
        .buffers
        .iter()
        .map(|it| (it.span.start.0, it.span.end.0));
    assert_eq!(
        spans.collect::<Vec<_>>(),
        [(0, 10), (2, 6), (0, 10), (0, 10)]
    );
    let pauses = steady.buffers.iter().map(|it| it.pauses.len());
    assert_eq!(pauses.collect::<Vec<_>>(), [0, 0, 1, 0]);
}

#[test]
fn what_outlives_a_turn_is_refused() {
    let lifetimes = Lifetimes::of([Buffer::new("leak", 8, Span::new(12, 23))]);
    let why = lifetimes.turned(Span::new(10, 20)).expect_err("11 steps");
    let said = "\"leak\" is live for 11 steps, longer than the 10 of a turn";
    assert_eq!(why.to_string(), said);
    let why = lifetimes.turned(Span::new(10, 10)).expect_err("no step");
    assert_eq!(why.to_string(), "a turn of a loop has at least one step");
}

/// In MiB: 12 are there at step 3 and at step 0 of the next turn, 8 at the steps in between. For those
/// that see one request at a time the 12 are two requests.
#[test]
fn allocators_serve_the_steady_state() {
    let mib = 1 << 20;
    let buffer =
        |name: &str, size: u64, start, end| Buffer::new(name, size * mib, Span::new(start, end));
    let lifetimes = Lifetimes::of([buffer("over", 12, 3, 5), buffer("within", 8, 1, 3)]);
    let steady = lifetimes.turned(turn(4)).expect("a turn");
    let all = allocators(&steady, None, &mut |_, _| {});
    let reserved = |kind| {
        let row = all.rows.iter().find(|row| row.kind == kind);
        row.and_then(|row| row.reserved).expect("few requests").0 / mib
    };
    assert_eq!(all.requests, 2);
    assert_eq!(reserved(AllocatorKind::Bound), 12);
    assert_eq!(reserved(AllocatorKind::Best), 12);
    assert_eq!(reserved(AllocatorKind::Tlsf), 12);
    // STAlloc knows no pauses.
    assert_eq!(reserved(AllocatorKind::Stalloc), 20);
    // A segment of 12 that the 8 take a part of; more than 1 MiB is left, and it is whole again.
    assert_eq!(reserved(AllocatorKind::Caching), 12);
    assert_eq!(reserved(AllocatorKind::Gmlake), 12);
}

/// As a table of rows the steady state is the same problem; the horizon is where the last one ends.
#[test]
fn the_steady_state_is_written_as_a_problem() {
    let mut random = Random::new(8);
    for _ in 0..40 {
        let length = 2 + random.below(14);
        let count = 1 + random.below(16);
        let lifetimes = looped(&mut random, count, length, 40);
        let steady = lifetimes.turned(turn(length)).expect("none lives too long");
        let text = save::problem_csv(&steady);
        let (_, read, _) = load(&text.into_bytes()).expect("rows");
        let Document::Problem(read) = read else {
            panic!("no problem");
        };
        assert_eq!(read.buffers.len(), steady.buffers.len());
        for (read, own) in read.buffers.iter().zip(&steady.buffers) {
            assert_eq!((&read.name, read.span), (&own.name, own.span));
            assert_eq!((read.size, &read.pauses), (own.size, &own.pauses));
        }
    }
}
