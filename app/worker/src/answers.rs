//! What replies carry: a file that was read, a document ready to be planned, a judged plan.

use planner::basis::Basis;
use planner::bounds::Bounds;
use planner::deployed::Total;
use planner::graph::Symbol;
use planner::load::{Format, Warning};
use planner::overview::Row;
use planner::{Clash, Io, Judged, Profile, Subject};
use serde::{Deserialize, Serialize};

use crate::explain::Explained;

/// What a file turned out to be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Opened {
    /// Its format.
    pub format: Format,
    /// The symbolic dimensions that can be bound.
    pub symbols: Vec<Symbol>,
    /// Whether it brings a plan of its own.
    pub deployed: bool,
    /// What made the plans, as people call it; empty for what is no deployed plan, and where
    /// the file does not say.
    pub toolchain: String,
    /// The arenas of a deployed plan that has several, in the file's order.
    pub arenas: Vec<Row>,
    /// What all arenas hold, by what it is for; empty where the toolchain has no such sums.
    pub totals: Vec<Total>,
    /// Which of them to begin with: the first of [`worst_first`](planner::overview::worst_first).
    pub arena: u32,
    /// How many source lines it knows.
    pub frames: u64,
    /// How it was viewed when it was saved, as the fragment of a link; empty where it is not given.
    pub view: String,
    /// Alignment to start with, in bytes: 64 for models, 16 for those that bring a plan for
    /// TFLite Micro, 1 for problems.
    pub alignment: u64,
    /// Where inputs and outputs live to start with: as the plan has them that a model brings.
    pub io: Io,
    /// What the reader has to say.
    pub warnings: Vec<Warning>,
}

/// A document ready to be planned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prepared {
    /// Graph and lifetimes. Of the weights only their places in the file are here.
    pub subject: Subject,
    /// Lower bounds.
    pub bounds: Bounds,
    /// Live bytes per step.
    pub profile: Profile,
    /// What it takes on a basis on which cases can be compared.
    pub basis: Basis,
    /// Two fixed addresses that collide, so that there is no plan.
    pub clash: Option<Clash>,
}

/// A judged plan and how it came about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Planned {
    /// Number of the question that it answers, under which the worker keeps it.
    pub number: u32,
    /// Plan, figures and verdict.
    pub judged: Judged,
    /// The buffers in the order in which the strategy decided them.
    pub order: Vec<u32>,
    /// Milliseconds that planning took.
    pub ms: f64,
    /// Why it is as large as it is, of few buffers: the page need not ask then.
    pub explained: Option<Box<Explained>>,
}
