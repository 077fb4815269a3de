//! What a run may take and what it came to.

use crate::units::{Bytes, Offset};

/// What a run may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes at once, or the addresses of the device; `None` for as many as it takes.
    pub budget: Option<Bytes>,
    /// The most that may be spent on computing again, in the unit of the log.
    pub recompute: Option<u64>,
    /// What chance follows from.
    pub seed: u64,
    /// Only what takes at least a hundredth of the mean of all storages so far may be evicted.
    pub skip_small: bool,
    /// Not all that may be evicted is looked at: after each the next is a random number of places
    /// further, from 1 to the square root of how many there are.
    pub sample: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            budget: None,
            recompute: None,
            seed: 1,
            skip_small: false,
            sample: false,
        }
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Everything was computed.
    Well,
    /// A call needs more than is left when nothing more can be evicted.
    OutOfMemory {
        /// The call.
        call: usize,
    },
    /// More was computed again than is allowed.
    Thrashed,
    /// The observer had it stop.
    Stopped,
}

/// What the runtime did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// The call ran, for the first time or again.
    Compute {
        /// The call.
        call: usize,
        /// Whether it had run before.
        again: bool,
    },
    /// The storage's bytes were given back: it will be computed again if it is read.
    Evict(usize),
    /// The same, because the program let go of it.
    Free(usize),
}

/// What a run came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// How it ended.
    pub ended: Ended,
    /// The most bytes at once.
    pub peak: Bytes,
    /// What computing for the first time cost.
    pub first: u64,
    /// What computing again cost.
    pub again: u64,
    /// What happened, in order.
    pub acts: Vec<Act>,
    /// The storage of each tensor.
    pub storage_of: Vec<usize>,
    /// The bytes of each storage, and the tensor that it is made with.
    pub storages: Vec<(Bytes, usize)>,
    /// Where storages lay, in order, for those that know addresses.
    pub places: Vec<StorageAddress>,
    /// The highest address that was used, for those.
    pub top: Option<Bytes>,
    /// The bytes that were copied to make room.
    pub moved: Bytes,
}

/// A storage has an address, until it is evicted, given back or moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StorageAddress {
    /// How many acts were done before.
    pub act: usize,
    /// The storage.
    pub storage: usize,
    /// Its first byte.
    pub from: Offset,
}
