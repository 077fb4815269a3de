//! The command line: exit codes, one-line errors, the keys of its JSON.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod allocators;
mod bounds;
mod counts;
mod doors;
mod dumps;
mod estimate;
mod failed;
mod fits;
mod graph_text;
mod growth;
mod overview;
mod passes;
mod planned_files;
mod ranges;
mod requests;
mod snapshots;
mod stages;
mod sweep;
mod train;
mod transformer;

use std::path::PathBuf;
use std::process::{Command, Output};

use planner::Strategy;
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

/// The one line on standard error, beside warnings, of a run that fails with this code.
fn failure(args: &[&str], code: i32) -> String {
    let output = run(args);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{args:?}: {text}");
    let told = text.lines().filter(|it| !it.starts_with("warning: "));
    assert_eq!(told.count(), 1, "{args:?}: {text}");
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

/// What a list of objects says under `key`.
fn texts<'v>(list: &'v Value, key: &str) -> Vec<&'v str> {
    let texts = list.as_array().unwrap().iter();
    texts.map(|it| it[key].as_str().unwrap()).collect()
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

/// 8 bytes in each of two pools: those of the second begin where the first one ends, in the
/// CSV as in the arena, and the help says so.
#[test]
fn offsets_run_over_all_pools() {
    let rows = b"id,lower,upper,size,pools\na,0,2,8,0\nb,0,2,8,1\n";
    let problem = file("two_pools.csv", rows);
    let pools = ["--pool", "fast=8", "--pool", "slow", "--as", "csv"];
    let output = run(&[&["export", &problem][..], &pools].concat());
    assert_eq!(output.status.code(), Some(0));
    let csv = String::from_utf8(output.stdout).unwrap();
    let says = "id,lower,upper,size,alignment,offset,pools\na,0,2,8,1,0,0\nb,0,2,8,1,8,1\n";
    assert_eq!(csv, says);
    for command in ["plan", "export"] {
        let help = String::from_utf8(run(&[command, "--help"]).stdout).unwrap();
        assert!(help.contains("run over all pools"), "{command}");
    }
}

#[test]
fn pools_are_planned_and_judged() {
    let problem = file(
        "pools.csv",
        b"id,lower,upper,size,pools\na,0,3,8,\nb,1,9,8,1 0\nc,2,5,4,\n",
    );
    let pools = ["--pool", "fast=8", "--pool", "slow"];
    let args = ["plan", &problem, "--strategy", "offsets_by_size"];
    let report = json(&[&args[..], &pools, &["--format", "json", "--offsets"]].concat());
    let plan = &report["plans"][0];
    // a stays, b prefers the slow pool, c finds no room beside a.
    assert_eq!(
        (&plan["spilled"], &plan["must_spill"]),
        (&4.into(), &4.into())
    );
    assert_eq!(texts(&plan["pools"], "name"), ["fast", "slow"]);
    let used = plan["pools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["used"]);
    assert_eq!(used.collect::<Vec<_>>(), [8, 12]);
    assert_eq!(plan["pools"][1]["capacity"], Value::Null);
    let table = run(&[&args[..], &pools].concat());
    let table = String::from_utf8(table.stdout).unwrap();
    // a and c need 12 of the 8 bytes of the fast pool at step 2.
    assert!(
        table.contains("at least 4 bytes must be spilled"),
        "{table}"
    );
    assert!(table.contains("8 bytes, 1 buffer\n"), "{table}");
    let errors = String::from_utf8(run(&args).stderr).unwrap();
    assert!(
        errors.contains("its pools are ignored: name them with --pool"),
        "{errors}"
    );
    let line = failure(&[&args[..], &["--pool", "only=8"]].concat(), 1);
    assert!(line.contains("\"b\" in pool 1"), "{line}");
    let line = failure(
        &[&args[..], &["--pool", "fast=8", "--pool", "fast"]].concat(),
        2,
    );
    assert!(line.contains("fast"), "{line}");
    failure(&["plan", &problem, "--pool", "fast=much"], 2);
    failure(&["plan", &problem, "--pool", "=8"], 2);
    // A plan that names no pools lies in the only one that is asked for; of several the judge
    // wants to know which buffer lies where.
    let placed = file(
        "pools placed.csv",
        b"id,lower,upper,size,offset\na,0,3,8,0\n",
    );
    assert_eq!(run(&["check", &placed]).status.code(), Some(0));
    assert_eq!(
        run(&["check", &placed, "--pool", "fast=8"]).status.code(),
        Some(0)
    );
    assert_eq!(
        run(&["check", &placed, "--pool", "fast=7"]).status.code(),
        Some(1)
    );
    let output = run(&["check", &placed, "--pool", "fast=8", "--pool", "slow"]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("who lives in which pool, of 2 asked for"),
        "{text}"
    );
}

/// What a run that succeeds prints, and its warnings.
fn output(args: &[&str]) -> (String, String) {
    let output = run(args);
    assert_eq!(output.status.code(), Some(0), "{args:?}");
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr))
}

