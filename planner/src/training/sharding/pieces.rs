//! The graph of a stage of a pipeline: the operators of its layers, with what it receives from the
//! stage before and sends to the one after.
//!
//! Virtual stages are numbered along the model: chunk c of stage r is c · p + r (Narayanan et al.
//! 2021, section 2.2.2). What is before the layers belongs to the first, what is after them to the
//! last. Layers that cannot be divided evenly go to the last stages, which hold fewer micro-batches
//! at once.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::Gradients;
use super::parts::Parts;
use crate::graph::{Dim, Graph, Op, Role, Tensor, TensorId};
use crate::operators::Operator;
use crate::training::Sharding;
use crate::training::backward::weights_of;
use crate::{Message, message};

/// A stage of a model.
#[derive(Clone, Debug, Default)]
pub(super) struct Piece {
    pub(super) graph: Graph,
    /// The part of the model that each of its operators is of.
    pub(super) of_op: Vec<u32>,
    /// Gradients that come from other devices, too.
    pub(super) gradients: Gradients,
}

/// The layers, from 1, of a virtual stage.
pub(super) fn layers(count: u32, stages: u32, at: u32) -> Range<u32> {
    // The last `count % stages` have one more.
    let (each, more) = (count / stages, count % stages);
    let first = |at: u32| at * each + at.saturating_sub(stages - more) + 1;
    first(at)..first(at + 1)
}

/// The piece of the chosen stage.
///
/// # Errors
/// There are too few layers for so many stages.
pub(super) fn piece(graph: &Graph, parts: &Parts, own: Sharding) -> Result<Piece, Message> {
    let stages = own.pipeline.saturating_mul(own.chunks);
    if stages == 1 {
        return Ok(Piece {
            graph: graph.clone(),
            of_op: parts.of_op.clone(),
            ..Piece::default()
        });
    }
    let count = parts.layers();
    if count < stages {
        return Err(message!(
            "{} layers cannot be divided into {} stages: choose fewer stages or chunks",
            count,
            stages
        ));
    }
    let mut cut = Cut::new(graph);
    for chunk in 0..own.chunks {
        let at = chunk * own.pipeline + own.stage;
        let ranges = (layers(count, stages, at), at == 0, at + 1 == stages);
        cut.chunk(parts, ranges);
    }
    Ok(cut.done())
}

struct Cut<'a> {
    graph: &'a Graph,
    /// The operator that computes each tensor.
    writer: BTreeMap<TensorId, usize>,
    /// The operators that compute the same on every stage: they read neither weights nor what was
    /// computed with them.
    shared: Vec<bool>,
    made: Piece,
    /// Where each tensor is in the piece.
    place: BTreeMap<TensorId, TensorId>,
}

impl<'a> Cut<'a> {
    fn new(graph: &'a Graph) -> Self {
        let mut writer = BTreeMap::new();
        let mut shared = Vec::with_capacity(graph.ops.len());
        for (at, op) in graph.ops.iter().enumerate() {
            let own = |id: TensorId| writer.get(&id).is_none_or(|it: &usize| shared[*it]);
            let float = |id: TensorId| {
                let tensor = graph.tensor(id);
                tensor.role == Role::Input && tensor.dtype.is_float()
            };
            let free = weights_of(graph, op).is_empty() && op.read().all(own);
            shared.push(free && !op.read().any(float));
            writer.extend(op.written().map(|id| (id, at)));
        }
        let made = Piece {
            graph: Graph {
                name: graph.name.clone(),
                dialect: graph.dialect,
                symbols: graph.symbols.clone(),
                zeros: graph.zeros.clone(),
                ..Graph::default()
            },
            ..Piece::default()
        };
        Self {
            graph,
            writer,
            shared,
            made,
            place: BTreeMap::new(),
        }
    }

    /// The operators of one virtual stage.
    fn chunk(&mut self, parts: &Parts, (layers, first, last): (Range<u32>, bool, bool)) {
        let graph = self.graph;
        let is_own = |at: usize| match parts.of_op[at] {
            0 => first,
            layer if layer > parts.layers() => last,
            layer => layers.contains(&layer),
        };
        let own: Vec<usize> = (0..graph.ops.len()).filter(|at| is_own(*at)).collect();
        let within: BTreeSet<usize> = own.iter().copied().collect();
        for &at in &own {
            self.op(parts, at, &within);
        }
        let sent = self.read_after(&within);
        for id in sent {
            self.send(id, parts.of_op[*own.last().unwrap_or(&0)]);
        }
    }

