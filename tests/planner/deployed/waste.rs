//! Where the bytes of an arena go: the parts sum to it, and policy is no fragmentation.

use std::collections::BTreeSet;

use planner::bounds::{self, aligned};
use planner::deployed::{Held, Hold, Note};
use planner::waste::{Waste, WasteKind, waste};
use planner::{Buffer, Bytes, Handover, Lifetimes, Offset, Plan, Span, Step};
use tests::arbitrary::needs;

use super::plans;

fn bytes(waste: &Waste, kind: WasteKind) -> i64 {
    let part = waste.parts.iter().find(|part| part.kind == kind);
    part.expect("every kind is listed").bytes
}

/// What is needed at once when every buffer counts as many bytes as `size` says during
/// `span`: step by step, no sweep. Of what a buffer may be written over the largest counts once.
fn peak(lifetimes: &Lifetimes, size: impl Fn(usize) -> (Span, u64)) -> i64 {
    let steps = (0..lifetimes.horizon.0).map(|step| {
        let live = |&index: &usize| size(index).0.contains(Step(step));
        let bytes = |index: usize| {
            let over = lifetimes.handovers.iter();
            let over = over.filter(|it| it.after == index && live(&it.before));
            let over = over.filter(|it| {
                let (before, after) = (size(it.before).0, size(index).0);
                step == after.start.0 && step + 1 == before.end.0
            });
            let shared = over.map(|it| {
                let shift = it.shift.0;
                let end = (size(index).1 + shift).min(size(it.before).1);
                end.saturating_sub(shift)
            });
            size(index).1 - shared.max().unwrap_or(0)
        };
        (0..lifetimes.buffers.len())
            .filter(live)
            .map(bytes)
            .sum::<u64>()
    });
    i64::try_from(steps.max().unwrap_or(0)).expect("small")
}

#[test]
fn parts_sum_to_the_arena_and_none_is_negative() {
    for (lifetimes, notes, plan) in plans() {
        let bounds = aligned(&lifetimes, Bytes(1));
        let found = waste(&lifetimes, &notes, &plan, &bounds);
        let sum: i64 = found.parts.iter().map(|part| part.bytes).sum();
        assert_eq!(u64::try_from(sum), Ok(plan.arena.0), "{lifetimes:?}");
        for part in &found.parts {
            assert!(part.bytes >= 0, "{part:?}");
        }
    }
}

/// Whatever is said to be needed lies somewhere: so many different bytes of the plan are taken
/// at that step by the very buffers that are listed.
#[test]
fn what_is_needed_lies_in_the_plan() {
    for (lifetimes, notes, plan) in plans() {
        let found = waste(&lifetimes, &notes, &plan, &aligned(&lifetimes, Bytes(1)));
        let needed = &found.parts[0];
        let mut taken = BTreeSet::new();
        for &index in &needed.buffers {
            let (buffer, offset) = (&lifetimes.buffers[index], plan.offsets[index].0);
            let bytes = (0..buffer.size.0).filter(|&byte| needs(buffer, needed.step.0, byte));
            taken.extend(bytes.map(|byte| offset + byte));
        }
        let bytes = u64::try_from(needed.bytes).expect("no part is negative");
        assert!(bytes <= taken.len() as u64, "{lifetimes:?} {needed:?}");
    }
}

