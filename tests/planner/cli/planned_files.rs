//! Files that bring a plan, and models that are exported with one.

use planner::Strategy;
use serde_json::Value;

use super::{PROBLEM, failure, file, json, run};

/// Of a plan: its strategy, arena, whether it is optimal and whether it took time.
fn summary(plan: &Value) -> (&str, u64, bool, bool) {
    (
        plan["strategy"].as_str().unwrap(),
        plan["arena"].as_u64().unwrap(),
        plan["optimal"].as_bool().unwrap(),
        plan["ms"].is_number(),
    )
}

#[test]
fn the_plan_in_a_file_is_listed_first() {
    // a and b share step 2, b and c step 3; between c and b there are 8 bytes of waste.
    let rows = b"id,lower,upper,size,offset\na,0,3,4,8\nb,2,9,8,0\nc,3,5,4,16\n";
    let shipped = file("shipped.csv", rows);
    let report = json(&["plan", &shipped, "--format", "json", "--offsets"]);
    let plans = report["plans"].as_array().unwrap();
    assert_eq!(plans.len(), 1 + Strategy::ALL.len());
    assert_eq!(summary(&plans[0]), ("deployed", 20, false, false));
    assert_eq!(plans[0]["tensors"][2]["offset"], 16);
    assert_eq!(summary(&plans[8]), ("offsets_by_size", 12, true, true));
    let args = ["plan", &shipped, "--strategy", "deployed"];
    let alone = json(&[&args[..], &["--format", "json"]].concat());
    assert_eq!(alone["plans"].as_array().unwrap().len(), 1);
    let output = run(&[&args[..], &["--format", "csv", "--offsets"]].concat());
    let again = file("shipped again.csv", &output.stdout);
    let again = json(&["plan", &again, "--strategy", "deployed", "--format", "json"]);
    assert_eq!(summary(&again["plans"][0]), summary(&alone["plans"][0]));
}

#[test]
fn a_broken_plan_in_a_file_is_listed_with_a_warning() {
    let rows = b"id,lower,upper,size,offset\na,0,3,4,4\nb,2,9,8,0\n";
    let broken = file("shipped broken.csv", rows);
    let output = run(&["plan", &broken, "--format", "json"]);
    assert_eq!(output.status.code(), Some(0));
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(
        errors.contains("is not valid (1 rule broken): \"a\" and \"b\""),
        "{errors}"
    );
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    // Smaller than what is possible (12), but not valid and so not optimal.
    assert_eq!(summary(&report["plans"][0]), ("deployed", 8, false, false));
    assert_eq!(report["bounds"]["offsets"], 12);
    let problem = file("not shipped.csv", PROBLEM);
    let line = failure(&["plan", &problem, "--strategy", "deployed"], 1);
    assert!(line.contains("no plan"), "{line}");
}

#[test]
fn a_broken_plan_is_code_1() {
    let broken = b"id,lower,upper,size,offset\na,0,3,4,0\nb,2,9,8,2\n";
    let broken = file("overlap.csv", broken);
    let output = run(&["check", &broken, "--format", "json"]);
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["valid"], false);
    assert_eq!(report["violations"].as_array().unwrap().len(), 1);
    let problem = file("no_plan.csv", PROBLEM);
    assert!(failure(&["check", &problem], 1).contains("no plan"));
}

#[test]
fn only_a_model_takes_a_plan_home() {
    let problem = file("home.csv", PROBLEM);
    let out = file("home.tflite", b"");
    let home = ["--save-tflite", &out];
    let one = ["plan", &problem, "--strategy", "best"];
    let line = failure(&[&one[..], &home].concat(), 1);
    assert!(
        line.contains("only a TFLite model can take a plan"),
        "{line}"
    );
    // One plan, and TFLite Micro's lifetimes.
    let line = failure(&[&["plan", &problem][..], &home].concat(), 2);
    assert!(line.contains("choose one --strategy"), "{line}");
    let line = failure(&[&one[..], &home, &["--io", "beside"]].concat(), 2);
    assert!(
        line.contains("--save-tflite plans as TFLite Micro does"),
        "{line}"
    );
}

/// A model that took a plan home is judged as a dump is: its nine buffers have 815 units of 16
/// bytes at once, the fewest there can be. The model itself has no plan.
#[test]
fn a_plan_in_a_model_is_judged() {
    let data = |name: &str| format!("{}/../tests/data/plans/{name}", env!("CARGO_MANIFEST_DIR"));
    let planned = data("offline/documented.planned.tflite");
    let report = json(&["check", &planned, "--align", "16", "--format", "json"]);
    assert_eq!(report["valid"], true);
    assert_eq!(report["arena"], 815 * 16);
    let error = failure(&["check", &data("offline/documented.tflite")], 1);
    assert!(error.contains("there is no plan"), "{error}");
    // A memory smaller than the plan does not hold it.
    let small = run(&["check", &planned, "--pool", "sram=13039"]);
    assert_eq!(small.status.code(), Some(1));
}
