//! What a plan needs of a subgraph: how much it does, what it reads from outside, and what
//! its results look like.

use std::collections::BTreeSet;

use super::messages::{RawAttribute, RawGraph};
use super::tensors::RawInfo;

/// The summary of a subgraph of If, Loop or Scan.
#[derive(Debug, Default)]
pub(super) struct Subgraph {
    /// Operators inside, those of inner subgraphs included.
    pub ops: u32,
    /// Names that it reads and does not define, sorted.
    pub free: Vec<String>,
    /// Its results as declared.
    pub outputs: Vec<RawInfo>,
}

impl Subgraph {
    /// Summarises `graph`. Inner subgraphs see the names of this one.
    pub(super) fn of(graph: RawGraph) -> Self {
        let mut defined = BTreeSet::new();
        let mut read = BTreeSet::new();
        let mut ops = u32::try_from(graph.nodes.len()).unwrap_or(u32::MAX);
        defined.extend(graph.inputs.into_iter().map(|info| info.name));
        let constants = graph.initializers.into_iter().chain(graph.sparse);
        defined.extend(constants.map(|tensor| tensor.name));
        for node in graph.nodes {
            defined.extend(node.outputs);
            read.extend(node.inputs);
            for (_, attribute) in node.attributes {
                if let RawAttribute::Subgraphs(inner) = attribute {
                    for subgraph in inner {
                        ops = ops.saturating_add(subgraph.ops);
                        read.extend(subgraph.free);
                    }
                }
            }
        }
        read.extend(graph.outputs.iter().map(|info| info.name.clone()));
        read.remove("");
        Self {
            ops,
            free: read.difference(&defined).cloned().collect(),
            outputs: graph.outputs,
        }
    }
}
