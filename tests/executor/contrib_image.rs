//! Operators that ONNX Runtime's optimizers write, most of them without a CPU kernel there to
//! compare with: values by hand.

use planner::Strategy;
use planner::graph::DType;
use tests::runs::Model;
use tests::shared;

use crate::operator::{Operator, int_words};

fn contrib(kind: &str) -> Operator {
    Operator::onnx(17, kind).of("com.microsoft")
}

#[test]
fn a_fused_convolution_adds_and_activates() {
    // 2 x + 1, to which 3, -1 and 0 are added: 2, 4 and -5.
    let made = || {
        contrib("FusedConv")
            .fed(&[1, 1, 1, 3], &[-1.0, 2.0, -3.0])
            .weights(&[1, 1, 1, 1], &[2.0])
            .weights(&[1], &[1.0])
            .fed(&[1, 1, 1, 3], &[3.0, -1.0, 0.0])
    };
    made().floats_out().gives(&[&[2.0, 4.0, -5.0]]);
    let relu = made().with("activation", "Relu");
    relu.floats_out().gives(&[&[2.0, 4.0, 0.0]]);
    let leaky = made().with("activation", "LeakyRelu");
    let leaky = leaky.with("activation_params", &[0.5_f32][..]);
    leaky.floats_out().gives(&[&[2.0, 4.0, -2.5]]);
    let clipped = made().with("activation", "Clip");
    let clipped = clipped.with("activation_params", &[-1.0_f32, 3.0][..]);
    clipped.floats_out().gives(&[&[2.0, 3.0, -1.0]]);
}

#[test]
fn channels_lie_last_in_what_a_convolution_reads() {
    let made = contrib("NhwcConv")
        .fed(&[1, 1, 2, 2], &[1.0, 2.0, 3.0, 4.0])
        .weights(&[3, 2, 1, 1], &[1.0, 10.0, 100.0, 1000.0, 0.0, 1.0]);
    // Of pixels (1, 2) and (3, 4): x + 10 y, 100 x + 1000 y, and y.
    made.floats_out()
        .gives(&[&[21.0, 2100.0, 2.0, 43.0, 4300.0, 4.0]]);
}

#[test]
fn biases_of_images_and_scores() {
    let made = contrib("BiasAdd")
        .fed(&[1, 2, 2], &[1.0, 2.0, 3.0, 4.0])
        .weights(&[2], &[10.0, 20.0])
        .fed(&[1, 2, 2], &[100.0, 200.0, 300.0, 400.0]);
    made.floats_out().gives(&[&[111.0, 222.0, 313.0, 424.0]]);
    // Shares are as e^x: 1 to 3, and with the bias 1 to 1.
    let log = 3.0_f32.ln();
    let made = contrib("BiasSoftmax")
        .fed(&[2, 1, 2], &[0.0, 0.0, log, 0.0])
        .fed(&[1, 1, 2], &[0.0, log])
        .with("axis", 2)
        .with("is_inner_broadcast", 0);
    made.floats_out().gives(&[&[0.25, 0.75, 0.5, 0.5]]);
}

#[test]
fn groups_of_channels_are_normalized_over_all_pixels() {
    // Channels 0 and 1 have mean 2 and deviation 1, channels 2 and 3 mean 2 and deviation 2.
    let x = [1.0, 3.0, 0.0, 4.0, 1.0, 3.0, 0.0, 4.0];
    let y = [-1.0, 2.0, -3.0, 5.0, -1.0, 2.0, -3.0, 5.0_f32];
    let made = || {
        contrib("GroupNorm")
            .fed(&[1, 1, 2, 4], &x)
            .weights(&[4], &[1.0, 2.0, 3.0, 4.0])
            .weights(&[4], &[0.0, 0.0, 0.0, 1.0])
            .with("groups", 2)
            .with("epsilon", 0.0_f32)
    };
    made().floats_out().gives(&[&y]);
    let silu = y.map(|y| y / (1.0 + (-y).exp()));
    made().with("activation", 1).floats_out().gives(&[&silu]);
    // The same with the channels first.
    let x = [1.0, 1.0, 3.0, 3.0, 0.0, 0.0, 4.0, 4.0];
    let made = contrib("GroupNorm")
        .fed(&[1, 4, 1, 2], &x)
        .weights(&[4], &[1.0, 2.0, 3.0, 4.0])
        .weights(&[4], &[0.0, 0.0, 0.0, 1.0])
        .with("groups", 2)
        .with("channels_last", 0)
        .with("epsilon", 0.0_f32);
    let y = [-1.0, -1.0, 2.0, 2.0, -3.0, -3.0, 5.0, 5.0];
    made.floats_out().gives(&[&y]);
}

