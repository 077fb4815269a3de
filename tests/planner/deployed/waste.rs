//! Where the bytes of an arena go: the parts sum to it, and policy is no fragmentation.

use planner::bounds::aligned;
use planner::deployed::{Held, Hold, Note};
use planner::waste::{Kind, Waste, waste};
use planner::{Buffer, Bytes, Handover, Lifetimes, Offset, Plan, Span};

use super::plans;

fn bytes(waste: &Waste, kind: Kind) -> i64 {
    let part = waste.parts.iter().find(|part| part.kind == kind);
    part.expect("every kind is listed").bytes
}

/// What is needed at once when every buffer counts as many bytes as `size` says during
/// `span`: step by step, no sweep.
fn peak(lifetimes: &Lifetimes, size: impl Fn(usize) -> (Span, u64)) -> i64 {
    let steps = (0..lifetimes.horizon.0).map(|step| {
        let live = (0..lifetimes.buffers.len()).map(&size);
        let live = live.filter(|(span, _)| (span.start.0..span.end.0).contains(&step));
        live.map(|(_, size)| size).sum::<u64>()
    });
    i64::try_from(steps.max().unwrap_or(0)).expect("small")
}

#[test]
fn parts_sum_to_the_arena_and_only_sharing_is_negative() {
    for (lifetimes, notes, plan) in plans() {
        let bounds = aligned(&lifetimes, Bytes(1));
        let found = waste(&lifetimes, &notes, &plan, &bounds);
        let sum: i64 = found.parts.iter().map(|part| part.bytes).sum();
        assert_eq!(u64::try_from(sum), Ok(plan.arena.0), "{lifetimes:?}");
        for part in &found.parts {
            let sharing = part.kind == Kind::Sharing;
            assert!(
                if sharing {
                    part.bytes <= 0
                } else {
                    part.bytes >= 0
                },
                "{part:?}"
            );
        }
    }
}

/// Without pauses each part is also the difference of two peaks that are added up by hand.
#[test]
fn each_part_is_what_its_name_says() {
    let mut compared = 0;
    for (lifetimes, notes, plan) in plans() {
        if lifetimes
            .buffers
            .iter()
            .any(|buffer| !buffer.pauses.is_empty())
        {
            continue;
        }
        compared += 1;
        let bounds = aligned(&lifetimes, Bytes(1));
        let found = waste(&lifetimes, &notes, &plan, &bounds);
        let span = |index: usize, holds: &[Hold]| match notes[index].held {
            Some(held) if !holds.contains(&held.why) => held.needed,
            _ => lifetimes.buffers[index].span,
        };
        let size = |index: usize| lifetimes.buffers[index].size.0;
        let payload = |index: usize| lifetimes.buffers[index].payload.0;
        let needed = peak(&lifetimes, |it| (span(it, &[]), payload(it)));
        let padded = peak(&lifetimes, |it| (span(it, &[]), size(it)));
        let pinned = peak(&lifetimes, |it| (span(it, &[Hold::Pinned]), size(it)));
        let all = peak(&lifetimes, |it| (lifetimes.buffers[it].span, size(it)));
        assert_eq!(bytes(&found, Kind::Needed), needed);
        assert_eq!(bytes(&found, Kind::Padding), padded - needed);
        assert_eq!(bytes(&found, Kind::Pinned), pinned - padded);
        assert_eq!(bytes(&found, Kind::WholeLife), all - pinned);
    }
    assert!(compared > 100, "{compared}");
}

/// An input of 100 bytes that is read at step 0 alone but pinned for all three steps, beside
/// 50, then 80 bytes. Needed at once: 150 at step 0. Pinned: 180 at step 2. The arena of 200
/// bytes has 20 more: only they are fragmentation.
#[test]
fn a_pinned_input_is_policy() {
    let mut lifetimes = Lifetimes::of([
        Buffer::new("input", 100, Span::new(0, 3)),
        Buffer::new("a", 50, Span::new(0, 2)),
        Buffer::new("b", 80, Span::new(2, 3)),
    ]);
    lifetimes.buffers[2].payload = Bytes(78);
    let held = Held {
        why: Hold::Pinned,
        needed: Span::new(0, 1),
    };
    let mut notes = vec![Note::default(); 3];
    notes[0].held = Some(held);
    let plan = Plan {
        offsets: vec![Offset(0), Offset(100), Offset(120)],
        arena: Bytes(200),
        ..Plan::default()
    };
    let bounds = aligned(&lifetimes, Bytes(1));
    let found = waste(&lifetimes, &notes, &plan, &bounds);
    let expected = [
        (Kind::Needed, 150, vec![0, 1]),
        (Kind::Padding, 0, vec![]),
        (Kind::Pinned, 30, vec![0]),
        (Kind::WholeLife, 0, vec![]),
        (Kind::Sharing, 0, vec![]),
        (Kind::Alignment, 0, vec![]),
        (Kind::Fragmentation, 20, vec![]),
    ];
    let parts = found.parts.into_iter();
    let parts: Vec<_> = parts
        .map(|part| (part.kind, part.bytes, part.buffers))
        .collect();
    assert_eq!(parts, expected);
}

/// `b` is written over `a` where both are live: 100 + 100 would be needed, 100 are.
#[test]
fn sharing_on_purpose_is_a_credit() {
    let mut lifetimes = Lifetimes::of([
        Buffer::new("a", 100, Span::new(0, 2)),
        Buffer::new("b", 100, Span::new(1, 3)),
    ]);
    lifetimes.handovers.push(Handover {
        before: 0,
        after: 1,
        shift: Bytes::ZERO,
    });
    let plan = Plan {
        offsets: vec![Offset(0), Offset(0)],
        arena: Bytes(100),
        ..Plan::default()
    };
    let found = waste(&lifetimes, &[], &plan, &aligned(&lifetimes, Bytes(1)));
    assert_eq!(bytes(&found, Kind::Needed), 200);
    assert_eq!(bytes(&found, Kind::Sharing), -100);
    assert_eq!(bytes(&found, Kind::Fragmentation), 0);
    assert_eq!(found.parts[4].buffers, [1]);
}
