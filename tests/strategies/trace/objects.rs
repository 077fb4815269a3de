//! Objects of fixed size inside one arena: what a buffer finds in them, and where they lie.

use planner::trace::{Note, Outcome, Picture, Pooling, Range, Reason, Trace};
use planner::{Buffer, Bytes, Lifetimes, Offset, Options, Pool, Span, Strategy};
use tests::lifetimes::of;

use super::{options, traced};

/// The notes of a kept decision.
fn notes(trace: &Trace, frame: usize) -> Vec<Note> {
    let note = |reason: &Reason| match *reason {
        Reason::Note(note) => Some(note),
        Reason::FreeRange { .. } | Reason::Object { .. } => None,
    };
    trace.reasons(frame).iter().filter_map(note).collect()
}

/// a 77 bytes, b 60 beside it, and one of `size` bytes after b at multiples of 64.
fn aligned(size: u64) -> Lifetimes {
    let last = Buffer {
        alignment: Bytes(64),
        ..Buffer::new("c", size, Span::new(2, 4))
    };
    Lifetimes::of([
        Buffer::new("a", 77, Span::new(0, 4)),
        Buffer::new("b", 60, Span::new(0, 2)),
        last,
    ])
}

/// Object 1 is 0 to 77, object 2 is 77 to 137. b is gone when c comes, which starts at 128,
/// after 51 bytes that no buffer uses.
#[test]
fn padding_in_an_object_is_not_in_use() {
    let planned = traced(Strategy::ExecutorchGreedy, &aligned(5), &options(1));
    let (plan, trace) = planned.expect("nothing is fixed");
    assert_eq!(plan.offsets, [0, 77, 128].map(Offset));
    let joined = Note::Joined {
        range: 1,
        below: Bytes::ZERO,
        padding: Bytes(51),
    };
    assert_eq!(notes(&trace, 2), [Note::InUse { range: 0, by: 0 }, joined]);
}

/// The same with 20 bytes: from 128 on object 2 has 9 of them, though no buffer is live in it;
/// object 1 has none after a.
#[test]
fn an_object_can_be_too_small_for_its_alignment_alone() {
    let planned = traced(Strategy::ExecutorchGreedy, &aligned(20), &options(1));
    let (plan, trace) = planned.expect("nothing is fixed");
    assert_eq!(plan.offsets, [0, 77, 192].map(Offset));
    let full = |range, left, live| Note::Full {
        range,
        left: Bytes(left),
        live,
    };
    let opened = Note::Opened {
        range: 2,
        from: Offset(192),
        size: Bytes(20),
    };
    assert_eq!(
        notes(&trace, 2),
        [full(0, 0, true), full(1, 9, false), opened]
    );
}

/// b0 opens 100 bytes; b1, 50, is put at its start when b0 is gone; b2 beside b1 starts at 64,
/// after the 50 in use and 14 of padding.
#[test]
fn padding_above_what_is_in_use_is_told_apart() {
    let mut lifetimes = of([
        (100, Span::new(0, 1)),
        (50, Span::new(1, 4)),
        (20, Span::new(2, 3)),
    ]);
    lifetimes.buffers[2].alignment = Bytes(64);
    let planned = traced(Strategy::ExecutorchGreedy, &lifetimes, &options(1));
    let (plan, trace) = planned.expect("nothing is fixed");
    assert_eq!(plan.offsets, [0, 0, 64].map(Offset));
    let joined = |below, padding| Note::Joined {
        range: 0,
        below: Bytes(below),
        padding: Bytes(padding),
    };
    assert_eq!(notes(&trace, 1), [joined(0, 0)]);
    assert_eq!(notes(&trace, 2), [joined(50, 14)]);
}

/// Pools with these capacities.
fn pools(capacities: &[Option<u64>]) -> Options {
    let pool = |(index, capacity): (usize, &Option<u64>)| Pool {
        name: format!("P{index}"),
        capacity: capacity.map(Bytes),
    };
    Options {
        pools: capacities.iter().enumerate().map(pool).collect(),
        ..options(1)
    }
}

/// Pool, index, first byte and size of each range after so many decisions.
fn ranges(trace: &Trace, lifetimes: &Lifetimes, step: usize) -> Vec<(usize, usize, u64, u64)> {
    let mut picture = Picture::new(lifetimes.buffers.len());
    picture.show(trace, step);
    let known = picture.layout(lifetimes, Bytes(1)).ranges;
    let plain = |range: &Range| (range.pool, range.index, range.from.0, range.size.0);
    known.iter().map(plain).collect()
}

/// After which decisions a pool is planned.
fn planned(trace: &Trace, wanted: usize) -> Vec<usize> {
    let steps = trace.frames().iter().zip(1..);
    let of_pool = steps.filter(|(frame, _)| match frame.outcome {
        Outcome::Pooling(Pooling::Planned { pool, .. }) => pool == wanted,
        _ => false,
    });
    of_pool.map(|(_, step)| step).collect()
}

