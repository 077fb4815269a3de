//! Modules of PyTorch that exporters take apart, put together again: autograd saves what the module
//! saves, not what its parts would.
//!
//! | module | as exported |
//! |---|---|
//! | SiLU, Mish | x · sigmoid(x), x · tanh(softplus(x)) |
//! | GELU | x · ½ · (1 + erf(x / √2)), or with tanh, in any order of the factors |
//! | GroupNorm | Reshape, InstanceNormalization, Reshape, Mul, Add |
//! | LayerNorm | means, differences, a root and a quotient |
//! | scaled dot-product attention | queries and keys by the root of the scale, product, softmax, product |
//! | casts to the same type | CastLike, Cast |
//! | nothing | Dropout of ratio 0 |
//!
//! An attention that is written out, with its scale applied once, is left as it is: PyTorch then
//! saves of each of its operators.

use std::collections::BTreeMap;

use crate::graph::{Attribute, Content, Dialect, Graph, Op, OpId, Role, TensorId};
use crate::operators::Operator::{
    self, Add, Cast, CastLike, Div, Dropout, Erf, Gelu, GroupNormalization, Identity,
    InstanceNormalization, LayerNormalization, MatMul, Mish, Mul, Pow, ReduceMean, Reshape,
    ScaledDotProductAttention, Sigmoid, Softmax, Softplus, Sqrt, Sub, Swish, Tanh, Transpose,
};

/// A module in place of its parts.
struct Found {
    name: &'static str,
    op: Op,
}

struct Matcher<'a> {
    graph: &'a Graph,
    consumers: Vec<Vec<OpId>>,
    producers: Vec<Option<OpId>>,
}

type Pattern = fn(&Matcher<'_>, &Op) -> Option<Found>;
const PATTERNS: [Pattern; 6] = [silu, mish, gelu, group_norm, layer_norm, attention];

/// The graph with the modules that were recognised, and how often each.
pub(super) fn recognised(graph: &Graph) -> (Graph, BTreeMap<&'static str, u64>) {
    let mut counts = BTreeMap::new();
    let mut after = graph.clone();
    // PyTorch exports to ONNX.
    if graph.dialect == Dialect::Tflite {
        return (after, counts);
    }
    let matcher = Matcher {
        graph,
        consumers: graph.consumers(),
        producers: graph.producers(),
    };
    for (index, op) in graph.ops.iter().enumerate() {
        if matcher.casts_to_the_same(op) || matcher.drops_nothing(op) {
            let after = &mut after.ops[index];
            after.become_operator(graph.dialect, Identity);
            after.inputs.truncate(1);
            after.outputs.truncate(1);
            continue;
        }
        let found = PATTERNS.iter().find_map(|pattern| pattern(&matcher, op));
        if let Some(Found { name, op: made }) = found {
            *counts.entry(name).or_insert(0) += 1;
            after.ops[index] = made;
        }
    }
    if !counts.is_empty() {
        without_unread(graph, &mut after);
    }
    (after, counts)
}

/// Takes out what nobody reads any more.
fn without_unread(before: &Graph, after: &mut Graph) {
    let read_before = before.consumers();
    loop {
        let consumers = after.consumers();
        let dead = |op: &Op| {
            let unread = |id: TensorId| {
                let was = !read_before[id.index()].is_empty();
                was && consumers[id.index()].is_empty() && !before.outputs.contains(&id)
            };
            op.written().next().is_some() && op.written().all(unread)
        };
        let count = after.ops.len();
        after.ops.retain(|op| !dead(op));
        if after.ops.len() == count {
            return;
        }
    }
}

impl Matcher<'_> {
    /// What writes `tensor`, if it is one of these operators.
    fn writer(&self, tensor: TensorId, operators: &[Operator]) -> Option<&Op> {
        let op = self.graph.op(self.producers[tensor.index()]?);
        operators.contains(&op.operator).then_some(op)
    }

    /// The same where only one operator reads `tensor`.
    fn alone(&self, tensor: TensorId, operators: &[Operator]) -> Option<&Op> {
        let once = self.consumers[tensor.index()].len() == 1;
        self.writer(tensor, operators)
            .filter(|_| once && !self.graph.outputs.contains(&tensor))
    }

    fn constant(&self, tensor: TensorId) -> bool {
        self.graph.tensor(tensor).role == Role::Constant
    }

    fn dims(&self, tensor: TensorId) -> Option<&[u64]> {
        self.graph.tensor(tensor).dims.as_deref()
    }

    /// Whether it is a constant of one element.
    fn number(&self, tensor: TensorId) -> bool {
        let one = |dims: &[u64]| dims.iter().all(|dim| *dim == 1);
        self.constant(tensor) && self.dims(tensor).is_some_and(one)
    }

    /// What is computed of the two inputs of `op`, and the constant.
    fn by_constant(&self, op: &Op) -> Option<(TensorId, TensorId)> {
        let (a, b) = pair(op)?;
        match (self.constant(a), self.constant(b)) {
            (false, true) => Some((a, b)),
            (true, false) => Some((b, a)),
            _ => None,
        }
    }

    fn casts_to_the_same(&self, op: &Op) -> bool {
        let casts = matches!(op.operator, Cast | CastLike);
        let dtype = |id: Option<TensorId>| id.map(|id| self.graph.tensor(id).dtype);
        let input = op.inputs.first().copied().flatten();
        let output = op.outputs.first().copied().flatten();
        casts && input.is_some() && dtype(input) == dtype(output)
    }

    /// Whether it is a dropout of ratio 0, which PyTorch leaves out, of which nobody reads the mask.
    fn drops_nothing(&self, op: &Op) -> bool {
        let masks = op.written().skip(1);
        let unread = masks
            .into_iter()
            .all(|id| self.consumers[id.index()].is_empty() && !self.graph.outputs.contains(&id));
        // An input since operator set 12, an attribute before.
        let zero = match op.inputs.get(1).copied().flatten() {
            Some(id) => match &self.graph.tensor(id).content {
                Content::Inline(bytes) => !bytes.is_empty() && bytes.iter().all(|byte| *byte == 0),
                _ => false,
            },
            None => matches!(op.attribute("ratio"), Some(Attribute::Float(0.0))),
        };
        op.is(Dropout) && unread && zero
    }

    /// Whether all that `tensor` is computed from, by arithmetic, is `x` and constants.
    fn only_of(&self, tensor: TensorId, x: TensorId, depth: u32) -> bool {
        if tensor == x || self.constant(tensor) {
            return true;
        }
        let op = self.writer(tensor, &[Mul, Div, Add, Pow]);
        let inner = |op: &Op| depth > 0 && op.read().all(|id| self.only_of(id, x, depth - 1));
        op.is_some_and(inner)
    }
}

