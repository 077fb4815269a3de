//! ONNX's own node cases of the operators with a window, on both machines.

use planner::graph::DType;
use planner::load::{Document, load};
use planner::strategies::Strategy;
use tests::node_cases::{self, NodeCase, with_constants};
use tests::runs::{Model, floats, gpu};

const OPERATORS: [&str; 6] = [
    "Conv",
    "AveragePool",
    "MaxPool",
    "GlobalAveragePool",
    "GlobalMaxPool",
    "LRN",
];

fn words(bytes: &[u8]) -> Vec<u32> {
    let (words, _) = bytes.as_chunks();
    words.iter().map(|&word| u32::from_le_bytes(word)).collect()
}

#[test]
fn node_cases_with_a_window_pass() {
    let Some(cases) = node_cases::load() else {
        return;
    };
    let gpu = gpu();
    let mut passed = 0;
    for case in cases
        .iter()
        .filter(|case| OPERATORS.contains(&case.op.as_str()))
    {
        let (_, document, _) = load(&case.model).unwrap();
        let Document::Model(graph) = document else {
            panic!("{} is no model", case.name);
        };
        let model = Model::of(&case.model, with_constants(graph, case));
        let lowered = model.lowered(&model.plan(Strategy::OffsetsBySize));
        let lowered = lowered.unwrap_or_else(|why| panic!("{}: {why}", case.name));
        let inputs: Vec<_> = case.inputs.iter().map(|x| words(&x.bytes)).collect();
        check(case, &model.on_twins(&lowered, &inputs));
        if let Some(gpu) = &gpu {
            let outputs = model.on_gpu(gpu, &lowered, &inputs, 0x7149_f2ca);
            check(case, &outputs.unwrap());
        }
        passed += 1;
    }
    assert_eq!(passed, 6 + 20 + 18 + 2 + 2 + 2, "as many as are listed");
}

fn check(case: &NodeCase, outputs: &[Vec<u32>]) {
    assert_eq!(outputs.len(), case.outputs.len(), "{}", case.name);
    for (found, expected) in outputs.iter().zip(&case.outputs) {
        let name = &case.name;
        if expected.dtype != DType::F32 {
            assert_eq!(found, &words(&expected.bytes), "{name}");
            continue;
        }
        let (found, expected) = (floats(found), expected.floats().expect("floats"));
        assert_eq!(found.len(), expected.len(), "{name}");
        for (&found, &expected) in found.iter().zip(&expected) {
            let apart = (f64::from(found) - f64::from(expected)).abs();
            // The bound of ONNX's own runner, and 1e-5 where it allows nothing near zero.
            let bound = case.atol.max(1e-5) + case.rtol * f64::from(expected.abs());
            assert!(apart <= bound, "{name}: {found}, not {expected}");
        }
    }
}
