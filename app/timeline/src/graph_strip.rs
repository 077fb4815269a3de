//! The graph in the order of its execution: what runs at each step, and which value goes from
//! which step to which.
//!
//! A value that an operator writes comes from the last step at which that one ran, so that what
//! is computed again comes from there. Of a view that no operator writes, and of a whole that
//! operators write in pieces, the bytes say it: each comes from the step that wrote it last.

use std::collections::{BTreeMap, BTreeSet};

use planner::graph::{Role, TensorId};
use planner::schedule::Action;
use planner::{Lifetimes, Program, Residencies, Step};

/// A graph in the order of its execution.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Strip {
    /// The steps at which an operator runs, ascending.
    pub nodes: Vec<Node>,
    /// What goes from one of them to another, by the step that reads it.
    pub edges: Vec<Edge>,
    /// Where each value begins and ends whose last reader is not the node after its writer.
    pub skips: Vec<(u64, u64)>,
    /// How many nodes after its writer the last reader of any value comes.
    pub longest: usize,
}

/// A step at which an operator runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// Which one.
    pub step: u64,
    /// The operator's name.
    pub name: String,
    /// Whether it ran before.
    pub again: bool,
    /// Whether it reads what no step has written and is no constant: what the caller feeds.
    pub fed: bool,
    /// The buffers that hold what it reads, each once.
    pub reads: Vec<usize>,
    /// The buffers that hold what it writes, each once.
    pub writes: Vec<usize>,
}

/// A value that goes from one step to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// The step that reads it.
    pub to: u64,
    /// The step that wrote it last.
    pub from: u64,
    /// What is read.
    pub tensor: TensorId,
    /// The buffer that holds it then; `None` where it is in none.
    pub buffer: Option<usize>,
}

impl Strip {
    /// The graph of `program`, whose buffers are those of `lifetimes`.
    #[must_use]
    pub fn of(program: &Program, lifetimes: &Lifetimes) -> Self {
        let residencies = Residencies::of(lifetimes);
        let mut written = Written::new(program);
        let mut strip = Self::default();
        for (entry, step) in program.schedule.steps.iter().zip(0..) {
            let op = entry.action.op();
            let Some(op) = op.and_then(|op| program.graph.ops.get(op.index())) else {
                continue;
            };
            let buffer = |tensor| residencies.operand(program, lifetimes, (Step(step), tensor));
            let read: BTreeSet<TensorId> = op.read().collect();
            let mut node = Node {
                step,
                name: op.name.clone(),
                again: matches!(entry.action, Action::Recompute(_)),
                fed: false,
                reads: once(read.iter().copied().filter_map(buffer)),
                writes: once(op.written().filter_map(buffer)),
            };
            let first = strip.edges.len();
            for tensor in read {
                let writers = written.writers(tensor);
                let role = program.graph.tensor(tensor).role;
                node.fed |= writers.is_empty() && role != Role::Constant;
                strip.edges.extend(writers.into_iter().map(|from| Edge {
                    to: step,
                    from,
                    tensor,
                    buffer: buffer(tensor),
                }));
            }
            strip.edges[first..].sort_unstable();
            strip.nodes.push(node);
            for tensor in op.written() {
                written.write(tensor, step);
            }
        }
        strip.measured()
    }

    /// The same with what follows from its edges.
    #[must_use]
    pub fn measured(mut self) -> Self {
        let mut last = BTreeMap::new();
        for edge in &self.edges {
            // By ascending reader: the last one stays.
            last.insert((edge.from, edge.tensor), edge.to);
        }
        let values = last.into_iter().map(|((from, _), to)| (from, to));
        let mut skips: Vec<(u64, u64)> = values.collect();
        skips.retain(|(from, to)| self.apart(*from, *to) > 1);
        let apart = skips.iter().map(|(from, to)| self.apart(*from, *to));
        self.longest = apart.max().unwrap_or(1);
        self.skips = skips;
        self
    }

    /// How many nodes after the one at step `from` the one at `to` comes.
    #[must_use]
    pub fn apart(&self, from: u64, to: u64) -> usize {
        let place = |step| self.nodes.partition_point(|node| node.step < step);
        place(to).saturating_sub(place(from))
    }

