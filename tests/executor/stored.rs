//! Weights that a file stores quantised, halved or sparse: by hand after the schema.

use executor::verify::{Inputs, Machine, Question, execute};
use planner::Strategy;
use planner::graph::{Dialect, Op, Role, TensorId};
use planner::load::{Document, load};
use tests::confirmations::{question, report};
use tests::runs::{Model, floats, gpu, words};
use tests::skipped::fixture;

use crate::tflite_builder::{Level, Model as File, Operator, Tensor};

const F32: i8 = 0;
const F16: i8 = 1;
const U8: i8 = 3;
const I16: i8 = 7;
const I8: i8 = 9;

const ADD: i32 = 0;
const CONV_2D: i32 = 3;
const DEQUANTIZE: i32 = 6;
const MUL: i32 = 18;
const DENSIFY: i32 = 124;
const BATCH_MATMUL: i32 = 126;

fn tensor_of(name: &'static str, dtype: i8, shape: &[i32], buffer: u32) -> Tensor {
    Tensor {
        name,
        dtype,
        shape: shape.to_vec(),
        buffer,
        ..Tensor::default()
    }
}

fn operator(code: u32, inputs: &[i32], output: i32) -> Operator {
    Operator {
        code,
        inputs: inputs.to_vec(),
        outputs: vec![output],
        options: None,
    }
}

/// y = x · decode(w), where the kinds in `decoders` follow one another.
fn product(weights: Tensor, bytes: Vec<u8>, decoders: &[(i32, i8)]) -> File {
    let shape = weights.shape.clone();
    let mut file = File {
        codes: vec![(MUL, "")],
        tensors: vec![
            tensor_of("x", F32, &shape, 0),
            tensor_of("y", F32, &shape, 0),
            weights,
        ],
        inputs: vec![0],
        outputs: vec![1],
        operators: Vec::new(),
        buffers: vec![bytes],
        ..File::default()
    };
    const NAMES: [&str; 2] = ["decoded", "decoded twice"];
    for (name, &(code, dtype)) in NAMES.iter().zip(decoders) {
        let from = i32::try_from(file.tensors.len()).unwrap() - 1;
        file.codes.push((code, ""));
        file.tensors.push(tensor_of(name, dtype, &shape, 0));
        let index = u32::try_from(file.codes.len()).unwrap() - 1;
        file.operators.push(operator(index, &[from], from + 1));
    }
    let last = i32::try_from(file.tensors.len()).unwrap() - 1;
    file.operators.push(operator(0, &[0, last], 1));
    file
}

fn check(file: &File, x: &[f32], expected: &[f32]) {
    let model = Model::open(&file.bytes());
    let lowered = model.lowered(&model.plan(Strategy::OffsetsBySize)).unwrap();
    assert_eq!(lowered.recording.steps.len(), 1, "the rest is done before");
    let x = [words(x)];
    assert_eq!(floats(&model.on_cpu(&lowered, &x)[0]), expected);
    if let Some(gpu) = gpu() {
        let on_gpu = model.on_gpu(&gpu, &lowered, &x, 0x7149_f2ca).unwrap();
        assert_eq!(floats(&on_gpu[0]), expected);
    }
}

fn bytes(values: &[i8]) -> Vec<u8> {
    values.iter().map(|value| value.cast_unsigned()).collect()
}

#[test]
fn quantised_weights_become_floats_per_tensor_and_per_channel() {
    let mut weights = tensor_of("w", I8, &[2, 3], 1);
    weights.quantization = Some((vec![0.5], vec![10], 0));
    let stored = bytes(&[10, 12, -128, 127, 9, 0]);
    let file = product(weights.clone(), stored.clone(), &[(DEQUANTIZE, F32)]);
    // 0.5 (q - 10), twice.
    check(&file, &[2.0; 6], &[0.0, 2.0, -138.0, 117.0, -1.0, -10.0]);
    weights.quantization = Some((vec![0.5, 2.0, 0.25], vec![0, 0, 0], 1));
    let file = product(weights, stored, &[(DEQUANTIZE, F32)]);
    check(&file, &[1.0; 6], &[5.0, 24.0, -32.0, 63.5, 18.0, 0.0]);
}

