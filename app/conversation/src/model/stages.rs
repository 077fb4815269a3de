//! What is known of the stages of a model.

use std::sync::Arc;

use planner::graph::Bindings;
use planner::stages::Staged;
use planner::{Effort, Pool, Settings, Strategy};

use crate::model::text::Edited;
use crate::model::tracked::Tracked;

/// How far the stages are.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum StagesFound {
    /// Nobody has asked for them.
    #[default]
    Unasked,
    /// At work: stages done and in all; none before the first is begun.
    Working(u64, u64),
    /// There.
    There(Arc<Staged>),
    /// The document has no operators.
    Nothing,
    /// It was stopped.
    Stopped,
}

/// The stages of a case.
#[derive(Debug, Default)]
pub struct Stages {
    /// How far they are.
    pub found: Tracked<StagesFound>,
    /// What they were asked for with.
    pub(crate) asked_with: Option<StagesOf>,
}

/// What stages follow from, whichever of them is planned.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StagesOf {
    /// The edited text of the graph.
    pub(crate) text: Edited,
    pub(crate) bindings: Bindings,
    pub(crate) settings: Settings,
    pub(crate) strategy: Strategy,
    pub(crate) pools: Vec<Pool>,
    pub(crate) effort: Effort,
}
