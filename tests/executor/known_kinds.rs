//! What has a size has a kernel, or stands in the list of those without, with its reason.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use executor::lower::WITHOUT_KERNEL;
use planner::Strategy;
use planner::graph::Dialect;
use planner::operators::Operator;
use tests::onnx_builder::{DataType, OnnxBuilder};
use tests::runs::Model;

/// The operators that code in this folder names.
fn operators(folder: &str) -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .join(folder);
    let files = fs::read_dir(folder).expect("the code is there");
    let mut found = BTreeSet::new();
    for file in files {
        let text = fs::read_to_string(file.expect("a file").path()).expect("code");
        for named in text.split("Operator::").skip(1) {
            let end = named.find(|c: char| !c.is_ascii_alphanumeric());
            found.insert(named[..end.unwrap_or(named.len())].to_owned());
        }
    }
    found
}

#[test]
fn what_has_a_size_has_a_kernel_or_a_reason() {
    // Known before the run; and planned as what they hold.
    let otherwise = ["Constant", "Shape", "Size", "If", "Loop", "Scan"];
    let lowered = operators("app/executor/src/lower/onnx");
    let sized = operators("planner/src/graph/infer/onnx");
    // Computed in several steps, which are planned: in a program that is planned as it is written
    // they have no kernel, and the list says why.
    assert!(
        ["BiasSplitGelu", "DynamicQuantizeMatMul"]
            .iter()
            .all(|it| sized.contains(*it))
    );
    // There is something to compare.
    assert!(sized.len() > 150 && sized.contains("Conv") && lowered.contains("Conv"));
    let row = |kind: &str| {
        let homes = ["", "com.microsoft"].into_iter();
        let found = homes.map(|domain| Operator::of(Dialect::Onnx { opset: 0 }, domain, kind));
        let found = found.into_iter().find(|it| *it != Operator::Unknown);
        format!("{:?}", found.expect("a row"))
    };
    let without: BTreeSet<String> = sized
        .into_iter()
        .filter(|name| !lowered.contains(name) && !otherwise.contains(&&**name))
        .collect();
    let listed: BTreeSet<String> = WITHOUT_KERNEL.iter().map(|it| row(it.0)).collect();
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