/// The two inputs of an operator of two.
fn pair(op: &Op) -> Option<(TensorId, TensorId)> {
    match op.inputs.as_slice() {
        [Some(a), Some(b)] => Some((*a, *b)),
        _ => None,
    }
}

/// `operator` of `inputs` in place of `last`.
fn module(name: &'static str, operator: Operator, inputs: &[TensorId], last: &Op) -> Found {
    let op = Op {
        name: last.name.clone(),
        inputs: inputs.iter().copied().map(Some).collect(),
        outputs: last.outputs.clone(),
        stream: last.stream,
        ..Op::of(Dialect::Onnx { opset: 0 }, operator)
    };
    Found { name, op }
}

/// x by a function of x.
fn gated(matcher: &Matcher<'_>, last: &Op, gate: Operator) -> Option<(TensorId, TensorId)> {
    let (a, b) = pair(last).filter(|_| last.is(Mul))?;
    [(a, b), (b, a)].into_iter().find_map(|(x, gated)| {
        let read = *matcher.alone(gated, &[gate])?.inputs.first()?;
        Some((x, read?))
    })
}

fn silu(matcher: &Matcher<'_>, last: &Op) -> Option<Found> {
    let (x, read) = gated(matcher, last, Sigmoid)?;
    (x == read).then(|| module("SiLU", Swish, &[x], last))
}

fn mish(matcher: &Matcher<'_>, last: &Op) -> Option<Found> {
    let (x, read) = gated(matcher, last, Tanh)?;
    let soft = matcher.alone(read, &[Softplus])?;
    (soft.inputs == [Some(x)]).then(|| module("Mish", Mish, &[x], last))
}

