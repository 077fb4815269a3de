//! How a model is trained: what the backward pass reads, the optimizer, the precision, and the
//! layers that are not trained.
//!
//! Its text form are words in any order, each once, tied by `+`: `autograd+adam+mixed+frozen=3`,
//! or `autograd+in_place+set_to_none`. What is left out is as usual: `checkmate`, no optimizer
//! state, full precision, nothing frozen, nothing in place, gradients that stay.

use serde::{Deserialize, Serialize};

use super::Sharding;

/// The words for what is a switch.
const IN_PLACE: &str = "in_place";
const SET_TO_NONE: &str = "set_to_none";
const DECOMPOSED: &str = "decomposed";
const MEASURED: &str = "zeros=measured";
/// What comes before the rates of a device.
const RATES: &str = "rates=";

/// How a model is trained.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Recipe {
    /// What the backward pass reads.
    pub rule: Rule,
    /// What the optimizer keeps.
    pub optimizer: Optimizer,
    /// What numbers take.
    pub precision: Precision,
    /// So many of the first layers with parameters are not trained.
    pub frozen: u32,
    /// ReLU and its like write over what they read where nothing else needs that (`inplace=True`). Checkmate's
    /// rule reads every value, so it has no such place.
    #[serde(default)]
    pub in_place: bool,
    /// The gradients of the weights are given back before a step and made anew in its backward
    /// pass (`zero_grad(set_to_none=True)`); otherwise they stay. Only by autograd's rule.
    #[serde(default)]
    pub set_to_none: bool,
    /// Normalisations, softmax and activations count in their parts, as if they were written out:
    /// modules of PyTorch that were exported in parts are not put together again. Checkmate's rule
    /// reads every value of a layer, and has no such parts.
    #[serde(default)]
    pub decomposed: bool,
    /// How values are packed between the forward and the backward pass; not where torch.compile
    /// traces the step.
    #[serde(default)]
    pub gist: Gist,
    /// What values can be swapped over, if anything.
    #[serde(default)]
    pub rates: Option<Rates>,
    /// How it is divided among devices.
    #[serde(default)]
    pub sharding: Sharding,
}

/// How fast a device computes, and copies to the host and back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Rates {
    /// 32-bit floating point operations in a second; a multiplication and an addition are two.
    pub flops: u64,
    /// Bytes in a second in each direction of its link.
    pub link: u64,
}

impl Rates {
    /// Reads operations and bytes in a second, as in `13450000000000/15750000000`.
    fn parse(text: &str) -> Option<Self> {
        let (flops, link) = text.split_once('/')?;
        let rates = Self {
            flops: flops.parse().ok()?,
            link: link.parse().ok()?,
        };
        (rates.flops > 1 && rates.link > 0).then_some(rates)
    }
}

/// How values are packed between the forward and the backward pass, see
/// [`gist`](crate::training::gist).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Gist {
    /// Of a ReLU's value that pools alone read a bit for each element stays.
    pub signs: bool,
    /// Of a ReLU's value that convolutions or products read what is not zero stays.
    pub sparse: Option<Sparse>,
    /// Of any other value so many bits for each element stay: 16, 10 or 8.
    pub bits: Option<u8>,
    /// So many of a thousand elements of a ReLU's value are zero, where nobody has counted them.
    pub zeros: u16,
    /// Where a run has counted them, its shares are taken.
    #[serde(default)]
    pub measured: bool,
}

/// How the places of elements that are not zero are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sparse {
    /// In 4 bytes each.
    Wide,
    /// In a byte each.
    Narrow,
}

impl Default for Gist {
    fn default() -> Self {
        Self {
            signs: false,
            sparse: None,
            bits: None,
            zeros: 500,
            measured: false,
        }
    }
}

impl Gist {
    /// The bits of an element that there are.
    pub const BITS: [u8; 3] = [16, 10, 8];

    /// Whether something is packed.
    #[must_use]
    pub const fn is_on(self) -> bool {
        self.signs || self.sparse.is_some() || self.bits.is_some()
    }

    /// Takes a word of a recipe: `signs`, `sparse`, `sparse_wide`, `bits=8`, `zeros=700` (of a
    /// thousand), `zeros=measured`; `None` for what is none.
    pub fn take(&mut self, word: &str) -> Option<()> {
        let number = |start| word.strip_prefix(start).map(str::parse::<u16>);
        match word {
            "signs" => self.signs = true,
            "sparse" => self.sparse = Some(Sparse::Narrow),
            "sparse_wide" => self.sparse = Some(Sparse::Wide),
            MEASURED => self.measured = true,
            _ => match (number("bits="), number("zeros=")) {
                (Some(Ok(bits)), _) => {
                    let bits = u8::try_from(bits).ok().filter(|it| Self::BITS.contains(it));
                    self.bits = Some(bits?);
                }
                (_, Some(Ok(zeros))) if zeros <= 1000 => self.zeros = zeros,
                _ => return None,
            },
        }
        Some(())
    }

