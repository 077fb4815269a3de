//! Memory snapshots of PyTorch on the command line.

use super::dumps::{BEFORE, sample};

use super::{failure, file, json, run};

/// By hand: before the trace 400 and 1,000 bytes lie in one segment of 2 MiB for small blocks; 3 MiB
/// take 20 MiB, expandable or not, and a limit of 10 MiB leaves them out. A request of 1 TiB failed
/// and fails whatever is changed.
#[test]
fn settings_of_a_trace_are_compared() {
    let snapshot = sample("torch/protocol4.pickle");
    let found = json(&["advise", &snapshot, "--format", "json"]);
    let reserved = 22_u64 << 20;
    assert_eq!(found["taken"], reserved);
    assert_eq!(found["settings"], "default");
    let base = &found["base"];
    assert_eq!(
        (&base["taken"], &base["failed"]),
        (&reserved.into(), &1.into())
    );
    let proposals = found["proposals"].as_array().unwrap();
    let settings = proposals.iter().filter(|it| it["change"] == "settings");
    let settings: Vec<_> = settings.collect();
    assert!(settings.len() > 8);
    for row in settings {
        let figures = (
            &row["taken"],
            &row["saved"],
            &row["segments"],
            &row["failed"],
        );
        let expected = (&reserved.into(), &0.into(), &2.into(), &1.into());
        assert_eq!(figures, expected, "{row}");
    }
    let args = ["advise", &snapshot, "--capacity", "10485760", "--format"];
    let tight = json(&[&args[..], &["json"]].concat());
    assert_eq!(
        (&tight["base"]["taken"], &tight["base"]["failed"]),
        (&(2_u64 << 20).into(), &2.into())
    );
    let table = String::from_utf8(run(&[&args[..], &["table"]].concat()).stdout).unwrap();
    assert!(
        table.contains("under its own settings it is 2097152"),
        "{table}"
    );
    let csv = String::from_utf8(run(&[&args[..], &["csv"]].concat()).stdout).unwrap();
    let row = "settings,\"expandable_segments:True\",";
    assert!(csv.contains(row), "{csv}");
    assert!(failure(&["advise", &snapshot, "--empty", "99"], 2).contains("the last step is"));
    for at in ["99", "3..1", "0..99"] {
        assert!(failure(&["held", &snapshot, "--at", at], 2).contains("steps go up"));
    }
    // Whatever is changed saves nothing here, as the rows above say: none of them is listed.
    let said = |args: &[&str]| String::from_utf8(run(args).stdout).unwrap();
    let table = said(&["advise", &snapshot]);
    assert!(table.contains("would save nothing, or cost"), "{table}");
    assert!(!table.contains("expandable_segments:True"), "{table}");
    // Of an allocator's blocks no operator, shared object or alignment is known.
    let title = said(&["waste", &snapshot]);
    for word in ["operator", "shared objects", "alignment 1"] {
        assert!(!title.contains(word), "{title}");
    }
    let problem = file("placed_by_nobody.csv", b"id,lower,upper,size\na,0,2,8\n");
    assert!(failure(&["advise", &problem], 1).contains("no plan in it"));
}

/// By hand: 290 bytes are needed at step 2 and 480 were planned. `d` is there from the start to
/// the end and used at neither side of step 2: without it 210 are needed there.
#[test]
fn a_plan_made_in_advance_is_advised_on() {
    let csv =
        b"id,lower,upper,size,offset\na,0,3,100,0\nb,1,3,50,200\nc,2,5,60,300\nd,0,9,80,400\n";
    let shipped = file("shipped.csv", csv);
    let found = json(&["advise", &shipped, "--format", "json"]);
    let rows = found["proposals"].as_array().unwrap();
    let figures = |row: &serde_json::Value| {
        let number = |name: &str| row[name].as_i64().unwrap();
        (number("taken"), number("saved"), number("needed"))
    };
    let row = |change: &str, what: &str| {
        let mut rows = rows.iter();
        let row = rows.find(|it| (&it["change"], &it["what"]) == (&change.into(), &what.into()));
        figures(row.expect("it is proposed"))
    };
    assert_eq!(found["taken"], 480);
    assert_eq!(row("plan", "best"), (290, 190, 290));
    assert_eq!(row("elsewhere", "d"), (210, 80, 210));
    // What is handed out there, or given back right after it, is used there.
    assert!(
        rows.iter().all(|it| it["what"] != "b" && it["what"] != "c"),
        "{rows:?}"
    );
    let flagged = json(&["advise", &sample("iree/chain.ir.txt"), "--format", "json"]);
    assert_eq!(
        flagged["flags"],
        serde_json::json!(["--iree-stream-partitioning-favor=min-peak-memory"])
    );
}

