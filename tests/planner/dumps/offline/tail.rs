//! What TFLite Micro keeps beside a plan, held against the interpreter of the package
//! `tflite_micro` (`tests/tflm.py` compares every model that there is).

use planner::Bytes;
use planner::graph::{Bindings, infer};
use planner::load::tflite_subgraphs;
use planner::tail::{Kept, Tail, tail};

use super::{model, read};
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
    // With a small plan what it needs before is more. While it plans: 12 requests of 16 bytes, 8
    // for the subgraph, 32 for each of 5 tensors in 16s, then 40 for each of 3 that get a place.
    // While the convolution prepares, the 12 requests and 64 for each tensor that it looks at:
    // input, filter and output twice, and the bias.
    let planning = (12 * 16 + 8 + 5 * 32_u64).next_multiple_of(16) + 3 * 40;
    let preparing = 12 * 16 + 7 * 64_u64;
    assert!(planning < preparing);
    let planning = preparing;
    assert_eq!(found.arena(Bytes(16)), Some(Bytes(1056 - 160 + planning)));
    assert_eq!(found.arena(Bytes(u64::MAX)), None);
}

/// A subgraph that another signature runs has its tensors in the same arena: an arena for the plan
/// of the first is too small, and the table says "at least". One without tensors needs nothing.
#[test]
fn other_subgraphs_with_tensors_are_counted() {
    let mut several = model();
    several.others = 1;
    assert_eq!(kept(&several).others, 0);
    several.beside = vec![Tensor {
        name: "other",
        shape: vec![1, 65536],
        ..Tensor::default()
    }];
    assert_eq!(kept(&several).others, 1);
    // The page has the planned subgraph alone, which knows of the others.
    let (graph, _) = read(&several.bytes()).expect("a model");
    assert_eq!(graph.others, 1);
    let alone = tail(std::slice::from_ref(&graph)).expect("small");
    assert_eq!(alone.others, 1);
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

/// One operator of this code over `shapes`, the last of which it writes, of this type; the numbers
/// of a constant are the input of that place.
fn alone(code: i32, dtype: i8, shapes: [&[i32]; 3], axes: Option<[i32; 2]>) -> Model {
    let names = ["x", "a", "y"];
    let tensors = names.into_iter().zip(shapes).enumerate();
    let tensors = tensors.map(|(place, (name, shape))| {
        let axis = place == 1 && axes.is_some();
        Tensor {
            name,
            shape: shape.to_vec(),
            dtype: if axis { 2 } else { dtype },
            buffer: u32::from(axis),
            quantization: (dtype == 9 && !axis).then(|| (vec![0.05], vec![0], 0)),
            ..Tensor::default()
        }
    });
    Model {
        codes: vec![(code, "")],
        tensors: tensors.collect(),
        inputs: if axes.is_some() { vec![0] } else { vec![0, 1] },
        outputs: vec![2],
        operators: vec![Operator {
            code: 0,
            inputs: vec![0, 1],
            outputs: vec![2],
            options: None,
        }],
        buffers: axes
            .map(|it| it.map(i32::to_le_bytes).concat())
            .into_iter()
            .collect(),
        ..Model::default()
    }
}

/// The interpreter runs this mean in 1,376 bytes and in no fewer, though head and tail take 368 and
/// 912: while it prepares, the kernel sees input, axes and output twice, 96 bytes for each that is
/// quantised and 64 for the axes, beside 192 for requests and the 672 that lie there already.
#[test]
fn an_arena_holds_what_a_kernel_sees_while_it_prepares() {
    let mean = alone(40, 9, [&[1, 6, 6, 8], &[2], &[1, 8]], Some([1, 2]));
    let found = kept(&mean);
    assert_eq!(found.bytes, Bytes(912));
    assert_eq!(2 * (96 + 64 + 96) + 192 + 672, 1376);
    assert_eq!(found.arena(Bytes(368)), Some(Bytes(1376)));
    assert!(found.unknown.is_empty());
}

/// The interpreter prints a tail of 1,280 bytes for this product: 848 for what every operator has
/// here, 64 for the kernel's own, and its second operand turned: 2 · 8 · 5 floats, 32 bytes for a
/// tensor and 16 for three dimensions.
#[test]
fn a_product_of_matrices_keeps_an_operand_turned() {
    let product = alone(126, 0, [&[2, 3, 8], &[2, 8, 5], &[2, 3, 5]], None);
    let found = kept(&product);
    assert_eq!(848 + 64 + 2 * 8 * 5 * 4 + 32 + 16, 1280);
    assert_eq!(found.bytes, Bytes(1280));
    assert!(found.unknown.is_empty());
}

/// An operator of this code over int16, with a scale of its own for each of `units` of its filter.
fn of_16_bits(code: i32, [from, to]: [&[i32]; 2], filter: Option<(&[i32], usize)>) -> Model {
    let of = |name, shape: &[i32], dtype, buffer, scales| Tensor {
        name,
        shape: shape.to_vec(),
        dtype,
        buffer,
        quantization: Some((vec![0.1; scales], vec![0; scales], 0)),
        ..Tensor::default()
    };
    let mut tensors = vec![of("x", from, 7, 0, 1), of("y", to, 7, 0, 1)];
    let mut inputs = vec![0];
    let mut buffers = Vec::new();
    if let Some((shape, units)) = filter {
        let bytes: i32 = shape.iter().product();
        tensors.push(of("w", shape, 9, 1, units));
        // No bias.
        inputs.extend([2, -1]);
        buffers.push(vec![1; usize::try_from(bytes).expect("positive")]);
    }
    Model {
        codes: vec![(code, "")],
        tensors,
        inputs: vec![0],
        outputs: vec![1],
        operators: vec![Operator {
            code: 0,
            inputs,
            outputs: vec![1],
            options: None,
        }],
        buffers,
        ..Model::default()
    }
}

/// The interpreter prints a tail of 2,992 bytes for a softmax of int16: two tables of 513 values,
/// 1,040 bytes each in 16s, beside the 912 of one of int8.
#[test]
fn a_softmax_of_16_bits_keeps_two_tables() {
    let found = kept(&of_16_bits(25, [&[16, 64], &[16, 64]], None));
    assert_eq!(912 + 2 * (513 * 2_u64).next_multiple_of(16), 2992);
    assert_eq!(found.bytes, Bytes(2992));
}

/// The interpreter prints a tail of 1,216 bytes, for int16 as for int8: 960 and a multiplier and a
/// shift of 4 bytes for each of 32 units.
#[test]
fn a_layer_of_16_bits_keeps_a_scale_of_each_unit() {
    let filter: (&[i32], _) = (&[32, 64], 32);
    let found = kept(&of_16_bits(9, [&[4, 64], &[4, 32]], Some(filter)));
    assert_eq!(960 + 32 * (4 + 4), 1216);
    assert_eq!(found.bytes, Bytes(1216));
}
