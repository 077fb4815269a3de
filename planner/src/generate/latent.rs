//! Attention whose keys and values are kept compressed (multi-head latent attention; DeepSeek-V2,
//! section 2.1).

use super::builder::{Builder, whole};
use super::execution::AttentionForm;
use super::model::Model;
use super::transformer::Latent;
use crate::graph::{Attribute, TensorId};
use crate::operators::Operator;

/// The attention of a layer over tokens of (b, s, h), without what is added afterwards.
pub(super) fn latent_attention(
    it: &mut Builder,
    model: &Model<'_>,
    own: &Latent,
    of: TensorId,
    layer: u64,
) -> TensorId {
    let (hidden, heads) = (model.description.hidden, model.description.heads);
    let query_size = own.plain_size + own.rotary_size;
    let (from, rank) = match own.query_rank {
        None => (of, hidden),
        Some(rank) => {
            let down = it.linear("query.down", of, (hidden, rank), false);
            (model.normalised(it, "query.norm", down, rank), rank)
        }
    };
    let queries = it.linear("query", from, (rank, heads * query_size), false);
    let down = (hidden, own.key_value_rank + own.rotary_size);
    let down = it.linear("key_value.down", of, down, false);
    let sizes = [own.key_value_rank, own.rotary_size];
    let [latent, turned] = it.split(("latent", "key.plain_rotary"), down, sizes);
    let latent = model.normalised(it, "latent.norm", latent, own.key_value_rank);
    let turned = model.turned(it, "key.rotary", turned, 1);
    let latent = model.cached(it, "latent", latent, own.key_value_rank, layer);
    let turned = model.cached(it, "rotary", turned, own.rotary_size, layer);
    let up = (
        own.key_value_rank,
        heads * (own.plain_size + own.value_size),
    );
    let both = it.linear("key_value", latent, up, false);
    let parts = [own.plain_size, own.value_size];
    let both = it.reshaped(
        "key_value.heads",
        both,
        &[0, 0, whole(heads), whole(parts[0] + parts[1])],
    );
    let [keys, values] = it.split(("key", "value"), both, parts);
    let parts = [own.plain_size, own.rotary_size];
    let queries = it.reshaped(
        "query.heads",
        queries,
        &[0, 0, whole(heads), whole(query_size)],
    );
    let [queries, rotary] = it.split(("query.plain", "query.plain_rotary"), queries, parts);
    let rotary = it.reshaped(
        "query.rotary.flat",
        rotary,
        &[0, 0, whole(heads * own.rotary_size)],
    );
    let rotary = model.turned(it, "query.rotary", rotary, heads);
    let of = Parts {
        queries: [queries, rotary],
        keys: [keys, turned],
        values,
    };
    let seen = match model.execution.attention {
        AttentionForm::Written => written(it, model, own, &of, layer),
        AttentionForm::Fused => fused(it, model, own, &of, layer),
    };
    it.linear("output", seen, (heads * own.value_size, hidden), false)
}

/// Queries and keys as what is turned and what is not; values.
struct Parts {
    queries: [TensorId; 2],
    keys: [TensorId; 2],
    values: TensorId,
}

/// With the scores of all pairs of tokens: those of both parts are added.
fn written(it: &mut Builder, model: &Model<'_>, own: &Latent, of: &Parts, layer: u64) -> TensorId {
    let heads = whole(model.description.heads);
    let rotary = whole(own.rotary_size);
    let [plain, turned] = of.queries;
    let plain = it.transposed("query.by_head", plain, &[0, 2, 1, 3]);
    let turned = it.reshaped("query.rotary.heads", turned, &[0, 0, heads, rotary]);
    let turned = it.transposed("query.rotary.by_head", turned, &[0, 2, 1, 3]);
    let keys = it.transposed("key.by_head", of.keys[0], &[0, 2, 3, 1]);
    let shared = it.reshaped("key.rotary.heads", of.keys[1], &[0, 0, 1, rotary]);
    let shared = it.transposed("key.rotary.by_head", shared, &[0, 2, 3, 1]);
    let values = it.transposed("value.by_head", of.values, &[0, 2, 1, 3]);
    let one = it.op(Operator::MatMul, "scores.plain", &[plain, keys], &[]);
    let other = it.op(Operator::MatMul, "scores.rotary", &[turned, shared], &[]);
    let scores = it.op(Operator::Add, "scores", &[one, other], &[]);
    let weights = model.weighed(it, scores, layer);
    let seen = it.op(Operator::MatMul, "context", &[weights, values], &[]);
    let by_token = it.transposed("context.by_token", seen, &[0, 2, 1, 3]);
    it.reshaped(
        "context.joined",
        by_token,
        &[0, 0, heads * whole(own.value_size)],
    )
}

/// As one operator, which wants whole queries and keys: the shared part is copied for each head.
fn fused(it: &mut Builder, model: &Model<'_>, own: &Latent, of: &Parts, layer: u64) -> TensorId {
    let heads = whole(model.description.heads);
    let rotary = whole(own.rotary_size);
    let size = whole(own.plain_size + own.rotary_size);
    let last = [("axis", Attribute::Int(-1))];
    let turned = it.reshaped("query.rotary.heads", of.queries[1], &[0, 0, heads, rotary]);
    let queries = it.op(
        Operator::Concat,
        "query.whole",
        &[of.queries[0], turned],
        &last,
    );
    let queries = it.reshaped("query.joined", queries, &[0, 0, heads * size]);
    let shared = it.reshaped("key.rotary.heads", of.keys[1], &[0, 0, 1, rotary]);
    let each = it.integers("key.rotary.each", &[1, 1, heads, rotary]);
    let shared = it.op(Operator::Expand, "key.rotary.copied", &[shared, each], &[]);
    let keys = it.op(Operator::Concat, "key.whole", &[of.keys[0], shared], &last);
    let keys = it.reshaped("key.joined", keys, &[0, 0, heads * size]);
    let values = it.reshaped(
        "value.joined",
        of.values,
        &[0, 0, heads * whole(own.value_size)],
    );
    model.fused(it, [queries, keys, values], [heads, heads], layer)
}