/// Figures of the committed snapshots, which `snapshot.py` works out by hand: 22 MiB were
/// reserved at the peak, the blocks reach 5 MiB, and 3 MiB + 1,536 bytes are live at once.
#[test]
fn a_trace_counts_what_was_reserved() {
    const RESERVED: u64 = 22 << 20;
    const REACH: u64 = 5 << 20;
    const LIVE: u64 = (3 << 20) + 1536;
    let golden = |protocol: u8| sample(&format!("torch/protocol{protocol}.pickle"));
    let text = |args: &[&str]| String::from_utf8(run(args).stdout).unwrap();
    let snapshot = golden(4);
    let plan = ["plan", &snapshot, "--strategy", "deployed", "--format"];
    let report = json(&[&plan[..], &["json"]].concat());
    let found = &report["plans"][0];
    assert_eq!(
        (&found["arena"], &found["reserved"], &found["optimal"]),
        (&REACH.into(), &RESERVED.into(), &false.into())
    );
    let table = text(&[&plan[..], &["table"]].concat());
    let over = format!(
        "{RESERVED:>15} {:>8} {:>8.1}%",
        "",
        100.0 * (RESERVED - LIVE) as f64 / LIVE as f64
    );
    assert!(table.contains(&over), "{table}");
    let says = format!("reserved at its peak; its blocks reach {REACH}");
    assert!(table.contains(&says), "{table}");

    let report = json(&["waste", &snapshot, "--format", "json"]);
    assert_eq!(
        (&report["arena"], &report["reserved"], &report["reach"]),
        (&RESERVED.into(), &RESERVED.into(), &REACH.into())
    );
    let parts = report["parts"].as_array().unwrap().iter();
    let sum: i64 = parts.map(|it| it["bytes"].as_i64().unwrap()).sum();
    assert_eq!(u64::try_from(sum).unwrap(), RESERVED);
    let waste = text(&["waste", &snapshot]);
    assert!(
        waste.contains("reserved at its peak by deployed"),
        "{waste}"
    );
    // What was reserved is no arena that empty bytes would explain.
    assert!(
        report["why"].is_null() && !waste.contains("why:"),
        "{waste}"
    );

    let diff = [
        "diff",
        "--before",
        &snapshot,
        "--after",
        &golden(5),
        "--format",
    ];
    let report = json(&[&diff[..], &["json"]].concat());
    for side in ["before", "after"] {
        let waste = &report[side]["waste"];
        assert_eq!(
            (&waste["arena"], &waste["reserved"]),
            (&RESERVED.into(), &true.into())
        );
    }
    let table = text(&[&diff[..], &["table"]].concat());
    assert!(
        table.contains(&format!("reserved {RESERVED:>22}")),
        "{table}"
    );
    // A plan that was never run counts by its arena, and so does what it is compared with.
    let other = file("beside.csv", BEFORE);
    let mixed = json(&[
        "diff", "--before", &snapshot, "--after", &other, "--format", "json",
    ]);
    assert_eq!(mixed["before"]["waste"]["arena"], REACH);
}

