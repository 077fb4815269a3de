//! Plans that the deployed planners themselves made, `tests/data/deployed_vectors.json`: each
//! group says where its figures come from.

use std::collections::BTreeMap;

use planner::bounds::bounds;
use planner::{Buffer, Bytes, Handover, Lifetimes, Options, Silent, Span, Strategy, check, plan};
use serde::Deserialize;

#[derive(Deserialize)]
struct Group {
    /// What all its cases are aligned to, unless they say so themselves.
    alignment: Option<u64>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    alignment: Option<u64>,
    /// Bytes, first step and last step.
    records: Vec<(u64, u64, u64)>,
    /// What is written over what: the one that is read first.
    #[serde(default)]
    in_place: Vec<(usize, usize)>,
    offsets: Option<Vec<u64>>,
    arena: u64,
}

fn groups() -> BTreeMap<String, Group> {
    #[derive(Deserialize)]
    struct Table {
        #[serde(flatten)]
        groups: BTreeMap<String, serde_json::Value>,
    }
    let table: Table = serde_json::from_str(include_str!("../../data/deployed_vectors.json"))
        .expect("the table is committed with this test");
    let group = |(name, value): (String, serde_json::Value)| {
        let group = serde_json::from_value(value).expect("a group of cases");
        (name, group)
    };
    let named = table.groups.into_iter().filter(|(name, _)| name != "note");
    named.map(group).collect()
}

fn lifetimes(case: &Case) -> Lifetimes {
    let records = case.records.iter().enumerate();
    let buffers = records.map(|(index, &(bytes, first, last))| {
        Buffer::new(format!("b{index}"), bytes, Span::new(first, last + 1))
    });
    let handover = |&(before, after)| Handover {
        before,
        after,
        shift: Bytes::ZERO,
    };
    Lifetimes {
        handovers: case.in_place.iter().map(handover).collect(),
        ..Lifetimes::of(buffers)
    }
}

#[test]
fn deployed_planners_give_these_plans() {
    let mut seen = BTreeMap::new();
    for (name, group) in groups() {
        let strategy: Strategy = name.parse().expect("groups are named by strategy");
        for case in &group.cases {
            let alignment = case.alignment.or(group.alignment).expect("an alignment");
            let options = Options::aligned(Bytes(alignment));
            let lifetimes = lifetimes(case);
            let made = plan(strategy, &lifetimes, &options, &mut Silent).expect("a plan");
            let place = format!("{name}, {}", case.name);
            if case.in_place.is_empty() {
                assert_eq!(check(&lifetimes, &made, &options), [], "{place}");
            }
            if let Some(offsets) = &case.offsets {
                let ours: Vec<u64> = made.offsets.iter().map(|offset| offset.0).collect();
                assert_eq!(ours, *offsets, "{place}");
            }
            // They count the padding of the last block, too.
            let arena = made.arena.align_up(options.alignment);
            assert_eq!(arena, Some(Bytes(case.arena)), "{place}");
            *seen.entry(strategy.name()).or_insert(0) += 1;
        }
    }
    let expected = [
        ("executorch_greedy", 10),
        ("iree_slices", 2),
        ("onnxruntime_pattern", 12),
        ("tflm_greedy", 4),
        ("xnnpack", 1),
    ];
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), expected);
}

/// What is known to be possible for some of them: the bounds that the sources name.
#[test]
fn some_of_them_waste_memory() {
    let groups = groups();
    let waste = |name: &str, case: usize| {
        let case = &groups[name].cases[case];
        (bounds(&lifetimes(case)).offsets.0, case.arena)
    };
    assert_eq!(waste("tflm_greedy", 1), (80, 90));
    assert_eq!(waste("xnnpack", 0), (180, 240));
    assert_eq!(waste("iree_slices", 0), (461_120, 574_080));
    assert_eq!(waste("iree_slices", 1), (7_311_744, 8_779_968));
}
