//! `arenascope allocators`.

use super::dumps::sample;
use super::{failure, file, json, run};

fn table(args: &[&str]) -> String {
    String::from_utf8(run(args).stdout).unwrap()
}

/// By hand, in MiB: 6 and 8 at the first step, 8 and 12 at the second, so 20 are needed at most.
/// The caching allocator has a segment of 20 for the first two, then one of 12; what the
/// others have is in the tests of the advice.
#[test]
fn a_table_of_lifetimes_is_served_by_seven() {
    let sizes = "id,lower,upper,size\na,0,1,6291456\nb,0,2,8388608\nc,1,2,12582912\n";
    let problem = file("allocators.csv", sizes.as_bytes());
    let found = json(&["allocators", &problem, "--format", "json"]);
    assert_eq!(found["requests"], 3);
    let rows = found["rows"].as_array().unwrap();
    let names: Vec<&str> = rows
        .iter()
        .map(|it| it["allocator"].as_str().unwrap())
        .collect();
    let expected = [
        "caching",
        "expandable",
        "gmlake",
        "tlsf",
        "stalloc",
        "best",
        "bound",
    ];
    assert_eq!(names, expected);
    assert_eq!(rows[0]["reserved"], 32_u64 << 20);
    assert_eq!(rows[0]["needed"], 20_u64 << 20);
    assert_eq!(rows[0]["utilisation"], 625);
    let said = table(&["allocators", &problem]);
    assert!(said.contains("3 requests, at most 20971520"), "{said}");
    assert!(
        said.contains("caching              33554432   62.5 %"),
        "{said}"
    );
    let csv = table(&["allocators", &problem, "--format", "csv"]);
    assert!(csv.contains("\ncaching,33554432,20971520,625,0\n"), "{csv}");
}

/// A snapshot says how it was: 22 MiB, as in the test of `advise`. Of the 1 TiB that failed for the
/// process nothing is said.
#[test]
fn a_snapshot_says_how_it_was() {
    let snapshot = sample("torch/protocol4.pickle");
    let found = json(&["allocators", &snapshot, "--format", "json"]);
    let row = &found["rows"][0];
    assert_eq!(row["allocator"], "as_it_was");
    assert_eq!(row["reserved"], 22_u64 << 20);
    assert_eq!(row["failed"], 0);
    assert!(table(&["allocators", &snapshot]).contains("\nas_it_was"));
}

/// A training step is lifetimes as any other.
#[test]
fn a_training_step_is_served() {
    let model = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../tests/data/training/autograd/mlp.graph"
    );
    let said = table(&["allocators", model, "--train", "keep_all,8"]);
    assert!(said.contains("\nstalloc"), "{said}");
    let planned = json(&[
        "allocators",
        model,
        "--train",
        "keep_all,8",
        "--format",
        "json",
    ]);
    let one = json(&["allocators", model, "--format", "json"]);
    assert!(planned["requests"].as_u64() > one["requests"].as_u64());
}

/// Three buffers of a loop of three steps, each live for two: on a line 2 bytes are enough, in the
/// loop any two meet.
#[test]
fn a_turn_of_a_loop_is_planned_as_it_repeats() {
    let circle = file(
        "circle.csv",
        b"id,lower,upper,size\na,0,2,1\nb,1,3,1\nc,2,4,1\n",
    );
    let arena = |more: &[&str]| {
        let args = ["plan", &circle, "--strategy", "exact", "--format", "json"];
        json(&[&args[..], more].concat())["plans"][0]["arena"].clone()
    };
    assert_eq!(arena(&[]), 2);
    assert_eq!(arena(&["--turn", "0..3"]), 3);
    let found = json(&["allocators", &circle, "--turn", "0..3", "--format", "json"]);
    assert_eq!(found["requests"], 3);
    assert!(failure(&["plan", &circle, "--turn", "0..9"], 2).contains("the last step is 3"));
    let why = failure(&["bounds", &circle, "--turn", "2..3"], 2);
    assert!(
        why.contains("\"c\" is live for 2 steps, longer than the 1 of a turn"),
        "{why}"
    );
}

#[test]
fn what_cannot_be_read_is_refused() {
    failure(&["allocators", "nowhere.csv"], 1);
}
