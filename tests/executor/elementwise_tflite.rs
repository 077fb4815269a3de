//! TFLite's element-wise builtins, by hand after the definitions of its reference kernels.

use planner::graph::{DType, Dialect};
use tests::one_op::OneOp;

/// A few roundings of f32; functions are tested more strictly elsewhere.
const TOLERANCE: f64 = 1e-6;

fn op(kind: &str) -> OneOp {
    OneOp::new(Dialect::Tflite, kind)
}

/// f(a, b) of two tensors of one shape.
fn two(kind: &str, a: [f32; 4], b: [f32; 4], expected: [f64; 4]) {
    op(kind)
        .input(&[1, 2, 2, 1], &a)
        .input(&[1, 2, 2, 1], &b)
        .output(DType::F32, &[1, 2, 2, 1])
        .check(&expected, TOLERANCE);
}

fn one(kind: &str, x: [f32; 4], expected: [f64; 4]) {
    op(kind)
        .input(&[4], &x)
        .output(DType::F32, &[4])
        .check(&expected, TOLERANCE);
}

#[test]
fn arithmetic_of_two_tensors() {
    let (a, b) = ([7.5, -7.5, 2.0, -3.0], [2.0, 2.0, -4.0, 0.5]);
    two("ADD", a, b, [9.5, -5.5, -2.0, -2.5]);
    two("SUB", a, b, [5.5, -9.5, 6.0, -3.5]);
    two("MUL", a, b, [15.0, -15.0, -8.0, -1.5]);
    two("DIV", a, b, [3.75, -3.75, -0.5, -6.0]);
    two("MAXIMUM", a, b, [7.5, 2.0, 2.0, 0.5]);
    two("MINIMUM", a, b, [2.0, -7.5, -4.0, -3.0]);
    two("SQUARED_DIFFERENCE", a, b, [30.25, 90.25, 36.0, 12.25]);
    // Rounded down, and the remainder has the sign of the divisor.
    two("FLOOR_DIV", a, b, [3.0, -4.0, -1.0, -6.0]);
    two("FLOOR_MOD", a, b, [1.5, 0.5, -2.0, 0.0]);
    two(
        "POW",
        [2.0, -2.0, 9.0, 5.0],
        [10.0, 3.0, 0.5, -1.0],
        [1024.0, -8.0, 3.0, 0.2],
    );
}

#[test]
fn fused_activations_bound_the_result() {
    let sums = |activation: &str, expected: [f64; 4]| {
        op("ADD")
            .input(&[4], &[-3.0, -0.25, 0.5, 4.0])
            .weights(&[1], &[0.0])
            .output(DType::F32, &[4])
            .text("fused_activation_function", activation)
            .check(&expected, TOLERANCE);
    };
    sums("NONE", [-3.0, -0.25, 0.5, 4.0]);
    sums("RELU", [0.0, 0.0, 0.5, 4.0]);
    sums("RELU_N1_TO_1", [-1.0, -0.25, 0.5, 1.0]);
    // tanh from the tables of Abramowitz and Stegun, 4.5.64.
    sums(
        "TANH",
        [-0.995_054_75, -0.244_918_66, 0.462_117_16, 0.999_329_3],
    );
    op("MUL")
        .input(&[2, 2], &[-3.0, 1.0, 2.0, 4.0])
        .input(&[2], &[1.0, 2.0])
        .output(DType::F32, &[2, 2])
        .text("fused_activation_function", "RELU6")
        .check(&[0.0, 2.0, 2.0, 6.0], TOLERANCE);
    let refused = op("SUB")
        .input(&[1], &[1.0])
        .input(&[1], &[1.0])
        .output(DType::F32, &[1])
        .text("fused_activation_function", "SIGN_BIT")
        .refusal();
    assert!(refused.contains("SIGN_BIT"), "{refused}");
}

