//! Matrix products: values by hand, and the GPU against the CPU reference.

use tests::random::Random;
use tests::runs::{floats, gpu};

use crate::operator::{Operator, close, numbers};

/// [[1, 2, 3], [4, 5, 6]]; times B it is [[4, 5], [10, 11]].
const A: [f32; 6] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
/// [[1, 0], [0, 1], [1, 1]].
const B: [f32; 6] = [1.0, 0.0, 0.0, 1.0, 1.0, 1.0];
/// The two transposed.
const A_TURNED: [f32; 6] = [1.0, 4.0, 2.0, 5.0, 3.0, 6.0];
const B_TURNED: [f32; 6] = [1.0, 0.0, 1.0, 0.0, 1.0, 1.0];
const PRODUCT: [f32; 4] = [4.0, 5.0, 10.0, 11.0];

fn matmul() -> Operator {
    Operator::onnx(13, "MatMul")
}

#[test]
fn matmul_takes_constants_and_computed_operands() {
    let fed = matmul().fed(&[2, 3], &A).fed(&[3, 2], &B);
    fed.floats_out().gives(&[&PRODUCT]);
    let right = matmul().fed(&[2, 3], &A).weights(&[3, 2], &B);
    right.floats_out().gives(&[&PRODUCT]);
    let left = matmul().weights(&[2, 3], &A).fed(&[3, 2], &B);
    left.floats_out().gives(&[&PRODUCT]);
}

#[test]
fn a_vector_is_a_row_on_the_left_and_a_column_on_the_right() {
    let dot = matmul().fed(&[3], &A[..3]).fed(&[3], &A[3..]);
    // 1*4 + 2*5 + 3*6.
    dot.floats_out().gives(&[&[32.0]]);
    let row = matmul().fed(&[3], &A[..3]).fed(&[3, 2], &B);
    row.floats_out().gives(&[&PRODUCT[..2]]);
    let column = matmul().fed(&[2, 3], &A).fed(&[3], &[1.0, 0.0, 1.0]);
    // The first column of B.
    column.floats_out().gives(&[&[4.0, 10.0]]);
}

#[test]
fn batches_broadcast() {
    // Rows (1, 2) and (3, 4) with each of the columns (1, 1), (2, 0) and (0, -1).
    let op = matmul()
        .fed(&[2, 1, 1, 2], &A[..4])
        .fed(&[3, 2, 1], &[1.0, 1.0, 2.0, 0.0, 0.0, -1.0]);
    let expected = [3.0, 2.0, -2.0, 7.0, 6.0, -4.0];
    op.floats_out().gives(&[&expected]);
}

#[test]
fn a_fused_activation_is_applied() {
    let fused = |kind: &str| {
        let op = matmul().fed(&[2, 3], &A).weights(&[3, 2], &B);
        op.with("fused_activation", kind).floats_out()
    };
    let clip = fused("Clip").with("fused_min", 4.5_f32);
    clip.with("fused_max", 10.5_f32)
        .gives(&[&[4.5, 5.0, 10.0, 10.5]]);
    let negative = B.map(|b| -b);
    let relu = matmul().fed(&[2, 3], &A).weights(&[3, 2], &negative);
    let relu = relu.with("fused_activation", "Relu").floats_out();
    relu.gives(&[&[0.0; 4]]);
    assert!(fused("Swish").refused().contains("Swish is fused into it"));
}

#[test]
fn gemm_transposes_scales_and_broadcasts_c() {
    // 0.5 * PRODUCT is 2, 2.5, 5, 5.5; C counts twice.
    let cases: [(&[u64], &[f32], [f32; 4]); 7] = [
        (&[], &[1.0], [4.0, 4.5, 7.0, 7.5]),
        (&[1], &[1.0], [4.0, 4.5, 7.0, 7.5]),
        (&[1, 1], &[1.0], [4.0, 4.5, 7.0, 7.5]),
        (&[2], &[1.0, -1.0], [4.0, 0.5, 7.0, 3.5]),
        (&[1, 2], &[1.0, -1.0], [4.0, 0.5, 7.0, 3.5]),
        (&[2, 1], &[1.0, -1.0], [4.0, 4.5, 3.0, 3.5]),
        (&[2, 2], &[1.0, 2.0, 3.0, 4.0], [4.0, 6.5, 11.0, 13.5]),
    ];
    for (dims, c, expected) in cases {
        let op = Operator::onnx(13, "Gemm")
            .fed(&[3, 2], &A_TURNED)
            .weights(&[2, 3], &B_TURNED)
            .fed(dims, c)
            .with("transA", 1)
            .with("transB", 1)
            .with("alpha", 0.5_f32)
            .with("beta", 2.0_f32);
        op.floats_out().gives(&[&expected]);
    }
    let plain = Operator::onnx(13, "Gemm").fed(&[2, 3], &A).fed(&[3, 2], &B);
    plain.floats_out().gives(&[&PRODUCT]);
}

