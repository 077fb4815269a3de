//! Published problems and their known figures.

use planner::bounds::bounds;
use planner::{
    Buffer, Bytes, Effort, Lifetimes, Model, Offset, Options, Silent, Span, Strategy, check, plan,
};
use tests::shared;

/// Little effort: what a search finds with more is shown by benchmarks.
const OPTIONS: Options = Options {
    alignment: Bytes(1),
    pools: Vec::new(),
    effort: Effort {
        nodes: 1_000,
        moves: 20,
    },
    largest_allocation: None,
};

fn lifetimes(buffers: impl IntoIterator<Item = (u64, Span)>) -> Lifetimes {
    let buffer = |(size, span)| Buffer::new("b", size, span);
    Lifetimes::of(buffers.into_iter().map(buffer))
}

/// Records with closed intervals.
fn closed(records: &[(u64, u64, u64)]) -> Lifetimes {
    lifetimes(
        records
            .iter()
            .map(|&(size, first, last)| (size, Span::new(first, last + 1))),
    )
}

/// XNNPACK once overlooked the space before the first conflicting block: 240 instead of 180
/// (google/XNNPACK issue 10800).
#[test]
fn the_leading_free_range_is_a_gap() {
    let lifetimes = closed(&[(100, 0, 1), (80, 1, 2), (60, 2, 3)]);
    assert_eq!(bounds(&lifetimes).offsets, Bytes(180));
    let made = plan(Strategy::OffsetsBySize, &lifetimes, &OPTIONS, &mut Silent).unwrap();
    assert_eq!(made.offsets, [0, 100, 0].map(Offset));
    assert_eq!(made.arena, Bytes(180));
}

/// TFLite Micro's TestGreedyMedium and its person detection model: their first fit needs 90
/// where 80 are live; the person detection model fits its bound.
#[test]
fn tflite_micro_records() {
    let medium = closed(&[(10, 0, 1), (20, 1, 2), (30, 2, 3), (40, 3, 4), (50, 0, 1)]);
    assert_eq!(bounds(&medium).offsets, Bytes(80));
    let chain = [
        (9216, 0),
        (18432, 0),
        (18432, 1),
        (36864, 2),
        (9216, 3),
        (18432, 4),
        (18432, 5),
        (18432, 6),
        (4608, 7),
        (9216, 8),
        (9216, 9),
        (9216, 10),
        (2304, 11),
        (4608, 12),
        (4608, 13),
        (4608, 14),
        (4608, 15),
        (4608, 16),
        (4608, 17),
        (4608, 18),
        (4608, 19),
        (4608, 20),
        (4608, 21),
        (4608, 22),
        (1152, 23),
        (2304, 24),
        (2304, 25),
        (2304, 26),
        (256, 27),
        (3, 28),
    ];
    let person: Vec<(u64, u64, u64)> = chain
        .iter()
        .enumerate()
        .map(|(index, &(size, first))| (size, first, if index == 0 { 29 } else { first + 1 }))
        .collect();
    let person = closed(&person);
    let total: u64 = person.buffers.iter().map(|b| b.size.0).sum();
    assert_eq!(total, 241_027);
    assert_eq!(bounds(&person).offsets, Bytes(64_512));
    let made = plan(Strategy::OffsetsBySize, &person, &OPTIONS, &mut Silent).unwrap();
    assert_eq!(made.arena, Bytes(64_512));
}

/// MegEngine's PushdownChain and PushdownConsistence: buffer i has i + 1 bytes during
/// [i, i + 2); the published lower bounds are 9 and 199.
#[test]
fn megengine_chains() {
    for (count, bound) in [(5, 9), (100, 199)] {
        let chain = lifetimes((0..count).map(|i| (i + 1, Span::new(i, i + 2))));
        assert_eq!(bounds(&chain).offsets, Bytes(bound));
    }
}

/// Public problems of google/minimalloc: largest sum of simultaneously live sizes.
#[test]
fn minimalloc_bounds() {
    let known = [
        ("A", 154, 1_048_576),
        ("C", 203, 1_039_360),
        ("D", 213, 986_112),
        ("F", 296, 1_048_576),
        ("H", 316, 1_048_576),
        ("J", 409, 989_184),
    ];
    let problems = shared::files("data/minimalloc", ".1048576.csv");
    assert_eq!(problems.len(), known.len());
    for ((file, content), (name, count, bound)) in problems.into_iter().zip(known) {
        assert_eq!(file, format!("{name}.1048576.csv"));
        let text = String::from_utf8(content).unwrap();
        assert!(text.starts_with("id,lower,upper,size\n"));
        let rows = text.lines().skip(1).map(|row| {
            let cells: Vec<u64> = row.split(',').map(|cell| cell.parse().unwrap()).collect();
            (cells[3], Span::new(cells[1], cells[2]))
        });
        let lifetimes = lifetimes(rows);
        assert_eq!(lifetimes.buffers.len(), count, "{name}");
        assert_eq!(bounds(&lifetimes).offsets, Bytes(bound), "{name}");
        for strategy in Strategy::ALL {
            let made = plan(strategy, &lifetimes, &OPTIONS, &mut Silent).unwrap();
            assert_eq!(check(&lifetimes, &made, &OPTIONS), [], "{name} {strategy}");
            assert!(made.arena.0 >= bound);
            assert!(
                strategy.description().model == Model::Offsets
                    || made.arena >= bounds(&lifetimes).objects
            );
        }
    }
}
