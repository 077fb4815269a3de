//! TFLite's published unit-test vectors: every case of sizes in bytes, every strategy.

#![expect(
    clippy::unwrap_used,
    reason = "builders of a test fail where their own figures are malformed"
)]

use planner::bounds::bounds;
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

fn cases() -> Vec<Value> {
    vectors()["cases"].as_array().unwrap().clone()
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
    for case in cases() {
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
    let case = cases().pop().unwrap();
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
    for case in cases() {
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
    for case in cases() {
        let Some(profiles) = case["task_profiles"].as_array() else {
            continue;
        };
        let lifetimes = lifetimes(&case);
        for (task, expected) in profiles.iter().enumerate() {
            let live = planner::internals::live_at(&lifetimes, Step(task as u64));
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
