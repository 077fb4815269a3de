//! What papers say of a transformer in one line, for figures without a graph. Tests hold them
//! against the sums over graphs.

use super::execution::{Execution, Mode};
use super::transformer::{Norm, NormPlace, Parallel, Patches, Positions, Transformer};

/// Numbers that training learns, of a description that [`check`](Transformer::check) accepts.
#[must_use]
pub fn parameters(of: &Transformer) -> u128 {
    let layers = (0..of.layers).map(|layer| attention(of) + feed_forward(of, layer));
    let [hidden, vocabulary] = [of.hidden, of.vocabulary].map(u128::from);
    let places = match of.positions {
        Positions::Learned(places) => u128::from(places),
        Positions::Rotary => 0,
    };
    let each = match (of.parallel, of.norm_place) {
        (Parallel::SharedNorm, _) => 1,
        (Parallel::OwnNorms, _) | (_, NormPlace::Before | NormPlace::After) => 2,
        (_, NormPlace::Both) => 4,
    };
    let norms = each * u128::from(of.layers) + 1;
    let head = if of.decoder && !of.tied {
        vocabulary
    } else {
        0
    };
    let biases = if of.decoder && of.head_bias {
        vocabulary
    } else {
        0
    };
    let rows = (vocabulary + places + head) * hidden;
    let images = of.patches.map_or(0, |it| images(of, it));
    layers.sum::<u128>() + norms * norm(of, of.hidden) + rows + biases + images
}

/// Those of a transformer's patches, of the token that stands for all, and of its classes.
fn images(of: &Transformer, patches: Patches) -> u128 {
    let [hidden, classes] = [of.hidden, patches.classes].map(u128::from);
    hidden * pixels(patches) + 2 * hidden + classes * (hidden + 1)
}

/// Numbers of a patch.
fn pixels(of: Patches) -> u128 {
    let [size, channels] = [of.size, of.channels].map(u128::from);
    size * size * channels
}

/// Those of a normalisation of so many elements.
fn norm(of: &Transformer, size: u64) -> u128 {
    let each = match of.norm {
        Norm::Layer => 2,
        Norm::Rms => 1,
    };
    each * u128::from(size)
}

fn attention(of: &Transformer) -> u128 {
    let [hidden, heads, groups, size] =
        [of.hidden, of.heads, of.key_value_heads, of.head_size].map(u128::from);
    let Some(latent) = of.latent else {
        let projected = (heads + 2 * groups) * size;
        let biases = if of.attention_bias { projected } else { 0 };
        let last = if of.bias { hidden } else { 0 };
        let norms = if of.head_norm {
            2 * norm(of, of.head_size)
        } else {
            0
        };
        return hidden * (projected + heads * size) + biases + last + norms;
    };
    let [rank, turned, plain, value] = [
        latent.key_value_rank,
        latent.rotary_size,
        latent.plain_size,
        latent.value_size,
    ]
    .map(u128::from);
    let queries = heads * (plain + turned);
    let queries = match latent.query_rank {
        None => hidden * queries,
        Some(own) => {
            let rank = u128::from(own);
            hidden * rank + norm(of, own) + rank * queries
        }
    };
    let down = hidden * (rank + turned) + norm(of, latent.key_value_rank);
    queries + down + rank * heads * (plain + value) + heads * value * hidden
}

fn feed_forward(of: &Transformer, layer: u64) -> u128 {
    let hidden = u128::from(of.hidden);
    let products = if of.feed_forward.gated { 3 } else { 2 };
    let dense = |size: u128| {
        let biases = if of.bias {
            (products - 1) * size + hidden
        } else {
            0
        };
        products * hidden * size + biases
    };
    match of.experts_of(layer) {
        None => dense(u128::from(of.feed_forward.size)),
        Some(experts) => {
            let [count, size, shared] =
                [experts.count, experts.size, experts.shared].map(u128::from);
            let gate = if experts.shared_gate { hidden } else { 0 };
            let beside = if shared == 0 {
                0
            } else {
                dense(size * shared) + gate
            };
            hidden * count + count * products * hidden * size + beside
        }
    }
}