fn gelu(matcher: &Matcher<'_>, last: &Op) -> Option<Found> {
    let (a, b) = pair(last).filter(|_| last.is(Mul))?;
    let mut factors = Vec::new();
    for factor in [a, b] {
        match matcher.alone(factor, &[Mul]).and_then(pair) {
            Some((one, other)) if factors.len() < 2 => factors.extend([one, other]),
            _ => factors.push(factor),
        }
    }
    // x, one half, and the rest.
    let half = factors.iter().position(|it| matcher.number(*it))?;
    factors.remove(half);
    let [one, other] = factors[..] else {
        return None;
    };
    [(one, other), (other, one)]
        .into_iter()
        .find_map(|(x, rest)| {
            let add = matcher.alone(rest, &[Add])?;
            let (made, number) = matcher.by_constant(add)?;
            let function = matcher.alone(made, &[Erf, Tanh])?;
            let of = function.inputs.first().copied().flatten()?;
            let whole = matcher.number(number) && of != x && matcher.only_of(of, x, 8);
            whole.then(|| module("GELU", Gelu, &[x], last))
        })
}

fn group_norm(matcher: &Matcher<'_>, last: &Op) -> Option<Found> {
    let (scaled, bias) = matcher.by_constant(last).filter(|_| last.is(Add))?;
    let (shaped, scale) = matcher.by_constant(matcher.alone(scaled, &[Mul])?)?;
    let normal = matcher.alone(shaped, &[Reshape])?.inputs.first()?;
    let instance = matcher.alone((*normal)?, &[InstanceNormalization])?;
    let grouped = instance.inputs.first().copied().flatten()?;
    let x = *matcher.writer(grouped, &[Reshape])?.inputs.first()?;
    let (x, y) = (x?, last.outputs.first().copied().flatten()?);
    let groups = match matcher.dims(grouped)? {
        [_, groups, _] => i64::try_from(*groups).ok()?,
        _ => return None,
    };
    let fits = matcher.dims(x)? == matcher.dims(y)?;
    let mut found = module("GroupNorm", GroupNormalization, &[x, scale, bias], last);
    let attribute = ("num_groups".to_owned(), Attribute::Int(groups));
    found.op.attributes.push(attribute);
    fits.then_some(found)
}

fn layer_norm(matcher: &Matcher<'_>, last: &Op) -> Option<Found> {
    let (scaled, bias) = matcher.by_constant(last).filter(|_| last.is(Add))?;
    let (quotient, scale) = matcher.by_constant(matcher.alone(scaled, &[Mul])?)?;
    let (d, root) = pair(matcher.alone(quotient, &[Div])?)?;
    let sum = *matcher.alone(root, &[Sqrt])?.inputs.first()?;
    let (mean, _) = matcher.by_constant(matcher.alone(sum?, &[Add])?)?;
    let square = matcher.alone(mean, &[ReduceMean])?.inputs.first()?;
    let square = matcher.alone((*square)?, &[Pow, Mul])?;
    let centred = matcher.writer(d, &[Sub])?;
    let (x, mean) = pair(centred)?;
    let mean = matcher.alone(mean, &[ReduceMean])?.inputs.first()?;
    let fits = square.inputs.first() == Some(&Some(d)) && *mean == Some(x);
    let normalized = i64::try_from(matcher.dims(scale)?.len()).ok()?;
    let mut found = module("LayerNorm", LayerNormalization, &[x, scale, bias], last);
    let attribute = ("axis".to_owned(), Attribute::Int(-normalized));
    found.op.attributes.push(attribute);
    fits.then_some(found)
}

fn attention(matcher: &Matcher<'_>, last: &Op) -> Option<Found> {
    let (weights, values) = pair(last).filter(|_| last.is(MatMul))?;
    let softmax = matcher.alone(weights, &[Softmax])?;
    let mut scores = softmax.inputs.first().copied().flatten()?;
    // The mask is given, or known.
    if let Some((one, other)) = matcher.alone(scores, &[Add]).and_then(pair) {
        let product = |id: TensorId| matcher.alone(id, &[MatMul]).is_some();
        scores = if product(one) { one } else { other };
    }
    let (q, k) = pair(matcher.alone(scores, &[MatMul])?)?;
    let scaled = |id: TensorId| {
        let (of, number) = matcher.by_constant(matcher.alone(id, &[Mul])?)?;
        matcher.number(number).then_some(of)
    };
    let (q, mut k) = (scaled(q)?, scaled(k)?);
    // Keys are turned for the product alone.
    while let Some(view) = matcher.alone(k, &[Transpose, Reshape]) {
        k = view.inputs.first().copied().flatten()?;
    }
    Some(module(
        "attention",
        ScaledDotProductAttention,
        &[q, k, values],
        last,
    ))
}
