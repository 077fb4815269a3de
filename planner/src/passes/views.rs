//! Views: an operator that moves elements and computes nothing writes nothing. Its output is
//! the input's bytes, read with strides.
//!
//! ```text
//! x ─Slice─▶ t ─Transpose─▶ u ─Relu─▶ y        t and u are views of the storage of x
//! ```
//!
//! A view keeps its base in memory until it is read for the last time itself. So it is made
//! only where that does not raise the live bytes at the peak. A reader that cannot walk the
//! strides gets the elements in a row by an explicit copy, whose bytes count; a view whose every
//! reader would need one is not made, for its operator is that copy.

use std::collections::{BTreeMap, BTreeSet};

use super::admission::{admit, peak};
use super::operators::{Layout, contiguous, layout, lies};
use super::{Finding, Pass, Reason, Report, Rule, Work};
use crate::Message;
use crate::graph::infer::Value;
use crate::graph::infer::views::{NoView, StridedView, source, views};
use crate::graph::{Graph, Op, OpId, Role, Tensor, TensorId};
use crate::operators::Operator;
use crate::program::Program;
use crate::settings::Io;
use crate::storage::{Storages, View};
use crate::units::Bytes;

pub(super) const PASS: Pass = Pass {
    name: "views",
    summary: "makes views of what slices, reshapes, splits, transposes or expands",
    optional: true,
    keeps_graph: false,
    rules: &[
        Rule {
            name: "strided",
            summary: "with any strides that every reader can walk",
        },
        Rule {
            name: "contiguous",
            summary: "only where the elements follow one another",
        },
        Rule {
            name: "ggml",
            summary: "as ggml: with any strides, whatever that does to the peak",
        },
    ],
};

/// Kernels read whole words of so many bytes.
const WORD: u64 = 4;

/// Makes the views that do not raise the peak.
pub(super) fn run(work: &mut Work<'_>) -> Report {
    let program = std::mem::take(&mut work.program);
    let candidates: Vec<OpId> = (0..program.graph.ops.len())
        .map(OpId::at)
        .filter(|op| source(program.graph.op(*op)).is_some())
        .collect();
    let how = (work.rule, work.settings.io);
    let pass = |chosen: &[bool]| {
        let mut allowed = vec![false; program.graph.ops.len()];
        for (op, chosen) in candidates.iter().zip(chosen) {
            allowed[op.index()] = *chosen;
        }
        let mut making = Making::new(&program.graph, &work.values, how);
        for op in &candidates {
            if allowed[op.index()] {
                making.operator(*op);
            }
        }
        making
    };
    let now = peak(&program, work.settings).unwrap_or_default();
    let mut tried = |chosen: &[bool]| {
        let (program, _) = pass(chosen).finish(&program);
        peak(&program, work.settings).ok()
    };
    let (chosen, refused) = match work.rule {
        2 => (vec![true; candidates.len()], Vec::new()),
        _ => admit(candidates.len(), now, &mut tried),
    };
    let making = pass(&chosen);
    let mut found = making.found.clone();
    for (index, reason) in refused {
        let op = candidates[index];
        found.extend(findings(&program.graph, op, Some(reason)));
    }
    found.sort_by_key(|finding| (finding.ops.clone(), finding.tensors.clone()));
    let (after, ops) = making.finish(&program);
    work.program = after;
    Report {
        ops,
        ..Report::of(found)
    }
}

/// A finding for every output of `op`.
fn findings(graph: &Graph, op: OpId, refused: Option<Reason>) -> Vec<Finding> {
    let known = graph.op(op);
    let input = source(known).and_then(|at| known.inputs.get(at).copied()?);
    let one = |output: TensorId| Finding {
        what: Message::verbatim(&*known.kind),
        ops: vec![op],
        tensors: input.into_iter().chain([output]).collect(),
        refused,
    };
    known.written().map(one).collect()
}

/// A reader by operator and position; `None` for a subgraph of the operator.
type Reader = (OpId, Option<usize>);

/// Views as they are made, in the order of the operators.
struct Making<'a> {
    graph: &'a Graph,
    values: &'a BTreeMap<TensorId, Value>,
    only_contiguous: bool,
    /// An output of the graph may be a part of another tensor, and may view an input, as they lie
    /// in the arena.
    ggml: bool,
    storages: Storages,
    readers: Vec<Vec<Reader>>,
    /// What each operator reads by copies: the readers of a view that cannot walk it.
    copies: Vec<(TensorId, Vec<Reader>)>,
    found: Vec<Finding>,
}

