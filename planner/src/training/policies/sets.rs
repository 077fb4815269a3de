//! Sets of nodes as one word, for searches through states of few nodes.

use crate::training::Problem;

/// The most nodes, those of 21 layers: for more, a search may take minutes. A set is one word.
pub const MOST_NODES: usize = 43;

/// The places that lead to `last` in a list whose first one is the start, in order; `from` says which
/// comes before each.
pub(super) fn way(last: usize, from: impl Fn(usize) -> usize) -> impl Iterator<Item = usize> {
    let back = std::iter::successors(Some(last), |at| Some(from(*at)));
    let back: Vec<usize> = back.take_while(|at| *at != 0).collect();
    back.into_iter().rev()
}

/// What nodes read and need.
pub(super) struct Sets {
    bytes: Vec<u64>,
    /// What each node reads.
    pub(super) reads: Vec<u64>,
    /// What nodes from this one on may need at all, by whatever way: all else is dead.
    pub(super) useful: Vec<u64>,
    /// What running this node and all behind it costs.
    pub(super) to_come: Vec<u64>,
}

impl Sets {
    /// Of a step of at most [`MOST_NODES`].
    pub(super) fn new(problem: &Problem) -> Self {
        let set = |nodes: &[usize]| nodes.iter().fold(0, |set, node| set | 1_u64 << node);
        let reads: Vec<u64> = problem.nodes.iter().map(|node| set(&node.reads)).collect();
        let count = reads.len();
        let mut useful = vec![0; count + 1];
        let mut to_come = vec![0; count + 1];
        for node in (0..count).rev() {
            let mut own = useful[node + 1] | reads[node];
            // What reads reads, down to the first.
            for before in (0..node).rev() {
                if own >> before & 1 == 1 {
                    own |= reads[before];
                }
            }
            useful[node] = own;
            to_come[node] = to_come[node + 1] + problem.nodes[node].cost;
        }
        Self {
            bytes: problem.nodes.iter().map(|node| node.bytes.0).collect(),
            reads,
            useful,
            to_come,
        }
    }

    pub(super) fn bytes(&self, set: u64) -> u64 {
        each(set).map(|node| self.bytes[node]).sum()
    }

    /// What the nodes from `next` on read of those before.
    pub(super) fn wanted(&self, next: usize) -> u64 {
        let wanted = self.reads[next..].iter().fold(0, |all, it| all | it);
        wanted & ((1_u64 << next.min(63)) - 1)
    }

    /// What missing values cost together with what they are made from, each node once, the last
    /// first: `each` says what a value costs, and whether what it reads is needed for it.
    pub(super) fn missing(&self, missing: u64, there: u64, each: &mut dyn FnMut(usize) -> bool) {
        let mut missing = missing & !there;
        while missing != 0 {
            let node = 63 - missing.leading_zeros() as usize;
            missing &= !(1 << node);
            if each(node) {
                missing |= self.reads[node] & !there;
            }
        }
    }

    /// Every smallest subset of `spare` with at least `over` bytes: without any one of them it
    /// would not be enough.
    pub(super) fn smallest(&self, spare: u64, over: u64) -> Vec<u64> {
        let spare: Vec<usize> = each(spare).collect();
        let mut found = Vec::new();
        self.add(&spare, over, 0, &mut found);
        found
    }

    fn add(&self, spare: &[usize], over: u64, chosen: u64, found: &mut Vec<u64>) {
        let Some((&first, rest)) = spare.split_first() else {
            return;
        };
        let bytes = self.bytes[first];
        let with = chosen | 1 << first;
        if bytes >= over {
            let all = self.bytes(with);
            let needed = self.bytes(chosen) + over;
            if each(with).all(|it| all - self.bytes[it] < needed) {
                found.push(with);
            }
        } else if bytes > 0 {
            self.add(rest, over - bytes, with, found);
        }
        self.add(rest, over, chosen, found);
    }
}

/// The members of a set, ascending.
pub(super) fn each(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let first = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(first)
    })
}
