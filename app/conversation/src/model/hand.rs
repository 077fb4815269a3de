//! Changes by hand that wait to be done or judged.

use std::collections::BTreeSet;
use std::sync::Arc;

use planner::what_if::Kept;
use planner::{Offset, Strategy};
use worker::{Change, Planned};

use crate::model::column::Column;
use crate::model::given::{Content, Given};

/// A change that is to be done.
#[derive(Clone, Debug)]
pub(crate) enum Operation {
    Place(Column, Vec<(usize, Offset)>),
    /// What a link says, with the buffers that it pins.
    Put(Column, Vec<(usize, Offset)>, BTreeSet<usize>),
    Nudge(i8),
    Hop(bool),
    Swap(Column, usize, usize),
    Pin(Column, usize),
    Restore(Column),
    Travel(bool),
    Corrupt(Option<(usize, Offset)>),
    Import(Given),
    /// A strategy has made another plan of which this was a change.
    Rebase(Column, Arc<Planned>),
}

/// A change that the worker is to judge.
#[derive(Clone, Debug)]
pub(crate) struct PendingEdit {
    pub(crate) column: Column,
    /// The plan as it was made.
    pub(crate) original: Arc<Planned>,
    /// The plan that is changed.
    pub(crate) base: Arc<Planned>,
    pub(crate) change: Change,
    pub(crate) file: Option<Content>,
    /// What the file is called.
    pub(crate) name: String,
    /// Whether it can be undone.
    pub(crate) remember: bool,
    pub(crate) then: Then,
}

/// What follows a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    Nothing,
    /// The plan is run.
    Confirm,
    /// The buttons are about this plan.
    Target,
}

/// What a strategy is to plan around what is kept.
#[derive(Clone, Debug)]
pub(crate) struct Finish {
    pub(crate) column: Column,
    /// Number of the wish.
    pub(crate) number: u32,
    pub(crate) strategy: Strategy,
    /// What stays where it is.
    pub(crate) kept: Vec<Kept>,
}

impl PendingEdit {
    pub(crate) fn new(column: Column, original: Arc<Planned>, change: Change) -> Self {
        Self {
            column,
            base: Arc::clone(&original),
            original,
            change,
            file: None,
            name: String::new(),
            remember: true,
            then: Then::Nothing,
        }
    }
}
