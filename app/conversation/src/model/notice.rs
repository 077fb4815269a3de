//! Messages to the person: what went wrong, and what was done.

use planner::load::LoadError;
use planner::{Bytes, PlanError, TooLarge};

use crate::model::link::Ignored;

/// A message, shown until it is dismissed or something succeeds.
#[derive(Clone, Debug, PartialEq)]
pub enum Notice {
    /// A file could not be read; what was open stays.
    Refused(String, LoadError),
    /// The plan that a link brings could not be read; something else is open.
    BadLink(String, LoadError),
    /// Sizes go beyond what can be planned.
    TooLarge(TooLarge),
    /// A sample or file could not be fetched.
    Unreachable(planner::Message),
    /// The worker died; it is started again when it is needed.
    Crashed(planner::Message),
    /// The link names a file that only its owner has.
    Missing(String),
    /// The page was loaded again, and cannot open this file by itself.
    Reloaded(String),
    /// The link says what is not known here; the rest of it holds.
    Ignored(Vec<Ignored>),
    /// A file does not fit what it was given for; why.
    Misfit(String, Why),
    /// The lesson that a link names could not be had; why.
    NoLesson(String, planner::Message),
    /// A strategy could not plan the rest of a changed plan.
    NotFinished(PlanError),
    /// An effort was typed that there cannot be.
    EffortOutside,
    /// Offsets were saved as rows in which so many pairs of buffers overlap.
    NotInCsv(usize),
    /// A model was exported with a plan, in which its tensors need so many bytes.
    Exported(Bytes),
    /// A model cannot be exported with a plan; why.
    NotExported(planner::Message),
    /// Something was done, or cannot be.
    Said(Message),
}

/// Why a file does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// In the words of what read it.
    Text(planner::Message),
    /// It cannot be read.
    Unreadable(LoadError),
    /// Its plan has no buffer of this name, or too small a one.
    Misses(String),
    /// There is no plan here that it could change.
    NoPlan,
}

/// A short message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// A text is on the clipboard.
    Copied,
    /// The browser did not let it.
    NotCopied,
    /// A dimension takes a whole number from 1 on.
    BindWhole,
    /// The size of a pool is a number of bytes.
    PoolBytes,
    /// The browser made no picture.
    NoPicture,
    /// There is no WebGPU here.
    NoWebgpu,
    /// A run was stopped.
    RunCancelled,
    /// No two buffers can be put onto each other.
    NothingToCorrupt,
    /// The plan of a file is the one that is here.
    SamePlan,
    /// Changes by hand are gone: everything is planned anew.
    EditsDropped,
    /// A pinned buffer does not move.
    IsPinned,
    /// A buffer cannot be put that high.
    TooHigh,
    /// There is no free place above.
    NoneAbove,
    /// There is no free place below.
    NoneBelow,
    /// Nothing can be undone.
    NothingToUndo,
    /// Nothing can be done again.
    NothingToRedo,
    /// A strategy planned the rest as it was.
    NothingMoved,
    /// The plan was changed while a strategy planned its rest: that is dropped.
    ChangedMeanwhile,
}

impl Message {
    /// Whether it only confirms what the person has just done, and can be seen anyway.
    pub(crate) fn fades(self) -> bool {
        matches!(
            self,
            Self::Copied
                | Self::RunCancelled
                | Self::NothingToUndo
                | Self::NothingToRedo
                | Self::NothingMoved
        )
    }
}
