//! Modules of PyTorch through both of its exporters: weights and saved bytes against those that
//! `saved_tensors_hooks` has seen (`tests/data/training/modules`, made by `measure.py` there with
//! torch 2.15 on a CPU), or the difference by its name.

use std::path::PathBuf;

use planner::graph::Bindings;
use planner::load::load;
use planner::training::backward::Step;
use planner::training::stage;
use planner::{Settings, prepare};
use serde_json::Value;

use super::autograd::AUTOGRAD;

const MEASURED: &str = include_str!("../../data/training/modules/measured.json");

/// Where an exported file is no longer the module: bytes of weights and saved bytes more than
/// measured, and why.
const OTHERS: [(&str, i64, i64, &str); 6] = [
    (
        "encoder.dynamo",
        -384,
        0,
        "the exporter keeps the equal weights of the two normalisations once, and no bias of zeros",
    ),
    (
        "rnn.dynamo",
        288,
        -288,
        "unrolled, with the initial state of zeros as a constant, which looks like a weight",
    ),
    (
        "batch_norm.dynamo",
        -104,
        -13_416,
        "the exporter folds the normalisations into the convolutions",
    ),
    (
        "dropout.script",
        0,
        -540,
        "180 elements of the mask take a byte each, as on a GPU, and 4 on a CPU",
    ),
    ("dropout.dynamo", 0, -540, "the same"),
    (
        "activations.dynamo",
        0,
        144,
        "Softplus is exported as a choice, which keeps its 144 conditions",
    ),
];

fn step(file: &str) -> Step {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/data/training/modules");
    let path = PathBuf::from(folder).join(format!("{file}.onnx"));
    let bytes = std::fs::read(path).expect("a file");
    let (_, document, _) = load(&bytes).expect("a model");
    let subject = prepare(&document, &Bindings::new(), &Settings::default()).expect("sizes");
    stage::step(subject.graph().expect("a model"), 1, AUTOGRAD).expect("a step")
}

fn whole(value: &Value) -> i64 {
    value.as_i64().expect("bytes")
}

#[test]
fn modules_save_what_pytorch_saves_of_them() {
    let measured: Value = serde_json::from_str(MEASURED).expect("JSON");
    let modules = measured["modules"].as_object().expect("modules");
    assert!(modules.len() >= 12);
    let mut named = 0;
    for (name, module) in modules {
        let saved = module["saved"].as_array().expect("sizes");
        let expected = [
            whole(&module["weights"]),
            saved.iter().map(whole).sum::<i64>(),
        ];
        for way in ["script", "dynamo"] {
            if module["refused"][way].is_string() {
                continue;
            }
            let file = format!("{name}.{way}");
            let step = step(&file);
            assert_eq!(step.untrained, Vec::<String>::new(), "{file}");
            let own = step.saved.iter().filter(|it| !it.input);
            let own: u64 = own.map(|it| it.bytes.0).sum();
            let found = [step.fixed.weights, own].map(|it| i64::try_from(it).expect("small"));
            let other = OTHERS.iter().find(|other| other.0 == file);
            named += usize::from(other.is_some());
            let [weights, saved] = other.map_or([0, 0], |it| [it.1, it.2]);
            let expected = [expected[0] + weights, expected[1] + saved];
            assert_eq!(found, expected, "{file}");
        }
    }
    assert_eq!(named, OTHERS.len());
}

/// `nn.LSTM(16, 24)` and `nn.Linear(24, 5)` over 7 steps of 3: the weights of the layer are trained,
/// and its gradient is that of its input too.
#[test]
fn a_recurrent_layer_is_trained() {
    let step = step("lstm.dynamo");
    // 4·24·(16 + 24 + 2) + 5·(24 + 1), 4 bytes each.
    assert_eq!(step.fixed.weights, 16_628);
    assert_eq!(step.fixed.gradients, 16_628);
    let gradients = step
        .problem
        .nodes
        .iter()
        .filter(|it| it.gradient_of.is_some());
    let names: Vec<&str> = gradients.map(|it| it.name.as_str()).collect();
    assert!(names.iter().any(|it| it.contains("lstm")), "{names:?}");
}

/// What is written out is not taken for the module: the text has the softmax of an attention whose
/// scale is applied once, as PyTorch saves of each operator.
#[test]
fn an_attention_that_is_written_out_stays_so() {
    let written_out = super::autograd::step("transformer", AUTOGRAD);
    assert_eq!(written_out.recognised, Vec::new());
    let count = |file: &str| step(file).recognised;
    assert_eq!(count("attention.script"), [("attention".to_owned(), 1)]);
    let both = [("GroupNorm".to_owned(), 1), ("SiLU".to_owned(), 1)];
    assert_eq!(count("group_norm_silu.dynamo"), both);
}

