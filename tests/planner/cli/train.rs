//! `arenascope train`: a training step under a budget.

use super::{failure, file, json, output};

const LAYERS: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../tests/data/training/cm_linear8.json"
);

/// The optimum is a MILP solver's (the file's own `ilp` rows).
#[test]
fn policies_are_printed_with_what_they_need() {
    let report = json(&[
        "train", LAYERS, "--budget", "8", "--policy", "exact", "--policy", "keep_all", "--format",
        "json",
    ]);
    assert_eq!(report["rule"], "checkmate");
    assert_eq!((&report["batch"], &report["fixed"]), (&1.into(), &0.into()));
    assert_eq!(report["minimum"], 6);
    let exact = &report["policies"][0];
    assert_eq!((&exact["peak"], &exact["compute"]), (&8.into(), &29.into()));
    assert_eq!(
        (&exact["optimal"], &exact["lower_bound"]),
        (&true.into(), &29.into())
    );
    let all = &report["policies"][1];
    assert_eq!(
        (&all["feasible"], &all["peak"]),
        (&false.into(), &serde_json::Value::Null)
    );
    assert_eq!(all["why"], "its smallest schedule needs 13 bytes");
}

/// What PyTorch has saved of it: `tests/data/training/autograd/measured.json`.
#[test]
fn autograds_rule_lists_what_is_saved() {
    let model = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../tests/data/training/autograd/mlp.graph"
    );
    let listed = json(&[
        "train", model, "--rule", "autograd", "--saved", "--format", "json",
    ]);
    let rows = listed["saved"].as_array().expect("rows");
    let own = rows.iter().filter(|row| row["input"] == false);
    let bytes: Vec<u64> = own.filter_map(|row| row["bytes"].as_u64()).collect();
    assert_eq!(bytes, [6_144, 6_144, 6_144, 5_120]);
    let (table, _) = output(&["train", model, "--rule", "autograd", "--saved"]);
    let all = rows
        .iter()
        .filter_map(|row| row["bytes"].as_u64())
        .sum::<u64>();
    assert!(table.contains(&format!("{all:>14}  in all")), "{table}");
    // The squared error of nn.Linear(20, 6) on 9 rows reads its result, which nothing else does.
    let gelu = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../tests/data/training/modules/gelu.script.onnx"
    );
    let (table, _) = output(&["train", gelu, "--rule", "autograd", "--saved"]);
    let of_loss = 9 * 6 * 4;
    assert!(table.contains("the loss\n"), "{table}");
    assert!(
        table.contains(&format!("and {of_loss} that the loss")),
        "{table}"
    );
    let report = json(&[
        "train",
        model,
        "--rule",
        "autograd",
        "--optimizer",
        "adam",
        "--policy",
        "rotor",
        "--format",
        "json",
    ]);
    assert_eq!(report["rule"], "autograd");
    // 5,512 parameters, 4 bytes each and two moments of 4.
    assert_eq!(report["fixed_by"]["optimizer"], 5_512 * 8);
    assert_eq!(report["policies"][0]["overhead"], 1.0);
    let why = failure(&["train", LAYERS, "--rule", "autograd"], 1);
    assert!(
        why.contains("layers do not say what autograd saves"),
        "{why}"
    );
    let why = failure(&["train", model, "--saved"], 2);
    assert!(why.contains("--saved needs --rule autograd"), "{why}");
    // The same step as a plan.
    let planned = |step: &str| output(&["plan", model, "--train", step]).0;
    assert_ne!(planned("keep_all,8"), planned("keep_all,8,,autograd"));
    // A budget has units as everywhere.
    let bounds = |step: &str| output(&["bounds", model, "--train", step]).0;
    assert_eq!(bounds("dtr_eq,8,1GiB"), bounds("dtr_eq,8,1073741824"));
    for args in [
        ["train", model, "--gist", "sparse+zeros=measured"],
        ["plan", model, "--train", "keep_all,8,,zeros=measured"],
    ] {
        let why = failure(&args, 2);
        assert!(why.contains("the command line runs no model"), "{why}");
    }
    let why = failure(&["plan", model, "--train", "keep_all,8,,sgd"], 2);
    assert!(why.contains("POLICY,BATCH,BUDGET,RECIPE"), "{why}");
}

#[test]
fn below_the_minimum_the_node_is_named() {
    let (table, _) = output(&["train", LAYERS, "--budget", "5", "--policy", "dtr"]);
    assert!(table.contains("l7.grad alone needs 6 bytes"), "{table}");
}

#[test]
fn what_is_no_training_step_is_refused() {
    let broken = file(
        "broken_layers.json",
        b"{\"layers\": [[\"a\", [3], 1, 1, 0]]}",
    );
    let why = failure(&["train", &broken], 1);
    assert!(
        why.contains("\"a\" reads what is not computed before it"),
        "{why}"
    );
    let log = file(
        "broken.log",
        b"{\"INSTRUCTION\":\"CALL\",\"NAME\":\"f\",\"ARGS\":[\"x\"],\"RESULT\":[],\"TIME\":\"1\"}\n",
    );
    let why = failure(&["train", &log], 1);
    assert!(why.contains("line 1: there is no tensor \"x\""), "{why}");
    let why = failure(&["train", LAYERS, "--policy", "magic"], 2);
    assert!(why.contains("no policy is called magic"), "{why}");
}

