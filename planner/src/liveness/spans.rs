//! When each tensor is live: from the first operator that writes it to the last that reads
//! it, in file order, as half-open spans over the operators that really run.

use serde::{Deserialize, Serialize};

use super::{Buffer, Lifetimes};
use crate::graph::{Graph, OpId, Role, TensorId};
use crate::units::{Bytes, Span, Step};

/// What the user chooses about lifetimes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// Sizes are rounded up to a multiple of this many bytes, and offsets are multiples of it.
    pub alignment: Bytes,
    /// Whether graph inputs and outputs are placed too, live for the whole run.
    pub pin_io: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            alignment: Bytes(64),
            pin_io: false,
        }
    }
}

/// Why lifetimes cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TooLarge {
    /// The tensor whose rounded size goes beyond 64 bits.
    pub tensor: String,
}

/// The lifetimes of a sized graph whose roles are final.
///
/// Operators that write only constants take no step: their results are known before the
/// run. An intermediate that nobody reads is live during the step that writes it. Buffers
/// stand in order of first use, ties in tensor order.
///
/// # Errors
/// [`TooLarge`] when a rounded size goes beyond 64 bits.
pub fn lifetimes(graph: &Graph, settings: &Settings) -> Result<Lifetimes, TooLarge> {
    let schedule = schedule(graph);
    let horizon = Step(schedule.len() as u64);
    let spans = spans(graph, &schedule, horizon, settings.pin_io);
    let mut buffers = Vec::new();
    for (index, span) in spans.into_iter().enumerate() {
        let tensor = &graph.tensors[index];
        let (Some(span), Some(payload)) = (span, tensor.bytes()) else {
            continue;
        };
        let size = payload.align_up(settings.alignment);
        let size = size.ok_or_else(|| TooLarge {
            tensor: tensor.name.clone(),
        })?;
        buffers.push(Buffer {
            name: tensor.name.clone(),
            size,
            payload,
            span,
            alignment: Bytes(1),
            fixed: None,
            tensor: Some(TensorId::at(index)),
        });
    }
    buffers.sort_by_key(|buffer| (buffer.span.start, buffer.tensor));
    Ok(Lifetimes {
        buffers,
        horizon,
        schedule,
    })
}

/// The operators that run, in file order: all but those whose every output is constant.
fn schedule(graph: &Graph) -> Vec<OpId> {
    let folded = |tensor: TensorId| graph.tensor(tensor).role == Role::Constant;
    let runs = |index: &usize| {
        let mut written = graph.ops[*index].written().peekable();
        written.peek().is_none() || !written.all(folded)
    };
    (0..graph.ops.len()).filter(runs).map(OpId::at).collect()
}

fn spans(graph: &Graph, schedule: &[OpId], horizon: Step, pin_io: bool) -> Vec<Option<Span>> {
    let mut spans: Vec<Option<Span>> = vec![None; graph.tensors.len()];
    for (step, &op) in schedule.iter().enumerate() {
        let now = Span::new(step as u64, step as u64 + 1);
        for tensor in graph.op(op).written().chain(graph.op(op).read()) {
            if graph.tensor(tensor).role == Role::Intermediate {
                let span = spans[tensor.index()].get_or_insert(now);
                span.end = now.end;
            }
        }
    }
    if pin_io {
        let whole = Span {
            start: Step(0),
            end: horizon,
        };
        for (span, tensor) in spans.iter_mut().zip(&graph.tensors) {
            if matches!(tensor.role, Role::Input | Role::Output) {
                *span = Some(whole);
            }
        }
    }
    spans
}
