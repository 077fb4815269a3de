//! How a training step is divided among devices, and which of them is looked at.
//!
//! Its text form are words of a [recipe](super::Recipe): `dp=8+zero=3+tp=8+sp+pp=4+micro=8`.

use serde::{Deserialize, Serialize};

/// The words for what is a switch.
const SEQUENCE: &str = "sp";
const KEEPS: &str = "keep_gathered";
const OFFLOAD: &str = "offload";
const WIDE: &str = "gradients32";

/// Numbers of a [`Sharding`] as messages have them: by names they would take code that the first
/// load carries.
type Packed = [u32; 15];

/// How a training step is divided among devices, and of which rank it is: ranks differ by the stage
/// of the pipeline alone.
///
/// `data · tensor · context · pipeline` devices take part. The batch of a step is that of a
/// micro-batch of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "Packed", from = "Packed")]
pub struct Sharding {
    /// How many share the samples, d.
    pub data: u32,
    /// What [replicas](Self::replicas) divide (Rajbhandari et al., "ZeRO", SC 2020, section 5): nothing, the optimizer's
    /// state (1), gradients too (2), weights too (3).
    pub zero: u8,
    /// Among how many products of matrices are divided, t (Shoeybi et al. 2019, section 3).
    pub tensor: u32,
    /// Whether these divide sequences where they do not divide products (Korthikanti et al. 2022,
    /// section 4.2.2).
    pub sequence: bool,
    /// Among how many whole sequences are divided, c; attention gathers keys and values.
    pub context: u32,
    /// Among how many of the replicas experts are divided, e.
    pub expert: u32,
    /// How many stages the layers are divided into, p.
    pub pipeline: u32,
    /// How many parts of the layers each stage has, v: more than 1 is the interleaved schedule
    /// (Narayanan et al. 2021, section 2.2.2).
    pub chunks: u32,
    /// How many micro-batches a step has, m.
    pub micro: u32,
    /// The stage that is looked at, from 0.
    pub stage: u32,
    /// So many parts of a model are gathered before they are needed, in both directions; backward one
    /// always is.
    pub prefetch: u8,
    /// Gradients are put together into so many MiB before they are reduced; 0 for each part of a
    /// model by itself.
    pub bucket: u32,
    /// Whether weights that were gathered for the forward pass stay for the backward pass
    /// (`reshard_after_forward=False`).
    pub keeps: bool,
    /// Whether the optimizer's state is on the host (Ren et al., "ZeRO-Offload", ATC 2021).
    pub offload: bool,
    /// Whether gradients of weights take 4 bytes in mixed precision, too, as Megatron adds them up.
    pub wide_gradients: bool,
}

impl From<Sharding> for Packed {
    fn from(of: Sharding) -> Self {
        [
            of.data,
            of.zero.into(),
            of.tensor,
            of.sequence.into(),
            of.context,
            of.expert,
            of.pipeline,
            of.chunks,
            of.micro,
            of.stage,
            of.prefetch.into(),
            of.bucket,
            of.keeps.into(),
            of.offload.into(),
            of.wide_gradients.into(),
        ]
    }
}

impl From<Packed> for Sharding {
    fn from(of: Packed) -> Self {
        // A digit has one byte.
        let digit = |it: u32| it.to_le_bytes()[0];
        let [
            data,
            zero,
            tensor,
            sequence,
            context,
            expert,
            pipeline,
            chunks,
            ..,
        ] = of;
        let [.., micro, stage, prefetch, bucket, keeps, offload, wide] = of;
        Self {
            data,
            zero: digit(zero),
            tensor,
            sequence: sequence > 0,
            context,
            expert,
            pipeline,
            chunks,
            micro,
            stage,
            prefetch: digit(prefetch),
            bucket,
            keeps: keeps > 0,
            offload: offload > 0,
            wide_gradients: wide > 0,
        }
    }
}

impl Default for Sharding {
    fn default() -> Self {
        Self::ONE
    }
}

