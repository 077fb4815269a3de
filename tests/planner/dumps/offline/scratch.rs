//! Working memory that kernels request for themselves. Sizes follow from what each reference
//! kernel of TFLite Micro passes to `RequestScratchBufferInArena`; `tests/tflm.py` asks the
//! interpreter itself.

use planner::Step;

use super::{read, subject};
use crate::tflite::builder::{Model, Operator, Tensor};

const F32: i8 = 0;
const I32: i8 = 2;
const I16: i8 = 7;
const I8: i8 = 9;
const I4: i8 = 17;

fn tensor(shape: &[i32], dtype: i8, buffer: u32) -> Tensor {
    Tensor {
        shape: shape.to_vec(),
        dtype,
        buffer,
        ..Tensor::default()
    }
}

fn state(shape: &[i32], dtype: i8) -> Tensor {
    Tensor {
        variable: true,
        ..tensor(shape, dtype, 0)
    }
}

/// Sizes of what one operator of builtin `code` requests. The last tensor is the output, the
/// first is fed; constants have the buffer of integers.
fn requested(
    code: i32,
    tensors: Vec<Tensor>,
    (fed, inputs): (i32, Vec<i32>),
    options: Option<(u8, Vec<(u16, i32)>)>,
    integers: &[i32],
) -> Vec<u64> {
    let output = i32::try_from(tensors.len()).expect("few") - 1;
    let model = Model {
        codes: vec![(code, "")],
        tensors,
        inputs: vec![fed],
        outputs: vec![output],
        operators: vec![Operator {
            code: 0,
            inputs,
            outputs: vec![output],
            options,
        }],
        buffers: vec![super::words(integers), vec![1; 4096]],
        ..Model::default()
    };
    let (graph, _) = read(&model.bytes()).expect("a model");
    let subject = subject(graph);
    let buffers = subject.lifetimes.buffers.iter();
    let scratch = buffers.filter(|it| it.name.contains("scratch"));
    // Each lives while its operator runs, the only one.
    scratch
        .inspect(|it| assert_eq!((it.span.start.0, it.span.end.0), (0, 1)))
        .map(|it| it.payload.0)
        .collect()
}

/// 32 outputs in 64-bit accumulators, and an int16 bias of 2 in 64 bits; of int8 in 32 bits.
#[test]
fn a_transposed_convolution_has_accumulators() {
    for (dtype, bias, expected) in [
        (I16, I16, vec![256, 16]),
        (I8, I32, vec![128]),
        (F32, F32, vec![]),
    ] {
        let weights = if dtype == F32 { F32 } else { I8 };
        let tensors = vec![
            tensor(&[4], I32, 1),
            tensor(&[2, 2, 2, 3], weights, 2),
            tensor(&[1, 2, 2, 3], dtype, 0),
            tensor(&[2], bias, 2),
            tensor(&[1, 4, 4, 2], dtype, 0),
        ];
        let options = Some((49, vec![(1, 2), (2, 2)]));
        let found = requested(67, tensors, (2, vec![0, 1, 2, 3]), options, &[1, 4, 4, 2]);
        assert_eq!(found, expected, "{dtype}");
    }
}

/// Two samples of 8 filters of rank 2: 16 results of 4 bytes, of int8 also 8 units of 4 bytes.
#[test]
fn an_svdf_has_its_filters_and_units() {
    for (dtype, expected) in [(I8, vec![64, 32]), (F32, vec![64])] {
        let tensors = vec![
            tensor(&[2, 10], dtype, 0),
            tensor(&[8, 10], dtype, 2),
            tensor(&[8, 3], dtype, 2),
            state(&[2, 24], dtype),
            tensor(&[2, 4], dtype, 0),
        ];
        let found = requested(
            27,
            tensors,
            (0, vec![0, 1, 2, -1, 3]),
            Some((6, vec![(0, 2)])),
            &[],
        );
        assert_eq!(found, expected, "{dtype}");
    }
}

