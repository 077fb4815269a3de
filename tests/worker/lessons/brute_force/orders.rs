//! Puzzles and training steps by exhaustion: all orders of a graph's operators, all schedules of
//! a chain of layers.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use super::problem::Problem;

/// An operator of a graph of rows of `f32`: what it is called, what it reads that is computed,
/// how many bytes it writes.
pub(crate) struct Op {
    name: String,
    reads: Vec<usize>,
    bytes: u64,
    /// What the graph gives back lies beside the arena.
    is_output: bool,
}

/// The operators that the lines of such a graph say, of which only products with constants and
/// joints are known here: a product has the constant's columns, a joint those of all it joins.
pub(crate) fn operators(lines: &[String]) -> Vec<Op> {
    let mut columns: BTreeMap<&str, u64> = BTreeMap::new();
    let mut ops: Vec<Op> = Vec::new();
    for line in lines {
        if let Some(given) = line.strip_prefix("const ") {
            let (name, shape) = given.split_once(": f32[").expect("a shape of f32");
            let last = shape.trim_end_matches(']').rsplit(", ").next();
            let last = last.and_then(|it| it.parse().ok());
            columns.insert(name, last.expect("a number of columns"));
        } else if let Some((name, made)) = line.split_once(" = ") {
            let (kind, rest) = made.split_once('(').expect("what it reads");
            let (read, _) = rest.split_once(')').expect("the end of what it reads");
            let read: Vec<&str> = read.split(", ").collect();
            let own = match kind {
                "MatMul" => columns[read[1]],
                "Concat" => read.iter().map(|it| columns[it]).sum(),
                other => panic!("{other} is not known here"),
            };
            columns.insert(name, own);
            let reads = ops
                .iter()
                .enumerate()
                .filter(|it| read.contains(&&*it.1.name));
            ops.push(Op {
                name: name.to_owned(),
                reads: reads.map(|it| it.0).collect(),
                bytes: 4 * own,
                is_output: false,
            });
        } else if let Some(name) = line.strip_prefix("output ") {
            for op in &mut ops {
                op.is_output |= op.name == name;
            }
        }
    }
    ops
}

/// All orders in which every operator comes after what it reads.
pub(crate) fn orders(ops: &[Op]) -> Vec<Vec<usize>> {
    let mut all = Vec::new();
    let mut open = vec![Vec::new()];
    while let Some(order) = open.pop() {
        if order.len() == ops.len() {
            all.push(order);
            continue;
        }
        let ready = ops.iter().enumerate().filter(|(at, op)| {
            !order.contains(at) && op.reads.iter().all(|read| order.contains(read))
        });
        for (next, _) in ready {
            let mut longer = order.clone();
            longer.push(next);
            open.push(longer);
        }
    }
    all
}

/// The most bytes that are there at once: what an operator writes, and whatever was written before
/// and is read now or later.
pub(crate) fn peak(ops: &[Op], order: &[usize]) -> u64 {
    let live = (0..order.len()).map(|now| {
        let written = order.iter().take(now + 1);
        let held = written.filter(|&&it| {
            let is_new = it == order[now];
            let mut to_come = order.iter().skip(now);
            !ops[it].is_output && (is_new || to_come.any(|later| ops[*later].reads.contains(&it)))
        });
        held.map(|&it| ops[it].bytes).sum()
    });
    live.max().unwrap_or(0)
}

/// Whether operators whose names begin with the same letter follow each other: branch after
/// branch.
pub(crate) fn is_by_branch(ops: &[Op], order: &[usize]) -> bool {
    let branches = order.iter().map(|&it| ops[it].name.chars().next());
    let mut branches: Vec<Option<char>> = branches.collect();
    branches.dedup();
    let different: BTreeSet<&Option<char>> = branches.iter().collect();
    different.len() == branches.len()
}

/// A training step of layers in a row: what each node reads, and its bytes. First the layers, then
/// the loss, then a gradient for each layer from the last to the first. The gradient of a layer's
/// output reads that output, the next one and the gradient of that; the last one's the loss.
pub(crate) struct Chain {
    pub(crate) layers: usize,
    reads: Vec<Vec<usize>>,
    bytes: Vec<u64>,
}