/// Bits of keys and values that so many sequences of `context` tokens keep: of each layer 2 · heads
/// of keys · size of a head, of latent attention rank + rotary size, for each token that its window
/// leaves.
#[must_use]
pub fn cache_bits(of: &Transformer, (batch, context): (u64, u64), bits: u64) -> u128 {
    let kept = (0..of.layers).map(|layer| of.window_of(layer).unwrap_or(context).min(context));
    let tokens: u128 = kept.map(u128::from).sum();
    tokens * u128::from(of.cached()) * u128::from(batch) * u128::from(bits)
}

/// Floating point operations of the products of a forward pass over `batch` sequences, a
/// multiplication and an addition each, the logits with them: of each layer 24bsh² + 4bs²h where
/// the feed-forward part has 4h elements, of the logits 2bshv (Megatron-LM, section 5.1 of
/// Narayanan et al. 2021). Those of an image's patches and classes are among them.
#[must_use]
pub fn forward_flops(of: &Transformer, execution: &Execution) -> u128 {
    let (sequence, context) = execution.mode.tokens();
    let batch = u128::from(execution.batch);
    let rows = batch * u128::from(sequence);
    let hidden = u128::from(of.hidden);
    let layers = (0..of.layers).map(|layer| {
        let seen = match (execution.mode.keeps(), of.window_of(layer)) {
            (true, Some(window)) => window.min(context),
            _ => context,
        };
        let pairs = rows * u128::from(seen);
        products(of, layer) * rows + pairs * scored(of)
    });
    let told = match execution.mode {
        Mode::Forward(_) => rows,
        Mode::Prefill(_) | Mode::Decode(_) => batch,
    };
    let head = if of.decoder {
        told * hidden * u128::from(of.vocabulary)
    } else {
        0
    };
    let images = of.patches.map_or(0, |it| {
        let each = u128::from(it.tokens() - 1) * pixels(it) + u128::from(it.classes);
        batch * hidden * each
    });
    2 * (layers.sum::<u128>() + head + images)
}

/// Multiplications of the two products of a pair of tokens in a layer.
fn scored(of: &Transformer) -> u128 {
    let values = match of.latent {
        Some(latent) => of.heads * latent.value_size,
        None => of.heads * of.head_size,
    };
    u128::from(of.query_size()) + u128::from(values)
}

/// Multiplications of a token's products with weights in a layer.
fn products(of: &Transformer, layer: u64) -> u128 {
    let hidden = u128::from(of.hidden);
    let part = if of.feed_forward.gated { 3 } else { 2 } * hidden;
    let fed = match of.experts_of(layer) {
        None => part * u128::from(of.feed_forward.size),
        Some(experts) => {
            let taken = u128::from(experts.active + experts.shared) * u128::from(experts.size);
            let gated = experts.shared > 0 && experts.shared_gate;
            hidden * (u128::from(experts.count) + u128::from(gated)) + part * taken
        }
    };
    attention_products(of) + fed
}

/// The same of attention alone. The keys and values of latent attention are made anew of all that
/// is kept, which is not counted here for tokens that were there before.
fn attention_products(of: &Transformer) -> u128 {
    let plain = Transformer {
        attention_bias: false,
        bias: false,
        head_norm: false,
        ..of.clone()
    };
    let latent = of.latent.map_or(0, |it| {
        norm(of, it.key_value_rank) + it.query_rank.map_or(0, |rank| norm(of, rank))
    });
    attention(&plain) - latent
}

/// Bytes that a layer of the classic form keeps for its backward pass with `s` tokens of `b`
/// sequences: sbh(34 + 5as/h), in 16 bits, with masks of a byte, its scores written out, and
/// without the means and deviations of its normalisations (Korthikanti et al. 2022, equation 1).
#[must_use]
pub fn activations_16_bit((s, b, h, a): (u64, u64, u64, u64)) -> u128 {
    let [s, b, h, a] = [s, b, h, a].map(u128::from);
    34 * s * b * h + 5 * a * s * s * b
}
