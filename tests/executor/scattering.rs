//! Scatters, one-hot marks, triangles and constant tensors, against figures by hand.

use planner::graph::{DType, Dialect};
use tests::one_op::OneOp;

fn op(kind: &str) -> OneOp {
    OneOp::new(Dialect::Onnx { opset: 18 }, kind)
}

/// Row 1 to 5; places 1 and -2, which is 3.
#[test]
fn updates_have_an_index_each() {
    op("ScatterElements")
        .input(&[1, 5], &[1.0, 2.0, 3.0, 4.0, 5.0])
        .fed(
            DType::I64,
            &[1, 2],
            vec![1, 0, 2_u32.wrapping_neg(), u32::MAX],
        )
        .input(&[1, 2], &[10.0, 20.0])
        .int("axis", 1)
        .output(DType::F32, &[1, 5])
        .check(&[1.0, 10.0, 3.0, 20.0, 5.0], 0.0);
    // Along the rows, fewer columns than x has: [[0, 2], [2, 0]].
    op("ScatterElements")
        .input(&[3, 3], &[0.0; 9])
        .fed(DType::I32, &[2, 2], vec![0, 2, 2, 0])
        .input(&[2, 2], &[1.0, 2.0, 3.0, 4.0])
        .output(DType::F32, &[3, 3])
        .check(&[1.0, 4.0, 0.0, 0.0, 0.0, 0.0, 3.0, 2.0, 0.0], 0.0);
}

/// Both updates go to the place that holds 2.
#[test]
fn updates_meet() {
    let twice = |how: &str| {
        op("ScatterElements")
            .input(&[3], &[1.0, 2.0, 3.0])
            .fed(DType::I32, &[2], vec![1, 1])
            .input(&[2], &[5.0, -4.0])
            .text("reduction", how)
            .output(DType::F32, &[3])
    };
    twice("none").check(&[1.0, -4.0, 3.0], 0.0);
    twice("add").check(&[1.0, 3.0, 3.0], 0.0);
    twice("mul").check(&[1.0, -40.0, 3.0], 0.0);
    twice("max").check(&[1.0, 5.0, 3.0], 0.0);
    twice("min").check(&[1.0, -4.0, 3.0], 0.0);
}

/// Whole rows, then single elements.
#[test]
fn tuples_lead_to_rows_and_elements() {
    let scatter = || op("ScatterND").input(&[3, 2], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    scatter()
        .fed(DType::I32, &[2, 1], vec![2, 0])
        .input(&[2, 2], &[10.0, 20.0, 30.0, 40.0])
        .output(DType::F32, &[3, 2])
        .check(&[30.0, 40.0, 3.0, 4.0, 10.0, 20.0], 0.0);
    scatter()
        .fed(DType::I32, &[2, 2], vec![0, 1, 2, 0])
        .input(&[2], &[10.0, 20.0])
        .output(DType::F32, &[3, 2])
        .check(&[1.0, 10.0, 3.0, 4.0, 20.0, 6.0], 0.0);
}

/// Indices 0 and -1, which is 2, and 3, which is nowhere; off is 5 and on is 7.
#[test]
fn places_are_marked() {
    let marked = |axis, dims: &[usize]| {
        op("OneHot")
            .fed(DType::I32, &[3], vec![0, u32::MAX, 3])
            .integers(&[3])
            .input(&[2], &[5.0, 7.0])
            .int("axis", axis)
            .output(DType::F32, dims)
    };
    marked(-1, &[3, 3]).check(&[7.0, 5.0, 5.0, 5.0, 5.0, 7.0, 5.0, 5.0, 5.0], 0.0);
    marked(0, &[3, 3]).check(&[7.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 7.0, 5.0], 0.0);
}

/// Two matrices of 2 x 3: [[1, 2, 3], [4, 5, 6]] and the same plus 6.
#[test]
fn triangles_stay() {
    let x: Vec<f32> = (1..=12_u8).map(f32::from).collect();
    let half = |upper, k| {
        op("Trilu")
            .input(&[2, 2, 3], &x)
            .integers(&[k])
            .int("upper", upper)
            .output(DType::F32, &[2, 2, 3])
    };
    let upper = [1.0, 2.0, 3.0, 0.0, 5.0, 6.0, 7.0, 8.0, 9.0, 0.0, 11.0, 12.0];
    half(1, 0).check(&upper, 0.0);
    let lower = [
        1.0, 2.0, 0.0, 4.0, 5.0, 6.0, 7.0, 8.0, 0.0, 10.0, 11.0, 12.0,
    ];
    half(0, 1).check(&lower, 0.0);
    half(1, 3).check(&[0.0; 12], 0.0);
    // Bytes: the last word of 6 is filled in part.
    let bytes = op("Trilu")
        .fed(DType::U8, &[2, 3], vec![0x0403_0201, 0x0605])
        .output(DType::U8, &[2, 3]);
    let (on_cpu, on_gpu) = bytes.run();
    for outputs in [Some(on_cpu), on_gpu].into_iter().flatten() {
        assert_eq!(outputs[0], [0x0003_0201, 0x0605]);
    }
}

/// More elements than shape inference follows.
#[test]
fn a_large_constant_is_filled() {
    op("ConstantOfShape")
        .integers(&[5000])
        .output(DType::F32, &[5000])
        .check(&[0.0; 5000], 0.0);
}

#[test]
fn compress_keeps_what_a_known_condition_names() {
    let x = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let kept = |condition: &[i32]| op("Compress").input(&[2, 3], &x).integers(condition);
    let columns = kept(&[1, 0, 1]).int("axis", -1);
    let columns = columns.output(DType::F32, &[2, 2]);
    columns.check(&[1.0, 3.0, 4.0, 6.0], 0.0);
    // What the condition leaves out is not kept.
    let some = kept(&[0, 1, 0, 0, 1]).output(DType::F32, &[2]);
    some.check(&[2.0, 5.0], 0.0);
}