/// By size, f 700 opens object 1 of the first pool and b joins it; a, e, c and h open four
/// more, of which all end above 1100 bytes. All but a go to the second pool. Again, a ends at
/// 1300; b leaves in its place, and the third time a joins f: one object of 700 bytes. In the
/// second pool b 600, e 500, d 400 and c 300 open an object each, g joins b, h opens the last.
#[test]
fn objects_are_those_of_the_passes_that_stand() {
    let mut lifetimes = of([
        (600, Span::new(0, 4)),
        (600, Span::new(0, 4)),
        (300, Span::new(2, 6)),
        (400, Span::new(3, 7)),
        (500, Span::new(1, 5)),
        (700, Span::new(4, 9)),
        (200, Span::new(5, 8)),
        (100, Span::new(0, 9)),
    ]);
    let may: [&[u32]; 8] = [&[0], &[0, 1], &[], &[1], &[0, 1], &[0, 1], &[1, 0], &[]];
    for (buffer, may) in lifetimes.buffers.iter_mut().zip(may) {
        buffer.pools = may.to_vec();
    }
    let options = pools(&[Some(1100), None]);
    let made = traced(Strategy::ExecutorchGreedy, &lifetimes, &options);
    let (plan, trace) = made.expect("there is room");
    let offsets = [0, 700, 2200, 1800, 1300, 0, 700, 2500].map(Offset);
    assert_eq!(plan.offsets, offsets);
    let again = planned(&trace, 0);
    assert_eq!(again.len(), 3);
    for &step in &again {
        assert_eq!(
            ranges(&trace, &lifetimes, step),
            [],
            "planned with step {step}"
        );
    }
    let first = [700, 600, 500, 300, 100];
    let before: Vec<u64> = ranges(&trace, &lifetimes, again[1] - 1)
        .iter()
        .map(|range| range.3)
        .collect();
    assert_eq!(before, first);
    let expected = [
        (0, 0, 0, 700),
        (1, 0, 700, 600),
        (1, 1, 1300, 500),
        (1, 2, 1800, 400),
        (1, 3, 2200, 300),
        (1, 4, 2500, 100),
    ];
    let last = trace.frames().len();
    assert_eq!(ranges(&trace, &lifetimes, last), expected);
}

/// b0 700 opens object 1, b1 600 object 2, which b2, 100 bytes, shares before b1 begins. b1
/// ends at 1300 and leaves. Without it two objects of 700 and 100 bytes are no smaller than
/// what is left, so that the plan before is kept: of its object 2 only the 100 bytes stay, and
/// the second pool begins after them, with b1.
#[test]
fn a_plan_that_is_kept_keeps_its_objects() {
    let lifetimes = of([
        (700, Span::new(0, 2)),
        (600, Span::new(1, 3)),
        (100, Span::new(0, 1)),
    ]);
    let options = pools(&[Some(1100), None]);
    let made = traced(Strategy::ExecutorchGreedy, &lifetimes, &options);
    let (plan, trace) = made.expect("there is room");
    assert_eq!(plan.offsets, [0, 800, 700].map(Offset));
    let kept = trace.frames().iter().zip(1..).find(|(frame, _)| {
        let outcome = frame.outcome;
        matches!(outcome, Outcome::Pooling(Pooling::Kept { .. }))
    });
    let (_, step) = kept.expect("the plan before is kept");
    let whole = [(0, 0, 0, 700), (0, 1, 700, 600)];
    assert_eq!(ranges(&trace, &lifetimes, 4), whole);
    let cut = [(0, 0, 0, 700), (0, 1, 700, 100)];
    assert_eq!(ranges(&trace, &lifetimes, step), cut);
    let last = [cut[0], cut[1], (1, 0, 800, 600)];
    assert_eq!(ranges(&trace, &lifetimes, trace.frames().len()), last);
}

/// The second of the pools is planned first: b2 35 bytes from 0 to 35; b1, 30, would end at 65
/// of 40 and goes to the first. Then the second begins at 30, and the third, with b0, at 65.
#[test]
fn objects_move_with_their_pool() {
    let mut lifetimes = of([
        (60, Span::new(0, 2)),
        (30, Span::new(0, 2)),
        (35, Span::new(0, 2)),
    ]);
    let may: [&[u32]; 3] = [&[2], &[1, 0], &[1, 0]];
    for (buffer, may) in lifetimes.buffers.iter_mut().zip(may) {
        buffer.pools = may.to_vec();
    }
    let options = pools(&[Some(100), Some(40), Some(100)]);
    let made = traced(Strategy::ExecutorchGreedy, &lifetimes, &options);
    let (plan, trace) = made.expect("there is room");
    assert_eq!(plan.offsets, [65, 0, 30].map(Offset));
    let last = ranges(&trace, &lifetimes, trace.frames().len());
    assert_eq!(last, [(0, 0, 0, 30), (1, 0, 30, 35), (2, 0, 65, 60)]);
}
