//! Dynamic tensor rematerialization: an eager runtime that evicts the cheapest tensor whenever
//! memory runs out, and computes it again when it is read. Kirisame et al., "Dynamic Tensor
//! Rematerialization", ICLR 2021, section 2, with the eager eviction of its prototype.
//!
//! [`Log`] is what a program asks of the runtime, [`run`] plays it under a budget, and
//! [`Heuristic`] says which tensor is the cheapest; [`Evictor`] knows runtimes that go by
//! addresses, too. [`decisions`] tells why each was evicted.

mod classes;
pub mod decisions;
mod evictor;
mod heuristic;
mod log;
mod pieces;
mod played;
mod read;
mod regions;
mod runtime;
mod write;

pub use evictor::Evictor;
pub use heuristic::{Heuristic, Score};
pub use log::{Call, Event, Log, Made};
pub use played::{phases, residencies};
pub use read::{LogError, is_log, read};
pub use runtime::{Act, Choice, Ended, Eviction, Limits, Observer, Played, StorageAddress, run};
pub use write::log_text;
