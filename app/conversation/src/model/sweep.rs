//! What is known of a sweep: one value after the other.

use std::sync::Arc;

use planner::graph::Bindings;
use planner::sweep::{NoValues, Over, Point};
use planner::{Effort, Pool, Settings, Strategy};

use crate::model::text::Edited;

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    /// What takes one value after the other.
    pub over: Over,
    /// The values, in the order in which they are planned.
    pub values: Vec<u64>,
    /// The same as somebody wrote them.
    pub text: String,
    /// What plans at each value.
    pub strategies: Vec<Strategy>,
}

/// How far a sweep is.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    /// What is asked for.
    pub range: Arc<Range>,
    /// The points so far, of the first values.
    pub points: Vec<Arc<Point>>,
    /// Plans done and in all of the value that is at work.
    pub part: (u64, u64),
    /// Whether somebody stopped it.
    pub stopped: bool,
    /// What its points hold for.
    pub(crate) basis: Basis,
}

/// What is chosen beside the value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Basis {
    /// The edited text of the graph.
    pub(crate) text: Edited,
    pub(crate) bindings: Bindings,
    pub(crate) settings: Settings,
    pub(crate) pools: Vec<Pool>,
    pub(crate) effort: Effort,
}

impl Range {
    /// What a text says of the values.
    ///
    /// # Errors
    /// [`NoValues`].
    pub fn read(over: Over, text: &str, strategies: Vec<Strategy>) -> Result<Self, NoValues> {
        Ok(Self {
            values: over.values(text)?,
            text: text.to_owned(),
            over,
            strategies,
        })
    }
}

impl Sweep {
    /// Whether values are still to be planned.
    #[must_use]
    pub fn is_working(&self) -> bool {
        self.next().is_some()
    }

    /// The value that is planned next, or now.
    pub(crate) fn next(&self) -> Option<u64> {
        let value = self.range.values.get(self.points.len());
        value.copied().filter(|_| !self.stopped)
    }
}
