//! Constant folding: what is computed from constants alone is a constant.

use std::collections::BTreeMap;

use crate::graph::infer::Value;
use crate::graph::{Graph, TensorId};

/// Gives the role [`Role::Constant`](crate::graph::Role::Constant) to every tensor whose
/// elements are in `values`, or whose producer reads constants alone and is deterministic.
/// Graph outputs keep their role.
pub fn fold(graph: &mut Graph, values: &BTreeMap<TensorId, Value>) {
    let _ = (graph, values);
}