/// Four gates, each as large as the cell state: one sample of 4 units of int16.
#[test]
fn an_lstm_has_four_gates() {
    let tensors = vec![
        tensor(&[1, 5, 3], I8, 0),
        tensor(&[4, 3], I8, 2),
        tensor(&[4, 4], I8, 2),
        tensor(&[4], I32, 2),
        state(&[1, 4], I8),
        state(&[1, 4], I16),
        tensor(&[1, 5, 4], I8, 0),
    ];
    let (none, gates) = (-1, |tensor: i32| [tensor; 4]);
    let inputs = [
        &[0][..],
        &gates(1),
        &gates(2),
        &[none; 3],
        &gates(3),
        &[none, none, 4, 5],
        &[none; 4],
    ];
    assert_eq!(
        requested(44, tensors, (0, inputs.concat()), None, &[]),
        [8; 4]
    );
}

/// All keep an index of each of 4 dimensions and each of 2 axes; a mean of int8 over 4 x 4 of 3
/// channels also 3 sums of 4 bytes. A filter of int4 is unpacked to a byte an element.
#[test]
fn reductions_and_packed_filters_have_theirs() {
    let reduced = |dtype| {
        vec![
            tensor(&[1, 4, 4, 3], dtype, 0),
            tensor(&[2], I32, 1),
            tensor(&[1, 3], dtype, 0),
        ]
    };
    let asks = |code, dtype| requested(code, reduced(dtype), (0, vec![0, 1]), None, &[1, 2]);
    assert_eq!(asks(40, I8), [12, 16, 8]);
    assert_eq!(asks(40, F32), [16, 8]);
    assert_eq!(asks(82, F32), [16, 8]);
    let dense = vec![
        tensor(&[1, 6], I8, 0),
        tensor(&[5, 6], I4, 2),
        tensor(&[1, 5], I8, 0),
    ];
    assert_eq!(requested(9, dense, (0, vec![0, 1, -1]), None, &[]), [30]);
}

/// The kernel of VAR_HANDLE has its number in memory of its own when places are chosen: four
/// models of microWakeWord, with six handles each, have heads that are 32 bytes smaller so.
#[test]
fn a_handle_of_a_variable_takes_nothing() {
    let mut model = super::model();
    model.codes.extend([(142, ""), (143, "")]);
    model.tensors.push(Tensor {
        name: "handle",
        ..tensor(&[], 13, 0)
    });
    model.tensors.push(Tensor {
        name: "value",
        ..tensor(&[10], F32, 0)
    });
    for (code, inputs, output) in [(2, vec![], 5), (3, vec![5], 6)] {
        model.operators.push(Operator {
            code,
            inputs,
            outputs: vec![output],
            options: None,
        });
    }
    let subject = subject(read(&model.bytes()).expect("a model").0);
    let names = subject.lifetimes.buffers.iter().map(|it| it.name.as_str());
    assert_eq!(names.collect::<Vec<_>>(), ["x", "c", "y", "value"]);
}

/// 1,001 elements of four bits between two casts: the interpreter's head is 5,024 = 4,016 + 1,008,
/// a byte for each in 16s. In the file, and where it is constant, they are packed.
#[test]
fn elements_of_four_bits_have_a_byte_each_in_a_run() {
    const CAST: i32 = 53;
    let mut tensors = [F32, I4, F32].map(|dtype| tensor(&[1001], dtype, 0));
    for (tensor, name) in tensors.iter_mut().zip(["x", "narrow", "y"]) {
        tensor.name = name;
    }
    let cast = |from, to| Operator {
        code: 0,
        inputs: vec![from],
        outputs: vec![to],
        options: None,
    };
    let model = Model {
        codes: vec![(CAST, "")],
        tensors: tensors.to_vec(),
        inputs: vec![0],
        outputs: vec![2],
        operators: vec![cast(0, 1), cast(1, 2)],
        ..Model::default()
    };
    let (graph, _) = read(&model.bytes()).expect("a model");
    let subject = subject(graph);
    let buffers = &subject.lifetimes.buffers;
    let narrow = buffers.iter().find(|it| it.name == "narrow");
    let narrow = narrow.expect("it has a place");
    assert_eq!((narrow.payload.0, narrow.size.0), (1001, 1008));
    let live = |step| {
        buffers
            .iter()
            .filter(move |it| it.span.contains(Step(step)))
    };
    let peak = (0..2).map(|step| live(step).map(|it| it.size.0).sum::<u64>());
    assert_eq!(peak.max(), Some(5024));
}
