//! A step whose segments are worked out by hand.

use planner::training::estimate::profile::Profile;
use planner::training::estimate::replayed::replay;
use planner::training::estimate::requests::{requests, requests_as};
use planner::training::estimate::{Estimate, Purpose, estimate};
use planner::training::{Optimizer, Policy, Recipe};
use planner::{AllocatorSettings, Bytes};

use super::{asked, graph, schedule};

/// Blocks of at most 1 MiB lie in segments of 2 MiB, those here above it in segments of 20 MiB.
///
/// | tensor | bytes | block | |
/// |---|---|---|---|
/// | x | 250 × 1024 × 4 | 1 024 000 | small |
/// | w | 1024 × 2048 × 4 | 8 388 608 | large |
/// | a, h | 250 × 2048 × 4 | 2 048 000 | large |
/// | v | 2048 × 77 × 4 | 630 784 | small |
/// | y | 250 × 77 × 4 = 77 000, up to 512 | 77 312 | small |
/// | loss | 4, up to 512 | 512 | small |
pub(super) const HAND: &str = "\
graph hand onnx 17
input x: f32[250, 1024]
const w: f32[1024, 2048]
const v: f32[2048, 77]
a = MatMul(x, w)
h = Relu(a)
y = MatMul(h, v)
output y
";

const ADAM: Recipe = Recipe {
    optimizer: Optimizer::Adam,
    ..crate::training::autograd::AUTOGRAD
};

const MIB: u64 = 1 << 20;
const X: u64 = 1_024_000;
const W: u64 = 8_388_608;
const A: u64 = 2_048_000;
const V: u64 = 630_784;
const Y: u64 = 77_312;

/// Without the tensors that Adam makes on the way in its update.
fn plain() -> Estimate {
    let graph = graph(HAND.as_bytes(), &[]);
    let asked = asked(Policy::KeepAll, ADAM);
    let profile = Profile {
        intermediates: false,
        ..Profile::eager(ADAM)
    };
    let requests = requests_as(&schedule(&graph, &asked), &asked, profile);
    replay(&requests, AllocatorSettings::DEFAULT, None)
}

/// The names in the order in which they are asked for.
#[test]
fn the_first_step_asks_for_more_than_the_second() {
    let graph = graph(HAND.as_bytes(), &[]);
    let asked = asked(Policy::KeepAll, ADAM);
    let found = requests(&schedule(&graph, &asked), &asked);
    let names: Vec<&str> = found.list.iter().map(|it| &*it.name).collect();
    let before = ["w", "v"];
    let forward = ["x", "MatMul_0", "Relu_1", "MatMul_2", "loss"];
    let first = [
        "MatMul_2.grad",
        "v.grad",
        "Relu_1.grad",
        "MatMul_0.grad",
        "w.grad",
    ];
    let states = [
        "w.first moment",
        "w.second moment",
        "v.first moment",
        "v.second moment",
    ];
    let roots = ["w.second moment rooted", "v.second moment rooted"];
    let second = [
        "MatMul_2.grad",
        "v.grad to add",
        "Relu_1.grad",
        "MatMul_0.grad",
        "w.grad to add",
    ];
    let expected = [
        &before[..],
        &forward,
        &first,
        &states,
        &roots,
        &forward,
        &second,
        &roots,
    ];
    assert_eq!(names, expected.concat());
}

