//! What TFLite Micro keeps beside a plan, held against the interpreter of the package
//! `tflite_micro` (`tests/tflm.py` compares every model that there is).

use planner::Bytes;
use planner::graph::{Bindings, infer};
use planner::load::tflite_subgraphs;
use planner::tail::{Kept, Tail, tail};

use super::model;
use crate::tflite::builder::{Model, Operator, Tensor};

fn kept(model: &Model) -> Tail {
    let mut subgraphs = tflite_subgraphs(&model.bytes()).expect("a model");
    for graph in &mut subgraphs {
        infer(graph, &Bindings::new());
    }
    tail(&subgraphs).expect("small")
}

/// The interpreter prints of this model: total 2,080, head 1,024, tail 1,056; of it 120 for 5
/// tensors, 128 for 2 operators and 128 for the structs of two ends, with 16 for their pointers.
#[test]
fn a_convolution_keeps_what_the_interpreter_prints() {
    let found = kept(&model());
    assert_eq!(found.bytes, Bytes(1056));
    let of = |what| found.parts.iter().find(|it| it.0 == what).map(|it| it.1.0);
    assert_eq!(of(Kept::Tensors), Some(120));
    assert_eq!(of(Kept::Operators), Some(128));
    assert_eq!(of(Kept::Ends), Some(160));
    let sum: u64 = found.parts.iter().map(|it| it.1.0).sum();
    assert_eq!(sum, found.bytes.0);
    assert_eq!(found.arena(Bytes(1024)), Some(Bytes(2080)));
    assert!(found.unknown.is_empty());
    // With a small plan what it needs while it plans is more: 12 requests of 16 bytes, 8 for the
    // subgraph, 32 for each of 5 tensors, 40 for each of 3 that get a place, in 16s.
    let planning = (12 * 16 + 8 + 5 * 32 + 3 * 40_u64).next_multiple_of(16);
    assert_eq!(found.arena(Bytes(16)), Some(Bytes(1056 - 160 + planning)));
    assert_eq!(found.arena(Bytes(u64::MAX)), None);
}

/// Of a custom operator nothing is known, nor of a kernel that the table lacks: both are named.
#[test]
fn what_is_not_known_is_named() {
    let mut custom = model();
    custom.codes = vec![(32, "Mine"), (27, "")];
    let found = kept(&custom);
    assert_eq!(found.unknown, ["Mine", "SVDF"]);
    assert_eq!(found.custom, ["Mine"]);
}

/// A variable of 40 bytes: its table of 16 + 40 bytes, itself and the number of each handle are
/// more than without, each in 16s: 16 + 48 + 48, and 16 that the handle's kernel keeps.
#[test]
fn a_variable_lies_in_the_tail() {
    let mut with = model();
    with.codes.extend([(142, ""), (143, "")]);
    with.tensors.push(Tensor {
        name: "handle",
        dtype: 13,
        ..Tensor::default()
    });
    with.tensors.push(Tensor {
        name: "value",
        shape: vec![10],
        ..Tensor::default()
    });
    for (code, inputs, output) in [(2, vec![], 5), (3, vec![5], 6)] {
        with.operators.push(Operator {
            code,
            inputs,
            outputs: vec![output],
            options: None,
        });
    }
    let of = |found: &Tail| {
        let parts = found.parts.iter().filter(|it| it.0 == Kept::Variables);
        parts.map(|it| it.1.0).sum::<u64>()
    };
    assert_eq!(of(&kept(&model())), 0);
    let variables = of(&kept(&with));
    assert!(
        (16 + 40 + 40..=16 + 48 + 48 + 16).contains(&variables),
        "{variables}"
    );
}
