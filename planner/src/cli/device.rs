//! The device that a training step is to run on, as an option, and what follows for the step.

use planner::training::Recipe;
use planner::training::devices::{Batches, Device, UnknownDevice, batches};
use planner::training::stage::NoStep;
use planner::training::table::Row;
use planner::{Bytes, size};
use serde_json::{Value, json};

use super::train::{Opened, row};

/// A device: its memory alone, or one that has a name.
#[derive(Clone, Copy, Debug)]
pub(super) enum OnDevice {
    Memory(u64),
    Named(Device),
}

/// Reads bytes or a name.
pub(super) fn parse(text: &str) -> Result<OnDevice, UnknownDevice> {
    match size(text) {
        Ok(bytes) => Ok(OnDevice::Memory(bytes)),
        Err(_) => text.parse().map(OnDevice::Named),
    }
}

impl OnDevice {
    pub(super) fn memory(self) -> u64 {
        match self {
            Self::Memory(bytes) => bytes,
            Self::Named(device) => device.memory.0,
        }
    }

    pub(super) fn named(self) -> Option<Device> {
        match self {
            Self::Memory(_) => None,
            Self::Named(device) => Some(device),
        }
    }
}

/// The row of a policy, with how long it takes at least.
pub(super) fn timed(row_of: &Row, device: Option<OnDevice>, recipe: Recipe) -> Value {
    let mut value = row(row_of);
    if let (Some(device), Value::Object(fields)) = (device.and_then(OnDevice::named), &mut value) {
        let fast = device.computing_in(recipe.precision);
        let seconds = row_of.needs.map(|needs| fast.seconds(needs.time()));
        let link = row_of.needs.map(|_| device.link_seconds(row_of.again));
        fields.insert("seconds".to_owned(), json!(seconds));
        fields.insert("seconds_over_link".to_owned(), json!(link));
    }
    value
}

/// The largest batches of what is opened that fit into the device; `None` of a log.
pub(super) fn largest(
    opened: &Opened,
    recipe: Recipe,
    device: OnDevice,
) -> Option<Result<Batches, NoStep>> {
    let memory = Bytes(device.memory());
    match opened {
        Opened::Log(..) => None,
        Opened::Model(_, graph) => Some(batches(graph, recipe, memory)),
        Opened::Layers(_, layers) => {
            let graph = layers.graph().ok()?;
            Some(batches(&graph, recipe, memory))
        }
    }
}
