//! What of a model is not in its plan.

use super::Subject;
use crate::graph::{Inside, Op};
use crate::{Message, message};

impl Subject {
    /// The operators of which what their subgraphs hold is not in the plan, each with the reason:
    /// the arena of a run is larger.
    pub fn left_out(&self) -> impl Iterator<Item = (&Op, Message)> {
        let ops = self.graph().into_iter().flat_map(|graph| &graph.ops);
        ops.filter_map(|op| match &op.inside {
            Inside::Nothing => None,
            Inside::Kept(why) => Some((op, why.clone())),
            // Elsewhere it stands in the place of the operator.
            Inside::Bodies(_) => Some((
                op,
                message!("TFLite Micro places what its subgraphs hold in the same arena, which is not modelled"),
            )),
        })
    }
}
