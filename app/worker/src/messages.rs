//! What page and worker say to each other.

use planner::bounds::Bounds;
use planner::graph::{Bindings, Symbol};
use planner::load::{Format, LoadError, Warning};
use planner::offline::{Unwritable, Written};
use planner::trace::{Stage, Trace};
use planner::what_if::Kept;
use planner::{
    Bytes, Effort, Io, Judged, Lifetimes, Plan, PlanError, Pool, Profile, Settings, Strategy,
    Subject, TooLarge,
};
use serde::{Deserialize, Serialize};

use crate::differing::Differed;
use crate::explain::Explained;
use crate::price::Price;

/// What the page asks for. `id` comes back in every reply, so that the page can drop
/// replies to questions that it no longer has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// Read the files that come with this message as one document.
    Open {
        /// Number of the question.
        id: u32,
        /// What the person calls each file, in their order.
        names: Vec<String>,
    },
    /// Size the open document and find its lifetimes.
    Prepare {
        /// Number of the question.
        id: u32,
        /// Values of symbolic dimensions.
        bindings: Bindings,
        /// What the user chose about lifetimes.
        settings: Settings,
    },
    /// Plan what was prepared last.
    Plan {
        /// Number of the question.
        id: u32,
        /// With which strategy.
        strategy: Strategy,
        /// The memories to plan for; none for one without a limit.
        pools: Vec<Pool>,
        /// How long it may search.
        effort: Effort,
    },
    /// Plan what was prepared last around buffers that stay where they are.
    Finish {
        /// Number of the question.
        id: u32,
        /// With which strategy.
        strategy: Strategy,
        /// The buffers that stay, and where.
        kept: Vec<Kept>,
        /// The memories to plan for; none for one without a limit.
        pools: Vec<Pool>,
        /// How long it may search.
        effort: Effort,
    },
    /// Judge the plan that came with the document.
    Judge {
        /// Number of the question.
        id: u32,
    },
    /// Plan what was prepared last once more, and record every decision.
    Trace {
        /// Number of the question.
        id: u32,
        /// With which strategy.
        strategy: Strategy,
        /// The memories to plan for; empty for one without a limit.
        pools: Vec<Pool>,
        /// How long a search may search.
        effort: Effort,
    },
    /// Compare two dumps of one program, which come with this message; what is open stays.
    Differ {
        /// Number of the question.
        id: u32,
        /// What the person calls each file, those of the dump before first.
        names: Vec<String>,
        /// How many of them are the dump before.
        count: u32,
        /// The arena that is looked at, in the dump that is open.
        arena: u32,
        /// Whether that is the dump after.
        opened_is_after: bool,
    },
    /// Say why a plan of what was prepared last is as large as it is.
    Explain {
        /// Number of the question.
        id: u32,
        /// The plan.
        plan: Box<Plan>,
    },
    /// Read the plan that the file of this message holds; what is open stays.
    ReadPlan {
        /// Number of the question.
        id: u32,
    },
    /// Write a plan into the TFLite file that comes with this message; what is open stays.
    TakeHome {
        /// Number of the question.
        id: u32,
        /// What was planned: the tensors of that file.
        lifetimes: Box<Lifetimes>,
        /// The plan.
        plan: Box<Plan>,
    },
    /// Plan the open model twice with the best strategy, for operators one after the other
    /// and for operators at the same time.
    Price {
        /// Number of the question.
        id: u32,
        /// How long each may be searched for.
        effort: Effort,
    },
}

/// What the page receives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Reply {
    /// The file was read.
    Opened {
        /// Number of the question.
        id: u32,
        /// What it turned out to be.
        opened: Opened,
    },
    /// The file could not be read; what was open before stays.
    Refused {
        /// Number of the question.
        id: u32,
        /// Why.
        error: LoadError,
    },
    /// The document is ready to be planned.
    Prepared {
        /// Number of the question.
        id: u32,
        /// Graph, lifetimes, bounds, profile; or why there are none.
        prepared: Result<Box<Prepared>, TooLarge>,
    },
    /// A strategy is at work.
    Progress {
        /// Number of the question.
        id: u32,
        /// The stage that it is in, of a strategy that says so.
        stage: Option<Stage>,
        /// Parts done, of that stage where there is one.
        done: u64,
        /// Parts in all, about.
        total: u64,
    },
    /// A strategy is at work and has a plan that is smaller than all before.
    Incumbent {
        /// Number of the question.
        id: u32,
        /// The judged plan.
        planned: Box<Planned>,
    },
    /// A strategy is done.
    Planned {
        /// Number of the question.
        id: u32,
        /// The judged plan, or why there is none.
        planned: Result<Box<Planned>, PlanError>,
    },
    /// A strategy's decisions are recorded.
    Trace {
        /// Number of the question.
        id: u32,
        /// The trace, or why there is none.
        trace: Result<Box<Trace>, PlanError>,
    },
    /// What differs between two dumps.
    Differed {
        /// Number of the question.
        id: u32,
        /// Both dumps and what differs, or why one of them could not be read.
        differed: Result<Box<Differed>, LoadError>,
    },
    /// Why a plan is as large as it is.
    Explained {
        /// Number of the question.
        id: u32,
        /// Its bytes by reason, its free ranges, its free bytes over time.
        explained: Box<Explained>,
    },
    /// A plan alone, with the lifetimes that it was made for.
    PlanRead {
        /// Number of the question.
        id: u32,
        /// Both, or why there is no plan.
        read: Result<Box<(Lifetimes, Plan)>, LoadError>,
    },
    /// A TFLite file with a plan in it.
    TakenHome {
        /// Number of the question.
        id: u32,
        /// The file's new start and what it promises, or why there is none.
        written: Result<Written, Unwritable>,
    },
    /// What running operators at the same time costs.
    Priced {
        /// Number of the question.
        id: u32,
        /// Both plans' figures; `None` where one of them could not be made.
        price: Option<Price>,
    },
}

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
    /// The arenas of a deployed plan, in the file's order.
    pub arenas: Vec<ArenaFacts>,
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

/// What there is to choose an arena by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArenaFacts {
    /// What the file calls it; empty where it has only one.
    pub name: String,
    /// Its size as deployed.
    pub size: Bytes,
    /// How many buffers share it.
    pub buffers: u64,
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
}

/// A judged plan and how it came about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Planned {
    /// Plan, figures and verdict.
    pub judged: Judged,
    /// The buffers in the order in which the strategy decided them.
    pub order: Vec<u32>,
    /// Milliseconds that planning took.
    pub ms: f64,
}
