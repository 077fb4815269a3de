//! What a configuration says and the graph has not.

use serde_json::{Map, Value};

use crate::load::Warning;
use crate::message;

/// What such a key adds is not in the graph, unless it says this.
const UNREAD: [(&str, Option<u64>); 11] = [
    ("add_cross_attention", Some(0)),
    ("audio_config", None),
    ("full_attention_interval", Some(1)),
    ("linear_num_key_heads", Some(0)),
    ("mamba_d_state", Some(0)),
    ("mlp_only_layers", None),
    ("num_nextn_predict_layers", Some(0)),
    ("ssm_cfg", None),
    ("type_vocab_size", Some(0)),
    ("vision_config", None),
    ("word_embed_proj_dim", None),
];

/// Keys that change sizes in a way that is not understood here.
pub(super) fn keys(
    config: &Map<String, Value>,
    whole: &Map<String, Value>,
    hidden: u64,
) -> Option<Warning> {
    let adds = |(key, nothing): &&(&str, Option<u64>)| {
        let value = config.get(*key).or_else(|| whole.get(*key));
        value.is_some_and(|value| match value {
            Value::Null | Value::Bool(false) => false,
            Value::Array(all) => !all.is_empty(),
            Value::Number(number) => number.as_u64() != nothing.or(Some(hidden)),
            _ => true,
        })
    };
    let mut keys: Vec<&str> = UNREAD.iter().filter(adds).map(|(key, _)| *key).collect();
    // Queries, keys and values have them here, or all products.
    let says = |key: &str| config.get(key) == Some(&Value::Bool(true));
    match (says("attention_bias"), says("mlp_bias")) {
        (true, false) => keys.push("attention_bias"),
        (false, true) => keys.push("mlp_bias"),
        _ => {}
    }
    let why = message!(
        "of what these keys add something is not in the graph: {}",
        keys.join(", ")
    );
    (!keys.is_empty()).then(|| Warning::of_file(why))
}

/// What stands behind the layers of an architecture, where that is nothing or as it is written here.
const HEADS: [&str; 4] = [
    "ForCausalLM",
    "LMHeadModel",
    "ForImageClassification",
    "ForConditionalGeneration",
];

/// An architecture that ends in another way.
pub(super) fn head(config: &Map<String, Value>, whole: &Map<String, Value>) -> Option<Warning> {
    let named = config.get("architectures").or(whole.get("architectures"));
    let name = named?.as_array()?.first()?.as_str()?;
    let known = HEADS.iter().any(|head| name.ends_with(head));
    (!known).then(|| {
        Warning::of_file(message!(
            "what {} has behind its last layer is not in the graph",
            name
        ))
    })
}
