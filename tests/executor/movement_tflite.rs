//! TFLite's builtins that move elements, against figures by hand.

use planner::graph::{DType, Dialect};
use tests::one_op::OneOp;

fn op(kind: &str) -> OneOp {
    OneOp::new(Dialect::Tflite, kind)
}

/// 0, 1, 2, ...
fn count(len: u8) -> Vec<f32> {
    (0..len).map(f32::from).collect()
}

/// Runs an operator of several outputs on both machines.
fn check(op: &OneOp, expected: &[&[f32]]) {
    let (on_cpu, on_gpu) = op.run();
    for outputs in [Some(on_cpu), on_gpu].into_iter().flatten() {
        for (found, expected) in outputs.iter().zip(expected) {
            assert_eq!(&tests::runs::floats(found), expected, "{op:?}");
        }
    }
}

/// NumPy's x[1, ::-2] of 2 x 5: one index, then every second element from the last.
#[test]
fn a_strided_slice_with_masks() {
    let slice = |dims: &[usize]| {
        op("STRIDED_SLICE")
            .input(&[2, 5], &count(10))
            .output(DType::F32, dims)
    };
    slice(&[3])
        .integers(&[1, 0])
        .integers(&[2, 0])
        .integers(&[1, -2])
        .int("begin_mask", 2)
        .int("end_mask", 2)
        .int("shrink_axis_mask", 1)
        .check(&[9.0, 7.0, 5.0], 0.0);
    // x[..., None, 1:-1]: the ellipsis stands for the rows, and a dimension of 1 is new.
    slice(&[2, 1, 3])
        .integers(&[0, 0, 1])
        .integers(&[0, 0, -1])
        .integers(&[1, 1, 1])
        .int("ellipsis_mask", 1)
        .int("new_axis_mask", 2)
        .check(&[1.0, 2.0, 3.0, 6.0, 7.0, 8.0], 0.0);
}

#[test]
fn slices_and_reversals() {
    op("SLICE")
        .input(&[2, 3], &count(6))
        .integers(&[1, 1])
        .integers(&[1, -1])
        .output(DType::F32, &[1, 2])
        .check(&[4.0, 5.0], 0.0);
    op("REVERSE_V2")
        .input(&[2, 3], &count(6))
        .integers(&[1])
        .output(DType::F32, &[2, 3])
        .check(&[2.0, 1.0, 0.0, 5.0, 4.0, 3.0], 0.0);
}

#[test]
fn splits_into_equal_and_other_parts() {
    let split = op("SPLIT")
        .integers(&[1])
        .input(&[2, 4], &count(8))
        .output(DType::F32, &[2, 2])
        .output(DType::F32, &[2, 2]);
    check(&split, &[&[0.0, 1.0, 4.0, 5.0], &[2.0, 3.0, 6.0, 7.0]]);
    let split = op("SPLIT_V")
        .input(&[2, 4], &count(8))
        .integers(&[1, -1])
        .integers(&[-1])
        .output(DType::F32, &[2, 1])
        .output(DType::F32, &[2, 3]);
    check(&split, &[&[0.0, 4.0], &[1.0, 2.0, 3.0, 5.0, 6.0, 7.0]]);
}

/// RELU6 comes after the joining.
#[test]
fn joins_and_cuts_off() {
    op("CONCATENATION")
        .input(&[2, 1], &[-1.0, 3.0])
        .input(&[2, 2], &[5.0, 6.0, 7.0, 8.0])
        .int("axis", -1)
        .text("fused_activation_function", "RELU6")
        .output(DType::F32, &[2, 3])
        .check(&[0.0, 5.0, 6.0, 3.0, 6.0, 6.0], 0.0);
}

#[test]
fn packs_and_unpacks() {
    op("PACK")
        .input(&[2], &[1.0, 2.0])
        .input(&[2], &[3.0, 4.0])
        .int("axis", 1)
        .int("values_count", 2)
        .output(DType::F32, &[2, 2])
        .check(&[1.0, 3.0, 2.0, 4.0], 0.0);
    let unpack = op("UNPACK")
        .input(&[2, 2], &[1.0, 2.0, 3.0, 4.0])
        .int("axis", 1)
        .int("num", 2)
        .output(DType::F32, &[2])
        .output(DType::F32, &[2]);
    check(&unpack, &[&[1.0, 3.0], &[2.0, 4.0]]);
}

