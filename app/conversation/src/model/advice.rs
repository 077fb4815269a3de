//! What is known of the advice on a plan that came with its document.

use std::sync::Arc;

use planner::advice::{Advice, Wish};

use crate::model::tracked::Tracked;

/// How far advice is.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Advised {
    /// Nobody has asked for it.
    #[default]
    Unasked,
    /// At work: replays done and in all; none before the first is begun.
    Working(u64, u64),
    /// There.
    There(Arc<Advice>),
    /// There is none: the document brings no plan that could be changed.
    Nothing,
    /// It was stopped.
    Stopped,
}

/// What could be changed of the plan that came with the document.
#[derive(Debug, Default)]
pub struct Advising {
    /// How far it is.
    pub advised: Tracked<Advised>,
    /// What is replayed beside what follows from the file.
    pub wish: Tracked<Wish>,
    /// What a link has replayed, until it is known what is planned.
    pub(crate) wished: Wish,
}