/// The plan JSON of a trace says what was reserved, too.
#[test]
fn what_was_reserved_is_exported() {
    let args = [
        "export",
        &sample("torch/protocol4.pickle"),
        "--as",
        "json",
        "--strategy",
        "deployed",
    ];
    let again = file("reserved.json", &run(&args).stdout);
    let report = json(&["plan", &again, "--strategy", "deployed", "--format", "json"]);
    assert_eq!(report["plans"][0]["reserved"], 22 << 20);
}

/// By hand of `snapshot.py`: at the end a function of PyTorch that the program's `step` called
/// holds 3 MiB and 1,024 bytes, and `step` itself 512. At the peak 1,100 bytes and 3 MiB were
/// asked for.
#[test]
fn who_holds_what_is_said_in_groups_and_stacks() {
    const CALLED: u64 = (3 << 20) + 1024;
    let snapshot = sample("torch/protocol4.pickle");
    let of_end = ["held", &snapshot, "--at", "end", "--by"];
    let groups = |by: &str| {
        let report = json(&[&of_end[..], &[by, "--format", "json"]].concat());
        assert_eq!(report["bytes"], CALLED + 512);
        let groups = report["groups"].as_array().unwrap().iter();
        let groups = groups.map(|it| (it["group"].to_string(), it["bytes"].as_u64().unwrap()));
        groups.collect::<Vec<_>>()
    };
    assert_eq!(
        groups("caller"),
        [("\"step (训练.py:41)\"".into(), CALLED + 512)]
    );
    assert_eq!(
        groups("op"),
        [("\"linear\"".into(), CALLED), ("\"step\"".into(), 512)]
    );
    // As flame graphs are drawn from, without what runs below Python.
    let text = |args: &[&str]| String::from_utf8(run(args).stdout).unwrap();
    let stacks = text(&[&of_end[..], &["stack"]].concat());
    let step = "step (训练.py:41)";
    let linear = format!("{step};linear (functional.py:2317) {CALLED}\n");
    assert_eq!(stacks, format!("{step} 512\n{linear}"));
    let whole = text(&[&of_end[..], &["stack", "--runtime"]].concat());
    assert!(
        whole.contains(";c10::cuda::malloc(unsigned long) "),
        "{whole}"
    );
    assert!(text(&["held", &snapshot]).contains("by caller"));
    // Half-open: what begins at step 3 does not count.
    let between = text(&["held", &snapshot, "--at", "1..3"]);
    let says = "held at step 3, of what began from step 1 on and before step 3";
    assert!(between.contains(says), "{between}");
    assert!(failure(&["held", &snapshot, "--at", "5..x"], 2).contains("two steps"));
    assert!(failure(&["held", &snapshot, "--by", "size"], 2).contains("phase"));
    let report = json(&["bounds", &snapshot, "--format", "json"]);
    assert_eq!(report["bounds"]["unrounded"], 1100 + (3 << 20));
}

/// By hand of `snapshot.py`: where most is reserved a segment of 2 MiB has blocks of 512 and 1,024
/// bytes, and one of 20 MiB in a private pool a block of 3 MiB. Before, at step 2, the second is
/// not there, and of the first only 512 bytes are in use.
#[test]
fn segments_are_listed_as_they_are_at_a_step() {
    let snapshot = sample("torch/protocol4.pickle");
    let text = |args: &[&str]| String::from_utf8(run(args).stdout).unwrap();
    let of = ["segments", &snapshot, "--format"];
    let csv = text(&[&of[..], &["csv"]].concat());
    assert_eq!(
        csv,
        "address,size,stream,pool,kind,used,free,largest_free,blocks\n\
         0x7f0000000000,2097152,0,0 0,small,1536,2095616,2095616,2\n\
         0x7f0020000000,20971520,0,1 0,large,3145728,17825792,17825792,1\n"
    );
    let before = json(&[&of[..], &["json", "--step", "2"]].concat());
    assert_eq!(
        (&before["step"], &before["reserved"]),
        (&2.into(), &2_097_152.into())
    );
    let [row] = &before["segments"].as_array().unwrap()[..] else {
        panic!("{before}")
    };
    assert_eq!((&row["used"], &row["blocks"]), (&512.into(), &1.into()));
    let table = text(&["segments", &snapshot]);
    assert!(
        table.contains("large, stream 0, pool (1, 0): 3145728 in 1 block"),
        "{table}"
    );
    assert!(failure(&["segments", &snapshot, "--step", "9"], 2).contains("the last step is 8"));
    let problem = file("one_space.csv", BEFORE);
    assert!(failure(&["segments", &problem], 1).contains("no segments"));
}