impl Sharding {
    /// One device with everything.
    pub const ONE: Self = Self {
        data: 1,
        zero: 0,
        tensor: 1,
        sequence: false,
        context: 1,
        expert: 1,
        pipeline: 1,
        chunks: 1,
        micro: 1,
        stage: 0,
        prefetch: 0,
        bucket: 0,
        keeps: false,
        offload: false,
        wide_gradients: false,
    };

    /// The most of each degree.
    pub const MOST: u32 = 1 << 16;

    /// Whether it is more than one device with everything.
    #[must_use]
    pub fn is_on(self) -> bool {
        self != Self::default()
    }

    /// How many devices have the same weights: those that share samples, and those that share the
    /// tokens of a sample, as Megatron-LM's distributed optimizer counts them.
    #[must_use]
    pub const fn replicas(self) -> u64 {
        let replicas = self.data as u64 * self.context as u64;
        if replicas == 0 { 1 } else { replicas }
    }

    /// How many devices take part, at most as many as 64 bits say.
    #[must_use]
    pub fn devices(self) -> u64 {
        let degrees = [self.data, self.tensor, self.context, self.pipeline];
        let degrees = degrees.map(|it| u64::from(it.max(1)));
        degrees.into_iter().fold(1, u64::saturating_mul)
    }

    /// Every number with its word, the fewest and the most of it.
    fn numbers(&mut self) -> [(&'static str, &mut u32, u32); 9] {
        [
            ("dp=", &mut self.data, 1),
            ("tp=", &mut self.tensor, 1),
            ("cp=", &mut self.context, 1),
            ("ep=", &mut self.expert, 1),
            ("pp=", &mut self.pipeline, 1),
            ("chunks=", &mut self.chunks, 1),
            ("micro=", &mut self.micro, 1),
            ("stage=", &mut self.stage, 0),
            ("bucket=", &mut self.bucket, 0),
        ]
    }

    fn switches(&mut self) -> [(&'static str, &mut bool); 4] {
        [
            (SEQUENCE, &mut self.sequence),
            (KEEPS, &mut self.keeps),
            (OFFLOAD, &mut self.offload),
            (WIDE, &mut self.wide_gradients),
        ]
    }

    /// The same for what is a digit, with the most of it.
    fn digits(&mut self) -> [(&'static str, &mut u8, u8); 2] {
        [
            ("zero=", &mut self.zero, 3),
            ("prefetch=", &mut self.prefetch, 9),
        ]
    }

    /// Takes a word of a recipe; `None` for what is none.
    pub fn take(&mut self, word: &str) -> Option<()> {
        if let Some((_, switch)) = self.switches().into_iter().find(|it| it.0 == word) {
            *switch = true;
            return Some(());
        }
        for (name, digit, most) in self.digits() {
            if let Some(text) = word.strip_prefix(name) {
                *digit = text.parse().ok().filter(|it| *it <= most)?;
                return Some(());
            }
        }
        for (name, number, least) in self.numbers() {
            if let Some(text) = word.strip_prefix(name) {
                let range = least..=Self::MOST;
                *number = text.parse().ok().filter(|it| range.contains(it))?;
                return Some(());
            }
        }
        None
    }

    /// What is not as usual, as words of a recipe.
    pub(super) fn words(mut self) -> Vec<String> {
        let mut usual = Self::default();
        let mut words = Vec::new();
        for ((name, own, _), (_, other, _)) in self.numbers().into_iter().zip(usual.numbers()) {
            if own != other {
                words.push(format!("{name}{own}"));
            }
        }
        for ((name, own, _), (_, other, _)) in self.digits().into_iter().zip(usual.digits()) {
            if own != other {
                words.push(format!("{name}{own}"));
            }
        }
        let on = self.switches().into_iter().filter(|(_, on)| **on);
        words.extend(on.map(|(name, _)| name.to_owned()));
        words
    }
}
