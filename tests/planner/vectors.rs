//! TFLite's published unit-test vectors: every case, every strategy, every size type.

#![expect(
    clippy::unwrap_used,
    reason = "builders of a test fail where their own figures are malformed"
)]

use planner::bounds::bounds;
use planner::insides::texture::{TextureObjects, TextureRecord, TextureSize};
use planner::insides::{parallel_safe, texture};
use planner::{Buffer, Bytes, Lifetimes, Options, Plan, Silent, Span, Step, Strategy, check, plan};
use serde_json::Value;
use tests::judged::judged;

fn vectors() -> Value {
    serde_json::from_str(include_str!("../data/tflite_vectors.json")).unwrap()
}

fn numbers(value: &Value) -> Vec<u64> {
    let list = value.as_array().unwrap().iter();
    list.map(|n| n.as_u64().unwrap()).collect()
}

fn lists(value: &Value) -> Vec<Vec<usize>> {
    let list = value.as_array().unwrap().iter();
    list.map(|row| {
        numbers(row)
            .iter()
            .map(|&n| usize::try_from(n).unwrap())
            .collect()
    })
    .collect()
}

/// The vectors' intervals are closed.
fn span(record: &Value) -> Span {
    let [first, last] = ["first_task", "last_task"].map(|key| record[key].as_u64().unwrap());
    Span::new(first, last + 1)
}

fn lifetimes(case: &Value) -> Lifetimes {
    let records = case["records"].as_array().unwrap().iter().enumerate();
    let buffer = |(index, record): (usize, &Value)| {
        Buffer::new(
            format!("t{index}"),
            record["size"].as_u64().unwrap(),
            span(record),
        )
    };
    Lifetimes::of(records.map(buffer))
}

fn planned(strategy: Strategy, lifetimes: &Lifetimes, alignment: u64) -> Plan {
    judged(strategy, lifetimes, &Options::aligned(Bytes(alignment)))
}

fn cases(size_type: &str) -> Vec<Value> {
    let all = vectors()["cases"].as_array().unwrap().clone();
    let cases: Vec<Value> = all
        .into_iter()
        .filter(|case| case["size_type"] == size_type)
        .collect();
    assert!(!cases.is_empty(), "{size_type}");
    cases
}

#[test]
fn shared_objects_of_bytes() {
    let names = [
        ("NAIVE", Strategy::Naive),
        ("EQUALITY", Strategy::Equality),
        ("GREEDY_IN_ORDER", Strategy::GreedyInOrder),
        ("MINCOSTFLOW", Strategy::MinCostFlow),
        ("GREEDY_BY_BREADTH", Strategy::GreedyByBreadth),
        ("GREEDY_BY_SIZE", Strategy::GreedyBySize),
    ];
    for case in cases("scalar") {
        let expected = case["objects"].as_object().unwrap();
        assert_eq!(expected.len(), names.len());
        for (name, strategy) in names {
            let objects = planned(strategy, &lifetimes(&case), 1).objects.unwrap();
            let ids: Vec<u64> = objects.of_buffer.iter().map(|&id| u64::from(id)).collect();
            let sizes: Vec<u64> = objects.sizes.iter().map(|size| size.0).collect();
            let place = format!("{} {name}", case["name"]);
            assert_eq!(ids, numbers(&expected[name]["object_ids"]), "{place}");
            assert_eq!(sizes, numbers(&expected[name]["object_sizes"]), "{place}");
        }
    }
}

#[test]
fn greedy_best_takes_the_smaller() {
    let case = cases("scalar").pop().unwrap();
    assert_eq!(case["name"], "ComplexRecords");
    // Totals of the published objects: by breadth 128, by size 112.
    assert_eq!(
        planned(Strategy::GreedyBest, &lifetimes(&case), 1).arena,
        Bytes(112)
    );
}

#[test]
fn offsets_by_size() {
    let mut seen = 0;
    for case in cases("scalar") {
        for expected in case["offsets"].as_array().unwrap() {
            let alignment = expected["base_addr_align_bytes"].as_u64().unwrap();
            let lifetimes = lifetimes(&case);
            let options = Options::aligned(Bytes(alignment));
            let made = plan(Strategy::OffsetsBySize, &lifetimes, &options, &mut Silent).unwrap();
            let offsets: Vec<u64> = made.offsets.iter().map(|offset| offset.0).collect();
            assert_eq!(offsets, numbers(&expected["offsets"]), "{}", case["name"]);
            assert_eq!(made.arena.0, expected["total_size"].as_u64().unwrap());
            assert_eq!(check(&lifetimes, &made, &options), []);
            seen += 1;
        }
    }
    assert_eq!(seen, 5);
}

