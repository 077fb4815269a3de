//! What a transformer is: the figures that its authors publish.

use serde::{Deserialize, Serialize};

use crate::{Message, impl_message, message};

/// No figure of a description is larger.
pub const MOST: u64 = 1 << 24;
/// The most layers.
pub const MOST_LAYERS: u64 = 1 << 10;

/// A transformer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transformer {
    /// What people call it.
    #[serde(default)]
    pub name: String,
    /// Whether each token sees only those before it; otherwise it sees all.
    #[serde(default = "yes")]
    pub decoder: bool,
    /// Number of layers, L.
    pub layers: u64,
    /// Elements of a token between layers, h.
    pub hidden: u64,
    /// Heads of the queries, a.
    pub heads: u64,
    /// Heads of keys and values; each serves as many query heads as there are to one of them.
    pub key_value_heads: u64,
    /// Elements of a head.
    pub head_size: u64,
    /// The feed-forward part of a layer.
    pub feed_forward: FeedForward,
    /// How values are normalised.
    #[serde(default)]
    pub norm: Norm,
    /// Where they are normalised.
    #[serde(default)]
    pub norm_place: NormPlace,
    /// Whether both parts of a layer read the same tokens.
    #[serde(default)]
    pub parallel: Parallel,
    /// Whether the heads of queries and keys are normalised, each by itself.
    #[serde(default)]
    pub head_norm: bool,
    /// How the place of a token is told.
    #[serde(default)]
    pub positions: Positions,
    /// Number of different tokens, v; none where it reads images.
    #[serde(default)]
    pub vocabulary: u64,
    /// It reads images instead of tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patches: Option<Patches>,
    /// Whether the logits come from the table of tokens, so that it is there once.
    #[serde(default)]
    pub tied: bool,
    /// Whether queries, keys and values have biases.
    #[serde(default)]
    pub attention_bias: bool,
    /// Whether the products after attention and in the feed-forward part have them.
    #[serde(default)]
    pub bias: bool,
    /// Whether the logits have biases.
    #[serde(default)]
    pub head_bias: bool,
    /// Whether training drops elements: of the scores, and after both parts of a layer.
    #[serde(default)]
    pub dropout: bool,
    /// Several feed-forward parts, of which each token takes some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub experts: Option<Experts>,
    /// Layers that see only the last tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<Window>,
    /// Keys and values that are kept compressed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latent: Option<Latent>,
}

/// A square image, cut into square patches; each is a token, and a learned one stands for all of
/// them (Dosovitskiy et al. 2021, section 3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Patches {
    /// Pixels of a side of the image.
    pub image: u64,
    /// Pixels of a side of a patch.
    pub size: u64,
    /// Numbers of a pixel.
    pub channels: u64,
    /// Classes that the first token is sorted into; 0 where all tokens are the result.
    #[serde(default)]
    pub classes: u64,
}

impl Patches {
    /// Patches of a side; what is left over at the edge is not read.
    #[must_use]
    pub fn side(self) -> u64 {
        self.image / self.size.max(1)
    }

    /// Tokens of an image.
    #[must_use]
    pub fn tokens(self) -> u64 {
        self.side().saturating_mul(self.side()).saturating_add(1)
    }
}

/// The feed-forward part of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FeedForward {
    /// Elements of a token inside.
    pub size: u64,
    /// Whether a second product gates the first.
    #[serde(default)]
    pub gated: bool,
    /// The function between the products.
    #[serde(default)]
    pub activation: Activation,
}

/// The function inside a feed-forward part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Activation {
    /// `x Φ(x)`.
    #[default]
    Gelu,
    /// `x sigmoid(x)`.
    Silu,
    /// `max(x, 0)`.
    Relu,
}

/// How values are normalised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Norm {
    /// By mean and deviation, with weight and bias.
    #[default]
    Layer,
    /// By the root of the mean square, with a weight.
    Rms,
}

