//! LiteRT's rule (`ArenaPlanner::IdentifyInPlaceTensors`), for ONNX graphs too: the
//! operator's kernel may run in place on that input; nobody else reads the input, and this
//! operator reads it once; both hold equally many bytes, more than a scalar's; and neither is
//! an input, an output, a constant or a variable of the graph. The first such input is taken,
//! for the first output.
//!
//! A view (a reshape) changes no byte. LiteRT lets it share even an input that others read
//! after it; here the one-consumer rule holds for views as well, because a
//! [handover](crate::liveness::Handover) is an overlap of one step.

use crate::Message;
use crate::graph::{Dialect, Graph, Op, OpId, Role, TensorId};
use crate::operators::View;
use crate::passes::{Finding, Reason, Report, Work};
use crate::program::{InPlaceAlias, Program};
use crate::storage::StorageKind;
use crate::units::Bytes;

/// Tensors of as few bytes are never written over: a scalar may stand for a shape that is
/// not known yet.
const SCALAR: Bytes = Bytes(4);

/// How an operator's first output may lie on its inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kernel {
    /// Element by element over any of its first so many inputs.
    Over(usize),
    /// The bytes of its first input, unchanged.
    View,
}

/// Finds the operators that may write an output over an input.
pub(super) fn run(work: &mut Work<'_>) -> Report {
    let graph = &work.program.graph;
    let mut readers: Vec<Vec<OpId>> = vec![Vec::new(); graph.tensors.len()];
    for (index, op) in graph.ops.iter().enumerate() {
        for tensor in op.read() {
            readers[tensor.index()].push(OpId::at(index));
        }
    }
    let mut aliases = Vec::new();
    let mut found = Vec::new();
    for (index, op) in graph.ops.iter().enumerate() {
        let id = OpId::at(index);
        let Some((input, output, refused)) = pair(graph, (id, op), &readers) else {
            continue;
        };
        // The same bytes under another name, at another place.
        let base = |it: TensorId| work.program.storages.view(it).map(|view| view.base);
        if base(input) == base(output) {
            continue;
        }
        let again = |other: &TensorId| *other != input && base(*other) == base(input);
        let again = op.read().find(again).map(|_| Reason::ReadBy { op: id });
        let refused = refused
            .or(again)
            .or_else(|| storage(&work.program, id, (input, output)));
        if refused.is_none() {
            let op = id;
            aliases.push(InPlaceAlias { op, input, output });
        }
        found.push(Finding {
            what: Message::verbatim(&*op.kind),
            ops: vec![id],
            tensors: vec![input, output],
            refused,
        });
    }
    work.program.in_place = aliases;
    Report::of(found)
}

/// Why the storages of the two cannot be one.
fn storage(program: &Program, op: OpId, (input, output): (TensorId, TensorId)) -> Option<Reason> {
    let alias = InPlaceAlias { op, input, output };
    if program.handed_over(&alias).is_some() {
        return None;
    }
    let base = program.storages.view(input)?.base;
    Some(match program.storages.list.get(base.index())?.kind {
        StorageKind::Input => Reason::IsInput,
        StorageKind::Output => Reason::IsOutput,
        StorageKind::State => Reason::IsState,
        StorageKind::Weight => Reason::IsConstant,
        _ => Reason::NeedsContiguous { op },
    })
}

/// The first input that `op` may write over, and the output that it writes there; where there
/// is none, the first that it could be and why it is not.
fn pair(
    graph: &Graph,
    (id, op): (OpId, &Op),
    readers: &[Vec<OpId>],
) -> Option<(TensorId, TensorId, Option<Reason>)> {
    let kernel = kernel(graph.dialect, op)?;
    let count = match kernel {
        Kernel::Over(count) => count,
        Kernel::View => 1,
    };
    let after = op.outputs.first().copied().flatten()?;
    let output = graph.tensor(after);
    if output.role == Role::Constant {
        return None;
    }
    let refused = |before: TensorId| {
        let input = graph.tensor(before);
        let readers = &readers[before.index()];
        let other = readers.iter().find(|reader| **reader != id);
        match (input.role, output.bytes()) {
            (Role::Constant, _) => Some(Reason::IsConstant),
            (Role::Input, _) => Some(Reason::IsInput),
            (Role::Output, _) => Some(Reason::IsOutput),
            (Role::State, _) => Some(Reason::IsState),
            (Role::Unsized, _) | (Role::Intermediate, None) => Some(Reason::Unsized),
            (Role::Intermediate, Some(bytes)) if input.bytes() != Some(bytes) => {
                Some(Reason::OtherSize)
            }
            (Role::Intermediate, _) if readers.len() != 1 => Some(Reason::ReadBy {
                op: other.copied().unwrap_or(id),
            }),
            (Role::Intermediate, _) if output.role != Role::Intermediate => Some(Reason::IsOutput),
            (Role::Intermediate, Some(bytes)) if bytes == Bytes::ZERO => Some(Reason::Scalar),
            (Role::Intermediate, _) if kernel == Kernel::View => None,
            (Role::Intermediate, Some(bytes)) if bytes <= SCALAR => Some(Reason::Scalar),
            (Role::Intermediate, _) if input.dtype != output.dtype => Some(Reason::OtherType),
            (Role::Intermediate, _) => None,
        }
    };
    let inputs = op.inputs.iter().take(count).copied().flatten();
    let tried: Vec<_> = inputs.map(|input| (input, after, refused(input))).collect();
    let taken = tried.iter().find(|(.., refused)| refused.is_none());
    // A constant is no candidate: of the others the first says why.
    let others = tried.iter().filter(|it| it.2 != Some(Reason::IsConstant));
    taken.or(others.into_iter().next()).copied()
}

/// What `LiteRT` registers as in-place operators; of ONNX's own operators those that work element by
/// element, and views.
fn kernel(dialect: Dialect, op: &Op) -> Option<Kernel> {
    if !op.domain.is_empty() {
        return None;
    }
    let facts = op.facts();
    if facts.view == Some(View::Same) || facts.bitcast {
        return Some(Kernel::View);
    }
    let count = match dialect {
        Dialect::Tflite => facts.litert,
        Dialect::Onnx { .. } => facts.in_place,
    };
    (count > 0).then_some(Kernel::Over(count))
}