impl<'a> Making<'a> {
    fn new(graph: &'a Graph, values: &'a BTreeMap<TensorId, Value>, (rule, io): (u8, Io)) -> Self {
        Self {
            graph,
            values,
            only_contiguous: rule == 1,
            ggml: rule == 2 && io == Io::Ggml,
            storages: Storages::one_each(graph),
            readers: readers(graph),
            copies: Vec::new(),
            found: Vec::new(),
        }
    }

    /// Makes views of the outputs of `id` where it may.
    fn operator(&mut self, id: OpId) {
        let op = self.graph.op(id);
        let Some(x) = source(op).and_then(|at| op.inputs.get(at).copied()?) else {
            return;
        };
        // What is known before the run needs no operator.
        if op
            .written()
            .all(|y| self.graph.tensor(y).role == Role::Constant)
        {
            return;
        }
        let laid = self.input(x).and_then(|strides| {
            views(self.graph, op, self.values, &strides).map_err(|why| match why {
                NoView::Backwards => Reason::Backwards,
                NoView::Contiguous => Reason::NeedsContiguous { op: id },
                NoView::Unknown => Reason::Unknown,
            })
        });
        let laid = match laid {
            Ok(laid) => laid,
            Err(reason) => {
                self.found.extend(findings(self.graph, id, Some(reason)));
                return;
            }
        };
        for (y, laid) in op.outputs.iter().zip(laid) {
            let Some(y) = *y else { continue };
            let refused = self.output(x, y, laid).err();
            self.found.push(Finding {
                what: Message::verbatim(&*op.kind),
                ops: vec![id],
                tensors: vec![x, y],
                refused,
            });
        }
    }

    /// The strides of what is to be viewed.
    fn input(&self, x: TensorId) -> Result<Vec<u64>, Reason> {
        let tensor = self.graph.tensor(x);
        match tensor.role {
            Role::Constant => return Err(Reason::IsConstant),
            Role::State => return Err(Reason::IsState),
            Role::Unsized => return Err(Reason::Unsized),
            Role::Input | Role::Output | Role::Intermediate => {}
        }
        let dims = tensor.dims.as_deref().ok_or(Reason::Unsized)?;
        let strides = self.storages.view(x).map(|view| view.strides.clone());
        let strides = strides.filter(|strides| !strides.is_empty());
        Ok(strides.unwrap_or_else(|| contiguous(dims)))
    }

    /// Makes `y` a view of `x`.
    fn output(&mut self, x: TensorId, y: TensorId, laid: StridedView) -> Result<(), Reason> {
        let (from, to) = (self.graph.tensor(x), self.graph.tensor(y));
        let dims = to.dims.as_deref().ok_or(Reason::Unsized)?;
        let bits = to.dtype.bits().filter(|_| from.dtype == to.dtype);
        let width = bits.ok_or(Reason::OtherType)? / 8;
        let base = self.storages.view(x).ok_or(Reason::Unsized)?;
        let start = laid.offset.checked_mul(width);
        let start = start.and_then(|start| start.checked_add(base.offset.0));
        let start = start.ok_or(Reason::Unsized)?;
        let strides = match lies(Layout::Contiguous, dims, &laid.strides) {
            true => Vec::new(),
            false => laid.strides,
        };
        if self.only_contiguous && !strides.is_empty() {
            let reader = self.readers[y.index()].first();
            return Err(reader.map_or(Reason::IsOutput, |&(op, _)| Reason::NeedsContiguous { op }));
        }
        if !start.is_multiple_of(WORD) {
            return Err(Reason::OffWord);
        }
        match to.role {
            Role::Intermediate => {}
            Role::Output
                if self.ggml || from.role == Role::Intermediate && from.bytes() == to.bytes() =>
            {
                if !strides.is_empty() {
                    return Err(Reason::IsOutput);
                }
            }
            Role::Output => return Err(Reason::IsOutput),
            Role::Constant => return Err(Reason::IsConstant),
            Role::Input => return Err(Reason::IsInput),
            Role::State => return Err(Reason::IsState),
            Role::Unsized => return Err(Reason::Unsized),
        }
        let copied = self.needing_copies(y, dims, &strides)?;
        let view = View {
            base: base.base,
            offset: Bytes(start),
            strides,
        };
        let placed = self.storages.place(self.graph, y, view);
        placed.map_err(|_outside| Reason::Unsized)?;
        if !copied.is_empty() {
            self.copies.push((y, copied));
        }
        Ok(())
    }

