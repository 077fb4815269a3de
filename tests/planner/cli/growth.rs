//! What grew between two dumps by the stack that asked for it, on the command line.

use serde_json::{Value, json as value};

use super::{file, json, run};

/// A plan of buffers with stacks, in which "kept" is there, of so many bytes.
fn plan(kept: u64) -> Vec<u8> {
    let frame = |function: &str, line: u32| value!({"function": function, "file": "/home/k/train.py", "line": line});
    let plan = value!({
        "arenascope_plan": 1,
        "strategy": "deployed",
        "alignment": 1,
        "arena": 100 + kept,
        "optimal": false,
        "horizon": 2,
        "frames": [frame("train", 7), frame("keep", 3)],
        "buffers": [
            {"name": "x", "size": 100, "lower": 0, "upper": 2, "offset": 0, "frames": [0]},
            {"name": "kept", "size": kept, "lower": 1, "upper": 2, "offset": 100, "frames": [1, 0]},
        ],
    });
    plan.to_string().into_bytes()
}

/// Two requests fail in the dump after, and none before, or the reverse; where none fails at all
/// nothing is said.
#[test]
fn diff_says_what_failed_in_one_only() {
    let before = file("met.json", &plan(40));
    let mut failing: Value = serde_json::from_slice(&plan(40)).unwrap();
    failing["refused"] = value!([
        {"step": 0, "asked": 90, "device_free": 3},
        {"step": 1, "asked": 70, "device_free": 5},
    ]);
    let after = file("refused.json", failing.to_string().as_bytes());
    let table = |before: &str, after: &str| {
        let output = run(&["diff", "--before", before, "--after", after]);
        String::from_utf8(output.stdout).unwrap()
    };
    let failed = "2 requests failed, the last for 70 bytes at step 1";
    let says = format!("out of memory: before every request was met; after {failed}\n");
    let grown = table(&before, &after);
    assert!(grown.contains(&says), "{grown}");
    let says = format!("out of memory: before {failed}; after every request was met\n");
    let mended = table(&after, &before);
    assert!(mended.contains(&says), "{mended}");
    assert!(!table(&before, &before).contains("out of memory"));
    let args = [
        "diff", "--before", &before, "--after", &after, "--format", "json",
    ];
    let found = json(&args);
    let failure = value!({"requests": 2, "step": 1, "asked": 70, "device_free": 5});
    assert_eq!(found["before"]["failure"], Value::Null);
    assert_eq!(found["after"]["failure"], failure);
}

/// 100 bytes of x at both peaks, 40 and then 70 of what `keep` asked for.
#[test]
fn diff_says_what_grew_by_stack() {
    let (before, after) = (
        file("kept40.json", &plan(40)),
        file("kept70.json", &plan(70)),
    );
    let diff = ["diff", "--before", &before, "--after", &after, "--format"];
    let found = json(&[&diff[..], &["json"]].concat());
    let grew: Value = value!([{
        "caller": "keep (train.py:3)",
        "operator": "keep",
        "stack": ["keep (train.py:3)", "train (train.py:7)"],
        "bytes": [40, 70],
    }]);
    assert_eq!(found["growth"], grew);
    let text = |format| String::from_utf8(run(&[&diff[..], &[format]].concat()).stdout).unwrap();
    let name = "keep (train.py:3), keep";
    let csv = text("csv");
    let row = format!("stack,\"{name}\",\"{name}\",40,70,,\n");
    assert!(csv.contains(&row), "{csv}");
    let table = text("table");
    let row = format!("{:>15} {:>15} {:>15}  {name}\n", 40, 70, "+30");
    assert!(table.contains(&row), "{table}");
}
