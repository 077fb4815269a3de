//! What a program says of counts that only a run finds.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::{Fault, LoadError, Names, of};
use crate::graph::{Count, Graph, Limit, Op, TensorId};
use crate::{Message, message};

#[derive(Deserialize)]
pub(super) struct CountJson {
    /// The first output of the operator.
    tensor: String,
    at_most: u64,
    #[serde(default = "set")]
    by: Limit,
}

fn set() -> Limit {
    Limit::Set
}

impl Names {
    /// The counts, each of an operator that writes the tensor before any other.
    pub(super) fn counts(
        &self,
        graph: &Graph,
        rows: Vec<CountJson>,
    ) -> Result<Vec<Count>, LoadError> {
        let firsts = graph.ops.iter().filter(|_| !rows.is_empty());
        let firsts: BTreeMap<TensorId, &Op> = firsts
            .filter_map(|op| Some((op.written().next()?, op)))
            .collect();
        let mut seen = BTreeSet::new();
        let count = |row: CountJson| {
            let id = self.tensor(&row.tensor, || Message::verbatim(&row.tensor))?;
            let invalid = |message: Message| of(Fault::Malformed, &row.tensor, message);
            let op = firsts.get(&id).filter(|_| seen.insert(id));
            let op = op.ok_or_else(|| {
                invalid(message!(
                    "a count is of the first output of an operator, once"
                ))
            })?;
            Ok(Count {
                op: op.name.clone(),
                kind: op.kind.clone(),
                tensor: row.tensor,
                most: row.at_most,
                limit: row.by,
            })
        };
        rows.into_iter().map(count).collect()
    }
}