    /// What later stages read of these operators.
    fn read_after(&self, within: &BTreeSet<usize>) -> Vec<TensorId> {
        let end = within.last().copied().unwrap_or(0);
        let outside = self.graph.ops.iter().enumerate().skip(end + 1);
        let outside = outside.filter(|(at, _)| !within.contains(at));
        let read: BTreeSet<TensorId> = outside.flat_map(|(_, op)| op.read()).collect();
        let own = read.into_iter().filter(|id| {
            let writer = self.writer.get(id);
            let constant = self.graph.tensor(*id).role == Role::Constant;
            writer.is_some_and(|it| within.contains(it) && !self.shared[*it]) && !constant
        });
        own.collect()
    }

    /// Takes over an operator, with what it reads.
    fn op(&mut self, parts: &Parts, at: usize, within: &BTreeSet<usize>) {
        let op = &self.graph.ops[at];
        let read: Vec<TensorId> = op.read().chain(op.captures.iter().copied()).collect();
        for id in read {
            if self.place.contains_key(&id) {
                continue;
            }
            match self.writer.get(&id).copied() {
                Some(writer) if self.shared[writer] => self.op(parts, writer, within),
                Some(writer) if !within.contains(&writer) => self.receive(id, parts.of_op[at]),
                _ => {
                    self.tensor(id);
                }
            }
        }
        if op.written().all(|id| self.place.contains_key(&id)) && op.written().next().is_some() {
            return;
        }
        let mut own = op.clone();
        let mut here = |id: &mut TensorId| *id = self.tensor(*id);
        own.inputs.iter_mut().flatten().for_each(&mut here);
        own.outputs.iter_mut().flatten().for_each(&mut here);
        own.captures.iter_mut().for_each(here);
        self.made.graph.ops.push(own);
        self.made.of_op.push(parts.of_op[at]);
    }

    /// The tensor in the piece.
    fn tensor(&mut self, id: TensorId) -> TensorId {
        if let Some(here) = self.place.get(&id) {
            return *here;
        }
        let tensor = self.graph.tensor(id).clone();
        let role = tensor.role;
        let here = self.add(tensor);
        self.place.insert(id, here);
        match role {
            Role::Input => self.made.graph.inputs.push(here),
            Role::Output => self.made.graph.outputs.push(here),
            _ => {}
        }
        here
    }

    fn add(&mut self, tensor: Tensor) -> TensorId {
        self.made.graph.tensors.push(tensor);
        TensorId::at(self.made.graph.tensors.len() - 1)
    }

    /// What another stage has computed.
    fn receive(&mut self, id: TensorId, part: u32) {
        let here = self.tensor(id);
        let name = self.graph.tensor(id).name.clone();
        self.communicate(
            Operator::Receive,
            format!("{name}.receive"),
            part,
            (None, here),
        );
    }

    /// What another stage goes on with: nothing of it stays here.
    fn send(&mut self, id: TensorId, part: u32) {
        let here = self.tensor(id);
        let tensor = self.graph.tensor(id);
        let name = format!("{}.send", tensor.name);
        let sent = self.add(Tensor {
            declared: Some(vec![Dim::Fixed(0)]),
            dims: Some(vec![0]),
            role: Role::Output,
            ..Tensor::new(name.clone(), tensor.dtype)
        });
        self.made.graph.outputs.push(sent);
        self.communicate(Operator::Send, name, part, (Some(here), sent));
    }

    fn communicate(
        &mut self,
        operator: Operator,
        name: String,
        part: u32,
        (read, written): (Option<TensorId>, TensorId),
    ) {
        let mut op = Op::of(self.graph.dialect, operator);
        op.name = name;
        op.inputs = read.into_iter().map(Some).collect();
        op.outputs = vec![Some(written)];
        self.made.graph.ops.push(op);
        self.made.of_op.push(part);
    }

    fn done(self) -> Piece {
        self.made
    }
}
