//! STAlloc: offsets of its own synthesizer (`tests/data/stalloc.py`), and its rules by hand.

use planner::trace::{Note, Reason};
use planner::{Bytes, Lifetimes, Offset, Options, Span, Strategy};
use serde_json::Value;
use tests::judged::{judged, offsets, reasons, traced};
use tests::lifetimes::{of, problem};

const OPTIONS: Options = Options::aligned(Bytes(1));
const STALLOC: Strategy = Strategy::Stalloc;

fn numbers(value: &Value) -> Vec<u64> {
    let list = value.as_array().expect("a list").iter();
    list.map(|it| it.as_u64().expect("a number")).collect()
}

/// Each trace of the vectors: its name, its lifetimes, its offsets, and bytes in all.
fn vectors() -> Vec<(String, Lifetimes, Vec<u64>, u64)> {
    let text = include_str!("../data/stalloc.json");
    let all: Value = serde_json::from_str(text).expect("JSON");
    let cases = all["cases"].as_array().expect("cases").iter();
    let case = |case: &Value| {
        let blocks = case["blocks"].as_array().expect("blocks").iter();
        let blocks: Vec<Vec<u64>> = blocks.map(numbers).collect();
        let spans = blocks.iter().map(|it| (it[2], Span::new(it[0], it[1])));
        let mut lifetimes = of(spans);
        if !case["iteration"].is_null() {
            let turn = numbers(&case["iteration"]);
            lifetimes.iteration = Some(Span::new(turn[0], turn[1]));
        }
        let offsets = blocks.iter().map(|it| it[3]).collect();
        let name = case["name"].as_str().expect("a name").to_owned();
        (
            name,
            lifetimes,
            offsets,
            case["total"].as_u64().expect("bytes"),
        )
    };
    cases.map(case).collect()
}

#[test]
fn offsets_are_those_of_its_own_synthesizer() {
    let vectors = vectors();
    assert!(vectors.len() >= 8);
    let mut turned = 0;
    for (name, mut lifetimes, expected, total) in vectors {
        let made = judged(STALLOC, &lifetimes, &OPTIONS);
        assert_eq!(offsets(&made), expected, "{name}");
        let blocks = lifetimes.buffers.iter().zip(&made.offsets);
        let ends = blocks.map(|(it, at)| at.0 + it.size.0.next_multiple_of(512));
        assert_eq!(ends.max(), Some(total), "{name}");
        if lifetimes.iteration.take().is_some() {
            let without = judged(STALLOC, &lifetimes, &OPTIONS);
            turned += u32::from(offsets(&without) != expected);
        }
    }
    assert!(turned >= 2, "iterations never mattered");
}

/// In units of 512 bytes. Two of 4 units meet: two layers, at 0 and 4. The third of 4 starts
/// when both are free, and the second became free last: its layer. Of 2 units b3 is live
/// with b0 alone, so that the layer at 4 has nothing in use then; b4 ends right before b1 starts, which
/// is in its way there.
#[test]
fn layers_that_became_free_last_are_taken_first() {
    let unit = |size: u64| size * 512;
    let lifetimes = problem(&[
        (unit(4), 0, 5),
        (unit(4), 3, 6),
        (unit(4), 7, 9),
        (unit(2), 0, 1),
        (unit(2), 1, 2),
    ]);
    let made = judged(STALLOC, &lifetimes, &OPTIONS);
    assert_eq!(offsets(&made), [0, 4, 4, 4, 8].map(unit));
    assert_eq!(made.arena, Bytes(unit(10)));
    let (_, trace) = traced(STALLOC, &lifetimes, &OPTIONS);
    let opened = |range, from| {
        Reason::Note(Note::Opened {
            range,
            from: Offset(from),
            size: Bytes(unit(4)),
        })
    };
    let joined = Reason::Note(Note::Joined {
        range: 1,
        below: Bytes(0),
        padding: Bytes(0),
    });
    assert_eq!(reasons(&trace, 1), [opened(1, unit(4))]);
    assert_eq!(reasons(&trace, 3), [joined]);
}

/// What is requested right after a release may not lie there in a layer of a larger size: the
/// event before the request of those that made the layer counts as theirs.
#[test]
fn a_release_right_before_a_request_is_in_its_way() {
    // Events: b1 from 1 to 2, b0 from 3 to 4. Of b0's layer the events 2 and 3 are in use.
    let touching = problem(&[(1024, 1, 2), (512, 0, 1)]);
    assert_eq!(offsets(&judged(STALLOC, &touching, &OPTIONS)), [0, 1024]);
    // With another block in between: b1 from 1 to 2, b2 from 3 to 4, b0 from 5 to 6.
    let apart = problem(&[(1024, 2, 3), (512, 0, 1), (512, 1, 2)]);
    assert_eq!(offsets(&judged(STALLOC, &apart, &OPTIONS)), [0, 0, 1024]);
}

/// The unit is the least multiple of 512 bytes that all alignments divide.
#[test]
fn alignments_are_honoured() {
    let mut lifetimes = problem(&[(1, 0, 2), (1, 0, 2), (1, 1, 3)]);
    lifetimes.buffers[2].alignment = Bytes(4096);
    let made = judged(STALLOC, &lifetimes, &OPTIONS);
    assert_eq!(offsets(&made), [0, 4096, 8192]);
}
