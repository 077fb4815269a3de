//! How a transformer runs: what it does, with how many tokens, in which types.

use serde::{Deserialize, Serialize};

use super::transformer::{MOST, NoTransformer, Positions, Transformer};
use crate::graph::DType;
use crate::message;

/// How it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Execution {
    /// What it does.
    pub mode: Mode,
    /// How attention is computed.
    pub attention: AttentionForm,
    /// Type of the weights.
    pub weights: DType,
    /// Type of what is computed.
    pub activations: DType,
    /// Type of the keys and values that are kept.
    pub cache: DType,
    /// Sequences that are computed at once, b, unless it is bound otherwise.
    pub batch: u64,
}

/// What a transformer does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// It reads sequences of so many tokens, s, without keeping any.
    Forward(u64),
    /// It reads so many tokens and keeps their keys and values.
    Prefill(u64),
    /// It reads one token after so many others, the token itself included.
    Decode(u64),
}

/// How attention is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttentionForm {
    /// Written out: the scores of all pairs of tokens are there at once.
    #[default]
    Written,
    /// One operator, which keeps no scores.
    Fused,
}

impl Default for Execution {
    fn default() -> Self {
        Self {
            mode: Mode::Prefill(1024),
            attention: AttentionForm::default(),
            weights: DType::F16,
            activations: DType::F16,
            cache: DType::F16,
            batch: 1,
        }
    }
}

impl Execution {
    /// Whether `description` can run so.
    ///
    /// # Errors
    /// [`NoTransformer`] with what stands in the way.
    pub fn check(&self, description: &Transformer) -> Result<(), NoTransformer> {
        let (sequence, context) = self.mode.tokens();
        for (at, figure) in [
            ("batch", self.batch),
            ("tokens", sequence),
            ("tokens", context),
        ] {
            if !(1..=MOST).contains(&figure) {
                let why = message!("{} is not from 1 to {}", figure, MOST);
                return Err(NoTransformer { at, why });
            }
        }
        for (at, dtype) in [
            ("weights", self.weights),
            ("activations", self.activations),
            ("cache", self.cache),
        ] {
            if dtype.bits().is_none() {
                let why = message!("{} has no size", dtype.name());
                return Err(NoTransformer { at, why });
            }
        }
        if let Some(patches) = description.patches
            && patches.tokens() != sequence
        {
            let why = message!("an image has {} tokens", patches.tokens());
            return Err(NoTransformer { at: "tokens", why });
        }
        if let Positions::Learned(places) = description.positions
            && places < sequence.max(context)
        {
            let why = message!("places are learned for {} tokens only", places);
            return Err(NoTransformer { at: "tokens", why });
        }
        if self.mode.keeps() && !description.decoder {
            let why = message!("an encoder keeps no keys and values");
            return Err(NoTransformer { at: "mode", why });
        }
        Ok(())
    }

    /// The same as far as `description` can run so: an encoder keeps nothing, an image has as many
    /// tokens as it has, and others at most as many as places are learned.
    #[must_use]
    pub fn fitted(self, description: &Transformer) -> Self {
        let (sequence, context) = self.mode.tokens();
        let tokens = match (description.patches, description.positions) {
            (Some(patches), _) => patches.tokens(),
            (None, Positions::Learned(places)) => sequence.max(context).min(places),
            (None, Positions::Rotary) => sequence.max(context),
        };
        let mode = match description.decoder {
            true => self.mode.of(tokens),
            false => Mode::Forward(tokens),
        };
        Self { mode, ..self }
    }
}

impl Mode {
    /// The same of so many tokens.
    #[must_use]
    pub fn of(self, tokens: u64) -> Self {
        match self {
            Self::Forward(_) => Self::Forward(tokens),
            Self::Prefill(_) => Self::Prefill(tokens),
            Self::Decode(_) => Self::Decode(tokens),
        }
    }

    /// Tokens of a sequence that are computed, and those that are seen.
    #[must_use]
    pub fn tokens(self) -> (u64, u64) {
        match self {
            Self::Forward(tokens) | Self::Prefill(tokens) => (tokens, tokens),
            Self::Decode(context) => (1, context),
        }
    }

    /// Whether keys and values are kept from one run to the next.
    #[must_use]
    pub fn keeps(self) -> bool {
        !matches!(self, Self::Forward(_))
    }
}
