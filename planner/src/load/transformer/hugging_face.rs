//! `config.json` of Hugging Face's Transformers: the figures of an architecture by its keys.

use std::fmt;

use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::family::{Family, family};
use super::unread;
use super::{Described, at_key, malformed};
use crate::generate::{
    Activation, AttentionForm, Execution, Experts, FeedForward, Latent, Mode, NoTransformer,
    NormPlace, Parallel, Patches, Pattern, Positions, Transformer, Window,
};
use crate::graph::DType;
use crate::load::{Fault, LoadError, Warning};
use crate::{Message, message};

/// Tokens that are read where nobody says how many.
const TOKENS: u64 = 1024;

/// Keys of which such a file has one: elements of a token.
const SIZES: [&str; 3] = ["hidden_size", "n_embd", "d_model"];

/// Whether a file has the keys of a configuration.
pub(super) fn sniff(has: &dyn Fn(&[u8]) -> bool) -> bool {
    let key = |key: &str| has(format!("\"{key}\"").as_bytes());
    (key("model_type") || key("architectures")) && SIZES.into_iter().any(key)
}

/// An object of a configuration.
pub(super) struct Config<'a>(&'a Map<String, Value>);

impl<'a> Config<'a> {
    /// The first of these keys that says a number; null says nothing.
    pub(super) fn number(&self, keys: &[&'static str]) -> Result<Option<u64>, LoadError> {
        for key in keys {
            match self.0.get(*key) {
                None | Some(Value::Null) => {}
                Some(value) => {
                    let number = value.as_u64();
                    let number = number.ok_or_else(|| at_key(key, message!("no whole number")))?;
                    return Ok(Some(number));
                }
            }
        }
        Ok(None)
    }

    /// The same of a figure that must be there.
    pub(super) fn figure(&self, keys: &[&'static str]) -> Result<u64, LoadError> {
        let missing = || at_key(keys[0], message!("it is not there"));
        self.number(keys)?.ok_or_else(missing)
    }

    /// What is switched on or off.
    pub(super) fn is(&self, keys: &[&'static str], usual: bool) -> Result<bool, LoadError> {
        for key in keys {
            match self.0.get(*key) {
                None | Some(Value::Null) => {}
                Some(Value::Bool(is)) => return Ok(*is),
                Some(_) => return Err(at_key(key, message!("neither true nor false"))),
            }
        }
        Ok(usual)
    }

    fn text(&self, keys: &[&'static str]) -> Option<(&'static str, &'a str)> {
        let said = |key: &&'static str| Some((*key, self.0.get(*key)?.as_str()?));
        keys.iter().find_map(said)
    }

    fn has(&self, key: &str) -> bool {
        self.0.get(key).is_some_and(|value| !value.is_null())
    }
}

/// Reads a configuration.
///
/// # Errors
/// [`LoadError`] with the key at fault.
pub(super) fn read(text: &str) -> Result<(Described, Vec<Warning>), LoadError> {
    let Once(whole) = serde_json::from_str(text).map_err(|error| malformed(&error))?;
    of_config(&whole)
}

/// An object whose keys are there once; of objects within it that is not asked.
struct Once(Map<String, Value>);

impl<'de> Deserialize<'de> for Once {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Keys;
        impl<'de> Visitor<'de> for Keys {
            type Value = Once;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of keys")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Once, A::Error> {
                let mut found = Map::new();
                while let Some(key) = map.next_key::<String>()? {
                    if found.contains_key(&key) {
                        let why = format_args!("key \"{key}\" is there twice").to_string();
                        return Err(A::Error::custom(why));
                    }
                    found.insert(key, map.next_value()?);
                }
                Ok(Once(found))
            }
        }
        from.deserialize_map(Keys)
    }
}

/// What the keys of a configuration describe.
///
/// # Errors
/// [`LoadError`] with the key at fault.
pub(in crate::load) fn of_config(
    whole: &Map<String, Value>,
) -> Result<(Described, Vec<Warning>), LoadError> {
    // Of a model that sees, the part that reads is described by itself.
    let inner = whole.get("text_config").and_then(Value::as_object);
    let config = Config(inner.unwrap_or(whole));
    let kind = config
        .text(&["model_type"])
        .or_else(|| Config(whole).text(&["model_type"]));
    let kind = kind.map_or("", |(_, kind)| kind);
    let Some(family) = family(kind) else {
        let why = message!("\"{}\" is no architecture that is known here", kind);
        return Err(Fault::Unsupported.at(message!("key \"{}\"", "model_type"), why));
    };
    let mut own = config.0.clone();
    for (key, usual) in family.usual {
        own.entry(*key).or_insert_with(|| (*usual).into());
    }
    let config = Config(&own);
    let patches = match family.sees {
        true => Some(patches(&config)?),
        false => None,
    };
    let transformer = transformer(&config, &family, (kind, patches))?;
    let (activations, mut warnings) = dtype(&config, whole);
    if whole
        .get("quantization_config")
        .is_some_and(|it| !it.is_null())
    {
        warnings.push(Warning::of_file(message!(
            "it says that weights are quantised: without their files they count {} bits each",
            activations.bits().unwrap_or_default()
        )));
    }
    let checked = transformer.check();
    checked.map_err(|NoTransformer { at, why }| at_key(at, why))?;
    warnings.extend(unread::keys(config.0, whole, transformer.hidden));
    warnings.extend(unread::head(config.0, whole));
    let execution = Execution {
        mode: Mode::Prefill(TOKENS),
        attention: AttentionForm::Fused,
        weights: activations,
        activations,
        cache: activations,
        batch: 1,
    };
    let execution = execution.fitted(&transformer);
    warnings.push(Warning::of_file(told(&transformer, execution.mode)));
    Ok((Described::new(transformer, execution), warnings))
}

/// The file says what the model is, and not how it runs.
fn told(of: &Transformer, mode: Mode) -> Message {
    let tokens = mode.tokens().0;
    match of.decoder {
        true => message!(
            "the file does not say how it runs: {} tokens are read, their keys and values are \
             kept, attention is one operator",
            tokens
        ),
        false => message!(
            "the file does not say how it runs: {} tokens are read, attention is one operator",
            tokens
        ),
    }
}

fn dtype(config: &Config<'_>, whole: &Map<String, Value>) -> (DType, Vec<Warning>) {
    let keys = ["torch_dtype", "dtype"];
    let said = config.text(&keys).or_else(|| {
        let said = |key: &&'static str| Some((*key, whole.get(*key)?.as_str()?));
        keys.iter().find_map(said)
    });
    let known = |name: &str| match name.trim_start_matches("torch.") {
        "float32" => Some(DType::F32),
        "float16" => Some(DType::F16),
        "bfloat16" => Some(DType::BF16),
        "float8_e4m3fn" => Some(DType::F8E4M3),
        "float8_e5m2" => Some(DType::F8E5M2),
        _ => None,
    };
    match said {
        None => (DType::F16, Vec::new()),
        Some((key, name)) => match known(name) {
            Some(dtype) => (dtype, Vec::new()),
            None => {
                let why = message!("{} \"{}\" is not known: 16 bits are taken", key, name);
                (DType::F16, vec![Warning::of_file(why)])
            }
        },
    }
}

fn transformer(
    config: &Config<'_>,
    of: &Family,
    (kind, patches): (&str, Option<Patches>),
) -> Result<Transformer, LoadError> {
    let hidden = config.figure(&["hidden_size", "n_embd", "d_model"])?;
    let layers = config.figure(&["num_hidden_layers", "n_layer", "num_layers"])?;
    let heads = config.figure(&["num_attention_heads", "n_head"])?;
    if heads == 0 {
        return Err(at_key("num_attention_heads", message!("0")));
    }
    let groups = config
        .number(&["num_key_value_heads", "num_kv_heads"])?
        .unwrap_or(heads);
    let latent = latent(config)?;
    let own_size = latent.map_or(hidden / heads, |it| it.plain_size + it.rotary_size);
    let size = config.number(&["head_dim"])?.filter(|_| latent.is_none());
    let inside = config.number(&["intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size"])?;
    let positions = match (of.learned, patches) {
        (None, _) => Positions::Rotary,
        (_, Some(patches)) => Positions::Learned(patches.tokens()),
        (Some(beside), None) => {
            let places = config.figure(&["max_position_embeddings", "n_positions", "n_ctx"])?;
            Positions::Learned(places.saturating_add(beside))
        }
    };
    let parallel = match of.parallel {
        Parallel::OwnNorms if !config.is(&["use_parallel_residual"], true)? => Parallel::No,
        other => other,
    };
    let norm_place = match config.is(&["do_layer_norm_before"], true)? {
        true => of.norm_place,
        false => NormPlace::After,
    };
    Ok(Transformer {
        name: kind.to_owned(),
        decoder: of.decoder,
        layers,
        hidden,
        heads,
        key_value_heads: groups,
        head_size: size.unwrap_or(own_size),
        feed_forward: FeedForward {
            size: inside.unwrap_or(hidden.saturating_mul(4)),
            gated: of.gated,
            activation: activation(config, of.activation)?,
        },
        norm: of.norm,
        norm_place,
        parallel,
        head_norm: of.head_norm,
        positions,
        vocabulary: match patches {
            None => config.figure(&["vocab_size"])?,
            Some(_) => 0,
        },
        patches,
        tied: config.is(&["tie_word_embeddings"], of.tied)?,
        attention_bias: config.is(&["attention_bias", "qkv_bias"], of.attention_bias)?,
        bias: of.bias || config.is(&["mlp_bias"], false)?,
        head_bias: of.head_bias,
        dropout: dropout(config, of),
        experts: experts(config)?,
        window: window(config, of, layers)?,
        latent,
    })
}

/// Whether training drops elements: any of these keys says a part of them.
fn dropout(config: &Config<'_>, of: &Family) -> bool {
    const KEYS: [&str; 8] = [
        "attention_dropout",
        "attention_probs_dropout_prob",
        "attn_pdrop",
        "dropout",
        "embd_pdrop",
        "hidden_dropout",
        "hidden_dropout_prob",
        "resid_pdrop",
    ];
    let mut said = KEYS.iter().filter_map(|key| config.0.get(*key)?.as_f64());
    match said.next() {
        None => of.dropout,
        Some(first) => first > 0.0 || said.any(|other| other > 0.0),
    }
}

/// The patches of a model that sees; the classes of one that sorts what it sees.
fn patches(config: &Config<'_>) -> Result<Patches, LoadError> {
    let named = config.0.get("architectures").and_then(Value::as_array);
    let mut named = named.into_iter().flatten().filter_map(Value::as_str);
    let labels = config.0.get("id2label").and_then(Value::as_object);
    let classes = match named.any(|name| name.ends_with("ForImageClassification")) {
        false => 0,
        // Two are taken where nothing is said.
        true => match (config.number(&["num_labels"])?, labels) {
            (Some(count), _) => count,
            (None, Some(labels)) => labels.len() as u64,
            (None, None) => 2,
        },
    };
    Ok(Patches {
        image: config.number(&["image_size"])?.unwrap_or(224),
        size: config.number(&["patch_size"])?.unwrap_or(16),
        channels: config.number(&["num_channels"])?.unwrap_or(3),
        classes,
    })
}

fn activation(config: &Config<'_>, usual: Activation) -> Result<Activation, LoadError> {
    let keys = ["hidden_activation", "hidden_act", "activation_function"];
    let Some((key, name)) = config.text(&keys) else {
        return Ok(usual);
    };
    Ok(match name {
        "silu" | "swish" => Activation::Silu,
        "relu" => Activation::Relu,
        // As a tanh or by its table: the same bytes.
        name if name.starts_with("gelu") => Activation::Gelu,
        _ => return Err(at_key(key, message!("\"{}\" is not known here", name))),
    })
}

/// Parts of which each token takes some.
fn experts(config: &Config<'_>) -> Result<Option<Experts>, LoadError> {
    let counts = ["num_local_experts", "n_routed_experts", "num_experts"];
    let Some(count) = config.number(&counts)?.filter(|count| *count > 1) else {
        return Ok(None);
    };
    for key in ["decoder_sparse_step", "moe_layer_freq"] {
        if config.number(&[key])?.is_some_and(|step| step != 1) {
            return Err(at_key(
                key,
                message!("layers with and without experts take turns"),
            ));
        }
    }
    let size = config.figure(&["moe_intermediate_size", "intermediate_size"])?;
    let shared = match config.number(&["shared_expert_intermediate_size"])? {
        None => config.number(&["n_shared_experts"])?.unwrap_or(0),
        Some(own) if own.is_multiple_of(size.max(1)) => own / size.max(1),
        Some(own) => {
            let why = message!("{} is no multiple of the {} of an expert", own, size);
            return Err(at_key("shared_expert_intermediate_size", why));
        }
    };
    Ok(Some(Experts {
        count,
        active: config.figure(&["num_experts_per_tok"])?,
        shared,
        shared_gate: config.has("shared_expert_intermediate_size"),
        size,
        dense_layers: config.number(&["first_k_dense_replace"])?.unwrap_or(0),
    }))
}

/// Keys and values that are kept compressed.
fn latent(config: &Config<'_>) -> Result<Option<Latent>, LoadError> {
    let Some(key_value_rank) = config.number(&["kv_lora_rank"])? else {
        return Ok(None);
    };
    Ok(Some(Latent {
        key_value_rank,
        query_rank: config.number(&["q_lora_rank"])?,
        rotary_size: config.figure(&["qk_rope_head_dim"])?,
        plain_size: config.figure(&["qk_nope_head_dim"])?,
        value_size: config.figure(&["v_head_dim"])?,
    }))
}

/// Layers that see only the last tokens.
fn window(config: &Config<'_>, of: &Family, layers: u64) -> Result<Option<Window>, LoadError> {
    let tokens = config.number(&["sliding_window"])?;
    let used = config.is(&["use_sliding_window"], of.windowed)?;
    let Some(tokens) = tokens.filter(|_| used) else {
        return Ok(None);
    };
    let said = config.0.get("layer_types").and_then(Value::as_array);
    let pattern = match said {
        Some(kinds) => listed(kinds, layers)?,
        None => match config.number(&["sliding_window_pattern", "max_window_layers"])? {
            Some(from) if config.has("max_window_layers") => Some(Pattern::From(from)),
            Some(each) => Some(Pattern::AllBut(each)),
            None => Some(of.pattern),
        },
    };
    Ok(pattern.map(|pattern| Window { tokens, pattern }))
}

/// Which layers a list says have a window; none where no layer has one.
fn listed(kinds: &[Value], layers: u64) -> Result<Option<Pattern>, LoadError> {
    let mut slides = Vec::with_capacity(kinds.len());
    for kind in kinds {
        slides.push(match kind.as_str() {
            Some("sliding_attention") => true,
            Some("full_attention") => false,
            other => {
                let why = message!("\"{}\" is not known here", other.unwrap_or_default());
                return Err(at_key("layer_types", why));
            }
        });
    }
    if slides.len() as u64 != layers {
        let why = message!("{} kinds for {} layers", slides.len(), layers);
        return Err(at_key("layer_types", why));
    }
    let Some(first) = slides.iter().position(|slides| *slides) else {
        return Ok(None);
    };
    let full = slides.iter().position(|slides| !slides);
    let count = |from: usize| from as u64;
    let patterns = [
        Some(Pattern::All).filter(|_| full.is_none()),
        full.map(|at| Pattern::AllBut(count(at) + 1)),
        Some(Pattern::From(count(first))),
    ];
    let fits = |pattern: &Pattern| {
        let mut all = slides.iter().zip(0..);
        all.all(|(slides, layer)| pattern.has(layer) == *slides)
    };
    let found = patterns.into_iter().flatten().find(fits);
    let why = message!("layers with and without a window follow no pattern that is known here");
    found.map(Some).ok_or_else(|| at_key("layer_types", why))
}
