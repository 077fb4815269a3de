//! `arenascope transformer`: a transformer without a file.

use super::{failure, file, json, output};

/// 8,030,261,248 parameters of two bytes; 32 layers, 2 · 8 heads · 128 · 2 bytes a token, four times
/// 8,192 tokens.
const DECODE: [&str; 9] = [
    "transformer",
    "--preset",
    "llama-3-8b",
    "--mode",
    "decode",
    "--context",
    "8192",
    "--batch",
    "4",
];

#[test]
fn weights_and_cache_are_what_their_formulas_say() {
    let report = json(&[&DECODE[..], &["--format", "json"]].concat());
    let bytes = &report["bytes"];
    assert_eq!(report["parameters"], 8_030_261_248_u64);
    assert_eq!(bytes["weights"], 2 * 8_030_261_248_u64);
    assert_eq!(bytes["cache"], 32 * 2 * 8 * 128 * 2 * 4 * 8192_u64);
    // Of one token the logits of 128,256 words are given for each sequence, in 16 bits.
    assert!(bytes["inputs_and_outputs"].as_u64() > Some(4 * 128_256 * 2));
    let rows = bytes.as_object().expect("rows").values();
    let sum: u64 = rows.map(|it| it.as_u64().expect("bytes")).sum();
    assert_eq!(report["total"], sum);
    assert!(report["activations_bound"].as_u64() <= bytes["activations"].as_u64());
    let half = [&DECODE[..], &["--format", "json", "--cache", "i8"]].concat();
    assert_eq!(json(&half)["bytes"]["cache"], 2_u64 << 30);
    let (table, warnings) = output(&DECODE);
    assert_eq!(warnings, "");
    let weights = table.lines().find(|line| line.starts_with("weights"));
    assert_eq!(
        weights.and_then(|line| line.split_whitespace().last()),
        Some("16060522496")
    );
}

/// What it writes, every command reads like a model.
#[test]
fn a_description_is_planned_swept_and_trained() {
    let (text, _) = output(&[
        "transformer",
        "--preset",
        "gpt2",
        "--mode",
        "forward",
        "--context",
        "16",
        "--format",
        "description",
    ]);
    let path = file("gpt2.transformer.json", text.as_bytes());
    let planned = json(&["plan", &path, "--strategy", "best", "--format", "json"]);
    assert_eq!(planned["plans"][0]["optimal"], true);
    let args = [
        "sweep",
        &path,
        "--over",
        "sequence=16,32",
        "--format",
        "json",
    ];
    let swept = json(&args);
    let arena = |row: usize| swept["points"][row]["plans"][0]["arena"].as_u64();
    assert_eq!(arena(0), planned["plans"][0]["arena"].as_u64());
    assert!(arena(1) > arena(0));
    let (trained, _) = output(&["train", &path, "--policy", "keep_all"]);
    assert!(trained.contains("keep_all"), "{trained}");
}

#[test]
fn what_goes_wrong_is_said_in_a_line() {
    let none = failure(&["transformer"], 2);
    assert!(none.contains("give a FILE or a --preset"), "{none}");
    let large = failure(&[&DECODE[..5], &["--context", "99999999"]].concat(), 1);
    assert!(
        large.contains("tokens: 99999999 is not from 1 to 16777216"),
        "{large}"
    );
    let encoder = failure(
        &["transformer", "--preset", "bert-base", "--mode", "decode"],
        1,
    );
    assert!(
        encoder.contains("an encoder keeps no keys and values"),
        "{encoder}"
    );
    let config = file(
        "mamba.json",
        b"{\"model_type\": \"mamba\", \"hidden_size\": 8}",
    );
    let unknown = failure(&["transformer", &config], 1);
    assert!(
        unknown.contains("\"mamba\" is no architecture that is known here"),
        "{unknown}"
    );
}
