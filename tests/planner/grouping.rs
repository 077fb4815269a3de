//! Who holds the bytes of a moment, against the books of the allocator that made the trace.

use std::collections::BTreeMap;

use planner::attribution::{AUTOGRAD, BEFORE_RECORDING, called};
use planner::deployed::{Deployed, Frame, Note, Stacks};
use planner::grouping::{Moment, Node, area, groups, held, tree};
use planner::load::{Document, load};
use planner::query::{Facts, Field, Sources};
use planner::{Buffer, Bytes, Lifetimes, Pause, Span, Step, bounds};
use tests::lifetimes::scattered;
use tests::random::Random;
use tests::snapshot::program::{FRAMES, SAID, STACKS};
use tests::snapshot::{Made, Spec};

fn read(made: &Made) -> Deployed {
    let (_, document, _) = load(&made.bytes(4)).expect("a snapshot");
    match document {
        Document::Deployed(deployed) => deployed,
        _ => panic!("a trace"),
    }
}

/// What is known of the buffers of the first arena.
fn facts(deployed: &Deployed) -> Facts {
    let arena = &deployed.arenas[0];
    Facts::new(Sources {
        lifetimes: &arena.lifetimes,
        program: None,
        notes: &arena.notes,
        scopes: &arena.scopes,
        stacks: &deployed.stacks,
        peak: bounds::bounds(&arena.lifetimes).peak,
        waste: None,
    })
}

/// Bytes by stack of the blocks that are in use after `event` events and were handed out from
/// event `from` on.
fn books(made: &Made, from: usize, event: usize) -> BTreeMap<usize, u64> {
    let mut found = BTreeMap::new();
    for block in made.blocks(0) {
        let taken = block.taken;
        let ended = taken.completed_free.is_some_and(|end| end < event);
        if from <= taken.alloc && taken.alloc < event && !ended {
            *found.entry(taken.stack).or_insert(0) += taken.size;
        }
    }
    found
}

/// What the group of a stack is called, by hand.
type Name = fn(usize) -> &'static str;

/// By hand what a stack's group is called, and how many bytes all of them have.
fn named(found: &BTreeMap<usize, u64>, name: Name) -> Vec<(String, u64)> {
    let mut groups: BTreeMap<&str, u64> = BTreeMap::new();
    for (&stack, &bytes) in found {
        *groups.entry(name(stack)).or_insert(0) += bytes;
    }
    let mut groups: Vec<(String, u64)> = groups
        .into_iter()
        .map(|(name, bytes)| (name.to_owned(), bytes))
        .collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.1));
    groups
}

#[test]
fn groups_of_any_moment_are_those_of_the_books() {
    let made = Spec::of(5, 3_000).make();
    let deployed = read(&made);
    let arena = &deployed.arenas[0];
    let peak = bounds::bounds(&arena.lifetimes).peak;
    let facts = facts(&deployed);
    let events = made.allocators[0].books.entries.len();
    let at = |step: Step| usize::try_from(step.0).expect("few steps");
    // Event i is step i + 1: at a step as many events have happened.
    let moments = [
        (Moment::At(peak), 0, at(peak)),
        (Moment::At(Step(700)), 0, 700),
        (Moment::End, 0, events),
        (Moment::Between(Step(501), Step(900)), 500, 900),
    ];
    for (moment, from, event) in moments {
        let held = held(&arena.lifetimes, moment);
        let books = books(&made, from, event);
        let fields: [(Field, Name); 3] = [
            (Field::Caller, |stack| SAID[stack].allocated_in()),
            (Field::Module, |stack| SAID[stack].module),
            (Field::Op, |stack| SAID[stack].operator),
        ];
        for (field, name) in fields {
            let found = groups(&facts, &held, field).into_iter();
            let found: Vec<_> = found.map(|group| (group.text, group.bytes.0)).collect();
            assert_eq!(found, named(&books, name), "{moment:?} {field:?}");
        }
        assert!(!held.is_empty(), "{moment:?}");
        // The whole tree, and every path of it: no frame is lost when none is folded.
        let root = tree(&arena.notes, &deployed.stacks, &held, true);
        assert_eq!(root.bytes.0, books.values().sum::<u64>());
        let mut paths = BTreeMap::new();
        leaves(&root, &mut Vec::new(), &mut paths);
        let expected = books.iter().map(|(&stack, &bytes)| {
            let path = STACKS[stack].iter().rev();
            let path = path.map(|&frame| FRAMES[frame].0.to_owned());
            (path.collect::<Vec<_>>(), bytes)
        });
        let named = |path: Vec<u32>| {
            let frames = path.into_iter();
            let frames = frames.map(|it| deployed.stacks.frames[it as usize].function.clone());
            frames.collect::<Vec<_>>()
        };
        let paths: BTreeMap<_, _> = paths.into_iter().map(|(it, b)| (named(it), b)).collect();
        assert_eq!(paths, expected.collect());
    }
}

