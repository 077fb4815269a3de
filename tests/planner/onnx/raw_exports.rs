//! Raw exports beside what a simplifier makes of them.

use std::collections::BTreeMap;

use tests::shared;
use tests::skipped::skip;

use super::subject::prepare;

/// Raw exports and the same models simplified elsewhere: what the one has more of than the
/// other, in operators that run. The simplifier turns MatMul and Add into Reshape, Gemm and
/// Reshape, and merges Mul with Mul; beyond that, our folding finds what it finds.
#[test]
fn raw_exports_fold_to_what_the_simplifier_leaves() {
    let models = shared::models(".onnx");
    let figures = |name: &str| {
        let (_, bytes) = models.iter().find(|(other, _)| other == name)?;
        let prepared = prepare(bytes, &[]);
        let mut kinds: BTreeMap<String, i64> = BTreeMap::new();
        for op in prepared.program.operators() {
            *kinds.entry(op.kind.clone()).or_default() += 1;
        }
        Some((prepared.peak(), kinds))
    };
    for model in [
        "mobilenet_v2",
        "bert_base_128",
        "vit_b_16",
        "llama_like_4L_T256",
    ] {
        let raw = figures(&format!("{model}.noweights.onnx"));
        let simplified = figures(&format!("{model}.sim.noweights.onnx"));
        let (Some((peak, mut kinds)), Some((simplified_peak, simplified))) = (raw, simplified)
        else {
            skip(&format!("{model} is not there both raw and simplified"));
            continue;
        };
        assert_eq!(peak, simplified_peak, "{model}");
        for (kind, count) in simplified {
            *kinds.entry(kind).or_default() -= count;
        }
        kinds.retain(|kind, more| {
            *more != 0
                && !matches!(
                    &**kind,
                    "MatMul" | "Gemm" | "Add" | "Reshape" | "Unsqueeze" | "Mul"
                )
        });
        assert_eq!(kinds, BTreeMap::new(), "{model}");
    }
}
