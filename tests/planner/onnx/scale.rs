//! Large files: what is read of them, and how long the road is.

use std::cell::Cell;

use planner::load;
use planner::load::{Document, Source, SourceError};
use rten_onnx::onnx::{DataType, GraphProto};

use super::handmade::{int_tensor, model, node, raw_tensor, small, untyped, value};
use super::subject::prepare;

/// Counts what is read.
struct Counting {
    bytes: Vec<u8>,
    read: Cell<u64>,
}

impl Source for Counting {
    fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn read_at(&self, start: u64, target: &mut [u8]) -> Result<(), SourceError> {
        self.read.set(self.read.get() + target.len() as u64);
        self.bytes.read_at(start, target)
    }
}

#[test]
fn weights_are_not_read() {
    let mut graph = small();
    for index in 0..8 {
        let raw = vec![1; 8 << 20];
        let name = format!("more {index}");
        graph
            .initializer
            .push(raw_tensor(&name, DataType::INT8, &[8 << 20], raw));
    }
    let source = Counting {
        bytes: model(graph),
        read: Cell::new(0),
    };
    let (_, document, _) = load::load(&source).expect("it loads");
    let Document::Model(graph) = document else {
        panic!("a model");
    };
    // The nine of the small model and eight more.
    assert_eq!(graph.tensors.len(), 17);
    let read = source.read.get();
    // The first 64 KiB decide the format.
    assert!(
        read < 80 << 10,
        "{read} of {} bytes were read",
        source.len()
    );
}

#[test]
fn a_chain_of_a_million_operators() {
    let length = 1_000_000;
    let link = |index: usize| {
        node(
            "Relu",
            &[&format!("t{index}")],
            &[&format!("t{}", index + 1)],
            &[],
        )
    };
    let graph = GraphProto {
        node: (0..length).map(link).collect(),
        input: vec![value("t0", DataType::FLOAT, &["16"])],
        output: vec![untyped(&format!("t{length}"))],
        ..GraphProto::default()
    };
    let bytes = model(graph);
    let prepared = prepare(&bytes, &[]);
    assert_eq!(prepared.missing(), Vec::<String>::new());
    assert_eq!(prepared.lifetimes.buffers.len(), length - 1);
    // One element is written while the one before is read.
    assert_eq!(prepared.peak(), 128);
}

/// Without a limit on the elements that are followed this would take minutes.
#[test]
fn shape_arithmetic_is_limited() {
    let expand = |index: usize| node("Expand", &["one", "size"], &[&format!("t{index}")], &[]);
    let graph = GraphProto {
        node: (0..50_000).map(expand).collect(),
        initializer: vec![
            int_tensor("one", &[1], &[1]),
            int_tensor("size", &[1], &[4096]),
        ],
        output: vec![untyped("t49999")],
        ..GraphProto::default()
    };
    let prepared = prepare(&model(graph), &[]);
    assert_eq!(prepared.missing(), Vec::<String>::new());
    // All are computed from constants, whether their elements are known or not.
    assert_eq!(prepared.lifetimes.buffers.len(), 0);
}
