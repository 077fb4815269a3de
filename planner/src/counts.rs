//! A program that was planned with the most that its counted operators give, as it is with the
//! counts that a run finds: the same operators, storages and addresses, and sizes that are those
//! of the run.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::graph::infer::{Sizers, infer_found};
use crate::graph::{Bindings, Count, Counts, Graph, Limit, Op, Tensor, TensorId, Value};
use crate::operators::Operator;
use crate::program::Program;
use crate::units::Bytes;
use crate::{Message, impl_message, message};

/// The elements of small tensors that are known.
pub type Known = BTreeMap<TensorId, Value>;

/// Why a program cannot be run with some counts in the places that were planned for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Misfit {
    /// A tensor takes more bytes with fewer elements elsewhere, as the rest of a length does.
    Larger {
        /// Its name.
        tensor: String,
        /// Its bytes.
        bytes: Bytes,
        /// Those that were planned.
        planned: Bytes,
    },
    /// Where a tensor lies in another one hangs on a count.
    Moved {
        /// Its name.
        tensor: String,
    },
    /// A tensor that reads what has become smaller has no size any longer.
    Unsized {
        /// Its name.
        tensor: String,
        /// Why.
        why: Message,
    },
}

impl Misfit {
    /// The sentence.
    #[must_use]
    pub fn message(&self) -> Message {
        match self {
            Self::Larger {
                tensor,
                bytes,
                planned,
            } => message!(
                "with what the run counted, \"{}\" takes {} B, and {} B were planned: it grows \
                 where a count is less",
                tensor,
                bytes.0,
                planned.0
            ),
            Self::Moved { tensor } => message!(
                "where \"{}\" lies in another tensor hangs on what the run counts: plan it \
                 without the passes \"views\" and \"concat\"",
                tensor
            ),
            Self::Unsized { tensor, why } => message!(
                "with what the run counted, \"{}\" has no size: {}",
                tensor,
                why
            ),
        }
    }
}

impl_message!(Misfit);
impl std::error::Error for Misfit {}

/// `program`, which was sized under `bindings`, with these counts in the place of the most; those
/// that are not among them stay. Returns the elements too that are known then.
///
/// # Errors
/// [`Misfit`].
pub fn found(
    program: &Program,
    bindings: &Bindings,
    counts: &Counts,
) -> Result<(Program, Known), Misfit> {
    let most = program.graph.counts.iter();
    let most: Counts = most.map(|it| (it.tensor.clone(), it.most)).collect();
    let (before, known) = sized(&program.graph, bindings, &most);
    let mut now = most;
    now.extend(counts.iter().map(|(name, count)| (name.clone(), *count)));
    let (after, values) = sized(&program.graph, bindings, &now);
    let differs = |id: &TensorId| {
        let dims = |graph: &Graph| graph.tensor(*id).dims.clone();
        dims(&before) != dims(&after) || known.get(id) != values.get(id)
    };
    let changed: BTreeSet<TensorId> = (0..after.tensors.len())
        .map(TensorId::at)
        .filter(differs)
        .collect();
    let mut program = program.clone();
    for op in &program.graph.ops {
        stays(&program, op, &changed)?;
    }
    let reads = |op: &&Op| op.read().any(|id| changed.contains(&id));
    let behind: BTreeSet<TensorId> = after
        .ops
        .iter()
        .filter(reads)
        .flat_map(Op::written)
        .collect();
    for (index, tensor) in program.graph.tensors.iter_mut().enumerate() {
        let now = &after.tensors[index];
        match (&tensor.dims, &now.dims) {
            (Some(_), None) if behind.contains(&TensorId::at(index)) => {
                let why = now.missing.as_ref().map(|it| it.detail.clone());
                return Err(Misfit::Unsized {
                    tensor: now.name.clone(),
                    why: why.unwrap_or_default(),
                });
            }
            (Some(_), Some(dims)) => {
                let planned = tensor.bytes().unwrap_or_default();
                tensor.dims = Some(dims.clone());
                let bytes = tensor.bytes().unwrap_or_default();
                if bytes > planned {
                    let tensor = tensor.name.clone();
                    return Err(Misfit::Larger {
                        tensor,
                        bytes,
                        planned,
                    });
                }
            }
            _ => {}
        }
    }
    inside(&mut program.graph, &after);
    Ok((program, values))
}

