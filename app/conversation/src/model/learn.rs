//! What is known of the scene of a lesson that is shown.

use std::collections::BTreeSet;

use lesson::{Hidden, Problem};
use worker::{Asked, Packed};

/// Something that the player of lessons does.
#[derive(Clone, Debug)]
pub enum LessonAction {
    /// Shows a scene: opens its problem, or turns to what it shows of it.
    Show(Box<Shown>),
    /// Shows another moment of the scene: how it is planned and looked at, as a link says it.
    At(String),
    /// Hides this, and nothing else.
    Hide(BTreeSet<Hidden>),
    /// Ask the worker for the right answer.
    Measure(Box<Packed<Asked>>),
    /// The lesson of this link could not be had; why.
    Fail(String, planner::Message),
    /// Is done with lessons: a sample stays, a problem of the lesson goes.
    Leave,
}

/// A scene as it is put before somebody.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    /// What a link calls it.
    pub link: String,
    /// What its file is called.
    pub name: String,
    /// What it is of.
    pub problem: Problem,
    /// How it is planned and looked at, as a link says it.
    pub at: String,
    /// What is hidden.
    pub hidden: BTreeSet<Hidden>,
}
