//! What is known of the advice on a plan that came with its document.

use planner::advice::{Advice, Wish};

use crate::model::ask::Ask;
use crate::model::tracked::Tracked;

/// What could be changed of the plan that came with the document.
#[derive(Debug, Default)]
pub struct Advising {
    /// The advice.
    pub ask: Ask<Wish, Advice>,
    /// What is replayed beside what follows from the file.
    pub wish: Tracked<Wish>,
    /// What a link has replayed, until it is known what is planned.
    pub(crate) wished: Wish,
}