/// The operators of `graph`, fused ones as their parts, sized with these counts, and what is known
/// of it then.
fn sized(graph: &Graph, bindings: &Bindings, counts: &Counts) -> (Graph, Known) {
    let mut sized = graph.unfused().0;
    let types: Vec<_> = sized.tensors.iter().map(|it| it.dtype).collect();
    let mut values = infer_found(&mut sized, bindings, Sizers::ALL, counts);
    values.retain(|id, value| {
        let tensor = sized.tensor(*id);
        tensor.dims.as_ref() == Some(&value.dims) && types[id.index()] == tensor.dtype
    });
    (sized, values)
}

/// What the operator makes lies where it was planned to lie, whatever has changed: no tensor of it
/// is a part of another.
fn stays(program: &Program, op: &Op, changed: &BTreeSet<TensorId>) -> Result<(), Misfit> {
    let operands = || op.read().chain(op.written());
    if !operands().any(|id| changed.contains(&id)) {
        return Ok(());
    }
    for written in op.written() {
        let base = program.storages.view(written).map(|view| view.base);
        let is_part = |id: &TensorId| {
            let view = program.storages.view(*id);
            view.is_some_and(|view| {
                let whole = view.offset == Bytes::ZERO && view.strides.is_empty();
                Some(view.base) == base && !whole
            })
        };
        if let Some(part) = operands().find(is_part) {
            let tensor = program.graph.tensor(part).name.clone();
            return Err(Misfit::Moved { tensor });
        }
    }
    Ok(())
}

/// The sizes of what is between the parts of fused operators.
fn inside(graph: &mut Graph, sized: &Graph) {
    let named = sized.tensors.iter();
    let named: BTreeMap<&str, _> = named.map(|it| (&*it.name, &it.dims)).collect();
    for parts in graph.ops.iter_mut().filter_map(|op| op.fused.as_mut()) {
        for tensor in &mut parts.tensors {
            if let Some(Some(dims)) = named.get(&*tensor.name) {
                tensor.dims = Some(dims.clone());
            }
        }
    }
}

/// The counts that the first `until` steps of `program` find, in their order, each with its
/// operator; among them those of lists that are as long as the file says and only a run fills.
#[must_use]
pub fn to_find(program: &Program, until: Option<usize>) -> Vec<(usize, &Op, Count)> {
    let counts = program.graph.counts.iter();
    let counts: BTreeMap<&str, &Count> = counts.map(|it| (&*it.tensor, it)).collect();
    let steps = program.schedule.steps.iter().enumerate();
    let steps = steps.take(until.unwrap_or(usize::MAX));
    let mut seen = BTreeSet::new();
    let found = steps.filter_map(|(step, entry)| {
        let op = program.graph.ops.get(entry.action.op()?.index())?;
        let tensor = program.graph.tensor(op.written().next()?);
        let count = match counts.get(&*tensor.name) {
            Some(&count) => count.clone(),
            None => filled(op, tensor)?,
        };
        seen.insert(&*tensor.name).then_some((step, op, count))
    });
    found.collect()
}

/// The boxes that TFLite selects lie in a list of fixed length, which only the CPU fills.
fn filled(op: &Op, list: &Tensor) -> Option<Count> {
    let is_one = matches!(
        op.operator,
        Operator::NonMaxSuppressionV4 | Operator::NonMaxSuppressionV5
    );
    let &[most] = list.dims.as_deref().filter(|_| is_one)? else {
        return None;
    };
    Some(Count {
        tensor: list.name.clone(),
        op: op.name.clone(),
        kind: op.kind.clone(),
        most,
        limit: Limit::Shapes,
    })
}
