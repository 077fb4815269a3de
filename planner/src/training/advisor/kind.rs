//! What can be changed about a training step so that it fits.

use serde::{Deserialize, Serialize};

/// One kind of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Other settings of the allocator.
    Settings,
    /// Gradients of weights are given back before each step.
    SetToNone,
    /// ReLU and its like write over what they read.
    InPlace,
    /// Operators run in another order, or other passes rewrite the model.
    Passes,
    /// An arena that is planned in advance takes the place of the allocator.
    Arena,
    /// torch.compile traces the step.
    Compile,
    /// Values are computed again.
    Recompute,
    /// Values are swapped to the host.
    Swap,
    /// Values are packed without loss.
    Pack,
    /// Values are packed in fewer bits, which changes them.
    Bits,
    /// Samples go through one after another, in several micro-batches.
    Micro,
    /// Weights, their gradients and the optimizer's state are divided among replicas.
    Zero,
    /// Products of matrices, sequences, experts or layers are divided among devices.
    Divide,
    /// The optimizer's state is on the host.
    Offload,
}

/// Some kinds of changes.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Kinds(u16);

impl Kind {
    /// All of them, in the order in which they are listed: from what costs a word to what costs a
    /// rewrite.
    pub const ALL: [Self; 14] = [
        Self::Settings,
        Self::SetToNone,
        Self::InPlace,
        Self::Passes,
        Self::Arena,
        Self::Compile,
        Self::Recompute,
        Self::Swap,
        Self::Pack,
        Self::Bits,
        Self::Micro,
        Self::Zero,
        Self::Divide,
        Self::Offload,
    ];

    /// Its name in files and commands.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Settings => "settings",
            Self::SetToNone => "set_to_none",
            Self::InPlace => "in_place",
            Self::Passes => "passes",
            Self::Arena => "arena",
            Self::Compile => "compile",
            Self::Recompute => "recompute",
            Self::Swap => "swap",
            Self::Pack => "pack",
            Self::Bits => "bits",
            Self::Micro => "micro",
            Self::Zero => "zero",
            Self::Divide => "divide",
            Self::Offload => "offload",
        }
    }

    /// The kind of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    const fn bit(self) -> u16 {
        1 << self as u16
    }
}

impl Kinds {
    /// None.
    pub const NONE: Self = Self(0);

    /// All that leave every value as it is.
    #[must_use]
    pub fn lossless() -> Self {
        let all = Kind::ALL.into_iter();
        all.fold(Self::NONE, Self::with).without(Kind::Bits)
    }

    /// Whether this one is among them.
    #[must_use]
    pub const fn has(self, kind: Kind) -> bool {
        self.0 & kind.bit() != 0
    }

    /// The same with this one.
    #[must_use]
    pub const fn with(self, kind: Kind) -> Self {
        Self(self.0 | kind.bit())
    }

    /// The same without this one.
    #[must_use]
    pub const fn without(self, kind: Kind) -> Self {
        Self(self.0 & !kind.bit())
    }

    /// The same with this one where `is` says so.
    #[must_use]
    pub const fn with_if(self, is: bool, kind: Kind) -> Self {
        if is { self.with(kind) } else { self }
    }

    /// Whether all of these are among `others`.
    #[must_use]
    pub const fn within(self, others: Self) -> bool {
        self.0 & !others.0 == 0
    }

    /// How many there are.
    #[must_use]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Each of them.
    pub fn each(self) -> impl Iterator<Item = Kind> {
        Kind::ALL.into_iter().filter(move |kind| self.has(*kind))
    }
}
