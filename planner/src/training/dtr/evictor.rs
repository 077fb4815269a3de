//! Who decides what is evicted, and whether addresses count.

use serde::{Deserialize, Serialize};

use super::heuristic::Heuristic;

/// An eager runtime that evicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Evictor {
    /// DTR's prototype: a budget is a sum of bytes.
    Bytes(Heuristic),
    /// `MegEngine`'s interpreter: a price that counts the free bytes on both sides and how often a
    /// tensor was computed again already, and a cost that is the bytes that a call reads and
    /// makes. Where nothing more can be evicted, all is moved together.
    Megengine,
    /// DTR whose price counts the free bytes on both sides with the size (`OneFlow`).
    Dte,
    /// Coop (Zhang et al., `NeurIPS` 2023): the cheapest contiguous window is evicted at once. What
    /// is cheap to compute lies at the upper end, what is not at the lower (`OneFlow`).
    Coop,
}

impl Evictor {
    /// Whether a budget is a device of so many addresses.
    #[must_use]
    pub fn knows_addresses(self) -> bool {
        !matches!(self, Self::Bytes(_))
    }

    /// Whether it asks what is evicted around a storage.
    pub(super) fn asks_regions(self) -> bool {
        matches!(self, Self::Bytes(it) if it.asks_regions())
    }

    /// Whether it asks which evicted storages are connected.
    pub(super) fn asks_classes(self) -> bool {
        match self {
            Self::Bytes(it) => it.asks_classes(),
            _ => true,
        }
    }
}

impl From<Heuristic> for Evictor {
    fn from(heuristic: Heuristic) -> Self {
        Self::Bytes(heuristic)
    }
}
