//! What a block of a training step holds, as `torch.profiler` tells it apart.

use serde::{Deserialize, Serialize};

/// What a block holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// What is trained.
    Parameter,
    /// What the optimizer keeps.
    OptimizerState,
    /// What a step is given.
    Input,
    /// What is gone before the next phase.
    Temporary,
    /// What the forward pass leaves for the backward pass.
    Activation,
    /// What the backward pass leaves for the update.
    Gradient,
    /// What autograd needs for itself.
    AutogradDetail,
}

impl Category {
    /// All of them, in torch's order.
    pub const ALL: [Self; 7] = [
        Self::Parameter,
        Self::OptimizerState,
        Self::Input,
        Self::Temporary,
        Self::Activation,
        Self::Gradient,
        Self::AutogradDetail,
    ];

    /// As queries have it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Parameter => "parameter",
            Self::OptimizerState => "optimizer state",
            Self::Input => "input",
            Self::Temporary => "temporary",
            Self::Activation => "activation",
            Self::Gradient => "gradient",
            Self::AutogradDetail => "autograd detail",
        }
    }
}
