//! A training step as a log of an eager run, in the prototype's own form: see [`read`](super::read()).

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::log::{Event, Log};
use crate::schedule::Phase;
use crate::training::Problem;

/// The log of a step that is run once, in order, each value let go of after the last that reads
/// it. `rate` is how much of the step's cost the device does in a nanosecond, at least 1.
#[must_use]
pub fn log_text(problem: &Problem, rate: u64) -> String {
    let log = Log::from(problem);
    let names = names(problem);
    let named = |tensor: usize| names[tensor].as_str();
    let mut lines: Vec<Value> = Vec::new();
    let mut is_backward = false;
    for event in &log.events {
        let call = match *event {
            Event::Call(call) => &log.calls[call],
            Event::Release(tensor) => {
                lines.push(json!({"INSTRUCTION": "RELEASE", "NAME": named(tensor)}));
                continue;
            }
            Event::Hold(_) | Event::Pin(_) => continue,
        };
        if call.phase == Phase::Backward && !is_backward {
            is_backward = true;
            lines.push(json!({"INSTRUCTION": "ANNOTATE", "ANNOTATION": "BACKWARD"}));
        }
        let made: Vec<&str> = call.makes.iter().map(|made| named(made.tensor)).collect();
        let read: Vec<&str> = call.reads.iter().map(|read| named(*read)).collect();
        lines.push(json!({
            "INSTRUCTION": "CALL",
            "NAME": call.name,
            "ARGS": read,
            "RESULT": made,
            "TIME": (call.cost / rate.max(1)).to_string(),
        }));
        for (made, name) in call.makes.iter().zip(made) {
            let bytes = made.bytes.to_string();
            lines.push(json!({"INSTRUCTION": "MEMORY", "NAME": name, "MEMORY": bytes}));
            lines.push(json!({"INSTRUCTION": "ALIAS", "NAME": name, "ALIAS": "-1"}));
        }
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// A name of its own for the value of each node.
fn names(problem: &Problem) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let own = |(index, name): (usize, &String)| {
        let mut name = name.clone();
        while !taken.insert(name.clone()) {
            name = format!("{name}:{index}");
        }
        name
    };
    let nodes = problem.nodes.iter().map(|node| &node.name);
    nodes.enumerate().map(own).collect()
}
