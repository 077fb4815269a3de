//! A document planned at another value than the one that it was prepared with.

use planner::graph::Bindings;
use planner::sweep::{Chosen, Over, Point, sweep};
use planner::{Effort, Options, Pool, Settings, Strategy};
use serde::{Deserialize, Serialize};

use crate::asks::{Answered, AskContext};

/// Plan the document of a case at one value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SweepQuestion {
    /// Values of the other symbolic dimensions.
    pub bindings: Bindings,
    /// What the user chose about lifetimes.
    pub settings: Settings,
    /// What takes the value.
    pub over: Over,
    /// The value.
    pub value: u64,
    /// With which strategies.
    pub strategies: Vec<Strategy>,
    /// The memories to plan for; none for one without a limit.
    pub pools: Vec<Pool>,
    /// How long each may search.
    pub effort: Effort,
}

impl Answered for SweepQuestion {
    /// The figures at the value. Reports how many plans out of all are made.
    fn answer(self, at: &AskContext<'_>) -> Option<Point> {
        let case = at.case()?;
        let options = Options {
            pools: self.pools,
            effort: self.effort,
            largest_allocation: self.settings.largest_allocation,
            ..Options::aligned(self.settings.alignment)
        };
        let chosen = Chosen {
            bindings: &self.bindings,
            settings: &self.settings,
            options: &options,
        };
        let mut tell = at.telling();
        let mut on_progress = |done: usize, total: usize| tell(done as u64, total as u64);
        let swept = (&self.over, &[self.value][..]);
        let points = sweep(
            &case.document,
            chosen,
            swept,
            &self.strategies,
            &mut on_progress,
        );
        points.into_iter().next()
    }
}
