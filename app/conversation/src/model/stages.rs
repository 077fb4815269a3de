//! What is known of the stages of a model.

use planner::graph::Bindings;
use planner::{Effort, Pool, Settings, Strategy};

use crate::model::text::Edited;

/// What stages follow from, whichever of them is planned.
#[derive(Clone, Debug, PartialEq)]
pub struct StagesOf {
    /// The edited text of the graph.
    pub(crate) text: Edited,
    pub(crate) bindings: Bindings,
    pub(crate) settings: Settings,
    pub(crate) strategy: Strategy,
    pub(crate) pools: Vec<Pool>,
    pub(crate) effort: Effort,
}