/// Where a part of a layer normalises.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NormPlace {
    /// What it reads; the last layer's result once more.
    #[default]
    Before,
    /// The sum that it makes.
    After,
    /// What it reads, and what it adds.
    Both,
}

/// Whether both parts of a layer read the same tokens, instead of one after the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Parallel {
    /// One after the other.
    #[default]
    No,
    /// Both, each with a normalisation of its own.
    OwnNorms,
    /// Both, after one normalisation.
    SharedNorm,
}

/// How the place of a token is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Positions {
    /// A table of so many places is added to the tokens.
    Learned(u64),
    /// Queries and keys are turned.
    #[default]
    Rotary,
}

/// A layer with several feed-forward parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experts {
    /// How many there are.
    pub count: u64,
    /// How many each token takes.
    pub active: u64,
    /// How many every token takes beside these.
    #[serde(default)]
    pub shared: u64,
    /// Whether a sigmoid says of each token how much of these it takes.
    #[serde(default)]
    pub shared_gate: bool,
    /// Elements of a token inside one of them.
    pub size: u64,
    /// How many of the first layers have one part as others do.
    #[serde(default)]
    pub dense_layers: u64,
}

/// Layers that see only the last tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Window {
    /// So many of them, the token itself included.
    pub tokens: u64,
    /// Which layers do.
    #[serde(default)]
    pub pattern: Pattern,
}

/// Which layers have a window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pattern {
    /// All.
    #[default]
    All,
    /// All but each so-manieth one: of 6 those at 0 to 4, not that at 5.
    AllBut(u64),
    /// Those from this one on.
    From(u64),
}

impl Pattern {
    /// Whether a layer has one.
    #[must_use]
    pub fn has(self, layer: u64) -> bool {
        match self {
            Self::All => true,
            Self::AllBut(each) => !(layer + 1).is_multiple_of(each),
            Self::From(first) => layer >= first,
        }
    }
}

/// Keys and values that are kept compressed (DeepSeek-V2, section 2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Latent {
    /// Elements that keys and values of all heads are made from.
    pub key_value_rank: u64,
    /// Elements that queries are made from; the hidden size where there is no such step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query_rank: Option<u64>,
    /// Elements of a head's query and key that are turned; all heads share the key's.
    pub rotary_size: u64,
    /// Elements of a head's query and key that are not.
    pub plain_size: u64,
    /// Elements of a head's value.
    pub value_size: u64,
}

/// Why there is no such transformer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoTransformer {
    /// The figure, as descriptions call it.
    pub at: &'static str,
    /// What is wrong with it.
    pub why: Message,
}

fn yes() -> bool {
    true
}

impl NoTransformer {
    /// The sentence.
    #[must_use]
    pub fn message(&self) -> Message {
        message!("{}: {}", self.at, self.why.clone())
    }
}

impl_message!(NoTransformer);
impl std::error::Error for NoTransformer {}

impl Transformer {
    /// Elements of all heads of the queries together.
    #[must_use]
    pub fn query_size(&self) -> u64 {
        match self.latent {
            Some(latent) => self.heads * (latent.plain_size + latent.rotary_size),
            None => self.heads * self.head_size,
        }
    }

    /// Elements of a head's query and key that rotary positions turn.
    #[must_use]
    pub fn turned_size(&self) -> u64 {
        self.latent.map_or(self.head_size, |it| it.rotary_size)
    }

    /// Elements that a token's keys and values take in a layer's cache, both together.
    #[must_use]
    pub fn cached(&self) -> u64 {
        match self.latent {
            Some(latent) => latent.key_value_rank + latent.rotary_size,
            None => 2 * self.key_value_heads * self.head_size,
        }
    }

    /// How many of the last tokens a layer sees, if not all.
    #[must_use]
    pub fn window_of(&self, layer: u64) -> Option<u64> {
        let window = self.window?;
        window.pattern.has(layer).then_some(window.tokens)
    }

    /// The feed-forward parts of a layer, if it has several.
    #[must_use]
    pub fn experts_of(&self, layer: u64) -> Option<Experts> {
        self.experts.filter(|it| layer >= it.dense_layers)
    }

