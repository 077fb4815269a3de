//! On several devices: times by hand, and how a model is divided that no device holds.

use planner::Bytes;
use planner::generate::presets::gated;
use planner::training::advisor::{Kind, Kinds, Wanted};
use planner::training::devices::Device;
use planner::training::{Recipe, stage};

use super::{advice, transformer};

fn wanted(devices: u32, memory: u64, kinds: Kinds) -> Wanted {
    Wanted {
        device: Device {
            // A unit of cost takes a millionth of a second.
            flops: 2_000_000,
            products: 2_000_000,
            memory: Bytes(memory),
            link: 1_000_000,
            peers: 1_000_000,
            network: 500_000,
        },
        devices,
        batch: 16,
        recipe: Recipe::parse("autograd+adam").expect("a recipe"),
        context: Bytes::ZERO,
        workspace: None,
        kinds,
    }
}

/// Four replicas take a quarter of the samples each. Of the gradients a device sends three quarters
/// twice, a byte in a unit of cost, beside computing.
#[test]
fn replicas_take_what_they_compute_or_send() {
    let graphs = transformer(&gated(2, 32, (4, 2, 8), 64, 50), 16);
    let recipe = Recipe::parse("autograd+adam").expect("a recipe");
    let step = stage::step(&graphs[0].1, 4, recipe).expect("a step");
    let sent = 2 * (step.fixed.gradients * 3 / 4);
    let found = advice(&graphs, &wanted(4, 1 << 40, Kinds::lossless()));
    let answer = found.answer.expect("a case");
    assert_eq!(answer.changes, Kinds::NONE);
    let cost = step.problem.base_cost();
    assert_eq!(answer.time.computed, cost);
    assert_eq!(answer.time.sent, sent.saturating_sub(cost));
    // Sixteen devices are of two hosts: those of one share what all eight can send.
    let found = advice(&graphs, &wanted(16, 1 << 40, Kinds::lossless()));
    let answer = found.answer.expect("a case");
    let one = stage::step(&graphs[0].1, 1, recipe).expect("a step");
    let sent = 2 * (step.fixed.gradients * 15 / 16);
    let cost = one.problem.base_cost();
    assert_eq!(answer.time.computed, cost);
    assert_eq!(answer.time.sent, sent.saturating_sub(cost));
}

/// As many devices with less memory each: what is allowed decides how the step is divided, and every
/// case has the devices and the samples that were asked for.
#[test]
fn what_no_device_holds_is_divided() {
    // Mostly weights, and mostly values.
    let weights = transformer(&gated(4, 256, (4, 4, 64), 512, 1000), 32);
    let values = transformer(&gated(4, 64, (4, 4, 16), 128, 100), 256);
    let most = |graphs| {
        let whole = advice(graphs, &wanted(8, 1 << 40, Kinds::NONE));
        whole.answer.expect("a case").reserved.0
    };
    for (graphs, kinds, tenths) in [
        (&weights, Kinds::NONE.with(Kind::Zero), 9),
        (&weights, Kinds::NONE.with(Kind::Divide), 8),
        (&values, Kinds::NONE.with(Kind::Micro), 8),
        (&weights, Kinds::lossless(), 5),
        (&values, Kinds::lossless(), 3),
    ] {
        let memory = most(graphs) * tenths / 10;
        let found = advice(graphs, &wanted(8, memory, kinds));
        let answer = found.answer.as_ref().expect("a case");
        assert!(found.fits(), "{kinds:?}");
        assert!(answer.reserved.0 <= memory);
        for case in &found.cases {
            let own = case.training.recipe.sharding;
            assert!(case.changes.within(kinds));
            assert_eq!(own.devices(), 8);
            let samples = case.training.batch * u64::from(own.micro) * u64::from(own.data);
            assert_eq!(samples, 16);
        }
    }
}
