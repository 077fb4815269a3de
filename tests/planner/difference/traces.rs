//! Two traces of one allocator pair by stack, size and order, against the allocator's books.

use std::collections::BTreeMap;

use planner::deployed::{Arena, Deployed, Frame, Note, Refused, Stacks};
use planner::difference::{Dumps, How, Side, arenas, dumps, pairs};
use planner::{Buffer, Bytes, Lifetimes, Span, Step, message};
use tests::chinese::load;
use tests::deployed::deployed;
use tests::snapshot::books::Taken;
use tests::snapshot::program::{LEAKING, SAID};
use tests::snapshot::{Made, Run, Spec};

/// Bytes that no other request has.
const LEAK: u64 = 77_777;

/// A run of a program of so many iterations.
fn run(seed: u64, iterations: usize, addresses: Option<u64>, leak: Option<u64>) -> Spec {
    Spec {
        run: Run {
            iterations: Some(iterations),
            addresses,
            leak,
        },
        ..Spec::of(seed, 0)
    }
}

fn read(made: &Made) -> Deployed {
    let (_, document, _) = load(&made.bytes(4)).expect("a whole snapshot");
    deployed(document)
}

fn differ(before: &Deployed, after: &Deployed) -> Dumps {
    dumps(
        (&before.arenas[0], &before.stacks),
        (&after.arenas[0], &after.stacks),
    )
}

/// By buffer: the number of its request among those that every run makes; `None` for a leak.
fn requests(made: &Made) -> Vec<Option<usize>> {
    let mut number = 0;
    let blocks = made.blocks(0).into_iter();
    let requests = blocks.map(|block| {
        let ours = block.taken.requested != LEAK;
        number += usize::from(ours);
        ours.then(|| number - 1)
    });
    requests.collect()
}

/// What every run asks for, so that a request of one is the request of the other.
fn asked(made: &Made) -> Vec<(usize, u64, i64)> {
    let blocks = made.blocks(0).into_iter().map(|it| it.taken);
    let ours = blocks.filter(|taken| taken.requested != LEAK);
    ours.map(|it: Taken| (it.stack, it.requested, it.stream))
        .collect()
}

/// What the buffers are called: addresses.
fn names(deployed: &Deployed) -> Vec<&str> {
    let buffers = deployed.arenas[0].lifetimes.buffers.iter();
    buffers.map(|it| it.name.as_str()).collect()
}

/// Every pair is one request of both runs, and none is left.
#[test]
fn shuffled_addresses_pair_as_the_books_say() {
    for (seed, expandable) in [(3, false), (4, false), (5, true), (6, false)] {
        let mut spec = run(seed, 40, None, None);
        spec.devices[0].expandable = expandable;
        let one = spec.make();
        spec.run.addresses = Some(seed);
        let other = spec.make();
        assert_eq!(asked(&one), asked(&other));
        let (before, after) = (read(&one), read(&other));
        // Events are read as they come, which is the same in both.
        assert!(before.stacks == after.stacks);
        if !expandable {
            assert_ne!(names(&before), names(&after));
        }
        let found = pairs(
            (&before.arenas[0], &before.stacks),
            (&after.arenas[0], &after.stacks),
        );
        let numbers = (requests(&one), requests(&other));
        assert_eq!(found.len(), numbers.0.len());
        assert!(found.len() > 500, "{}", found.len());
        for pair in &found {
            assert_eq!(pair.how, How::StackAndSize);
            assert_eq!(numbers.0[pair.before], numbers.1[pair.after], "seed {seed}");
        }
        let dumps = differ(&before, &after);
        assert!(dumps.only.is_empty());
        // A block that is cut from another one may be larger; nothing lives longer.
        assert!(dumps.changed.iter().all(|it| it.lengthening == 0));
        let same = dumps.changed.iter().all(|it| it.growth() != 0);
        assert!(same && dumps.changed.len() * 10 < found.len());
    }
}

/// Bytes by stack of the blocks that are in use after so many events.
fn books(made: &Made, step: Step) -> BTreeMap<usize, u64> {
    let event = usize::try_from(step.0).expect("few steps");
    let mut found = BTreeMap::new();
    for taken in made.blocks(0).into_iter().map(|it| it.taken) {
        let ended = taken.completed_free.is_some_and(|end| end < event);
        if taken.alloc < event && !ended {
            *found.entry(taken.stack).or_insert(0) += taken.size;
        }
    }
    found
}