    /// Which node runs at `step`.
    #[must_use]
    pub fn at(&self, step: u64) -> Option<usize> {
        self.nodes
            .binary_search_by_key(&step, |node| node.step)
            .ok()
    }

    /// The node that runs nearest to `step`, the earlier of two.
    #[must_use]
    pub fn nearest(&self, step: u64) -> Option<usize> {
        let after = self.nodes.partition_point(|node| node.step < step);
        let near = |at: Option<usize>| Some((at?, self.nodes.get(at?)?.step.abs_diff(step)));
        match (near(after.checked_sub(1)), near(Some(after))) {
            (Some((before, far)), Some((_, near))) if far <= near => Some(before),
            (_, Some((after, _))) => Some(after),
            (before, None) => before.map(|(before, _)| before),
        }
    }

    /// The steps that write a buffer, and those that read it.
    #[must_use]
    pub fn touching(&self, buffer: usize) -> (Vec<u64>, Vec<u64>) {
        let steps = |own: fn(&Node) -> &[usize]| {
            let touching = self.nodes.iter().filter(|node| own(node).contains(&buffer));
            touching.map(|node| node.step).collect()
        };
        (steps(|node| &node.writes), steps(|node| &node.reads))
    }
}

/// The same in their order, each once.
fn once(all: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut kept = Vec::new();
    for one in all {
        if !kept.contains(&one) {
            kept.push(one);
        }
    }
    kept
}

/// Bytes of a storage, half-open.
type Window = (u64, u64);

/// Who has written what so far.
struct Written<'a> {
    program: &'a Program,
    /// The last step that wrote each tensor.
    by_tensor: Vec<Option<u64>>,
    /// What was written of each storage, each tensor once, by ascending step.
    by_storage: Vec<Vec<(TensorId, u64)>>,
}

impl<'a> Written<'a> {
    fn new(program: &'a Program) -> Self {
        Self {
            program,
            by_tensor: vec![None; program.graph.tensors.len()],
            by_storage: vec![Vec::new(); program.storages.list.len()],
        }
    }

    fn write(&mut self, tensor: TensorId, step: u64) {
        if let Some(last) = self.by_tensor.get_mut(tensor.index()) {
            *last = Some(step);
        }
        let view = self.program.storages.view(tensor);
        if let Some(own) = view.and_then(|view| self.by_storage.get_mut(view.base.index())) {
            own.retain(|(other, _)| *other != tensor);
            own.push((tensor, step));
        }
    }

    /// The steps that wrote what `tensor` holds now.
    fn writers(&self, tensor: TensorId) -> BTreeSet<u64> {
        if let Some(step) = self.by_tensor.get(tensor.index()).copied().flatten() {
            return BTreeSet::from([step]);
        }
        let view = self.program.storages.view(tensor);
        let own = view.and_then(|view| self.by_storage.get(view.base.index()));
        let (start, end) = self.window(tensor);
        let mut rest = Vec::from_iter((start < end).then_some((start, end)));
        let mut writers = BTreeSet::new();
        for (other, step) in own.into_iter().flatten().rev() {
            let covered = self.window(*other);
            if covered.0 >= covered.1 {
                continue;
            }
            let before = rest.clone();
            rest = before.iter().flat_map(|it| without(*it, covered)).collect();
            if rest != before {
                writers.insert(*step);
            }
            if rest.is_empty() {
                break;
            }
        }
        writers
    }

    /// The bytes of its storage that a tensor touches: all of them where it has no size.
    fn window(&self, tensor: TensorId) -> Window {
        let window = self.program.storages.window(&self.program.graph, tensor);
        window.map_or((0, u64::MAX), |(start, end)| (start.0, end.0))
    }
}

/// What is left of some bytes without others.
fn without((start, end): Window, (from, to): Window) -> impl Iterator<Item = Window> {
    let left = [(start, end.min(from)), (start.max(to), end)];
    left.into_iter().filter(|(start, end)| start < end)
}
