//! What a change saves, against the generator's allocator that runs the changed requests.

use std::collections::BTreeSet;

use planner::advice::{Advice, Change, Group, Proposal, Wish};
use planner::graph::Bindings;
use planner::load::load;
use planner::{AllocatorSettings, Bytes, Settings, Step, Subject, prepare};
use tests::snapshot::allocator::{Allocator, Settings as Configured};
use tests::snapshot::program::SAID;
use tests::snapshot::{Block, Made, Spec, USUAL};

/// Room for everything that the program asks for but what no device can meet.
const ROOMY: Configured = Configured {
    capacity: 8 << 30,
    ..USUAL
};

/// What is done at a step: everything of one step in the order of the kinds, requests by the
/// addresses that the trace has them at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Deed {
    Empty,
    Free(usize),
    Alloc(u64, usize),
    /// A request that no device meets, and its stream: what is free goes back for it.
    Fail(i64, u64),
}

pub(super) fn made(seed: u64) -> Made {
    Spec {
        devices: vec![ROOMY],
        ..Spec::of(seed, 1200)
    }
    .make()
}

pub(super) fn subject(made: &Made) -> Subject {
    let (_, document, _) = load(&made.bytes(4)).expect("a snapshot");
    prepare(&document, &Bindings::new(), &Settings::default()).expect("small enough")
}

fn advised(subject: &Subject, wish: &Wish) -> Advice {
    let mut told = Vec::new();
    let advice = subject.advise(Bytes(1), wish, &mut |done, total| told.push((done, total)));
    let advice = advice.expect("a trace");
    // Every replay is counted, the one without a change, too.
    let total = advice.proposals.len() as u64 + 1;
    assert_eq!(told.first(), Some(&(0, total)));
    assert_eq!(told.last(), Some(&(total, total)));
    assert!(told.is_sorted());
    advice
}

/// From which step to which a block is there: the first event is at step 1.
fn span(block: &Block) -> (usize, Option<usize>) {
    let start = block.alloc.map_or(0, |event| event + 1);
    (start, block.completed_free.map(|event| event + 1))
}

/// The requests of the trace and its own emptying, as they were. Where nothing was given back, no
/// trace shows that the program emptied the cache.
fn deeds(made: &Made, spans: &[Vec<(usize, Option<usize>)>]) -> Vec<(usize, Deed)> {
    let books = &made.allocators[0].books;
    let shown = |event: &&usize| {
        let entry = books.entries.get(**event);
        entry.is_some_and(|it| it.action == "segment_free")
    };
    let emptied = books.emptied.iter().filter(shown);
    let mut deeds: Vec<(usize, Deed)> = emptied.map(|event| (event + 1, Deed::Empty)).collect();
    let failed = books.entries.iter().enumerate();
    let failed = failed.filter(|(_, it)| it.action == "oom");
    deeds.extend(failed.map(|(event, it)| (event + 1, Deed::Fail(it.stream, it.size))));
    let mut next = 0;
    for (block, spans) in made.blocks(0).iter().zip(spans) {
        for &(start, end) in spans {
            deeds.push((start, Deed::Alloc(block.taken.address, next)));
            deeds.extend(end.map(|end| (end, Deed::Free(next))));
            next += 1;
        }
    }
    deeds
}

/// What the generator's allocator reserves at most for these.
fn reserved(made: &Made, spans: &[Vec<(usize, Option<usize>)>], extra: &[(usize, Deed)]) -> u64 {
    let mut deeds = deeds(made, spans);
    deeds.extend(extra);
    deeds.sort();
    let parts = made.blocks(0).into_iter().zip(spans);
    let parts: Vec<Block> = parts
        .flat_map(|(block, spans)| vec![block; spans.len()])
        .collect();
    let mut allocator = Allocator::new(ROOMY, 0x7f00_0000_0000);
    let mut books = vec![0; parts.len()];
    for (_, deed) in deeds {
        match deed {
            Deed::Empty => allocator.empty_cache(0),
            Deed::Free(part) => {
                allocator.request_free(books[part], 0);
                allocator.complete_free(books[part], 0);
            }
            Deed::Fail(stream, size) => {
                assert_eq!(allocator.alloc(size, (stream, (0, 0)), 0), None);
            }
            Deed::Alloc(_, part) => {
                let taken = parts[part].taken;
                let owner = (taken.stream, taken.pool);
                books[part] = allocator.alloc(taken.requested, owner, 0).expect("room");
            }
        }
    }
    let lines = allocator.books.lines.iter();
    lines.map(|line| line.reserved).max().unwrap_or_default()
}

