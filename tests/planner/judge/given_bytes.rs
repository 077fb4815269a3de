//! Bytes that a buffer does not need for a while, and bytes that it hands over.

use planner::{Buffer, Bytes, Handover, Lifetimes, Pause, Span, Violation};

use super::objects::shared;
use super::{caught, lifetimes, plan};

/// 0 needs only its upper half during steps 1 and 2, where 1 lives.
fn with_pause() -> Lifetimes {
    let mut lifetimes = lifetimes(&[(16, 0, 4), (8, 1, 3)]);
    lifetimes.buffers[0].pauses = vec![Pause {
        span: Span::new(1, 3),
        window: Some((Bytes(8), Bytes(16))),
    }];
    lifetimes
}

#[test]
fn what_is_needed_during_a_pause_is_taken() {
    let needed = |step| Violation::NeededTwice {
        first: 0,
        second: 1,
        step,
    };
    caught(&with_pause(), &plan(&[0, 0], 16), &[]);
    caught(&with_pause(), &plan(&[0, 8], 16), &[needed(1)]);
    // One step longer than the pause: then all of 0 is needed again.
    let mut longer = with_pause();
    longer.buffers[1].span = Span::new(1, 4);
    caught(&longer, &plan(&[0, 0], 16), &[needed(3)]);
    // A pause without a window needs nothing at all.
    let mut absent = with_pause();
    absent.buffers[0].pauses[0].window = None;
    caught(&absent, &plan(&[0, 8], 16), &[]);
    // Both have pauses, at steps that differ: [8, 16) of 0 at 2, all of both at 1.
    let mut both = with_pause();
    both.buffers[0].pauses[0].span = Span::new(2, 3);
    both.buffers[1].pauses = vec![Pause {
        span: Span::new(2, 3),
        window: None,
    }];
    caught(&both, &plan(&[0, 8], 16), &[needed(1)]);
    // In one object both start where it starts, which the pause allows.
    let one = shared(plan(&[0, 0], 16), &[16], &[0], &[0, 0]);
    caught(&with_pause(), &one, &[]);
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
