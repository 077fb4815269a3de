//! Operators on integers, bools and half floats, on both machines. What is expected is either
//! written out or computed by Rust's own integers of the same width.

use std::sync::LazyLock;

use executor::engine::Connection;
use planner::Strategy;
use rten_onnx::onnx::AttributeProto;
use tests::onnx_builder::{Axis, DataType, OnnxBuilder, int};
use tests::random::Random;
use tests::runs::{Model, gpu};

/// One connection for the many small models here.
static GPU: LazyLock<Option<Connection>> = LazyLock::new(gpu);

/// Elements with their type and dimensions.
#[derive(Clone)]
pub(crate) struct Data {
    pub(crate) dtype: DataType,
    pub(crate) dims: Vec<i64>,
    pub(crate) words: Vec<u32>,
}

/// Little-endian bytes as words; what is after the last byte is 0.
pub(crate) fn packed(bytes: impl IntoIterator<Item = u8>) -> Vec<u32> {
    let bytes: Vec<u8> = bytes.into_iter().collect();
    let word = |chunk: &[u8]| {
        let mut raw = [0; 4];
        raw[..chunk.len()].copy_from_slice(chunk);
        u32::from_le_bytes(raw)
    };
    bytes.chunks(4).map(word).collect()
}

macro_rules! data {
    ($($name:ident $number:ty, $dtype:ident;)*) => {
        $(pub(crate) fn $name(dims: &[i64], values: &[$number]) -> Data {
            let bytes = values.iter().flat_map(|value| value.to_le_bytes());
            Data { dtype: DataType::$dtype, dims: dims.to_vec(), words: packed(bytes) }
        })*
    };
}

data! {
    f32s f32, FLOAT;
    i64s i64, INT64;
    u64s u64, UINT64;
    i32s i32, INT32;
    u32s u32, UINT32;
    i16s i16, INT16;
    i8s i8, INT8;
    u8s u8, UINT8;
}

pub(crate) fn bools(dims: &[i64], values: &[bool]) -> Data {
    let bytes = values.iter().map(|&value| u8::from(value));
    Data {
        dtype: DataType::BOOL,
        dims: dims.to_vec(),
        words: packed(bytes),
    }
}

/// IEEE halves by their bits.
fn halves(dims: &[i64], bits: &[u16]) -> Data {
    let bytes = bits.iter().flat_map(|bits| bits.to_le_bytes());
    Data {
        dtype: DataType::FLOAT16,
        dims: dims.to_vec(),
        words: packed(bytes),
    }
}

fn axes(dims: &[i64]) -> Vec<Axis> {
    dims.iter().map(|&dim| dim.into()).collect()
}

/// Checks the words of one operator's output on both machines, padding included.
pub(crate) fn check(
    kind: &str,
    opset: i64,
    attributes: Vec<AttributeProto>,
    inputs: &[Option<Data>],
    expected: &Data,
) {
    let mut builder = OnnxBuilder::new("typed", opset);
    let names: Vec<String> = (0..inputs.len()).map(|n| format!("x{n}")).collect();
    let mut read = Vec::new();
    let mut fed = Vec::new();
    for (name, input) in names.iter().zip(inputs) {
        read.push(input.as_ref().map_or("", |_| name.as_str()));
        if let Some(input) = input {
            builder.input(name, input.dtype, &axes(&input.dims));
            fed.push(input.words.clone());
        }
    }
    builder.op("y", kind, &read, attributes);
    builder.output("y", expected.dtype, &axes(&expected.dims));
    let model = Model::open(&builder.finish());
    let lowered = model.lowered(&model.plan(Strategy::OffsetsBySize)).unwrap();
    let on_cpu = model.on_cpu(&lowered, &fed);
    assert_eq!(on_cpu[0], expected.words, "{kind} on the CPU reference");
    if let Some(gpu) = &*GPU {
        let on_gpu = model.on_gpu(gpu, &lowered, &fed, 0x7149_f2ca).unwrap();
        assert_eq!(on_gpu[0], expected.words, "{kind} on the GPU");
    }
}

