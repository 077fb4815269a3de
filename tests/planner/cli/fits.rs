//! `arenascope fits`: the cheapest way to make a training step fit, as exit status and as JSON.

use serde_json::Value;

use super::{failure, file, json, keys, output, run, texts};

/// Products of 48 × 24, 48 × 48 and 40 × 48 with their biases.
const MODEL: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../tests/data/training/autograd/mlp.graph"
);
const LAYERS: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../tests/data/training/cm_linear8.json"
);

/// Runs and reads JSON, whatever the exit code is, which comes with it.
fn answered(args: &[&str]) -> (Value, Option<i32>) {
    let output = run(&[&["fits"][..], args, &["--format", "json"]].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    (serde_json::from_str(&text).unwrap(), output.status.code())
}

#[test]
fn what_fits_is_left_as_it_is() {
    let report = json(&[
        "fits", MODEL, "--device", "a100-80", "--batch", "64", "--format", "json",
    ]);
    assert_eq!(
        keys(&report),
        [
            "answer", "cases", "cheaper", "file", "fits", "front", "searched"
        ]
    );
    assert_eq!(report["fits"], true);
    let answer = &report["answer"];
    assert_eq!(answer["changes"], "");
    assert_eq!(answer["allocator"], "caching allocator, default");
    assert_eq!(report["searched"]["plans"], 1);
    // All of it is small: segments of 2 MiB.
    assert_eq!(answer["reserved"].as_u64().unwrap() % (2 << 20), 0);
    let (table, _) = output(&["fits", MODEL, "--device", "a100-80", "--batch", "64"]);
    assert!(table.contains("fits as it is"), "{table}");
}

#[test]
fn what_does_not_fit_has_exit_code_1() {
    let (report, code) = answered(&[MODEL, "--device", "10KiB", "--batch", "64"]);
    assert_eq!((&report["fits"], code), (&Value::Bool(false), Some(1)));
    let answer = &report["answer"];
    let (reserved, missing) = (&answer["reserved"], &answer["missing"]);
    let lacks = reserved.as_u64().unwrap() - (10 << 10);
    assert_eq!(missing.as_u64(), Some(lacks));
    let output = run(&["fits", MODEL, "--device", "10KiB", "--batch", "64"]);
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(table.contains("does not fit"), "{table}");
}

/// Every row of the CSV has as many cells as its head, whatever commas are in them.
#[test]
fn rows_of_cases_are_csv() {
    let (text, _) = output(&[
        "fits", MODEL, "--device", "a100-80", "--batch", "64", "--format", "csv",
    ]);
    let rows: Vec<usize> = text.lines().map(|row| row.split("\",\"").count()).collect();
    assert!(
        rows.len() > 1 && rows.iter().all(|cells| *cells == 9),
        "{text}"
    );
}

/// With 4,096 samples values are what counts: less memory than they take has something changed, and
/// what is cheaper is named with what it lacks.
/// Samples that devices cannot share evenly are said so, with what to do.
#[test]
fn what_cannot_be_shared_says_why() {
    let output = run(&[
        "fits",
        MODEL,
        "--device",
        "a100-80",
        "--devices",
        "7",
        "--batch",
        "64",
    ]);
    assert_eq!(output.status.code(), Some(1));
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(
        table.contains("64 samples cannot be shared evenly among 7 devices"),
        "{table}"
    );
}

#[test]
fn the_cheapest_change_is_named() {
    let device = |bytes: u64| {
        let device = bytes.to_string();
        answered(&[
            MODEL,
            "--device",
            &device,
            "--batch",
            "4096",
            "--precision",
            "full",
        ])
    };
    let (whole, _) = device(1 << 40);
    let most = whole["answer"]["reserved"].as_u64().unwrap();
    let (report, code) = device(most / 4 * 3);
    assert_eq!(code, Some(0));
    let answer = &report["answer"];
    assert!(answer["reserved"].as_u64().unwrap() < most);
    assert_ne!(answer["changes"], "");
    assert_eq!(answer["missing"], 0);
    let time = |case: &Value| case["time"].as_u64().unwrap();
    assert!(time(answer) >= time(&whole["answer"]));
    for case in report["cheaper"].as_array().unwrap() {
        assert!(time(case) <= time(answer) && case["missing"].as_u64().unwrap() > 0);
    }
    // Settings alone: nothing else is changed.
    let less = (most / 4 * 3).to_string();
    let only = [
        "--device",
        &less,
        "--batch",
        "4096",
        "--precision",
        "full",
        "--change",
        "settings",
    ];
    let (report, _) = answered(&[&[MODEL][..], &only].concat());
    for case in report["cases"].as_array().unwrap() {
        assert!(["", "settings"].contains(&case["changes"].as_str().unwrap()));
    }
    assert_eq!(
        texts(&report["cases"], "training").len(),
        report["cases"].as_array().unwrap().len()
    );
}

#[test]
fn layers_have_their_own_rule_and_one_device() {
    let (report, code) = answered(&[LAYERS, "--device", "1GiB"]);
    assert_eq!(code, Some(0));
    let training = report["answer"]["training"].as_str().unwrap();
    assert!(!training.contains("autograd"), "{training}");
    let line = failure(&["fits", LAYERS, "--device", "a100", "--devices", "8"], 2);
    assert!(line.contains("autograd"), "{line}");
}

#[test]
fn wrong_questions_are_refused() {
    let line = failure(&["fits", MODEL, "--device", "rtx"], 2);
    assert!(line.contains("RTX 3090"), "{line}");
    let line = failure(&["fits", MODEL, "--device", "1GiB", "--devices", "2"], 2);
    assert!(line.contains("by name"), "{line}");
    let line = failure(&["fits", MODEL, "--device", "a100", "--change", "hope"], 2);
    assert!(line.contains("recompute"), "{line}");
    let log = file(
        "fits.log",
        b"{\"INSTRUCTION\": \"MEMORY\", \"NAME\": \"x1\", \"MEMORY\": \"4\"}\n",
    );
    failure(&["fits", &log, "--device", "a100"], 2);
    // What cannot be opened is no answer.
    failure(&["fits", "nowhere.onnx", "--device", "a100"], 2);
}

/// A transformer on eight devices: every case has eight of them.
#[test]
fn a_described_transformer_is_divided() {
    let (text, _) = output(&[
        "transformer",
        "--preset",
        "gpt2",
        "--context",
        "128",
        "--format",
        "description",
    ]);
    let described = file("fits_gpt2.transformer.json", text.as_bytes());
    let (report, code) = answered(&[
        &described,
        "--device",
        "a100-80",
        "--devices",
        "8",
        "--batch",
        "64",
    ]);
    assert_eq!(code, Some(0));
    let training = report["answer"]["training"].as_str().unwrap();
    assert!(training.contains("dp=8"), "{training}");
    assert!(report["answer"]["seconds"].as_f64().unwrap() > 0.0);
}

/// The largest batch fits, and one more does not; both are multiples of the devices.
#[test]
fn the_largest_batch_is_found() {
    let asked = |more: &[&str]| {
        let own = [
            MODEL,
            "--device",
            "64MiB",
            "--precision",
            "full",
            "--change",
            "settings",
        ];
        answered(&[&own[..], more].concat())
    };
    let (report, code) = asked(&["--max", "batch"]);
    assert_eq!(code, Some(0));
    assert_eq!(report["max"]["of"], "batch");
    let largest = report["max"]["largest"].as_u64().unwrap();
    // 44 KiB of values and gradients of a sample, at least 8 of them to an eighth of the memory.
    assert!((256..8_192).contains(&largest), "{largest}");
    let fits = |batch: u64| asked(&["--batch", &batch.to_string()]).1;
    assert_eq!((fits(largest), fits(largest + 1)), (Some(0), Some(1)));
}

#[test]
fn the_longest_sequence_and_the_deepest_model_are_found() {
    let (text, _) = output(&[
        "transformer",
        "--preset",
        "gpt2",
        "--context",
        "64",
        "--format",
        "description",
    ]);
    let described = file("fits_max.transformer.json", text.as_bytes());
    let asked = |more: &[&str]| {
        let own = [&described, "--device", "4GiB", "--change", "set_to_none"];
        answered(&[&own[..], more].concat())
    };
    let (report, _) = asked(&["--max", "context"]);
    let tokens = report["max"]["largest"].as_u64().unwrap();
    // Places are learned for as many.
    assert!((64..=1_024).contains(&tokens), "{tokens}");
    let limit = report["max"]["limit"].as_str();
    assert_eq!(
        limit,
        (tokens == 1_024).then_some("the model cannot be larger")
    );
    let (report, _) = asked(&["--max", "layers"]);
    let layers = report["max"]["largest"].as_u64().unwrap();
    assert!(layers > 12, "{layers}");
    let line = failure(&["fits", MODEL, "--device", "1GiB", "--max", "layers"], 2);
    assert!(line.contains("description"), "{line}");
    let nothing = [MODEL, "--device", "4KiB", "--max", "batch"];
    let (report, code) = answered(&nothing);
    assert_eq!(
        (&report["max"]["largest"], code),
        (&Value::from(0), Some(1))
    );
    let output = run(&[&["fits"][..], &nothing].concat());
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(table.contains("nothing fits"), "{table}");
}
