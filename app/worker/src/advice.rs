//! What could be changed of the plan that came with a document.

use planner::advice::{Advice, Wish};
use serde::{Deserialize, Serialize};

use crate::asks::{Answered, AskContext};

/// Replay what was prepared last with one change after the other. There is no answer where the
/// case brings no plan that could be changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AdviceQuestion {
    /// What is replayed beside what follows from the file.
    pub wish: Wish,
}

impl Answered for AdviceQuestion {
    fn answer(self, at: &AskContext<'_>) -> Option<Option<Advice>> {
        let case = at.case()?;
        let mut tell = at.telling();
        let mut on_progress = |done, total| {
            tell(done, total);
        };
        let advised = case.prepared.as_ref().and_then(|prepared| {
            let alignment = case.settings.alignment;
            prepared
                .subject
                .advise(alignment, &self.wish, &mut on_progress)
        });
        Some(advised)
    }
}