#[test]
fn fixed_addresses_that_collide_are_said_once_with_code_1() {
    let rows = b"id,lower,upper,size,fixed\nweights,0,9,64,0\nfree,0,2,8,\nstate,3,5,64,32\n";
    let colliding = file("colliding.csv", rows);
    for strategy in ["all", "naive", "best"] {
        let line = failure(&["plan", &colliding, "--strategy", strategy], 1);
        let says = "colliding.csv: the fixed addresses of \"weights\" (bytes 0 to 64, steps 0 to \
                    8) and \"state\" (bytes 32 to 96, steps 3 to 4) collide at step 3";
        assert!(line.contains(says), "{line}");
        assert!(line.contains("whatever the strategy"), "{line}");
    }
    let (_, errors) = output(&["bounds", &colliding]);
    assert!(errors.contains("collide at step 3"), "{errors}");
}

#[test]
fn a_fixed_address_off_the_alignment_is_said() {
    let rows = b"id,lower,upper,size,fixed\na,0,9,64,\nb,3,5,64,100\n";
    let fixed = file("off.csv", rows);
    let args = ["plan", &fixed, "--strategy", "offsets_by_size"];
    let (_, errors) = output(&[&args[..], &["--align", "64"]].concat());
    let says = "1 fixed address is no multiple of the alignment and kept all the same: \"b\" at \
                100, alignment 64";
    assert!(errors.contains(says), "{errors}");
    let (_, errors) = output(&[&args[..], &["--align", "4"]].concat());
    assert_eq!(errors, "");
}

#[test]
fn what_a_strategy_leaves_unused_is_a_footnote() {
    let rows = b"id,lower,upper,size,gaps\na,0,4,8,1-3\nb,1,3,8,\n";
    let gaps = file("gaps.csv", rows);
    let table = output(&["plan", &gaps, "--nodes", "10", "--moves", "1"]).0;
    let row = |name: &str| {
        let mut lines = table.lines().filter_map(|line| line.split_once(' '));
        lines
            .find(|(first, _)| first.trim_end_matches('*') == name)
            .map(|it| it.0)
    };
    assert_eq!(row("tflm_greedy"), Some("tflm_greedy*"));
    assert_eq!(row("offsets_by_size"), Some("offsets_by_size"));
    assert!(
        table.ends_with("* plans whole spans: the gaps stay unused\n"),
        "{table}"
    );
    let args = [
        "plan",
        &gaps,
        "--strategy",
        "tflm_greedy",
        "--format",
        "json",
    ];
    assert_eq!(
        json(&args)["plans"][0]["unused"],
        serde_json::json!(["gaps"])
    );
    // Without gaps there is nothing to say.
    let plain = file("no gaps.csv", PROBLEM);
    let table = output(&["plan", &plain, "--strategy", "tflm_greedy"]).0;
    assert!(!table.contains('*'), "{table}");
}

#[test]
fn faults_call_buffers_by_name_and_count_rightly() {
    let rows = b"id,lower,upper,size,name,offset\n7,0,3,4,conv,0\n9,2,9,8,relu,2\n";
    let broken = file("named.csv", rows);
    let output = run(&["check", &broken]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("2 buffers in 10 bytes, 1 rule broken\n"),
        "{text}"
    );
    let says = "\n\"conv\" and \"relu\" are live at the same step and share bytes\n";
    assert!(text.contains(says), "{text}");
    let report = run(&["check", &broken, "--format", "json"]);
    let report: Value = serde_json::from_slice(&report.stdout).unwrap();
    let message = report["violations"][0]["message"].as_str().unwrap();
    assert!(message.starts_with("\"conv\" and \"relu\""), "{message}");
}