/// A table that is taken from what is computed is a weight of no operator that is trained.
#[test]
fn weights_that_are_not_trained_are_named() {
    let text = "graph untrained onnx 17
input x: f32[2, 8]
const table: f32[2, 8]
const weight: f32[8, 4]
t = Sub(x, table)
y = MatMul(t, weight)
output y
";
    let Ok((_, document, _)) = load(&text.as_bytes().to_vec()) else {
        panic!("a graph");
    };
    let subject = prepare(&document, &Bindings::new(), &Settings::default()).expect("sizes");
    let step = stage::step(subject.graph().expect("a model"), 1, AUTOGRAD).expect("a step");
    assert_eq!(step.untrained, ["Sub"]);
}

fn of_text(text: &str) -> Step {
    let (_, document, _) = load(&text.as_bytes().to_vec()).expect("a graph");
    let subject = prepare(&document, &Bindings::new(), &Settings::default()).expect("sizes");
    stage::step(subject.graph().expect("a model"), 1, AUTOGRAD).expect("a step")
}

/// The sizes of what is saved beside the inputs, ascending.
fn saved(text: &str) -> Vec<u64> {
    let step = of_text(text);
    let own = step.saved.iter().filter(|it| !it.input);
    let mut sizes: Vec<u64> = own.map(|it| it.bytes.0).collect();
    sizes.sort_unstable();
    sizes
}

/// `return_indices=True` gives what is saved in any case: the same bytes with the output and without.
#[test]
fn outputs_that_are_saved_anyway_count_once() {
    let pool = |outputs: &str| {
        saved(&format!(
            "graph pool onnx 17
input x: f32[1, 1, 8, 8]
const first: f32[4, 1, 1, 1]
const second: f32[2, 4, 1, 1]
a = Conv(x, first)
{outputs} = MaxPool(a) kernel_shape=[2, 2] strides=[2, 2]
y = Conv(m, second)
output y
"
        ))
    };
    // y 2·4·4, m 4·4·4 and a 4·8·8 floats, an index of 8 bytes for each element of m.
    assert_eq!(pool("m"), [128, 256, 512, 1024]);
    assert_eq!(pool("m, i"), pool("m"));
    let layer = |outputs: &str| {
        saved(&format!(
            "graph layer onnx 17
input x: f32[8, 16]
const first: f32[16, 16]
const scale: f32[16]
const second: f32[16, 4]
a = MatMul(x, first)
{outputs} = LayerNormalization(a, scale)
y = MatMul(l, second)
output y
"
        ))
    };
    // y 8·4 floats, a mean and a deviation of each of 8 rows, a and l.
    assert_eq!(layer("l"), [64, 128, 512, 512]);
    assert_eq!(layer("l, mean, deviation"), layer("l"));
}

/// `torch.topk` is differentiable: its backward pass reads the indices alone, of 64 bits.
#[test]
fn the_largest_save_their_indices() {
    let text = "graph largest onnx 17
input x: f32[8, 16]
const weight: f32[16, 16]
const k: i64[1] = [4]
const second: f32[4, 2]
a = MatMul(x, weight)
v, i = TopK(a, k)
y = MatMul(v, second)
output y
";
    // y 8·2 floats, v 8·4 floats, 8·4 indices.
    assert_eq!(saved(text), [64, 128, 256]);
    let step = of_text(text);
    assert!(step.saved.iter().any(|it| it.input && it.name == "x"));
    assert_eq!(step.unknown, Vec::<String>::new());
}

/// What rounds to integers has no gradient: it is named, and nothing counts as saved for it.
#[test]
fn no_gradient_passes_where_numbers_are_rounded() {
    for (made, kind) in [
        (
            "q = QuantizeLinear(a, step, zero)\nd = DequantizeLinear(q, step, zero)",
            "QuantizeLinear",
        ),
        (
            "q, s, z = DynamicQuantizeLinear(a)\nd = DequantizeLinear(q, s, z)",
            "DynamicQuantizeLinear",
        ),
    ] {
        let step = of_text(&format!(
            "graph rounded onnx 17
input x: f32[8, 16]
const weight: f32[16, 16]
const step: f32[] = 0.5
const zero: u8[] = 0
const second: f32[16, 2]
a = MatMul(x, weight)
{made}
y = MatMul(d, second)
output y
"
        ));
        assert_eq!(step.without_gradient, [kind]);
        assert_eq!(step.unknown, Vec::<String>::new());
        // d, and y for the loss.
        let sizes: Vec<u64> = step.saved.iter().map(|it| it.bytes.0).collect();
        assert_eq!(sizes, [512, 64]);
    }
}

/// Up to operator set 11 the ratio is an attribute: 0 leaves the dropout out, so that the second
/// layer saves what the first gives, the loss what the second gives, 4·8 floats each, and no mask
/// of a byte each stays.
#[test]
fn a_ratio_that_is_an_attribute_counts() {
    let saved = |ratio: &str| {
        saved(&format!(
            "graph dropped onnx 11
input x: f32[4, 8]
const first: f32[8, 8]
const second: f32[8, 8]
a = MatMul(x, first)
b = Dropout(a) ratio={ratio}
y = MatMul(b, second)
output y
"
        ))
    };
    assert_eq!(saved("0.0"), [128, 128]);
    assert_eq!(saved("0.5"), [32, 128, 128]);
}