#[test]
fn pads_with_zeros_a_value_and_mirrors() {
    let row = |kind: &str| {
        op(kind)
            .input(&[1, 3], &[1.0, 2.0, 3.0])
            .integers(&[0, 0, 2, 1])
            .output(DType::F32, &[1, 6])
    };
    // The paddings are a matrix; the builder's list says the same.
    row("PAD").check(&[0.0, 0.0, 1.0, 2.0, 3.0, 0.0], 0.0);
    row("PADV2")
        .weights(&[1], &[9.0])
        .check(&[9.0, 9.0, 1.0, 2.0, 3.0, 9.0], 0.0);
    row("MIRROR_PAD")
        .text("mode", "REFLECT")
        .check(&[3.0, 2.0, 1.0, 2.0, 3.0, 2.0], 0.0);
    row("MIRROR_PAD")
        .text("mode", "SYMMETRIC")
        .check(&[2.0, 1.0, 1.0, 2.0, 3.0, 3.0], 0.0);
    let quantized = op("PAD")
        .fed(DType::I8, &[1], vec![5])
        .integers(&[1, 0])
        .output(DType::I8, &[2]);
    assert!(quantized.refusal().contains("zero point"));
}

/// One pixel of four channels is a block of 2 x 2, and the other way round.
#[test]
fn channels_become_blocks() {
    let blocks = [0.0, 1.0, 4.0, 5.0, 2.0, 3.0, 6.0, 7.0];
    op("DEPTH_TO_SPACE")
        .input(&[1, 1, 2, 4], &count(8))
        .int("block_size", 2)
        .output(DType::F32, &[1, 2, 4, 1])
        .check(&blocks, 0.0);
    op("SPACE_TO_DEPTH")
        .input(&[1, 2, 4, 1], &[0.0, 1.0, 4.0, 5.0, 2.0, 3.0, 6.0, 7.0])
        .int("block_size", 2)
        .output(DType::F32, &[1, 1, 2, 4])
        .check(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], 0.0);
}

/// Rows of 1 to 3 after one zero, in blocks of 2: [0, 2] and [1, 3]; back without the zero.
#[test]
fn space_becomes_batches() {
    op("SPACE_TO_BATCH_ND")
        .input(&[1, 3, 1], &[1.0, 2.0, 3.0])
        .integers(&[2])
        .integers(&[1, 0])
        .output(DType::F32, &[2, 2, 1])
        .check(&[0.0, 2.0, 1.0, 3.0], 0.0);
    op("BATCH_TO_SPACE_ND")
        .input(&[2, 2, 1], &[0.0, 2.0, 1.0, 3.0])
        .integers(&[2])
        .integers(&[1, 0])
        .output(DType::F32, &[1, 3, 1])
        .check(&[1.0, 2.0, 3.0], 0.0);
    // 2 x 2 in blocks of 2 x 2: every batch is one element.
    op("SPACE_TO_BATCH_ND")
        .input(&[1, 2, 2, 1], &count(4))
        .integers(&[2, 2])
        .integers(&[0, 0, 0, 0])
        .output(DType::F32, &[4, 1, 1, 1])
        .check(&[0.0, 1.0, 2.0, 3.0], 0.0);
}

#[test]
fn gathers_with_batches_and_tuples() {
    op("GATHER")
        .input(&[2, 3], &count(6))
        .fed(DType::I32, &[2, 2], vec![2, 0, 1, 1])
        .int("axis", 1)
        .int("batch_dims", 1)
        .output(DType::F32, &[2, 2])
        .check(&[2.0, 0.0, 4.0, 4.0], 0.0);
    op("GATHER_ND")
        .input(&[2, 3], &count(6))
        .fed(DType::I32, &[2, 2], vec![1, 2, 0, 1])
        .output(DType::F32, &[2])
        .check(&[5.0, 1.0], 0.0);
}

#[test]
fn repeats_and_fills() {
    op("TILE")
        .input(&[2], &[1.0, 2.0])
        .integers(&[2])
        .output(DType::F32, &[4])
        .check(&[1.0, 2.0, 1.0, 2.0], 0.0);
    op("BROADCAST_TO")
        .input(&[2, 1], &[1.0, 2.0])
        .integers(&[2, 2])
        .output(DType::F32, &[2, 2])
        .check(&[1.0, 1.0, 2.0, 2.0], 0.0);
    op("FILL")
        .integers(&[3])
        .input(&[], &[7.0])
        .output(DType::F32, &[3])
        .check(&[7.0; 3], 0.0);
    op("TRANSPOSE")
        .input(&[2, 3], &count(6))
        .integers(&[1, 0])
        .output(DType::F32, &[3, 2])
        .check(&[0.0, 3.0, 1.0, 4.0, 2.0, 5.0], 0.0);
}
