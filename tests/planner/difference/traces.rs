//! Two traces of one allocator pair by stack, size and order, against the allocator's books.

use std::collections::BTreeMap;

use planner::deployed::{Arena, Deployed, Frame, Note, Stacks};
use planner::difference::{Dumps, How, Side, dumps, pairs};
use planner::{Buffer, Bytes, Lifetimes, Offset, Plan, Span, Step};
use tests::chinese::load;
use tests::deployed::deployed;
use tests::snapshot::books::Taken;
use tests::snapshot::program::{FRAMES, LEAKING, SAID, STACKS};
use tests::snapshot::{Block, Made, Run, Spec, USUAL};

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
    ours.map(|it: Taken| (it.stack, it.requested, it.stream)).collect()
}

/// How many buffers are named by the same address in both and lie in pairs of their own.
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
        assert!(same && dumps.unchanged as usize > found.len() * 9 / 10);
    }
}
