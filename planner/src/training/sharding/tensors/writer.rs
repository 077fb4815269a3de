//! The graph of a device: sizes by what is divided, and an operator wherever devices tell each other.

use std::collections::{BTreeMap, BTreeSet};

use super::part::Part;
use super::regions::{Inside, Regions};
use super::tokens::{Read, Tokens};
use super::{Degrees, Ranked};
use crate::graph::{Attribute, Content, Dim, Graph, Op, Role, Tensor, TensorId};
use crate::operators::Operator;
use crate::training::sharding::{Collective, Exchange, Group};

/// Adds a tensor.
pub(super) fn added(graph: &mut Graph, tensor: Tensor) -> TensorId {
    graph.tensors.push(tensor);
    TensorId::at(graph.tensors.len() - 1)
}

/// Gives a tensor these sizes; nobody has the elements of a part.
pub(super) fn resized(tensor: &mut Tensor, dims: Vec<u64>) {
    tensor.declared = Some(dims.iter().copied().map(Dim::Fixed).collect());
    if tensor.content != Content::None {
        tensor.content = Content::Stripped;
    }
    tensor.dims = Some(dims);
}

/// Which groups have a tensor's tokens in parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    context: bool,
    tensor: bool,
}

/// Dimensions, and by how much each is divided.
type Cuts = Vec<(usize, u64)>;

struct Writer<'a> {
    graph: &'a Graph,
    regions: &'a Regions,
    tokens: &'a Tokens,
    degrees: Degrees,
    made: Ranked,
    /// Tensors whose tokens every device of a tensor group has all of.
    full: Vec<bool>,
    /// What was made of tensors for whoever reads them in another state, in pieces along a dimension.
    states: BTreeMap<(TensorId, State, Option<usize>), TensorId>,
    /// How each constant is cut by those that read it.
    wanted: BTreeMap<TensorId, BTreeSet<Cuts>>,
    constants: BTreeMap<(TensorId, Cuts), TensorId>,
    names: BTreeSet<String>,
}

/// The graph of a device.
pub(super) fn written(
    graph: &Graph,
    regions: &Regions,
    tokens: &Tokens,
    degrees: Degrees,
) -> Ranked {
    let mut writer = Writer {
        graph,
        regions,
        tokens,
        degrees,
        made: Ranked {
            graph: Graph {
                ops: Vec::with_capacity(graph.ops.len()),
                ..graph.clone()
            },
            ..Ranked::default()
        },
        full: vec![false; graph.tensors.len()],
        states: BTreeMap::new(),
        wanted: BTreeMap::new(),
        constants: BTreeMap::new(),
        names: graph.tensors.iter().map(|it| it.name.clone()).collect(),
    };
    writer.look();
    for (index, tensor) in graph.tensors.iter().enumerate() {
        let id = TensorId::at(index);
        let dims = writer.dims(id, writer.home(id), None);
        if tensor.role != Role::Constant && dims != tensor.dims {
            let own = &mut writer.made.graph.tensors[index];
            dims.into_iter().for_each(|dims| resized(own, dims));
        }
    }
    for (index, op) in graph.ops.iter().enumerate() {
        writer.operator(index, op);
        let count = writer.made.graph.ops.len();
        writer.made.of_op.resize(count, index);
    }
    writer.made
}

