//! What is divided between products: weights by columns, and by rows where what was divided is
//! summed over (Shoeybi et al., "Megatron-LM", 2019, section 3).
//!
//! ```text
//!        ┌ query · columns ┐
//!   x ───┼ key   · columns ┼─ attention of some heads ─ output · rows ─ a part of each sum
//!        └ value · columns ┘
//! ```
//!
//! From a product by columns that it begins with, a region grows to all that has to be divided with
//! it, forwards and backwards, until it ends in products by rows and in outputs of the model, as
//! logits are, whose loss is computed in parts, too. Where something on the way cannot be divided,
//! or not evenly, all of the region stays whole.

use std::collections::BTreeMap;

use super::part::{Among, Part};
use super::products::weight;
use super::relations::{Call, Follows, Slot};
use crate::graph::{Graph, Op, Role, TensorId};
use crate::operators::Operator;

/// How often another dimension is tried where columns are seen in several.
const TRIES: usize = 3;
/// The most operators of a region; one of a layer has about thirty.
const MOST: usize = 1 << 12;

/// What is divided among the devices of a tensor group.
#[derive(Debug, Default)]
pub(super) struct Regions {
    /// For each tensor.
    pub(super) parts: Vec<Option<Part>>,
    /// For each operator that has such tensors.
    pub(super) ops: Vec<Option<Inside>>,
    /// Whether one of them ends in products by rows: logits alone gain nothing.
    pub(super) any: bool,
}

/// An operator of a region.
#[derive(Clone, Debug, Default)]
pub(super) struct Inside {
    /// The parts of the constants that it reads, by place.
    pub(super) constants: BTreeMap<usize, Part>,
    /// Whether it writes a part of each sum.
    pub(super) sums: bool,
}

/// Who writes and who reads each tensor.
struct Finder<'a> {
    graph: &'a Graph,
    fixed: &'a [bool],
    devices: u64,
    /// The operators, and at which place; none of one whose subgraphs read it.
    readers: Vec<Vec<(usize, Option<usize>)>>,
    writers: Vec<Option<(usize, usize)>>,
    found: Regions,
}

/// A region that is tried.
struct Attempt<'a> {
    finder: &'a Finder<'a>,
    parts: BTreeMap<TensorId, Part>,
    ops: BTreeMap<usize, Inside>,
    /// Tensors to go on with, and the operator that they come from.
    queue: Vec<(TensorId, usize)>,
    among: Among,
    /// Whether the last device may have less, as of a vocabulary.
    ragged: bool,
    /// Whether it reaches an output of the model.
    ends: bool,
}

impl Regions {
    /// The regions of `graph`.
    pub(super) fn of(graph: &Graph, fixed: &[bool], devices: u64) -> Self {
        let mut finder = Finder {
            graph,
            fixed,
            devices,
            readers: vec![Vec::new(); graph.tensors.len()],
            writers: vec![None; graph.tensors.len()],
            found: Self {
                parts: vec![None; graph.tensors.len()],
                ops: vec![None; graph.ops.len()],
                any: false,
            },
        };
        for (index, op) in graph.ops.iter().enumerate() {
            for (place, id) in op.inputs.iter().enumerate() {
                if let Some(id) = id {
                    finder.readers[id.index()].push((index, Some(place)));
                }
            }
            for id in &op.captures {
                finder.readers[id.index()].push((index, None));
            }
            for (place, id) in op.outputs.iter().enumerate() {
                if let Some(id) = id {
                    finder.writers[id.index()] = Some((index, place));
                }
            }
        }
        for (index, op) in graph.ops.iter().enumerate() {
            if finder.found.ops[index].is_none() && graph.runs(op) {
                finder.region(index);
            }
        }
        finder.vocabulary();
        finder.found
    }
}

