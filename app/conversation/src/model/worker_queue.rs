//! The question to the worker that is not answered yet.

use std::sync::Arc;

use worker::{CaseId, Planned, Request, Topic};

use crate::model::column::Column;
use crate::model::given::Content;
use crate::model::text::Rewriting;

/// What a question is about.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum QuestionKind {
    /// Reading files, or taking the document of another case.
    Opening,
    Preparing,
    Planning(Column),
    /// A strategy plans around what is kept of a column's plan, for the wish of this number.
    Finishing(Column, u32),
    /// A change by hand is judged.
    JudgingEdit,
    Filming(Column),
    Explaining(Column, Arc<Planned>),
    Exporting(Column, Arc<Planned>),
    /// Something in the background.
    Asking(Topic),
    /// Reading a text in place of the graph.
    Rewriting(Rewriting),
}

/// A question as it is sent, with the files that it is about.
pub(crate) type Envelope = (Request, Vec<Content>);

/// The question that is not answered yet.
#[derive(Clone, Debug)]
pub(crate) struct Outstanding {
    pub(crate) id: u32,
    pub(crate) case: CaseId,
    pub(crate) kind: QuestionKind,
}

/// The conversation.
#[derive(Debug, Default)]
pub(crate) struct WorkerQueue {
    /// Number of the latest question.
    pub(crate) id: u32,
    pub(crate) outstanding: Option<Outstanding>,
    /// The question that stood when the worker was asked whether it is there.
    pub(crate) pinged: Option<u32>,
    /// The question that is to be cut off if it still stands after a while.
    pub(crate) hurried: Option<u32>,
    /// How far an order of operators is looked for: done and at most in all.
    pub(crate) preparing: (u64, u64),
    /// The plan that the worker did not know, by number: it is sent along with the next question.
    pub(crate) unknown: Option<u32>,
}