/// A trace that lost its first events: what was there before and is gone at its end has no stack
/// in the file, and is a group of its own, apart from what autograd made.
#[test]
fn what_was_there_before_is_apart_from_autograd() {
    let made = Spec {
        kept: 1_500,
        ..Spec::of(5, 3_000)
    }
    .make();
    let deployed = read(&made);
    let arena = &deployed.arenas[0];
    let held = held(&arena.lifetimes, Moment::At(Step(0)));
    let found = groups(&facts(&deployed), &held, Field::Caller);
    let blocks = made.blocks(0).into_iter().filter(|it| it.alloc.is_none());
    let gone = blocks.clone().filter(|it| it.completed_free.is_some());
    let before = found.iter().find(|it| it.text == BEFORE_RECORDING);
    let before = before.expect("a group");
    assert_eq!(before.buffers.len(), gone.clone().count());
    assert_eq!(before.bytes.0, gone.map(|it| it.taken.size).sum::<u64>());
    // Those that are still there at the end have their stacks.
    let kept = blocks.filter(|it| it.completed_free.is_none());
    let kept: u64 = kept.map(|it| it.taken.size).sum();
    let others = found.iter().filter(|it| it.text != BEFORE_RECORDING);
    assert_eq!(others.map(|it| it.bytes.0).sum::<u64>(), kept);
    let facts = facts(&deployed);
    let later = (1..15).flat_map(|it| {
        let held = planner::grouping::held(&arena.lifetimes, Moment::At(Step(100 * it)));
        groups(&facts, &held, Field::Caller)
    });
    let later: Vec<String> = later.map(|it| it.text).collect();
    assert!(later.iter().any(|it| it == AUTOGRAD));
    assert!(later.iter().all(|it| !it.is_empty()));
}

/// The schedule in about `count` columns.
fn edges(horizon: Step, count: u64) -> Vec<Step> {
    let mut edges: Vec<Step> = (0..=count).map(|it| Step(horizon.0 * it / count)).collect();
    edges.dedup();
    edges
}

#[test]
fn no_column_of_the_area_misses_what_the_books_have() {
    let made = Spec::of(5, 3_000).make();
    let deployed = read(&made);
    let lifetimes = &deployed.arenas[0].lifetimes;
    let facts = facts(&deployed);
    let lines = made.lines(0);
    let name: Name = |stack| SAID[stack].allocated_in();
    // What each group needs at most, by hand: after every event.
    let mut most: BTreeMap<&str, u64> = BTreeMap::new();
    for event in 0..lines.len() {
        for (text, bytes) in named(&books(&made, 0, event), name) {
            let known = SAID.iter().find(|said| said.allocated_in() == text);
            let most = most.entry(known.expect("one of the program").allocated_in());
            let most = most.or_insert(0);
            *most = bytes.max(*most);
        }
    }
    let mut most: Vec<(&str, u64)> = most.into_iter().collect();
    most.sort_by_key(|it| std::cmp::Reverse(it.1));
    for count in [1, 7, 400, 1_000_000] {
        let edges = edges(lifetimes.horizon, count);
        let area = area(&facts, lifetimes, Field::Caller, (&edges, 2));
        let bands: Vec<_> = area.bands.iter().map(|it| it.text.as_str()).collect();
        assert_eq!(bands, [most[0].0, most[1].0, ""]);
        assert_eq!(area.bands[2].groups, most.len() - 2);
        let spans = edges.windows(2).map(|it| Span::new(it[0].0, it[1].0));
        let spans: Vec<Span> = spans.collect();
        assert!(area.columns.iter().map(|it| it.span).eq(spans));
        for column in &area.columns {
            let [start, end] =
                [column.span.start, column.span.end].map(|it| usize::try_from(it.0).expect("few"));
            let active = lines[start..end].iter().map(|line| line.active);
            let total = active.clone().max().expect("no column is empty");
            let first = active.clone().position(|it| it == total).expect("it is");
            assert_eq!(
                (column.total.0, column.step.0),
                (total, (start + first) as u64)
            );
            let books = named(&books(&made, 0, start + first), name);
            let of = |text: &str| books.iter().find(|it| it.0 == text).map_or(0, |it| it.1);
            let two = [of(most[0].0), of(most[1].0)];
            let bytes = [two[0], two[1], total - two[0] - two[1]].map(Bytes);
            assert_eq!(column.bytes, bytes, "{:?}", column.span);
        }
    }
}