    /// The readers of `y` that cannot walk the strides.
    ///
    /// # Errors
    /// The first of them, when there is no other.
    fn needing_copies(
        &self,
        y: TensorId,
        dims: &[u64],
        strides: &[u64],
    ) -> Result<Vec<Reader>, Reason> {
        let readers = &self.readers[y.index()];
        let walks = |&(op, position): &Reader| {
            let needed = position.map_or(Layout::Contiguous, |position| {
                layout(self.graph, self.graph.op(op), position)
            });
            lies(needed, dims, strides)
        };
        let copied: Vec<Reader> = readers.iter().copied().filter(|it| !walks(it)).collect();
        match copied.first() {
            Some(&(op, _)) if copied.len() == readers.len() => Err(Reason::NeedsContiguous { op }),
            _ => Ok(copied),
        }
    }

    /// The program with the views and the copies, and the operators after the pass.
    fn finish(self, before: &Program) -> (Program, Vec<Option<OpId>>) {
        let mut storages = self.storages;
        if self.copies.is_empty() {
            let program = Program {
                storages,
                ..before.clone()
            };
            return (program, Vec::new());
        }
        let mut graph = before.graph.clone();
        let mut inserted: BTreeMap<OpId, Vec<Op>> = BTreeMap::new();
        let names = before.graph.tensors.iter().map(|it| it.name.clone());
        let mut names: BTreeSet<String> = names.collect();
        for (y, readers) in self.copies {
            let copy = TensorId::at(graph.tensors.len());
            let name = fresh(&mut names, &graph.tensor(y).name);
            graph.tensors.push(Tensor {
                name: name.clone(),
                role: Role::Intermediate,
                ..graph.tensor(y).clone()
            });
            let first = readers.iter().map(|(op, _)| *op).min().unwrap_or_default();
            for (op, position) in readers {
                let op = &mut graph.ops[op.index()];
                let slot = position.and_then(|at| op.inputs.get_mut(at));
                match slot {
                    Some(slot) => *slot = Some(copy),
                    None => op
                        .captures
                        .iter_mut()
                        .filter(|id| **id == y)
                        .for_each(|id| *id = copy),
                }
            }
            inserted.entry(first).or_default().push(Op {
                name,
                inputs: vec![Some(y)],
                outputs: vec![Some(copy)],
                ..Op::of(graph.dialect, Operator::Contiguous)
            });
        }
        let mut ops = Vec::with_capacity(graph.ops.len() + inserted.len());
        let mut moved = Vec::with_capacity(graph.ops.len());
        for (index, op) in std::mem::take(&mut graph.ops).into_iter().enumerate() {
            ops.extend(inserted.remove(&OpId::at(index)).unwrap_or_default());
            moved.push(Some(OpId::at(ops.len())));
            ops.push(op);
        }
        graph.ops = ops;
        storages.extend(&graph);
        let program = Program {
            storages,
            ..Program::new(graph)
        };
        (program, moved)
    }
}

/// A name for the copy of `name` that no tensor has.
fn fresh(taken: &mut BTreeSet<String>, name: &str) -> String {
    let mut made = format!("{name} (contiguous)");
    while !taken.insert(made.clone()) {
        made.push('\'');
    }
    made
}

/// For each tensor those that read it, in file order.
pub(super) fn readers(graph: &Graph) -> Vec<Vec<Reader>> {
    let mut readers = vec![Vec::new(); graph.tensors.len()];
    for (index, op) in graph.ops.iter().enumerate() {
        let id = OpId::at(index);
        for (position, tensor) in op.inputs.iter().enumerate() {
            if let Some(tensor) = tensor {
                readers[tensor.index()].push((id, Some(position)));
            }
        }
        for tensor in &op.captures {
            readers[tensor.index()].push((id, None));
        }
    }
    readers
}
