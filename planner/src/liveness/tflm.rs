//! What TFLite Micro's allocator puts into its arena, and from when to when.
//!
//! It counts one step before the first operator, at which every graph input begins; an input
//! ends with its last reader, an output lives until the end, everything else from the operator
//! that writes it to its last reader. Steps here begin with the first operator, so an input
//! that nobody reads lives during that one: the caller fills it with the others before the run.

use crate::graph::{Content, Graph, Op, Role};
use crate::units::{Bytes, Span, Step};

/// Sizes are rounded up to a multiple of this, and so are the offsets that it chooses.
pub const ALIGNMENT: Bytes = Bytes(16);

/// Bytes of a handle to a variable, whatever the variable's own.
const HANDLE: Bytes = Bytes(4);

/// The bytes of each tensor that it gives a place.
///
/// Constants lie in the file and variables behind the arena. A tensor without elements that no
/// operator writes is a constant whose elements were taken out, unless the file gives it an
/// offset: then it is an operator's working memory, as in the files that Vela writes.
pub(super) fn sizes(graph: &Graph) -> Vec<Option<Bytes>> {
    let mut handles = vec![false; graph.tensors.len()];
    let makers = graph.ops.iter().filter(|op| op.kind == "VAR_HANDLE");
    for tensor in makers.flat_map(Op::written) {
        handles[tensor.index()] = true;
    }
    let size = |(index, tensor): (usize, &crate::graph::Tensor)| match tensor.role {
        Role::Input | Role::Intermediate | Role::Output => tensor.bytes(),
        Role::State => handles[index].then_some(HANDLE),
        Role::Constant => {
            let given = graph.offline.get(index).copied().flatten();
            let empty = tensor.content == Content::Stripped;
            given.filter(|_| empty).and_then(|_| tensor.bytes())
        }
        Role::Unsized => None,
    };
    graph.tensors.iter().enumerate().map(size).collect()
}

/// Widens the spans of inputs to the start and those of outputs to the end; so that of what
/// nobody writes.
pub(super) fn pin(graph: &Graph, horizon: Step, spans: &mut [Option<Span>]) {
    let first = Span {
        start: Step(0),
        end: horizon.min(Step(1)),
    };
    for (span, tensor) in spans.iter_mut().zip(&graph.tensors) {
        match tensor.role {
            Role::Input => span.get_or_insert(first).start = first.start,
            Role::Constant => {
                if let Some(span) = span {
                    span.start = first.start;
                }
            }
            _ => {}
        }
    }
    for output in &graph.outputs {
        if let Some(span) = &mut spans[output.index()] {
            span.end = horizon;
        }
    }
}
