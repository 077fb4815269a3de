//! Where a document comes from, to open it again.

use std::sync::Arc;

use planner::Span;
use planner::load::Columns;

use crate::model::given::Given;

/// Files that make one document, and where they are from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Source {
    pub(crate) name: String,
    pub(crate) sample: Option<String>,
    pub(crate) files: Vec<Given>,
    /// What the columns of a table mean, as far as the person has said it.
    pub(crate) columns: Columns,
    /// The events that are held of a recording; `None` for all.
    pub(crate) range: Option<Span>,
    /// The number of the visit, of user files.
    pub(crate) visit: Option<u32>,
    /// The plan that came with a link.
    pub(crate) shared: Option<Arc<str>>,
    /// The text in place of the graph, where it was edited.
    pub(crate) text: Option<Arc<str>>,
}

impl Source {
    /// Whether it is a problem of a lesson: nobody gave it, and no link carries it.
    pub(crate) fn is_of_lesson(&self) -> bool {
        self.visit.is_none() && self.sample.is_none() && self.shared.is_none()
    }
}
