//! The model after each of its passes.

use planner::graph::Bindings;
use planner::passes::Given;
use planner::stages::{Staged, listed};
use planner::{Effort, Pool, Settings, Strategy, TooLarge};
use serde::{Deserialize, Serialize};

use crate::asks::{Answered, AskContext};

/// Find the stages of the open model: what it is after each chosen pass.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StagesQuestion {
    /// Values of symbolic dimensions.
    pub bindings: Bindings,
    /// What the user chose about lifetimes.
    pub settings: Settings,
    /// What plans the stages.
    pub strategy: Strategy,
    /// The memories to plan for; none for one without a limit.
    pub pools: Vec<Pool>,
    /// How long it may search.
    pub effort: Effort,
}

impl Answered for StagesQuestion {
    fn answer(self, at: &AskContext<'_>) -> Option<Result<Staged, TooLarge>> {
        let case = at.case()?;
        let options = planner::Options {
            alignment: self.settings.alignment,
            largest_allocation: self.settings.largest_allocation,
            ..case.options(&self.pools, self.effort)
        };
        Some(listed(
            &case.document,
            (&self.bindings, &Given::new()),
            (&self.settings, &options),
            self.strategy,
            &mut at.telling(),
        ))
    }
}