#[test]
fn halves_become_floats() {
    let halves = [0x3c00_u16, 0xc000, 0x3555, 0x0001];
    let stored = halves.iter().flat_map(|half| half.to_le_bytes()).collect();
    let file = product(tensor_of("w", F16, &[4], 1), stored, &[(DEQUANTIZE, F32)]);
    let expected = [1.0, -2.0, 0.333_251_95, 1.0 / 16_777_216.0];
    check(&file, &[1.0; 4], &expected);
}

#[test]
fn sparse_weights_become_dense() {
    // Rows by their columns: 5 at (0, 1); none; 6 and 7 at (2, 0) and (2, 3); 8 at (3, 2).
    let mut weights = tensor_of("w", F32, &[4, 4], 1);
    let levels = vec![
        Level::Dense(4),
        Level::Compressed(vec![0, 1, 1, 3, 4], vec![1, 0, 3, 2]),
    ];
    weights.sparsity = Some((vec![0, 1], vec![], levels));
    let stored = [5.0_f32, 6.0, 7.0, 8.0]
        .iter()
        .flat_map(|value| value.to_le_bytes());
    let file = product(weights, stored.collect(), &[(DENSIFY, F32)]);
    #[rustfmt::skip]
    let expected = [
        0.0, 5.0, 0.0, 0.0,
        0.0, 0.0, 0.0, 0.0,
        6.0, 0.0, 0.0, 7.0,
        0.0, 0.0, 8.0, 0.0,
    ];
    check(&file, &[1.0; 16], &expected);
}

