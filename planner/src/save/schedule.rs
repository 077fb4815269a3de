//! The order in which a plan expects its steps, as JSON: what runs, what comes to life and
//! what dies at each.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::liveness::Lifetimes;
use crate::units::{Bytes, Step};

/// The version that we write.
const VERSION: u64 = 1;

#[derive(Serialize)]
struct ScheduleJson<'l> {
    arenascope_schedule: u64,
    /// One step after the last.
    horizon: Step,
    /// Those at which something has a name, comes to life or dies.
    steps: Vec<StepJson<'l>>,
}

#[derive(Default, Serialize)]
struct StepJson<'l> {
    step: Step,
    #[serde(skip_serializing_if = "str::is_empty")]
    name: &'l str,
    /// Buffers that are live from here on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    begins: Vec<&'l str>,
    /// Buffers that are live here for the last time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ends: Vec<&'l str>,
    /// Bytes that buffers need here.
    live: Bytes,
}

/// The order of `lifetimes`. Their steps are called `names` as far as these go; `live` are
/// the bytes needed as a step function, as
/// [`profile`](crate::liveness::profile::profile) has them.
#[must_use]
pub fn schedule_json(lifetimes: &Lifetimes, names: &[&str], live: &[(Step, Bytes)]) -> String {
    let mut steps: BTreeMap<Step, StepJson<'_>> = BTreeMap::new();
    for (step, name) in (0..lifetimes.horizon.0).zip(names) {
        steps.entry(Step(step)).or_default().name = name;
    }
    for buffer in lifetimes.buffers.iter().filter(|it| !it.span.is_empty()) {
        let (first, last) = (buffer.span.start, Step(buffer.span.end.0 - 1));
        steps.entry(first).or_default().begins.push(&buffer.name);
        steps.entry(last).or_default().ends.push(&buffer.name);
    }
    let mut points = live.iter().peekable();
    let mut bytes = Bytes::ZERO;
    for (&step, it) in &mut steps {
        while let Some((_, now)) = points.next_if(|(from, _)| *from <= step) {
            bytes = *now;
        }
        (it.step, it.live) = (step, bytes);
    }
    let json = ScheduleJson {
        arenascope_schedule: VERSION,
        horizon: lifetimes.horizon,
        steps: steps.into_values().collect(),
    };
    serde_json::to_string(&json).expect("texts and numbers always have a JSON form")
}
