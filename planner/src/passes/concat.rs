//! Concatenation in place: the pieces are written where the whole has them, so that nothing is
//! left to copy.
//!
//! ```text
//! whole    ├──────── a ────────┼──── b ────┤      a and b are parts of the storage of the whole
//! ```
//!
//! A piece can lie in one whole only. So the last concatenation comes first: one that joins
//! pieces which already lie one after the other is a view of them, as in a dense block of
//! `DenseNet`, whose layers all read what the last one reads.

use std::collections::BTreeMap;

use super::admission::{admit, peak};
use super::operators::contiguous;
use super::{Finding, Pass, Reason, Report, Work};
use crate::Message;
use crate::graph::{Graph, Op, OpId, Role, TensorId};
use crate::operators::Operator;
use crate::program::Program;
use crate::storage::Storages;
use crate::units::Bytes;

pub(super) const PASS: Pass = Pass {
    name: "concat",
    summary: "writes the pieces of a concatenation where the whole has them",
    optional: true,
    keeps_graph: false,
    rules: &[],
};

/// Joins the pieces of every concatenation that do not raise the peak.
pub(super) fn run(work: &mut Work<'_>) -> Report {
    let program = std::mem::take(&mut work.program);
    let graph = &program.graph;
    let is_concat = |op: &OpId| graph.op(*op).is(Operator::Concat);
    let runs = program
        .schedule
        .steps
        .iter()
        .filter_map(|it| it.action.op());
    let mut candidates: Vec<OpId> = runs.filter(is_concat).collect();
    candidates.reverse();
    let pass = |chosen: &[bool]| {
        let mut joining = Joining {
            graph,
            storages: program.storages.clone(),
            found: Vec::new(),
        };
        for (op, chosen) in candidates.iter().zip(chosen) {
            if *chosen {
                joining.operator(*op);
            }
        }
        joining
    };
    let made = |storages: Storages| Program {
        storages,
        ..program.clone()
    };
    let now = peak(&program, work.settings).unwrap_or_default();
    let mut tried = |chosen: &[bool]| peak(&made(pass(chosen).storages), work.settings).ok();
    let (chosen, refused) = admit(candidates.len(), now, &mut tried);
    let Joining {
        storages,
        mut found,
        ..
    } = pass(&chosen);
    for (index, reason) in refused {
        let op = candidates[index];
        found.push(Finding {
            what: Message::verbatim(&*graph.op(op).kind),
            ops: vec![op],
            tensors: graph.op(op).read().chain(graph.op(op).written()).collect(),
            refused: Some(reason),
        });
    }
    found.sort_by_key(|finding| (finding.ops.clone(), finding.tensors.clone()));
    work.program = made(storages);
    Report::of(found)
}

struct Joining<'a> {
    graph: &'a Graph,
    storages: Storages,
    found: Vec<Finding>,
}

