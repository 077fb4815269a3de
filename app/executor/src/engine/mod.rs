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

use std::fmt;

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
    Unavailable(String),
    /// The device has no memory for a buffer.
    OutOfMemory(String),
    /// A call was not valid: a bug of ours, or a limit that is not stated.
    Validation(String),
    /// The driver failed, a pipeline is too complex for it for example.
    Internal(String),
    /// The device has gone.
    Lost(String),
    /// Elements of a weight or an input are not at hand.
    Supply(SupplyError),
    /// More dispatches than parameters can be found for.
    TooLong(u64),
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unavailable(why) => write!(f, "there is no GPU to run on: {why}"),
            Self::OutOfMemory(why) => write!(f, "the GPU is out of memory: {why}"),
            Self::Validation(why) => write!(f, "the GPU refused a call: {why}"),
            Self::Internal(why) => write!(f, "the GPU's driver failed: {why}"),
            Self::Lost(why) => write!(f, "the GPU was lost: {why}"),
            Self::Supply(why) => write!(f, "{why}"),
            Self::TooLong(count) => write!(
                f,
                "a run of {count} dispatches is longer than {}, which offsets of 32 bits reach",
                uniforms::MOST
            ),
        }
    }
}

impl std::error::Error for RunError {}

impl From<SupplyError> for RunError {
    fn from(error: SupplyError) -> Self {
        Self::Supply(error)
    }
}
