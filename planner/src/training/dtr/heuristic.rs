//! Which storage is the cheapest to evict.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

/// How the price of a storage is found: the least is evicted. Cost is what computing it takes,
/// size its bytes, staleness the time since it was read last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Heuristic {
    /// (cost + that of the evicted around it) / (size × staleness): the paper's own.
    Dtr,
    /// The same, the evicted around it by sets that only grow.
    DtrEq,
    /// cost / (size × staleness).
    DtrLocal,
    /// (cost + that of what it would have to be computed from) / size: most saved for the least
    /// recomputation, as Capuchin chooses (Peng et al., ASPLOS 2020, section 4.4).
    Msps,
    /// The one read longest ago.
    Lru,
    /// The largest.
    Size,
    /// (cost + that of the evicted around it) / size.
    NotStale,
    /// Any, by a seed.
    Random,
}

impl Heuristic {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Dtr,
        Self::DtrEq,
        Self::DtrLocal,
        Self::Msps,
        Self::Lru,
        Self::Size,
        Self::NotStale,
        Self::Random,
    ];

    /// Its name in files and commands.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Dtr => "dtr",
            Self::DtrEq => "dtr_eq",
            Self::DtrLocal => "dtr_local",
            Self::Msps => "dtr_msps",
            Self::Lru => "dtr_lru",
            Self::Size => "dtr_size",
            Self::NotStale => "dtr_not_stale",
            Self::Random => "dtr_random",
        }
    }

    /// Whether it asks what is evicted around a storage.
    pub(super) fn asks_regions(self) -> bool {
        matches!(self, Self::Dtr | Self::Msps | Self::NotStale)
    }

    /// Whether it asks which evicted storages are connected.
    pub(super) fn asks_classes(self) -> bool {
        self == Self::DtrEq
    }
}

/// The price of a storage: a fraction, without bound where nothing may be divided by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Score {
    /// What is divided.
    pub above: i128,
    /// By what; 0 where the price has no bound.
    pub below: u128,
}

impl Score {
    /// More than any other.
    pub(super) const MOST: Self = Self { above: 1, below: 0 };

    /// Whether it costs nothing.
    pub(super) fn is_zero(self) -> bool {
        self.above == 0 && self.below > 0
    }

    /// As a number.
    #[must_use]
    pub fn value(self) -> f64 {
        match self.below {
            0 => f64::INFINITY,
            below => self.above as f64 / below as f64,
        }
    }

    /// Which of both is less; by their exact fractions where these fit.
    #[must_use]
    pub fn order(self, other: Self) -> Ordering {
        match (self.below, other.below) {
            (0, 0) => return Ordering::Equal,
            (0, _) => return Ordering::Greater,
            (_, 0) => return Ordering::Less,
            _ => {}
        }
        let product = |above: i128, below: u128| above.checked_mul(i128::try_from(below).ok()?);
        let own = product(self.above, other.below);
        match own.zip(product(other.above, self.below)) {
            Some((own, other)) => own.cmp(&other),
            None => self.value().total_cmp(&other.value()),
        }
    }
}