/// One more block in every iteration, never given back: exactly these are new, nothing lives
/// longer for it, and what grew is what the books have at both peaks.
#[test]
fn what_is_added_is_found_and_grew_at_its_stack() {
    for seed in [3, 4, 6] {
        let (one, other) = (
            run(seed, 40, None, None).make(),
            run(seed, 40, Some(seed), Some(LEAK)).make(),
        );
        assert_eq!(asked(&one), asked(&other));
        let (before, after) = (read(&one), read(&other));
        let found = differ(&before, &after);
        let leaks = requests(&other).into_iter().enumerate();
        let leaks: Vec<usize> = leaks.filter(|it| it.1.is_none()).map(|it| it.0).collect();
        assert_eq!(leaks.len(), 40);
        let mut only: Vec<usize> = found.only.iter().map(|it| it.buffer).collect();
        only.sort_unstable();
        assert_eq!(only, leaks, "seed {seed}");
        assert!(found.only.iter().all(|it| it.side == Side::After));
        assert!(found.changed.iter().all(|it| it.lengthening == 0));

        let (old, new) = (books(&one, found.peaks.0), books(&other, found.peaks.1));
        let mut expected = Vec::new();
        for (stack, said) in SAID.iter().enumerate() {
            let bytes = [&old, &new].map(|it| it.get(&stack).copied().unwrap_or(0));
            if bytes[0] != bytes[1] {
                expected.push((said.allocated_in(), said.operator, bytes));
            }
        }
        expected.sort_by_key(|it| std::cmp::Reverse(i128::from(it.2[1]) - i128::from(it.2[0])));
        let growth = found.growth.iter().map(|it| {
            let bytes = [it.bytes.0.0, it.bytes.1.0];
            (it.caller.as_str(), it.operator.as_str(), bytes)
        });
        assert_eq!(growth.collect::<Vec<_>>(), expected);
        let leaking = found.growth.iter().find(|it| {
            (it.caller.as_str(), it.operator.as_str())
                == (SAID[LEAKING].caller, SAID[LEAKING].operator)
        });
        assert!(leaking.is_some_and(|it| it.growth() > 0));
        // Of what is never given back the leak is all that grew.
        let kept = found.kept.iter().map(|it| it.growth());
        let blocks = other.blocks(0);
        let leaked: u64 = leaks.iter().map(|&it| blocks[it].taken.size).sum();
        assert_eq!(kept.collect::<Vec<_>>(), [i128::from(leaked)]);
        let whole: i128 = found.growth.iter().map(|it| it.growth()).sum();
        let bounds = (i128::from(found.bounds.0.0), i128::from(found.bounds.1.0));
        assert_eq!(whole, bounds.1 - bounds.0);
    }
}

/// Two devices, of which the second leaks: the first is the same, and the second comes first.
#[test]
fn the_arena_that_changed_most_comes_first() {
    let made = |leak| {
        let mut spec = run(3, 40, None, None);
        spec.devices.push(spec.devices[0]);
        let (plain, leaking) = (spec.make(), run(4, 40, None, leak).make());
        let (mut found, second) = (read(&plain), read(&leaking));
        found.arenas[1] = second.arenas[0].clone();
        found.arenas[1].name = message!("device 1");
        (found, leaking)
    };
    let ((before, one), (after, other)) = (made(None), made(Some(LEAK)));
    let all = arenas(&before, &after);
    let names: Vec<&str> = all.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["device 1", "device 0"]);
    assert_eq!(all[0].indices, (Some(1), Some(1)));
    let kept = |made: &Made| -> u64 {
        let kept = made.blocks(0).into_iter().map(|it| it.taken);
        let kept = kept.filter(|it| it.completed_free.is_none());
        kept.map(|it| it.size).sum()
    };
    assert_eq!(all[0].kept, (Bytes(kept(&one)), Bytes(kept(&other))));
    let most = |made: &Made| made.lines(0).iter().map(|it| it.reserved).max();
    assert_eq!(Some(all[0].taken.0.0), most(&one));
    assert_eq!(Some(all[0].taken.1.0), most(&other));
    assert_eq!(all[1].growth(), (0, 0));
    // One in which a request failed comes before it, whatever changed.
    let (mut met, mut failed) = (before.clone(), after.clone());
    for arena in met.arenas.iter_mut().chain(&mut failed.arenas) {
        arena.refused.clear();
    }
    let last = Refused {
        step: Step(2),
        asked: Bytes(7),
        ..Refused::default()
    };
    failed.arenas[0].refused = vec![Refused::default(), last];
    let first = &arenas(&met, &failed)[0];
    assert_eq!((first.name.as_str(), first.failed), ("device 0", (0, 2)));
    let of_both = differ(&met, &failed).failed;
    assert_eq!((of_both.0.requests, of_both.0.last), (0, None));
    assert_eq!((of_both.1.requests, of_both.1.last), (2, Some(last)));
    // One that is gone is said, too.
    let mut fewer = after.clone();
    fewer.arenas.truncate(1);
    let all = arenas(&before, &fewer);
    assert_eq!(
        (all[0].indices, all[0].taken.1),
        ((Some(1), None), Bytes(0))
    );
}

/// Blocks one after the other: stack and bytes; each lives until the next but one, at addresses
/// that `addresses` says.
fn trace(rows: &[(u32, u64)], stacks: Stacks, address: impl Fn(u64) -> u64) -> Deployed {
    let buffers = (0..).zip(rows).map(|(turn, &(_, size))| {
        let span = Span::new(turn + 1, turn + 3);
        Buffer::new(format!("b{:x}_0", address(turn)), size, span)
    });
    let notes = rows.iter().map(|&(stack, _)| Note {
        stack,
        stream: Some(0),
        ..Note::default()
    });
    let arena = Arena {
        lifetimes: Lifetimes::of(buffers),
        notes: notes.collect(),
        ..Arena::default()
    };
    Deployed {
        arenas: vec![arena],
        stacks,
        ..Deployed::default()
    }
}