impl Writer<'_> {
    fn inside(&self, op: usize) -> Option<&Inside> {
        self.regions.ops.get(op)?.as_ref()
    }

    fn token_part(&self, id: TensorId) -> Option<Part> {
        *self.tokens.parts.get(id.index())?
    }

    /// Finds out what is read whole, and how constants are cut.
    fn look(&mut self) {
        for (index, op) in self.graph.ops.iter().enumerate() {
            let inside = self.inside(index);
            let within = inside.is_some();
            if inside.is_some_and(|it| !it.sums) {
                op.written().for_each(|id| self.full[id.index()] = true);
            }
            for (place, id) in op.inputs.iter().enumerate() {
                let Some(id) = *id else { continue };
                match self.graph.tensor(id).role {
                    Role::Input if within => self.full[id.index()] = true,
                    Role::Constant => {
                        let cuts = self.cuts(index, place);
                        self.wanted.entry(id).or_default().insert(cuts);
                    }
                    _ => {}
                }
            }
        }
    }

    /// How a constant is cut that an operator reads.
    fn cuts(&self, op: usize, place: usize) -> Cuts {
        let inside = self.inside(op);
        let mut cuts = Cuts::new();
        if let Some(part) = inside.and_then(|it| it.constants.get(&place)) {
            cuts.push((part.axis, u64::from(self.degrees.tensor)));
        }
        let read = self.tokens.ops.get(op).and_then(|it| it.get(&place));
        if let Some(Read::Piece(part)) = read {
            let state = self.pieces(inside.is_some());
            cuts.extend(self.groups(state).map(|(_, by)| (part.axis, u64::from(by))));
        }
        cuts
    }

    /// The state of what is in pieces, in a region or not.
    fn pieces(&self, inside: bool) -> State {
        State {
            context: self.degrees.context > 1,
            tensor: self.degrees.sequence && !inside,
        }
    }

    /// The groups of a state, and how many devices each has.
    fn groups(&self, state: State) -> impl Iterator<Item = (Group, u32)> + use<> {
        let context = state
            .context
            .then_some((Group::Context, self.degrees.context));
        let tensor = state.tensor.then_some((Group::Tensor, self.degrees.tensor));
        context.into_iter().chain(tensor)
    }

    /// The state in which a tensor is written.
    fn home(&self, id: TensorId) -> State {
        match self.token_part(id) {
            Some(_) => self.pieces(self.full[id.index()]),
            None => State {
                context: false,
                tensor: false,
            },
        }
    }

    /// The sizes of a tensor in a state, in pieces of `part` where it has no tokens.
    fn dims(&self, id: TensorId, state: State, part: Option<Part>) -> Option<Vec<u64>> {
        let mut dims = self.graph.tensor(id).dims.clone()?;
        let mut cut = |part: Part, by: u32| {
            if let Some(dim) = dims.get_mut(part.axis) {
                *dim = dim.div_ceil(u64::from(by));
            }
        };
        if let Some(Some(part)) = self.regions.parts.get(id.index()) {
            cut(*part, self.degrees.tensor);
        }
        if let Some(part) = self.token_part(id).or(part) {
            self.groups(state).for_each(|(_, by)| cut(part, by));
        }
        Some(dims)
    }

    /// A new tensor like another, with these sizes.
    fn like(&mut self, id: TensorId, ending: &str, dims: Option<Vec<u64>>) -> TensorId {
        let own = self.graph.tensor(id);
        let mut name = format!("{}.{ending}", own.name);
        while !self.names.insert(name.clone()) {
            name.push('\'');
        }
        let role = if own.role == Role::Constant {
            Role::Constant
        } else {
            Role::Intermediate
        };
        let mut tensor = Tensor {
            role,
            content: own.content.clone(),
            ..Tensor::new(name, own.dtype)
        };
        dims.into_iter().for_each(|dims| resized(&mut tensor, dims));
        added(&mut self.made.graph, tensor)
    }

    /// An operator of one input, which has the name of what it writes.
    fn push(&mut self, op: Op, read: TensorId, made: TensorId) {
        self.made.graph.ops.push(Op {
            inputs: vec![Some(read)],
            outputs: vec![Some(made)],
            ..op
        });
    }

    fn exchange(&mut self, exchange: Exchange, name: &str, read: TensorId, made: TensorId) {
        let op = exchange.op(self.graph.dialect, name);
        self.push(op, read, made);
    }

    fn constant(&mut self, id: TensorId, cuts: Cuts) -> TensorId {
        let alone = self.wanted.get(&id).is_none_or(|all| all.len() == 1);
        if cuts.is_empty() {
            return id;
        }
        if let Some(made) = self.constants.get(&(id, cuts.clone())) {
            return *made;
        }
        let mut dims = self.graph.tensor(id).dims.clone();
        for (axis, by) in &cuts {
            let dim = dims.as_mut().and_then(|dims| dims.get_mut(*axis));
            dim.into_iter().for_each(|dim| *dim = dim.div_ceil(*by));
        }
        let made = if alone {
            let own = &mut self.made.graph.tensors[id.index()];
            dims.into_iter().for_each(|dims| resized(own, dims));
            id
        } else {
            self.like(id, "part", dims)
        };
        self.constants.insert((id, cuts), made);
        made
    }

    /// What an operator reads at a place, in the state in which it wants it.
    fn read(&mut self, op: usize, place: usize, id: TensorId) -> TensorId {
        if self.graph.tensor(id).role == Role::Constant {
            let cuts = self.cuts(op, place);
            let made = self.constant(id, cuts);
            if self.sums_weight(op, place) {
                let exchange = self.sum_over(Group::Tensor);
                self.made.gradients.insert(made, exchange);
            }
            return made;
        }
        let inside = self.inside(op).is_some();
        let home = self.home(id);
        let how = self
            .tokens
            .ops
            .get(op)
            .and_then(|it| it.get(&place))
            .copied();
        let (want, part) = match (how, self.token_part(id)) {
            (Some(Read::Piece(part)), _) => (self.pieces(inside), Some(part)),
            (None, Some(_)) => (self.pieces(inside), None),
            (Some(Read::Gathered), _) | (None, None) => (
                State {
                    context: false,
                    tensor: false,
                },
                None,
            ),
        };
        let made = self.in_state(id, (home, want), part);
        self.sums_gradient(op, id, (home, want), made);
        made
    }

    /// Notes that the gradient of what an operator reads whole is a sum over devices.
    fn sums_gradient(
        &mut self,
        op: usize,
        id: TensorId,
        (home, want): (State, State),
        made: TensorId,
    ) {
        let tensor = self.graph.tensor(id);
        if !tensor.dtype.is_float() || tensor.role == Role::Input {
            return;
        }
        let divided = matches!(self.regions.parts.get(id.index()), Some(Some(_)));
        let inside = self.inside(op).is_some();
        let whole = State {
            context: false,
            tensor: false,
        };
        // Of all tokens what was gathered has its gradient scattered.
        let group = if inside && !divided && !home.tensor {
            Some(Group::Tensor)
        } else if (home, want) == (whole, whole) {
            let mut written = self.graph.ops[op].written();
            let tokens = written.any(|id| self.token_part(id).is_some());
            let own = self.groups(self.pieces(inside)).next();
            own.filter(|_| tokens).map(|(group, _)| group)
        } else {
            None
        };
        if let Some(group) = group {
            let exchange = self.sum_over(group);
            self.made.gradients.entry(made).or_insert(exchange);
        }
    }

    /// Whether each device of a tensor group has the whole of a constant, and of its gradient what comes
    /// of its own heads or tokens.
    fn sums_weight(&self, op: usize, place: usize) -> bool {
        let inside = self.inside(op);
        let divided = inside.is_some_and(|it| it.constants.contains_key(&place));
        let read = self.tokens.ops.get(op).and_then(|it| it.get(&place));
        let piece = matches!(read, Some(Read::Piece(_)));
        let part = |id: TensorId| {
            self.regions
                .parts
                .get(id.index())
                .is_some_and(Option::is_some)
        };
        let mut written = self.graph.ops[op].written();
        match inside {
            Some(it) if !it.sums => !divided && written.any(part),
            _ => !divided && !piece && written.any(|id| self.home(id).tensor),
        }
    }

    fn sum_over(&self, group: Group) -> Exchange {
        Exchange {
            collective: Collective::AllReduce,
            group,
            devices: self.devices(group),
        }
    }

    fn devices(&self, group: Group) -> u32 {
        match group {
            Group::Context => self.degrees.context,
            _ => self.degrees.tensor,
        }
    }

    /// The tensor in the state that is wanted, gathered or cut where it is in another.
    fn in_state(
        &mut self,
        id: TensorId,
        (home, want): (State, State),
        part: Option<Part>,
    ) -> TensorId {
        if home == want {
            return id;
        }
        let key = (id, want, part.map(|it| it.axis));
        if let Some(made) = self.states.get(&key) {
            return *made;
        }
        let (mut at, mut state) = (id, home);
        for group in [Group::Context, Group::Tensor] {
            let (is, wanted) = match group {
                Group::Context => (&mut state.context, want.context),
                _ => (&mut state.tensor, want.tensor),
            };
            if *is == wanted {
                continue;
            }
            *is = wanted;
            let exchange = Exchange {
                collective: Collective::AllGather,
                group,
                devices: self.devices(group),
            };
            let dims = self.dims(id, state, part);
            let read = at;
            if wanted {
                at = self.like(id, "part", dims);
                let op = Op::of(self.graph.dialect, Operator::Slice);
                let name = self.made.graph.tensor(at).name.clone();
                self.push(Op { name, ..op }, read, at);
                // What other devices have of it comes back.
                if self.graph.tensor(id).role != Role::Input {
                    self.made.gradients.insert(read, exchange);
                }
            } else {
                at = self.like(id, "gathered", dims);
                let name = self.made.graph.tensor(at).name.clone();
                self.exchange(exchange, &name, read, at);
            }
        }
        self.states.insert(key, at);
        at
    }

    fn operator(&mut self, index: usize, op: &Op) {
        let mut made = op.clone();
        if self.graph.runs(op) {
            let count = op.inputs.len();
            for (place, input) in made.inputs.iter_mut().enumerate() {
                *input = input.map(|id| self.read(index, place, id));
            }
            for (place, id) in made.captures.iter_mut().enumerate() {
                *id = self.read(index, count + place, *id);
            }
        }
        let Some(inside) = self.inside(index) else {
            self.made.graph.ops.push(made);
            return;
        };
        if !inside.sums {
            self.divide_heads(&mut made, op);
            self.made.graph.ops.push(made);
            return;
        }
        let Some(id) = op.written().next() else {
            return;
        };
        self.sum(made, id);
    }

    /// Writes an operator of whose sums each device has a part, and adds the parts up; a bias is
    /// added afterwards.
    fn sum(&mut self, mut op: Op, id: TensorId) {
        let product = matches!(op.operator, Operator::Gemm | Operator::FullyConnected);
        let bias = op.inputs.get(2).copied().flatten().filter(|_| product);
        if product {
            op.inputs.truncate(2);
        }
        let home = self.home(id);
        let whole = State {
            tensor: false,
            ..home
        };
        let dims = self.dims(id, whole, None);
        let partial = self.like(id, "partial", dims);
        op.outputs = vec![Some(partial)];
        let (collective, ending) = match home.tensor {
            true => (Collective::ReduceScatter, "scattered"),
            false => (Collective::AllReduce, "reduced"),
        };
        let exchange = Exchange {
            collective,
            group: Group::Tensor,
            devices: self.degrees.tensor,
        };
        let name = op.name.clone();
        self.made.graph.ops.push(op);
        let summed = match bias {
            None => id,
            Some(_) => {
                let dims = self.dims(id, home, None);
                self.like(id, ending, dims)
            }
        };
        self.exchange(exchange, &format!("{name}.{ending}"), partial, summed);
        if let Some(bias) = bias {
            self.made.graph.ops.push(Op {
                name: format!("{name}.bias"),
                inputs: vec![Some(summed), Some(bias)],
                outputs: vec![Some(id)],
                ..Op::of(self.graph.dialect, Operator::Add)
            });
        }
    }

    /// Leaves a device's heads in the attributes that say how many there are.
    fn divide_heads(&self, made: &mut Op, op: &Op) {
        for (name, place) in [("q_num_heads", 0), ("kv_num_heads", 1), ("num_heads", 0)] {
            let id = op.inputs.get(place).copied().flatten();
            let part = id.and_then(|id| *self.regions.parts.get(id.index())?);
            let heads = made.attributes.iter_mut().find(|(own, _)| own == name);
            if let (Some(_), Some((_, Attribute::Int(heads)))) = (part, heads) {
                *heads = (*heads / i64::from(self.degrees.tensor)).max(1);
            }
        }
    }
}
