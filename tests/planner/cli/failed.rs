//! Snapshots in which a request failed, on the command line.

use super::dumps::sample;
use super::{file, json, output, run};

/// Whoever opens the plan JSON of a snapshot in which a request failed reads of it what is read of
/// the snapshot. Of a plan with other addresses it is said that the request is left out.
#[test]
fn a_failure_is_exported() {
    let snapshot = sample("torch/split_segment.pickle");
    let again = file(
        "failed.json",
        &run(&["export", &snapshot, "--as", "json"]).stdout,
    );
    for command in ["waste", "advise", "held", "segments", "bounds"] {
        let said = |path: &String| {
            let output = run(&[command, path]);
            String::from_utf8(output.stdout)
                .unwrap()
                .replace(path, "FILE")
        };
        assert_eq!(said(&again), said(&snapshot), "{command}");
    }
    let (_, warning) = output(&["export", &snapshot, "--as", "json", "--strategy", "best"]);
    assert!(
        warning.contains("1 request that failed is left out"),
        "{warning}"
    );
    let (_, warning) = output(&["export", &snapshot, "--as", "csv"]);
    assert!(
        warning.contains("1 request that failed is left out"),
        "{warning}"
    );
}

/// A file with a failure begins with it, whatever is asked: 11 GiB at the 35th event, with 480 MiB of
/// 16 GiB in use.
#[test]
fn a_failure_comes_first() {
    const ASKED: u64 = 11 << 30;
    let snapshot = sample("torch/split_segment.pickle");
    let says = format!("out of memory at step 35: {ASKED} asked for in scores (train.py:20), ");
    // The file has no size of the device: what is reserved there and what was free are 16 GiB.
    let can_have = format!(
        "together the program can have {} (what others hold of the device is not in the file)",
        16_u64 << 30
    );
    for command in ["plan", "bounds", "waste", "held", "segments", "advise"] {
        let text = String::from_utf8(run(&[command, &snapshot]).stdout).unwrap();
        assert!(text.contains(&says), "{command}: {text}");
        assert!(text.contains(&can_have), "{command}: {text}");
        let found = json(&[command, &snapshot, "--format", "json"]);
        let failure = &found["failure"];
        let figures = (&failure["asked"], &failure["capacity"], &failure["live"]);
        let expected = (
            &ASKED.into(),
            &(16_u64 << 30).into(),
            &(480_u64 << 20).into(),
        );
        assert_eq!(figures, expected, "{command}");
        assert_eq!(failure["why"], "pieces", "{command}");
    }
    // The 30 blocks that were placed need no less; the request that failed is none of them.
    let plan = ["plan", &snapshot, "--strategy", "best"];
    let table = String::from_utf8(run(&plan).stdout).unwrap();
    assert!(
        table.contains("the request that failed is none of them"),
        "{table}"
    );
    let held = json(&["held", &snapshot, "--format", "json"]);
    assert_eq!(held["bytes"], 480_u64 << 20);
    let segments = json(&["segments", &snapshot, "--format", "json"]);
    assert_eq!(segments["step"], 35);
    let advice = String::from_utf8(run(&["advise", &snapshot]).stdout).unwrap();
    assert!(advice.contains("every request fits: configure"), "{advice}");
    // Of 32 GiB the 31 that were met and the one that failed leave room.
    let roomy = ["advise", &snapshot, "--capacity", "32GiB"];
    let advice = String::from_utf8(run(&roomy).stdout).unwrap();
    let says = "capacity taken as 34359738368 bytes\nall 32 requests fit in it\n";
    assert!(advice.contains(says), "{advice}");
}

/// PyTorch's trace has addresses only; ours says what each block is called beside them, so that the names
/// of an HLO are there again when it is opened.
#[test]
fn a_trace_for_perfetto_keeps_the_names() {
    let names = |path: &str| {
        let report = json(&[
            "plan",
            path,
            "--strategy",
            "naive",
            "--offsets",
            "--format",
            "json",
        ]);
        let tensors = report["tensors"]
            .as_array()
            .or(report["plans"][0]["tensors"].as_array());
        let names = tensors.unwrap().iter().map(|it| it["name"].to_string());
        names.collect::<std::collections::BTreeSet<_>>()
    };
    let hlo = sample("xla/scanned.hlo.pb");
    let output = run(&["export", &hlo, "--as", "perfetto"]);
    let again = names(&file("named.json", &output.stdout));
    let own = names(&hlo);
    // What shares bytes at one time is left out, with a warning.
    assert!(again.len() > own.len() / 2, "{again:?} of {own:?}");
    assert!(again.is_subset(&own), "{again:?} of {own:?}");
}

/// Perfetto marks the request that failed where it did, with what is said of it elsewhere.
#[test]
fn a_failure_is_marked_in_a_trace_for_perfetto() {
    let snapshot = sample("torch/split_segment.pickle");
    let trace = json(&["export", &snapshot, "--as", "perfetto"]);
    let events = trace["traceEvents"].as_array().unwrap();
    let marks: Vec<_> = events
        .iter()
        .filter(|it| it["cat"] == "out of memory")
        .collect();
    let [mark] = marks[..] else {
        panic!("{marks:?}")
    };
    let name = "out of memory: 11811160064 bytes asked for, 5368709120 free on the device";
    assert_eq!((&mark["name"], &mark["ph"]), (&name.into(), &"i".into()));
    let steps = events.iter().filter(|it| it["cat"] == "step");
    let step = steps.max_by_key(|it| it["args"]["step"].as_u64()).unwrap();
    assert_eq!(
        (&mark["ts"], &mark["args"]["step"]),
        (&step["ts"], &35.into())
    );
    // Of 16 GiB 11 are reserved, and 480 MiB of them in use, in one piece.
    let args = &mark["args"];
    assert_eq!(args["capacity"], 16_u64 << 30);
    assert_eq!(args["in use"], 480_u64 << 20);
    assert_eq!(args["largest free block"], (11_u64 << 30) - (480 << 20));
    let other = [
        "export",
        &snapshot,
        "--strategy",
        "best",
        "--as",
        "perfetto",
    ];
    assert!(
        !json(&other)
            .to_string()
            .contains("\"cat\":\"out of memory\"")
    );
}