/// Stacks of one frame each, by function and line of `net.py`, in this order.
fn stacks(lines: &[(&str, u32)]) -> Stacks {
    let frames = lines.iter().map(|&(function, line)| Frame {
        function: function.into(),
        file: "net.py".into(),
        line,
    });
    let count = u32::try_from(lines.len()).expect("few lines");
    Stacks {
        frames: frames.collect(),
        stacks: std::iter::once(Vec::new())
            .chain((0..count).map(|frame| vec![frame]))
            .collect(),
    }
}

const LINES: [(&str, u32); 3] = [("a", 1), ("b", 2), ("c", 3)];

/// One more b in the midst of 8,000 iterations, too many for a search: the others stay theirs.
#[test]
fn an_addition_in_a_long_loop_shifts_nothing() {
    let rows = [(1, 10), (2, 20), (3, 30)].repeat(8_000);
    let mut more = rows.clone();
    more.insert(12_001, (2, 20));
    let before = trace(&rows, stacks(&LINES), |turn| turn);
    let after = trace(&more, stacks(&LINES), |turn| 1 << 30 | turn);
    let found = differ(&before, &after);
    let only: Vec<_> = found.only.iter().map(|it| (it.side, it.buffer)).collect();
    // Which of the two neighbours is new cannot be told.
    assert!(
        matches!(only[..], [(Side::After, 12_001 | 12_002)]),
        "{only:?}"
    );
    let found = pairs(
        (&before.arenas[0], &before.stacks),
        (&after.arenas[0], &after.stacks),
    );
    assert_eq!(found.len(), 24_000);
    for pair in found.iter().filter(|pair| pair.before != 12_001) {
        let later = usize::from(pair.before > 12_001);
        assert_eq!(pair.after, pair.before + later);
    }
    // The other way round it is gone.
    let found = differ(&after, &before);
    assert_eq!(found.only.len(), 1);
    assert_eq!(found.only[0].side, Side::Before);
}

/// Frames stand in another order in the second file, a has moved from line 1 to 5 and b asks for
/// 25 bytes in place of 20. The addresses are those of other blocks.
#[test]
fn stacks_are_compared_by_their_frames() {
    let before = trace(&[(1, 10), (2, 20), (3, 30)], stacks(&LINES), |turn| turn);
    let lines = [("c", 3), ("b", 2), ("a", 5)];
    let after = trace(&[(3, 10), (2, 25), (1, 30)], stacks(&lines), |turn| {
        2 - turn
    });
    let found = pairs(
        (&before.arenas[0], &before.stacks),
        (&after.arenas[0], &after.stacks),
    );
    let found = found.iter().map(|it| (it.before, it.after, it.how));
    let expected = [
        (0, 0, How::Stack),
        (1, 1, How::Stack),
        (2, 2, How::StackAndSize),
    ];
    assert_eq!(found.collect::<Vec<_>>(), expected);
    let dumps = differ(&before, &after);
    // b and c are live at the peak of both, and b alone grew.
    let growth = dumps.growth.iter().map(|it| (it.caller.as_str(), it.bytes));
    let grew = ("b (net.py:2)", (Bytes(20), Bytes(25)));
    assert_eq!(growth.collect::<Vec<_>>(), [grew]);
    assert_eq!((dumps.changed.len(), dumps.unchanged), (1, 2));
}

/// The same address says nothing, whether other stacks asked for it or none is known.
#[test]
fn an_address_pairs_nothing() {
    let one = trace(&[(1, 10), (0, 20)], stacks(&LINES), |turn| turn);
    let other = trace(&[(2, 10), (0, 21)], stacks(&LINES), |turn| turn);
    let found = differ(&one, &other);
    assert_eq!((found.unchanged, found.changed.len()), (0, 0));
    assert_eq!(found.only.len(), 4);
    // Without stacks size and order are what is left.
    let other = trace(&[(2, 20), (0, 20)], stacks(&LINES), |turn| turn);
    let found = differ(&one, &other);
    assert_eq!((found.unchanged, found.only.len()), (1, 2));
}

/// Of two blocks that were as long there, one is not given back any more.
#[test]
fn what_is_never_given_back_lives_longer() {
    let rows = [(1, 10), (2, 20), (3, 30), (1, 10)];
    let before = trace(&rows, stacks(&LINES), |turn| turn);
    let mut after = trace(&rows, stacks(&LINES), |turn| 9 - turn);
    let lifetimes = &mut after.arenas[0].lifetimes;
    lifetimes.buffers[1].span.end = lifetimes.horizon;
    let found = differ(&before, &after);
    // Of the two allocations after it its life has one before; then both, and the end.
    let changed = found
        .changed
        .iter()
        .map(|it| (it.pair.before, it.lengthening));
    assert_eq!(changed.collect::<Vec<_>>(), [(1, 2)]);
}
