//! Stages of a pipeline beside each other.

use planner::training::choice;
use planner::training::sharding::bars::Axis;
use planner::{Strategy, Training};
use worker::CaseId;

use crate::model::column::Column;
use crate::model::link::Fragment;
use crate::model::state::State;
use crate::model::training_steps::ChosenStep;
use crate::opening::MOST_CASES;

impl State {
    /// Shows the first stage here, and the one in the middle and the last beside it, as far as there
    /// is room.
    pub(crate) fn put_ranks_beside(&mut self, id: CaseId) {
        let Some(training) = self.case(id).settings.training else {
            return;
        };
        let last = training.recipe.sharding.pipeline.saturating_sub(1);
        let with = |stage: u32| Axis::Stage.with(training, stage.into());
        let mut others = vec![last / 2, last];
        others.dedup();
        others.retain(|it| *it > 0);
        let Some(wanted) = self.fragment_of(id) else {
            return;
        };
        let visit = self.case(id).file.as_ref().and_then(|it| it.visit);
        let room = MOST_CASES.saturating_sub(self.shown().count());
        let column = self.case(id).shown.first().copied();
        let column = column.unwrap_or(Column::Strategy(Strategy::Best));
        for stage in others.into_iter().take(room) {
            let fragment = Fragment {
                training: Some(with(stage)),
                shown: Some(vec![column]),
                window: None,
                selected: None,
                active: false,
                ..wanted.clone()
            };
            self.opening.later.push_back((fragment, visit));
        }
        let Training { batch, budget, .. } = training;
        let recipe = with(0).recipe;
        self.choose_step(
            id,
            Some(choice::policy(training)),
            ChosenStep {
                batch,
                budget,
                recipe,
            },
        );
        self.hurry();
    }
}
