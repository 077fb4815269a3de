//! A transformer from its tokens to its logits.

use super::attention::attention;
use super::builder::{Builder, whole};
use super::execution::{AttentionForm, Execution, Mode};
use super::feed_forward::feed_forward;
use super::latent::latent_attention;
use super::transformer::{
    NoTransformer, Norm, NormPlace, Parallel, Patches, Positions, Transformer,
};
use crate::graph::{Attribute, DType, Dim, Graph, Role, SymbolId, TensorId};
use crate::operators::Operator;

/// The name of the number of sequences, as people bind it.
pub const BATCH: &str = "batch";
/// Of the number of tokens that are computed of each.
pub const SEQUENCE: &str = "sequence";
/// Of the number of tokens whose keys and values are kept.
pub const CONTEXT: &str = "context";

/// How many there are of what is computed at once.
#[derive(Clone, Copy)]
pub(super) struct Tokens {
    pub(super) batch: Dim,
    /// An image has as many as it has.
    pub(super) sequence: Dim,
    /// Where keys and values are kept.
    pub(super) context: Option<SymbolId>,
}

/// What all layers read.
pub(super) struct Model<'a> {
    pub(super) description: &'a Transformer,
    pub(super) execution: &'a Execution,
    pub(super) tokens: Tokens,
    /// The place of each token; those of an image are in order.
    positions: Option<TensorId>,
    /// Where new keys and values are put, where they are kept.
    pub(super) places: Option<TensorId>,
    /// Cosines and sines of rotary positions, and the place of each token, where they are.
    pub(super) rotary: Option<[TensorId; 3]>,
    /// What hides tokens from others: of all layers, and of those with a window.
    masks: [Option<TensorId>; 2],
}

