//! Buffers that need only a part of their bytes for some time: which share bytes, and which
//! bytes no buffer needs.

use planner::trace::{
    Outcome, Picture, Reason, Refusal, Shared, Sharing, is_unused, shared, unused_below,
};
use planner::{Bytes, Lifetimes, Offset, Pause, Span, Strategy};
use tests::lifetimes::of;

use super::{layout, options, traced};

fn pause(start: u64, end: u64, window: Option<(u64, u64)>) -> Vec<Pause> {
    let window = window.map(|(start, end)| (Bytes(start), Bytes(end)));
    let span = Span::new(start, end);
    vec![Pause { span, window }]
}

/// s, 10 bytes; x, 50, with this pause; y, 40, in the last three steps of x.
fn three(x: Vec<Pause>) -> Lifetimes {
    let mut lifetimes = of([
        (10, Span::new(0, 2)),
        (50, Span::new(1, 6)),
        (40, Span::new(3, 6)),
    ]);
    lifetimes.buffers[1].pauses = x;
    lifetimes
}

fn places<const N: usize>(offsets: [u64; N]) -> Vec<Option<Offset>> {
    offsets.map(|at| Some(Offset(at))).to_vec()
}

/// x needs nothing in steps 3 and 4, and all of it in step 5. y grows the block of s below x,
/// and so lies over x until that is pushed up onto it.
#[test]
fn who_still_collides_shares_nothing() {
    for window in [None, Some((10, 30))] {
        let lifetimes = three(pause(3, 5, window));
        let planned = traced(Strategy::MegenginePushdown, &lifetimes, &options(1));
        let (plan, trace) = planned.expect("nothing is fixed");
        assert_eq!(plan.offsets, [0, 40, 0].map(Offset));
        let moved = Outcome::Moved {
            buffer: 1,
            from: Offset(10),
            to: Offset(40),
        };
        assert_eq!(trace.frames()[3].outcome, moved);
        let mut picture = Picture::new(3);
        let mut sharing = |step| {
            picture.show(&trace, step);
            shared(&lifetimes, &picture.layout(&lifetimes, Bytes(1)), 2)
        };
        let (other, how) = (1, Sharing::NotYetApart);
        assert_eq!(sharing(3), [Shared { other, how }]);
        assert_eq!(sharing(4), []);
    }
}

/// x at 0 needs 10 to 30 as long as y lives: y may start at 30, not at 20.
#[test]
fn a_window_is_minded_byte_by_byte() {
    let lifetimes = three(pause(3, 6, Some((10, 30))));
    let sharing = |y, of| shared(&lifetimes, &layout(&places([0, 0, y])), of);
    let shares = |other, how| vec![Shared { other, how }];
    let span = Span::new(3, 6);
    assert_eq!(sharing(30, 2), shares(1, Sharing::InPauseOf(span)));
    assert_eq!(sharing(20, 2), shares(1, Sharing::NotYetApart));
    assert_eq!(sharing(50, 2), []);
    assert_eq!(sharing(30, 1), shares(2, Sharing::InOwnPause(span)));
}

/// x needs 0 to 20 and y 30 to 40 of the bytes over which both lie.
#[test]
fn two_can_need_different_bytes() {
    let mut lifetimes = three(pause(3, 6, Some((0, 20))));
    lifetimes.buffers[2].pauses = pause(3, 6, Some((30, 40)));
    let found = shared(&lifetimes, &layout(&places([50, 0, 0])), 2);
    let (other, how) = (1, Sharing::InTurns);
    assert_eq!(found, [Shared { other, how }]);
}

/// x could start at 30 over y at 0, as it needs its bytes from 10 on only while y lives. So
/// the bytes below it are y's for part of its life, and none of them is free.
#[test]
fn what_somebody_needs_is_not_free() {
    let mut lifetimes = three(pause(3, 6, Some((10, 30))));
    let below = |lifetimes: &Lifetimes, x| {
        let found = unused_below(lifetimes, &layout(&places([0, x, 0])), 1);
        let found = found.iter().map(|(from, size)| (from.0, size.0));
        found.collect::<Vec<_>>()
    };
    assert_eq!(below(&lifetimes, 30), []);
    assert_eq!(below(&lifetimes, 40), []);
    assert_eq!(below(&lifetimes, 55), [(40, 15)]);
    // When y needs its first 10 bytes only, which s needs before, the rest is free.
    lifetimes.buffers[2].pauses = pause(3, 6, Some((0, 10)));
    assert_eq!(below(&lifetimes, 40), [(10, 30)]);
}

/// By size y, 60 bytes, is first, at 0. x then sees y from 20 to 50 of the addresses at which
/// it may lie: 20 bytes of its own below, of which y needs each.
#[test]
fn a_range_counted_from_the_start_of_a_buffer_need_not_be_free() {
    let mut lifetimes = three(pause(3, 6, Some((10, 30))));
    lifetimes.buffers[2].size = Bytes(60);
    let planned = traced(Strategy::OffsetsBySize, &lifetimes, &options(1));
    let (plan, trace) = planned.expect("nothing is fixed");
    assert_eq!(plan.offsets, [0, 50, 0].map(Offset));
    let reported = Reason::FreeRange {
        from: Offset(0),
        size: Some(Bytes(20)),
        why: Refusal::TooSmall,
    };
    assert_eq!(trace.reasons(1), [reported]);
    let free = |y, size| {
        let mut offsets = places([0, 0, y]);
        offsets[0] = None;
        is_unused(&lifetimes, &layout(&offsets), 1, (Offset(0), Bytes(size)))
    };
    assert!(!free(0, 20));
    // Below y at 60 x may start from 0 to 30, which is no free range of 80 bytes, but one of 60.
    assert!(free(60, 60));
    assert!(!free(60, 80));
}
