//! STAlloc: offsets of its own synthesizer (`tests/data/stalloc.py`), and its rules by hand.

use planner::trace::{Note, Reason};
use planner::{Buffer, Bytes, Lifetimes, Offset, Options, Silent, Span, Step, Strategy, plan};
use serde_json::Value;
use tests::judged::{judged, offsets, reasons, traced};
use tests::lifetimes::{of, problem};
use tests::random::Random;

const OPTIONS: Options = Options::aligned(Bytes(1));
const STALLOC: Strategy = Strategy::Stalloc;

fn numbers(value: &Value) -> Vec<u64> {
    let list = value.as_array().expect("a list").iter();
    list.map(|it| it.as_u64().expect("a number")).collect()
}

/// Phases begin at these steps, and everything is released.
fn in_phases(lifetimes: &mut Lifetimes, starts: &[u64]) {
    lifetimes.phases = starts.iter().copied().map(Step).collect();
    lifetimes.horizon = Step(lifetimes.horizon.0 + 1);
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
        if !case["phases"].is_null() {
            in_phases(&mut lifetimes, &numbers(&case["phases"]));
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
    assert!(vectors.len() >= 11);
    let (mut turned, mut grouped) = (0, 0);
    for (name, mut lifetimes, expected, total) in vectors {
        let made = judged(STALLOC, &lifetimes, &OPTIONS);
        assert_eq!(offsets(&made), expected, "{name}");
        let blocks = lifetimes.buffers.iter().zip(&made.offsets);
        let ends = blocks.map(|(it, at)| at.0 + it.size.0.next_multiple_of(512));
        assert_eq!(ends.max(), Some(total), "{name}");
        if !lifetimes.phases.is_empty() {
            let phases = std::mem::take(&mut lifetimes.phases);
            let without = judged(STALLOC, &lifetimes, &OPTIONS);
            grouped += u32::from(without.arena > made.arena);
            lifetimes.phases = phases;
        }
        if lifetimes.iteration.take().is_some() {
            let without = judged(STALLOC, &lifetimes, &OPTIONS);
            turned += u32::from(offsets(&without) != expected);
        }
    }
    assert!(turned >= 2, "iterations never mattered");
    assert_eq!(grouped, 3, "groups never mattered");
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

/// In units of 512 bytes. By number of the event: b0 from 1 to 5 and b1 from 2 to 7 pass from the first
/// phase into the second, b3 from 6 to 11 and b4 from 8 to 12 from there into the third; b2 and b5
/// pass nowhere. The groups have 80 and 79 units, of which (40·4 + 40·5) / (80·6) = 0.75 and
/// (40·5 + 39·4) / (79·6) = 0.751 are in use: more than 0.7. In the range of the first b1 lies lowest,
/// for it ends last. After b1 comes b4, and beside it, after b0, b3: of both together
/// 716 / (80·11) = 0.814 is in use, and 0.814² > 0.75 · 0.751. What is left has no room there.
/// Without groups b0 lies lowest. When b3 is requested b1 is still there, up to 40.
#[test]
fn a_group_goes_into_the_range_of_a_larger_one() {
    let unit = |size: u64| size * 512;
    let mut lifetimes = problem(&[
        (unit(40), 1, 12),
        (unit(40), 2, 14),
        (unit(1), 3, 4),
        (unit(40), 13, 25),
        (unit(39), 15, 26),
        (unit(1), 16, 17),
    ]);
    let without = judged(STALLOC, &lifetimes, &OPTIONS);
    assert_eq!(offsets(&without), [0, 40, 80, 0, 40, 79].map(unit));
    in_phases(&mut lifetimes, &[1, 10, 20]);
    let (made, trace) = traced(STALLOC, &lifetimes, &OPTIONS);
    assert_eq!(offsets(&made), [40, 0, 80, 40, 0, 80].map(unit));
    assert_eq!(made.arena, Bytes(unit(81)));
    let joined = Reason::Note(Note::Joined {
        range: 0,
        below: Bytes(unit(40)),
        padding: Bytes::ZERO,
    });
    assert_eq!(reasons(&trace, 3), [joined]);
}

/// Nothing passes from one known phase into another: all is as without.
#[test]
fn without_known_phases_nothing_is_grouped() {
    let mut lifetimes = vectors().pop().expect("vectors").1;
    for starts in [vec![], vec![1], vec![1000], vec![1000, 2000]] {
        lifetimes.phases.clear();
        let without = judged(STALLOC, &lifetimes, &OPTIONS);
        lifetimes.phases = starts.into_iter().map(Step).collect();
        assert_eq!(judged(STALLOC, &lifetimes, &OPTIONS), without);
    }
}

/// Buffers of a training: in each phase some are requested, and most of what is kept is released in
/// the next.
fn trained(random: &mut Random, largest: u64) -> Lifetimes {
    let phases = 2 + random.below(6);
    let length = 3 + random.below(20);
    let buffers = (0..phases * (1 + random.below(12))).map(|index| {
        let phase = random.below(phases);
        let start = phase * length + random.below(length);
        let kept = random.below(3) > 0;
        let end = match kept {
            true => (phase + 1 + random.below(2)) * length + random.below(length),
            false => start + random.below(4),
        };
        Buffer::new(
            format!("b{index}"),
            1 + random.below(largest),
            Span::new(start, end + 1),
        )
    });
    let mut lifetimes = Lifetimes::of(buffers.collect::<Vec<_>>());
    if random.below(3) == 0 {
        let start = random.below(phases * length);
        lifetimes.iteration = Some(Span::new(start, start + 1 + random.below(phases * length)));
    }
    let starts: Vec<u64> = (0..phases).map(|phase| phase * length).collect();
    in_phases(&mut lifetimes, &starts);
    lifetimes
}

/// Of arbitrary traces the judge passes all, none needs more than without groups, and everything lies
/// in the range that it is said to lie in.
#[test]
fn groups_never_cost_anything() {
    let mut random = Random::new(77);
    let (mut smaller, mut other) = (0, 0);
    for _ in 0..400 {
        let largest = [3, 20_000, 1 << 30][usize::try_from(random.below(3)).expect("small")];
        let mut lifetimes = trained(&mut random, largest);
        let unit = [512, 512, 1536][usize::try_from(random.below(3)).expect("small")];
        lifetimes.buffers[0].alignment = Bytes(unit);
        let (made, trace) = traced(STALLOC, &lifetimes, &OPTIONS);
        let mut ranges: Vec<(u64, u64)> = Vec::new();
        for (at, frame) in trace.frames().iter().enumerate() {
            let Some(buffer) = frame.outcome.buffer() else {
                continue;
            };
            let offset = made.offsets[buffer].0;
            let inside = match trace.reasons(at) {
                [Reason::Note(Note::Opened { range, from, size })] => {
                    assert_eq!(*range, ranges.len());
                    ranges.push((from.0, size.0));
                    ranges[*range]
                }
                [
                    Reason::Note(Note::Joined {
                        range,
                        below,
                        padding,
                    }),
                ] => {
                    let (from, size) = ranges[*range];
                    assert_eq!(from + below.0 + padding.0, offset);
                    (from, size)
                }
                other => panic!("{other:?}"),
            };
            let end = offset + lifetimes.buffers[buffer].size.0;
            assert!(inside.0 <= offset && end <= inside.0 + inside.1);
        }
        // What lies in one range lies in no other.
        assert!(ranges.is_sorted());
        assert!(ranges.windows(2).all(|it| it[0].0 + it[0].1 <= it[1].0));
        lifetimes.phases.clear();
        let without = judged(STALLOC, &lifetimes, &OPTIONS);
        let whole = |it: Bytes| it.0.next_multiple_of(unit);
        assert!(whole(made.arena) <= whole(without.arena));
        smaller += u32::from(whole(made.arena) < whole(without.arena));
        other += u32::from(made.offsets != without.offsets);
    }
    assert!(smaller > 10 && other > 50, "{smaller} {other}");
}

/// Sizes that add up beyond 64 bits are planned or refused.
#[test]
fn groups_of_any_size_end() {
    let mut random = Random::new(78);
    for _ in 0..60 {
        let lifetimes = trained(&mut random, u64::MAX / 3);
        if let Ok(made) = plan(STALLOC, &lifetimes, &OPTIONS, &mut Silent) {
            assert_eq!(planner::check(&lifetimes, &made, &OPTIONS), []);
        }
    }
}
