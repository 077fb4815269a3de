//! What has a size has a kernel, or stands in the list of those without, with its reason.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use executor::lower::WITHOUT_KERNEL;
use planner::Strategy;
use tests::onnx_builder::{DataType, OnnxBuilder};
use tests::runs::Model;

/// Kinds that code in this folder names: what stands between quotation marks and begins like one.
fn kinds(folder: &str) -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .join(folder);
    let files = fs::read_dir(folder).expect("the code is there");
    let mut found = BTreeSet::new();
    for file in files {
        let text = fs::read_to_string(file.expect("a file").path()).expect("code");
        let lines = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        for (at, word) in lines.flat_map(|line| line.split('"').enumerate()) {
            let is_name = word.chars().all(|c| c.is_ascii_alphanumeric());
            if at % 2 == 1 && is_name && word.starts_with(|c: char| c.is_ascii_uppercase()) {
                found.insert(word.to_owned());
            }
        }
    }
    found
}

#[test]
fn what_has_a_size_has_a_kernel_or_a_reason() {
    // Known before the run; planned as what they hold; and called by the names of their floats.
    let otherwise = [
        "Constant",
        "Shape",
        "Size",
        "If",
        "Loop",
        "Scan",
        "QLinearLeakyRelu",
        "QLinearSigmoid",
    ];
    let lowered = kinds("app/executor/src/lower/onnx");
    let sized = kinds("planner/src/graph/infer/onnx");
    // Computed in several steps, which are planned: in a program that is planned as it is written
    // they have no kernel, and the list says why.
    assert!(
        ["BiasSplitGelu", "DynamicQuantizeMatMul"]
            .iter()
            .all(|it| sized.contains(*it))
    );
    // There is something to compare.
    assert!(sized.len() > 150 && sized.contains("Conv") && lowered.contains("Conv"));
    let without: Vec<&str> = sized
        .iter()
        .map(String::as_str)
        .filter(|kind| !lowered.contains(*kind) && !otherwise.contains(kind))
        .collect();
    let listed: Vec<&str> = WITHOUT_KERNEL.iter().map(|it| it.0).collect();
    assert_eq!(without, listed);
    for (_, reason) in WITHOUT_KERNEL {
        tests::chinese::assert_told(reason);
    }
}

#[test]
fn a_refusal_names_what_stands_in_the_way_and_counts_what_follows() {
    let mut builder = OnnxBuilder::new("roots", 17);
    let x = builder.input("x", DataType::FLOAT, &[2.into(), 3.into()]);
    let places = builder.op("shaped", "Reshape", &[&x, &x], vec![]);
    let moved = builder.op("moved", "Transpose", &[&places], vec![]);
    let cast = builder.op("same", "Identity", &[&moved], vec![]);
    builder.output(&cast, DataType::INT64, &[]);
    let model = Model::open(&builder.finish());
    let refused = model.lowered(&model.plan(Strategy::Naive)).unwrap_err();
    let text = refused.to_string();
    tests::chinese::assert_told(&text);
    // One operator's size hangs on its input; two read what it would give.
    assert!(
        text.starts_with("1 operators cannot be run: Reshape × 1"),
        "{text}"
    );
    assert!(
        text.ends_with("; 2 more operators read what these would give"),
        "{text}"
    );
}
