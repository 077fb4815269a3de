//! A transformer from its tokens to its logits.

use super::attention::attention;
use super::builder::{Builder, whole};
use super::feed_forward::feed_forward;
use super::latent::latent_attention;
use super::transformer::{
    AttentionForm, Execution, Mode, NoTransformer, Norm, NormPlace, Parallel, Positions,
    Transformer,
};
use crate::graph::{Attribute, DType, Dim, Graph, Role, SymbolId, TensorId};
use crate::operators::Operator;

/// The name of the number of sequences, as people bind it.
pub const BATCH: &str = "batch";
/// Of the number of tokens that are computed of each.
pub const SEQUENCE: &str = "sequence";
/// Of the number of tokens whose keys and values are kept.
pub const CONTEXT: &str = "context";

/// The symbolic dimensions.
#[derive(Clone, Copy)]
pub(super) struct Tokens {
    pub(super) batch: SymbolId,
    pub(super) sequence: SymbolId,
    /// That of the sequence where nothing is kept.
    pub(super) context: SymbolId,
}

/// What all layers read.
pub(super) struct Model<'a> {
    pub(super) description: &'a Transformer,
    pub(super) execution: &'a Execution,
    pub(super) tokens: Tokens,
    /// The place of each token.
    pub(super) positions: TensorId,
    /// Where new keys and values are put, where they are kept.
    pub(super) places: Option<TensorId>,
    /// Cosines and sines of rotary positions, where they are.
    pub(super) rotary: Option<[TensorId; 2]>,
    /// What hides tokens from others: of all layers, and of those with a window.
    masks: [Option<TensorId>; 2],
}

/// The graph of `description` as `execution` has it. Its dimensions [`BATCH`], [`SEQUENCE`] and,
/// where keys and values are kept, [`CONTEXT`] are symbols. Weights and the cache have no elements.
///
/// # Errors
/// [`NoTransformer`] where the figures of the description do not go together.
pub fn graph(description: &Transformer, execution: &Execution) -> Result<Graph, NoTransformer> {
    description.check()?;
    execution.check(description)?;
    let mut it = Builder::new(&description.name, execution.activations, execution.weights);
    let (sequence, context) = execution.mode.tokens();
    let batch = it.symbol(BATCH, execution.batch);
    let sequence = it.symbol(SEQUENCE, sequence);
    let context = match execution.mode.keeps() {
        true => it.symbol(CONTEXT, context),
        false => sequence,
    };
    let tokens = Tokens {
        batch,
        sequence,
        context,
    };
    let by_token = vec![Dim::Symbol(batch), Dim::Symbol(sequence)];
    let ids = it.input("tokens", DType::I64, by_token);
    let model = Model::new(&mut it, description, execution, tokens);
    let mut hidden = model.embedded(&mut it, ids);
    for layer in 0..description.layers {
        hidden = it.within(format!("layers.{layer}"), |it| {
            model.layer(it, hidden, layer)
        });
    }
    let result = model.result(&mut it, hidden);
    it.graph.tensors[result.index()].role = Role::Output;
    it.graph.outputs.push(result);
    Ok(it.graph)
}

impl<'a> Model<'a> {
    fn new(
        it: &mut Builder,
        description: &'a Transformer,
        execution: &'a Execution,
        tokens: Tokens,
    ) -> Self {
        let [batch, sequence] = [tokens.batch, tokens.sequence].map(Dim::Symbol);
        let positions = it.input("positions", DType::I64, vec![batch, sequence]);
        let keeps = execution.mode.keeps();
        let places = keeps.then(|| it.input("cache.places", DType::I64, vec![batch]));
        let rotary = match description.positions {
            Positions::Learned(_) => None,
            Positions::Rotary => {
                let dims = [execution.mode.tokens().1, description.turned_size() / 2];
                Some(["rotary.cosines", "rotary.sines"].map(|name| it.table(name, &dims)))
            }
        };
        // A decoder without a cache that runs as one operator hides them by itself.
        let written = execution.attention == AttentionForm::Written;
        let hides = keeps || description.decoder && written;
        let context = tokens.context;
        let mut mask =
            |name: &str, seen: Dim| it.input(name, execution.activations, vec![sequence, seen]);
        let masks = [
            hides.then(|| mask("mask", Dim::Symbol(context))),
            description.window.filter(|_| hides).map(|window| {
                let seen = match keeps {
                    true => Dim::AtMost(context, window.tokens),
                    false => Dim::Symbol(context),
                };
                mask("mask.window", seen)
            }),
        ];
        Self {
            description,
            execution,
            tokens,
            positions,
            places,
            rotary,
            masks,
        }
    }

    /// What hides tokens from others in a layer.
    pub(super) fn mask(&self, layer: u64) -> Option<TensorId> {
        let windowed = self.description.window_of(layer).is_some();
        self.masks[usize::from(windowed)]
    }

    /// Whether elements are dropped.
    pub(super) fn drops(&self) -> bool {
        self.description.dropout && !self.execution.mode.keeps()
    }