#[test]
fn older_names_and_domains_of_what_is_known() {
    let made = contrib("TransposeMatMul")
        .fed(&[2, 2], &[1.0, 2.0, 3.0, 4.0])
        .weights(&[2, 1], &[10.0, 1.0])
        .with("transA", 1);
    // Columns (1, 3) and (2, 4).
    made.floats_out().gives(&[&[13.0, 24.0]]);
    // The mean of 3 squared and 4 squared is 12.5.
    let made = Operator::onnx(17, "SimplifiedLayerNormalization")
        .fed(&[1, 2], &[3.0, 4.0])
        .weights(&[2], &[1.0, 2.0])
        .with("epsilon", 0.0_f32);
    let root = 12.5_f32.sqrt();
    made.floats_out().gives(&[&[3.0 / root, 8.0 / root]]);
}

#[test]
fn one_half_is_multiplied_by_the_gelu_of_the_other() {
    // x + bias is 1, 2, 0 and 100: 0 has the Gelu 0, and 100 has itself.
    let made = contrib("BiasSplitGelu")
        .fed(&[1, 1, 4], &[0.0, 1.0, -3.0, 96.0])
        .weights(&[4], &[1.0, 1.0, 3.0, 4.0]);
    made.floats_out().gives(&[&[0.0, 200.0]]);
}

#[test]
fn what_lies_between_three_operands_is_planned() {
    // 2 x 3 times 3 x 4 is 2 x 4 floats, in 32 B; times 4 x 1 it is the output.
    let made = Operator::onnx(17, "Einsum")
        .fed(&[2, 3], &[1.0, 0.0, 0.0, 0.0, 1.0, 1.0])
        .fed(
            &[3, 4],
            &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 0.0, 0.0, 0.0, 1.0],
        )
        .weights(&[4, 1], &[1.0, 1.0, 1.0, 10.0])
        .with("equation", "ij,jk,kl->il")
        .floats_out();
    let model = made.model();
    let sizes: Vec<u64> = model
        .lifetimes
        .buffers
        .iter()
        .map(|it| it.payload.0)
        .collect();
    assert_eq!(sizes, [32]);
    // Rows (1, 2, 3, 4) and (5, 6, 7, 9).
    made.gives(&[&[46.0, 108.0]]);
}

#[test]
fn integers_are_summed_and_multiplied_in_all_their_bits() {
    let large = 1_i64 << 40;
    let x = [large, 3, -5, 7];
    let expected = [
        ("ReduceSum", [large + 3, 2]),
        ("ReduceProd", [3 * large, -35]),
        ("ReduceL1", [large + 3, 12]),
        // 2^80 is 0 modulo 2^64.
        ("ReduceSumSquare", [9, 74]),
    ];
    for (kind, expected) in expected {
        let made = Operator::onnx(18, kind)
            .fed_ints(&[2, 2], &x)
            .ints(&[1], &[1]);
        made.output(DType::I64).gives_words(&int_words(&expected));
    }
    let nothing = |kind| {
        Operator::onnx(18, kind)
            .fed_ints(&[1, 0], &[])
            .ints(&[1], &[1])
    };
    let made = nothing("ReduceSum").output(DType::I64);
    made.gives_words(&int_words(&[0]));
    let made = nothing("ReduceProd").output(DType::I64);
    made.gives_words(&int_words(&[1]));
    let mean = Operator::onnx(18, "ReduceMean").fed_ints(&[2, 2], &x);
    assert!(mean.output(DType::I64).refused().contains("no float"));
}

/// Of the small ones of outsiders those that are not refused: they have a kernel on both machines.
#[test]
fn small_models_of_outsiders_can_be_run() {
    for (name, file) in shared::files("cases/run", ".onnx") {
        let model = Model::open(&file);
        if let Err(why) = model.lowered(&model.plan(Strategy::OffsetsBySize)) {
            panic!("{name}: {why}");
        }
    }
}
