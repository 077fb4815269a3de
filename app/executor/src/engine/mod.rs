//! The GPU machine: the only module that talks to a device. A run is a few passes, each
//! submitted by itself; dispatches differ only in their pipeline and in the dynamic offset of
//! their uniform.

mod device;
mod guard;
mod ledger;
mod limits;
mod loaded;
pub mod parts;
mod pipelines;
mod read_back;
mod timing;
pub mod uniforms;
mod watching;

use planner::{Message, message};
use serde::{Deserialize, Serialize};

use crate::supply::SupplyError;

pub use device::{Connection, connect};
pub use ledger::{Entry, Ledger};
pub(crate) use limits::roofline;
pub(crate) use loaded::ARENA;
pub use loaded::Loaded;
pub(crate) use watching::{Watching, compile_probes};

/// Why a run ended without a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RunError {
    /// There is no adapter or no device; why.
    Unavailable(Message),
    /// The device has no memory for a buffer.
    OutOfMemory(Message),
    /// A call was not valid: a bug of ours, or a limit that is not stated.
    Validation(Message),
    /// The driver failed, a pipeline is too complex for it for example.
    Internal(Message),
    /// The device has gone.
    Lost(Message),
    /// Elements of a weight or an input are not at hand.
    Supply(SupplyError),
    /// More dispatches than parameters can be found for.
    TooLong(u64),
}

impl RunError {
    /// The sentence.
    #[must_use]
    pub fn message(&self) -> Message {
        match self {
            Self::Unavailable(why) => message!("there is no GPU to run on: {}", why),
            Self::OutOfMemory(why) => message!("the GPU is out of memory: {}", why),
            Self::Validation(why) => message!("the GPU refused a call: {}", why),
            Self::Internal(why) => message!("the GPU's driver failed: {}", why),
            Self::Lost(why) => message!("the GPU was lost: {}", why),
            Self::Supply(why) => why.message(),
            Self::TooLong(count) => message!(
                "a run of {} dispatches is longer than {}, which offsets of 32 bits reach",
                count,
                uniforms::MOST
            ),
        }
    }
}

planner::impl_message!(RunError);
impl std::error::Error for RunError {}

impl From<SupplyError> for RunError {
    fn from(error: SupplyError) -> Self {
        Self::Supply(error)
    }
}
