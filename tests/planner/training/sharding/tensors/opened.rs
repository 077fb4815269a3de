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

/// A model of a file.
struct Model {
    file: &'static str,
    layers: usize,
    /// Among how many devices it can be divided.
    degrees: &'static [u64],
    /// Whether its tokens, which are a power of two, can be; those of an image are 197.
    tokens: bool,
    /// Whether it looks up a vocabulary.
    vocabulary: bool,
    /// Whether it writes logits.
    logits: bool,
}

const BERT: Model = Model {
    file: "bert_base_128.noweights.onnx",
    layers: 12,
    degrees: &[2, 3, 4],
    tokens: true,
    vocabulary: true,
    logits: false,
};
const VIT: Model = Model {
    file: "vit_b_16.noweights.onnx",
    layers: 12,
    degrees: &[2, 4],
    tokens: false,
    vocabulary: false,
    logits: true,
};
const LLAMA: Model = Model {
    file: "llama_like_4L_T256.noweights.onnx",
    layers: 4,
    degrees: &[2, 4],
    logits: true,
    ..BERT
};
const MODELS: [Model; 7] = [
    BERT,
    Model {
        file: "bert_base_128.sim.noweights.onnx",
        ..BERT
    },
    Model {
        file: "gpt2_128.sim.noweights.onnx",
        logits: true,
        ..BERT
    },
    VIT,
    Model {
        file: "vit_b_16.sim.noweights.onnx",
        ..VIT
    },
    LLAMA,
    Model {
        file: "llama_like_4L_T256.sim.noweights.onnx",
        ..LLAMA
    },
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
    for model in MODELS {
        let Some(graph) = opened(model.file) else {
            continue;
        };
        let before = products(&graph);
        assert!(before.len() > 12, "{}: {}", model.file, before.len());
        for &t in model.degrees {
            look(&model, &graph, tensor(t, false));
            if model.tokens && t.is_power_of_two() {
                look(&model, &graph, tensor(t, true));
            }
        }
    }
}

fn look(model: &Model, graph: &Graph, sharding: Sharding) {
    let Model { file, layers, .. } = *model;
    let t = u64::from(sharding.tensor);
    let rank = rank(graph, sharding);
    let found = faults(&rank.graph);
    assert!(found.is_empty(), "{file} {t}: {found:#?}");
    for ((op, whole), (_, own)) in products(graph).iter().zip(products(&rank.graph)) {
        let [rows, columns] = *whole;
        let by_rows = [rows.div_ceil(t), columns];
        let by_columns = [rows, columns.div_ceil(t)];
        assert!(
            [by_rows, by_columns].contains(&own),
            "{file} {t}: {op} {own:?}"
        );
        // A vocabulary alone is divided unevenly.
        let uneven = rows % t != 0 && own == by_rows || columns % t != 0 && own == by_columns;
        assert!(!uneven || columns > 50_000, "{file} {t}: {op} {whole:?}");
    }
    // Both parts of a layer, and the ends.
    let count = |operator| rank.graph.ops.iter().filter(|op| op.is(operator)).count();
    let sums = 2 * layers + usize::from(model.vocabulary);
    let (summed, gathered) = match sharding.sequence {
        false => ([sums, 0], 0),
        true => ([0, sums], 2 * layers + usize::from(model.logits)),
    };
    let found = [Operator::AllReduce, Operator::ReduceScatter].map(count);
    assert_eq!(found, summed, "{file} {t}");
    assert_eq!(count(Operator::AllGather), gathered, "{file} {t}");
    let step = step(graph, recipe(sharding));
    let walk = keep_all(&step.problem);
    assert_eq!(judge(&step.problem, &walk, None), Ok(()));
}