    /// What is not as usual, as words of a recipe.
    fn words(self) -> [Option<String>; 5] {
        let usual = Self::default();
        let sparse = self.sparse.map(|form| match form {
            Sparse::Narrow => "sparse".to_owned(),
            Sparse::Wide => "sparse_wide".to_owned(),
        });
        [
            self.signs.then(|| "signs".to_owned()),
            sparse,
            self.bits.map(|bits| format!("bits={bits}")),
            (self.zeros != usual.zeros).then(|| format!("zeros={}", self.zeros)),
            self.measured.then(|| MEASURED.to_owned()),
        ]
    }
}

/// What the backward pass reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// The gradient of a layer's output reads that output, the outputs of the layers that read
    /// it, and their gradients (Jain et al., "Checkmate", MLSys 2020).
    #[default]
    Checkmate,
    /// What PyTorch's autograd saves: by operator its inputs, its output, or what it computes
    /// beside, see [`saves`](crate::training::backward::saves).
    Autograd,
    /// What torch.compile traces: operators in parts, forward and backward pass in one graph, see
    /// [`joint`](crate::training::joint).
    Compile,
}

/// What the optimizer keeps for each parameter that is trained.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Optimizer {
    /// Nothing: plain gradient descent.
    #[default]
    None,
    /// The momentum, 4 bytes.
    Momentum,
    /// Two moments, 4 bytes each (Kingma and Ba, "Adam", ICLR 2015, algorithm 1).
    Adam,
}

/// What numbers take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Precision {
    /// Weights and gradients take 4 bytes, values as much as the model says.
    #[default]
    Full,
    /// Weights, gradients and 32-bit values take 2 bytes; a master copy of the weights is kept
    /// in 4 (Micikevicius et al., "Mixed Precision Training", ICLR 2018, section 3.1).
    Mixed,
}

impl Rule {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Checkmate, Self::Autograd, Self::Compile];

    /// Its name in files, links and commands.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Checkmate => "checkmate",
            Self::Autograd => "autograd",
            Self::Compile => "compile",
        }
    }
}

impl Optimizer {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::None, Self::Momentum, Self::Adam];

    /// Its name in files, links and commands.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Momentum => "momentum",
            Self::Adam => "adam",
        }
    }

    /// The bytes that it keeps for each parameter that is trained.
    #[must_use]
    pub const fn bytes(self) -> u64 {
        match self {
            Self::None => 0,
            Self::Momentum => 4,
            Self::Adam => 8,
        }
    }
}

impl Precision {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Full, Self::Mixed];

    /// Its name in files, links and commands.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Mixed => "mixed",
        }
    }

    /// The bytes of a weight that operators read, and of its gradient.
    #[must_use]
    pub const fn bytes(self) -> u64 {
        match self {
            Self::Full => 4,
            Self::Mixed => 2,
        }
    }
}

impl Recipe {
    /// The bytes of a gradient of a weight.
    #[must_use]
    pub const fn gradient_bytes(&self) -> u64 {
        match self.sharding.wide_gradients {
            true => Precision::Full.bytes(),
            false => self.precision.bytes(),
        }
    }

    /// Reads a recipe; `None` for what is none.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut recipe = Self::default();
        let words = text.split('+').filter(|word| !word.is_empty());
        for word in words {
            let rule = Rule::ALL.into_iter().find(|it| it.name() == word);
            let optimizer = Optimizer::ALL.into_iter().find(|it| it.name() == word);
            let precision = Precision::ALL.into_iter().find(|it| it.name() == word);
            let frozen = word.strip_prefix("frozen=").map(str::parse).transpose();
            let frozen = frozen.ok()?;
            match (rule, optimizer, precision, frozen) {
                (Some(rule), ..) => recipe.rule = rule,
                (_, Some(optimizer), ..) => recipe.optimizer = optimizer,
                (.., Some(precision), _) => recipe.precision = precision,
                (.., Some(frozen)) => recipe.frozen = frozen,
                _ if word == IN_PLACE => recipe.in_place = true,
                _ if word == SET_TO_NONE => recipe.set_to_none = true,
                _ if word == DECOMPOSED => recipe.decomposed = true,
                _ => match word.strip_prefix(RATES) {
                    Some(rates) => recipe.rates = Some(Rates::parse(rates)?),
                    None => recipe
                        .gist
                        .take(word)
                        .or_else(|| recipe.sharding.take(word))?,
                },
            }
        }
        Some(recipe)
    }

    /// Writes what is not as usual; nothing if all is.
    #[must_use]
    pub fn text(self) -> String {
        let usual = Self::default();
        let frozen = (self.frozen > 0).then(|| format!("frozen={}", self.frozen));
        let words = [
            (self.rule != usual.rule).then(|| self.rule.name().to_owned()),
            (self.optimizer != usual.optimizer).then(|| self.optimizer.name().to_owned()),
            (self.precision != usual.precision).then(|| self.precision.name().to_owned()),
            frozen,
            self.in_place.then(|| IN_PLACE.to_owned()),
            self.set_to_none.then(|| SET_TO_NONE.to_owned()),
            self.decomposed.then(|| DECOMPOSED.to_owned()),
        ];
        let rates = self
            .rates
            .map(|it| format!("{RATES}{}/{}", it.flops, it.link));
        let words = words.into_iter().chain(self.gist.words()).chain([rates]);
        let mut words: Vec<String> = words.flatten().collect();
        words.extend(self.sharding.words());
        words.join("+")
    }
}