    /// Values normalised over their last dimension, which has so many elements.
    pub(super) fn normalised(
        &self,
        it: &mut Builder,
        name: &str,
        of: TensorId,
        size: u64,
    ) -> TensorId {
        it.within(name.to_owned(), |it| {
            let weight = it.weight("weight", &[size]);
            let axis = [("axis", Attribute::Int(-1))];
            match self.description.norm {
                Norm::Rms => it.op(Operator::RMSNormalization, "norm", &[of, weight], &axis),
                Norm::Layer => {
                    let bias = it.weight("bias", &[size]);
                    it.op(
                        Operator::LayerNormalization,
                        "norm",
                        &[of, weight, bias],
                        &axis,
                    )
                }
            }
        })
    }

    /// The tokens as rows of a table, with those of their places.
    fn embedded(&self, it: &mut Builder, ids: TensorId) -> TensorId {
        let own = self.description;
        let table = it.weight("embedding.weight", &[own.vocabulary, own.hidden]);
        let rows = it.op(Operator::Gather, "embedding", &[table, ids], &[]);
        let rows = match own.positions {
            Positions::Rotary => rows,
            Positions::Learned(places) => {
                let table = it.weight("embedding.positions.weight", &[places, own.hidden]);
                let at = [table, self.positions];
                let places = it.op(Operator::Gather, "embedding.positions", &at, &[]);
                it.op(Operator::Add, "embedding.sum", &[rows, places], &[])
            }
        };
        let rows = match own.norm_place {
            NormPlace::After => self.normalised(it, "embedding.norm", rows, own.hidden),
            NormPlace::Before | NormPlace::Both => rows,
        };
        it.dropped("embedding.dropout", rows, self.drops())
    }

    fn layer(&self, it: &mut Builder, of: TensorId, layer: u64) -> TensorId {
        let attention = |it: &mut Builder, of| match self.description.latent {
            Some(latent) => latent_attention(it, self, &latent, of, layer),
            None => attention(it, self, of, layer),
        };
        let feed_forward = |it: &mut Builder, of| feed_forward(it, self, of, layer);
        let own = match self.description.parallel {
            Parallel::No => {
                let attended = self.part(it, "attention", of, &attention);
                return self.part(it, "feed_forward", attended, &feed_forward);
            }
            Parallel::OwnNorms => true,
            Parallel::SharedNorm => false,
        };
        let hidden = self.description.hidden;
        let read = self.normalised(it, "attention.norm", of, hidden);
        let attended = it.within("attention".to_owned(), |it| attention(it, read));
        let read = match own {
            true => self.normalised(it, "feed_forward.norm", of, hidden),
            false => read,
        };
        let fed = it.within("feed_forward".to_owned(), |it| feed_forward(it, read));
        let both = it.op(Operator::Add, "parts", &[attended, fed], &[]);
        let both = it.dropped("dropout", both, self.drops());
        it.op(Operator::Add, "residual", &[of, both], &[])
    }

    /// What a part makes of tokens is added to them.
    fn part(
        &self,
        it: &mut Builder,
        name: &str,
        of: TensorId,
        write: &dyn Fn(&mut Builder, TensorId) -> TensorId,
    ) -> TensorId {
        let (hidden, place) = (self.description.hidden, self.description.norm_place);
        let norm = format!("{name}.norm");
        let read = match place {
            NormPlace::After => of,
            NormPlace::Before | NormPlace::Both => self.normalised(it, &norm, of, hidden),
        };
        let made = it.within(name.to_owned(), |it| write(it, read));
        let made = match place {
            NormPlace::Both => self.normalised(it, &format!("{name}.norm_after"), made, hidden),
            NormPlace::Before | NormPlace::After => made,
        };
        let made = it.dropped(&format!("{name}.dropout"), made, self.drops());
        let sum = it.op(Operator::Add, &format!("{name}.residual"), &[of, made], &[]);
        match place {
            NormPlace::After => self.normalised(it, &norm, sum, hidden),
            NormPlace::Before | NormPlace::Both => sum,
        }
    }

    /// The logits: of every token, or of the last one where a sequence is gone on with. An encoder
    /// gives its tokens.
    fn result(&self, it: &mut Builder, of: TensorId) -> TensorId {
        let own = self.description;
        let last = match own.norm_place {
            NormPlace::After => of,
            NormPlace::Before | NormPlace::Both => self.normalised(it, "norm", of, own.hidden),
        };
        if !own.decoder {
            return last;
        }
        let rows = match self.execution.mode {
            Mode::Forward(_) => it.reshaped("head.rows", last, &[-1, whole(own.hidden)]),
            Mode::Prefill(_) | Mode::Decode(_) => {
                let end = it.integers("head.last", &[-1]);
                let axis = [("axis", Attribute::Int(1))];
                let last = it.op(Operator::Gather, "head.token", &[last, end], &axis);
                it.reshaped("head.rows", last, &[-1, whole(own.hidden)])
            }
        };
        let product = match own.tied {
            false => it.linear("head", rows, (own.hidden, own.vocabulary), false),
            true => {
                let table = it.named("embedding.weight");
                let turned = [("transB", Attribute::Int(1))];
                it.op(Operator::Gemm, "head.tied", &[rows, table], &turned)
            }
        };
        match own.head_bias {
            false => product,
            true => {
                let bias = it.weight("head.bias", &[own.vocabulary]);
                it.op(Operator::Add, "logits", &[product, bias], &[])
            }
        }
    }
}
