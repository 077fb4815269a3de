//! Attention: queries, keys and values of all heads, and what each token takes of the others.

use super::builder::{Builder, whole};
use super::execution::AttentionForm;
use super::model::Model;
use crate::graph::{Attribute, Dim, TensorId};
use crate::operators::Operator;

/// The attention of a layer over tokens of (b, s, h), without what is added afterwards.
pub(super) fn attention(it: &mut Builder, model: &Model<'_>, of: TensorId, layer: u64) -> TensorId {
    let description = model.description;
    let (heads, groups) = (description.heads, description.key_value_heads);
    let size = description.head_size;
    let bias = description.attention_bias;
    let mut projected =
        |name: &str, heads: u64| it.linear(name, of, (description.hidden, heads * size), bias);
    let queries = projected("query", heads);
    let keys = projected("key", groups);
    let values = projected("value", groups);
    let queries = model.by_head(it, "query.head", queries, heads);
    let keys = model.by_head(it, "key.head", keys, groups);
    let queries = model.turned(it, "query.rotary", queries, heads);
    let keys = model.turned(it, "key.rotary", keys, groups);
    let keys = model.cached(it, "key", keys, groups * size, layer);
    let values = model.cached(it, "value", values, groups * size, layer);
    let seen = match model.execution.attention {
        AttentionForm::Fused => {
            let heads = [heads, groups].map(whole);
            model.fused(it, [queries, keys, values], heads, layer)
        }
        AttentionForm::Written => written(it, model, [queries, keys, values], layer),
    };
    it.linear(
        "output",
        seen,
        (heads * size, description.hidden),
        description.bias,
    )
}

/// Attention written out, with the scores of all pairs of tokens. Queries that share keys stand in a dimension of
/// their own, so that no key is copied for them.
fn written(
    it: &mut Builder,
    model: &Model<'_>,
    [queries, keys, values]: [TensorId; 3],
    layer: u64,
) -> TensorId {
    let description = model.description;
    let [groups, size] = [description.key_value_heads, description.head_size].map(whole);
    let each = whole(description.heads) / groups;
    let queries = it.reshaped("query.heads", queries, &[0, 0, groups, each, size]);
    let queries = it.transposed("query.by_head", queries, &[0, 2, 3, 1, 4]);
    let split = |it: &mut Builder, name: &str, of: TensorId, order: [i64; 5]| {
        let heads = it.reshaped(&format!("{name}.heads"), of, &[0, 0, groups, 1, size]);
        it.transposed(&format!("{name}.by_head"), heads, &order)
    };
    let keys = split(it, "key", keys, [0, 2, 3, 4, 1]);
    let values = split(it, "value", values, [0, 2, 3, 1, 4]);
    let scores = it.op(Operator::MatMul, "scores", &[queries, keys], &[]);
    let weights = model.weighed(it, scores, layer);
    let seen = it.op(Operator::MatMul, "context", &[weights, values], &[]);
    let by_token = it.transposed("context.by_token", seen, &[0, 3, 1, 2, 4]);
    it.reshaped("context.joined", by_token, &[0, 0, groups * each * size])
}

impl Model<'_> {
    /// One operator for so many heads of queries and of keys, which keeps no scores.
    pub(super) fn fused(
        &self,
        it: &mut Builder,
        of: [TensorId; 3],
        [heads, groups]: [i64; 2],
        layer: u64,
    ) -> TensorId {
        let keeps = self.execution.mode.keeps();
        let causal = i64::from(self.description.decoder && !keeps);
        let attributes = [
            ("q_num_heads", Attribute::Int(heads)),
            ("kv_num_heads", Attribute::Int(groups)),
            ("is_causal", Attribute::Int(causal)),
        ];
        let mask = self.mask(layer).filter(|_| keeps);
        let inputs: Vec<TensorId> = of.into_iter().chain(mask).collect();
        it.op(Operator::Attention, "context", &inputs, &attributes)
    }

    /// What each token takes of each other one, by their scores.
    pub(super) fn weighed(&self, it: &mut Builder, scores: TensorId, layer: u64) -> TensorId {
        let size = self.description.query_size() / self.description.heads.max(1);
        let scale = it.root("scale", size);
        let scaled = it.op(Operator::Mul, "scores.scaled", &[scores, scale], &[]);
        let masked = match self.mask(layer) {
            Some(mask) => it.op(Operator::Add, "scores.masked", &[scaled, mask], &[]),
            None => scaled,
        };
        let axis = [("axis", Attribute::Int(-1))];
        let weights = it.op(Operator::Softmax, "probabilities", &[masked], &axis);
        it.dropped("probabilities.dropout", weights, self.drops())
    }

    /// Queries or keys whose heads are normalised, each by itself, where the model does so.
    fn by_head(&self, it: &mut Builder, name: &str, of: TensorId, heads: u64) -> TensorId {
        if !self.description.head_norm {
            return of;
        }
        let size = self.description.head_size;
        let split = [0, 0, whole(heads), whole(size)];
        let each = it.reshaped(&format!("{name}.split"), of, &split);
        let each = self.normalised(it, &format!("{name}.norm"), each, size);
        it.reshaped(
            &format!("{name}.joined"),
            each,
            &[0, 0, whole(heads * size)],
        )
    }

    /// Queries or keys with the place of each token turned in, where the model does so.
    pub(super) fn turned(
        &self,
        it: &mut Builder,
        name: &str,
        of: TensorId,
        heads: u64,
    ) -> TensorId {
        let Some([cosines, sines, positions]) = self.rotary else {
            return of;
        };
        let heads = [("num_heads", Attribute::Int(whole(heads)))];
        let inputs = [of, cosines, sines, positions];
        it.op(Operator::RotaryEmbedding, name, &inputs, &heads)
    }

    /// New rows of so many elements put beside those that are kept: all of them, as (b, c, size);
    /// without a cache they are all there are.
    pub(super) fn cached(
        &self,
        it: &mut Builder,
        name: &str,
        new: TensorId,
        size: u64,
        layer: u64,
    ) -> TensorId {
        let (Some(places), Some(context)) = (self.places, self.tokens.context) else {
            return new;
        };
        let context = match self.description.window_of(layer) {
            Some(window) => Dim::AtMost(context, window),
            None => Dim::Symbol(context),
        };
        let shape = vec![self.tokens.batch, context, Dim::Fixed(size)];
        it.within("cache".to_owned(), |it| {
            let kept = it.state(name, self.execution.cache, shape);
            let axis = [("axis", Attribute::Int(1))];
            let place = [kept, new, places];
            it.run(
                Operator::TensorScatter,
                &format!("{name}.write"),
                &place,
                &axis,
                vec![None],
            );
            kept
        })
    }
}
