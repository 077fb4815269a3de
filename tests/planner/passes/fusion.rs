//! Activation fusion: which graphs it changes, and which it must leave alone.

use std::collections::BTreeMap;

use planner::bounds::bounds;
use planner::graph::{Attribute, Bindings, Graph};
use planner::load::load;
use planner::{Bytes, Settings, Subject, passes, prepare};
use tests::onnx_builder::{DataType, OnnxBuilder, float};

fn prepared(builder: OnnxBuilder, fuse: bool) -> Subject {
    let (_, document, _) = load(&builder.finish()).expect("a model");
    let settings = Settings {
        passes: passes::parse(if fuse { "fusion=activations" } else { "" }).expect("a pass"),
        ..Settings::default()
    };
    prepare(&document, &Bindings::default(), &settings).expect("a small model")
}

fn graph(subject: &Subject) -> &Graph {
    subject.graph().expect("a model has a graph")
}

fn kinds(subject: &Subject) -> Vec<&str> {
    let ops = graph(subject).ops.iter();
    ops.map(|op| op.kind.as_str()).collect()
}

const F: DataType = DataType::FLOAT;

/// x ─MatMul─▶ t ─Relu─▶ u ─Clip(0, 6)─▶ c ─Neg─▶ y, all 4 × 4.
fn chain() -> OnnxBuilder {
    let mut b = OnnxBuilder::new("chain", 17);
    let x = b.input("x", F, &[4.into(), 4.into()]);
    let w = b.weight("w", &[4, 4]);
    let low = b.floats("low", &[], &[0.0]);
    let high = b.floats("high", &[], &[6.0]);
    let t = b.op("t", "MatMul", &[&x, &w], vec![]);
    let u = b.op("u", "Relu", &[&t], vec![]);
    let c = b.op("c", "Clip", &[&u, &low, &high], vec![]);
    let y = b.op("y", "Neg", &[&c], vec![]);
    b.output(&y, F, &[4.into(), 4.into()]);
    b
}

#[test]
fn a_relu_behind_a_matmul_needs_no_memory() {
    let plain = prepared(chain(), false);
    assert_eq!(kinds(&plain), ["MatMul", "Relu", "Clip", "Neg"]);
    let fused = prepared(chain(), true);
    // One activation per operator: the Clip after the Relu stays.
    assert_eq!(kinds(&fused), ["MatMul", "Clip", "Neg"]);
    let matmul = &graph(&fused).ops[0];
    assert_eq!(matmul.name, "t + u");
    assert_eq!(matmul.text("fused_activation"), Some("Relu"));
    let names = fused.lifetimes.buffers.iter().map(|b| &*b.name);
    assert_eq!(names.collect::<Vec<_>>(), ["u", "c"]);
    // Both live at once at Clip, 64 B each; before, three tensors in a row, two at a time.
    assert_eq!(bounds(&fused.lifetimes).offsets, Bytes(128));
    assert_eq!(bounds(&plain.lifetimes).offsets, Bytes(128));
}

#[test]
fn a_clip_brings_its_bounds() {
    for opset in [6, 17] {
        let mut b = OnnxBuilder::new("clip", opset);
        let x = b.input("x", F, &[2.into(), 2.into()]);
        let w = b.weight("w", &[2, 2]);
        let t = b.op("t", "MatMul", &[&x, &w], vec![]);
        let c = if opset < 11 {
            b.op(
                "c",
                "Clip",
                &[&t],
                vec![float("min", 0.0), float("max", 6.0)],
            )
        } else {
            let low = b.floats("low", &[], &[0.0]);
            let high = b.floats("high", &[], &[6.0]);
            b.op("c", "Clip", &[&t, &low, &high], vec![])
        };
        b.output(&c, F, &[2.into(), 2.into()]);
        let fused = prepared(b, true);
        assert_eq!(kinds(&fused), ["MatMul"]);
        let attributes: BTreeMap<_, _> = graph(&fused).ops[0].attributes.iter().cloned().collect();
        assert_eq!(
            attributes["fused_activation"],
            Attribute::Text("Clip".into())
        );
        assert_eq!(attributes["fused_min"], Attribute::Float(0.0));
        assert_eq!(attributes["fused_max"], Attribute::Float(6.0));
    }
}

#[test]
fn what_somebody_else_reads_is_kept() {
    let mut b = OnnxBuilder::new("kept", 17);
    let x = b.input("x", F, &[2.into(), 2.into()]);
    let w = b.weight("w", &[2, 2]);
    // Read twice.
    let t = b.op("t", "MatMul", &[&x, &w], vec![]);
    let u = b.op("u", "Relu", &[&t], vec![]);
    let s = b.op("s", "Add", &[&t, &u], vec![]);
    // Read by the caller.
    let o = b.op("o", "MatMul", &[&s, &w], vec![]);
    let r = b.op("r", "Relu", &[&o], vec![]);
    // Bounds that the caller feeds.
    let low = b.input("low", F, &[]);
    let p = b.op("p", "MatMul", &[&r, &w], vec![]);
    let c = b.op("c", "Clip", &[&p, &low], vec![]);
    for output in [&o, &c] {
        b.output(output, F, &[2.into(), 2.into()]);
    }
    let expected = ["MatMul", "Relu", "Add", "MatMul", "Relu", "MatMul", "Clip"];
    assert_eq!(kinds(&prepared(b, true)), expected);
}
