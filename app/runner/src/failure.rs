//! Why there is no report.

use executor::engine::RunError;
use executor::lower::Refused;
use executor::verify;
use planner::load::LoadError;
use planner::{Message, PlanError, TooLarge, message};
use serde::{Deserialize, Serialize};

/// Why a run has no result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Failure {
    /// The plan cannot be run: nothing has touched a GPU.
    Refused(Refused),
    /// The machine failed.
    Run(RunError),
    /// An input does not fit.
    Input {
        /// Its name.
        name: String,
        /// What is wrong.
        message: Message,
    },
    /// The model could not be read.
    Load(LoadError),
    /// A part of this program could not be fetched.
    Unfetched,
    /// Its sizes are beyond what can be planned.
    TooLarge(TooLarge),
    /// It could not be planned.
    Plan(PlanError),
}

impl Failure {
    /// The sentence.
    #[must_use]
    pub fn message(&self) -> Message {
        match self {
            Self::Refused(why) => why.message(),
            Self::Run(why) => why.message(),
            Self::Input { name, message } => message!("input {}: {}", name, message),
            Self::Load(why) => message!("{}: {}", why.place, why.message),
            Self::Unfetched => message!("a part of it could not be loaded"),
            Self::TooLarge(why) => message!("too large: {}", why.tensor),
            Self::Plan(why) => why.message(),
        }
    }
}

planner::impl_message!(Failure);
impl std::error::Error for Failure {}

impl From<RunError> for Failure {
    fn from(why: RunError) -> Self {
        Self::Run(why)
    }
}

impl From<verify::Failure> for Failure {
    fn from(why: verify::Failure) -> Self {
        match why {
            verify::Failure::Refused(why) => Self::Refused(why),
            verify::Failure::Run(why) => Self::Run(why),
        }
    }
}

impl From<LoadError> for Failure {
    fn from(why: LoadError) -> Self {
        Self::Load(why)
    }
}

impl From<TooLarge> for Failure {
    fn from(why: TooLarge) -> Self {
        Self::TooLarge(why)
    }
}

impl From<PlanError> for Failure {
    fn from(why: PlanError) -> Self {
        Self::Plan(why)
    }
}
