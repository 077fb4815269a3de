//! TFLite's builtins on quantised elements, bit for bit what LiteRT's reference kernels compute
//! (`tests/data/quantised.py` makes the cases), on both machines.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use executor::elements::words;
use planner::Strategy;
use serde::Deserialize;
use tests::runs::{Model, gpu};
use tests::skipped::skip_unfetched;

/// Fills the memory before a run: 1e30.
const PATTERN: u32 = 0x7149_f2ca;

/// One operator, and what LiteRT has computed.
#[derive(Deserialize)]
struct Case {
    name: String,
    model: String,
    inputs: Vec<String>,
    outputs: Vec<String>,
}

pub(super) fn bytes(text: &str) -> Vec<u8> {
    let pairs = text.as_bytes().chunks_exact(2);
    let byte = |pair: &[u8]| {
        let pair = std::str::from_utf8(pair).expect("ASCII");
        u8::from_str_radix(pair, 16).expect("hexadecimal")
    };
    pairs.map(byte).collect()
}

fn cases() -> Option<Vec<Case>> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(".cache/quantised/quantised.json");
    let Ok(text) = fs::read_to_string(&file) else {
        skip_unfetched(&file.display().to_string());
        return None;
    };
    Some(serde_json::from_str(&text).expect("a list of cases"))
}

#[test]
fn quantised_operators_are_bit_exact() {
    let Some(cases) = cases() else { return };
    let gpu = gpu();
    // By operator: how many there are, and what went wrong.
    let mut found: BTreeMap<&str, (usize, Vec<String>)> = BTreeMap::new();
    for case in &cases {
        let row = found.entry(&case.name).or_default();
        row.0 += 1;
        let model = Model::open(&bytes(&case.model));
        let lowered = match model.lowered(&model.plan(Strategy::OffsetsBySize)) {
            Ok(lowered) => lowered,
            Err(why) => {
                row.1.push(why.to_string());
                continue;
            }
        };
        let inputs: Vec<Vec<u32>> = case.inputs.iter().map(|it| words(&bytes(it))).collect();
        let expected: Vec<Vec<u32>> = case.outputs.iter().map(|it| words(&bytes(it))).collect();
        let twins = model.on_twins(&lowered, &inputs);
        let on_gpu = gpu.as_ref().map(|gpu| {
            model
                .on_gpu(gpu, &lowered, &inputs, PATTERN)
                .expect("a run")
        });
        for (machine, outputs) in [("twins", Some(twins)), ("GPU", on_gpu)] {
            if outputs.is_some_and(|outputs| outputs != expected) {
                row.1.push(format!("differs on the {machine}"));
            }
        }
    }
    let broken: Vec<String> = found
        .iter()
        .filter(|(_, (_, wrong))| !wrong.is_empty())
        .map(|(name, (count, wrong))| format!("{name} ({count} cases): {wrong:?}"))
        .collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}
