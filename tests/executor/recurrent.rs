//! Recurrent layers of arbitrary shapes and options against ONNX Runtime and LiteRT
//! (`tests/data/recurrent.py` makes the cases), on both machines.

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
/// What elements may differ by, and how much more with their size.
const NEAR: [f32; 2] = [1e-4, 1e-3];

/// One layer, and what another engine has computed.
#[derive(Deserialize)]
struct Case {
    name: String,
    model: String,
    inputs: Vec<String>,
    outputs: Vec<String>,
}

fn bytes(text: &str) -> Vec<u8> {
    let pairs = text.as_bytes().chunks_exact(2);
    let byte = |pair: &[u8]| {
        let pair = std::str::from_utf8(pair).expect("ASCII");
        u8::from_str_radix(pair, 16).expect("hexadecimal")
    };
    pairs.map(byte).collect()
}

fn cases() -> Option<Vec<Case>> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(".cache/recurrent/recurrent.json");
    let Ok(text) = fs::read_to_string(&file) else {
        skip_unfetched(&file.display().to_string());
        return None;
    };
    Some(serde_json::from_str(&text).expect("a list of cases"))
}

/// The first element that is too far from what is expected.
fn difference(found: &[Vec<u32>], expected: &[Vec<u32>]) -> Option<String> {
    if found.len() != expected.len() {
        return Some(format!("{} outputs of {}", found.len(), expected.len()));
    }
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        if found.len() != expected.len() {
            return Some(format!("output {at} has {} elements", found.len()));
        }
        for (i, (&y, &wanted)) in found.iter().zip(expected).enumerate() {
            let (y, wanted) = (f32::from_bits(y), f32::from_bits(wanted));
            let near = (y - wanted).abs() <= NEAR[0] + NEAR[1] * wanted.abs();
            if !near && y.to_bits() != wanted.to_bits() {
                return Some(format!("output {at}[{i}] is {y} for {wanted}"));
            }
        }
    }
    None
}

#[test]
fn recurrent_layers_compute_what_others_do() {
    let Some(cases) = cases() else { return };
    let gpu = gpu();
    // By operator: how many there are, and what went wrong.
    let mut found: BTreeMap<&str, (usize, Vec<String>)> = BTreeMap::new();
    for (number, case) in cases.iter().enumerate() {
        let row = found.entry(&case.name).or_default();
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
        let expected: Vec<Vec<u32>> = case.outputs.iter().map(|it| words(&bytes(it))).collect();
        let twins = model.on_twins(&lowered, &inputs);
        let on_gpu = gpu.as_ref().map(|gpu| {
            model
                .on_gpu(gpu, &lowered, &inputs, PATTERN)
                .expect("a run")
        });
        for (machine, outputs) in [("twins", Some(twins)), ("GPU", on_gpu)] {
            let apart = outputs.and_then(|outputs| difference(&outputs, &expected));
            row.1
                .extend(apart.map(|why| format!("{number} on the {machine}: {why}")));
        }
    }
    let broken: Vec<String> = found
        .iter()
        .filter(|(_, (_, wrong))| !wrong.is_empty())
        .map(|(name, (count, wrong))| format!("{name} ({count} cases): {wrong:?}"))
        .collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}
