//! What differs between plans and between dumps, against figures worked out by hand.

use planner::deployed::Arena;
use planner::difference::{How, Side, dumps, plans};
use planner::liveness::{Buffer, Lifetimes};
use planner::plan::{Options, Plan};
use planner::strategies::{Silent, Strategy, plan};
use planner::units::{Bytes, Offset, Span};
use planner::waste::Kind;
use tests::arbitrary::{Shape, lifetimes};
use tests::deployed::part;
use tests::random::Random;

fn at(offsets: &[u64], arena: u64) -> Plan {
    Plan {
        offsets: offsets.iter().copied().map(Offset).collect(),
        arena: Bytes(arena),
        ..Plan::default()
    }
}

fn arena(rows: &[(&str, u64, (u64, u64), u64)], size: u64) -> Arena {
    let buffer = |&(name, size, (start, end), _): &(&str, u64, (u64, u64), u64)| {
        Buffer::new(name, size, Span::new(start, end))
    };
    let offsets: Vec<u64> = rows.iter().map(|row| row.3).collect();
    Arena {
        lifetimes: Lifetimes::of(rows.iter().map(buffer)),
        plan: at(&offsets, size),
        ..Arena::default()
    }
}

/// Three buffers of 10, 20 and 30 bytes: the second stays, the others move by hand.
#[test]
fn what_moves_and_what_stays() {
    let buffers = [(10, 0, 1), (20, 1, 2), (30, 2, 3), (0, 0, 3)];
    let buffers = buffers.map(|(size, start, end)| Buffer::new("", size, Span::new(start, end)));
    let lifetimes = Lifetimes::of(buffers);
    let found = plans(
        &lifetimes,
        &at(&[0, 10, 30, 7], 60),
        &at(&[5, 10, 0, 8], 30),
    );
    assert_eq!((found.same, found.same_bytes), (1, Bytes(20)));
    let moved = found.moved.iter().map(|it| (it.buffer, it.from.0, it.to.0));
    // The empty buffer is nowhere, wherever its row says that it is.
    assert_eq!(moved.collect::<Vec<_>>(), [(0, 0, 5), (2, 30, 0)]);
    assert_eq!(found.moved_bytes, Bytes(40));
    assert_eq!(found.saved(), 30);
    assert!((found.saved_share() - 0.5).abs() < 1e-12);
    let back = plans(
        &lifetimes,
        &at(&[5, 10, 0, 8], 30),
        &at(&[0, 10, 30, 7], 60),
    );
    assert_eq!(back.saved(), -30);
}

#[test]
fn no_plan_differs_from_itself() {
    let mut random = Random::new(7);
    for _ in 0..50 {
        let shape = Shape {
            buffers: random.below(20),
            ..Shape::default()
        };
        let made = lifetimes(&mut random, shape);
        let plan = plan(
            Strategy::OffsetsBySize,
            &made,
            &Options::aligned(Bytes(1)),
            &mut Silent,
        );
        let plan = plan.expect("small lifetimes can be planned");
        let found = plans(&made, &plan, &plan);
        assert_eq!((found.moved.len(), found.saved()), (0, 0));
        let needed = made.buffers.iter().filter(|it| it.is_needed()).count();
        assert_eq!(found.same, needed as u64);
        let arena = Arena {
            lifetimes: made,
            plan,
            ..Arena::default()
        };
        let found = dumps(&arena, &arena);
        assert_eq!((found.changed.len(), found.only.len()), (0, 0));
        assert_eq!(found.unchanged, arena.lifetimes.buffers.len() as u64);
        assert_eq!(found.waste.0, found.waste.1);
    }
}

/// After the upgrade a copy comes first, so that the compiler numbers the fusions anew;
/// `fusion.2` has grown by 50 bytes and `b` lives a step longer.
#[test]
fn an_upgrade_is_matched_by_name_and_order() {
    let before = arena(
        &[
            ("a", 100, (0, 2), 0),
            ("b", 40, (1, 2), 100),
            ("fusion.1", 60, (2, 3), 0),
            ("fusion.2", 70, (2, 4), 60),
            ("gone", 5, (3, 4), 0),
        ],
        140,
    );
    let after = arena(
        &[
            ("copy.9", 30, (0, 1), 200),
            ("a", 100, (0, 2), 0),
            ("b", 40, (1, 3), 100),
            ("fusion.3", 60, (2, 3), 0),
            ("fusion.4", 120, (2, 4), 140),
        ],
        260,
    );
    let found = dumps(&before, &after);
    let changed = found.changed.iter().map(|it| {
        let pair = it.pair;
        (
            pair.before,
            pair.after,
            pair.how,
            it.growth(),
            it.lengthening(),
        )
    });
    assert_eq!(
        changed.collect::<Vec<_>>(),
        [(3, 4, How::Order, 50, 0), (1, 2, How::Name, 0, 1)]
    );
    // "a" by name and "fusion.1" as "fusion.3", which is as large.
    assert_eq!(found.unchanged, 2);
    let only = found.only.iter().map(|it| (it.side, it.buffer, it.size.0));
    assert_eq!(
        only.collect::<Vec<_>>(),
        [(Side::After, 0, 30), (Side::Before, 4, 5)]
    );
    // Before: a + b = 140 at step 1. After: b + fusion.3 + fusion.4 = 220 at step 2.
    assert_eq!(found.bounds, (Bytes(140), Bytes(220)));
    assert_eq!((found.peaks.0.0, found.peaks.1.0), (1, 2));
    let grown = |kind| part(&found.waste.1, kind) - part(&found.waste.0, kind);
    assert_eq!(grown(Kind::Needed), 80);
    assert_eq!(grown(Kind::Fragmentation), 40);
    let at_peak: Vec<_> = found
        .changed
        .iter()
        .map(|it| (it.at_peak.0.0, it.at_peak.1.0))
        .collect();
    assert_eq!(at_peak, [(0, 120), (40, 40)]);
}

/// Several buffers of one name pair in the order in which they come to life.
#[test]
fn equal_names_pair_in_order() {
    let before = arena(&[("t", 8, (4, 5), 0), ("t", 16, (0, 1), 0)], 16);
    let after = arena(&[("t", 16, (0, 1), 0), ("t", 9, (4, 5), 0)], 16);
    let found = dumps(&before, &after);
    assert_eq!(found.unchanged, 1);
    assert_eq!(found.changed.len(), 1);
    let pair = found.changed[0].pair;
    assert_eq!((pair.before, pair.after), (0, 1));
    assert!(!pair.how.is_guess());
}