/// The graph of `description` as `execution` has it. Its dimensions [`BATCH`] and [`SEQUENCE`], or
/// [`CONTEXT`] where one token is written, are symbols. Weights and the cache have no elements.
///
/// # Errors
/// [`NoTransformer`] where the figures of the description do not go together.
pub fn graph(description: &Transformer, execution: &Execution) -> Result<Graph, NoTransformer> {
    description.check()?;
    execution.check(description)?;
    let mut it = Builder::new(&description.name, execution.activations, execution.weights);
    let (sequence, context) = execution.mode.tokens();
    let batch = Dim::Symbol(it.symbol(BATCH, execution.batch));
    // What is read is all that is kept; what is written is one token.
    let (sequence, context) = match (description.patches, execution.mode) {
        (Some(_), _) => (Dim::Fixed(sequence), None),
        (None, Mode::Forward(_)) => (Dim::Symbol(it.symbol(SEQUENCE, sequence)), None),
        (None, Mode::Prefill(_)) => {
            let symbol = it.symbol(SEQUENCE, sequence);
            (Dim::Symbol(symbol), Some(symbol))
        }
        (None, Mode::Decode(_)) => (Dim::Fixed(1), Some(it.symbol(CONTEXT, context))),
    };
    let tokens = Tokens {
        batch,
        sequence,
        context,
    };
    let (model, mut hidden) = match description.patches {
        None => {
            let ids = it.input("tokens", DType::I64, vec![batch, sequence]);
            let model = Model::new(&mut it, description, execution, tokens);
            let rows = model.embedded(&mut it, ids);
            (model, rows)
        }
        Some(patches) => {
            let [side, channels] = [patches.image, patches.channels].map(Dim::Fixed);
            let image = it.input(
                "image",
                execution.activations,
                vec![batch, channels, side, side],
            );
            let model = Model::new(&mut it, description, execution, tokens);
            let rows = model.patched(&mut it, patches, image);
            (model, rows)
        }
    };
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
        let Tokens {
            batch,
            sequence,
            context,
        } = tokens;
        let told = description.patches.is_none();
        let positions = told.then(|| it.input("positions", DType::I64, vec![batch, sequence]));
        let keeps = execution.mode.keeps();
        let places = keeps.then(|| it.input("cache.places", DType::I64, vec![batch]));
        let rotary = match (description.positions, positions) {
            (Positions::Rotary, Some(positions)) => {
                let dims = [execution.mode.tokens().1, description.turned_size() / 2];
                let [cosines, sines] =
                    ["rotary.cosines", "rotary.sines"].map(|name| it.table(name, &dims));
                Some([cosines, sines, positions])
            }
            _ => None,
        };
        // A decoder without a cache that runs as one operator hides them by itself.
        let written = execution.attention == AttentionForm::Written;
        let hides = keeps || description.decoder && written;
        let mut mask =
            |name: &str, seen: Dim| it.input(name, execution.activations, vec![sequence, seen]);
        let masks = [
            hides.then(|| mask("mask", context.map_or(sequence, Dim::Symbol))),
            description.window.filter(|_| hides).map(|window| {
                let seen = |context| Dim::AtMost(context, window.tokens);
                mask("mask.window", context.map_or(sequence, seen))
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
        let rows = it.computed("embedding.computed", rows);
        let rows = match (own.positions, self.positions) {
            (Positions::Rotary, _) | (_, None) => rows,
            (Positions::Learned(places), Some(positions)) => {
                let table = it.weight("embedding.positions.weight", &[places, own.hidden]);
                let at = [table, positions];
                let places = it.op(Operator::Gather, "embedding.positions", &at, &[]);
                let places = it.computed("embedding.positions.computed", places);
                it.op(Operator::Add, "embedding.sum", &[rows, places], &[])
            }
        };
        self.begun(it, rows)
    }

    /// The patches of images as rows, one that is learned before them, with those of their places
    /// (Dosovitskiy et al. 2021, equation 1).
    fn patched(&self, it: &mut Builder, patches: Patches, image: TensorId) -> TensorId {
        let hidden = self.description.hidden;
        let Patches { size, channels, .. } = patches;
        let kernel = it.weight("embedding.weight", &[hidden, channels, size, size]);
        let bias = it.weight("embedding.bias", &[hidden]);
        let square = Attribute::Ints(vec![whole(size); 2]);
        let shape = [("kernel_shape", square.clone()), ("strides", square)];
        let rows = it.op(Operator::Conv, "embedding", &[image, kernel, bias], &shape);
        let rows = it.reshaped("embedding.rows", rows, &[0, whole(hidden), -1]);
        let rows = it.transposed("embedding.turned", rows, &[0, 2, 1]);
        let one = it.weight("embedding.class.weight", &[1, 1, hidden]);
        let each = it.expanded("embedding.class", one, image, &[1, whole(hidden)]);
        let each = it.computed("embedding.class.computed", each);
        let axis = [("axis", Attribute::Int(1))];
        let rows = it.op(Operator::Concat, "embedding.all", &[each, rows], &axis);
        let places = it.weight("embedding.positions.weight", &[patches.tokens(), hidden]);
        let rows = it.op(Operator::Add, "embedding.sum", &[rows, places], &[]);
        self.begun(it, rows)
    }

    /// The rows that the first layer reads.
    fn begun(&self, it: &mut Builder, rows: TensorId) -> TensorId {
        let own = self.description;
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
    /// gives its tokens, or of an image the logits of its classes.
    fn result(&self, it: &mut Builder, of: TensorId) -> TensorId {
        let own = self.description;
        let last = match own.norm_place {
            NormPlace::After => of,
            NormPlace::Before | NormPlace::Both => self.normalised(it, "norm", of, own.hidden),
        };
        if !own.decoder {
            return self.classes(it, last);
        }
        let rows = match self.execution.mode {
            Mode::Forward(_) => it.reshaped("head.rows", last, &[-1, whole(own.hidden)]),
            Mode::Prefill(_) | Mode::Decode(_) => self.token(it, last, -1),
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

    /// What stands at a place of each sequence, in rows.
    fn token(&self, it: &mut Builder, of: TensorId, place: i64) -> TensorId {
        let place = it.integers("head.place", &[place]);
        let axis = [("axis", Attribute::Int(1))];
        let token = it.op(Operator::Gather, "head.token", &[of, place], &axis);
        it.reshaped("head.rows", token, &[-1, whole(self.description.hidden)])
    }

    /// The logits of an image's classes, where it is sorted into some.
    fn classes(&self, it: &mut Builder, of: TensorId) -> TensorId {
        let classes = self.description.patches.map_or(0, |it| it.classes);
        if classes == 0 {
            return of;
        }
        let first = self.token(it, of, 0);
        it.linear("head", first, (self.description.hidden, classes), true)
    }
}
