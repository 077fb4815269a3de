//! Models of files, as exporters write them: their products are divided like generated ones.

use planner::graph::Role;
use planner::load::{Document, load};
use planner::operators::Operator;
use planner::training::judge::judge;
use planner::training::policies::keep_all;
use planner::{Settings, prepare};
use tests::shared::files;

use super::consistent::faults;
use super::*;

/// The models, among how many devices they can be divided, whether their tokens, which are a power
/// of two, can, their layers, and whether they have a vocabulary and logits.
const MODELS: [(&str, &[u64], bool, usize, [bool; 2]); 7] = [
    (
        "bert_base_128.noweights.onnx",
        &[2, 3, 4],
        true,
        12,
        [true, false],
    ),
    (
        "bert_base_128.sim.noweights.onnx",
        &[2, 4],
        true,
        12,
        [true, false],
    ),
    (
        "gpt2_128.sim.noweights.onnx",
        &[2, 3, 4],
        true,
        12,
        [true, true],
    ),
    ("vit_b_16.noweights.onnx", &[2, 4], false, 12, [false, true]),
    (
        "vit_b_16.sim.noweights.onnx",
        &[2, 4],
        false,
        12,
        [false, true],
    ),
    (
        "llama_like_4L_T256.noweights.onnx",
        &[2, 4],
        true,
        4,
        [true, true],
    ),
    (
        "llama_like_4L_T256.sim.noweights.onnx",
        &[2, 4],
        true,
        4,
        [true, true],
    ),
];

fn opened(name: &str) -> Option<Graph> {
    let (_, bytes) = files("models", name).into_iter().next()?;
    let (_, document, _) = load(&bytes).expect("a model");
    assert!(matches!(document, Document::Model(_)));
    let subject = prepare(&document, &Bindings::new(), &Settings::default()).expect("sizes");
    Some(stage::operators(subject.program?))
}

/// The sizes of each product's weights of two dimensions, and what it is called.
fn products(graph: &Graph) -> Vec<(String, [u64; 2])> {
    let own = graph.ops.iter().filter_map(|op| {
        let product = op.is(Operator::MatMul) || op.is(Operator::Gemm);
        let weight = op.inputs.get(1).copied().flatten().filter(|_| product)?;
        let weight = graph.tensor(weight);
        let dims = weight.dims.as_deref()?.try_into().ok()?;
        (weight.role == Role::Constant).then(|| (op.name.clone(), dims))
    });
    own.collect()
}

#[test]
fn products_of_files_are_divided() {
    for (name, degrees, sequence, layers, [vocabulary, logits]) in MODELS {
        let Some(graph) = opened(name) else { continue };
        let before = products(&graph);
        assert!(before.len() > 12, "{name}: {}", before.len());
        for &t in degrees {
            let sequence = sequence && t.is_power_of_two();
            for sequence in [false, true].into_iter().filter(|it| !it || sequence) {
                let rank = rank(&graph, tensor(t, sequence));
                let found = faults(&rank.graph);
                assert!(found.is_empty(), "{name} {t}: {found:#?}");
                for ((op, whole), (_, own)) in before.iter().zip(products(&rank.graph)) {
                    let [rows, columns] = *whole;
                    let by_rows = [rows.div_ceil(t), columns];
                    let by_columns = [rows, columns.div_ceil(t)];
                    assert!(
                        [by_rows, by_columns].contains(&own),
                        "{name} {t}: {op} {own:?}"
                    );
                    // A vocabulary alone is divided unevenly.
                    let uneven =
                        rows % t != 0 && own == by_rows || columns % t != 0 && own == by_columns;
                    assert!(!uneven || columns > 50_000, "{name} {t}: {op} {whole:?}");
                }
                // Both parts of a layer, and the ends.
                let count = |operator| rank.graph.ops.iter().filter(|op| op.is(operator)).count();
                let sums = 2 * layers + usize::from(vocabulary);
                let heads = if sequence {
                    2 * layers + usize::from(logits)
                } else {
                    0
                };
                let summed = [Operator::AllReduce, Operator::ReduceScatter].map(count);
                let expected = if sequence { [0, sums] } else { [sums, 0] };
                assert_eq!(summed, expected, "{name} {t} {sequence}");
                assert_eq!(count(Operator::AllGather), heads, "{name} {t} {sequence}");
                let step = step(&graph, recipe(tensor(t, sequence)));
                let walk = keep_all(&step.problem);
                assert_eq!(judge(&step.problem, &walk, None), Ok(()));
            }
        }
    }
}
