//! Which free range each of them takes, and what it says of the others; figures worked out by hand.

use planner::trace::{Note, Reason, Refusal};
use planner::{Buffer, Bytes, Handover, Lifetimes, Offset, Options, Span, Strategy};
use tests::judged::{judged, offsets, reasons, traced};

/// The offset of a buffer and the free ranges that were refused for it: first byte, bytes, why.
fn refusals(
    strategy: Strategy,
    lifetimes: &Lifetimes,
    wanted: usize,
) -> (u64, Vec<(u64, u64, Refusal)>) {
    let (made, trace) = traced(strategy, lifetimes, &Options::aligned(Bytes(1)));
    let refused = reasons(&trace, wanted).iter();
    let refused = refused.filter_map(|reason| match *reason {
        Reason::FreeRange {
            from,
            size: Some(size),
            why,
        } => Some((from.0, size.0, why)),
        _ => None,
    });
    (made.offsets[wanted].0, refused.collect())
}

/// Blocks at 5, 40 and 70, 10 bytes each, and one of 20 bytes to be placed: below them are
/// free ranges of 5, 25 and 20 bytes.
fn three_ranges() -> Lifetimes {
    let block = |at| Buffer {
        fixed: Some(Offset(at)),
        ..Buffer::new(format!("at {at}"), 10, Span::new(0, 1))
    };
    let mut buffers = [5, 40, 70].map(block).to_vec();
    buffers.push(Buffer::new("new", 20, Span::new(0, 1)));
    Lifetimes::of(buffers)
}

#[test]
fn the_first_range_or_the_closest() {
    use Refusal::{LooserFit, NotFirst, TooSmall};
    let closest = (50, vec![(0, 5, TooSmall), (15, 25, LooserFit)]);
    let expected = [
        (Strategy::LitertArena, closest.clone()),
        (Strategy::IreeSlices, closest.clone()),
        (Strategy::OnnxruntimePattern, closest),
        (
            Strategy::TflmGreedy,
            (15, vec![(0, 5, TooSmall), (50, 20, NotFirst)]),
        ),
        // What it never looks at and could not use is not worth a word.
        (Strategy::Xnnpack, (50, vec![(15, 25, LooserFit)])),
        // Its objects start after what is fixed.
        (Strategy::ExecutorchGreedy, (80, vec![])),
    ];
    for (strategy, expected) in expected {
        assert_eq!(
            refusals(strategy, &three_ranges(), 3),
            expected,
            "{strategy}"
        );
    }
}

#[test]
fn xnnpack_says_that_it_overlooks_the_space_below() {
    let spans = [(100, 0, 2), (80, 1, 3), (60, 2, 4)];
    let buffers = spans.map(|(size, start, end)| Buffer::new("b", size, Span::new(start, end)));
    let lifetimes = Lifetimes::of(buffers);
    let overlooked = (180, vec![(0, 100, Refusal::Overlooked)]);
    assert_eq!(refusals(Strategy::Xnnpack, &lifetimes, 2), overlooked);
    assert_eq!(refusals(Strategy::LitertArena, &lifetimes, 2), (0, vec![]));
}

/// By size: 100 opens the bytes from 0 on; 90 meets it and opens those from 100 on; 80 meets
/// 100 but not 90, and joins the second object at its start; 60 meets both, finds 10 bytes
/// after 80, and opens those from 190 on; 25 meets 100 and none in the second object.
#[test]
fn executorch_says_which_objects_it_saw() {
    let spans = [(100, 0, 3), (90, 2, 3), (80, 0, 1), (60, 0, 2), (25, 1, 2)];
    let buffers = spans.map(|(size, start, end)| Buffer::new("b", size, Span::new(start, end)));
    let lifetimes = Lifetimes::of(buffers);
    let noted = |wanted: usize| -> Vec<Note> {
        let options = Options::aligned(Bytes(1));
        let (_, trace) = traced(Strategy::ExecutorchGreedy, &lifetimes, &options);
        let note = |reason: &Reason| match *reason {
            Reason::Note(note) => Some(note),
            Reason::FreeRange { .. } | Reason::Object { .. } => None,
        };
        reasons(&trace, wanted).iter().filter_map(note).collect()
    };
    let opened = |range, from, size| Note::Opened {
        range,
        from: Offset(from),
        size: Bytes(size),
    };
    let full = |range, left| Note::Full {
        range,
        left: Bytes(left),
        live: true,
    };
    let joined = Note::Joined {
        range: 1,
        below: Bytes(0),
        padding: Bytes(0),
    };
    let in_use = Note::InUse { range: 0, by: 0 };
    assert_eq!(noted(0), [opened(0, 0, 100)]);
    assert_eq!(noted(1), [full(0, 0), opened(1, 100, 90)]);
    assert_eq!(noted(2), [in_use, joined]);
    assert_eq!(noted(3), [full(0, 0), full(1, 10), opened(2, 190, 60)]);
    assert_eq!(noted(4), [in_use, joined]);
}

