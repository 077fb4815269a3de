//! What differs between plans and between dumps, against figures worked out by hand.

use planner::deployed::{Arena, Stacks};
use planner::difference::{DECIDING_LISTED, Dumps, How, Plans, Side, plans};
use planner::waste::WasteKind;
use planner::{Buffer, Bytes, Lifetimes, Offset, Options, Plan, Silent, Span, Strategy, plan};
use tests::arbitrary::{Shape, lifetimes};
use tests::deployed::part;
use tests::judged::judged;
use tests::lifetimes::{problem, scattered};
use tests::random::Random;

mod traces;

/// Two dumps without stacks.
fn dumps(before: &Arena, after: &Arena) -> Dumps {
    let none = Stacks::default();
    planner::difference::dumps((before, &none), (after, &none))
}

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
        Bytes(1),
    );
    assert_eq!((found.same, found.same_bytes), (1, Bytes(20)));
    let moved = found.moved.iter().map(|it| (it.buffer, it.from.0, it.to.0));
    // The empty buffer is nowhere, wherever its row says that it is.
    assert_eq!(moved.collect::<Vec<_>>(), [(0, 0, 5), (2, 30, 0)]);
    assert_eq!(found.moved_bytes, Bytes(40));
    assert_eq!(found.saved(), 30);
    assert!((found.saved_share() - 0.5).abs() < 1e-12);
    // What was reserved for the first counts where it is reported, whatever the heights.
    let held = found.clone().taking((Bytes(120), Bytes(30)));
    assert_eq!((held.arenas, held.saved()), ((Bytes(60), Bytes(30)), 90));
    assert!((held.saved_share() - 0.75).abs() < 1e-12);
    let back = plans(
        &lifetimes,
        &at(&[5, 10, 0, 8], 30),
        &at(&[0, 10, 30, 7], 60),
        Bytes(1),
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
        let found = plans(&made, &plan, &plan, Bytes(1));
        assert_eq!((found.moved.len(), found.saved()), (0, 0));
        assert_eq!((found.loss, found.deciding), (None, Vec::new()));
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

/// Six tensors one after the other: 600 B without reuse against 200 B, of which no few decide.
#[test]
fn where_nothing_is_reused_no_few_decide() {
    let lifetimes = problem(&[1, 2, 3, 4, 5, 6].map(|step| (100, step, step + 2)));
    let options = Options::aligned(Bytes(1));
    let worse = judged(Strategy::Naive, &lifetimes, &options);
    let better = judged(Strategy::Best, &lifetimes, &options);
    assert_eq!((worse.arena, better.arena), (Bytes(600), Bytes(200)));
    let found = plans(&lifetimes, &worse, &better, Bytes(1));
    assert!(found.deciding.is_empty());
    assert_eq!(found.pointed(false), found.moved);
}

/// The leading gap: 240 B against 180 B. The third of three buffers, which reaches the top,
/// moves into the 100 B that the first has left; the others stay, though one bounds the hole
/// and one keeps that up. Whichever plan is named first.
#[test]
fn the_buffer_that_moves_into_the_hole_decides() {
    let lifetimes = problem(&[(100, 0, 2), (80, 1, 3), (60, 2, 4)]);
    let options = Options::aligned(Bytes(1));
    let worse = judged(Strategy::Xnnpack, &lifetimes, &options);
    let better = judged(Strategy::OffsetsBySize, &lifetimes, &options);
    assert_eq!((worse.arena, better.arena), (Bytes(240), Bytes(180)));
    let one = plans(&lifetimes, &worse, &better, Bytes(1));
    let other = plans(&lifetimes, &better, &worse, Bytes(1));
    assert_eq!(
        (one.deciding.as_slice(), &one.loss),
        (&[2][..], &other.loss)
    );
    assert_eq!(one.deciding, other.deciding);
    let loss = one.loss.unwrap();
    assert_eq!((loss.bytes, loss.holes[0].fits), (Bytes(60), Some(2)));
    // Turned over, all of them lie elsewhere: the top, what is above the hole, what keeps that.
    let turned = at(&[80, 0, 80], 180);
    let all = plans(&lifetimes, &worse, &turned, Bytes(1));
    let pointed = |plans: &Plans, all| -> Vec<usize> {
        let moves = plans.pointed(all).into_iter();
        moves.map(|it| it.buffer).collect()
    };
    // With one more that lies elsewhere and decides nothing: at step 4, where 60 B are live.
    let mut more = lifetimes.clone();
    more.buffers.push(Buffer::new("late", 10, Span::new(4, 5)));
    let worse = at(&[0, 100, 180, 0], 240);
    let found = plans(&more, &worse, &at(&[0, 100, 0, 20], 180), Bytes(1));
    assert_eq!(pointed(&found, false), [2]);
    assert_eq!(pointed(&found, true), [2, 3]);
    // As large as each other, nothing decides, so that all is pointed at.
    let even = plans(&more, &worse, &at(&[0, 100, 180, 20], 240), Bytes(1));
    assert_eq!((pointed(&even, false), even.loss), (vec![3], None));
    assert_eq!((all.deciding, all.moved.len()), (vec![2, 1, 0], 3));
}

/// Of hundreds that lie elsewhere a few decide, and always one that reaches the top.
#[test]
fn few_decide() {
    for seed in 0..20 {
        let lifetimes = scattered(seed, 200, 60, 1000);
        let options = Options::aligned(Bytes(64));
        let worse = judged(Strategy::OffsetsInOrder, &lifetimes, &options);
        let better = judged(Strategy::OffsetsBySize, &lifetimes, &options);
        let found = plans(&lifetimes, &worse, &better, Bytes(64));
        let is_larger = worse.arena > better.arena;
        let worse = if is_larger { &worse } else { &better };
        assert!(found.moved.len() > 100, "{} moved", found.moved.len());
        assert!((1..=DECIDING_LISTED).contains(&found.deciding.len()));
        let moved: Vec<usize> = found.moved.iter().map(|it| it.buffer).collect();
        assert!(found.deciding.iter().all(|it| moved.contains(it)));
        let first = found.deciding[0];
        let end = worse.offsets[first].0 + lifetimes.buffers[first].size.0;
        let ends = lifetimes.buffers.iter().zip(&worse.offsets);
        assert_eq!(Some(end), ends.map(|(it, at)| at.0 + it.size.0).max());
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
            it.lengthening,
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
    assert_eq!(grown(WasteKind::Needed), 80);
    assert_eq!(grown(WasteKind::Fragmentation), 40);
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
    assert_eq!(pair.how, How::Name);
}

/// Buffers one after the other, each over two steps, named by their turn as compilers do.
fn chain(names: &str, sizes: &[u64]) -> Arena {
    let rows = (0..).zip(sizes).map(|(turn, &size)| {
        let name = names.replace('#', &turn.to_string());
        Buffer::new(&name, size, Span::new(turn, turn + 2))
    });
    Arena {
        lifetimes: Lifetimes::of(rows),
        plan: at(&vec![0; sizes.len()], 0),
        ..Arena::default()
    }
}

/// What is unchanged, changes as both names and growth, and what is in one only.
type Reported = (u64, Vec<(String, String, i128)>, Vec<(Side, u64)>);

fn reported(before: &Arena, after: &Arena) -> Reported {
    let found = dumps(before, after);
    let name = |arena: &Arena, index: usize| arena.lifetimes.buffers[index].name.clone();
    let changed = found.changed.iter().map(|it| {
        let (from, to) = (name(before, it.pair.before), name(after, it.pair.after));
        (from, to, it.growth())
    });
    let only = found.only.iter().map(|it| (it.side, it.size.0));
    (found.unchanged, changed.collect(), only.collect())
}

/// One dot of 1,216 B more in the middle numbers all that follow anew.
#[test]
fn an_insertion_that_numbers_anew_is_one_buffer() {
    let sizes = [4032, 1216, 2816, 832, 3648];
    let before = chain("d_#", &sizes);
    let after = chain("d_#", &[4032, 1216, 1216, 2816, 832, 3648]);
    let new = (5, vec![], vec![(Side::After, 1216)]);
    assert_eq!(reported(&before, &after), new);
    let gone = (5, vec![], vec![(Side::Before, 1216)]);
    assert_eq!(reported(&after, &before), gone);
    // The same where the prefix is new too is another program: nothing is alike.
    let stranger = chain("e_#", &sizes);
    let found = dumps(&before, &stranger);
    assert_eq!((found.unchanged, found.only.len()), (0, 10));
    assert!(found.has_few_pairs());
}

/// The first of four is gone and the last has grown: the other two stay what they were.
#[test]
fn a_removal_and_a_growth_are_told_apart() {
    let before = chain("d_#", &[10, 20, 30, 40]);
    let after = chain("d_#", &[20, 30, 45]);
    let grown = vec![("d_3".to_owned(), "d_2".to_owned(), 5)];
    assert_eq!(
        reported(&before, &after),
        (2, grown, vec![(Side::Before, 10)])
    );
    let found = dumps(&before, &after);
    assert_eq!(found.changed[0].pair.how, How::Order);
}

/// 30 grew to 35 between 20 and 40, 5 is new between 10 and 20: what grew is looked for
/// between the neighbours that it had.
#[test]
fn what_grew_has_its_old_neighbours() {
    let before = chain("d_#", &[10, 20, 30, 40]);
    let after = chain("d_#", &[10, 5, 20, 35, 40]);
    let grown = vec![("d_2".to_owned(), "d_3".to_owned(), 5)];
    assert_eq!(
        reported(&before, &after),
        (3, grown, vec![(Side::After, 5)])
    );
}

/// Names that the program gives outlast another order, whatever the order says.
#[test]
fn names_that_are_kept_outlast_another_order() {
    let row = |name: &'static str, size, at| (name, size, (at, at + 1), 0);
    let before = [row("w1", 10, 0), row("w2", 20, 1), row("w3", 30, 2)];
    let after = [row("w3", 30, 0), row("w1", 10, 1), row("w2", 25, 2)];
    let (before, after) = (arena(&before, 60), arena(&after, 65));
    // By name and size w1 and w3 pair, 2; in order only 10 or 30 does, 1.
    let grown = vec![("w2".to_owned(), "w2".to_owned(), 5)];
    assert_eq!(reported(&before, &after), (2, grown, vec![]));
    assert_eq!(dumps(&before, &after).changed[0].pair.how, How::Name);
}

/// Above the limits of the subsequence names count, as ever; nothing hangs.
#[test]
fn dumps_too_different_for_the_subsequence_pair_by_name() {
    let sizes: Vec<u64> = (1..=20_001).collect();
    let before = chain("d_#", &sizes);
    let after = chain("d_#", &sizes[1..]);
    // Every name has its own size plus one, and the last name is gone.
    let found = dumps(&before, &after);
    assert_eq!((found.changed.len(), found.unchanged), (20_000, 0));
    assert!(found.changed.iter().all(|it| it.growth() == 1));
    // One row fewer is within the limit, so that only the first buffer is gone.
    let before = chain("d_#", &sizes[..20_000]);
    let after = chain("d_#", &sizes[1..20_000]);
    let gone = (19_999, vec![], vec![(Side::Before, 1)]);
    assert_eq!(reported(&before, &after), gone);
    // 2,001 sizes that the other has not on each side are too different.
    let strangers: Vec<u64> = (30_000..32_001).collect();
    let after = chain("d_#", &strangers);
    let found = dumps(&chain("d_#", &sizes[..2_001]), &after);
    assert_eq!(found.changed.len(), 2_001);
}

/// The longest common subsequence by the textbook's table of all prefixes.
fn longest(one: &[u64], other: &[u64]) -> usize {
    let mut row = vec![0; other.len() + 1];
    for a in one {
        let mut corner = 0;
        for (at, b) in other.iter().enumerate() {
            let above = row[at + 1];
            row[at + 1] = if a == b {
                corner + 1
            } else {
                above.max(row[at])
            };
            corner = above;
        }
    }
    row[other.len()]
}

/// Both ways round the same is reported; where numbers are new at least the subsequence is
/// unchanged; and as many pair as there are buffers in the smaller chain.
#[test]
fn chains_compare_alike_both_ways() {
    let mut random = Random::new(11);
    for _ in 0..2_000 {
        let mut sizes = || -> Vec<u64> {
            let count = random.below(12);
            (0..count).map(|_| 1 + random.below(5)).collect()
        };
        let (one, other) = (sizes(), sizes());
        let (before, after) = (chain("d_#", &one), chain("d_#", &other));
        let (there, back) = (dumps(&before, &after), dumps(&after, &before));
        assert_eq!(there.unchanged, back.unchanged, "{one:?} {other:?}");
        assert_eq!(there.changed.len(), back.changed.len());
        assert_eq!(there.only.len(), back.only.len());
        let paired = there.unchanged + there.changed.len() as u64;
        assert_eq!(paired, one.len().min(other.len()) as u64);
        let equal = one.iter().zip(&other).filter(|(a, b)| a == b).count();
        assert!(there.unchanged >= equal.max(longest(&one, &other)) as u64);
        let same = dumps(&before, &before);
        assert_eq!((same.changed.len(), same.only.len()), (0, 0));
    }
}

/// Of ten buffers one has a partner: fewer than a fifth; of ten two: not fewer.
#[test]
fn few_pairs_are_less_than_a_fifth_of_the_smaller_dump() {
    let named = |name: &'static str, from: u64| -> Vec<(&str, u64, (u64, u64), u64)> {
        (from..10).map(|at| (name, 1, (at, at + 1), 0)).collect()
    };
    let with = |shared: u64, other: &'static str| {
        let mut rows: Vec<_> = (0..shared).map(|at| ("s", 1, (at, at + 1), 0)).collect();
        rows.extend(named(other, shared));
        arena(&rows, 1)
    };
    assert!(dumps(&with(1, "x"), &with(1, "y")).has_few_pairs());
    assert!(!dumps(&with(2, "x"), &with(2, "y")).has_few_pairs());
    // All of one stem, but of other numbers and sizes: nothing says that any is the same.
    let guessed = |number: u64, size: u64| {
        let names: Vec<String> = (0..3).map(|at| format!("t.{}", number + at)).collect();
        let rows = names
            .iter()
            .zip(0..)
            .map(|(it, at)| (it.as_str(), size, (at, at + 1), 0));
        arena(&rows.collect::<Vec<_>>(), size)
    };
    assert!(dumps(&guessed(0, 8), &guessed(5, 4)).has_few_pairs());
    assert!(!dumps(&guessed(0, 8), &guessed(5, 8)).has_few_pairs());
    // One of one is all of the smaller one.
    let small = arena(&[("s", 1, (0, 1), 0)], 1);
    assert!(!dumps(&small, &with(1, "y")).has_few_pairs());
    assert!(!dumps(&Arena::default(), &Arena::default()).has_few_pairs());
}