fn pair(kind: &str, a: Data, b: Data, expected: &Data) {
    check(kind, 18, vec![], &[Some(a), Some(b)], expected);
}

/// Numbers of every size, near the ends of the range too.
fn numbers(count: usize, seed: u64) -> Vec<i64> {
    let mut random = Random::new(seed);
    let edges = [
        0,
        1,
        -1,
        i64::MAX,
        i64::MIN,
        1 << 31,
        -(1 << 31),
        (1 << 32) - 1,
        1 << 32,
    ];
    let number = |n: usize, random: &mut Random| match edges.get(n) {
        Some(&edge) => edge,
        None => {
            let bits = random.bits().cast_signed();
            bits >> random.below(64)
        }
    };
    (0..count).map(|n| number(n, &mut random)).collect()
}

macro_rules! arithmetic {
    ($test:ident, $data:ident, $number:ty) => {
        #[test]
        fn $test() {
            // An odd number of elements, so that the last word of a narrow type has padding.
            let narrow = |seed| -> Vec<$number> {
                let numbers = numbers(61, seed).into_iter();
                #[allow(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "any bits do"
                )]
                numbers.map(|n| n as $number).collect()
            };
            let (n, a, mut b) = ([61], narrow(1), narrow(2));
            b.rotate_left(3);
            let x = $data(&n, &a);
            let compare = |kind, f: fn(&$number, &$number) -> bool| {
                let y: Vec<bool> = a.iter().zip(&b).map(|(a, b)| f(a, b)).collect();
                pair(kind, x.clone(), $data(&n, &b), &bools(&n, &y));
            };
            compare("Equal", PartialEq::eq);
            compare("Less", PartialOrd::lt);
            compare("LessOrEqual", PartialOrd::le);
            compare("Greater", PartialOrd::gt);
            compare("GreaterOrEqual", PartialOrd::ge);
            for divisor in b.iter_mut().filter(|divisor| **divisor == 0) {
                *divisor = 3;
            }
            let z = $data(&n, &b);
            let each = |kind, attributes, f: fn($number, $number) -> $number| {
                let y: Vec<$number> = a.iter().zip(&b).map(|(&a, &b)| f(a, b)).collect();
                let inputs = [Some(x.clone()), Some(z.clone())];
                check(kind, 18, attributes, &inputs, &$data(&n, &y));
            };
            each("Add", vec![], <$number>::wrapping_add);
            each("Sub", vec![], <$number>::wrapping_sub);
            each("Mul", vec![], <$number>::wrapping_mul);
            each("Max", vec![], Ord::max);
            each("Min", vec![], Ord::min);
            each("BitwiseXor", vec![], |a, b| a ^ b);
            each("Div", vec![], <$number>::wrapping_div);
            each("Mod", vec![int("fmod", 1)], <$number>::wrapping_rem);
            // The sign of the divisor: by Euclid's remainder, which has none.
            #[allow(unused_comparisons, reason = "of unsigned numbers, none is below 0")]
            each("Mod", vec![], |a, b| match a.wrapping_rem_euclid(b) {
                rest if rest != 0 && b < 0 => rest.wrapping_add(b),
                rest => rest,
            });
        }
    };
}

arithmetic!(sixty_four_bits_signed, i64s, i64);
arithmetic!(sixty_four_bits_unsigned, u64s, u64);
arithmetic!(thirty_two_bits_signed, i32s, i32);
arithmetic!(sixteen_bits_signed, i16s, i16);
arithmetic!(eight_bits_unsigned, u8s, u8);

