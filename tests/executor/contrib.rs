//! Operators of transformers in the `com.microsoft` domain against ONNX Runtime
//! (`tests/data/contrib.py` makes the cases), on both machines.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use executor::elements::{self, words};
use planner::Strategy;
use planner::graph::DType;
use serde::Deserialize;
use tests::runs::{Model, gpu};
use tests::skipped::skip_unfetched;

use crate::quantised::bytes;

/// Fills the memory before a run: 1e30.
const PATTERN: u32 = 0x7149_f2ca;
/// Largest difference: as a share of the largest expected element.
const BOUND: f32 = 2e-5;

/// One operator, and what ONNX Runtime has computed.
#[derive(Deserialize)]
struct Case {
    name: String,
    model: String,
    inputs: Vec<String>,
    outputs: Vec<String>,
    types: Vec<DType>,
}

fn cases() -> Option<Vec<Case>> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(".cache/contrib/contrib.json");
    let Ok(text) = fs::read_to_string(&file) else {
        skip_unfetched(&file.display().to_string());
        return None;
    };
    Some(serde_json::from_str(&text).expect("a list of cases"))
}

impl Case {
    /// The first output that is not what was expected.
    fn difference(&self, outputs: &[Vec<u32>]) -> Option<String> {
        let expected: Vec<Vec<u32>> = self.outputs.iter().map(|it| words(&bytes(it))).collect();
        if outputs.len() != expected.len() {
            return Some(format!("{} outputs of {}", outputs.len(), expected.len()));
        }
        let pairs = outputs.iter().zip(&expected).zip(&self.types);
        pairs
            .enumerate()
            .find_map(|(number, ((found, expected), of))| {
                if !elements::is_float(*of) {
                    return (found != expected).then(|| format!("output {number} differs"));
                }
                let floats = |words: &[u32]| -> Vec<f32> {
                    words.iter().map(|&word| f32::from_bits(word)).collect()
                };
                let (found, expected) = (floats(found), floats(expected));
                let most = expected.iter().fold(1e-3_f32, |most, x| most.max(x.abs()));
                let near = |(a, b): &(&f32, &f32)| (*a - *b).abs() <= BOUND * most;
                let mut apart = found
                    .iter()
                    .zip(&expected)
                    .enumerate()
                    .filter(|(_, it)| !near(it));
                let (at, (a, b)) = apart.next()?;
                Some(format!("output {number} holds {a} for {b} at {at}"))
            })
    }
}

#[test]
fn operators_of_transformers_agree_with_onnx_runtime() {
    let Some(cases) = cases() else { return };
    let gpu = gpu();
    // By operator: how many there are, and what went wrong.
    let mut found: BTreeMap<&str, (usize, Vec<String>)> = BTreeMap::new();
    for case in &cases {
        let row = found.entry(&case.name).or_default();
        let number = row.0;
        row.0 += 1;
        let model = Model::open(&bytes(&case.model));
        let lowered = match model.lowered(&model.plan(Strategy::OffsetsBySize)) {
            Ok(lowered) => lowered,
            Err(why) => {
                row.1.push(format!("{number}: {why}"));
                continue;
            }
        };
        let inputs: Vec<Vec<u32>> = case.inputs.iter().map(|it| words(&bytes(it))).collect();
        let twins = model.on_twins(&lowered, &inputs);
        let on_gpu = gpu.as_ref().map(|gpu| {
            model
                .on_gpu(gpu, &lowered, &inputs, PATTERN)
                .expect("a run")
        });
        for (machine, outputs) in [("twins", Some(twins)), ("GPU", on_gpu)] {
            let difference = outputs.and_then(|outputs| case.difference(&outputs));
            row.1
                .extend(difference.map(|why| format!("{number} on the {machine}: {why}")));
        }
    }
    let broken: Vec<String> = found
        .iter()
        .filter(|(_, (_, wrong))| !wrong.is_empty())
        .map(|(name, (count, wrong))| format!("{name} ({count} cases): {wrong:#?}"))
        .collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}
