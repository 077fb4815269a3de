//! Elements of tensors: what a run is asked for, and what is said of them.

use planner::Strategy;
use planner::graph::{DType, TensorId};
use runner::values::{
    Number, compared, histogram, indices, integers, npy, numbers, statistics, tolerance, top,
};
use runner::{Feed, Output, Reply, Request, Run, array};
use tests::onnx_builder::{DataType, OnnxBuilder};
use tests::runs::Model;

use super::conversation::{ask, run};

fn floats(values: &[f32]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}

/// `a = x + x`, `b = relu(a)`, and after `b` an operator that nobody knows.
fn with_an_unknown_end() -> Vec<u8> {
    with_an_end_of(DataType::FLOAT)
}

fn with_an_end_of(dtype: DataType) -> Vec<u8> {
    let mut builder = OnnxBuilder::new("end", 17);
    let x = builder.input("x", dtype, &[1.into(), 4.into()]);
    let a = builder.op("a", "Add", &[&x, &x], vec![]);
    let b = builder.op("b", "Relu", &[&a], vec![]);
    let c = builder.op("c", "NoSuchOperator", &[&b], vec![]);
    builder.value_info(&c, dtype, &[1.into(), 4.into()]);
    builder.output(&c, dtype, &[1.into(), 4.into()]);
    builder.finish()
}

fn id(model: &Model, name: &str) -> TensorId {
    let tensors = model.program.graph.tensors.iter();
    let place = tensors.zip(0..).find(|(tensor, _)| tensor.name == name);
    TensorId(place.unwrap().1)
}

fn asked(model: &Model, tensors: Vec<TensorId>) -> Reply {
    asked_with(model, tensors, floats(&[1.0, -2.0, 3.0, -4.0]))
}

fn asked_with(model: &Model, tensors: Vec<TensorId>, x: Vec<u8>) -> Reply {
    let run = Box::new(Run {
        inputs: vec![Feed::Elements(x)],
        ..run(model, model.plan(Strategy::OffsetsBySize))
    });
    let request = Request::Values {
        id: 5,
        run,
        tensors,
    };
    ask(&request, Some(&model.bytes)).pop().unwrap()
}

#[test]
fn a_run_goes_as_far_as_what_is_asked_for() {
    let model = Model::open(&with_an_unknown_end());
    let [a, b, c] = ["a", "b", "c"].map(|name| id(&model, name));
    let Reply::Outputs { id: 5, outputs, .. } = asked(&model, vec![b, a]) else {
        panic!("what comes after need not be runnable");
    };
    let found: Vec<(&str, Vec<f64>)> = outputs.iter().map(|it| (&*it.name, numbers(it))).collect();
    assert_eq!(
        found,
        [
            ("b", vec![2.0, 0.0, 6.0, 0.0]),
            ("a", vec![2.0, -4.0, 6.0, -8.0])
        ]
    );
    assert!(matches!(asked(&model, vec![c]), Reply::Failed { .. }));
}

fn output(dtype: DType, dims: &[u64], bytes: &[u8]) -> Output {
    Output {
        rounding: None,
        name: "t".into(),
        dtype,
        dims: dims.to_vec(),
        words: array::words(bytes),
    }
}

#[test]
fn figures_leave_out_what_is_not_finite() {
    let found = statistics(&[1.0, f64::NAN, 3.0, f64::INFINITY, 0.0, 4.0]);
    assert_eq!((found.count, found.odd, found.zeros), (6, 2, 1));
    assert_eq!((found.least, found.largest, found.mean), (0.0, 4.0, 2.0));
    // Of 0, 1, 3 and 4: the squares about the mean are 4, 1, 1 and 4.
    assert!((found.deviation - 2.5_f64.sqrt()).abs() < 1e-12);
    let counts = histogram(&[0.0, 1.0, 1.9, 2.0, f64::NAN, 4.0], 2);
    assert_eq!(counts, [3, 2]);
    assert_eq!(histogram(&[7.0, 7.0], 3), [2, 0, 0]);
    assert_eq!(top(&[3.0, f64::NAN, 9.0, 9.0, -1.0], 3), [2, 3, 0]);
    assert_eq!(indices(5, &[2, 1, 3]), [1, 0, 2]);
}

#[test]
fn a_file_of_numpy_is_read_as_it_was_written() {
    let cases = [
        output(
            DType::F32,
            &[2, 1, 2],
            &floats(&[1.0, -0.0, f32::NAN, 1e-40]),
        ),
        output(DType::I8, &[3], &[1, 0xff, 0x80]),
        output(DType::F16, &[1, 3], &[0x00, 0x3c, 0x00, 0xc0, 0xff, 0x7b]),
        output(DType::I64, &[], &(-5_i64).to_le_bytes()),
        output(DType::Bool, &[2], &[1, 0]),
    ];
    for case in cases {
        let file = npy(&case);
        assert_eq!(file.len() % 64, case.bytes() % 64, "elements begin at 64 B");
        let header = String::from_utf8_lossy(&file[10..]).into_owned();
        assert!(header.starts_with("{'descr': '"), "{header}");
        let read = array::elements(&file, case.dtype, &case.dims).unwrap();
        assert_eq!(array::words(read), case.words, "{case:?}");
        let found = compared(&case, &file).unwrap();
        assert_eq!((found.differing, found.unlike), (0, 0));
    }
}