#[test]
fn one_integer() {
    let x = i64s(&[5], &[-3, 0, 7, i64::MIN + 1, 1 << 40]);
    let truth = i64s(&[5], &[3, 0, 7, i64::MAX, 1 << 40]);
    check("Abs", 13, vec![], &[Some(x.clone())], &truth);
    let truth = i64s(&[5], &[3, 0, -7, i64::MAX, -(1 << 40)]);
    check("Neg", 13, vec![], &[Some(x.clone())], &truth);
    let truth = i64s(&[5], &[-1, 0, 1, -1, 1]);
    check("Sign", 13, vec![], &[Some(x)], &truth);
    let x = i8s(&[5], &[-3, 0, 7, -127, 1]);
    check(
        "Abs",
        13,
        vec![],
        &[Some(x)],
        &i8s(&[5], &[3, 0, 7, 127, 1]),
    );
}

#[test]
fn logic() {
    let (t, f) = (true, false);
    let a = bools(&[5], &[t, t, f, f, t]);
    let b = bools(&[5], &[t, f, t, f, t]);
    pair("And", a.clone(), b.clone(), &bools(&[5], &[t, f, f, f, t]));
    pair("Or", a.clone(), b.clone(), &bools(&[5], &[t, t, t, f, t]));
    pair("Xor", a.clone(), b.clone(), &bools(&[5], &[f, t, t, f, f]));
    pair("Equal", a.clone(), b, &bools(&[5], &[t, f, f, t, t]));
    check(
        "Not",
        1,
        vec![],
        &[Some(a.clone())],
        &bools(&[5], &[f, f, t, t, f]),
    );
    // A column and a row.
    let column = bools(&[3, 1], &[t, f, t]);
    let truth = bools(&[3, 5], &[t, t, f, f, t, f, f, f, f, f, t, t, f, f, t]);
    pair("And", column, a, &truth);
}

#[test]
fn floats_compare() {
    let (t, f) = (true, false);
    let a = f32s(&[5], &[-1.0, 0.0, 2.5, 2.5, 1e30]);
    let b = f32s(&[5], &[1.0, -0.0, 2.5, 2.0, -1e30]);
    pair("Less", a.clone(), b.clone(), &bools(&[5], &[t, f, f, f, f]));
    pair(
        "LessOrEqual",
        a.clone(),
        b.clone(),
        &bools(&[5], &[t, t, t, f, f]),
    );
    pair(
        "Greater",
        a.clone(),
        b.clone(),
        &bools(&[5], &[f, f, f, t, t]),
    );
    pair(
        "GreaterOrEqual",
        a.clone(),
        b.clone(),
        &bools(&[5], &[f, t, t, t, t]),
    );
    pair("Equal", a, b, &bools(&[5], &[f, t, t, f, f]));
    let x = f32s(&[4], &[f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 3.0]);
    let one = |kind: &str, attributes, truth: [bool; 4]| {
        check(
            kind,
            20,
            attributes,
            &[Some(x.clone())],
            &bools(&[4], &truth),
        );
    };
    one("IsNaN", vec![], [t, f, f, f]);
    one("IsInf", vec![], [f, t, t, f]);
    one("IsInf", vec![int("detect_negative", 0)], [f, t, f, f]);
    one("IsInf", vec![int("detect_positive", 0)], [f, f, t, f]);
}

#[test]
fn where_broadcasts_three_ways() {
    // A column chooses between a row and a scalar.
    let column = bools(&[2, 1], &[true, false]);
    let row = i64s(&[3], &[1 << 40, -2, 3]);
    let scalar = i64s(&[], &[-7]);
    let truth = i64s(&[2, 3], &[1 << 40, -2, 3, -7, -7, -7]);
    let inputs = [Some(column.clone()), Some(row), Some(scalar)];
    check("Where", 16, vec![], &inputs, &truth);
    let inputs = [
        Some(column.clone()),
        Some(bools(&[3], &[true, false, true])),
        Some(bools(&[2, 3], &[false, false, true, true, true, false])),
    ];
    let truth = bools(&[2, 3], &[true, false, true, true, true, false]);
    check("Where", 16, vec![], &inputs, &truth);
    let inputs = [
        Some(column),
        Some(f32s(&[1, 2], &[1.5, -2.5])),
        Some(f32s(&[2, 1], &[8.0, 9.0])),
    ];
    let truth = f32s(&[2, 2], &[1.5, -2.5, 9.0, 9.0]);
    check("Where", 16, vec![], &inputs, &truth);
}