/// Against every step one by one, with buffers that are not needed for a while.
#[test]
fn columns_of_the_area_are_those_of_every_step() {
    let mut random = Random::new(11);
    for seed in 0..40 {
        let mut lifetimes = scattered(seed, 12, 30, 9);
        for buffer in &mut lifetimes.buffers {
            let window = (random.within(0, 2) == 0).then_some((Bytes(0), Bytes(1)));
            // Every buffer needs its bytes for a step at least.
            let start = random.within(buffer.span.start.0 + 1, buffer.span.end.0);
            let end = random.within(start, buffer.span.end.0 + 1);
            if start < end {
                let span = Span::new(start, end);
                buffer.pauses.push(Pause { span, window });
            }
        }
        let deployed = Deployed::single("", lifetimes, planner::Plan::default());
        let lifetimes = &deployed.arenas[0].lifetimes;
        let facts = facts(&deployed);
        let edges = edges(lifetimes.horizon, 9);
        let area = area(&facts, lifetimes, Field::Name, (&edges, 4));
        assert_eq!(area.bands.last().map(|it| it.groups), Some(8));
        for column in &area.columns {
            let at = |step: u64| {
                let held = held(lifetimes, Moment::At(Step(step)));
                held.iter().map(|it| it.1.0).sum::<u64>()
            };
            let steps = column.span.start.0..column.span.end.0;
            assert_eq!(Some(column.total.0), steps.clone().map(at).max());
            let step = steps.clone().find(|&step| at(step) == column.total.0);
            assert_eq!(Some(column.step.0), step);
            assert_eq!(
                column.bytes.iter().map(|it| it.0).sum::<u64>(),
                column.total.0
            );
            let held = held(lifetimes, Moment::At(column.step));
            for (band, bytes) in area.bands.iter().zip(&column.bytes).take(4) {
                let groups = groups(&facts, &held, Field::Name);
                let group = groups.iter().find(|group| group.text == band.text);
                assert_eq!(*bytes, group.map_or(Bytes(0), |group| group.bytes));
            }
        }
    }
}

/// The bytes that end at each path.
fn leaves(node: &Node, path: &mut Vec<u32>, paths: &mut BTreeMap<Vec<u32>, u64>) {
    let below: u64 = node.children.iter().map(|child| child.bytes.0).sum();
    if node.bytes.0 > below {
        paths.insert(path.clone(), node.bytes.0 - below);
    }
    for child in &node.children {
        path.extend(child.frame);
        leaves(child, path, paths);
        path.pop();
    }
}

/// Two buffers below `train`, one of them in a library, and a gradient without Python.
#[test]
fn frames_of_the_runtime_are_folded() {
    let frame = |function: &str, file: &str| Frame {
        function: function.into(),
        file: file.into(),
        line: 1,
    };
    let stacks = Stacks {
        frames: vec![
            frame("malloc", "??"),
            frame("train", "train.py"),
            frame("linear", "/torch/nn/functional.py"),
            frame("engine", "engine.cpp"),
        ],
        stacks: vec![vec![], vec![0, 1], vec![0, 2, 3, 1], vec![0, 3]],
    };
    let notes: Vec<Note> = [1, 2, 3, 0]
        .map(|stack| Note {
            stack,
            ..Note::default()
        })
        .into();
    let buffers = [10, 20, 40, 80].map(|size| Buffer::new("b", size, Span::new(0, 1)));
    let held = held(&Lifetimes::of(buffers), Moment::At(Step(0)));
    let shown = |node: &Node| {
        let frame = node.frame.map(|it| called(&stacks.frames[it as usize]));
        (frame.unwrap_or_default(), node.bytes, node.buffers)
    };
    let root = tree(&notes, &stacks, &held, false);
    assert_eq!(shown(&root), (String::new(), Bytes(150), 4));
    // What has no stack stays at the root; what has no Python keeps its frames.
    let [engine, train] = &root.children[..] else {
        panic!("{root:?}");
    };
    assert_eq!(
        shown(engine),
        ("engine (engine.cpp:1)".into(), Bytes(40), 1)
    );
    assert_eq!(shown(&engine.children[0]).0, "malloc");
    assert_eq!(shown(train), ("train (train.py:1)".into(), Bytes(30), 2));
    let [linear] = &train.children[..] else {
        panic!("{train:?}");
    };
    assert_eq!(
        shown(linear),
        ("linear (functional.py:1)".into(), Bytes(20), 1)
    );
    assert!(linear.children.is_empty());
}
