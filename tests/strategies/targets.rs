//! Onto which buffers one can be moved: every offered pair is rejected by the judge with exactly
//! that overlap, and no place that would do is missing.

use std::collections::BTreeMap;

use planner::what_if::{movable, moved, targets};
use planner::{
    Buffer, Bytes, Handover, Lifetimes, Offset, Options, Plan, Silent, Span, Strategy, Violation,
    check, plan,
};
use tests::lifetimes::scattered;

use crate::what_if::constrained;

const WORDS: Options = Options::aligned(Bytes(4));

/// The only overlap that the judge finds when `buffer` lies at `at`, if that is all it finds.
fn overlap(lifetimes: &Lifetimes, made: &Plan, buffer: usize, at: Offset) -> Option<usize> {
    let changed = moved(lifetimes, made, &WORDS, &[(buffer, at)]);
    match check(lifetimes, &changed, &WORDS).as_slice() {
        [
            Violation::Overlap { first, second }
            | Violation::NeededTwice { first, second, .. }
            | Violation::HandoverMissed {
                before: first,
                after: second,
                ..
            },
        ] if [first, second].contains(&&buffer) => Some(first + second - buffer),
        _ => None,
    }
}

/// Plans with handovers, pauses and fixed addresses.
fn plans() -> impl Iterator<Item = (Lifetimes, Plan)> {
    (0..200).map(|seed| {
        let mut lifetimes = match seed % 2 {
            0 => scattered(seed, 12, 10, 60),
            _ => constrained(seed),
        };
        let strategy = match seed / 2 % 2 {
            0 => Strategy::OffsetsBySize,
            _ => Strategy::Naive,
        };
        let made = plan(strategy, &lifetimes, &WORDS, &mut Silent).expect("a plan");
        lifetimes.buffers[3].fixed = Some(made.offsets[3]);
        (lifetimes, made)
    })
}

#[test]
fn the_judge_finds_every_offered_overlap_and_nothing_else() {
    let mut offered = 0;
    for (lifetimes, made) in plans() {
        for buffer in 0..lifetimes.buffers.len() {
            for target in targets(&lifetimes, &made, &WORDS, buffer) {
                let found = overlap(&lifetimes, &made, buffer, target.at);
                assert_eq!(found, Some(target.buffer), "{buffer} at {:?}", target.at);
                offered += 1;
            }
        }
        assert!(
            targets(&lifetimes, &made, &WORDS, 3).is_empty(),
            "it is fixed"
        );
    }
    assert!(offered > 2_000, "only {offered}");
}

/// Every start in the arena is tried: those that the judge rejects for one overlap are known, with
/// the most bytes that it can have.
#[test]
fn no_place_is_missing() {
    let mut offered = 0;
    for (lifetimes, made) in plans().step_by(2) {
        let buffers = &lifetimes.buffers;
        for (index, held) in buffers.iter().enumerate().filter(|(index, _)| *index != 3) {
            let mut expected: BTreeMap<usize, u64> = BTreeMap::new();
            let last = made.arena.0.saturating_sub(held.size.0);
            for at in (0..=last).step_by(4) {
                let Some(other) = overlap(&lifetimes, &made, index, Offset(at)) else {
                    continue;
                };
                let (one, start) = (&buffers[other], made.offsets[other].0);
                // An element-wise operator may write its result over what it reads last.
                let last = |buffer: &Buffer| buffer.span.end.0 - 1;
                let meets = last(one) == held.span.start.0 || last(held) == one.span.start.0;
                let words = |buffer: &Buffer| buffer.size.0.div_ceil(4);
                if at == start && words(one) == words(held) && meets {
                    continue;
                }
                let bytes = (at + held.size.0).min(start + one.size.0) - at.max(start);
                let known = expected.entry(other).or_default();
                *known = bytes.max(*known);
            }
            let found = targets(&lifetimes, &made, &WORDS, index).into_iter();
            let found: BTreeMap<usize, u64> = found.map(|it| (it.buffer, it.bytes.0)).collect();
            // Two that are born together overwrite each other in no order that is known.
            expected.retain(|&other, _| buffers[other].span.start != held.span.start);
            assert_eq!(found, expected, "{index}");
            offered += found.len();
        }
    }
    assert!(offered > 500, "only {offered}");
}

/// a and b in 0..4, c in 1..3: of 64, 32 and 16 bytes, laid end to end.
#[test]
fn the_largest_overlap_comes_first() {
    let mut lifetimes = Lifetimes::of([
        Buffer::new("a", 64, Span::new(0, 4)),
        Buffer::new("b", 32, Span::new(0, 4)),
        Buffer::new("c", 16, Span::new(1, 3)),
    ]);
    let made = Plan {
        offsets: [0, 64, 96].map(Offset).to_vec(),
        arena: Bytes(112),
        ..Plan::default()
    };
    let places = |lifetimes: &Lifetimes, buffer| {
        let found = targets(lifetimes, &made, &WORDS, buffer).into_iter();
        let found = found.map(|it| (it.buffer, it.at.0, it.bytes.0));
        found.collect::<Vec<_>>()
    };
    // All of c fits on either, for as many steps: the first of equals comes first.
    assert_eq!(places(&lifetimes, 2), [(0, 0, 16), (1, 64, 16)]);
    // a and b are born together. a would cover b before it reached all of c; b goes to 80.
    assert_eq!(places(&lifetimes, 0), []);
    assert_eq!(places(&lifetimes, 1), [(2, 80, 16)]);
    assert_eq!(movable(&lifetimes, &made, &WORDS, 3), [1, 2]);
    assert_eq!(
        movable(&lifetimes, &made, &WORDS, 2),
        [1],
        "the largest two are looked at"
    );
    // A result may be written over what is read last, but beside it that is a fault.
    lifetimes.buffers[2].span = Span::new(3, 5);
    lifetimes.buffers[1] = Buffer::new("b", 16, Span::new(0, 4));
    assert_eq!(places(&lifetimes, 2), [(0, 0, 16), (1, 68, 12)]);
    lifetimes.handovers.push(Handover {
        before: 0,
        after: 2,
        shift: Bytes(0),
    });
    assert_eq!(
        places(&lifetimes, 2),
        [(0, 4, 16), (1, 68, 12)],
        "0 is where it is handed over"
    );
}