/// As the trace has them.
fn own(made: &Made) -> Vec<Vec<(usize, Option<usize>)>> {
    made.blocks(0).iter().map(|it| vec![span(it)]).collect()
}

/// The most bytes of blocks at a step, and the first step that has them, by adding up all.
fn needed(made: &Made, spans: &[Vec<(usize, Option<usize>)>]) -> (usize, u64) {
    let last = made.allocators[0].books.entries.len();
    let sums = (0..=last).map(|step| {
        let blocks = made.blocks(0).into_iter().zip(spans);
        let live = blocks.filter(|(_, spans)| {
            let mut spans = spans.iter();
            spans.any(|&(start, end)| start <= step && end.is_none_or(|end| step < end))
        });
        (step, live.map(|(block, _)| block.taken.size).sum::<u64>())
    });
    let most = sums.max_by_key(|&(step, sum)| (sum, std::cmp::Reverse(step)));
    most.expect("steps")
}

/// The most bytes asked for at a step, in multiples of 512 bytes as PyTorch rounds them.
fn rounded(made: &Made, spans: &[Vec<(usize, Option<usize>)>]) -> u64 {
    let last = made.allocators[0].books.entries.len();
    let sums = (0..=last).map(|step| {
        let blocks = made.blocks(0).into_iter().zip(spans);
        let live = blocks.filter(|(_, spans)| {
            let mut spans = spans.iter();
            spans.any(|&(start, end)| start <= step && end.is_none_or(|end| step < end))
        });
        let sizes = live.map(|(block, _)| block.taken.requested.max(1).next_multiple_of(512));
        sizes.sum::<u64>()
    });
    sums.max().expect("steps")
}

fn saves(proposal: &Proposal, advice: &Advice) {
    let saved = advice.base.taken.0.cast_signed() - proposal.outcome.taken.0.cast_signed();
    assert_eq!(proposal.saved, saved);
}

/// Without a change the replay is what the trace says; other settings come after one another by
/// what they reserve.
#[test]
fn nothing_is_saved_by_nothing() {
    for seed in [3, 8, 21] {
        let made = made(seed);
        let subject = subject(&made);
        let advice = advised(&subject, &Wish::default());
        assert_eq!(advice.base.taken, advice.taken);
        let plan = subject.deployed.as_ref().expect("a trace");
        assert_eq!(Some(advice.taken), plan.reserved);
        assert_eq!(advice.base.needed.0, rounded(&made, &own(&made)));
        assert_eq!(advice.settings, Some(AllocatorSettings::DEFAULT));
        let settings = advice.proposals.iter();
        let settings = settings.filter(|it| matches!(it.change, Change::Settings(_)));
        let taken: Vec<Bytes> = settings.map(|it| it.outcome.taken).collect();
        assert!(taken.len() > 8 && taken.is_sorted(), "{taken:?}");
        // No device meets the requests that failed.
        let failed = subject.refused.len() as u64;
        assert!(
            advice
                .proposals
                .iter()
                .all(|it| it.outcome.failed == failed)
        );
        // Blocks are collected only under a limit that is set.
        let collects = |it: &&Proposal| matches!(&it.change, Change::Settings(settings) if settings.collect_above > 0);
        assert_eq!(advice.proposals.iter().filter(collects).count(), 0);
        let limited = Wish {
            capacity: Some(Bytes(8 << 30)),
            ..Wish::default()
        };
        let limited = advised(&subject, &limited);
        assert_eq!(limited.proposals.iter().filter(collects).count(), 2);
        for proposal in &advice.proposals {
            saves(proposal, &advice);
            assert!(proposal.outcome.needed <= proposal.outcome.taken);
        }
    }
}

