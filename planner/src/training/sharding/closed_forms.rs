//! What papers and a script say that a device holds, in closed form and exactly: what a divided
//! step is compared with.
//!
//! Sums beyond 128 bits are the most that there is.

use crate::settings::Sharding;

/// A number `over / under` in lowest terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio {
    /// What is divided.
    pub over: u128,
    /// By how much, at least 1.
    pub under: u128,
}

/// The sizes of a transformer and of a micro-batch.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Number of layers, L.
    pub layers: u64,
    /// Elements of a token between layers, h.
    pub hidden: u64,
    /// Heads of the queries, a; each has h/a elements.
    pub heads: u64,
    /// Heads of keys and values.
    pub key_value_heads: u64,
    /// Elements of a token between the products of a feed-forward part.
    pub inner: u64,
    /// Number of different tokens, v.
    pub vocabulary: u64,
    /// Tokens of a sample, s.
    pub sequence: u64,
    /// Samples of a micro-batch, b.
    pub batch: u64,
    /// Whether a feed-forward part has a third product, which decides what passes.
    pub gated: bool,
    /// Whether norms have a shift beside their scale.
    pub shifted_norms: bool,
    /// Whether the logits come from the table of tokens, so that it is there once.
    pub tied: bool,
}

/// What of a layer is computed again in the backward pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recomputed {
    /// Nothing.
    Nothing,
    /// What attention makes between its products: scores, their softmax and its dropout.
    Attention,
    /// All but the layer's input.
    Layer,
}

impl Ratio {
    /// A whole number.
    #[must_use]
    pub const fn whole(number: u128) -> Self {
        Self {
            over: number,
            under: 1,
        }
    }

    /// `over / under`; nothing is divided by 0.
    #[must_use]
    pub fn new(over: u128, under: u128) -> Self {
        let under = under.max(1);
        let (mut common, mut rest) = (under, over % under);
        while rest > 0 {
            (common, rest) = (rest, common % rest);
        }
        Self {
            over: over / common,
            under: under / common,
        }
    }

    /// The sum.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let over = self.over.saturating_mul(other.under);
        let more = other.over.saturating_mul(self.under);
        let under = self.under.saturating_mul(other.under);
        Self::new(over.saturating_add(more), under)
    }

    /// The product.
    #[must_use]
    pub fn times(self, other: Self) -> Self {
        // Crosswise in lowest terms, so that what cancels is never multiplied.
        let one = Self::new(self.over, other.under);
        let two = Self::new(other.over, self.under);
        let under = one.under.saturating_mul(two.under);
        Self::new(one.over.saturating_mul(two.over), under)
    }

    /// The next whole number from it on.
    #[must_use]
    pub const fn rounded_up(self) -> u128 {
        self.over.div_ceil(self.under)
    }
}

/// Bytes of weights, their gradients and Adam's state of `parameters` in mixed precision, 2 + 2 +
/// 12 each, among `devices` replicas that share what a stage of ZeRO says (Rajbhandari et al.,
/// "ZeRO", SC 2020, section 5 and figure 1): 16Ψ, 4Ψ + 12Ψ/d, 2Ψ + 14Ψ/d, 16Ψ/d. A parameter is not
/// divided, so that this is the device that has most.
#[must_use]
pub fn zero(parameters: u128, devices: u32, stage: u8) -> u128 {
    let part = parameters.div_ceil(u128::from(devices.max(1)));
    let (whole, shared) = match stage {
        0 => (16, 0),
        1 => (4, 12),
        2 => (2, 14),
        _ => (0, 16),
    };
    let whole = parameters.saturating_mul(whole);
    whole.saturating_add(part.saturating_mul(shared))
}

/// Bytes that a layer keeps of a micro-batch for the backward pass, in 16 bits and with masks of a
/// byte (Korthikanti et al. 2022, table 2): sbh(34 + 5as/h) on one device. Tensor parallelism
/// divides 24 and 5as/h by t, sequence parallelism 10 as well. Where attention is recomputed there
/// is no 5as/h, and an input alone takes 2sbh.
#[must_use]
pub fn layer(sizes: Sizes, recomputed: Recomputed, sharding: Sharding) -> Ratio {
    let width = tokens(sizes).times(from(sizes.hidden));
    if recomputed == Recomputed::Layer {
        return width.times(Ratio::whole(2));
    }
    let apart = if sharding.sequence {
        sharding.tensor
    } else {
        1
    };
    let around = width.times(Ratio::new(10, u128::from(apart)));
    let between = width.times(Ratio::new(24, u128::from(sharding.tensor)));
    let scores = match recomputed {
        Recomputed::Nothing => {
            let each = tokens(sizes).times(from(sizes.heads));
            let each = each.times(from(sizes.sequence));
            each.times(Ratio::new(5, u128::from(sharding.tensor)))
        }
        _ => Ratio::whole(0),
    };
    around.plus(between).plus(scores)
}

/// By how much more an interleaved schedule has under way in the first stage than L layers of one
/// micro-batch: 1 + (p - 1)/(pv) (the same, section 4.2.3), and 1 where stages have one part.
#[must_use]
pub fn interleaving(sharding: Sharding) -> Ratio {
    if sharding.chunks <= 1 {
        return Ratio::whole(1);
    }
    let stages = u128::from(sharding.pipeline.max(1));
    let parts = stages.saturating_mul(u128::from(sharding.chunks));
    Ratio::new(parts.saturating_add(stages - 1), parts)
}

