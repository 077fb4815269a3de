//! Dumps of toolchains on the command line: compared, and exported.

use serde_json::Value;

use super::{PROBLEM, failure, file, json, keys, run};

pub(super) const BEFORE: &[u8] = b"id,lower,upper,size,offset\na,0,2,100,0\nfusion.1,1,3,50,100\n";
const AFTER: &[u8] =
    b"id,lower,upper,size,offset\ncopy,0,1,10,100\na,0,2,100,0\nfusion.2,1,3,60,110\n";

/// By hand: 150 bytes are live before, 160 after; the upgraded plan ends at 170.
#[test]
fn diff_says_what_grew() {
    let (before, after) = (file("before.csv", BEFORE), file("after.csv", AFTER));
    let found = json(&[
        "diff", "--before", &before, "--after", &after, "--format", "json",
    ]);
    assert_eq!(found["unchanged"], 1);
    assert_eq!(found["changed"][0]["sizes"], serde_json::json!([50, 60]));
    assert_eq!(found["changed"][0]["how"], "order");
    assert_eq!(found["only"][0]["name"], "copy");
    assert_eq!(found["after"]["waste"]["arena"], 170);
    assert_eq!(
        (&found["before"]["bound"], &found["after"]["bound"]),
        (&150.into(), &160.into())
    );
    let table = run(&["diff", "--before", &before, "--after", &after]);
    let table = String::from_utf8(table.stdout).unwrap();
    assert!(table.contains("fusion.2, was fusion.1"), "{table}");
    let csv = run(&[
        "diff", "--before", &before, "--after", &after, "--format", "csv",
    ]);
    let csv = String::from_utf8(csv.stdout).unwrap();
    assert!(csv.contains("added,,\"copy\",,10,,1\n"), "{csv}");
    let problem = file("unplanned.csv", PROBLEM);
    assert!(failure(&["diff", "--before", &before, "--after", &problem], 1).contains("no plan"));
    failure(
        &[
            "diff", "--before", &before, "--after", &after, "--arena", "1",
        ],
        2,
    );
    failure(&["diff", "--before", &before], 2);
}

/// A committed sample of a toolchain.
pub(super) fn sample(path: &str) -> String {
    format!(
        concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/plans/{}"),
        path
    )
}

/// XLA's allocations that hold one thing each are no arena: nothing about them is optimal, and
/// the plan JSON of them says so, too.
#[test]
fn separate_allocations_are_no_optimal_arena() {
    let pair = ["assignment", "live-range"].map(|part| match part {
        "assignment" => sample("xla/train-buffer-assignment.txt"),
        _ => sample("xla/train-live-range.txt"),
    });
    let says = "separate allocations, laid end to end only to be seen";
    let [one, two] = pair.each_ref().map(String::as_str);
    for strategy in ["deployed", "best"] {
        let args = ["plan", one, two, "--arena", "7", "--strategy", strategy];
        let report = json(&[&args[..], &["--format", "json"]].concat());
        assert_eq!(report["separate"], true);
        assert_eq!(report["plans"][0]["optimal"], false, "{strategy}");
        let table = String::from_utf8(run(&args).stdout).unwrap();
        assert!(table.contains(says), "{table}");
    }
    let waste = run(&["waste", one, two, "--arena", "7"]).stdout;
    assert!(String::from_utf8(waste).unwrap().contains(says));
    // The table of all arenas stands before the report, with the dump's own total of bytes.
    let table = String::from_utf8(run(&["waste", one, two]).stdout).unwrap();
    assert!(table.starts_with("8 arenas:\n"), "{table}");
    assert!(table.contains("\n          371800  "), "{table}");
    let chosen = table.lines().find(|line| line.starts_with('*')).unwrap();
    assert!(
        chosen.ends_with("0: allocation 17, preallocated-temp"),
        "{chosen}"
    );
    // The temporary allocation is an arena, and said to be one.
    let temporary = json(&[
        "plan",
        one,
        two,
        "--strategy",
        "deployed",
        "--format",
        "json",
    ]);
    assert_eq!(temporary["separate"], Value::Null);
    assert_eq!(temporary["plans"][0]["optimal"], true);
    let args = ["export", one, two, "--arena", "7", "--as", "json"];
    let exported = run(&[&args[..], &["--strategy", "deployed"]].concat()).stdout;
    let again = file("separate.json", &exported);
    let report = json(&["plan", &again, "--strategy", "deployed", "--format", "json"]);
    assert_eq!(report["plans"][0]["optimal"], false);
}