#[test]
fn profiles_and_positional_maxima() {
    let mut seen = 0;
    for case in cases("scalar") {
        let Some(profiles) = case["task_profiles"].as_array() else {
            continue;
        };
        let lifetimes = lifetimes(&case);
        for (task, expected) in profiles.iter().enumerate() {
            let live = planner::insides::live_at(&lifetimes, Step(task as u64));
            let live: Vec<u64> = live.iter().map(|&index| index as u64).collect();
            assert_eq!(live, numbers(expected), "{} task {task}", case["name"]);
        }
        let bounds = bounds(&lifetimes);
        let maxima: Vec<u64> = bounds.maxima.iter().map(|size| size.0).collect();
        assert_eq!(maxima, numbers(&case["positional_maximums"]));
        assert_eq!(bounds.objects.0, maxima.iter().sum::<u64>());
        seen += 1;
    }
    assert_eq!(seen, 2);
}

/// Objects become offsets by laying them end to end. NAIVE over the published object sizes
/// makes these very objects; the published ids then pick the offsets.
#[test]
fn objects_to_offsets() {
    let vectors = vectors();
    for case in vectors["objects_to_offsets"].as_array().unwrap() {
        let sizes = numbers(&case["object_sizes"]);
        let buffers = sizes
            .iter()
            .map(|&size| Buffer::new("o", size, Span::new(0, 1)));
        let lifetimes = Lifetimes::of(buffers);
        let made = planned(Strategy::Naive, &lifetimes, 1);
        let ids = numbers(&case["object_ids"]);
        let offset = |&id: &u64| made.offsets[usize::try_from(id).unwrap()].0;
        let offsets: Vec<u64> = ids.iter().map(offset).collect();
        assert_eq!(offsets, numbers(&case["offsets"]), "{}", case["name"]);
        assert_eq!(made.arena.0, case["total_size"].as_u64().unwrap());
    }
}

type Planner<S> = fn(&[TextureRecord<S>]) -> TextureObjects<S>;

fn texture_case<const N: usize>(case: &Value, equality: Planner<[u32; N]>)
where
    [u32; N]: TextureSize,
{
    let extents = |value: &Value| -> [u32; N] {
        let extents: Vec<u32> = numbers(value)
            .iter()
            .map(|&n| u32::try_from(n).unwrap())
            .collect();
        extents.try_into().unwrap()
    };
    let records: Vec<TextureRecord<[u32; N]>> = case["records"]
        .as_array()
        .unwrap()
        .iter()
        .map(|record| TextureRecord {
            size: extents(&record["size"]),
            span: span(record),
        })
        .collect();
    for (name, expected) in case["objects"].as_object().unwrap() {
        let made = match name.as_str() {
            "NAIVE" => texture::naive(&records),
            "EQUALITY" => equality(&records),
            "GREEDY_IN_ORDER" => texture::greedy_in_order(&records),
            other => panic!("{other} has no texture form"),
        };
        let ids: Vec<u64> = made.of_record.iter().map(|&id| id as u64).collect();
        assert_eq!(
            ids,
            numbers(&expected["object_ids"]),
            "{} {name}",
            case["name"]
        );
        let sizes = expected["object_sizes"].as_array().unwrap().iter();
        let sizes: Vec<[u32; N]> = sizes.map(extents).collect();
        assert_eq!(made.sizes, sizes, "{} {name}", case["name"]);
    }
}

#[test]
fn shared_objects_of_textures() {
    for case in cases("BHWC") {
        texture_case::<4>(&case, texture::equality_by_list);
    }
    for case in cases("uint2") {
        texture_case::<2>(&case, texture::equality_by_scan);
    }
    for case in cases("uint3") {
        texture_case::<3>(&case, texture::equality_by_scan);
    }
}

#[test]
fn reallocation_graphs() {
    let vectors = vectors();
    for case in vectors["reallocation_graph"].as_array().unwrap() {
        let graph = parallel_safe::reallocation_graph(&lists(&case["deps"]));
        assert_eq!(graph, Some(lists(&case["realloc"])), "{}", case["name"]);
    }
}

#[test]
fn parallel_safe_reuse_stays_within_the_graph() {
    let usage = |size, first, last| parallel_safe::Usage { size, first, last };
    // 0 feeds 1 and 2, which run side by side; 3 reads both. In file order 1 is written,
    // then 2 could not know whether 0's memory is free, and 3 may only take 0's.
    let usages = [
        usage(8, 0, 2),
        usage(8, 1, 3),
        usage(8, 2, 3),
        usage(9, 3, 4),
    ];
    let graph = parallel_safe::reallocation_graph(&[vec![1, 2], vec![3], vec![3], vec![]]);
    let (objects, sizes) = parallel_safe::greedy_in_order(&usages, &graph.unwrap());
    assert_eq!(objects, [0, 1, 2, 0]);
    assert_eq!(sizes, [9, 8, 8]);
    // A circle and a dangling dependent have no graph.
    assert_eq!(parallel_safe::reallocation_graph(&[vec![1], vec![0]]), None);
    assert_eq!(parallel_safe::reallocation_graph(&[vec![1]]), None);
}