/// What each step has at most, intermediates left out.
///
/// The first step has most after its update: weights, gradients and moments of both, and x, which
/// is four times w and v. The second has the moments from its start, and most when the gradient of
/// w is there twice, with that of a: after the backward pass of the second product, so that y, h
/// and their gradients are gone.
///
/// Large blocks of the first step: w and a, h in segment 1 (20 MiB), of which a is free when the
/// gradient of h takes its place; then that of a. The gradient of w (8 MiB) finds 4 096 000 and
/// 6 438 912 free bytes and opens segment 2; the moments of w take 8 MiB in each. So 40 MiB. Small
/// blocks: v, x, y, loss and the gradient of y leave 287 232 bytes of segment 1 (2 MiB); the
/// gradient of v opens segment 2, where the moments of v lie, too. So 4 MiB.
///
/// In the second step both segments have 4 194 304 bytes left for large blocks, so that the
/// gradient of w that is added opens a third; and so does that of v.
#[test]
fn adam_makes_the_second_step_larger_than_the_first() {
    let found = plain();
    let [before, first, second] = &found.steps[..] else {
        panic!("{:?}", found.steps)
    };
    assert_eq!(before.allocated, Bytes(W + V));
    assert_eq!(before.reserved, Bytes(22 * MIB));
    assert_eq!(first.allocated, Bytes(4 * (W + V) + X));
    assert_eq!(first.reserved, Bytes((40 + 4) * MIB));
    assert_eq!(second.allocated, Bytes(4 * (W + V) + X + A + W));
    assert_eq!(second.reserved, Bytes((60 + 6) * MIB));
    // 3 segments of each size.
    assert_eq!((found.segments, found.reserved), (6, second.reserved));
    let peak = [
        (Purpose::Weights, W + V),
        (Purpose::Optimizer, 2 * (W + V)),
        (Purpose::WeightGradients, W + V),
        (Purpose::Inputs, X),
        (Purpose::Outputs, 0),
        (Purpose::Gradients, A),
        (Purpose::Ephemeral, W),
    ];
    for (purpose, bytes) in peak {
        assert_eq!(found.peak.of(purpose), Bytes(bytes), "{purpose:?}");
    }
    assert_eq!(found.peak.step, 2);
    let held: u64 = found.holds.iter().map(|it| it.bytes.0).sum();
    assert_eq!((held, found.more.0), (found.peak.allocated.0, 0));
}

/// The update makes the root of a moment for each weight, all at once: the first step then has
/// five times w and v, for which a third segment of each size is opened already there.
#[test]
fn what_adam_makes_on_the_way_counts() {
    let graph = graph(HAND.as_bytes(), &[]);
    let found = estimate(&graph, &asked(Policy::KeepAll, ADAM), &mut |_, _| true);
    let found = found.expect("an estimate");
    assert_eq!(found.steps[1].allocated, Bytes(5 * (W + V) + X));
    assert_eq!(found.steps[1].reserved, Bytes(66 * MIB));
    assert_eq!(found.steps[2].allocated, Bytes(4 * (W + V) + X + A + W));
    assert_eq!(found.steps[2].reserved, Bytes(66 * MIB));
}

/// In the second step h finds 2 146 304 free bytes: 98 304 more than it needs are too few to be cut
/// off, so that the block has them.
#[test]
fn a_block_that_is_not_split_counts_whole() {
    let found = plain();
    let outputs = |step: u32| {
        let of_step = found.points.iter().filter(|it| it.step == step);
        of_step.map(|it| it.of(Purpose::Outputs).0).max()
    };
    // a and h together; y and the loss come when a is gone.
    assert_eq!(outputs(1), Some(2 * A));
    assert_eq!(outputs(2), Some(2 * A + 98_304));
    assert_eq!(4_194_304 - A, A + 98_304);
    let last = found
        .points
        .iter()
        .rfind(|it| it.step == 1)
        .expect("a point");
    // x is given back with the step, y's block long before.
    assert_eq!(last.allocated, Bytes(4 * (W + V)));
    assert!(
        found
            .points
            .iter()
            .any(|it| it.of(Purpose::Outputs).0 == A + Y + 512)
    );
}

/// Gradients set to none are made anew in each step, and nothing is added to them: of the second
/// step the first 8 MiB are gone that are there in the forward pass otherwise.
#[test]
fn gradients_that_are_set_to_none_are_given_back() {
    let none = Recipe {
        set_to_none: true,
        ..ADAM
    };
    let graph = graph(HAND.as_bytes(), &[]);
    let asked = asked(Policy::KeepAll, none);
    let found = requests(&schedule(&graph, &asked), &asked);
    assert!(found.list.iter().all(|it| !it.name.contains("to add")));
    let gradients = found
        .list
        .iter()
        .filter(|it| it.purpose == Purpose::WeightGradients);
    let gradients: Vec<(&str, u64)> = gradients.map(|it| (&*it.name, it.bytes.0)).collect();
    let each = [("v.grad", V), ("w.grad", W)];
    assert_eq!(gradients, [each, each].concat());
    let found = estimate(&graph, &asked, &mut |_, _| true).expect("an estimate");
    let last = found.points.last().expect("a point");
    assert_eq!(last.allocated, Bytes(3 * (W + V)));
}