#[test]
fn a_model_is_a_training_step() {
    const ARTICLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/article.graph");
    let report = json(&[
        "train", ARTICLE, "--policy", "keep_all", "--batch", "4", "--format", "json",
    ]);
    assert_eq!(report["batch"], 4);
    assert_eq!(report["policies"][0]["overhead"], 1.0);
}

const MODEL: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../public/samples/densenet.onnx"
);

/// Addresses need at least as much as the sum of what lives at once, which the policy has kept
/// below the budget, up to the alignment.
#[test]
fn a_training_step_is_planned_like_any_program() {
    let report = json(&[
        "train", MODEL, "--batch", "4", "--policy", "dtr_eq", "--format", "json",
    ]);
    let least = report["minimum"].as_u64().unwrap();
    let free = report["policies"][0]["peak"].as_u64().unwrap();
    let budget = least.midpoint(free);
    let chosen = format!("dtr_eq,4,{budget}");
    let bound = |train: &str| {
        let report = json(&[
            "bounds", MODEL, "--train", train, "--align", "1", "--format", "json",
        ]);
        report["list"][0]["bytes"].as_u64().unwrap()
    };
    let (tight, all) = (bound(&chosen), bound("keep_all,4"));
    assert!(tight <= budget && budget < all, "{tight} {budget} {all}");
}

/// Nothing is below the bound, which is what is there at once here; rounded up to 256 bytes.
#[test]
fn what_a_schedule_needs_in_addresses_is_printed() {
    let placed = [
        "train",
        LAYERS,
        "--budget",
        "8",
        "--policy",
        "dtr",
        "--placements",
    ];
    let report = json(&[&placed[..], &["--format", "json"]].concat());
    assert_eq!(
        (&report["policy"], &report["budget"]),
        (&"dtr".into(), &8.into())
    );
    let rows = report["placements"].as_array().unwrap();
    assert_eq!(
        (&rows[0]["strategy"], &rows[0]["bytes"]),
        (&"bound".into(), &report["peak"])
    );
    assert_eq!(rows.len(), 6);
    for row in &rows[1..] {
        let bytes = row["bytes"].as_u64().unwrap();
        assert!(
            bytes >= report["peak"].as_u64().unwrap() && bytes % 256 == 0,
            "{row}"
        );
    }
    let (table, _) = output(&placed);
    assert!(table.contains("\npytorch_caching"), "{table}");
    let (csv, _) = output(&[&placed[..], &["--format", "csv"]].concat());
    assert!(
        csv.starts_with("strategy,bytes,above_bound,why\nbound,8,1.0,null\n"),
        "{csv}"
    );
    let why = failure(&["train", LAYERS, "--placements"], 2);
    assert!(why.contains("choose one --policy"), "{why}");
    let why = failure(
        &[
            &placed[..2],
            &["--budget", "5", "--policy", "dtr", "--placements"],
        ]
        .concat(),
        1,
    );
    assert!(
        why.contains("dtr: l7.grad alone needs 6 bytes (choose a budget of at least that)"),
        "{why}"
    );
    let log = file(
        "placed.log",
        b"{\"INSTRUCTION\":\"CALL\",\"NAME\":\"f\",\"ARGS\":[],\"RESULT\":[\"x\"],\"TIME\":\"1\"}\n\
          {\"INSTRUCTION\":\"MEMORY\",\"NAME\":\"x\",\"MEMORY\":\"1000\"}\n\
          {\"INSTRUCTION\":\"ALIAS\",\"NAME\":\"x\",\"ALIAS\":\"-1\"}\n",
    );
    let report = json(&[
        "train",
        &log,
        "--policy",
        "dtr",
        "--placements",
        "--format",
        "json",
    ]);
    assert_eq!(report["placements"][2]["bytes"], 1024);
}

#[test]
fn decisions_are_printed_or_written() {
    let decided = [
        "train",
        LAYERS,
        "--budget",
        "8",
        "--policy",
        "dtr",
        "--decisions",
    ];
    let report = json(&[&decided[..], &["-"]].concat());
    let first = &report["decisions"][0];
    let chosen = usize::try_from(first["chosen"].as_u64().unwrap()).unwrap();
    let least = first["pool"][chosen]["score"].as_f64().unwrap();
    for it in first["pool"].as_array().unwrap() {
        assert!(it["score"].as_f64().unwrap() >= least, "{first}");
    }
    let out = file("decisions.json", b"");
    let (table, _) = output(&[&decided[..], &[&out]].concat());
    assert!(table.contains("\ndtr "), "{table}");
    let text = std::fs::read_to_string(&out).unwrap();
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&text).unwrap(),
        report
    );
    let why = failure(
        &["train", LAYERS, "--policy", "exact", "--decisions", "-"],
        2,
    );
    assert!(why.contains("this is for those that evict"), "{why}");
}

