//! Groups between `DequantizeLinear` and `QuantizeLinear` become operators on integers: which,
//! with what, and which must be left alone.

use planner::graph::{Bindings, DType, Graph, Role};
use planner::load::load;
use planner::passes::{self, Finding, Reason};
use planner::{Settings, Subject, prepare};
use tests::onnx_builder::{DataType, OnnxBuilder, int, ints};

const F: DataType = DataType::FLOAT;

/// The graph after the pass, and what it found.
fn after(builder: OnnxBuilder) -> (Subject, Vec<Finding>) {
    let (_, document, _) = load(&builder.finish()).expect("a model");
    let settings = Settings {
        passes: passes::parse("quantised").expect("a pass"),
        ..Settings::default()
    };
    let subject = prepare(&document, &Bindings::default(), &settings).expect("a small model");
    let reports = subject.reports.clone();
    let report = reports.into_iter().find(|it| it.pass == "quantised");
    (subject, report.expect("it ran").found)
}

fn kinds(graph: &Graph) -> Vec<&str> {
    graph.ops.iter().map(|op| op.kind.as_str()).collect()
}

/// A model that quantises x, and what is dequantised of that.
fn begun(name: &str, dims: &[i64]) -> (OnnxBuilder, String) {
    let mut b = OnnxBuilder::new(name, 17);
    let axes: Vec<_> = dims.iter().map(|&dim| dim.into()).collect();
    let x = b.input("x", F, &axes);
    let y = quantised(&mut b, &x, 0.5, 3);
    (b, y)
}

/// t through a quantisation and back.
fn quantised(b: &mut OnnxBuilder, t: &str, scale: f32, zero: u8) -> String {
    let [s, z] = steps(b, t, scale, zero);
    let q = b.op(&format!("{t}.q"), "QuantizeLinear", &[t, &s, &z], vec![]);
    b.op(
        &format!("{t}.dq"),
        "DequantizeLinear",
        &[&q, &s, &z],
        vec![],
    )
}

fn steps(b: &mut OnnxBuilder, t: &str, scale: f32, zero: u8) -> [String; 2] {
    let s = b.floats(&format!("{t}.s"), &[], &[scale]);
    let z = b.bytes(&format!("{t}.z"), DataType::UINT8, &[], &[zero]);
    [s, z]
}

/// Weights of this shape that are dequantised along `axis`, with as many scales as it has.
fn weights(b: &mut OnnxBuilder, dims: &[i64], axis: usize) -> String {
    let count = usize::try_from(dims.iter().product::<i64>()).expect("a size");
    let w = b.bytes("w", DataType::INT8, dims, &vec![1; count]);
    let scales = usize::try_from(dims[axis]).expect("a size");
    let s = b.floats("w.s", &[dims[axis]], &vec![0.25; scales]);
    let axis = int("axis", i64::try_from(axis).expect("an axis"));
    b.op("w.dq", "DequantizeLinear", &[&w, &s], vec![axis])
}

fn ended(mut b: OnnxBuilder, y: &str) -> OnnxBuilder {
    b.output(y, F, &[]);
    b
}

/// Every intermediate tensor holds bytes.
fn only_bytes(graph: &Graph) {
    let inner = graph.tensors.iter();
    for tensor in inner.filter(|it| it.role == Role::Intermediate) {
        assert_eq!(tensor.dtype, DType::U8, "{}", tensor.name);
    }
}

/// x ─Conv─▶ t ─Relu─▶ u and x ─MaxPool─▶ p, all quantised: both read the same integers.
#[test]
fn convolutions_and_pools_read_the_same_integers() {
    let (mut b, x) = begun("both", &[1, 2, 6, 6]);
    let w = weights(&mut b, &[3, 2, 1, 1], 0);
    let t = b.op("t", "Conv", &[&x, &w], vec![]);
    let u = b.op("u", "Relu", &[&t], vec![]);
    let u = quantised(&mut b, &u, 0.1, 0);
    let p = b.op("p", "MaxPool", &[&x], vec![ints("kernel_shape", &[2, 2])]);
    let p = quantised(&mut b, &p, 0.5, 3);
    b.output(&u, F, &[]);
    let (subject, found) = after(ended(b, &p));
    let graph = subject.graph().expect("a graph");
    let expected = [
        "QuantizeLinear",
        "QLinearConv",
        "DequantizeLinear",
        "MaxPool",
        "DequantizeLinear",
    ];
    assert_eq!(kinds(graph), expected);
    only_bytes(graph);
    assert!(found.iter().all(|it| it.refused.is_none()), "{found:?}");
    let conv = &graph.ops[1];
    // A Relu before a zero point of 0 bounds nothing more.
    assert_eq!(conv.int("fused_lowest"), None);
    assert_eq!(conv.inputs.len(), 8);
}