/// The cache is emptied where it was asked for, and where most is reserved.
#[test]
fn emptying_the_cache_once_equals_the_run_that_does() {
    let mut differing = 0;
    for seed in [3, 8, 21] {
        let made = made(seed);
        let subject = subject(&made);
        for step in [200, 500, 800, 1100] {
            let wish = Wish {
                empty: Some(Step(step)),
                ..Wish::default()
            };
            let advice = advised(&subject, &wish);
            let mut steps = BTreeSet::new();
            for proposal in &advice.proposals {
                let Change::EmptyCache(at) = proposal.change else {
                    continue;
                };
                let extra = (usize::try_from(at.0).expect("a step"), Deed::Empty);
                let expected = reserved(&made, &own(&made), &[extra]);
                assert_eq!(proposal.outcome.taken.0, expected, "seed {seed}, {at:?}");
                assert_eq!(proposal.outcome.needed, advice.base.needed);
                differing += u32::from(proposal.saved != 0);
                steps.insert(at);
            }
            assert!(steps.contains(&Step(step)));
            let lines = &made.allocators[0].books.lines;
            let most = lines.iter().map(|line| line.reserved).max();
            let first = lines.iter().position(|line| Some(line.reserved) == most);
            // The last event of the one before it took the segment.
            let first = first.map(|event| Step(event as u64 + 1));
            assert!(steps.contains(&first.expect("it is reserved at some event")));
        }
    }
    assert!(differing > 6, "{differing}");
}

/// What is never given back is asked for before anything else.
#[test]
fn lasting_first_equals_the_run_that_asks_so() {
    let mut differing = 0;
    for seed in [3, 8, 21, 34] {
        let made = made(seed);
        let advice = advised(&subject(&made), &Wish::default());
        let mut spans = own(&made);
        let mut moved = 0;
        for spans in &mut spans {
            if let [(start, None)] = spans[..] {
                moved += u64::from(start > 0);
                spans[0].0 = 0;
            }
        }
        let mut found = advice.proposals.iter();
        let found = found.find(|it| it.change == Change::LastingFirst(moved));
        let found = found.expect("something lasts");
        assert_eq!(found.outcome.taken.0, reserved(&made, &spans, &[]));
        assert_eq!(found.outcome.needed.0, rounded(&made, &spans));
        differing += u32::from(found.saved != 0);
    }
    assert!(differing > 0, "{differing}");
}

/// The blocks that are there at `step` and neither handed out nor given back there, by who
/// allocated them, in which phase, and whether they stay.
fn held(made: &Made, step: usize, group: &Group) -> Vec<usize> {
    let blocks = made.blocks(0).into_iter().enumerate();
    let held = blocks.filter(|(_, block)| {
        let said = SAID[block.taken.stack];
        let (start, end) = span(block);
        let lasting = end.is_none();
        let phase = group.phase.map_or("", planner::attribution::Phase::name);
        let same = (said.allocated_in(), lasting) == (&group.text, group.lasting);
        let idle = start < step && end.is_none_or(|end| step + 1 < end);
        // Where the stack does not tell the phase, what the program said does.
        same && idle && (said.phase == phase || said.phase.is_empty())
    });
    held.map(|(index, _)| index).collect()
}

/// A group is given back right after it was asked for, and asked for again right before it is
/// given back; what stays is not there at all.
#[test]
fn what_the_peak_does_not_use_is_not_held_there() {
    let (mut groups, mut lowered, mut lasting) = (0, 0, 0);
    for seed in [3, 8, 21] {
        let made = made(seed);
        let subject = subject(&made);
        let advice = advised(&subject, &Wish::default());
        let (peak, _) = needed(&made, &own(&made));
        // What matters is what is held where a request failed.
        let failed = subject.failed_at();
        let step = failed.map_or(peak, |it| usize::try_from(it.0).expect("few events"));
        for proposal in &advice.proposals {
            let Change::Unheld(group) = &proposal.change else {
                continue;
            };
            assert_eq!(group.step.0, step as u64);
            let within: BTreeSet<usize> = held(&made, step, group).into_iter().collect();
            assert!(group.buffers.iter().all(|it| within.contains(it)));
            let blocks = made.blocks(0);
            let bytes = group.buffers.iter().map(|&it| blocks[it].taken.size);
            assert_eq!(group.bytes.0, bytes.sum::<u64>());
            let mut spans = own(&made);
            for &index in &group.buffers {
                let (start, end) = span(&blocks[index]);
                spans[index] = match end {
                    None => Vec::new(),
                    Some(end) => vec![(start, Some(start + 1)), (end - 1, Some(end))],
                };
            }
            assert_eq!(
                proposal.outcome.taken.0,
                reserved(&made, &spans, &[]),
                "seed {seed}: {group:?}"
            );
            assert_eq!(proposal.outcome.needed.0, rounded(&made, &spans));
            groups += 1;
            lowered += u32::from(proposal.outcome.needed < advice.base.needed);
            lasting += u32::from(group.lasting);
        }
    }
    assert!(
        groups > 9 && lowered > 3 && lasting > 0,
        "{groups} {lowered} {lasting}"
    );
}
