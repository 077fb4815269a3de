//! The forward pass by autograd's rule: its nodes, and what the gradient of each value reads.

mod exchanges;

use std::collections::{BTreeMap, BTreeSet};

use super::layout::{self, Layout};
use super::saves::{self, Beside, Saves, View};
use super::too_large;
use super::uses::{Origin, Reading, Use};
use crate::graph::{DType, Graph, Op, Role, TensorId};
use crate::operators::Operator;
use crate::schedule::Phase;
use crate::training::costs::flops;
use crate::training::fixed::Parameters;
use crate::training::sharding::{Communication, Gradients};
use crate::training::stage::NoStep;
use crate::training::{Node, Precision, Recipe};
use crate::units::Bytes;

/// An activation that is written over what it reads: both are the value of one node.
#[derive(Clone, Debug)]
pub(super) struct InPlace {
    /// What computes the value before.
    pub(super) before: String,
    /// The activation.
    pub(super) after: String,
    /// What its gradient costs.
    pub(super) cost: u64,
}

/// The forward pass.
#[derive(Default)]
pub(super) struct Forward {
    pub(super) nodes: Vec<Node>,
    /// For each node, what reads its value.
    pub(super) uses: Vec<Vec<Use>>,
    /// What the gradients of a node's weights read, where they are computed apart from others: of
    /// a node that reads nothing trained, and of every node where they are values of the step.
    pub(super) weights: Vec<Option<Use>>,
    /// For each node, the activation that is written over its value.
    pub(super) in_place: Vec<Option<InPlace>>,
    /// For each node, how its gradient comes from those of other devices, if it does.
    pub(super) gradients: Vec<Option<Communication>>,
    /// The nodes whose values are gathered again for the backward pass.
    pub(super) gathered: BTreeSet<usize>,
    /// For each node, whether its value depends on what is trained.
    pub(super) requires: Vec<bool>,
    /// The nodes whose values the loss reads.
    pub(super) outputs: BTreeSet<usize>,
    pub(super) parameters: Parameters,
    /// How many operators have weights.
    pub(super) layers: u32,
    pub(super) unknown: BTreeSet<String>,
    /// The kinds of operators whose weights are not trained, by name.
    pub(super) untrained: BTreeSet<String>,
    /// The kinds of operators through which no gradient passes, by name.
    pub(super) without_gradient: BTreeSet<String>,
    /// The bytes of the model's inputs.
    pub(super) inputs: BTreeMap<TensorId, Bytes>,
    /// The operator that each node is of, by its place in the graph.
    pub(super) of_op: Vec<usize>,
}

struct Builder<'a> {
    graph: &'a Graph,
    recipe: Recipe,
    batch: u64,
    made: Forward,
    /// Where each tensor is, and how its elements lie there.
    places: Vec<(Origin, Layout)>,
    /// The weights that are counted.
    counted: BTreeSet<TensorId>,
    /// How often each tensor is read; an output of the model is read once more.
    reads: Vec<u32>,
    /// The tensors that are views.
    viewed: BTreeSet<TensorId>,
    /// The nodes whose values their own backward pass reads.
    saves_own: BTreeSet<usize>,
    /// The operator that is being read.
    at: usize,
}

/// The weights of an operator.
#[derive(Default)]
struct Weights {
    /// The inputs that are trained, by index.
    trained: Vec<usize>,
    /// Elements of those of them that no operator before has.
    fresh: u64,
}

