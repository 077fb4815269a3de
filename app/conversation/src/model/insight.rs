//! What is asked of the plans, and what is known of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use planner::waste::WasteKind;
use planner::{Offset, Step};
use worker::{Explained, Planned};

use crate::model::column::Column;
use crate::model::grouping::Grouping;
use crate::model::tracked::Tracked;

/// A place in a column's plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanPosition {
    /// Whose plan.
    pub column: Column,
    /// When.
    pub step: Step,
    /// Where.
    pub offset: Offset,
}

/// What is lit in the plan that the buttons are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lit {
    /// What makes a part of the arena.
    Part(WasteKind),
    /// What the selected buffer rests on.
    Chain,
}

/// What is known of a column's plan.
#[derive(Clone, Debug)]
pub struct Known {
    /// The plan.
    pub planned: Arc<Planned>,
    /// Why it is as large as it is; `None` while that is being found.
    pub explained: Option<Arc<Explained>>,
}

/// What is asked of the plans.
#[derive(Debug, Default)]
pub struct Insight {
    /// Why plans are as large as they are.
    pub known: Tracked<BTreeMap<Column, Known>>,
    /// What is lit.
    pub lit: Tracked<Option<Lit>>,
    /// The point query: the place that is asked about.
    pub spot: Tracked<Option<PlanPosition>>,
    /// Whether arrow keys move a crosshair.
    pub cross: Tracked<bool>,
    /// The operator under the pointer, by its step.
    pub operator: Tracked<Option<Step>>,
    /// The step that is looked at.
    pub step: Tracked<Option<Step>>,
    /// What is grouped by who allocated it.
    pub grouping: Tracked<Grouping>,
}
