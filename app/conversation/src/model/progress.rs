//! How far the plan of a column is.

use std::sync::Arc;

use planner::PlanError;
use worker::Planned;

/// How far a column's plan is.
#[derive(Clone, Debug, PartialEq)]
pub enum Progress {
    /// Not begun, in the queue.
    Waiting,
    /// In the queue once more, with the plan that it had.
    Queued(Arc<Planned>),
    /// At work: done and total parts.
    Working(u64, u64),
    /// At work, with a plan that is the smallest so far: the plan, done and total parts.
    Improving(Arc<Planned>, u64, u64),
    /// There.
    Done(Arc<Planned>),
    /// The smallest plan that there was when it was stopped.
    Stopped(Arc<Planned>),
    /// There is none.
    Failed(PlanError),
}

impl Progress {
    /// The plan, once it is there and the judge has looked at it.
    #[must_use]
    pub fn planned(&self) -> Option<&Arc<Planned>> {
        match self {
            Self::Done(planned)
            | Self::Stopped(planned)
            | Self::Queued(planned)
            | Self::Improving(planned, ..) => Some(planned),
            Self::Waiting | Self::Working(..) | Self::Failed(_) => None,
        }
    }

    /// Whether it will go on by itself.
    #[must_use]
    pub fn is_open(&self) -> bool {
        matches!(
            self,
            Self::Waiting | Self::Queued(_) | Self::Working(..) | Self::Improving(..)
        )
    }

    /// As it is while a strategy is at work on it, or while it only waits for that; `None`
    /// where it is so, or waits for nothing.
    pub(crate) fn turned(&self, at_work: bool) -> Option<Self> {
        match (self, at_work) {
            (Self::Waiting, true) => Some(Self::Working(0, 0)),
            (Self::Queued(planned), true) => Some(Self::Improving(Arc::clone(planned), 0, 0)),
            (Self::Working(..), false) => Some(Self::Waiting),
            (Self::Improving(planned, ..), false) => Some(Self::Queued(Arc::clone(planned))),
            _ => None,
        }
    }

    /// What becomes of it when it is not looked for any longer.
    pub(crate) fn ended(&self) -> Self {
        match self {
            Self::Waiting | Self::Working(..) => Self::Failed(PlanError::Cancelled),
            Self::Queued(planned) | Self::Improving(planned, ..) => {
                Self::Stopped(Arc::clone(planned))
            }
            Self::Done(_) | Self::Stopped(_) | Self::Failed(_) => self.clone(),
        }
    }

    /// As it waits in the queue.
    pub(crate) fn queued(before: Option<&Self>) -> Self {
        let planned = before.and_then(Self::planned).cloned();
        planned.map_or(Self::Waiting, Self::Queued)
    }
}
