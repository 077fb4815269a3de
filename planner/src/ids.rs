//! References from buffers to what they hold, so that lifetimes need not know a graph.

use serde::{Deserialize, Serialize};

use crate::units::narrow;

/// Index of a tensor in a graph's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TensorId(pub u32);

/// Index of a storage in a program's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StorageId(pub u32);

impl TensorId {
    /// The id of the tensor at `index`. Loaders refuse graphs of 2^32 tensors.
    #[must_use]
    pub fn at(index: usize) -> Self {
        Self(narrow(index))
    }

    /// The index into the graph's tensors.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl StorageId {
    /// The id of the storage at `index`. There are at most as many as tensors.
    #[must_use]
    pub fn at(index: usize) -> Self {
        Self(narrow(index))
    }

    /// The index into the program's storages.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}