    /// Every figure that is at least 1, with what descriptions call it.
    fn figures(&self) -> Vec<(&'static str, u64)> {
        let mut figures = vec![
            ("hidden", self.hidden),
            ("heads", self.heads),
            ("key_value_heads", self.key_value_heads),
            ("head_size", self.head_size),
            ("feed_forward.size", self.feed_forward.size),
        ];
        match self.patches {
            None => figures.push(("vocabulary", self.vocabulary)),
            Some(patches) => figures.extend([
                ("patches.size", patches.size),
                ("patches.channels", patches.channels),
                ("patches.image", patches.image),
                ("patches.classes", patches.classes.max(1)),
            ]),
        }
        if let Positions::Learned(places) = self.positions {
            figures.push(("positions", places));
        }
        if let Some(window) = self.window {
            figures.push(("window.tokens", window.tokens));
            if let Pattern::AllBut(each) = window.pattern {
                figures.push(("window.pattern", each));
            }
        }
        if let Some(experts) = self.experts {
            figures.push(("experts.count", experts.count));
            figures.push(("experts.active", experts.active));
            figures.push(("experts.size", experts.size));
        }
        if let Some(latent) = self.latent {
            figures.push(("latent.key_value_rank", latent.key_value_rank));
            figures.push(("latent.query_rank", latent.query_rank.unwrap_or(1)));
            figures.push(("latent.rotary_size", latent.rotary_size));
            figures.push(("latent.plain_size", latent.plain_size));
            figures.push(("latent.value_size", latent.value_size));
        }
        figures
    }

    /// Whether its figures go together, and none is too large for what is made of it.
    ///
    /// # Errors
    /// [`NoTransformer`] with the first that does not.
    pub fn check(&self) -> Result<(), NoTransformer> {
        let no = |at, why| Err(NoTransformer { at, why });
        let figures = self.figures();
        for (at, figure) in figures {
            if !(1..=MOST).contains(&figure) {
                return no(at, message!("{} is not from 1 to {}", figure, MOST));
            }
        }
        if !(1..=MOST_LAYERS).contains(&self.layers) {
            let why = message!("{} is not from 1 to {}", self.layers, MOST_LAYERS);
            return no("layers", why);
        }
        if let Some(patches) = self.patches {
            self.check_images(patches)?;
        }
        if self.latent.is_none() && !self.heads.is_multiple_of(self.key_value_heads) {
            let why = message!(
                "{} do not divide {} heads",
                self.key_value_heads,
                self.heads
            );
            return no("key_value_heads", why);
        }
        if self.positions == Positions::Rotary && self.turned_size() % 2 == 1 {
            return no(
                "head_size",
                message!("rotary positions turn pairs of elements"),
            );
        }
        match self.experts {
            Some(experts) if experts.active > experts.count => {
                let why = message!("{} is more than {} experts", experts.active, experts.count);
                no("experts.active", why)
            }
            _ => Ok(()),
        }
    }

    /// Whether it can read images.
    fn check_images(&self, patches: Patches) -> Result<(), NoTransformer> {
        let tokens = patches.tokens();
        if patches.size > patches.image {
            let why = message!("a patch of {} is larger than the image", patches.size);
            return Err(NoTransformer {
                at: "patches.size",
                why,
            });
        }
        if tokens > MOST {
            let why = message!("an image has {} tokens, more than {}", tokens, MOST);
            return Err(NoTransformer {
                at: "patches.image",
                why,
            });
        }
        let (at, why) = match (self.decoder, self.vocabulary, self.positions) {
            (true, ..) => ("patches", message!("only encoders read images")),
            (_, 1.., _) => ("vocabulary", message!("images have no tokens of their own")),
            (.., Positions::Learned(places)) if places == tokens => return Ok(()),
            _ => ("positions", message!("an image has {} tokens", tokens)),
        };
        Err(NoTransformer { at, why })
    }
}
