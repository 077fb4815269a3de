//! Samples that are runs of a training step.

use std::collections::BTreeMap;

use planner::graph::Bindings;
use planner::load::load;
use planner::training::dtr::log_text;
use planner::training::stage::step;
use planner::{Recipe, Settings, prepare};

use super::{Group, Sample, text};
use crate::networks;

/// The samples of a step, and the floating point operations that its device does in a nanosecond.
pub const TRAINED: (u64, u64) = (16, 10_000);

pub(super) fn training() -> Vec<Sample> {
    vec![Sample {
        id: "unet_training",
        group: Group::Training,
        file: "unet_training.log",
        title: text("U-Net, one training step", "U-Net，一个训练步"),
        about: text(
            "A log of an eager run. Under half of its bytes as a budget, an allocator needs two thirds more addresses than the bound: see Training.",
            "一次即时执行的日志。以其一半字节为预算时，分配器所需的地址比下界多三分之二：见“训练”。",
        ),
        bind: BTreeMap::new(),
        show: &[],
        bytes: unet_training().into_bytes(),
    }]
}

fn unet_training() -> String {
    let (_, document, _) = load(&networks::unet()).expect("a model");
    let subject = prepare(&document, &Bindings::new(), &Settings::default()).expect("sizes");
    let graph = subject.graph().expect("a model");
    let (batch, rate) = TRAINED;
    let step = step(graph, batch, Recipe::default()).expect("a step");
    log_text(&step.problem, rate)
}