impl Forward {
    /// That of a graph of which some gradients come from other devices.
    pub(super) fn of(
        graph: &Graph,
        gradients: &Gradients,
        batch: u64,
        recipe: Recipe,
    ) -> Result<Self, NoStep> {
        let mut builder = Builder {
            graph,
            recipe,
            batch,
            made: Self::default(),
            places: vec![(Origin::Fixed, Layout::InOrder); graph.tensors.len()],
            counted: BTreeSet::new(),
            reads: reads(graph),
            viewed: BTreeSet::new(),
            saves_own: BTreeSet::new(),
            at: 0,
        };
        for (index, tensor) in graph.tensors.iter().enumerate() {
            if matches!(tensor.role, Role::Input | Role::State) {
                let id = TensorId::at(index);
                let bytes = builder.tensor_bytes(id)?;
                builder.made.inputs.insert(id, Bytes(bytes));
                builder.places[index].0 = Origin::Input(id);
            }
        }
        for (at, op) in graph.ops.iter().enumerate() {
            builder.at = at;
            let known = |id| graph.tensor(id).role == Role::Constant;
            if op.written().all(known) {
                continue;
            }
            let joins = builder.is_view(op) || builder.writes_over(op)? || builder.adds_up(op);
            if joins {
                continue;
            }
            let weight = |id: &TensorId| is_weight(graph, *id).is_some();
            if op.facts().trains.is_empty()
                && op.facts().has_weights
                && op.read().any(|id| weight(&id))
            {
                builder.made.untrained.insert(op.kind.clone());
            }
            builder.operator(op)?;
        }
        for id in &graph.outputs {
            if let Origin::Value(node) = builder.places[id.index()].0 {
                builder.made.outputs.insert(node);
            }
        }
        for (id, exchange) in gradients {
            if let Origin::Value(node) = builder.places[id.index()].0 {
                let whole = builder.made.nodes[node].bytes;
                builder.made.gradients[node] = Some(exchange.communication(whole));
            }
        }
        Ok(builder.made)
    }
}

/// How many elements the constant has that could be a weight.
fn is_weight(graph: &Graph, id: TensorId) -> Option<u64> {
    let tensor = graph.tensor(id);
    let elements = tensor.dims.as_deref()?.iter();
    let elements = elements.fold(1_u64, |all, dim| all.saturating_mul(*dim));
    // A single number is a factor of the code.
    let is = tensor.role == Role::Constant && tensor.dtype.is_float() && elements > 1;
    is.then_some(elements)
}

/// The weights of `op`: their place, and how many elements each has.
pub(in crate::training) fn weights_of(graph: &Graph, op: &Op) -> Vec<(usize, TensorId, u64)> {
    let weight = |place: usize| {
        let id = op.inputs.get(place).copied().flatten()?;
        is_weight(graph, id).map(|elements| (place, id, elements))
    };
    op.facts().trains.iter().filter_map(weight).collect()
}

/// How often each tensor is read.
fn reads(graph: &Graph) -> Vec<u32> {
    let mut reads = vec![0_u32; graph.tensors.len()];
    let read = graph.ops.iter().flat_map(Op::read);
    for id in read.chain(graph.outputs.iter().copied()) {
        reads[id.index()] = reads[id.index()].saturating_add(1);
    }
    reads
}

/// A node of the forward pass.
fn forward(name: String, reads: &BTreeSet<usize>, bytes: u64, cost: u64) -> Node {
    Node {
        name,
        phase: Phase::Forward,
        reads: reads.iter().copied().collect(),
        bytes: Bytes(bytes),
        cost,
        ..Node::default()
    }
}

pub(in crate::training) fn beyond() -> NoStep {
    NoStep::TooLarge(too_large().message)
}

