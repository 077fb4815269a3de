//! What memory is for, and when a framework asks for it and gives it back.

use serde::{Deserialize, Serialize};

use crate::settings::{Optimizer, Recipe};

/// What memory is for, from what stays longest to what goes first.
///
/// The categories of Gao et al. 2020; what the driver takes lies outside of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// The weights that the operators read.
    Weights,
    /// The copy of the trained weights that the optimizer changes, in mixed precision.
    Master,
    /// What the optimizer keeps.
    Optimizer,
    /// The gradients of the weights.
    WeightGradients,
    /// What the model is given.
    Inputs,
    /// What operators of the forward pass write, and the loss.
    Outputs,
    /// The gradients of these, and what the backward pass computes on the way to them.
    Gradients,
    /// What lives within an operator.
    Ephemeral,
    /// What devices send to each other and receive: gathered weights and gradients that are
    /// reduced, too.
    Communication,
    /// What kernels have while they run.
    Workspace,
    /// Bytes of an arena that was planned in advance in which nothing lives at the time.
    Idle,
}

/// How many purposes there are.
pub const PURPOSES: usize = Purpose::ALL.len();

impl Purpose {
    /// All of them, as they are stacked.
    pub const ALL: [Self; 11] = [
        Self::Weights,
        Self::Master,
        Self::Optimizer,
        Self::WeightGradients,
        Self::Inputs,
        Self::Outputs,
        Self::Gradients,
        Self::Ephemeral,
        Self::Communication,
        Self::Workspace,
        Self::Idle,
    ];

    /// Its name in files and commands.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Weights => "weights",
            Self::Master => "master",
            Self::Optimizer => "optimizer",
            Self::WeightGradients => "weight_gradients",
            Self::Inputs => "inputs",
            Self::Outputs => "outputs",
            Self::Gradients => "gradients",
            Self::Ephemeral => "ephemeral",
            Self::Communication => "communication",
            Self::Workspace => "workspace",
            Self::Idle => "idle",
        }
    }

    /// Its place in [`ALL`](Self::ALL).
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Whether it is of activations: inputs, outputs and their gradients.
    #[must_use]
    pub const fn is_activation(self) -> bool {
        matches!(self, Self::Inputs | Self::Outputs | Self::Gradients)
    }
}

/// When memory is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Allocation {
    /// Before the first step (`ALLOC_ON_START`).
    OnStart,
    /// When it is written first (`ALLOC_ON_DEMAND`).
    #[default]
    OnDemand,
}

/// When memory is given back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Release {
    /// When the program ends (`RELEASE_ON_EXIT`).
    OnExit,
    /// When nothing reads it any more (`RELEASE_ON_DEATH`): values after what reads them last,
    /// gradients of weights after the update, inputs after the step. Weights, their copy and what
    /// the optimizer keeps are read again in the next step.
    #[default]
    OnDeath,
}

/// When memory for one purpose is asked for and given back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Life {
    /// When it is asked for.
    pub allocation: Allocation,
    /// When it is given back.
    pub release: Release,
}

/// A framework: when it asks for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    /// By purpose, in the order of [`Purpose::ALL`].
    pub lives: [Life; PURPOSES],
    /// Whether the update makes a tensor on the way for each weight, all at once.
    pub intermediates: bool,
}

impl Profile {
    /// PyTorch as it runs operator by operator. Modules and the copy of the weights are made
    /// before the first step; the optimizer makes its state in its first step; a gradient is made
    /// when it is computed first, and stays unless `zero_grad` sets it to none.
    ///
    /// Adam updates all weights at once where they are on a GPU (`foreach`), for which it computes
    /// the root of one of its moments for each weight before it uses the first: the documentation
    /// of `torch.optim.Adam` counts about the parameters' size for that. In plain descent and with
    /// momentum everything is done in place.
    #[must_use]
    pub fn eager(recipe: Recipe) -> Self {
        let stays = Life {
            allocation: Allocation::OnStart,
            release: Release::OnExit,
        };
        let kept = Life {
            allocation: Allocation::OnDemand,
            release: Release::OnExit,
        };
        let mut profile = Self {
            lives: [Life::default(); PURPOSES],
            intermediates: recipe.optimizer == Optimizer::Adam,
        };
        profile.lives[Purpose::Weights.index()] = stays;
        profile.lives[Purpose::Master.index()] = stays;
        profile.lives[Purpose::Optimizer.index()] = kept;
        if !recipe.set_to_none {
            profile.lives[Purpose::WeightGradients.index()] = kept;
        }
        profile
    }

    /// When memory for this is asked for and given back.
    #[must_use]
    pub fn life(&self, purpose: Purpose) -> Life {
        self.lives[purpose.index()]
    }

    /// The same with another life for one purpose.
    #[must_use]
    pub fn with(mut self, purpose: Purpose, life: Life) -> Self {
        self.lives[purpose.index()] = life;
        self
    }
}