/// Written for other viewers, to a file and to standard output: the snapshot opens again with the
/// same figures.
#[test]
fn a_snapshot_is_exported_for_other_viewers() {
    let snapshot = sample("torch/protocol4.pickle");
    let out = file("written.pickle", b"");
    let export = ["export", &snapshot, "--strategy", "deployed", "--as"];
    let written = run(&[&export[..], &["memory-viz", "--out", &out]].concat());
    assert!(written.status.success() && written.stdout.is_empty());
    assert_eq!(
        std::fs::read(&out).unwrap(),
        run(&[&export[..], &["memory-viz"]].concat()).stdout
    );
    let waste = |file: &str| {
        let mut found = json(&["waste", file, "--format", "json"]);
        found["file"] = "".into();
        found
    };
    assert_eq!(waste(&out), waste(&snapshot));
    let trace = json(&[&export[..], &["perfetto"]].concat());
    let events = trace["traceEvents"].as_array().unwrap();
    assert!(events.iter().any(|it| it["ph"] == "C"));
}

/// Two blocks of 4 MiB share 2 of the 20 MiB that are reserved, and reach 6: every command says what
/// was reserved, and the rule that is broken.
#[test]
fn a_snapshot_that_contradicts_itself_has_one_figure() {
    let snapshot = sample("torch/overlap.pickle");
    let (reserved, reach) = (20_u64 << 20, 6_u64 << 20);
    let report = |command: &str| {
        let output = run(&[command, &snapshot, "--format", "json"]);
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()
    };
    let split = report("waste");
    assert_eq!(
        (&split["arena"], &split["reach"]),
        (&reserved.into(), &reach.into())
    );
    assert!(
        split["violations"][0]
            .as_str()
            .unwrap()
            .contains("share bytes"),
        "{split}"
    );
    assert_eq!(report("check")["reserved"], reserved);
    assert_eq!(report("overview")["cases"][0]["arenas"]["bytes"], reserved);
    assert_eq!(report("advise")["taken"], reserved);
    for command in ["waste", "check"] {
        let table = String::from_utf8(run(&[command, &snapshot]).stdout).unwrap();
        assert!(
            table.contains("20971520") && table.contains("share bytes"),
            "{table}"
        );
    }
    // What is added between a step and itself is nothing, of which there are no shares.
    let snapshot = sample("torch/protocol4.pickle");
    let none = String::from_utf8(run(&["held", &snapshot, "--at", "4..4"]).stdout).unwrap();
    assert!(
        none.contains("held at step 4") && !none.contains('%'),
        "{none}"
    );
}

/// Of `limited.py`: the limit that refused 2 GiB beside 8 GiB is at least 8 GiB and less than 10 GiB.
/// Under 8 GiB the pages of an expandable segment refuse the first request, for 8 GiB in pages of
/// 20 MiB are 410 pages, which are 8,200 MiB: then less is taken, and nothing is gained.
#[test]
fn a_change_that_refuses_another_request_saves_nothing() {
    let text = run(&["advise", &sample("torch/limited.pickle")]).stdout;
    let text = String::from_utf8(text).unwrap();
    let limit = "8589934592 bytes (the lowest possible: the limit is less than 10737418240)";
    assert!(text.contains(limit), "{text}");
    assert!(!text.contains("expandable_segments"), "{text}");
    // 8 GiB and 2 are enough; the limit may be more than the lowest possible.
    let enough = "with 10737418240 bytes one of the settings would, at most 2147483648 more";
    assert!(text.contains(enough), "{text}");
    assert!(!text.contains("not used"), "{text}");
    assert!(!text.contains("requests still fail"), "{text}");
}