#[test]
fn powers_of_every_type() {
    // 3^4 = 81, (-2)^5 = -32, 7^0 = 1, 2^40, 2^63 wraps, 1 / 2 towards zero.
    let a = i64s(&[6], &[3, -2, 7, 2, 2, 2]);
    let b = i64s(&[6], &[4, 5, 0, 40, 63, -1]);
    pair(
        "Pow",
        a,
        b,
        &i64s(&[6], &[81, -32, 1, 1 << 40, i64::MIN, 0]),
    );
    let a = f32s(&[3], &[1.5, -2.0, 4.0]);
    pair(
        "Pow",
        a.clone(),
        i64s(&[3], &[2, 3, -1]),
        &f32s(&[3], &[2.25, -8.0, 0.25]),
    );
    pair(
        "Pow",
        a.clone(),
        u32s(&[3], &[2, 3, 0]),
        &f32s(&[3], &[2.25, -8.0, 1.0]),
    );
    pair(
        "Pow",
        a,
        i32s(&[1], &[3]),
        &f32s(&[3], &[3.375, -8.0, 64.0]),
    );
    let a = i32s(&[3], &[1, 2, 3]);
    pair(
        "Pow",
        a,
        f32s(&[3], &[4.0, 5.0, 6.0]),
        &i32s(&[3], &[1, 32, 729]),
    );
}

fn casts(to: DataType, x: Data, expected: &Data) {
    let to = int("to", i64::from(to.0));
    check("Cast", 13, vec![to], &[Some(x)], expected);
}

#[test]
fn casts_between_all_types() {
    let x = f32s(&[5], &[2.9, -2.9, 0.0, 16_777_217.0, -25_769_803_776.0]);
    casts(
        DataType::INT64,
        x.clone(),
        &i64s(&[5], &[2, -2, 0, 16_777_216, -25_769_803_776]),
    );
    casts(
        DataType::BOOL,
        x,
        &bools(&[5], &[true, true, false, true, true]),
    );
    let x = f32s(&[5], &[127.6, -128.0, 0.5, -0.5, 3.0]);
    casts(DataType::INT8, x.clone(), &i8s(&[5], &[127, -128, 0, 0, 3]));
    casts(DataType::INT32, x, &i32s(&[5], &[127, -128, 0, 0, 3]));
    let x = i64s(&[5], &[1 << 40, -1, 256, 5, -300]);
    casts(
        DataType::INT32,
        x.clone(),
        &i32s(&[5], &[0, -1, 256, 5, -300]),
    );
    casts(DataType::UINT8, x.clone(), &u8s(&[5], &[0, 255, 0, 5, 212]));
    casts(DataType::BOOL, x, &bools(&[5], &[true; 5]));
    // Ties between floats go to the even one: 2^24 + 1 down, 2^24 + 3 up, 2^60 + 2^36 down.
    let x = i64s(
        &[5],
        &[
            (1 << 24) + 1,
            (1 << 24) + 3,
            (1 << 60) + (1 << 36),
            -(1 << 24) - 3,
            i64::MIN,
        ],
    );
    let two = |n| 2.0_f32.powi(n);
    let truth = [two(24), two(24) + 4.0, two(60), -two(24) - 4.0, -two(63)];
    casts(DataType::FLOAT, x, &f32s(&[5], &truth));
    casts(
        DataType::FLOAT,
        u64s(&[2], &[u64::MAX, (1 << 63) + (1 << 39) + 1]),
        &f32s(&[2], &[two(64), two(63) + two(40)]),
    );
    casts(
        DataType::FLOAT,
        bools(&[3], &[true, false, true]),
        &f32s(&[3], &[1.0, 0.0, 1.0]),
    );
    casts(
        DataType::INT64,
        i8s(&[3], &[-5, 100, 0]),
        &i64s(&[3], &[-5, 100, 0]),
    );
    casts(
        DataType::INT64,
        bools(&[3], &[true, false, true]),
        &i64s(&[3], &[1, 0, 1]),
    );
}

