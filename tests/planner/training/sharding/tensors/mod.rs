//! What a rank keeps and holds where products, tokens and experts are divided.

mod consistent;
mod formulas;
mod opened;
mod stages;
mod whole;

use planner::training::sharding::tensors::{Ranked, rewritten};

use super::*;

/// A model of papers: layers, tokens, sequences, elements of a token, heads.
#[derive(Clone, Copy, Debug)]
struct Sizes {
    s: u64,
    b: u64,
    h: u64,
    a: u64,
}

/// Products divided among so many, and tokens where it says so.
fn tensor(t: u64, sequence: bool) -> Sharding {
    Sharding {
        tensor: u32::try_from(t).expect("few"),
        sequence,
        ..Sharding::ONE
    }
}

/// The graph of a rank.
fn rank(graph: &Graph, sharding: Sharding) -> Ranked {
    rewritten(graph, &sharding).expect("it can be divided")
}
