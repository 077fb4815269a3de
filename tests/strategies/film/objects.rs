//! Objects of fixed size inside one arena: what a buffer finds in them, and where they lie.

use planner::liveness::{Buffer, Lifetimes};
use planner::strategies::film::{Film, Reason};
use planner::strategies::{Note, Strategy};
use planner::units::{Bytes, Offset, Span};
use tests::lifetimes::of;

use super::{filmed, options};

/// The notes of a kept decision.
fn notes(film: &Film, frame: usize) -> Vec<Note> {
    let note = |reason: &Reason| match *reason {
        Reason::Note(note) => Some(note),
        Reason::Gap { .. } | Reason::Object { .. } => None,
    };
    film.reasons(frame).iter().filter_map(note).collect()
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
/// behind 51 bytes that nobody uses.
#[test]
fn padding_in_an_object_is_not_in_use() {
    let planned = filmed(Strategy::ExecutorchGreedy, &aligned(5), &options(1));
    let (plan, film) = planned.expect("nothing is fixed");
    assert_eq!(plan.offsets, [0, 77, 128].map(Offset));
    let joined = Note::Joined {
        range: 1,
        below: Bytes::ZERO,
        padding: Bytes(51),
    };
    assert_eq!(notes(&film, 2), [Note::InUse { range: 0, by: 0 }, joined]);
}

/// The same with 20 bytes: from 128 on object 2 has 9 of them, though nobody is live in it;
/// object 1 has none behind a.
#[test]
fn an_object_can_be_too_small_for_its_alignment_alone() {
    let planned = filmed(Strategy::ExecutorchGreedy, &aligned(20), &options(1));
    let (plan, film) = planned.expect("nothing is fixed");
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
        notes(&film, 2),
        [full(0, 0, true), full(1, 9, false), opened]
    );
}

/// b0 opens 100 bytes; b1, 50, is put at its start when b0 is gone; b2 beside b1 starts at 64,
/// behind the 50 in use and 14 of padding.
#[test]
fn padding_above_what_is_in_use_is_told_apart() {
    let mut lifetimes = of([
        (100, Span::new(0, 1)),
        (50, Span::new(1, 4)),
        (20, Span::new(2, 3)),
    ]);
    lifetimes.buffers[2].alignment = Bytes(64);
    let planned = filmed(Strategy::ExecutorchGreedy, &lifetimes, &options(1));
    let (plan, film) = planned.expect("nothing is fixed");
    assert_eq!(plan.offsets, [0, 0, 64].map(Offset));
    let joined = |below, padding| Note::Joined {
        range: 0,
        below: Bytes(below),
        padding: Bytes(padding),
    };
    assert_eq!(notes(&film, 1), [joined(0, 0)]);
    assert_eq!(notes(&film, 2), [joined(50, 14)]);
}
