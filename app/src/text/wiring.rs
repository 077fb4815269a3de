//! Which operators write and read a buffer.

use planner::graph::TensorId;
use planner::{Buffer, Step, Subject};

/// The steps at which a buffer's tensor is written and read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wiring {
    /// The step that writes it first.
    pub(crate) producer: Option<u64>,
    /// The steps that read it, ascending.
    pub(crate) consumers: Vec<u64>,
}

impl Wiring {
    /// Looks only at the steps at which the buffer is live: what touches it runs then.
    pub(crate) fn new(subject: &Subject, buffer: &Buffer) -> Self {
        let mut wiring = Self::default();
        let last = buffer.span.end.0.min(subject.scheduled() as u64);
        let stored = |tensor: TensorId| subject.stores(buffer, tensor);
        for step in buffer.span.start.0..last {
            let Some(op) = subject.op(Step(step)) else {
                continue;
            };
            if wiring.producer.is_none() && op.written().any(stored) {
                wiring.producer = Some(step);
            }
            if op.read().any(stored) {
                wiring.consumers.push(step);
            }
        }
        wiring
    }
}
