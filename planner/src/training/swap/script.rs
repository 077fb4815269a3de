//! What is to be done with values between two uses.

use serde::{Deserialize, Serialize};

/// A value is not kept from one use to the next. Nodes stand for their first runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Absence {
    /// The node whose value it is.
    pub value: usize,
    /// The last node that uses it before: it reads the value, or is the node itself.
    pub after: usize,
    /// The next node that reads it.
    pub before: usize,
    /// How it is there again.
    pub how: How,
}

/// How a value that is not kept is there again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// It is computed again when it is needed.
    Recompute,
    /// It is copied to the host and back.
    Swap {
        /// The copy out begins when this node has ended, which is `after` or one before it.
        copy: usize,
        /// The copy back begins when this node starts; `before` itself fetches on demand.
        fetch: usize,
    },
}

/// A training step in the order of its nodes, with absences.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// The absences; of one value none touches another.
    pub absences: Vec<Absence>,
    /// What leaves after a node has left before the next starts, and what is on its way back has
    /// arrived.
    pub layers_end_together: bool,
    /// Where there is no room, the value that was used longest ago leaves, and is fetched on
    /// demand.
    pub passive: bool,
}

/// The node with which a copy back starts to arrive in time, by when nodes start where nothing
/// waits: the last that starts early enough, the first after `after` where none does, and the node
/// that needs the value where there is none between.
#[must_use]
pub fn in_time(starts: &[u64], (after, before): (usize, usize), back: u64) -> usize {
    let due = starts[before].saturating_sub(back);
    let mut nodes = after + 1..before;
    let early = nodes.clone().rev().find(|node| starts[*node] <= due);
    early.or_else(|| nodes.next()).unwrap_or(before)
}
