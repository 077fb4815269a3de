//! The command line: exit codes, one-line errors, the keys of its JSON.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

/// Runs `arenascope` with these arguments.
fn run(args: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_arenascope");
    Command::new(program).args(args).output().unwrap()
}

/// A file with this content, in a folder that cargo keeps for this test.
fn file(name: &str, content: &[u8]) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, content).unwrap();
    path.to_str().unwrap().to_owned()
}

/// The one line on standard error of a run that fails with this code.
fn failure(args: &[&str], code: i32) -> String {
    let output = run(args);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{args:?}: {text}");
    assert_eq!(text.lines().count(), 1, "{args:?}: {text}");
    assert_eq!(output.stdout, b"", "{args:?}");
    text
}

fn json(args: &[&str]) -> Value {
    let output = run(args);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{args:?}: {errors}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn keys(value: &Value) -> Vec<&str> {
    value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

const PROBLEM: &[u8] = b"id,lower,upper,size\na,0,3,4\nb,2,9,8\nc,3,5,4\n";

#[test]
fn unreadable_input_is_one_line_and_code_1() {
    let broken = file("broken.csv", b"id,lower,upper,size\na,0,x,4\n");
    let line = failure(&["plan", &broken], 1);
    assert!(
        line.contains("broken.csv: line 2, column \"upper\""),
        "{line}"
    );
    let missing = failure(&["plan", "no such file"], 1);
    assert!(missing.contains("no such file"), "{missing}");
    let empty = file("empty.onnx", b"");
    assert!(failure(&["bounds", &empty], 1).contains("not empty"));
    let folder = env!("CARGO_TARGET_TMPDIR");
    assert!(failure(&["plan", folder], 1).contains("folder"));
}

#[test]
fn wrong_usage_is_one_line_and_code_2() {
    let problem = file("usage.csv", PROBLEM);
    failure(&[], 2);
    failure(&["plan"], 2);
    failure(&["draw", &problem], 2);
    failure(&["plan", &problem, "--strategy", "best_of_all"], 2);
    failure(&["plan", &problem, "--align", "0"], 2);
    failure(&["plan", &problem, "--bind", "batch"], 2);
    failure(&["plan", &problem, "--offsets"], 2);
    let line = failure(&["plan", &problem, "--bind", "batch=2"], 2);
    assert!(line.contains("batch"), "{line}");
}

#[test]
fn help_says_what_last_means() {
    let output = run(&["plan", "--help"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(
        String::from_utf8(output.stdout)
            .unwrap()
            .contains("inclusive")
    );
}

#[test]
fn bounds_are_reported() {
    let problem = file("bounds.csv", PROBLEM);
    let report = json(&["bounds", &problem, "--format", "json"]);
    assert_eq!(
        keys(&report),
        [
            "alignment",
            "bounds",
            "file",
            "format",
            "intermediates",
            "ops",
            "peak",
            "tensors",
            "unsized",
            "witness"
        ]
    );
    // a and b are live at step 2, b and c from 3 on: 12 bytes each time.
    assert_eq!(report["bounds"]["offsets"], 12);
    assert_eq!(report["alignment"], 1);
    assert_eq!(
        (&report["format"], &report["tensors"]),
        (&"csv".into(), &3.into())
    );
}

#[test]
fn plans_are_reported() {
    let problem = file("plan.csv", PROBLEM);
    let report = json(&["plan", &problem, "--format", "json", "--offsets"]);
    assert_eq!(
        keys(&report),
        [
            "alignment",
            "bounds",
            "file",
            "format",
            "intermediates",
            "ops",
            "plans",
            "tensors",
            "unsized"
        ]
    );
    let plans = report["plans"].as_array().unwrap();
    let names: Vec<_> = plans
        .iter()
        .map(|it| it["strategy"].as_str().unwrap())
        .collect();
    let listed = "naive equality greedy_in_order greedy_by_breadth greedy_by_size greedy_best \
                  min_cost_flow offsets_by_size offsets_by_breadth offsets_in_order strip_best_fit";
    assert_eq!(names, listed.split_whitespace().collect::<Vec<_>>());
    for plan in plans {
        assert_eq!(
            keys(plan),
            ["arena", "ms", "objects", "optimal", "strategy", "tensors"]
        );
        let by_offsets = plan["strategy"].as_str().unwrap().contains("offsets");
        assert!(!by_offsets || plan["objects"].is_null(), "{plan}");
        let a = &plan["tensors"][0];
        assert_eq!(keys(a), ["first", "last", "name", "offset", "size"]);
        assert_eq!((&a["first"], &a["last"]), (&0.into(), &2.into()));
    }
    assert_eq!(
        (&plans[0]["arena"], &plans[0]["objects"]),
        (&16.into(), &3.into())
    );
    assert_eq!(
        (&plans[7]["arena"], &plans[7]["optimal"]),
        (&12.into(), &true.into())
    );
}

#[test]
fn a_plan_printed_as_csv_is_valid() {
    let problem = file("round.csv", PROBLEM);
    let args = [
        "--strategy",
        "offsets_by_size",
        "--format",
        "csv",
        "--offsets",
    ];
    let output = run(&[&["plan", &problem], &args[..]].concat());
    assert_eq!(output.status.code(), Some(0));
    let plan = file("planned.csv", &output.stdout);
    let report = json(&["check", &plan, "--format", "json"]);
    assert_eq!(
        (&report["valid"], &report["arena"]),
        (&true.into(), &12.into())
    );
}

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
    assert_eq!(plans.len(), 12);
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
    assert!(errors.contains("is not valid (1 found)"), "{errors}");
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