/// What is exported from every committed dump opens again without a word, with the toolchain.
#[test]
fn exported_dumps_open_again() {
    for (path, toolchain) in [
        ("iree/dynamic.ir.txt", "IREE"),
        ("iree/chain.ir.txt", "IREE"),
        ("iree/loop.ir.txt", "IREE"),
        ("vela/small_net.LinearAlloc.log", "Vela"),
        ("torch/protocol4.pickle", "PyTorch"),
        ("executorch/keyword_spotting.pte", "ExecuTorch"),
        ("megengine/StaticMemoryInfo.json", "MegEngine"),
        ("tflm/person_detect.log", "TFLite Micro"),
    ] {
        let args = [
            "export",
            &sample(path),
            "--as",
            "json",
            "--strategy",
            "deployed",
        ];
        let output = run(&args);
        assert_eq!(output.status.code(), Some(0), "{path}");
        let exported: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(exported["toolchain"], toolchain, "{path}");
        let again = file("again.json", &output.stdout);
        let output = run(&["plan", &again, "--strategy", "deployed"]);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(
            (output.status.code(), errors.as_str()),
            (Some(0), ""),
            "{path}"
        );
    }
}

#[test]
fn export_writes_what_other_tools_read() {
    let problem = file("export.csv", PROBLEM);
    let export = |kind: &str| {
        let output = run(&["export", &problem, "--as", kind]);
        assert_eq!(output.status.code(), Some(0), "{kind}");
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(export("c").contains("#define EXPORT_ARENA_SIZE 12ULL"));
    assert!(export("csv").starts_with("id,lower,upper,size"));
    for (kind, key) in [
        ("json", "arenascope_plan"),
        ("schedule", "arenascope_schedule"),
    ] {
        let json: Value = serde_json::from_str(&export(kind)).unwrap();
        assert_eq!(json[key], 1);
    }
    failure(&["export", &problem], 2);
    failure(&["export", &problem, "--as", "c", "--strategy", "all"], 2);
    failure(
        &["export", &problem, "--as", "c", "--strategy", "deployed"],
        1,
    );
}

/// Files that are no parts of one dump are named, both of them.
#[test]
fn files_that_do_not_belong_together_are_named() {
    let (one, other) = (file("one.csv", PROBLEM), file("other.csv", PROBLEM));
    let line = failure(&["plan", &one, &other], 1);
    assert!(
        line.contains("one.csv") && line.contains("other.csv"),
        "{line}"
    );
}

/// Two pairs of buffers that meet at 180 bytes, laid out so that 240 are taken: 100 under 80
/// at step 1, and 60 at 180 at step 2, where 100 bytes lie free below.
const WASTEFUL: &[u8] =
    b"id,lower,upper,size,offset\na,0,2,100,0\nb,1,3,80,100\nc,2,4,60,180\nd,3,5,90,0\n";

#[test]
fn waste_sums_to_the_arena() {
    let wasteful = file("wasteful.csv", WASTEFUL);
    let report = json(&["waste", &wasteful, "--format", "json"]);
    assert_eq!(report["plan"], "deployed");
    assert_eq!(report["arena"], 240);
    let parts = report["parts"].as_array().unwrap();
    let part = |index: usize| (parts[index]["part"].clone(), parts[index]["bytes"].clone());
    assert_eq!(part(0), ("needed".into(), 180.into()));
    assert_eq!(part(5), ("fragmentation".into(), 60.into()));
    let sum: i64 = parts.iter().map(|it| it["bytes"].as_i64().unwrap()).sum();
    assert_eq!(sum, 240);
    // `c`, which reaches highest, begins at step 2: `a` has ended and `d` not begun.
    assert_eq!(parts[5]["step"], 2);
    let holes = serde_json::json!([{"offset": 0, "size": 100, "lower": 2, "upper": 3}]);
    assert_eq!(parts[5]["holes"], holes);
    let table = String::from_utf8(run(&["waste", &wasteful]).stdout).unwrap();
    assert!(table.contains("25.0 %  fragmentation (step 2)"), "{table}");
    assert!(table.contains("free at 0, steps 2 to 2"), "{table}");
    // At step 3 more is live beside `c`: the 90 bytes of `d`, and as many are empty up to `c`,
    // which came when `b` lay there. 60 = 90 - 30, for 150 bytes are live and not 180.
    for says in [
        "why: at step 3 c reaches highest and 90 bytes are empty",
        "90 of them at 90: b is below c (step 2)",
        "-30 that no plan has to fill",
    ] {
        assert!(table.contains(says), "{table}");
    }
    let why = &report["why"];
    let bytes = ["bytes", "empty", "apart", "idle"].map(|key| why[key].as_i64().unwrap());
    assert_eq!(bytes, [60, 90, 0, 30]);
    let expected = serde_json::json!([{
        "offset": 90, "size": 90, "lower": 3, "upper": 5, "below": "d", "above": "c",
        "because": {"why": "under", "buffer": "b", "lower": 2, "upper": 3}, "fits": null,
    }]);
    assert_eq!((&why["holes"], &why["step"]), (&expected, &3.into()));
    let csv = run(&["waste", &wasteful, "--format", "csv"]).stdout;
    let csv = String::from_utf8(csv).unwrap();
    assert!(csv.starts_with("part,bytes,step,buffers\nneeded,180,1,2\npadding,0,"));
}

/// `a` and `b` are live together and lie on the same four bytes: an arena of four, where eight
/// are needed. Nothing of it is fragmentation, least of all -4 bytes.
#[test]
fn waste_of_a_plan_that_breaks_rules_is_not_split() {
    let rows = b"id,lower,upper,size,offset\na,0,2,4,0\nb,0,2,4,0\n";
    let broken = file("waste_broken.csv", rows);
    let printed = |format: &str| {
        let output = run(&["waste", &broken, "--format", format]);
        assert_eq!(output.status.code(), Some(1), "{format}");
        String::from_utf8(output.stdout).unwrap()
    };
    let report: Value = serde_json::from_str(&printed("json")).unwrap();
    assert_eq!(
        (&report["valid"], &report["arena"]),
        (&false.into(), &4.into())
    );
    assert_eq!(report["rules_broken"], 1);
    let sentence = "\"a\" and \"b\" are live at the same step and share bytes";
    assert_eq!(report["violations"][0], sentence);
    assert!(report.get("parts").is_none(), "{report}");
    let table = printed("table");
    assert!(
        table.contains("which breaks 1 rule: its bytes are not split"),
        "{table}"
    );
    assert!(!table.contains("fragmentation"), "{table}");
    assert!(table.contains(sentence), "{table}");
    assert_eq!(printed("csv"), "part,bytes,step,buffers\n");
}

/// A table whose header names other things is read as the command line says.
#[test]
fn columns_are_said_on_the_command_line() {
    let rows = b"tensor;first_use;last_use;weight\nx;0;2;4 KiB\ny;2;3;0x10\n";
    let foreign = file("foreign.csv", rows);
    let line = failure(&["plan", &foreign], 1);
    for says in ["foreign.csv: line 1", "\"weight\"", "--columns"] {
        assert!(line.contains(says), "{line}");
    }
    let columns = "lower=first_use,end=last_use,size=weight";
    for command in ["plan", "bounds"] {
        let report = json(&[command, &foreign, "--columns", columns, "--format", "json"]);
        // Both are live at step 2, the last of `x`.
        assert_eq!(report["bounds"]["offsets"], 4096 + 16, "{command}");
    }
    let line = failure(&["plan", &foreign, "--columns", "weigth=size"], 2);
    assert!(
        line.contains("one of id, lower, upper, end, size"),
        "{line}"
    );
}

#[test]
fn waste_is_of_one_plan() {
    let problem = file("waste_of_none.csv", PROBLEM);
    let line = failure(&["waste", &problem], 1);
    assert!(line.contains("no plan in this file"), "{line}");
    let line = failure(&["waste", &problem, "--strategy", "all"], 2);
    assert!(line.contains("one arena is split"), "{line}");
    // `a`, `b` and `c` one beside the other: 4 + 8 + 4, where 12 are needed at once.
    let args = ["waste", &problem, "--strategy", "naive", "--format", "json"];
    let report = json(&args);
    assert_eq!(report["arena"], 16);
    assert_eq!(report["parts"][0]["bytes"], 12);
    assert_eq!(report["parts"][5]["bytes"], 4);
}

/// By hand: `a` and `b` meet at step 2, `b` and `c` at steps 3 and 4; 12 bytes is the most.
#[test]
fn list_prints_what_a_query_means() {
    let problem = file("list.csv", PROBLEM);
    let found = json(&[
        "list",
        &problem,
        "--where",
        "size < 8 and not a",
        "--format",
        "json",
    ]);
    assert_eq!(keys(&found), ["buffers", "bytes", "file", "found", "where"]);
    assert_eq!((&found["buffers"], &found["bytes"]), (&3.into(), &4.into()));
    assert_eq!(found["found"][0]["name"], "c");
    assert_eq!(
        (&found["found"][0]["first"], &found["found"][0]["last"]),
        (&3.into(), &4.into())
    );
    assert_eq!(found["found"][0]["offset"], Value::Null);
    let text = String::from_utf8(run(&["list", &problem, "--where", "live at peak"]).stdout);
    assert!(text.unwrap().contains("2 of 3 buffers, 12 bytes"));
    let csv = String::from_utf8(run(&["list", &problem, "--format", "csv"]).stdout).unwrap();
    assert_eq!(csv.lines().count(), 4);
    assert_eq!(csv.lines().nth(1), Some("\"a\",4,4,0,2,,\"\",\"\""));
    let planned = b"id,lower,upper,size,offset\na,0,3,4,8\nb,2,9,8,0\n";
    let planned = file("list_planned.csv", planned);
    let found = json(&[
        "list",
        &planned,
        "--where",
        "at offset 8",
        "--format",
        "json",
    ]);
    assert_eq!(
        (&found["found"][0]["name"], &found["bytes"]),
        (&"a".into(), &4.into())
    );
    let line = failure(&["list", &problem, "--where", "sise > 3"], 2);
    assert!(
        line.contains("column 1: no field has this name; perhaps size"),
        "{line}"
    );
}

/// Memory 2 of the program has 32 bytes for a tensor of 16.
#[test]
fn the_arena_that_wastes_most_is_reported_on() {
    let program = sample("executorch/kinds.pte");
    let report = json(&["bounds", &program, "--format", "json"]);
    let of = |report: &Value| {
        (
            report["chosen"].clone(),
            report["bounds"]["offsets"].clone(),
        )
    };
    assert_eq!(of(&report), (1.into(), 16.into()));
    let all = report["arenas"].as_array().unwrap().iter();
    let avoidable: Vec<u64> = all.map(|it| it["avoidable"].as_u64().unwrap()).collect();
    assert_eq!(avoidable, [0, 16]);
    let csv = run(&["bounds", &program, "--format", "csv"]);
    let remark = String::from_utf8(csv.stderr).unwrap();
    assert!(
        remark.contains("of 2 arenas this is number 1, memory 2"),
        "{remark}"
    );
    let args = ["bounds", &program, "--arena", "0", "--format", "json"];
    assert_eq!(of(&json(&args)), (0.into(), 32.into()));
    let packs = sample("iree/loop.ir.txt");
    assert!(failure(&["bounds", &packs, "--arena", "3"], 2).contains("has 3 arenas"));
    // The judge looks at all of them, or at the one that is asked for.
    let judged = json(&["check", &program, "--format", "json"]);
    assert_eq!(judged["valid"], true);
    assert_eq!(judged["arenas"].as_array().unwrap().len(), 2);
    let judged = json(&["check", &program, "--arena", "1", "--format", "json"]);
    assert_eq!(judged["arena"], 32);
}

/// Vela's log gives 46,624 B of `Sram` and 8,848 B of constants, which lie elsewhere: a pool is
/// held against the arena of its name.
#[test]
fn a_plan_that_names_no_pools_is_held_against_the_only_one() {
    let log = sample("vela/small_net.HillClimb.log");
    for (pool, code) in [
        ("sram=46624", 0),
        ("sram=46623", 1),
        // 46 KiB are 47,104 B, 46.6 kB are 46,600 B.
        ("SRAM=46KiB", 0),
        ("sram=46.6kB", 1),
    ] {
        let output = run(&["check", &log, "--pool", pool]);
        assert_eq!(output.status.code(), Some(code), "{pool}");
    }
    let refused = failure(&["check", &log, "--pool", "flash=1MiB"], 2);
    assert!(
        refused.contains("Sram") && refused.contains("--arena"),
        "{refused}"
    );
    let one = ["check", &log, "--arena", "0", "--pool", "ram=46624"];
    assert_eq!(run(&one).status.code(), Some(0));
    let refused = failure(&["check", &log, "--pool", "sram=1.0001KiB"], 2);
    assert!(refused.contains("whole number of bytes"), "{refused}");
    // Two pools in one option are no pool named "a=1KiB,b".
    let refused = failure(&["check", &log, "--pool", "a=1KiB,b=2KiB"], 2);
    assert!(refused.contains("--pool a=1KiB --pool b=2KiB"), "{refused}");
}

/// The large buffers may only lie in the second pool and fill it at step 1; the small ones only
/// in the first, which 100 B fill. No plan is smaller, and no hole crosses from one to the other.
#[test]
fn pools_are_split_each_for_itself() {
    let problem =
        "id,lower,upper,size,pools\np1,0,2,1000,1\np2,1,4,1000,1\ns2,0,1,100,0\ns1,3,4,60,0\n";
    let problem = file("pools_hole.csv", problem.as_bytes());
    let report = json(&[
        "waste",
        &problem,
        "--pool",
        "sram=100",
        "--pool",
        "psram=2000",
        "--strategy",
        "best",
        "--format",
        "json",
    ]);
    assert_eq!(report["arena"], 2100);
    let parts = report["parts"].as_array().unwrap();
    let bytes = |name: &str| {
        let part = parts.iter().find(|it| it["part"] == name);
        part.and_then(|it| it["bytes"].as_i64())
    };
    assert_eq!(
        (bytes("needed"), bytes("fragmentation")),
        (Some(2100), Some(0))
    );
}

/// Vela's other goal: on person detection it took 30,720 B for 74,480 B (Vela 5.2).
#[test]
fn vela_is_told_to_optimise_for_size() {
    let log = sample("vela/small_net.HillClimb.log");
    let report = json(&["advise", &log, "--format", "json"]);
    assert_eq!(report["flags"], serde_json::json!(["--optimise Size"]));
    let table = String::from_utf8(run(&["advise", &log]).stdout).unwrap();
    assert!(table.contains("Vela for Ethos-U"), "{table}");
}

/// TFLite Micro's interpreter says of this model: head 16,192 bytes, 2,464 beside it, and it runs
/// in no arena that is 16 bytes smaller than both together (tests/tflm.py asks it).
#[test]
fn the_arena_to_give_has_what_lies_beside_the_plan() {
    let model = sample("offline/documented.tflite");
    let plan = ["plan", &model, "--io", "tflm", "--strategy", "tflm_greedy"];
    let report = json(&[&plan[..], &["--format", "json"]].concat());
    assert_eq!(report["plans"][0]["arena"], 16_192);
    assert_eq!(report["plans"][0]["with_tail"], 16_192 + 2464);
    assert_eq!(report["beside"]["tail"], 2464);
    assert_eq!(report["beside"]["modelled"], true);
    let table = String::from_utf8(run(&plan).stdout).unwrap();
    for said in ["18656  with tflm_greedy", "pointers of 8 bytes", "CMSIS-NN"] {
        assert!(table.contains(said), "{said}: {table}");
    }
    // The split of the same plan says it too.
    let split = ["waste", &model, "--io", "tflm", "--strategy", "tflm_greedy"];
    let report = json(&[&split[..], &["--format", "json"]].concat());
    assert_eq!(
        (&report["arena"], &report["with_tail"]),
        (&16_192.into(), &18_656.into())
    );
    let table = String::from_utf8(run(&split).stdout).unwrap();
    assert!(table.contains("18656  with tflm_greedy"), "{table}");
    // Of other runtimes nothing is said.
    let beside = json(&["plan", &model, "--strategy", "best", "--format", "json"]);
    assert!(beside.get("beside").is_none());
    let program = sample("executorch/keyword_spotting.pte");
    let table = String::from_utf8(run(&["plan", &program]).stdout).unwrap();
    assert!(table.contains("method allocator"), "{table}");
}

/// The first pool needs 100 bytes, the second 2000 at a step at which the first needs none.
#[test]
fn the_bound_knows_pools() {
    let problem = file(
        "pools_hole.csv",
        b"id,lower,upper,size,pools\np1,0,2,1000,1\np2,1,4,1000,1\ns2,0,1,100,0\ns1,3,4,60,0\n",
    );
    let pools = ["--pool", "sram=100", "--pool", "psram=2000"];
    let of = |more: &[&str]| {
        let all = [&["bounds", &problem, "--format", "json"], more].concat();
        json(&all)["bounds"]["offsets"].clone()
    };
    assert_eq!(of(&[]), 2000);
    assert_eq!(of(&pools), 2100);
    let all = [
        &["plan", &problem, "--strategy", "best", "--format", "json"],
        &pools[..],
    ]
    .concat();
    let report = json(&all);
    assert_eq!(report["plans"][0]["arena"], 2100);
    assert_eq!(report["plans"][0]["optimal"], true);
}