/// The same bytes of a snapshot, but its last 11 GiB, those that were refused, are 6: they fit into
/// the 10.5 GiB that are free, and are more than the 5 GiB that the device had left. So the device
/// has what was reserved and free, 16 GiB.
#[test]
fn a_replay_that_meets_the_request_that_failed_says_so() {
    let mut bytes = std::fs::read(sample("torch/split_segment.pickle")).unwrap();
    // An integer of five bytes, as pickles have it.
    let pickled = |number: u64| [&[0x8a, 5], &number.to_le_bytes()[..5]].concat();
    let (asked, less) = (pickled(11 << 30), pickled(6 << 30));
    let at = bytes.windows(7).rposition(|it| it == asked).unwrap();
    bytes[at..at + 7].copy_from_slice(&less);
    let text = run(&["advise", &file("fits.pickle", &bytes)]).stdout;
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains("the replay is not the process"), "{text}");
    let capacity = "capacity taken as 17179869184 bytes (by the request that failed)";
    assert!(text.contains(capacity), "{text}");
}

/// 11 GiB beside the 11 GiB in which 30 blocks of 16 MiB lie, on 24 GiB: 22 GiB, more than the
/// process had, and the capacity that was given is why.
#[test]
fn a_capacity_that_is_given_is_named_as_the_reason() {
    let snapshot = sample("torch/split_segment.pickle");
    let text = run(&["advise", "--capacity", "24GiB", &snapshot]).stdout;
    let text = String::from_utf8(text).unwrap();
    let reason = "it is 23622320128: under the capacity that was given";
    assert!(text.contains(reason), "{text}");
}

/// Blocks are called by the line that asked for them, as the picture calls them: of `snapshot.py` the 3 MiB
/// that are live at the peak are of line 41. An allocator knows no tensors, and advice speaks of none.
#[test]
fn blocks_are_called_by_their_lines() {
    let said = |args: &[&str]| String::from_utf8(run(args).stdout).unwrap();
    let snapshot = sample("torch/protocol4.pickle");
    for command in ["waste", "bounds"] {
        let table = said(&[command, &snapshot]);
        assert!(table.contains("step (训练.py:41)"), "{command}: {table}");
    }
    let report = json(&["bounds", &snapshot, "--format", "json"]);
    let witness = report["witness"].as_array().unwrap();
    let lines = witness.iter().map(|it| it["label"].as_str().unwrap());
    assert!(
        lines.clone().any(|it| it.contains("训练.py:41")),
        "{witness:?}"
    );
    let mut blocks = 0;
    for path in ["torch/protocol4.pickle", "torch/split_segment.pickle"] {
        for format in ["csv", "table"] {
            let text = said(&["advise", &sample(path), "--format", format]);
            assert!(!text.contains("tensor"), "{text}");
            blocks += text.matches(" block").count();
        }
    }
    assert!(blocks > 0);
}

/// The CPU's "Total Reserved" is 0 at each event: the system's addresses are no plan to be judged,
/// but what is live is planned like any lifetimes.
#[test]
fn a_trace_of_the_cpu_has_no_deployed_plan() {
    let trace = sample("torch/profiler_trace.json");
    let found = json(&["plan", &trace, "--format", "json"]);
    let plans = found["plans"].as_array().expect("plans").iter();
    let strategies: Vec<_> = plans
        .map(|plan| plan["strategy"].as_str().unwrap())
        .collect();
    assert!(strategies.contains(&"naive") && !strategies.contains(&"deployed"));
    for command in ["plan", "bounds"] {
        let table = String::from_utf8(run(&[command, &trace]).stdout).unwrap();
        assert!(table.contains("blocks\nlower bound: "), "{table}");
        for word in ["operator", "shared object", "alignment"] {
            assert!(!table.contains(word), "{word}: {table}");
        }
    }
    for command in ["waste", "check"] {
        assert!(
            failure(&[command, &trace], 1).contains("no plan"),
            "{command}"
        );
    }
}
