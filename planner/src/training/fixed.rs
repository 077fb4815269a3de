//! What stays in memory during the whole training step beside the values.

use serde::{Deserialize, Serialize};

use super::{Precision, Recipe};

/// Bytes of a number, and of one in mixed precision.
const FLOAT: u64 = 4;
const HALF: u64 = 2;

/// How many parameters a model has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parameters {
    /// All of them.
    pub all: u64,
    /// Those that are trained.
    pub trained: u64,
}

/// Bytes that stay, by what they are for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fixed {
    /// The weights that the operators read.
    pub weights: u64,
    /// The copy of the trained weights that the optimizer changes, in mixed precision.
    pub master: u64,
    /// The gradients of the weights.
    pub gradients: u64,
    /// What the optimizer keeps.
    pub optimizer: u64,
}

impl Fixed {
    /// What these parameters take; `None` beyond 64 bits.
    #[must_use]
    pub fn of(parameters: Parameters, recipe: Recipe) -> Option<Self> {
        let (number, master) = match recipe.precision {
            Precision::Full => (FLOAT, 0),
            Precision::Mixed => (HALF, FLOAT),
        };
        let Parameters { all, trained } = parameters;
        let fixed = Self {
            weights: all.checked_mul(number)?,
            master: trained.checked_mul(master)?,
            gradients: trained.checked_mul(number)?,
            optimizer: trained.checked_mul(recipe.optimizer.bytes())?,
        };
        fixed.sum().map(|_| fixed)
    }

    /// Its parts with their names, in bytes.
    #[must_use]
    pub const fn parts(self) -> [(&'static str, u64); 4] {
        [
            ("weights", self.weights),
            ("master", self.master),
            ("gradients", self.gradients),
            ("optimizer", self.optimizer),
        ]
    }

    /// All together; `None` beyond 64 bits.
    #[must_use]
    pub fn sum(self) -> Option<u64> {
        let mut parts = self.parts().into_iter().map(|(_, bytes)| bytes);
        parts.try_fold(0_u64, u64::checked_add)
    }
}

impl Parameters {
    /// Takes those of one more layer.
    pub fn add(&mut self, count: u64, trained: bool) {
        self.all = self.all.saturating_add(count);
        if trained {
            self.trained = self.trained.saturating_add(count);
        }
    }
}