#[test]
fn fully_connected_has_a_row_of_weights_for_each_output() {
    let op = || {
        Operator::tflite("FULLY_CONNECTED")
            .fed(&[2, 1, 3], &A)
            .weights(&[2, 3], &B_TURNED)
    };
    op().none().floats_out().gives(&[&PRODUCT]);
    // 4 + 1, 5 - 20, 10 + 1, 11 - 20, between 0 and 6.
    let fused = op().weights(&[2], &[1.0, -20.0]);
    let fused = fused.with("fused_activation_function", "RELU6");
    let fused = fused.with("keep_num_dims", 1).floats_out();
    fused.gives(&[&[5.0, 0.0, 6.0, 0.0]]);
    let shuffled = op().with("weights_format", 1).floats_out();
    assert!(shuffled.refused().contains("shuffled"));
}

#[test]
fn batch_matmul_turns_its_operands() {
    let op = |dims: [&[u64]; 2], values: [&[f32]; 2]| {
        let op = Operator::tflite("BATCH_MATMUL").fed(dims[0], values[0]);
        op.fed(dims[1], values[1]).floats_out()
    };
    op([&[1, 2, 3], &[3, 2]], [&A, &B]).gives(&[&PRODUCT]);
    let left = op([&[1, 3, 2], &[3, 2]], [&A_TURNED, &B]);
    left.with("adj_x", 1).gives(&[&PRODUCT]);
    let right = op([&[1, 2, 3], &[2, 3]], [&A, &B_TURNED]);
    right.with("adj_y", 1).gives(&[&PRODUCT]);
}

/// Dimensions and elements.
type Array<'a> = (&'a [u64], &'a [f32]);