#[test]
fn a_sample_says_its_seed() {
    let sampled = [
        "train",
        LAYERS,
        "--budget",
        "8",
        "--policy",
        "dtr",
        "--skip-small",
        "--sample",
        "5",
    ];
    let (table, _) = output(&sampled);
    assert!(
        table.contains("; small ones stay; sampled by seed 5\n"),
        "{table}"
    );
    let report = json(&[&sampled[..], &["--format", "json"]].concat());
    assert_eq!(
        (&report["seed"], &report["skip_small"]),
        (&5.into(), &true.into())
    );
}

#[test]
fn what_cannot_be_trained_as_asked_is_refused() {
    let why = failure(&["plan", MODEL, "--train", "keep_all,1,1"], 1);
    assert!(
        why.contains("keep_all: ")
            && why.contains(" alone needs ")
            && why.contains(" bytes (choose a budget of at least that)"),
        "{why}"
    );
    let why = failure(&["plan", MODEL, "--train", "magic,1"], 2);
    assert!(why.contains("POLICY,BATCH"), "{why}");
    let table = file("no_model.csv", b"id,lower,upper,size\na,0,1,8\n");
    let why = failure(&["plan", &table, "--train", "dtr,1"], 1);
    assert!(why.contains("there is no model to train"), "{why}");
    for command in ["stages", "train"] {
        let why = failure(&[command, MODEL, "--train", "dtr,1"], 2);
        assert!(why.contains("--train"), "{why}");
    }
}

/// The figures of the device are its data sheet's: 24 GiB, 35.6 TFLOP/s.
#[test]
fn a_device_sets_the_budget_and_the_least_time() {
    let report = json(&[
        "train", MODEL, "--device", "rtx 3090", "--policy", "sqrt_n", "--format", "json",
    ]);
    let whole = |value: &serde_json::Value| value.as_u64().unwrap();
    let row = &report["policies"][0];
    assert_eq!(whole(&row["budget"]), (24 << 30) - whole(&report["fixed"]));
    let seconds = row["seconds"].as_f64().unwrap();
    let expected = 2.0 * whole(&row["compute"]) as f64 / 35.6e12;
    assert!((seconds / expected - 1.0).abs() < 1e-9, "{seconds}");
    let largest = &report["largest_batch"];
    let (all, any) = (whole(&largest["keep_all"]), whole(&largest["any"]));
    // They are the largest: this one fits, the next one does not.
    let fits = |batch: u64| {
        let batch = batch.to_string();
        let report = json(&[
            "train",
            MODEL,
            "--device",
            "25769803776",
            "--policy",
            "keep_all",
            "--batch",
            &batch,
            "--format",
            "json",
        ]);
        assert_eq!(report["policies"][0]["seconds"], serde_json::Value::Null);
        report["policies"][0]["feasible"].as_bool().unwrap()
    };
    assert!(fits(all) && !fits(all + 1) && all < any, "{largest}");
    let (table, _) = output(&["train", LAYERS, "--device", "20", "--policy", "exact"]);
    assert!(
        table.contains("the device holds batches up to 1 "),
        "{table}"
    );
    let why = failure(&["train", MODEL, "--device", "abacus"], 2);
    assert!(why.contains("no device is called abacus"), "{why}");
}

#[test]
fn advice_has_its_bytes_with_and_without() {
    let model = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../tests/data/training/autograd/activations.graph"
    );
    let of = |more: &[&str]| json(&[&["train", model, "--format", "json"], more].concat());
    let listed = of(&["--switches"]);
    let rows = listed["switches"].as_array().unwrap();
    let one = |name: &str| rows.iter().find(|row| row["switch"] == name).unwrap();
    // What is said with and without is what the steps need that are chosen so.
    let needs = |more: &[&str]| {
        let chosen = ["--rule", "autograd", "--policy", "keep_all"];
        let report = of(&[&chosen, more].concat());
        report["fixed"].as_u64().unwrap() + report["policies"][0]["peak"].as_u64().unwrap()
    };
    for (name, option) in [
        ("in_place", "--relu-in-place"),
        ("set_to_none", "--set-to-none"),
    ] {
        assert_eq!(one(name)["without"], needs(&[]), "{name}");
        assert_eq!(one(name)["with"], needs(&[option]), "{name}");
        assert_eq!(one(name)["on"], false);
    }
    assert_eq!(one("frozen")["layers"], 5);
    assert_eq!(one("mixed")["with"], needs(&["--precision", "mixed"]));
    let (table, _) = output(&["train", model, "--switches"]);
    assert!(
        table.contains("\nempty_cache         reserved_after "),
        "{table}"
    );
    let why = failure(&["train", model, "--relu-in-place"], 2);
    assert!(why.contains("needs --rule autograd"), "{why}");
    let why = failure(&["train", LAYERS, "--switches"], 1);
    assert!(
        why.contains("layers do not say what autograd saves"),
        "{why}"
    );
}