/// Of equal sizes TFLite Micro takes the last first, XNNPACK and LiteRT the first.
#[test]
fn ties_go_by_index() {
    let buffers = ["a", "b", "c"].map(|name| Buffer::new(name, 10, Span::new(1, 2)));
    let lifetimes = Lifetimes::of(buffers);
    let options = Options::aligned(Bytes(1));
    for (strategy, expected) in [
        (Strategy::TflmGreedy, [20, 10, 0]),
        (Strategy::Xnnpack, [0, 10, 20]),
        (Strategy::LitertArena, [0, 10, 20]),
        (Strategy::ExecutorchGreedy, [20, 10, 0]),
    ] {
        let made = judged(strategy, &lifetimes, &options);
        assert_eq!(offsets(&made), expected, "{strategy}");
    }
}

/// Blocks of these payloads at multiples of 64, and what is live beside step 1.
///
/// At step 1 all stand on each other by payload, not by index: 1000, 990, 980, 970, 960, from 0,
/// 1024, 2048, 3072, 4096. At step 9 only the first, third and fifth are live: the free ranges are
/// 1000..2048 and 3028..4096, from 1024 and 3072 on both of 1024 usable bytes. A closest fit takes
/// the first of them. LiteRT remembers it as one of 1048 and goes on to the second.
#[test]
fn litert_measures_a_range_from_the_unaligned_end() {
    let padded = |payload: u64, start, end| Buffer {
        payload: Bytes(payload),
        ..Buffer::new(
            payload.to_string(),
            payload.next_multiple_of(64),
            Span::new(start, end),
        )
    };
    let lifetimes = Lifetimes::of([
        padded(900, 9, 10),
        padded(960, 1, 10),
        padded(970, 1, 2),
        padded(980, 1, 10),
        padded(990, 1, 2),
        padded(1000, 1, 10),
    ]);
    let options = Options::aligned(Bytes(64));
    let made = judged(Strategy::LitertArena, &lifetimes, &options);
    assert_eq!(offsets(&made), [3072, 4096, 3072, 2048, 1024, 0]);
}

/// What lives for the whole run comes first, small as it is, and in the buffers' order.
#[test]
fn litert_places_what_lives_for_the_whole_run_first() {
    let lifetimes = Lifetimes::of([
        Buffer::new("large", 1000, Span::new(1, 2)),
        Buffer::new("input", 10, Span::new(0, 3)),
        Buffer::new("other input", 500, Span::new(0, 3)),
    ]);
    let options = Options::aligned(Bytes(64));
    let made = judged(Strategy::LitertArena, &lifetimes, &options);
    // The sizes are no multiples of 64 and so taken as they are: 64 + 500 = 564, next 576.
    assert_eq!(offsets(&made), [576, 0, 64]);
}

/// Buffer that is read, buffer that is written over it, and the distance of their starts.
type Link = (usize, usize, u64);

fn chain(handovers: &[Link]) -> Lifetimes {
    let handover = |&(before, after, shift): &Link| Handover {
        before,
        after,
        shift: Bytes(shift),
    };
    Lifetimes {
        handovers: handovers.iter().map(handover).collect(),
        ..Lifetimes::of([
            Buffer::new("input", 50, Span::new(0, 6)),
            Buffer::new("a", 100, Span::new(0, 2)),
            Buffer::new("b", 100, Span::new(1, 4)),
            Buffer::new("c", 100, Span::new(3, 6)),
        ])
    }
}

/// A chain a, b, c is one block of 100 bytes after the input; without handovers, b needs a
/// block of its own, and with one that does not count it does too.
#[test]
fn a_handed_over_chain_is_one_block() {
    let options = Options::aligned(Bytes(1));
    let apart = [0, 50, 150, 50];
    let cases: [(&[Link], [u64; 4]); 5] = [
        (&[(1, 2, 0), (2, 3, 0)], [0, 50, 50, 50]),
        (&[(2, 3, 0), (1, 2, 0)], [0, 50, 50, 50]),
        (&[], apart),
        (&[(1, 2, 4)], apart),
        // These two share no step at all.
        (&[(1, 3, 0)], apart),
    ];
    for (handovers, expected) in cases {
        for strategy in [Strategy::LitertArena, Strategy::OnnxruntimePattern] {
            let lifetimes = chain(handovers);
            let made = judged(strategy, &lifetimes, &options);
            assert_eq!(offsets(&made), expected, "{strategy} {handovers:?}");
        }
    }
}

/// The upper half of `a` becomes `b`, whose start is aligned only where the shift is.
#[test]
fn a_part_is_handed_over_where_it_is_aligned() {
    let mut lifetimes = Lifetimes::of([
        Buffer::new("a", 16, Span::new(0, 2)),
        Buffer::new("b", 8, Span::new(1, 3)),
    ]);
    lifetimes.handovers = vec![Handover {
        before: 0,
        after: 1,
        shift: Bytes(8),
    }];
    for strategy in [Strategy::LitertArena, Strategy::OnnxruntimePattern] {
        for (alignment, expected) in [(8, [0, 8]), (16, [0, 16])] {
            let options = Options::aligned(Bytes(alignment));
            let made = judged(strategy, &lifetimes, &options);
            assert_eq!(offsets(&made), expected, "{strategy} {alignment}");
        }
    }
}