/// Bytes that the layers of the first stage keep: p micro-batches of L/p layers, and what an
/// interleaved schedule has under way beside. A step has at least so many micro-batches.
#[must_use]
pub fn first_stage(sizes: Sizes, recomputed: Recomputed, sharding: Sharding) -> Ratio {
    let layers = layer(sizes, recomputed, sharding).times(from(sizes.layers));
    layers.times(interleaving(sharding))
}

/// Bytes of the mask of the dropout that follows the embedding, in the first stage: sbhp/t (the
/// same, section 4.3).
#[must_use]
pub fn embedding_dropout(sizes: Sizes, sharding: Sharding) -> Ratio {
    let width = tokens(sizes).times(from(sizes.hidden));
    let stages = u128::from(sharding.pipeline);
    width.times(Ratio::new(stages, u128::from(sharding.tensor)))
}

/// Bytes of the inputs of the last norm and of the last product, and of the logits in 32 bits,
/// where they are in the first stage, too: 4sbh/t (1 + v/h) (the same).
#[must_use]
pub fn last(sizes: Sizes, sharding: Sharding) -> Ratio {
    let widths = from(sizes.hidden).plus(from(sizes.vocabulary));
    let widths = tokens(sizes).times(widths);
    widths.times(Ratio::new(4, u128::from(sharding.tensor)))
}

/// The parameters that Megatron-LM expects on the device that has most: its part of the layers and
/// the table of tokens, and that of the logits where there is one stage
/// (megatron/training/theoretical_memory_usage.py at 00caa53a; so are the next two).
#[must_use]
pub fn megatron_shard(sizes: Sizes, sharding: Sharding) -> Ratio {
    let both = sharding.pipeline <= 1 && !sizes.tied;
    let tables = from(sizes.vocabulary).times(from(sizes.hidden));
    let tables = tables.times(Ratio::whole(if both { 2 } else { 1 }));
    let layers = megatron_layers(sizes);
    let layers = layers.times(Ratio::new(1, u128::from(sharding.pipeline)));
    let all = layers.plus(tables);
    all.times(Ratio::new(1, u128::from(sharding.tensor)))
}

/// Its bytes with gradients of 4 bytes and Adam: 18 each, or 6 + 12/d with the distributed
/// optimizer, which is stage 1 of ZeRO.
#[must_use]
pub fn megatron_weights(sizes: Sizes, sharding: Sharding) -> Ratio {
    let replicas = if sharding.zero > 0 { sharding.data } else { 1 };
    let shared = Ratio::new(12, u128::from(replicas));
    megatron_shard(sizes, sharding).times(Ratio::whole(6).plus(shared))
}

/// The bytes of activations that it expects in the first stage, with sequence parallelism and with
/// attention recomputed: sbh(18 + 4·inner/h) a layer, tokens of 8 bytes and the mask after the
/// embedding; fewer where there are fewer micro-batches than stages.
#[must_use]
pub fn megatron_activations(sizes: Sizes, sharding: Sharding) -> Ratio {
    let stages = Ratio::whole(u128::from(sharding.pipeline));
    let around = from(sizes.hidden).times(Ratio::whole(18));
    let inner = from(sizes.inner).times(Ratio::whole(4));
    let layers = around.plus(inner).times(from(sizes.layers));
    let given = Ratio::whole(8).plus(from(sizes.hidden)).times(stages);
    let kept = tokens(sizes).times(layers.plus(given));
    let under_way = if sharding.chunks > 1 {
        interleaving(sharding)
    } else {
        let most = u128::from(sharding.pipeline);
        Ratio::new(u128::from(sharding.micro).min(most), most)
    };
    let kept = kept.times(under_way);
    let kept = kept.times(Ratio::new(1, u128::from(sharding.tensor)));
    if sharding.pipeline > 1 {
        return kept;
    }
    kept.plus(last(sizes, sharding))
}

/// The parameters of all layers and of the norm after them.
fn megatron_layers(sizes: Sizes) -> Ratio {
    let hidden = from(sizes.hidden);
    let norm = hidden.times(Ratio::whole(if sizes.shifted_norms { 2 } else { 1 }));
    let square = hidden.times(hidden).times(Ratio::whole(2));
    let pairs = Ratio::new(u128::from(sizes.key_value_heads), u128::from(sizes.heads));
    let attention = square.times(Ratio::whole(1).plus(pairs));
    let products = Ratio::whole(if sizes.gated { 3 } else { 2 });
    let inner = hidden.times(from(sizes.inner)).times(products);
    let norms = norm.times(Ratio::whole(2));
    let one = attention.plus(inner).plus(norms);
    one.times(from(sizes.layers)).plus(norm)
}

/// How many tokens a micro-batch has, sb.
fn tokens(sizes: Sizes) -> Ratio {
    from(sizes.sequence).times(from(sizes.batch))
}

fn from(number: u64) -> Ratio {
    Ratio::whole(u128::from(number))
}
