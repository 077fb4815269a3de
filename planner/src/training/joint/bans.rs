//! Which nodes of the forward pass the backward pass may not compute again.
//!
//! Five rules, each with a switch of its own in `torch._functorch.config`: see [`Bans`].

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{Class, Classified};

/// A reduction is one whose result is so many times smaller than what it reads.
const REDUCES: u64 = 4;
/// How far a chain of nodes that can be one kernel goes before it is ended.
const LONG_CHAIN: usize = 100;

/// Which rules hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bans {
    /// What is read near by and, behind a node that ends a kernel, far away: its far reader.
    pub(super) used_far_apart: bool,
    /// What lies at the end of a long chain of nodes that can be one kernel.
    pub(super) long_chains: bool,
    /// What the backward pass has to have in memory, because it reads it outside a kernel.
    pub(super) materialized_backward: bool,
    /// What is not on the list of what may be computed again; otherwise what draws random
    /// numbers or is costly.
    pub(super) not_on_list: bool,
    /// What is much smaller than what it is computed from.
    pub(super) reductions: bool,
}

impl Bans {
    /// As PyTorch has them unless told otherwise.
    pub(super) const USUAL: Self = Self {
        used_far_apart: true,
        long_chains: true,
        materialized_backward: true,
        not_on_list: true,
        reductions: true,
    };
    /// Without regard to kernels.
    pub(super) const AGGRESSIVE: Self = Self {
        used_far_apart: false,
        long_chains: false,
        materialized_backward: false,
        ..Self::USUAL
    };
    /// The same where only what is costly is kept from being computed again.
    pub(super) const MORE_AGGRESSIVE: Self = Self {
        not_on_list: false,
        ..Self::AGGRESSIVE
    };

    /// The nodes that may not be computed again, inputs among them, in the order in which they are
    /// found; those of `allowed` may in any case.
    pub(super) fn of(self, graph: &Classified<'_>, allowed: &[bool]) -> Banned {
        let mut banned = Banned {
            is: vec![false; graph.users.len()],
            order: Vec::new(),
        };
        for (node, own) in graph.graph.nodes.iter().enumerate() {
            if graph.follows_tangent[node] {
                continue;
            }
            let by_itself = || graph.forward[node].is_some() && self.bans(graph, node);
            if own.class.is_primal() || by_itself() {
                banned.add(graph, allowed, node);
            }
        }
        if self.used_far_apart {
            far_readers(graph, allowed, &mut banned);
        }
        if self.long_chains {
            chain_ends(graph, allowed, &mut banned);
        }
        banned
    }

    /// Whether a rule bans `node` for what it is.
    fn bans(self, graph: &Classified<'_>, node: usize) -> bool {
        let own = &graph.graph.nodes[node];
        if own.class.is_placeholder() || own.class == Class::Item {
            return false;
        }
        let by_list = match self.not_on_list {
            true => !own.class.is_recomputable(),
            false => matches!(own.class, Class::Random | Class::ComputeIntensive),
        };
        let read = || {
            let operands = own.operands.iter();
            let bytes = operands.map(|it| graph.graph.nodes[*it].bytes.0);
            bytes.fold(0_u64, u64::saturating_add)
        };
        by_list
            || (self.materialized_backward && materialized_backward(graph, node))
            || (self.reductions && own.bytes.0.saturating_mul(REDUCES) < read())
    }
}

/// The nodes that may not be computed again.
#[derive(Clone, Debug)]
pub(super) struct Banned {
    /// By node.
    pub(super) is: Vec<bool>,
    /// In the order in which they were found.
    pub(super) order: Vec<usize>,
}

impl Banned {
    /// Views are never banned.
    fn add(&mut self, graph: &Classified<'_>, allowed: &[bool], node: usize) {
        let free = graph.graph.nodes[node].class == Class::View || allowed[node];
        if !free && !std::mem::replace(&mut self.is[node], true) {
            self.order.push(node);
        }
    }
}

/// Whether a reader outside the forward pass, of the node or of a view of it, is no part of its
/// kernel.
fn materialized_backward(graph: &Classified<'_>, node: usize) -> bool {
    let is_view = |node: usize| graph.graph.nodes[node].class == Class::View;
    if is_view(node) {
        return false;
    }
    let mut stack = vec![node];
    while let Some(node) = stack.pop() {
        if graph.returned[node] {
            return true;
        }
        for &user in &graph.users[node] {
            if graph.forward[user].is_none() && !graph.is_fusible(node, user) {
                return true;
            }
            if is_view(user) {
                stack.push(user);
            }
        }
    }
    false
}

/// Bans the readers of each node that lie behind the first node that ends the kernel of its
/// readers.
fn far_readers(graph: &Classified<'_>, allowed: &[bool], banned: &mut Banned) {
    for node in (0..graph.users.len()).filter(|it| graph.forward[*it].is_some()) {
        let Some((last, _)) = graph.forward_users(node).max() else {
            continue;
        };
        let first = first_unfusible(graph, node, last);
        for (place, user) in graph.forward_users(node) {
            if place > first && graph.is_fusible(node, user) {
                banned.add(graph, allowed, user);
            }
        }
    }
}

/// The place of the first node behind the readers of `node`, up to the place `last`, that cannot be
/// one kernel with what it reads.
fn first_unfusible(graph: &Classified<'_>, node: usize, last: usize) -> usize {
    // The least first: by place, then what is not fusible.
    let readers = graph.forward_users(node);
    let mut queue: BinaryHeap<_> = readers
        .map(|(at, user)| Reverse((at, user, true)))
        .collect();
    while let Some(Reverse((place, node, fusible))) = queue.pop() {
        // The same one stands there as often as it was added before the first was taken.
        while queue.peek() == Some(&Reverse((place, node, fusible))) {
            queue.pop();
        }
        if !fusible {
            return place;
        }
        let onward = graph.forward_users(node).filter(|(at, _)| *at <= last);
        queue.extend(onward.map(|(at, user)| Reverse((at, user, graph.is_fusible(node, user)))));
    }
    last
}

/// Bans the node at which a chain of nodes that can be one kernel has become too long.
fn chain_ends(graph: &Classified<'_>, allowed: &[bool], banned: &mut Banned) {
    let mut visited = vec![false; graph.users.len()];
    for start in 0..graph.users.len() {
        let Some(begin) = graph.forward[start] else {
            continue;
        };
        let mut queue = BinaryHeap::from([Reverse((begin, start))]);
        while let Some(Reverse((place, node))) = queue.pop() {
            if std::mem::replace(&mut visited[node], true) {
                continue;
            }
            if place > begin + LONG_CHAIN && queue.is_empty() {
                banned.add(graph, allowed, node);
                break;
            }
            let onward = graph.forward_users(node);
            let onward =
                onward.filter(|(_, user)| graph.is_fusible(node, *user) && !banned.is[*user]);
            queue.extend(onward.map(Reverse));
        }
    }
}