impl Joining<'_> {
    fn operator(&mut self, id: OpId) {
        let op = self.graph.op(id);
        let Some(y) = op.outputs.first().copied().flatten() else {
            return;
        };
        let pieces = match pieces(self.graph, op, y) {
            Ok(pieces) => pieces,
            Err(reason) => {
                let tensors = op.read().chain([y]).collect();
                self.find(id, tensors, Some(reason));
                return;
            }
        };
        if let Some(first) = self.joined(&pieces, y) {
            let tensors = pieces.iter().map(|piece| piece.0).chain([y]).collect();
            let refused = self
                .storages
                .alias(self.graph, (y, first), Bytes::ZERO, &[]);
            self.find(id, tensors, refused.err().map(|_outside| Reason::Unsized));
            return;
        }
        let mut seen: BTreeMap<TensorId, ()> = BTreeMap::new();
        for (x, offset) in pieces {
            let refused = match seen.insert(x, ()) {
                Some(()) => Some(Reason::ReadBy { op: id }),
                None => self.piece(id, x, y, offset).err(),
            };
            self.find(id, vec![x, y], refused);
        }
    }

    fn find(&mut self, op: OpId, tensors: Vec<TensorId>, refused: Option<Reason>) {
        self.found.push(Finding {
            what: Message::verbatim(&*self.graph.op(op).kind),
            ops: vec![op],
            tensors,
            refused,
        });
    }

    /// The first of the pieces, where they lie one after the other already.
    fn joined(&self, pieces: &[(TensorId, Bytes)], y: TensorId) -> Option<TensorId> {
        let own = self.storages.view(y)?.base;
        if self.storages.named(own) != Some(y) || self.graph.tensor(y).role != Role::Intermediate {
            return None;
        }
        let first = self.storages.view(pieces.first()?.0)?;
        for (x, offset) in pieces {
            let view = self.storages.view(*x)?;
            let follows = first.offset.checked_add(*offset) == Some(view.offset);
            if view.base != first.base || !follows || !view.strides.is_empty() {
                return None;
            }
        }
        // A single piece that names its storage is not joined to anything.
        let alone = self.storages.named(first.base) == Some(pieces[0].0);
        (!alone && first.base != own).then_some(pieces[0].0)
    }

    /// Makes `x` the part of `y` that begins at `offset`.
    fn piece(&mut self, id: OpId, x: TensorId, y: TensorId, offset: Bytes) -> Result<(), Reason> {
        match self.graph.tensor(x).role {
            Role::Intermediate => {}
            Role::Input => return Err(Reason::IsInput),
            Role::Output => return Err(Reason::IsOutput),
            Role::Constant => return Err(Reason::IsConstant),
            Role::State => return Err(Reason::IsState),
            Role::Unsized => return Err(Reason::Unsized),
        }
        match self.graph.tensor(y).role {
            Role::Intermediate => {}
            // What the caller is given may lie beside the arena, and is not read back.
            _ => return Err(Reason::IsOutput),
        }
        let view = self.storages.view(x).ok_or(Reason::Unsized)?;
        if self.storages.named(view.base) != Some(x) || !view.strides.is_empty() {
            return Err(Reason::Held);
        }
        if !offset.0.is_multiple_of(4) {
            return Err(Reason::OffWord);
        }
        let placed = self.storages.alias(self.graph, (x, y), offset, &[]);
        placed.map_err(|_strided| Reason::NeedsContiguous { op: id })
    }
}

/// The pieces of `y` with the first byte of each in it, where each is a run of bytes.
fn pieces(graph: &Graph, op: &Op, y: TensorId) -> Result<Vec<(TensorId, Bytes)>, Reason> {
    let whole = graph.tensor(y);
    let dims = whole.dims.as_deref().ok_or(Reason::Unsized)?;
    let axis = op.int("axis").unwrap_or(0);
    let rank = i64::try_from(dims.len()).unwrap_or(i64::MAX);
    let from_start = if axis < 0 {
        axis.saturating_add(rank)
    } else {
        axis
    };
    let axis = usize::try_from(from_start)
        .ok()
        .filter(|axis| *axis < dims.len());
    let axis = axis.ok_or(Reason::Unsized)?;
    // Along an inner axis every piece has gaps, where the others lie.
    if dims[..axis].iter().any(|dim| *dim != 1) {
        return Err(Reason::Gaps);
    }
    let bits = whole.dtype.bits().ok_or(Reason::OtherType)?;
    let row = contiguous(dims)[axis]
        .checked_mul(bits)
        .ok_or(Reason::Unsized)?
        / 8;
    let mut at = 0_u64;
    let mut pieces = Vec::with_capacity(op.inputs.len());
    for x in op.inputs.iter().copied().flatten() {
        let piece = graph.tensor(x);
        if piece.dtype != whole.dtype {
            return Err(Reason::OtherType);
        }
        let size = piece.dims.as_ref().and_then(|dims| dims.get(axis));
        let bytes = size
            .and_then(|size| size.checked_mul(row))
            .ok_or(Reason::Unsized)?;
        pieces.push((x, Bytes(at)));
        at = at.checked_add(bytes).ok_or(Reason::Unsized)?;
    }
    match Some(Bytes(at)) == whole.bytes() {
        true => Ok(pieces),
        false => Err(Reason::OtherSize),
    }
}