impl Finder<'_> {
    fn call<'a>(&'a self, op: &'a Op, among: Among) -> Call<'a> {
        Call {
            graph: self.graph,
            op,
            fixed: self.fixed,
            among,
        }
    }

    /// The region that begins with the product `op`, if there is one.
    fn region(&mut self, op: usize) {
        let among = |skip| Among {
            devices: self.devices,
            skip,
        };
        let call = self.call(&self.graph.ops[op], among(0));
        if weight(&call).is_none() {
            return;
        }
        let tries = (0..TRIES).map(|skip| (skip, false)).chain([(0, true)]);
        let found = tries.into_iter().find_map(|(skip, ragged)| {
            let mut attempt = Attempt {
                finder: self,
                parts: BTreeMap::new(),
                ops: BTreeMap::new(),
                queue: Vec::new(),
                among: among(skip),
                ragged,
                ends: false,
            };
            attempt.run(op)?;
            Some((attempt.parts, attempt.ops))
        });
        let Some((parts, ops)) = found else {
            return;
        };
        for (id, part) in parts {
            self.found.parts[id.index()] = Some(part);
        }
        for (index, inside) in ops {
            self.found.any |= inside.sums;
            self.found.ops[index] = Some(inside);
        }
    }

    /// Divides the rows of the first table that an input of the model looks up, if whatever else
    /// reads it has them divided: logits of the same table. The rows of other devices are zero, so
    /// that what is looked up is a part of a sum.
    fn vocabulary(&mut self) {
        let is_table = |op: &Op| {
            let [Some(table), Some(ids), ..] = op.inputs[..] else {
                return false;
            };
            let (table, ids) = (self.graph.tensor(table), self.graph.tensor(ids));
            let rows = table.dims.as_deref().is_some_and(|dims| dims.len() == 2);
            op.is(Operator::Gather)
                && op.int("axis").unwrap_or_default() == 0
                && (table.role, ids.role) == (Role::Constant, Role::Input)
                && table.dtype.is_float()
                && rows
        };
        let first = self.graph.ops.iter().position(is_table);
        let Some((op, table)) = first.and_then(|op| Some((op, self.graph.ops[op].inputs[0]?)))
        else {
            return;
        };
        let mut others = self.readers[table.index()].iter();
        let divided = others.all(|(index, place)| {
            let inside = self.found.ops[*index].as_ref();
            let part = inside.and_then(|it| it.constants.get(&(*place)?));
            *index == op || part.is_some_and(|part| part.axis == 0)
        });
        if divided && self.found.ops[op].is_none() {
            self.found.ops[op] = Some(Inside {
                constants: BTreeMap::from([(0, Part::any(0))]),
                sums: true,
            });
        }
    }
}

impl Attempt<'_> {
    /// Grows from the columns of the product `op`; `None` where something cannot be divided.
    fn run(&mut self, op: usize) -> Option<()> {
        let finder = self.finder;
        let call = finder.call(&finder.graph.ops[op], self.among);
        let columns = call.dims(Slot::Output(0))?.len().checked_sub(1)?;
        self.visit(op, Slot::Output(0), Part::any(columns))?;
        while let Some((id, by)) = self.queue.pop() {
            let part = *self.parts.get(&id)?;
            if self.ops.len() > MOST {
                return None;
            }
            self.ends |= finder.graph.outputs.contains(&id);
            for &(reader, place) in &finder.readers[id.index()] {
                if reader != by && finder.graph.runs(&finder.graph.ops[reader]) {
                    self.visit(reader, Slot::Input(place?), part)?;
                }
            }
            if let Some((writer, place)) = finder.writers[id.index()]
                && writer != by
            {
                self.visit(writer, Slot::Output(place), part)?;
            }
        }
        let mut sums = self.ops.iter().filter(|(_, it)| it.sums).peekable();
        if self.ragged && (sums.peek().is_some() || !self.ends) {
            return None;
        }
        // What is summed up is whole.
        let whole = |id: TensorId| !self.parts.contains_key(&id);
        sums.all(|(op, _)| finder.graph.ops[*op].written().all(whole))
            .then_some(())
    }

    /// Divides all that hangs together in `op` with what is divided at `from`.
    fn visit(&mut self, op: usize, from: Slot, part: Part) -> Option<()> {
        let finder = self.finder;
        if finder.found.ops[op].is_some() {
            return None;
        }
        let call = finder.call(&finder.graph.ops[op], self.among);
        let (alike, sums) = match call.follows(from, part)? {
            Follows::Alike(alike) => (alike, false),
            Follows::Sums(alike) => (alike, true),
        };
        if alike.is_empty() {
            return Some(());
        }
        let inside = self.ops.entry(op).or_insert_with(|| Inside {
            sums,
            ..Inside::default()
        });
        if inside.sums != sums {
            return None;
        }
        for (slot, part) in alike {
            let id = call.id(slot)?;
            let tensor = finder.graph.tensor(id);
            let dims = tensor.dims.as_deref()?;
            if !self.ragged && !part.divides(dims, self.among.devices) {
                return None;
            }
            match (slot, tensor.role) {
                (Slot::Input(place), Role::Constant) => {
                    let own = &mut self.ops.entry(op).or_default().constants;
                    let before = own.get(&place).copied().unwrap_or(part);
                    own.insert(place, before.joined(part)?);
                }
                _ if finder.found.parts[id.index()].is_some() => return None,
                _ => match self.parts.get(&id).copied() {
                    Some(before) => {
                        self.parts.insert(id, before.joined(part)?);
                    }
                    None => {
                        self.parts.insert(id, part);
                        self.queue.push((id, op));
                    }
                },
            }
        }
        Some(())
    }
}