fn einsum(equation: &str, operands: &[Array<'_>]) -> Operator {
    let op = Operator::onnx(13, "Einsum").with("equation", equation);
    let op = operands.iter().fold(op, |op, (dims, x)| op.fed(dims, x));
    op.floats_out()
}

#[test]
fn einsum_of_one_and_two_operands() {
    let (a, b): (Array<'_>, Array<'_>) = ((&[2, 3], &A), (&[3, 2], &B));
    einsum("ij,jk->ik", &[a, b]).gives(&[&PRODUCT]);
    einsum("ij, jk", &[a, b]).gives(&[&PRODUCT]);
    einsum("ij,jk->ki", &[a, b]).gives(&[&[4.0, 10.0, 5.0, 11.0]]);
    einsum("ij->ji", &[a]).gives(&[&A_TURNED]);
    einsum("ij->i", &[a]).gives(&[&[6.0, 15.0]]);
    einsum("ij,ij->i", &[a, a]).gives(&[&[14.0, 77.0]]);
    // The trace of [[1, 2], [3, 4]], and an outer product.
    einsum("ii->", &[(&[2, 2], &A[..4])]).gives(&[&[5.0]]);
    let pair: Array<'_> = (&[2], &[2.0, 3.0]);
    einsum("i,j->ij", &[pair, pair]).gives(&[&[4.0, 6.0, 6.0, 9.0]]);
    // Attention scores of one query and two keys, two heads of size 1.
    let scores = einsum(
        "bqhd,bkhd->bhqk",
        &[(&[1, 1, 2, 1], &[2.0, 3.0]), (&[1, 2, 2, 1], &A[..4])],
    );
    scores.gives(&[&[2.0, 6.0, 6.0, 12.0]]);
}

#[test]
fn einsum_of_three_operands_and_more() {
    let pair: Array<'_> = (&[2], &[2.0, 3.0]);
    einsum("i,i,i->i", &[pair, pair, pair]).gives(&[&[8.0, 27.0]]);
    // Without an arrow what stands once is left: the sum of 4 and 9 squared, along another letter.
    einsum("i,i,i,i,j", &[pair; 5]).gives(&[&[2.0 * 97.0, 3.0 * 97.0]]);
    // A letter that nobody reads any more is summed at once, one that is read at the end stays.
    einsum("ij,j,i->i", &[(&[2, 2], &A[..4]), pair, pair]).gives(&[&[16.0, 54.0]]);
}

#[test]
fn einsum_broadcasts_what_an_ellipsis_stands_for() {
    einsum("...i->...", &[(&[2, 3], &A)]).gives(&[&[6.0, 15.0]]);
    let (a, b): (Array<'_>, Array<'_>) = ((&[2, 1, 2], &A[..4]), (&[2, 2], &A[..4]));
    einsum("...i,...i->...", &[a, b]).gives(&[&[5.0, 11.0, 11.0, 25.0]]);
    // Without an output the rest comes first.
    einsum("i...", &[(&[3, 2], &A)]).gives(&[&[1.0, 3.0, 5.0, 2.0, 4.0, 6.0]]);
}

/// Sums of up to 70 products of numbers up to 2, in the same order on both machines: they
/// differ by fused multiplications, half an ulp of the running sum each.
const TOLERANCE: f32 = 1e-5;

#[test]
fn products_of_any_shape_agree_with_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let mut random = Random::new(7);
    for case in 0..40 {
        let mut side = |most| 1 + random.below(most);
        // Tiles of 64 in part filled, full and more than one; and what is too flat for them.
        let (m, n, k) = match case % 4 {
            0 => (side(9), side(9), side(9)),
            1 => (side(150), side(150), side(70)),
            2 => (1, side(200), side(70)),
            _ => (side(200), side(3), side(70)),
        };
        let batch: Vec<u64> = (0..random.below(4)).map(|_| 1 + random.below(3)).collect();
        let mut dims = |rows: u64, columns: u64| {
            let own = batch
                .iter()
                .map(|&size| if random.below(3) == 0 { 1 } else { size });
            let mut dims: Vec<u64> = own.collect();
            // Leading dimensions may be left out.
            let first = random.index(dims.len() + 1);
            dims.drain(..first);
            dims.extend([rows, columns]);
            dims
        };
        let (a, b) = (dims(m, k), dims(k, n));
        let (x, y) = (numbers(&mut random, &a), numbers(&mut random, &b));
        let op = matmul().fed(&a, &x);
        let op = match case % 3 {
            0 => op.fed(&b, &y),
            _ => op.weights(&b, &y),
        };
        let (on_cpu, on_gpu) = op.floats_out().run(Some(&gpu));
        let on_gpu = on_gpu.expect("there is one");
        close(&floats(&on_gpu[0]), &floats(&on_cpu[0]), TOLERANCE);
    }
}

#[test]
fn gemms_of_any_shape_agree_with_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let mut random = Random::new(8);
    for case in 0..32_i64 {
        let mut side = || 1 + random.below(70);
        let (m, n, k) = (side(), side(), side());
        let (turn_a, turn_b) = (case & 1, case >> 1 & 1);
        let a = if turn_a == 1 { [k, m] } else { [m, k] };
        let b = if turn_b == 1 { [n, k] } else { [k, n] };
        let c = match case >> 2 & 3 {
            0 => vec![n],
            1 => vec![m, 1],
            2 => vec![m, n],
            _ => vec![],
        };
        let mut fresh = |dims: &[u64]| numbers(&mut random, dims);
        let op = Operator::onnx(13, "Gemm")
            .fed(&a, &fresh(&a))
            .weights(&b, &fresh(&b))
            .fed(&c, &fresh(&c))
            .with("transA", turn_a)
            .with("transB", turn_b)
            .with("alpha", 0.75_f32)
            .with("beta", -1.5_f32);
        let op = match case >> 4 & 1 {
            0 => op,
            _ => op.with("fused_activation", "Relu"),
        };
        let (on_cpu, on_gpu) = op.floats_out().run(Some(&gpu));
        let on_gpu = on_gpu.expect("there is one");
        close(&floats(&on_gpu[0]), &floats(&on_cpu[0]), TOLERANCE);
    }
}