#[test]
fn functions_of_one_tensor() {
    let x = [-2.0, -0.5, 0.5, 8.0];
    one("RELU", x, [0.0, 0.0, 0.5, 8.0]);
    one("RELU6", x, [0.0, 0.0, 0.5, 6.0]);
    one("RELU_N1_TO_1", x, [-1.0, -0.5, 0.5, 1.0]);
    one("RELU_0_TO_1", x, [0.0, 0.0, 0.5, 1.0]);
    one("ABS", x, [2.0, 0.5, 0.5, 8.0]);
    one("NEG", x, [2.0, 0.5, -0.5, -8.0]);
    one("SQUARE", x, [4.0, 0.25, 0.25, 64.0]);
    one("FLOOR", x, [-2.0, -1.0, 0.0, 8.0]);
    one("CEIL", x, [-2.0, 0.0, 1.0, 8.0]);
    one("ROUND", [-1.5, 0.5, 1.5, 2.4], [-2.0, 0.0, 2.0, 2.0]);
    one("SQRT", [0.0, 0.25, 4.0, 9.0], [0.0, 0.5, 2.0, 3.0]);
    one("RSQRT", [1.0, 0.25, 4.0, 16.0], [1.0, 2.0, 0.5, 0.25]);
    // x min(max(x + 3, 0), 6) / 6.
    one("HARD_SWISH", x, [-2.0 / 6.0, -1.25 / 6.0, 1.75 / 6.0, 8.0]);
    let e = std::f64::consts::E;
    one("EXP", [0.0, 1.0, -1.0, 2.0], [1.0, e, 1.0 / e, e * e]);
    one("LOG", [1.0, 2.0, 4.0, 0.5], {
        let ln2 = std::f64::consts::LN_2;
        [0.0, ln2, 2.0 * ln2, -ln2]
    });
    one("ELU", [-1.0, 0.0, 1.0, 2.0], [1.0 / e - 1.0, 0.0, 1.0, 2.0]);
    one("LOGISTIC", [0.0, 1.0, -1.0, 2.0], {
        let at = |x: f64| 1.0 / (1.0 + (-x).exp());
        [0.5, at(1.0), at(-1.0), at(2.0)]
    });
    op("LEAKY_RELU")
        .input(&[2], &[-4.0, 4.0])
        .output(DType::F32, &[2])
        .float("alpha", 0.25)
        .check(&[-1.0, 4.0], TOLERANCE);
    op("PRELU")
        .input(&[1, 2, 1, 2], &[-4.0, 4.0, -2.0, -8.0])
        .weights(&[1, 1, 2], &[0.25, 0.5])
        .output(DType::F32, &[1, 2, 1, 2])
        .check(&[-1.0, 4.0, -0.5, -4.0], TOLERANCE);
}

#[test]
fn conditions_choose_rows_or_elements() {
    let choose = |kind: &str, condition: &[usize], word, expected: &[f64]| {
        op(kind)
            .fed(DType::Bool, condition, vec![word])
            .input(&[2, 2], &[1.0, 2.0, 3.0, 4.0])
            .input(&[2, 2], &[-1.0, -2.0, -3.0, -4.0])
            .output(DType::F32, &[2, 2])
            .check(expected, TOLERANCE);
    };
    // False, true: per row in SELECT, per column by broadcasting in SELECT_V2.
    choose("SELECT", &[2], 0x0100, &[-1.0, -2.0, 3.0, 4.0]);
    choose("SELECT_V2", &[2], 0x0100, &[-1.0, 2.0, -3.0, 4.0]);
    choose("SELECT", &[2, 2], 0x0001_0001, &[1.0, -2.0, 3.0, -4.0]);
}

/// The only word of the output on both machines.
fn word(op: &OneOp, expected: u32) {
    let (on_cpu, on_gpu) = op.run();
    assert_eq!(on_cpu[0], [expected]);
    assert!(on_gpu.is_none_or(|words| words[0] == [expected]));
}

#[test]
fn comparisons_and_logic_write_bytes() {
    let compare = |kind: &str, expected| {
        let op = op(kind)
            .input(&[3], &[1.0, 2.0, 3.0])
            .input(&[3], &[2.0, 2.0, 2.0])
            .output(DType::Bool, &[3]);
        word(&op, expected);
    };
    compare("LESS", 0x0000_0001);
    compare("LESS_EQUAL", 0x0000_0101);
    compare("EQUAL", 0x0000_0100);
    compare("NOT_EQUAL", 0x0001_0001);
    compare("GREATER", 0x0001_0000);
    compare("GREATER_EQUAL", 0x0001_0100);
    let logic = |kind: &str, expected| {
        let op = op(kind)
            .fed(DType::Bool, &[4], vec![0x0101_0000])
            .fed(DType::Bool, &[4], vec![0x0100_0100])
            .output(DType::Bool, &[4]);
        word(&op, expected);
    };
    logic("LOGICAL_AND", 0x0100_0000);
    logic("LOGICAL_OR", 0x0101_0100);
    let not = op("LOGICAL_NOT").fed(DType::Bool, &[4], vec![0x0101_0000]);
    word(&not.output(DType::Bool, &[4]), 0x0000_0101);
}

#[test]
fn integers_stay_integers() {
    let divided = op("FLOOR_DIV")
        .fed(DType::I32, &[1], vec![(-7_i32).cast_unsigned()])
        .fed(DType::I32, &[1], vec![2])
        .output(DType::I32, &[1]);
    word(&divided, (-4_i32).cast_unsigned());
    let cast = op("CAST").input(&[1], &[-2.75]).output(DType::I32, &[1]);
    word(&cast, (-2_i32).cast_unsigned());
}