/// Without policy and padding all that is needed is what the live bytes are, at their step.
#[test]
fn what_is_needed_is_the_peak() {
    for (lifetimes, _, plan) in plans() {
        let mut lifetimes = lifetimes;
        for buffer in &mut lifetimes.buffers {
            buffer.payload = buffer.size;
        }
        let bounds = aligned(&lifetimes, Bytes(1));
        let live = &bounds.list[0];
        let found = waste(&lifetimes, &[], &plan, &bounds);
        let needed = &found.parts[0];
        assert_eq!(live.kind, bounds::BoundKind::Live);
        assert_eq!(u64::try_from(needed.bytes), Ok(live.bytes.0));
        assert_eq!(Some(needed.step), live.step);
        assert_eq!(needed.buffers, live.witness);
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
        let late = [Hold::Pending];
        let pinned_too = [Hold::Pending, Hold::Pinned];
        let needed = peak(&lifetimes, |it| (span(it, &[]), payload(it)));
        let asked = peak(&lifetimes, |it| (span(it, &late), payload(it))).max(needed);
        let padded = peak(&lifetimes, |it| (span(it, &late), size(it))).max(asked);
        let pinned = peak(&lifetimes, |it| (span(it, &pinned_too), size(it))).max(padded);
        let all = peak(&lifetimes, |it| (lifetimes.buffers[it].span, size(it))).max(pinned);
        assert_eq!(bytes(&found, WasteKind::Needed), needed);
        assert_eq!(found.asked().map(i64::try_from), Some(Ok(asked)));
        assert_eq!(bytes(&found, WasteKind::Padding), padded - asked);
        assert_eq!(bytes(&found, WasteKind::Pinned), pinned - padded);
        assert_eq!(bytes(&found, WasteKind::WholeLife), all - pinned);
        // Where nothing waits, there is no such part.
        let pends = |note: &Note| note.held.is_some_and(|held| held.why == Hold::Pending);
        let listed = found.part(WasteKind::Pending).is_some();
        assert_eq!(listed, notes.iter().any(pends));
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
        (WasteKind::Needed, 150, vec![0, 1]),
        (WasteKind::Padding, 0, vec![]),
        (WasteKind::Pinned, 30, vec![0]),
        (WasteKind::WholeLife, 0, vec![]),
        (WasteKind::Alignment, 0, vec![]),
        (WasteKind::Fragmentation, 20, vec![]),
    ];
    let parts = found.parts.into_iter();
    let parts: Vec<_> = parts
        .map(|part| (part.kind, part.bytes, part.buffers))
        .collect();
    assert_eq!(parts, expected);
}

/// What a loop carries, as XLA has it: made at step 0 and read at 4, where the condition's
/// parameter begins, which the body's takes over at 5 and the result at 8. All of them are one
/// block, at every step; beside them 30 bytes are needed at step 6.
#[test]
fn what_a_loop_carries_counts_once() {
    let carried = [(0, 5), (4, 6), (5, 9), (8, 10)];
    let carried = carried.map(|(start, end)| Buffer::new("carried", 100, Span::new(start, end)));
    let other = Buffer::new("other", 30, Span::new(6, 7));
    let mut lifetimes = Lifetimes::of(carried.into_iter().chain([other]));
    lifetimes.handovers = [(0, 1), (1, 2), (2, 3)].map(handover).to_vec();
    let plan = Plan {
        offsets: [0, 0, 0, 0, 100].map(Offset).to_vec(),
        arena: Bytes(130),
        ..Plan::default()
    };
    let found = waste(&lifetimes, &[], &plan, &aligned(&lifetimes, Bytes(1)));
    assert_eq!(bytes(&found, WasteKind::Needed), 130);
    assert_eq!(found.parts[0].step, Step(6));
    assert_eq!(found.parts[0].buffers, [2, 4]);
    assert_eq!(bytes(&found, WasteKind::Fragmentation), 0);
}

/// `b` is made and written over at the one step at which `a` is read for the last time: three
/// names of 100 bytes.
#[test]
fn several_that_are_handed_over_at_one_step_count_once() {
    let spans = [(0, 2), (1, 2), (1, 3)];
    let buffers = spans.map(|(start, end)| Buffer::new("it", 100, Span::new(start, end)));
    let mut lifetimes = Lifetimes::of(buffers);
    lifetimes.handovers = [(0, 1), (0, 2), (1, 2)].map(handover).to_vec();
    let plan = Plan {
        offsets: vec![Offset(0); 3],
        arena: Bytes(100),
        ..Plan::default()
    };
    let found = waste(&lifetimes, &[], &plan, &aligned(&lifetimes, Bytes(1)));
    assert_eq!(bytes(&found, WasteKind::Needed), 100);
    assert_eq!(found.parts[0].step, Step(0));
    assert_eq!(bytes(&found, WasteKind::Fragmentation), 0);
}

fn handover((before, after): (usize, usize)) -> Handover {
    Handover {
        before,
        after,
        shift: Bytes::ZERO,
    }
}