#[test]
fn sparse_blocks_of_quantised_weights_become_dense_floats() {
    // Blocks of 2 by 2: 1 to 4 at the upper right, 5 to 8 and 9 to 12 below.
    let mut weights = tensor_of("w", I8, &[4, 4], 1);
    let levels = vec![
        Level::Dense(2),
        Level::Compressed(vec![0, 1, 3], vec![1, 0, 1]),
        Level::Dense(2),
        Level::Dense(2),
    ];
    weights.sparsity = Some((vec![0, 1, 2, 3], vec![0, 1], levels));
    weights.quantization = Some((vec![0.5], vec![0], 0));
    let stored = bytes(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    let file = product(weights, stored, &[(DENSIFY, I8), (DEQUANTIZE, F32)]);
    #[rustfmt::skip]
    let expected = [
        0.0, 0.0, 1.0, 2.0,
        0.0, 0.0, 3.0, 4.0,
        5.0, 6.0, 9.0, 10.0,
        7.0, 8.0, 11.0, 12.0,
    ];
    check(&file, &[2.0; 16], &expected);
}

#[test]
fn sparsity_that_leads_nowhere_is_an_error_and_no_panic() {
    let with = |levels: Vec<Level>, stored: usize| {
        let mut weights = tensor_of("w", I8, &[4, 4], 1);
        weights.sparsity = Some((vec![0, 1], vec![], levels));
        weights.quantization = Some((vec![1.0], vec![0], 0));
        let file = product(
            weights,
            vec![1; stored],
            &[(DENSIFY, I8), (DEQUANTIZE, F32)],
        );
        let model = Model::open(&file.bytes());
        let lowered = model.lowered(&model.plan(Strategy::OffsetsBySize)).unwrap();
        let supply = executor::supply::Supply {
            file: Some(&model.bytes),
            inputs: &[vec![0; 16]],
            folded: &[],
        };
        let mut memory = executor::arena::Memory::of(&lowered.recording);
        supply.fill(&lowered.recording.uploads, &mut memory)
    };
    let row = |segments: &[u8], indices: &[u8]| {
        vec![
            Level::Dense(4),
            Level::Compressed(segments.to_vec(), indices.to_vec()),
        ]
    };
    assert!(with(row(&[0, 1, 1, 1, 1], &[3]), 1).is_ok());
    // A column that is not there; too few indices, segments, elements; endless levels.
    assert!(with(row(&[0, 1, 1, 1, 1], &[4]), 1).is_err());
    assert!(with(row(&[0, 2, 2, 2, 2], &[3]), 2).is_err());
    assert!(with(row(&[0, 1], &[3]), 1).is_err());
    assert!(with(row(&[0, 2, 2, 2, 2], &[3, 1]), 1).is_err());
    assert!(with(vec![Level::Dense(i32::MAX), Level::Dense(i32::MAX)], 9).is_err());
    let endless = Level::Compressed(vec![0, 0], vec![]);
    assert!(with(vec![Level::Dense(i32::MAX), endless], 9).is_err());
}

#[test]
fn operators_on_floats_read_quantised_weights_as_floats() {
    // Two filters of 1 by 1 over two channels: 0.5 (2, -4) and 2 (1, 3).
    let mut weights = tensor_of("w", U8, &[2, 1, 1, 2], 1);
    weights.quantization = Some((vec![0.5, 2.0], vec![4, 4], 0));
    let file = filtered(weights, &[6, 0, 5, 7]);
    check(&file, &[1.0, 10.0, -1.0, 1.0], &[-19.0, 62.0, -3.0, 4.0]);
}

/// With signed weights, LiteRT makes integers of what is read, too. Between -128 and 127 their steps
/// are 1 and the zero point is 0, so that 0.4 is read as 0 and 9.6 as 10.
#[test]
fn floats_under_weights_of_8_bits_become_integers_on_the_way() {
    let mut weights = tensor_of("w", I8, &[2, 1, 1, 2], 1);
    weights.quantization = Some((vec![0.5, 2.0], vec![0, 0], 0));
    let file = filtered(weights, &[2, -4, 1, 3]);
    // 0.5 (2 a - 4 b) and 2 (a + 3 b) of (-128, 127) and of (0, 10).
    let expected = [-382.0, 506.0, -20.0, 60.0];
    check(&file, &[-128.0, 127.0, 0.4, 9.6], &expected);
}

/// A row of x meets the matrix of its own image: 254 and 2.9 are 127 and 1 steps of 2, 127 and -0.6
/// are 127 and -1 steps of 1, and the columns have scales of a half and of one.
#[test]
fn each_image_meets_its_own_matrix_of_8_bits() {
    let mut weights = tensor_of("w", I8, &[2, 2, 2], 1);
    weights.quantization = Some((vec![0.5, 1.0], vec![0, 0], 2));
    let mut file = filtered(weights, &[1, 2, 3, 4, 5, 6, 7, 8]);
    file.codes = vec![(BATCH_MATMUL, "")];
    for tensor in &mut file.tensors[..2] {
        tensor.shape = vec![2, 1, 2];
    }
    file.operators[0].options = None;
    // 2 · 0.5 · (127 + 3) and 2 (254 + 4), then 0.5 (635 - 7) and 762 - 8.
    check(
        &file,
        &[254.0, 2.9, 127.0, -0.6],
        &[130.0, 516.0, 314.0, 754.0],
    );
}

/// Two pixels under filters of 1 by 1.
fn filtered(weights: Tensor, elements: &[i8]) -> File {
    File {
        codes: vec![(CONV_2D, "")],
        tensors: vec![
            tensor_of("x", F32, &[1, 1, 2, 2], 0),
            tensor_of("y", F32, &[1, 1, 2, 2], 0),
            weights,
        ],
        inputs: vec![0],
        outputs: vec![1],
        operators: vec![Operator {
            code: 0,
            inputs: vec![0, 2],
            outputs: vec![1],
            options: Some((1, vec![(1, 1), (2, 1)])),
        }],
        buffers: vec![bytes(elements)],
        ..File::default()
    }
}

#[test]
fn sums_of_16_bits_of_which_both_would_be_shifted_are_refused_by_name() {
    let activation = |name, scale| Tensor {
        quantization: Some((vec![scale], vec![0], 0)),
        ..tensor_of(name, I16, &[4], 0)
    };
    let file = File {
        codes: vec![(ADD, "")],
        tensors: vec![
            activation("a", 0.5),
            activation("b", 0.5),
            activation("sum", 1.0),
        ],
        inputs: vec![0, 1],
        outputs: vec![2],
        operators: vec![operator(0, &[0, 1], 2)],
        buffers: vec![],
        ..File::default()
    };
    let model = Model::open(&file.bytes());
    let lowered = model.lowered(&model.plan(Strategy::OffsetsBySize));
    let refused = lowered.unwrap_err().to_string();
    assert!(
        refused.contains("its scales are powers of two"),
        "{refused}"
    );
}

/// Every weight of a real file, 42 of them sparse, against what LiteRT 2.3.0 decodes: sums of
/// sizes, and of elements times their place modulo 97, in 64 bits.
#[test]
fn a_real_sparse_file_decodes_as_litert_does() {
    let Some(bytes) = fixture("face_detection_full_range_sparse.tflite") else {
        return;
    };
    let (_, document, _) = load(&bytes).unwrap();
    let Document::Model(mut graph) = document else {
        panic!("no model");
    };
    // In place of the network, one operator per decoded weight that adds it to an input.
    graph
        .ops
        .retain(|op| matches!(op.kind.as_str(), "DENSIFY" | "DEQUANTIZE"));
    (graph.inputs, graph.outputs) = (Vec::new(), Vec::new());
    let decoded: Vec<TensorId> = graph
        .ops
        .iter()
        .filter(|op| op.kind == "DEQUANTIZE")
        .flat_map(Op::written)
        .collect();
    assert_eq!(decoded.len(), 182);
    let mut fed = Vec::new();
    for id in decoded {
        let mut add = |name: &str, role| {
            let like = graph.tensor(id);
            let tensor = planner::graph::Tensor {
                name: format!("{name} {}", like.name),
                role,
                ..like.clone()
            };
            graph.tensors.push(tensor);
            TensorId::at(graph.tensors.len() - 1)
        };
        let (x, y) = (add("x", Role::Input), add("y", Role::Output));
        let len: u64 = graph.tensor(id).dims.iter().flatten().product();
        fed.push(vec![0; usize::try_from(len).unwrap()]);
        graph.inputs.push(x);
        graph.outputs.push(y);
        graph.ops.push(Op {
            name: format!("add {}", graph.ops.len()),
            inputs: vec![Some(x), Some(id)],
            outputs: vec![Some(y)],
            ..Op::new(Dialect::Tflite, "", "ADD")
        });
    }
    let model = Model::of(&bytes, graph);
    let lowered = model.lowered(&model.plan(Strategy::OffsetsBySize)).unwrap();
    let (mut count, mut others, mut sizes, mut places) = (0, 0, 0.0, 0.0);
    for weights in model.on_cpu(&lowered, &fed) {
        for (value, place) in floats(&weights).into_iter().zip((0..97).cycle()) {
            count += 1;
            others += u32::from(value != 0.0);
            sizes += f64::from(value.abs());
            places += f64::from(value) * f64::from(place);
        }
    }
    assert_eq!((count, others), (508_308, 184_492));
    assert!((sizes - 39_403.451_099_753_38).abs() < 1e-6, "{sizes}");
    assert!((places + 36_093.124_831_199_646).abs() < 1e-6, "{places}");
}

/// A filter over one step with weights of 8 bits: x = 3 becomes 127 steps of 3/127, times 2 steps of
/// 0.5 is 3, and 3 · 1 in the only step that it remembers. The report says so of the layer, and of
/// no layer with weights of floats; that its weights are decoded is said of neither.
#[test]
fn recurrent_layers_of_dynamic_range_are_counted() {
    for (weights, layers) in [("i8[1,1] q(0.5, 0) = [2]", 1), ("f32[1,1] = [1.0]", 0)] {
        let text = format!(
            "graph filter tflite\ninput x: f32[1,1]\nconst w: {weights}\n\
             const t: f32[1,1] = [1.0]\nstate s: f32[1,1]\n\
             y = SVDF(x, w, t, _, s) rank=1 fused_activation_function=NONE\n\
             z = ABS(y)\noutput z\n"
        );
        let bytes = text.into_bytes();
        let (_, document, _) = load(&bytes).expect("a graph");
        let known = (
            &planner::graph::Bindings::new(),
            &planner::passes::Given::new(),
        );
        let model = Model::given(&bytes, &document, known, planner::Settings::default());
        let model = model.expect("it fits");
        let plan = model.plan(Strategy::OffsetsBySize);
        let question = Question {
            inputs: Inputs::Given(vec![Some(words(&[3.0]))]),
            ..question(&model, &plan)
        };
        let found = report(&Machine::Cpu, &question).expect("it runs");
        assert_eq!((found.hybrid, found.decoded), (layers, 0));
        let outputs = pollster::block_on(execute(&Machine::Cpu, &question, 1)).expect("it runs");
        assert_eq!(floats(&outputs.outputs[0].1), [3.0]);
    }
}