#[test]
fn halves_are_rounded_to_nearest() {
    // By the format: 1 + 2^-11 lies between 1 (even) and 1 + 2^-10; 65,519 is below the half
    // way to infinity and 65,520 on it; the smallest is 2^-24, and half of it goes to 0.
    let x = [
        1.0,
        -2.0,
        1.0 + 1.0 / 2048.0,
        1.0 + 3.0 / 2048.0,
        65_519.0,
        65_520.0,
        5.960_464_5e-8,
        2.980_232_2e-8,
        6.1e-5,
    ];
    let bits = [
        0x3c00, 0xc000, 0x3c00, 0x3c02, 0x7bff, 0x7c00, 0x0001, 0x0000, 0x03ff,
    ];
    casts(DataType::FLOAT16, f32s(&[9], &x), &halves(&[9], &bits));
    let bits = [0x3c00, 0xc000, 0x0001, 0x03ff, 0x7bff, 0x3555, 0x8000];
    let values = [
        1.0,
        -2.0,
        1.0 / 16_777_216.0,
        1023.0 / 16_777_216.0,
        65_504.0,
        0.333_251_95,
        -0.0,
    ];
    casts(DataType::FLOAT, halves(&[7], &bits), &f32s(&[7], &values));
}

#[test]
fn quantised_integers_stand_for_floats() {
    // (q - zero) scale: by hand; along the second dimension, then for all alike.
    let q = i8s(&[2, 3], &[-128, 0, 127, 10, 20, 30]);
    let inputs = [
        Some(q.clone()),
        Some(f32s(&[3], &[0.5, 2.0, 0.25])),
        Some(i8s(&[3], &[0, 10, -1])),
    ];
    let truth = f32s(&[2, 3], &[-64.0, -20.0, 32.0, 5.0, 20.0, 7.75]);
    check("DequantizeLinear", 13, vec![], &inputs, &truth);
    let rows = [Some(q), Some(f32s(&[2], &[1.0, 3.0]))];
    let truth = f32s(&[2, 3], &[-128.0, 0.0, 127.0, 30.0, 60.0, 90.0]);
    check("DequantizeLinear", 13, vec![int("axis", -2)], &rows, &truth);
    let bytes = [
        Some(u8s(&[5], &[0, 128, 255, 130, 1])),
        Some(f32s(&[], &[0.5])),
        Some(u8s(&[], &[128])),
    ];
    let truth = f32s(&[5], &[-64.0, 0.0, 63.5, 1.0, -63.5]);
    check("DequantizeLinear", 13, vec![], &bytes, &truth);
    // Ties to even, and what is beyond the range becomes its end.
    let x = f32s(&[6], &[0.5, 1.5, -0.5, 400.0, -400.0, 3.2]);
    let inputs = [
        Some(x.clone()),
        Some(f32s(&[], &[1.0])),
        Some(u8s(&[], &[10])),
    ];
    check(
        "QuantizeLinear",
        13,
        vec![],
        &inputs,
        &u8s(&[6], &[10, 12, 10, 255, 0, 13]),
    );
    let inputs = [Some(x), Some(f32s(&[], &[2.0])), Some(i8s(&[], &[-3]))];
    check(
        "QuantizeLinear",
        13,
        vec![],
        &inputs,
        &i8s(&[6], &[-3, -2, -3, 127, -128, -1]),
    );
}
