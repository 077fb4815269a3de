//! What-if: where a buffer may go, who is in the way, and that the judge agrees.

use planner::check::{Violation, check};
use planner::liveness::{Buffer, Gap, Lifetimes};
use planner::plan::{Options, Plan};
use planner::strategies::{Silent, Strategy, plan};
use planner::units::{Bytes, Offset, Span};
use planner::what_if::{Room, arena, in_the_way, pinned, rooms, snapped, swapped};
use tests::lifetimes::scattered;
use tests::random::Random;

const ONE: Options = Options::aligned(Bytes(1));

/// 100 bytes at 0, 50 bytes at 160, both live with `held` (20 bytes); `apart` never is.
fn shelf() -> (Lifetimes, Vec<Offset>) {
    let lifetimes = Lifetimes::of([
        Buffer::new("low", 100, Span::new(0, 4)),
        Buffer::new("high", 50, Span::new(0, 4)),
        Buffer::new("held", 20, Span::new(1, 3)),
        Buffer::new("apart", 500, Span::new(4, 6)),
    ]);
    (lifetimes, [0, 160, 300, 0].map(Offset).to_vec())
}

#[test]
fn rooms_lie_between_those_in_the_way() {
    let (lifetimes, offsets) = shelf();
    // Behind low (100) and below high (160 - 20), or behind high (210).
    let between = Room {
        first: Offset(100),
        last: Some(Offset(140)),
    };
    let above = Room {
        first: Offset(210),
        last: None,
    };
    assert_eq!(rooms(&lifetimes, &offsets, &ONE, 2), [between, above]);
    // Multiples of 64: 128 is the only one between, 256 the first above.
    let options = Options::aligned(Bytes(64));
    let rooms = rooms(&lifetimes, &offsets, &options, 2);
    let ends: Vec<_> = rooms
        .iter()
        .map(|r| (r.first.0, r.last.map(|l| l.0)))
        .collect();
    assert_eq!(ends, [(128, Some(128)), (256, None)]);
    assert_eq!(in_the_way(&lifetimes, &offsets, 2, Offset(90)), [0]);
    assert_eq!(in_the_way(&lifetimes, &offsets, 2, Offset(141)), [1]);
    assert!(in_the_way(&lifetimes, &offsets, 2, Offset(140)).is_empty());
    assert!(in_the_way(&lifetimes, &offsets, 3, Offset(0)).is_empty());
}

#[test]
fn a_held_buffer_snaps_to_the_nearest_end_within_reach() {
    let (lifetimes, offsets) = shelf();
    let snap = |at, reach| snapped(&lifetimes, &offsets, &ONE, (2, Offset(at)), Bytes(reach)).0;
    assert_eq!(snap(95, 8), 100);
    assert_eq!(snap(133, 8), 140);
    assert_eq!(snap(120, 8), 120, "free, and no end is near");
    assert_eq!(snap(60, 8), 60, "in the way, and no end is near");
    assert_eq!(snap(120, 20), 100, "both ends are 20 away: the lower");
    let options = Options::aligned(Bytes(64));
    let at = (2, Offset(40));
    assert_eq!(snapped(&lifetimes, &offsets, &options, at, Bytes(8)).0, 64);
}

#[test]
fn a_gap_makes_room() {
    let (mut lifetimes, offsets) = shelf();
    // While `held` is live, `low` needs only its first 30 bytes.
    lifetimes.buffers[0].gaps = vec![Gap {
        span: Span::new(1, 3),
        window: Some((Bytes(0), Bytes(30))),
    }];
    let rooms = rooms(&lifetimes, &offsets, &ONE, 2);
    assert_eq!(rooms[0].first, Offset(30));
    assert_eq!(in_the_way(&lifetimes, &offsets, 2, Offset(29)), [0]);
}

/// The judge, who shares no code with this, finds an overlap with exactly those that are said
/// to be in the way.
#[test]
fn the_judge_agrees() {
    let mut random = Random::new(41);
    for seed in 0..200 {
        let lifetimes = scattered(seed, 12, 10, 60);
        let made = plan(Strategy::OffsetsBySize, &lifetimes, &ONE, &mut Silent).expect("a plan");
        let buffer = usize::try_from(random.below(12)).expect("small");
        let at = Offset(random.below(made.arena.0 + 30));
        let mut offsets = made.offsets.clone();
        offsets[buffer] = at;
        let changed = Plan {
            arena: arena(&lifetimes, &offsets, &ONE),
            offsets,
            ..Plan::default()
        };
        let mut found: Vec<usize> = check(&lifetimes, &changed, &ONE)
            .into_iter()
            .map(|violation| match violation {
                Violation::Overlap { first, second } if first == buffer => second,
                Violation::Overlap { first, .. } => first,
                other => panic!("{other}"),
            })
            .collect();
        found.sort_unstable();
        let said = in_the_way(&lifetimes, &made.offsets, buffer, at);
        assert_eq!(said, found, "seed {seed}, {buffer} at {at:?}");
        let free = rooms(&lifetimes, &made.offsets, &ONE, buffer)
            .iter()
            .any(|room| room.first <= at && room.last.is_none_or(|last| at <= last));
        assert_eq!(free, said.is_empty());
    }
}

#[test]
fn swapping_and_the_arena() {
    let (lifetimes, offsets) = shelf();
    assert_eq!(arena(&lifetimes, &offsets, &ONE), Bytes(500));
    let swapped = swapped(&offsets, 0, 3);
    assert_eq!(swapped, offsets, "both start at 0");
    let swapped = super::what_if::swapped(&offsets, 1, 2);
    assert_eq!(swapped, [0, 300, 160, 0].map(Offset));
    let options = Options::aligned(Bytes(64));
    assert_eq!(arena(&lifetimes, &[Offset(0); 4], &options), Bytes(512));
}

#[test]
fn a_strategy_plans_around_what_is_pinned() {
    let (lifetimes, offsets) = shelf();
    let fixed = pinned(&lifetimes, &[(2, Offset(40))]);
    assert_eq!(fixed.buffers[2].fixed, Some(Offset(40)));
    let made = plan(Strategy::OffsetsBySize, &fixed, &ONE, &mut Silent).expect("a plan");
    assert_eq!(made.offsets[2], Offset(40));
    // Valid without the pin too, which only asks for more.
    assert_eq!(check(&lifetimes, &made, &ONE), []);
    assert_eq!(offsets.len(), made.offsets.len());
}
