//! What is known of each strategy beside its code: name, source, model and cost.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::Strategy;

/// How a strategy sees memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Model {
    /// Every buffer gets its own address in one arena.
    Offsets,
    /// Every buffer gets a shared object that one buffer at a time fills; the objects are
    /// laid end to end in one arena.
    Objects,
}

/// What is known of a strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Facts {
    /// Where it comes from: a paper or a code base.
    pub source: &'static str,
    /// How it sees memory.
    pub model: Model,
    /// Time for n buffers, k of which conflict with a buffer on average.
    pub cost: &'static str,
}

/// No strategy has this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownStrategy {
    /// The name asked for.
    pub name: String,
}

const PISARCHYK_LEE: &str = "Pisarchyk and Lee 2020 (arXiv 2001.03288), as in TFLite";

impl Strategy {
    /// All strategies, in the order in which they are listed everywhere.
    pub const ALL: [Self; 11] = [
        Self::Naive,
        Self::Equality,
        Self::GreedyInOrder,
        Self::GreedyByBreadth,
        Self::GreedyBySize,
        Self::GreedyBest,
        Self::MinCostFlow,
        Self::OffsetsBySize,
        Self::OffsetsByBreadth,
        Self::OffsetsInOrder,
        Self::StripBestFit,
    ];

    /// The name used on command lines, in links and in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Naive => "naive",
            Self::Equality => "equality",
            Self::GreedyInOrder => "greedy_in_order",
            Self::GreedyByBreadth => "greedy_by_breadth",
            Self::GreedyBySize => "greedy_by_size",
            Self::GreedyBest => "greedy_best",
            Self::MinCostFlow => "min_cost_flow",
            Self::OffsetsBySize => "offsets_by_size",
            Self::OffsetsByBreadth => "offsets_by_breadth",
            Self::OffsetsInOrder => "offsets_in_order",
            Self::StripBestFit => "strip_best_fit",
        }
    }

    /// Source, model and cost.
    #[must_use]
    pub fn facts(self) -> Facts {
        let (source, cost) = match self {
            Self::Naive => ("no reuse: what reuse is measured against", "O(n)"),
            Self::Equality => ("TFLite GPU delegate, EQUALITY", "O(n log n)"),
            Self::GreedyInOrder => (
                "Lee et al. 2019 (arXiv 1907.01989), as in TFLite GREEDY_IN_ORDER",
                "O(n log n)",
            ),
            Self::GreedyByBreadth => (PISARCHYK_LEE, "O(n · objects · log n)"),
            Self::GreedyBySize => (PISARCHYK_LEE, "O(n²), O(n² · objects) at worst"),
            Self::GreedyBest => (
                "TFLite GPU delegate, GREEDY_BEST",
                "greedy_by_size + greedy_by_breadth",
            ),
            Self::MinCostFlow => ("Lee et al. 2019, as in TFLite MINCOSTFLOW", "O(n³)"),
            Self::OffsetsBySize => (PISARCHYK_LEE, "O(n · k log k)"),
            Self::OffsetsByBreadth => (
                "Pisarchyk and Lee 2020 (arXiv 2001.03288)",
                "O(n · k log k)",
            ),
            Self::OffsetsInOrder => ("best gap in execution order", "O(n · k log k)"),
            Self::StripBestFit => (
                "Sekiyama et al. 2018 (arXiv 1804.10001), after Burke et al. 2004",
                "O(n log n), O(n²) at worst",
            ),
        };
        Facts {
            source,
            model: self.model(),
            cost,
        }
    }

    /// How it sees memory.
    #[must_use]
    pub fn model(self) -> Model {
        match self {
            Self::Naive
            | Self::Equality
            | Self::GreedyInOrder
            | Self::GreedyByBreadth
            | Self::GreedyBySize
            | Self::GreedyBest
            | Self::MinCostFlow => Model::Objects,
            Self::OffsetsBySize
            | Self::OffsetsByBreadth
            | Self::OffsetsInOrder
            | Self::StripBestFit => Model::Offsets,
        }
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Strategy {
    type Err = UnknownStrategy;

    fn from_str(name: &str) -> Result<Self, UnknownStrategy> {
        let found = Self::ALL.into_iter().find(|known| known.name() == name);
        found.ok_or_else(|| UnknownStrategy { name: name.into() })
    }
}

impl fmt::Display for UnknownStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Strategy::ALL.map(Strategy::name).join(", ");
        write!(
            f,
            "no strategy is called {:?}; there are {names}",
            self.name
        )
    }
}

impl std::error::Error for UnknownStrategy {}