impl Builder<'_> {
    fn samples(&self, number: u64) -> Result<u64, NoStep> {
        number.checked_mul(self.batch).ok_or_else(beyond)
    }

    /// What the tensor takes in all samples.
    fn tensor_bytes(&self, id: TensorId) -> Result<u64, NoStep> {
        let tensor = self.graph.tensor(id);
        let bytes = tensor.bytes();
        let bytes = bytes.ok_or_else(|| NoStep::Unsized(tensor.name.clone()))?.0;
        let half = self.recipe.precision == Precision::Mixed && tensor.dtype == DType::F32;
        self.samples(if half { bytes / 2 } else { bytes })
    }

    fn place(&self, id: Option<TensorId>) -> Origin {
        id.map_or(Origin::Fixed, |id| self.places[id.index()].0)
    }

    /// Whether what `op` writes is its first input seen otherwise; it is noted then.
    fn is_view(&mut self, op: &Op) -> bool {
        // A split of TFLite reads the axis first.
        let reads = |id: &&Option<TensorId>| self.place(**id) != Origin::Fixed;
        let (Some(view), Some(&Some(input))) = (op.facts().view, op.inputs.iter().find(reads))
        else {
            return false;
        };
        let (place, layout) = self.places[input.index()].clone();
        let dims = |id: TensorId| self.graph.tensor(id).dims.as_deref();
        let mut made = Vec::new();
        for id in op.written() {
            let seen = match (view, dims(input), dims(id)) {
                (View::Same, ..) if op.is(Operator::Identity) => layout.clone(),
                (View::Same, Some(from), Some(to)) => match layout.reshaped(from, to) {
                    Some(seen) => seen,
                    None => return false,
                },
                (View::Same, ..) if layout != Layout::InOrder => return false,
                (View::Same, ..) => Layout::InOrder,
                (View::Strided, ..) => layout.seen(self.graph, op, input, id),
            };
            made.push((id, seen));
        }
        for (id, seen) in made {
            self.places[id.index()] = (place, seen);
            self.viewed.insert(id);
        }
        true
    }

    /// Whether `op` is an activation that writes over what it reads; it is noted then. Nothing else
    /// may read that, nor may the backward pass of what computes it: PyTorch refuses the step then.
    fn writes_over(&mut self, op: &Op) -> Result<bool, NoStep> {
        if !self.recipe.in_place || !op.facts().overwrites {
            return Ok(false);
        }
        let Some(Some(id)) = op.inputs.first() else {
            return Ok(false);
        };
        let (Origin::Value(node), Layout::InOrder) = self.places[id.index()] else {
            return Ok(false);
        };
        let alone = self.reads[id.index()] == 1 && self.made.in_place[node].is_none();
        let own = &self.made.nodes[node];
        // A view of the value is another tensor.
        let same = own.bytes.0 == self.tensor_bytes(*id)? && !self.viewed.contains(id);
        let own = self.saves_own.contains(&node) || self.made.gathered.contains(&node);
        if !alone || !same || own {
            return Ok(false);
        }
        let cost = self.samples(flops(self.graph, op))?;
        let own = &mut self.made.nodes[node];
        own.cost = own.cost.saturating_add(cost);
        let joined = format!("{}+{}", own.name, op.name);
        let before = std::mem::replace(&mut own.name, joined);
        self.made.in_place[node] = Some(InPlace {
            before,
            after: op.name.clone(),
            cost,
        });
        for written in op.written() {
            self.places[written.index()] = (Origin::Value(node), Layout::InOrder);
        }
        Ok(true)
    }

    fn node(&mut self, node: Node, requires: bool) -> usize {
        self.made.of_op.push(self.at);
        self.made.in_place.push(None);
        self.made.gradients.push(None);
        self.made.nodes.push(node);
        self.made.uses.push(Vec::new());
        self.made.weights.push(None);
        self.made.requires.push(requires);
        self.made.nodes.len() - 1
    }

    fn operator(&mut self, op: &Op) -> Result<(), NoStep> {
        let mut cost = self.samples(flops(self.graph, op))?;
        let mut bytes = 0_u64;
        for id in saves::activations(op) {
            let own = self.tensor_bytes(id)?;
            bytes = bytes.checked_add(own).ok_or_else(beyond)?;
        }
        let mut places: Vec<Origin> = op.inputs.iter().map(|id| self.place(*id)).collect();
        places.extend(op.captures.iter().map(|id| self.places[id.index()].0));
        for (index, place) in places.iter_mut().enumerate().take(op.inputs.len()) {
            *place = self.in_order(op, index, *place)?;
        }
        let value = |place: &Origin| match place {
            Origin::Value(node) => Some(*node),
            _ => None,
        };
        let mut reads: BTreeSet<usize> = places.iter().filter_map(value).collect();
        let weights = self.weights(op);
        let trained = !weights.trained.is_empty();
        let fed = reads.iter().any(|node| self.made.requires[*node]);
        let floats = saves::activations(op).any(|id| self.graph.tensor(id).dtype.is_float())
            && !op.facts().quantises;
        let saved = op.facts().saves;
        let beside = match saved.beside() {
            None => None,
            Some(beside) => {
                let bytes = beside.bytes(self.graph, op, self.batch);
                let bytes = bytes.ok_or_else(beyond)?;
                let name = format!("{}.{}", op.name, beside.name());
                let node = forward(name, &reads, bytes, cost / 2);
                cost -= cost / 2;
                Some(self.node(node, false))
            }
        };
        reads.extend(beside);
        // What another stage sends has its gradient sent back.
        let requires = floats && (fed || trained || op.is(Operator::Receive));
        let node = self.node(forward(op.name.clone(), &reads, bytes, cost), requires);
        self.communicates(op, node, places.first().copied())?;
        let first = op.read().next();
        let first = first.map_or(Layout::InOrder, |id| self.places[id.index()].1.clone());
        // Those after the first can be what is saved beside.
        let written = beside.filter(|_| saved.beside().is_some_and(Beside::is_written));
        for (index, id) in op.written().enumerate() {
            let lies = layout::computed(self.graph, op, &first);
            let node = written.filter(|_| index > 0).unwrap_or(node);
            self.places[id.index()] = (Origin::Value(node), lies);
        }
        if fed && op.facts().quantises {
            self.made.without_gradient.insert(op.kind.clone());
        }
        if requires {
            let at = Reading {
                op,
                saved,
                node,
                beside,
                places: &places,
            };
            if saved == Saves::Everything {
                self.made.unknown.insert(op.kind.clone());
            }
            self.note_uses(&at, &weights);
            let own = (0..places.len()).any(|index| at.reads(index).reads.contains(&node));
            if own {
                self.saves_own.insert(node);
            }
        }
        Ok(())
    }

    /// A copy of what is read in another order.
    fn in_order(&mut self, op: &Op, index: usize, place: Origin) -> Result<Origin, NoStep> {
        let copied = |id: &TensorId| {
            let layout = &self.places[id.index()].1;
            layout::copies(self.graph, op, index, layout)
        };
        let Some(id) = op.inputs[index].filter(copied) else {
            return Ok(place);
        };
        let bytes = self.tensor_bytes(id)?;
        let (reads, requires) = match place {
            Origin::Value(node) => (BTreeSet::from([node]), self.made.requires[node]),
            _ => (BTreeSet::new(), false),
        };
        let name = format!("{}.copy", self.graph.tensor(id).name);
        let copy = self.node(forward(name, &reads, bytes, 0), requires);
        for read in reads.into_iter().filter(|_| requires) {
            self.made.uses[read].push(Use {
                reader: copy,
                ..Use::default()
            });
        }
        Ok(Origin::Value(copy))
    }

    /// The weights of `op`. Each is counted where it is read first.
    fn weights(&mut self, op: &Op) -> Weights {
        let found = weights_of(self.graph, op);
        if found.is_empty() {
            return Weights::default();
        }
        let trained = self.made.layers >= self.recipe.frozen;
        self.made.layers = self.made.layers.saturating_add(1);
        let mut weights = Weights::default();
        for (place, id, elements) in found {
            if self.counted.insert(id) {
                self.made.parameters.add(elements, trained);
                weights.fresh = weights.fresh.saturating_add(elements);
            }
            if trained {
                weights.trained.push(place);
            }
        }
        weights
    }

    /// Notes what the gradients of what `op` reads have to read.
    fn note_uses(&mut self, at: &Reading<'_>, weights: &Weights) {
        let cost = self.made.nodes[at.node].cost;
        let cost = cost.saturating_add(at.beside.map_or(0, |it| self.made.nodes[it].cost));
        let mut fed: BTreeMap<usize, Use> = BTreeMap::new();
        for (index, place) in at.places.iter().enumerate() {
            if let Origin::Value(value) = *place
                && self.made.requires[value]
            {
                fed.entry(value).or_default().join(at.reads(index));
            }
        }
        let mut own = Use::default();
        let trained = weights.trained.iter();
        trained.for_each(|index| own.join(at.reads(*index)));
        own.reader = at.node;
        // What the operator costs is divided between what it is fed with; its weights take as
        // much again.
        let parts = (fed.len() as u64).max(1);
        let mut left = cost;
        for it in fed.values_mut() {
            it.reader = at.node;
            it.cost = (cost / parts).min(left);
            left -= it.cost;
        }
        let weighted = if weights.trained.is_empty() { 0 } else { cost };
        let apart = self.recipe.set_to_none && !weights.trained.is_empty();
        match fed.first_entry() {
            Some(mut first) if !apart => {
                let first = first.get_mut();
                first.cost = first.cost.saturating_add(left).saturating_add(weighted);
                first.join(own);
            }
            first => {
                if let Some(mut first) = first {
                    let first = first.get_mut();
                    first.cost = first.cost.saturating_add(left);
                }
                own.cost = weighted;
                if self.recipe.set_to_none {
                    own.bytes = weights.fresh.saturating_mul(self.recipe.precision.bytes());
                }
                self.made.weights[at.node] = Some(own);
            }
        }
        for (value, it) in fed {
            self.made.uses[value].push(it);
        }
    }
}
