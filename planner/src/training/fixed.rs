//! What stays in memory during the whole training step beside the values.

use serde::{Deserialize, Serialize};

use super::{Precision, Recipe, Rule};

/// Bytes of a weight in the master copy.
const MASTER: u64 = 4;

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
    /// The gradients of the weights, where they stay.
    pub gradients: u64,
    /// What the optimizer keeps.
    pub optimizer: u64,
}

impl Fixed {
    /// What these parameters take; `None` beyond 64 bits.
    #[must_use]
    pub fn of(parameters: Parameters, recipe: Recipe) -> Option<Self> {
        let number = recipe.precision.bytes();
        let master = match recipe.precision {
            Precision::Full => 0,
            Precision::Mixed => MASTER,
        };
        let stays = match recipe.rule == Rule::Autograd && recipe.set_to_none {
            true => 0,
            false => recipe.gradient_bytes(),
        };
        let Parameters { all, trained } = parameters;
        let fixed = Self {
            weights: all.checked_mul(number)?,
            master: trained.checked_mul(master)?,
            gradients: trained.checked_mul(stays)?,
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