#[test]
fn the_largest_difference_and_its_place_are_found() {
    let found = output(
        DType::F32,
        &[2, 2],
        &floats(&[1.0, 2.0, f32::INFINITY, 4.5]),
    );
    let expected = output(DType::F32, &[2, 2], &floats(&[1.0, 2.25, 3.0, 4.0]));
    let comparison = compared(&found, &npy(&expected)).unwrap();
    assert_eq!((comparison.differing, comparison.unlike), (3, 1));
    assert_eq!(comparison.beyond, 3);
    // 1e-5 + 1e-4 × 2 is between 1.5e-4 and 3e-4.
    let close = output(DType::F32, &[2], &floats(&[2.000_15, 2.000_3]));
    let near = compared(
        &close,
        &npy(&output(DType::F32, &[2], &floats(&[2.0, 2.0]))),
    )
    .unwrap();
    assert_eq!((near.differing, near.beyond), (2, 1));
    // 4.5 and 4 are floats without rounding.
    let [half, four] = [0.5, 4.0].map(Number::Float);
    assert_eq!(comparison.largest, half);
    let place = (vec![1, 1], Number::Float(4.5), four);
    assert_eq!(comparison.place, Some(place));
    let other = output(DType::F32, &[4, 2], &floats(&[0.0; 8]));
    assert!(compared(&found, &npy(&other)).is_err(), "another shape");
    // bfloat16 is none of NumPy's types: it is written as f32.
    let brain = output(DType::BF16, &[2], &[0x80, 0x3f, 0x00, 0xc0]);
    let read = npy(&brain);
    let wide = array::elements(&read, DType::F32, &[2]).unwrap();
    assert_eq!(wide, floats(&[1.0, -2.0]));
}

/// Integers of 64 bits that are one apart are the same double from 2^53 on, and a tolerance of 1e-4
/// would let a hundred thousand of 10^9 pass: what is not equal is beyond, and is said in full.
#[test]
fn integers_have_to_be_equal() {
    let wide =
        |numbers: [i64; 2]| -> Vec<u8> { numbers.iter().flat_map(|it| it.to_le_bytes()).collect() };
    let cases = [
        (
            DType::I64,
            wide([3, (1 << 53) + 1]),
            wide([3, 1 << 53]),
            ["1", "9007199254740993", "9007199254740992"],
        ),
        (
            DType::U64,
            wide([3, -1]),
            wide([3, 0]),
            ["18446744073709551615", "18446744073709551615", "0"],
        ),
        (
            DType::I32,
            [3_i32, 1_000_000_001].map(i32::to_le_bytes).concat(),
            [3_i32, 1_000_000_000].map(i32::to_le_bytes).concat(),
            ["1", "1000000001", "1000000000"],
        ),
        (
            DType::I8,
            vec![3, 0x80],
            vec![3, 0x7f],
            ["255", "-128", "127"],
        ),
        (DType::Bool, vec![1, 0], vec![1, 1], ["1", "0", "1"]),
    ];
    for (dtype, found, expected, said) in cases {
        let [found, expected] = [found, expected].map(|bytes| output(dtype, &[2], &bytes));
        assert_eq!(tolerance(dtype), None);
        let comparison = compared(&found, &npy(&expected)).unwrap();
        let counts = [comparison.differing, comparison.beyond, comparison.unlike];
        assert_eq!(counts, [1, 1, 0], "{dtype:?}");
        let (place, is, wanted) = comparison.place.unwrap();
        assert_eq!(place, [1]);
        let figures = [comparison.largest, is, wanted].map(|it| it.to_string());
        assert_eq!(figures, said, "{dtype:?}");
        assert_eq!(compared(&found, &npy(&found)).unwrap().differing, 0);
    }
    assert_eq!(integers(&output(DType::F32, &[1], &[0; 4])), None);
}

/// 1, -2, 3 and -4 have neighbours that are 2^-23, 2^-22, 2^-22 and 2^-21 away; twice that is the
/// most that the sums change, and what is left of them after the negative ones are gone.
#[test]
fn what_one_bit_of_the_inputs_changes_stands_beside_the_values() {
    let model = Model::open(&with_an_unknown_end());
    let [a, b] = ["a", "b"].map(|name| id(&model, name));
    let Reply::Outputs { outputs, .. } = asked(&model, vec![a, b]) else {
        panic!("they can be run");
    };
    let found: Vec<Option<f64>> = outputs.iter().map(|it| it.rounding).collect();
    assert_eq!(found, [Some(2_f64.powi(-20)), Some(2_f64.powi(-21))]);
}

/// Floats of 16 bits have neighbours that are 2^-10 of them away: 1, -2, 3 and -4 as above, but
/// 2^13 times as far.
#[test]
fn halves_are_compared_by_steps_of_their_own() {
    let x: Vec<u8> = [0x3c00_u16, 0xc000, 0x4200, 0xc400]
        .iter()
        .flat_map(|half| half.to_le_bytes())
        .collect();
    let model = Model::open(&with_an_end_of(DataType::FLOAT16));
    let [a, b] = ["a", "b"].map(|name| id(&model, name));
    let Reply::Outputs { outputs, .. } = asked_with(&model, vec![a, b], x) else {
        panic!("they can be run");
    };
    let found: Vec<Option<f64>> = outputs.iter().map(|it| it.rounding).collect();
    assert_eq!(found, [Some(2_f64.powi(-7)), Some(2_f64.powi(-8))]);
    // The half after 1 is as near as can be; the one after that is not.
    let half = |bits: u16| output(DType::F16, &[1], &bits.to_le_bytes());
    let beyond = |bits| compared(&half(bits), &npy(&half(0x3c00))).unwrap().beyond;
    assert_eq!([beyond(0x3c01), beyond(0x3c02)], [0, 1]);
}
