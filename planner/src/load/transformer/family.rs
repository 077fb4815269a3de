//! What `config.json` does not say, because the code of each architecture has it.

use crate::generate::{Activation, Norm, NormPlace, Parallel, Pattern};

/// An architecture, as its code has it where the configuration says nothing else.
#[derive(Clone, Copy)]
pub(super) struct Family {
    pub(super) decoder: bool,
    pub(super) norm: Norm,
    pub(super) norm_place: NormPlace,
    pub(super) parallel: Parallel,
    /// Whether queries and keys are normalised head by head.
    pub(super) head_norm: bool,
    pub(super) gated: bool,
    pub(super) activation: Activation,
    /// Places are learned: so many beside those that are told.
    pub(super) learned: Option<u64>,
    pub(super) attention_bias: bool,
    pub(super) bias: bool,
    /// Whether it reads images.
    pub(super) sees: bool,
    /// Whether training drops elements where the configuration does not say it.
    pub(super) dropout: bool,
    /// Whether the logits have biases.
    pub(super) head_bias: bool,
    pub(super) tied: bool,
    /// Whether a window that is told is used.
    pub(super) windowed: bool,
    pub(super) pattern: Pattern,
    /// Keys that configurations leave out where they have these values.
    pub(super) usual: &'static [(&'static str, u64)],
}

/// Llama.
const LLAMA: Family = Family {
    decoder: true,
    norm: Norm::Rms,
    norm_place: NormPlace::Before,
    parallel: Parallel::No,
    head_norm: false,
    gated: true,
    activation: Activation::Silu,
    learned: None,
    attention_bias: false,
    bias: false,
    sees: false,
    dropout: false,
    head_bias: false,
    tied: false,
    windowed: true,
    pattern: Pattern::All,
    usual: &[],
};

/// GPT-2.
const GPT2: Family = Family {
    norm: Norm::Layer,
    gated: false,
    activation: Activation::Gelu,
    learned: Some(0),
    attention_bias: true,
    bias: true,
    dropout: true,
    tied: true,
    ..LLAMA
};

/// Gemma 2.
const GEMMA: Family = Family {
    norm_place: NormPlace::Both,
    activation: Activation::Gelu,
    tied: true,
    pattern: Pattern::AllBut(2),
    ..LLAMA
};

/// The architecture with this `model_type`.
pub(super) fn family(kind: &str) -> Option<Family> {
    Some(match kind {
        "llama" | "mistral" | "mixtral" | "phi3" | "deepseek_v2" | "deepseek_v3" => LLAMA,
        "qwen2" | "qwen2_moe" => Family {
            attention_bias: true,
            windowed: false,
            ..LLAMA
        },
        "qwen3" | "qwen3_moe" => Family {
            head_norm: true,
            windowed: false,
            ..LLAMA
        },
        "gemma2" => GEMMA,
        "gemma3" | "gemma3_text" => Family {
            head_norm: true,
            pattern: Pattern::AllBut(6),
            usual: &[
                ("vocab_size", 262_208),
                ("hidden_size", 2304),
                ("intermediate_size", 9216),
                ("num_hidden_layers", 26),
                ("num_attention_heads", 8),
                ("num_key_value_heads", 4),
                ("head_dim", 256),
            ],
            ..GEMMA
        },
        "phi" => Family {
            parallel: Parallel::SharedNorm,
            head_bias: true,
            learned: None,
            tied: false,
            ..GPT2
        },
        "gpt2" => GPT2,
        "gpt_neox" => Family {
            parallel: Parallel::OwnNorms,
            learned: None,
            tied: false,
            ..GPT2
        },
        // Two places are kept for padding.
        "opt" => Family {
            activation: Activation::Relu,
            learned: Some(2),
            ..GPT2
        },
        "bert" => Family {
            decoder: false,
            norm_place: NormPlace::After,
            ..GPT2
        },
        "vit" => Family {
            decoder: false,
            tied: false,
            dropout: false,
            sees: true,
            usual: &[
                ("hidden_size", 768),
                ("intermediate_size", 3072),
                ("num_hidden_layers", 12),
                ("num_attention_heads", 12),
            ],
            ..GPT2
        },
        _ => return None,
    })
}
