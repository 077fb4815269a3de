//! The parts of a model: its layers, and what is before and after them. They are what a pipeline
//! divides, and what is gathered at once.
//!
//! Layers are told by the numbers that exporters and people give them in names of operators, as in
//! `/encoder/layer.3/attention/MatMul`. Where names say nothing, the model is cut where one value
//! alone goes on, into up to [`MOST_UNNAMED`] parts of about equal weights.

use std::collections::{BTreeMap, BTreeSet};

use crate::graph::{Graph, Op, Role, TensorId};
use crate::training::backward::weights_of;

/// The most parts of a model whose names say nothing.
const MOST_UNNAMED: usize = 16;

/// Which part each operator is of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// By operator: 0 before the layers, then the layer, from 1, and one more after them.
    pub of_op: Vec<u32>,
    /// What the parts are called.
    pub names: Vec<String>,
}

impl Parts {
    /// How many layers there are.
    #[must_use]
    pub fn layers(&self) -> u32 {
        crate::narrow(self.names.len().saturating_sub(2))
    }

    /// The parts of a sized graph.
    #[must_use]
    pub fn of(graph: &Graph) -> Self {
        named(graph).unwrap_or_else(|| unnamed(graph))
    }
}

/// The numbers in what an operator is called, or else in what its first output is.
fn numbered<'a>(graph: &'a Graph, op: &'a Op) -> impl Iterator<Item = (&'a str, u32)> {
    let own = numbers(&op.name).next().is_some();
    let written = op.written().next().map(|id| graph.tensor(id).name.as_str());
    numbers(match own {
        true => &op.name,
        false => written.unwrap_or_default(),
    })
}

/// Every number between dots and slashes of a name, with what is before it.
fn numbers(name: &str) -> impl Iterator<Item = (&str, u32)> {
    let is_end = |it: char| it == '.' || it == '/';
    let mut begin = 0;
    let ends = name.match_indices(is_end).map(|it| it.0);
    ends.chain([name.len()]).filter_map(move |end| {
        let word = &name[begin..end];
        let before = &name[..begin];
        begin = end + 1;
        word.parse().ok().map(|number| (before, number))
    })
}

/// The parts that names tell: what has most numbers, of those with as many what has most operators,
/// then the first by name. They have to follow one another.
fn named(graph: &Graph) -> Option<Parts> {
    let mut found: BTreeMap<&str, (BTreeSet<u32>, usize)> = BTreeMap::new();
    for op in &graph.ops {
        for (before, number) in numbered(graph, op) {
            let own = found.entry(before).or_default();
            own.0.insert(number);
            own.1 += 1;
        }
    }
    let most = found
        .iter()
        .filter(|(_, (numbers, _))| numbers.len() > 1)
        .max_by_key(|(before, (numbers, ops))| (numbers.len(), *ops, std::cmp::Reverse(**before)));
    let (before, (numbers_of, _)) = most?;
    let layer = |op: &Op| {
        let mut all = numbered(graph, op);
        let number = all.find(|it| it.0 == *before)?.1;
        numbers_of.iter().position(|it| *it == number)
    };
    let layers: Vec<Option<usize>> = graph.ops.iter().map(layer).collect();
    let first = layers.iter().position(Option::is_some)?;
    let last = layers.iter().rposition(Option::is_some)?;
    let mut of_op = vec![0; graph.ops.len()];
    let mut now = 0;
    for at in first..=last {
        // What has no number of its own is of the layer that is being computed.
        let own = layers[at].unwrap_or(now);
        if own < now {
            return None;
        }
        now = own;
        of_op[at] = crate::narrow(own + 1);
    }
    of_op[last + 1..].fill(crate::narrow(numbers_of.len() + 1));
    let names = numbers_of.iter().map(|number| format!("{before}{number}"));
    Some(Parts {
        of_op,
        names: with_rest(names),
    })
}

/// With what is before and after them.
fn with_rest(names: impl Iterator<Item = String>) -> Vec<String> {
    let rest = || ["rest".to_owned()];
    rest().into_iter().chain(names).chain(rest()).collect()
}

/// Parts of about equal weights, cut where one value alone goes on.
fn unnamed(graph: &Graph) -> Parts {
    let weights = graph.ops.iter().map(|op| {
        let all = weights_of(graph, op).into_iter();
        all.map(|it| it.2).fold(0_u64, u64::saturating_add)
    });
    let weights: Vec<u64> = weights.collect();
    let all = weights
        .iter()
        .fold(0_u64, |sum, it| sum.saturating_add(*it));
    let each = (all / MOST_UNNAMED as u64).max(1);
    let crossing = crossing(graph);
    let mut of_op = Vec::with_capacity(graph.ops.len());
    let (mut part, mut held) = (1_u32, 0_u64);
    for (at, own) in weights.iter().enumerate() {
        of_op.push(part);
        held = held.saturating_add(*own);
        if held >= each && crossing[at] == 1 && at + 1 < weights.len() {
            part += 1;
            held = 0;
        }
    }
    let names = (1..=part).map(|it| format!("part {it}"));
    Parts {
        of_op,
        names: with_rest(names),
    }
}

/// How many computed values operators after each one still read.
fn crossing(graph: &Graph) -> Vec<usize> {
    let mut last: BTreeMap<TensorId, usize> = BTreeMap::new();
    let end = graph.ops.len();
    for (at, op) in graph.ops.iter().enumerate() {
        for id in op.read().chain(op.captures.iter().copied()) {
            last.insert(id, at);
        }
    }
    last.extend(graph.outputs.iter().map(|id| (*id, end)));
    let mut ends = vec![0_usize; end + 1];
    let mut live = 0;
    let mut counts = Vec::with_capacity(end);
    for (at, op) in graph.ops.iter().enumerate() {
        for id in op.written() {
            let known = graph.tensor(id).role == Role::Constant;
            if let Some(until) = last.get(&id).filter(|it| !known && **it > at) {
                live += 1;
                ends[*until] += 1;
            }
        }
        live -= ends[at];
        counts.push(live);
    }
    counts
}
