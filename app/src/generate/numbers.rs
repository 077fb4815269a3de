//! The whole numbers that a transformer is described by.

use planner::generate::{Experts, Latent, Mode, Patches, Pattern, Positions, Window};
use planner::load::Described;

use crate::strings::GenerateWord as W;

/// A whole number of the form.
pub(super) struct Number {
    pub(super) id: &'static str,
    pub(super) word: W,
    pub(super) hint: W,
    pub(super) least: u64,
    /// Whether what is described has such a number.
    pub(super) applies: fn(&Described) -> bool,
    pub(super) get: fn(&Described) -> u64,
    pub(super) set: fn(&mut Described, u64),
}

/// Numbers that stand in a field: always, where `applies` says so, or in a part that may be there.
macro_rules! number {
    ($id:literal, $word:ident, $hint:ident, $($field:ident).+) => {
        number!($id, $word, $hint, $($field).+, |_| true)
    };
    ($id:literal, $word:ident, $hint:ident, $($field:ident).+, $applies:expr) => {
        Number {
            id: $id,
            word: W::$word,
            hint: W::$hint,
            least: 1,
            applies: $applies,
            get: |form| form.$($field).+,
            set: |form, value| form.$($field).+ = value,
        }
    };
    ($id:literal, $word:ident, $hint:ident, $least:literal of $part:ident, $field:ident) => {
        Number {
            id: $id,
            word: W::$word,
            hint: W::$hint,
            least: $least,
            applies: |form| form.transformer.$part.is_some(),
            get: |form| form.transformer.$part.map_or(0, |it| it.$field),
            set: |form, value| {
                if let Some(it) = &mut form.transformer.$part {
                    it.$field = value;
                }
                refit(form);
            },
        }
    };
}

/// What every transformer has.
pub(super) const SHAPE: [Number; 7] = [
    number!("layers", Layers, LayersHint, transformer.layers),
    number!("hidden", Hidden, HiddenHint, transformer.hidden),
    number!("heads", Heads, HeadsHint, transformer.heads),
    number!(
        "key-value-heads",
        KeyHeads,
        KeyHeadsHint,
        transformer.key_value_heads,
        |form| form.transformer.latent.is_none()
    ),
    number!(
        "head-size",
        HeadSize,
        HeadSizeHint,
        transformer.head_size,
        |form| form.transformer.latent.is_none()
    ),
    number!(
        "feed-forward",
        Inner,
        InnerHint,
        transformer.feed_forward.size
    ),
    number!(
        "vocabulary",
        Vocabulary,
        VocabularyHint,
        transformer.vocabulary,
        |form| form.transformer.patches.is_none()
    ),
];

/// What some have.
pub(super) const PARTS: [Number; 15] = [
    Number {
        id: "places",
        word: W::Places,
        hint: W::PlacesHint,
        least: 1,
        applies: |form| places(form) > 0 && form.transformer.patches.is_none(),
        get: places,
        set: |form, value| form.transformer.positions = Positions::Learned(value),
    },
    number!("image", Image, ImageHint, 1 of patches, image),
    number!("patch", Patch, PatchHint, 1 of patches, size),
    number!("classes", Classes, ClassesHint, 0 of patches, classes),
    Number {
        id: "window",
        word: W::Window,
        hint: W::WindowHint,
        least: 0,
        applies: |form| form.transformer.patches.is_none(),
        get: |form| form.transformer.window.map_or(0, |it| it.tokens),
        set: |form, tokens| {
            let pattern = form.transformer.window.map(|it| it.pattern);
            let pattern = pattern.unwrap_or_default();
            form.transformer.window = (tokens > 0).then_some(Window { tokens, pattern });
        },
    },
    Number {
        id: "window-all-but",
        word: W::AllBut,
        hint: W::AllButHint,
        least: 0,
        applies: |form| form.transformer.window.is_some(),
        get: |form| match form.transformer.window.map(|it| it.pattern) {
            Some(Pattern::AllBut(each)) => each,
            _ => 0,
        },
        set: |form, each| {
            if let Some(window) = &mut form.transformer.window {
                window.pattern = match each {
                    0 => Pattern::All,
                    each => Pattern::AllBut(each),
                };
            }
        },
    },
    Number {
        id: "experts",
        word: W::Experts,
        hint: W::ExpertsHint,
        least: 0,
        applies: |_| true,
        get: |form| form.transformer.experts.map_or(0, |it| it.count),
        set: |form, count| {
            let size = form.transformer.feed_forward.size;
            let usual = Experts {
                count,
                active: count.min(2),
                shared: 0,
                shared_gate: false,
                size,
                dense_layers: 0,
            };
            let other = form.transformer.experts;
            let same = other.map_or(usual, |it| Experts { count, ..it });
            form.transformer.experts = (count > 0).then_some(same);
        },
    },
    number!("active", Active, ActiveHint, 1 of experts, active),
    number!("shared", Shared, SharedHint, 0 of experts, shared),
    number!("expert-size", ExpertSize, InnerHint, 1 of experts, size),
    number!("dense-layers", DenseLayers, DenseLayersHint, 0 of experts, dense_layers),
    Number {
        id: "latent",
        word: W::Latent,
        hint: W::LatentHint,
        least: 0,
        applies: |form| form.transformer.patches.is_none(),
        get: |form| form.transformer.latent.map_or(0, |it| it.key_value_rank),
        set: |form, key_value_rank| {
            let size = form.transformer.head_size;
            let usual = Latent {
                key_value_rank,
                query_rank: None,
                rotary_size: size.div_ceil(4) * 2,
                plain_size: size,
                value_size: size,
            };
            let other = form.transformer.latent;
            let same = other.map_or(usual, |it| Latent {
                key_value_rank,
                ..it
            });
            form.transformer.latent = (key_value_rank > 0).then_some(same);
        },
    },
    number!("rotary", RotarySize, RotarySizeHint, 1 of latent, rotary_size),
    number!("plain", PlainSize, PlainSizeHint, 1 of latent, plain_size),
    number!("value", ValueSize, ValueSizeHint, 1 of latent, value_size),
];

/// How it runs.
pub(super) const RUN: [Number; 2] = [
    Number {
        id: "tokens",
        word: W::Tokens,
        hint: W::TokensHint,
        least: 1,
        applies: |form| form.transformer.patches.is_none(),
        get: |form| tokens(form.execution.mode),
        set: |form, value| form.execution.mode = form.execution.mode.of(value),
    },
    number!("batch-size", Batch, BatchHint, execution.batch),
];

/// Tokens that are there once it has run.
pub(super) fn tokens(mode: Mode) -> u64 {
    mode.tokens().1
}

/// Places that are learned.
fn places(form: &Described) -> u64 {
    match form.transformer.positions {
        Positions::Learned(places) => places,
        Positions::Rotary => 0,
    }
}

/// An image has the tokens that it has.
fn refit(form: &mut Described) {
    if let Some(tokens) = form.transformer.patches.map(Patches::tokens) {
        form.transformer.positions = Positions::Learned(tokens);
        form.execution = form.execution.fitted(&form.transformer);
    }
}