impl Chain {
    /// Of a training step of layers that write `a0`, `a1`, …; `None` of anything else.
    pub(crate) fn of(problem: &Problem) -> Option<Self> {
        let size = |name: &str| Some(problem.buffer(name)?.size);
        let outputs = (0..).map_while(|layer| size(&format!("a{layer}")));
        let outputs: Vec<u64> = outputs.collect();
        let loss = size("loss")?;
        (!outputs.is_empty()).then(|| Self::new(&outputs, loss))
    }

    /// Of layers with such outputs, the loss, and gradients as large as the outputs.
    fn new(outputs: &[u64], loss: u64) -> Self {
        let layers = outputs.len();
        let gradient = |layer: usize| 2 * layers - layer;
        let mut reads: Vec<Vec<usize>> = (0..layers)
            .map(|it| (it.max(1) - 1..it).collect())
            .collect();
        reads.push(vec![layers - 1]);
        reads.extend((0..layers).rev().map(|layer| match layer + 1 == layers {
            true => vec![layer, layers],
            false => vec![layer, layer + 1, gradient(layer + 1)],
        }));
        let mut bytes = outputs.to_vec();
        bytes.push(loss);
        bytes.extend(outputs.iter().rev());
        Self {
            layers,
            reads,
            bytes,
        }
    }

    /// The most bytes that a node needs for what it reads and writes.
    pub(crate) fn least_budget(&self) -> u64 {
        let nodes = self.reads.iter().zip(&self.bytes);
        let needs =
            nodes.map(|(reads, own)| own + reads.iter().map(|it| self.bytes[*it]).sum::<u64>());
        needs.max().unwrap_or(0)
    }

    /// The most bytes at once, and how many nodes run again, where the layers of a set (one bit for
    /// each) are given up when the forward pass has read them for the last time, and come back when
    /// a gradient reads them. All else stays until it is read for the last time.
    pub(crate) fn given_up(&self, set: u32) -> (u64, u64) {
        let count = self.bytes.len();
        let (mut there, mut peak, mut again) = (BTreeSet::new(), 0, 0);
        for step in 0..count {
            // What is missing comes before what reads it, from the first layer on.
            let mut open = vec![step];
            while let Some(node) = open.pop() {
                let missing = self.reads[node].iter().find(|it| !there.contains(*it));
                if let Some(missing) = missing {
                    open.extend([node, *missing]);
                    continue;
                }
                there.insert(node);
                let total: u64 = there.iter().map(|it: &usize| self.bytes[*it]).sum();
                peak = total.max(peak);
                again += u64::from(node != step);
            }
            let is_read = |node: usize, mut by: std::ops::Range<usize>| {
                by.any(|later| self.reads[later].contains(&node))
            };
            there.retain(|&node| {
                let forward_is_over = !is_read(node, step + 1..self.layers + 1);
                let is_given_up = node < self.layers && set >> node & 1 == 1;
                let goes = is_given_up && step <= self.layers && forward_is_over;
                node == step || (is_read(node, step + 1..count) && !goes)
            });
        }
        (peak, again)
    }

    /// How many nodes have to run again at least so that never more than `budget` bytes are there;
    /// `None` where they always are. By Dijkstra over what is there and what has run: what is there
    /// may be given up at any time, and what has run may run again.
    pub(crate) fn fewest_again(&self, budget: u64) -> Option<u64> {
        let count = self.bytes.len();
        let total = |there: u32| -> u64 {
            let values = self.bytes.iter().enumerate();
            values
                .filter(|it| there >> it.0 & 1 == 1)
                .map(|it| it.1)
                .sum()
        };
        let mut done = BTreeSet::new();
        let mut open = BinaryHeap::from([Reverse((0_u64, 0_usize, 0_u32))]);
        while let Some(Reverse((cost, next, there))) = open.pop() {
            if next == count {
                return Some(cost);
            }
            if !done.insert((next, there)) {
                continue;
            }
            for node in 0..count {
                let with = there | 1 << node;
                let is_ready = self.reads[node].iter().all(|it| there >> it & 1 == 1);
                if with == there {
                    open.push(Reverse((cost, next, there & !(1 << node))));
                } else if node <= next && is_ready && total(with) <= budget {
                    let again = u64::from(node < next);
                    open.push(Reverse((cost + again, next.max(node + 1), with)));
                }
            }
        }
        None
    }
}
