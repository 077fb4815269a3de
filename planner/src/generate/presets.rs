//! Transformers that many people know, by the figures of their published configurations.

use super::transformer::{
    Activation, Experts, FeedForward, Latent, Norm, NormPlace, Parallel, Patches, Pattern,
    Positions, Transformer, Window,
};

/// The names, as they are asked for.
pub const NAMES: [&str; 11] = [
    "gpt2",
    "gpt-3",
    "bert-base",
    "vit-base",
    "llama-2-7b",
    "llama-3-8b",
    "mistral-7b",
    "mixtral-8x7b",
    "qwen2.5-7b",
    "gemma-2-2b",
    "deepseek-v2-lite",
];

/// The transformer of this name.
#[must_use]
pub fn preset(name: &str) -> Option<Transformer> {
    let named = NAMES.into_iter().find(|it| *it == name)?;
    let made = match named {
        "gpt2" => classic(12, 768, 12, 50_257, 1024),
        "gpt-3" => classic(96, 12_288, 96, 51_200, 2048),
        "bert-base" => Transformer {
            decoder: false,
            norm_place: NormPlace::After,
            ..classic(12, 768, 12, 30_522, 512)
        },
        "vit-base" => images(classic(12, 768, 12, 0, 0), 224, 16, 1000),
        "llama-2-7b" => gated(32, 4096, (32, 32, 128), 11_008, 32_000),
        "llama-3-8b" => gated(32, 4096, (32, 8, 128), 14_336, 128_256),
        "mistral-7b" => Transformer {
            window: Some(Window {
                tokens: 4096,
                pattern: Pattern::All,
            }),
            ..gated(32, 4096, (32, 8, 128), 14_336, 32_000)
        },
        "mixtral-8x7b" => Transformer {
            experts: Some(Experts {
                count: 8,
                active: 2,
                size: 14_336,
                ..Experts::default()
            }),
            ..gated(32, 4096, (32, 8, 128), 14_336, 32_000)
        },
        "qwen2.5-7b" => Transformer {
            attention_bias: true,
            ..gated(28, 3584, (28, 4, 128), 18_944, 152_064)
        },
        "gemma-2-2b" => Transformer {
            norm_place: NormPlace::Both,
            tied: true,
            window: Some(Window {
                tokens: 4096,
                pattern: Pattern::AllBut(2),
            }),
            feed_forward: FeedForward {
                size: 9216,
                gated: true,
                activation: Activation::Gelu,
            },
            ..gated(26, 2304, (8, 4, 256), 9216, 256_000)
        },
        _ => Transformer {
            experts: Some(Experts {
                count: 64,
                active: 6,
                shared: 2,
                size: 1408,
                dense_layers: 1,
                ..Experts::default()
            }),
            latent: Some(Latent {
                key_value_rank: 512,
                query_rank: None,
                rotary_size: 64,
                plain_size: 128,
                value_size: 128,
            }),
            ..gated(27, 2048, (16, 16, 192), 10_944, 102_400)
        },
    };
    Some(Transformer {
        name: named.to_owned(),
        ..made
    })
}

/// The form of GPT-2 and of the formulas of papers: everything has a bias, the feed-forward part is
/// four times as wide, training drops elements.
#[must_use]
pub fn classic(layers: u64, hidden: u64, heads: u64, vocabulary: u64, places: u64) -> Transformer {
    Transformer {
        name: String::new(),
        decoder: true,
        layers,
        hidden,
        heads,
        key_value_heads: heads,
        head_size: hidden / heads.max(1),
        feed_forward: FeedForward {
            size: 4 * hidden,
            gated: false,
            activation: Activation::Gelu,
        },
        norm: Norm::Layer,
        norm_place: NormPlace::Before,
        parallel: Parallel::No,
        head_norm: false,
        head_bias: false,
        positions: Positions::Learned(places),
        vocabulary,
        tied: true,
        attention_bias: true,
        bias: true,
        dropout: true,
        experts: None,
        window: None,
        latent: None,
        patches: None,
    }
}

/// An encoder of square images in three colours, which are sorted into classes.
fn images(of: Transformer, image: u64, size: u64, classes: u64) -> Transformer {
    let patches = Patches {
        image,
        size,
        channels: 3,
        classes,
    };
    Transformer {
        decoder: false,
        tied: false,
        dropout: false,
        positions: Positions::Learned(patches.tokens()),
        patches: Some(patches),
        ..of
    }
}

/// The form of Llama: no bias, a gated feed-forward part, rotary positions. Heads of queries, of
/// keys, and elements of a head.
#[must_use]
pub fn gated(
    layers: u64,
    hidden: u64,
    (heads, key_value_heads, head_size): (u64, u64, u64),
    size: u64,
    vocabulary: u64,
) -> Transformer {
    Transformer {
        heads,
        key_value_heads,
        head_size,
        feed_forward: FeedForward {
            size,
            gated: true,
            activation: Activation::Silu,
        },
        norm: Norm::Rms,
        positions: Positions::Rotary,
        tied: false,
        attention_bias: false,
        bias: false,
        dropout: false,
        ..classic(layers, hidden, heads, vocabulary, 1)
    }
}