/// Bounds that are not those of the type stay with the operator.
#[test]
fn activations_become_bounds_of_integers() {
    let (mut b, x) = begun("bounds", &[1, 2, 6, 6]);
    let w = weights(&mut b, &[3, 2, 1, 1], 0);
    let t = b.op("t", "Conv", &[&x, &w], vec![]);
    let u = b.op("u", "Relu", &[&t], vec![]);
    let u = quantised(&mut b, &u, 0.1, 7);
    let (subject, _) = after(ended(b, &u));
    let conv = &subject.graph().expect("a graph").ops[1];
    let bounds = ["fused_lowest", "fused_highest"].map(|name| conv.int(name));
    assert_eq!(bounds, [Some(7), Some(255)]);
}

/// Functions of one element are tables; a bound by itself is one, too.
#[test]
fn functions_of_one_element_are_tables() {
    let (mut b, x) = begun("tables", &[4, 3]);
    let t = b.op("t", "Tanh", &[&x], vec![]);
    let t = quantised(&mut b, &t, 0.01, 128);
    let high = b.floats("high", &[], &[0.5]);
    let u = b.op("u", "Clip", &[&t, "", &high], vec![]);
    let u = quantised(&mut b, &u, 0.01, 128);
    let (subject, _) = after(ended(b, &u));
    let graph = subject.graph().expect("a graph");
    let expected = [
        "QuantizeLinear",
        "QLinearTanh",
        "QLinearClip",
        "DequantizeLinear",
    ];
    assert_eq!(kinds(graph), expected);
    assert_eq!(graph.ops[2].int("fused_highest"), Some(128 + 50));
}

/// Without a quantisation after it a product ends in floats.
#[test]
fn products_may_end_in_floats() {
    let (mut b, x) = begun("ends", &[4, 3]);
    let w = weights(&mut b, &[3, 5], 1);
    let y = b.op("y", "MatMul", &[&x, &w], vec![]);
    let (subject, _) = after(ended(b, &y));
    let graph = subject.graph().expect("a graph");
    assert_eq!(kinds(graph), ["QuantizeLinear", "MatMulIntegerToFloat"]);
}

/// What is left alone, and why.
#[test]
fn other_groups_keep_their_floats() {
    // Weights whose scales lie along another axis than the filters.
    let (mut b, x) = begun("axis", &[4, 3]);
    let w = weights(&mut b, &[3, 5], 0);
    let t = b.op("t", "MatMul", &[&x, &w], vec![]);
    let y = quantised(&mut b, &t, 0.1, 0);
    refused(ended(b, &y), Reason::OtherScale);
    // A pool into another scale.
    let (mut b, x) = begun("scale", &[1, 2, 6, 6]);
    let t = b.op("t", "MaxPool", &[&x], vec![ints("kernel_shape", &[2, 2])]);
    let y = quantised(&mut b, &t, 0.25, 3);
    refused(ended(b, &y), Reason::OtherScale);
    // A sum with floats.
    let (mut b, x) = begun("floats", &[4, 3]);
    let one = b.floats("one", &[], &[1.0]);
    let t = b.op("t", "Add", &[&x, &one], vec![]);
    let y = quantised(&mut b, &t, 0.1, 0);
    refused(ended(b, &y), Reason::NotQuantised);
    // A result that the caller reads as floats.
    let (mut b, x) = begun("read", &[4, 3]);
    let t = b.op("t", "Sigmoid", &[&x], vec![]);
    let y = quantised(&mut b, &t, 0.1, 0);
    b.output(&t, F, &[]);
    refused(ended(b, &y), Reason::IsOutput);
}

fn refused(builder: OnnxBuilder, reason: Reason) {
    let (subject, found) = after(builder);
    assert!(kinds(subject.graph().expect("a graph")).contains(&"DequantizeLinear"));
    let reasons: Vec<Option<Reason>> = found.iter().map(|it| it.refused).collect();
    assert_eq!(reasons, [Some(reason)]);
}

/// A model without quantisation stays what it is, and is not offered the pass.
#[test]
fn models_of_floats_are_not_touched() {
    let mut b = OnnxBuilder::new("floats", 17);
    let x = b.input("x", F, &[4.into(), 4.into()]);
    let y = b.op("y", "Sigmoid", &[&x], vec![]);
    let (subject, found) = after(ended(b, &y));
    let graph = subject.graph().expect("a graph");
    assert_eq!(kinds(graph), ["Sigmoid"]);
    assert!(found.is_empty());
    assert_eq!(passes::text(passes::usual(graph)), passes::USUAL);
    let (b, x) = begun("integers", &[4, 3]);
    let (_, document, _) = load(&ended(b, &x).finish()).expect("a model");
    let usual = passes::usual(document.graph().expect("a graph"));
    assert_eq!(passes::text(usual), format!("quantised,{}", passes::USUAL));
}
