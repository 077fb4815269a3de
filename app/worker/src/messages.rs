//! What page and worker say to each other.

use planner::graph::Bindings;
use planner::load::{Columns, Figures, LoadError, Member, Table};
use planner::tflm_offline_plan::{Unwritable, Written};
use planner::trace::{SearchStage, Trace};
use planner::what_if::Kept;
use planner::{Effort, Offset, Plan, PlanError, Pool, Settings, Span, Strategy, TooLarge};
use serde::{Deserialize, Serialize};

use crate::answers::{Opened, Planned, Prepared};
use crate::asks::Ask;
use crate::explain::Explained;
use crate::packed::Packed;

/// Which of the open cases a question is about; the page numbers them.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct CaseId(pub u32);

/// A plan that the worker made. It keeps the plan under the number of the question that the
/// plan answers, so that the page sends it back only to a worker that has never had it or does
/// not keep it any longer: one that was started since.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlanRef {
    /// The number.
    pub number: u32,
    /// The plan, for a worker that does not know the number.
    pub plan: Option<Box<Plan>>,
}

/// A change of a plan by hand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Change {
    /// Put these buffers, by index, elsewhere.
    Move(Vec<(usize, Offset)>),
    /// Put one buffer onto another that is live at the same time; the seed chooses which.
    Corrupt(u64),
    /// Put every buffer where the plan in the file of this message has it, found by its name.
    Import,
}

/// Why there is no changed plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Unchanged {
    /// No two buffers can be put onto each other.
    NothingToCorrupt,
    /// The file holds no plan that can be read.
    Unreadable(LoadError),
    /// The plan in the file has no buffer of this name, or too small a one.
    Misses(String),
}

/// What the page asks for. `id` comes back in every reply, so that the page can drop
/// replies to questions that it no longer has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// Read the files that come with this message as one document.
    Open {
        /// Number of the question.
        id: u32,
        /// Of which case.
        case: CaseId,
        /// What the person calls each file, in their order.
        names: Vec<String>,
        /// What the columns mean of a table that does not say it itself; empty for anything else.
        columns: Columns,
        /// The events of a recording that are to be held; `None` for all.
        range: Option<Span>,
        /// The text in place of the graph that they are, where it was edited.
        text: Option<String>,
    },
    /// Take the document of another case, which is open, for this one too.
    Like {
        /// Number of the question.
        id: u32,
        /// Of which case.
        case: CaseId,
        /// The case that has the document.
        other: CaseId,
    },
    /// Forget a case. There is no reply.
    Close {
        /// Which case.
        case: CaseId,
    },
    /// Keep with the open document how many of a thousand elements that its operators write are
    /// zero, by their names. There is no reply.
    Zeros {
        /// Of which case.
        case: CaseId,
        /// As a run has counted them.
        shares: Packed<Vec<(String, u16)>>,
    },
    /// Size the open document and find its lifetimes.
    Prepare {
        /// Number of the question.
        id: u32,
        /// Of which case.
        case: CaseId,
        /// Values of symbolic dimensions.
        bindings: Bindings,
        /// What the user chose about lifetimes.
        settings: Settings,
    },
    /// Plan what was prepared last.
    Plan {
        /// Number of the question.
        id: u32,
        /// Of which case.
        case: CaseId,
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
        /// Of which case.
        case: CaseId,
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
        /// Of which case.
        case: CaseId,
    },
    /// Plan what was prepared last once more, and record every decision.
    Trace {
        /// Number of the question.
        id: u32,
        /// Of which case.
        case: CaseId,
        /// With which strategy.
        strategy: Strategy,
        /// The memories to plan for; empty for one without a limit.
        pools: Vec<Pool>,
        /// How long a search may search.
        effort: Effort,
    },
    /// Change a plan of what was prepared last by hand, and judge it.
    Change {
        /// Number of the question.
        id: u32,
        /// Of which case.
        case: CaseId,
        /// The plan before.
        plan: PlanRef,
        /// What changes.
        change: Change,
        /// The memories that it is planned for; none for one without a limit.
        pools: Vec<Pool>,
    },
    /// Say why a plan of what was prepared last is as large as it is.
    Explain {
        /// Number of the question.
        id: u32,
        /// Of which case.
        case: CaseId,
        /// The plan.
        plan: PlanRef,
    },
    /// Answer a question that is asked in the background. The files come with this message where
    /// it is about them.
    Ask {
        /// Number of the question.
        id: u32,
        /// Of which case.
        case: CaseId,
        /// The question.
        ask: Ask,
    },
    /// Read a text in place of the graph of a case. The reply is as to files that are opened.
    Rewrite {
        /// Number of the question.
        id: u32,
        /// Of which case.
        case: CaseId,
        /// The text; `None` for the document as it was opened.
        text: Option<String>,
    },
    /// Write a plan into the TFLite file that comes with this message.
    Export {
        /// Number of the question.
        id: u32,
        /// Of which case.
        case: CaseId,
        /// The plan.
        plan: PlanRef,
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
    /// The files were packed: these are inside, to be opened in their place.
    Unpacked {
        /// Number of the question.
        id: u32,
        /// The files that make one document.
        members: Vec<Member>,
    },
    /// The file could not be read; what was open before stays.
    Refused {
        /// Number of the question.
        id: u32,
        /// Why.
        error: LoadError,
        /// The table that it is, where what its columns mean is to be said, or said otherwise.
        table: Option<Box<Table>>,
        /// What a text says of memory that has no plan in it.
        figures: Option<Box<Figures>>,
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
        stage: Option<SearchStage>,
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
        trace: Result<Packed<Trace>, PlanError>,
    },
    /// A plan was changed by hand.
    Changed {
        /// Number of the question.
        id: u32,
        /// The judged plan, or why there is none.
        changed: Result<Box<Planned>, Unchanged>,
    },
    /// The plan that the question is about is not known here: it has to be sent along.
    Unknown {
        /// Number of the question.
        id: u32,
    },
    /// Why a plan is as large as it is.
    Explained {
        /// Number of the question.
        id: u32,
        /// Its bytes by reason, its free ranges, its free bytes over time.
        explained: Box<Explained>,
    },
    /// The answer of what was asked in the background.
    Found {
        /// Number of the question.
        id: u32,
        /// What the question says that answers it.
        found: Packed<()>,
    },
    /// A TFLite file with a plan in it.
    Exported {
        /// Number of the question.
        id: u32,
        /// The file's new start and what it promises, or why there is none.
        written: Result<Packed<Written>, Unwritable>,
    },
}

impl Reply {
    /// Number of the question.
    #[must_use]
    pub fn id(&self) -> u32 {
        match self {
            Self::Opened { id, .. }
            | Self::Unpacked { id, .. }
            | Self::Refused { id, .. }
            | Self::Prepared { id, .. }
            | Self::Progress { id, .. }
            | Self::Incumbent { id, .. }
            | Self::Planned { id, .. }
            | Self::Trace { id, .. }
            | Self::Changed { id, .. }
            | Self::Unknown { id }
            | Self::Explained { id, .. }
            | Self::Found { id, .. }
            | Self::Exported { id, .. } => *id,
        }
    }

    /// Whether the question is answered with it: no other reply follows.
    #[must_use]
    pub fn is_last(&self) -> bool {
        !matches!(self, Self::Progress { .. } | Self::Incumbent { .. })
    }
}