#[test]
fn a_plan_json_brings_its_pools() {
    let plan = r#"{"arenascope_plan":1,"arena":16,"buffers":[
        {"name":"a","size":8,"lower":0,"upper":3,"offset":0},
        {"name":"b","size":8,"lower":1,"upper":3,"offset":8}],
        "pools":{"declared":[{"name":"fast","capacity":8},{"name":"slow"}],
        "bases":[0,8],"sizes":[8,8],"of_buffer":[0,1]}}"#;
    let plan = file("pools.json", plan.as_bytes());
    assert_eq!(json(&["check", &plan, "--format", "json"])["valid"], true);
    let report = json(&["plan", &plan, "--strategy", "deployed", "--format", "json"]);
    assert_eq!(report["plans"][0]["spilled"], 8);
    let tighter = ["check", &plan, "--pool", "fast=4", "--pool", "slow"];
    let output = run(&tighter);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("pool \"fast\" has 4 bytes but 8 are used"),
        "{text}"
    );
}

#[test]
fn choices_that_do_not_exist_are_code_2() {
    let problem = file("choices.csv", PROBLEM);
    for (choice, value) in [
        ("--io", "outside"),
        ("--parallel", "wild"),
        ("--nodes", "many"),
    ] {
        let line = failure(&["plan", &problem, choice, value], 2);
        assert!(line.contains(choice), "{line}");
    }
    let args = [
        "plan",
        &problem,
        "--format",
        "csv",
        "--in-place",
        "--nodes",
        "10",
    ];
    let more = ["--moves", "10", "--io", "litert", "--parallel", "free"];
    let output = run(&[&args[..], &more].concat());
    assert_eq!(output.status.code(), Some(0));
    let csv = String::from_utf8(output.stdout).unwrap();
    let head =
        "strategy,family,arena,objects,optimal,spilled,ms,reserved\nnaive,baseline,16,3,false,,";
    assert!(csv.starts_with(head), "{csv}");
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
    let listed = Strategy::ALL.map(Strategy::name);
    assert_eq!(names, listed);
    for plan in plans {
        assert_eq!(
            keys(plan),
            [
                "arena", "family", "ms", "objects", "optimal", "proved", "strategy", "tensors",
                "unused"
            ]
        );
        let by_offsets = plan["strategy"].as_str().unwrap().contains("offsets");
        assert!(!by_offsets || plan["objects"].is_null(), "{plan}");
        assert!(plan["family"].is_string(), "{plan}");
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

/// Three buffers of 4 bytes of which every two meet need 12 where 8 are live; that one of two
/// others may be written over the other keeps the search from proving it.
#[test]
fn a_search_says_what_it_cannot_prove() {
    let plan = r#"{"arenascope_plan":1,"alignment":1,"arena":12,"horizon":7,"buffers":[
        {"name":"a","size":4,"lower":0,"upper":2,"offset":0},
        {"name":"b","size":4,"lower":1,"upper":3,"offset":4},
        {"name":"c","size":4,"lower":0,"upper":3,"offset":8,"gaps":[{"lower":1,"upper":2}]},
        {"name":"d","size":1,"lower":4,"upper":6,"offset":0},
        {"name":"e","size":1,"lower":5,"upper":7,"offset":1}],"handovers":[HERE]}"#;
    let exact = |handovers: &str| {
        let name = file("left_out.json", plan.replace("HERE", handovers).as_bytes());
        let args = ["plan", &name, "--strategy", "exact", "--format"];
        let report = json(&[&args[..], &["json"]].concat());
        let table = run(&[&args[..], &["table"]].concat()).stdout;
        let table = String::from_utf8(table).unwrap();
        (report["plans"][0].clone(), table)
    };
    let (whole, table) = exact("");
    assert_eq!(whole["proved"], 12);
    assert_eq!(whole.get("unsearched"), None);
    assert!(!table.contains("proves only the bound"), "{table}");
    let (handed, table) = exact(r#"{"before":3,"after":4,"shift":0}"#);
    assert_eq!(
        (&handed["arena"], &handed["proved"]),
        (&12.into(), &8.into())
    );
    assert_eq!(handed["unsearched"], "handovers");
    assert!(
        table.contains("proves only the bound: buffers may be handed over"),
        "{table}"
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
