//! `arenascope train --estimate`: what a training step takes before it runs.

use super::{failure, json, output};

/// Products of 48 × 24, 48 × 48 and 40 × 48 with their biases.
const MODEL: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../tests/data/training/autograd/mlp.graph"
);
const LAYERS: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../tests/data/training/cm_linear8.json"
);
const SNAPSHOT: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../public/samples/torch_training.pickle"
);

/// Each weight and each bias is a block of its own: 24·48·4 = 4608, 48·4 = 192, 48·48·4 = 9216,
/// 192, 40·48·4 = 7680 and 160, rounded up to 512 each; two moments and a gradient as much again.
#[test]
fn what_a_step_takes_is_printed_by_what_it_is_for() {
    let asked = [
        "train",
        MODEL,
        "--rule",
        "autograd",
        "--optimizer",
        "adam",
        "--estimate",
    ];
    let report = json(&[&asked[..], &["--format", "json"]].concat());
    let weights = 4608 + 512 + 9216 + 512 + 7680 + 512;
    let peak = &report["peak"];
    assert_eq!(peak["weights"], weights);
    assert_eq!(peak["weight_gradients"], weights);
    assert_eq!(peak["optimizer"], 2 * weights);
    assert_eq!(
        (&peak["step"], &peak["phase"]),
        (&2.into(), &"backward".into())
    );
    // All of it is small: one segment.
    assert_eq!(report["reserved"], 2 << 20);
    assert_eq!(
        (&report["segments"], &report["total"]),
        (&1.into(), &report["reserved"])
    );
    assert_eq!(report["context"], serde_json::Value::Null);
    let points = report["points"].as_array().unwrap();
    let most = points
        .iter()
        .filter_map(|it| it["allocated"].as_u64())
        .max();
    assert_eq!(most, peak["allocated"].as_u64());
    let (table, _) = output(&asked);
    for said in [
        "workspace is not known",
        "context                        not known",
    ] {
        assert!(table.contains(said), "{table}");
    }
    let (csv, _) = output(&[&asked[..], &["--format", "csv"]].concat());
    assert!(
        csv.starts_with("event,step,phase,requested,allocated,reserved,weights,"),
        "{csv}"
    );
    assert_eq!(csv.lines().count(), points.len() + 1);
}

#[test]
fn devices_have_verdicts() {
    let on = |device: &str, more: &[&str]| {
        let asked = [
            "train",
            MODEL,
            "--estimate",
            "--format",
            "json",
            "--device",
            device,
        ];
        json(&[&asked[..], more].concat())["devices"].clone()
    };
    let all = json(&["train", MODEL, "--estimate", "--format", "json"]);
    // Eight with a host, a microcontroller, and the three chips of POET.
    assert_eq!(all["devices"].as_array().map(Vec::len), Some(12));
    assert_eq!(on("H100 SXM", &[])[0]["verdict"], "fits");
    assert_eq!(on("2MiB", &[])[0]["verdict"], "fits");
    // With the driver's own 1.5 MiB there are 2 MiB less a half.
    let small = on("3MiB", &["--context", "1536KiB"]);
    assert_eq!(small[0]["verdict"], "too_small");
    assert_eq!(small[0]["missing"], 512 << 10);
    // An arena knows no segments.
    let planned = on("1MiB", &["--planned", "offsets_by_size"]);
    assert_eq!(planned[0]["verdict"], "fits");
    let workspace = on("20MiB", &["--workspace", "2MiB"]);
    assert_eq!(workspace[0]["missing"], 2 << 20);
}

#[test]
fn what_a_snapshot_measured_stands_beside() {
    let report = json(&[
        "train",
        MODEL,
        "--estimate",
        "--measured",
        SNAPSHOT,
        "--format",
        "json",
    ]);
    let errors = report["errors"].as_array().unwrap();
    let reserved = errors.last().unwrap();
    assert_eq!(reserved["part"], "reserved");
    let [estimated, measured, error] =
        ["estimated", "measured", "error"].map(|it| reserved[it].as_i64().unwrap());
    assert_eq!(estimated, 2 << 20);
    assert_eq!(error, estimated - measured);
    let inputs = errors.iter().find(|it| it["part"] == "inputs").unwrap();
    assert_eq!(inputs["measured"], serde_json::Value::Null);
    let why = failure(&["train", MODEL, "--estimate", "--measured", MODEL], 1);
    assert!(why.contains("it measures nothing"), "{why}");
}

#[test]
fn layers_have_an_estimate_and_what_is_none_is_refused() {
    let (table, _) = output(&["train", LAYERS, "--estimate", "--steps", "1"]);
    assert!(table.contains("step 1: "), "{table}");
    for (wrong, says) in [
        (&["--steps", "1"][..], "--estimate"),
        (&["--estimate", "--steps", "0"], "0 is not in"),
        (&["--estimate", "--saved"], "cannot be used with"),
        (&["--estimate", "--allocator", "magic:1"], "not modelled"),
        (&["--estimate", "--planned", "magic"], "magic"),
        (
            &["--estimate", "--policy", "dtr", "--policy", "dtr_lru"],
            "one --policy",
        ),
    ] {
        let why = failure(&[&["train", MODEL], wrong].concat(), 2);
        assert!(why.contains(says), "{why}");
    }
    let why = failure(
        &[
            "train",
            MODEL,
            "--estimate",
            "--policy",
            "keep_all",
            "--budget",
            "1",
        ],
        1,
    );
    assert!(why.contains("alone needs"), "{why}");
}
