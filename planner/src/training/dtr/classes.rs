//! Connected evicted storages as sets with one cost each, which only ever grow together: the
//! cheap stand-in for the evicted neighbourhood (section 4.1 of the paper, "e* to ẽ*").

/// Sets of evicted storages, each with the sum of what computing its members costs.
#[derive(Clone, Debug, Default)]
pub(super) struct Classes {
    parents: Vec<usize>,
    costs: Vec<i128>,
}

impl Classes {
    /// A set of its own.
    pub(super) fn add(&mut self, cost: i128) -> usize {
        self.parents.push(self.parents.len());
        self.costs.push(cost);
        self.parents.len() - 1
    }

    /// What stands for the set that `member` is in.
    pub(super) fn root(&mut self, member: usize) -> usize {
        let root = self.find(member);
        let mut at = member;
        while self.parents[at] != root {
            at = std::mem::replace(&mut self.parents[at], root);
        }
        root
    }

    /// The same without a change, which is slower.
    pub(super) fn find(&self, member: usize) -> usize {
        let mut root = member;
        while self.parents[root] != root {
            root = self.parents[root];
        }
        root
    }

    /// The cost of the set that `root` stands for.
    pub(super) fn cost(&self, root: usize) -> i128 {
        self.costs[root]
    }

    /// Makes one set of both.
    pub(super) fn merge(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        if one != other {
            self.parents[one] = other;
            self.costs[other] += self.costs[one];
        }
    }

    /// A member is there again: its cost counts no longer. Its set stays together, which is what
    /// makes the cost an estimate.
    pub(super) fn leave(&mut self, member: usize, cost: i128) {
        let root = self.root(member);
        self.costs[root] -= cost;
    }
}
