//! Broken files: each with its fault and the place that the error names.

use planner::load;
use planner::load::Fault;
use rten_onnx::onnx::{DataType, GraphProto};

use super::handmade::{Value, int_tensor, model, node, small, untyped, value};
use super::subject::{prepare_graph, read};

/// The fault and the place of the error that reading `graph` gives.
fn fault(graph: GraphProto) -> (Fault, String) {
    let error = read(&model(graph)).expect_err("it is broken");
    (error.kind, error.place.to_string())
}

#[test]
fn dangling() {
    let mut graph = small();
    graph.node[1].input[0] = "gone".into();
    assert_eq!(fault(graph), (Fault::Dangling, "tensor \"gone\"".into()));
    let mut graph = small();
    graph.output.push(untyped("nowhere"));
    assert_eq!(fault(graph), (Fault::Dangling, "tensor \"nowhere\"".into()));
    let inner = GraphProto {
        node: vec![node("Neg", &["outside"], &["inside"], &[])],
        output: vec![untyped("inside")],
        ..GraphProto::default()
    };
    let mut graph = small();
    graph.node[0].attribute = node("", &[], &[], &[("body", Value::Graph(inner))]).attribute;
    assert_eq!(fault(graph), (Fault::Dangling, "tensor \"outside\"".into()));
}

#[test]
fn written_or_defined_twice() {
    let mut graph = small();
    graph.node[1].output[0] = "r".into();
    assert_eq!(fault(graph), (Fault::Duplicate, "tensor \"r\"".into()));
    let mut graph = small();
    graph.initializer.push(int_tensor("one", &[1], &[2]));
    assert_eq!(fault(graph), (Fault::Duplicate, "tensor \"one\"".into()));
    let mut graph = small();
    graph.input.push(graph.input[0].clone());
    assert_eq!(fault(graph), (Fault::Duplicate, "tensor \"x\"".into()));
    let mut graph = small();
    let axis = graph.node[3].attribute[0].clone();
    graph.node[3].attribute.push(axis);
    assert_eq!(
        fault(graph),
        (Fault::Duplicate, "operator \"the Concat\" (Concat)".into())
    );
}

#[test]
fn cycles() {
    let mut graph = small();
    // Relu reads what Reshape makes of its own result; Neg only comes after.
    graph.node[0].input[0] = "v".into();
    let (kind, place) = fault(graph);
    assert_eq!(kind, Fault::Cycle);
    let on_cycle = ["Relu", "MatMul", "Shape", "Concat", "Reshape"];
    assert!(on_cycle.iter().any(|kind| place.contains(kind)), "{place}");
    let mut graph = small();
    graph.node[5].input[0] = "y".into();
    assert_eq!(
        fault(graph),
        (Fault::Cycle, "operator \"the Neg\" (Neg)".into())
    );
}

#[test]
fn operators_out_of_order_are_sorted_with_a_warning() {
    let mut graph = small();
    graph.node.reverse();
    let (graph, warnings) = read(&model(graph)).expect("it can be sorted");
    assert_eq!(warnings.len(), 1);
    let kinds: Vec<_> = graph.ops.iter().map(|op| &*op.kind).collect();
    assert_eq!(
        kinds,
        ["Relu", "MatMul", "Shape", "Concat", "Reshape", "Neg"]
    );
}

#[test]
fn dimensions() {
    let mut graph = small();
    graph.initializer[1].dims = vec![-1];
    assert_eq!(fault(graph), (Fault::Malformed, "tensor \"one\"".into()));
    let mut graph = small();
    graph.initializer[0].dims = vec![1; 1_000_000];
    assert_eq!(fault(graph).0, Fault::Limit);
    let mut graph = small();
    graph.input[0] = value("x", DataType::FLOAT, &vec!["1"; 1_000_000]);
    assert_eq!(fault(graph).0, Fault::Limit);
    let mut graph = small();
    graph.initializer[0].dims = vec![i64::MAX, i64::MAX, 4];
    let prepared = prepare_graph(read(&model(graph)).expect("it loads").0, &[]);
    assert!(
        prepared.missing()[0].contains("TooLarge"),
        "{:?}",
        prepared.missing()
    );
}

/// The position at which reading stops, and why.
fn wire_fault(bytes: &[u8]) -> (Fault, String) {
    let error = tests::chinese::load(&bytes.to_vec()).expect_err("it is broken");
    (error.kind, error.place.to_string())
}

#[test]
fn wire_format() {
    assert_eq!(wire_fault(&[]), (Fault::Empty, "file".into()));
    assert_eq!(wire_fault(b"hello, world\n").0, Fault::UnknownFormat);
    assert_eq!(
        wire_fault(b"{\"format\": \"plan\"}").0,
        Fault::UnknownFormat
    );
    // A version, then a graph of 5 bytes of which 1 is there.
    assert_eq!(
        wire_fault(&[0x08, 8, 0x3a, 5, 0x0a]),
        (Fault::Truncated, "byte 4".into())
    );
    // A graph of 2^64 - 1 bytes.
    let mut endless = vec![0x08, 8, 0x3a];
    endless.extend([0xff; 9]);
    endless.push(1);
    assert_eq!(wire_fault(&endless).0, Fault::Truncated);
    // A number of more than ten bytes inside a graph, with enough after it.
    let mut number = vec![0x08, 8, 0x3a, 41, 0x50];
    number.extend([0x80; 40]);
    assert_eq!(wire_fault(&number), (Fault::Malformed, "byte 5".into()));
    // A node of 4 bytes inside a graph of 3.
    let nested = [0x08, 8, 0x3a, 3, 0x0a, 4, 0x12, 0x12, 2, b'a', b'b'];
    assert_eq!(wire_fault(&nested), (Fault::Malformed, "byte 6".into()));
    // The end of a group that never began.
    assert_eq!(
        wire_fault(&[0x08, 8, 0x3a, 1, 0x0c]),
        (Fault::Malformed, "byte 5".into())
    );
    // A name that is not UTF-8.
    let text = [0x08, 8, 0x3a, 4, 0x12, 2, 0xff, 0xfe];
    assert_eq!(wire_fault(&text), (Fault::Malformed, "byte 6".into()));
    // A version and nothing else.
    assert_eq!(wire_fault(&[0x08, 8]), (Fault::Truncated, "file".into()));
}

#[test]
fn nesting_is_limited() {
    let mut inner = GraphProto::default();
    for _ in 0..40 {
        let op = node("If", &[], &[], &[("then_branch", Value::Graph(inner))]);
        inner = GraphProto {
            node: vec![op],
            ..GraphProto::default()
        };
    }
    assert_eq!(fault(inner).0, Fault::Limit);
}

#[test]
fn every_prefix_is_an_error_or_a_document() {
    let bytes = model(small());
    for len in 0..bytes.len() {
        if let Ok((graph, _)) = read(&bytes[..len]) {
            prepare_graph(graph, &[]);
        }
    }
}

#[test]
fn flipped_bytes_are_an_error_or_a_document() {
    let bytes = model(small());
    for at in 0..bytes.len() {
        for to in [
            0x00,
            0x01,
            0x7f,
            0x80,
            0xff,
            bytes[at] ^ 1,
            bytes[at] ^ 0x10,
        ] {
            let mut flipped = bytes.clone();
            flipped[at] = to;
            // Another format is no concern of this test.
            if let Ok((_, document @ load::Document::Model(_), _)) = tests::chinese::load(&flipped)
            {
                let settings = Default::default();
                let _ = planner::prepare(&document, &Default::default(), &settings);
            }
        }
    }
}
