//! The architecture that the names and shapes of tensors tell, in the keys of `config.json`.
//!
//! | names | architecture |
//! |---|---|
//! | `model.layers.0.self_attn.q_proj.weight` | Llama; with `q_norm` Qwen 3, with biases Qwen 2, with four norms Gemma 2 |
//! | `h.0.attn.c_attn.weight` | GPT-2 |
//! | `encoder.layer.0.attention.self.query.weight` | BERT |
//! | `encoder.layer.0.attention.attention.query.weight` | ViT |
//!
//! How many heads there are does not follow from shapes: only how many numbers all keys have. 128
//! numbers are taken for a head where that goes, else 64.

use serde_json::{Map, Value, json};

use super::header::{Tensor, Tensors};

/// Head sizes, the usual one first.
const HEAD_SIZES: [u64; 3] = [128, 64, 32];

/// What the names tell; `None` where they are of no architecture that is known here. Beside it the
/// head size that was taken, where shapes do not tell it.
pub(super) fn config(tensors: &Tensors) -> Option<(Map<String, Value>, Option<u64>)> {
    let names = Names::of(tensors);
    llama(&names)
        .or_else(|| gpt2(&names))
        .or_else(|| bert(&names))
        .or_else(|| vit(&names))
}

/// Tensors by what stands behind the name of the model.
struct Names<'a> {
    tensors: &'a Tensors,
    prefix: String,
}

impl<'a> Names<'a> {
    /// The prefix is what stands before the first layer's tensors.
    fn of(tensors: &'a Tensors) -> Self {
        let layered = ["layers.0.", "h.0.", "encoder.layer.0."];
        let prefix = tensors.keys().find_map(|name| {
            let found = layered.iter().find_map(|it| name.find(it));
            found.map(|at| name[..at].to_owned())
        });
        Self {
            tensors,
            prefix: prefix.unwrap_or_default(),
        }
    }

    fn get(&self, name: &str) -> Option<&'a Tensor> {
        self.tensors.get(&format!("{}{name}", self.prefix))
    }

    /// Rows and columns of a matrix.
    fn matrix(&self, name: &str) -> Option<(u64, u64)> {
        match *self.get(name)?.dims {
            [rows, columns] => Some((rows, columns)),
            _ => None,
        }
    }

    fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Layers, by the first number behind `begin` that no tensor has.
    fn layers(&self, begin: &str, part: &str) -> u64 {
        let mut layers = 0;
        while self.has(&format!("{begin}{layers}.{part}")) {
            layers += 1;
        }
        layers
    }
}

/// The size of a head, of which both are multiples.
fn head_size(queries: u64, keys: u64) -> Option<u64> {
    let fits = |size: &u64| queries.is_multiple_of(*size) && keys.is_multiple_of(*size) && keys > 0;
    HEAD_SIZES.into_iter().find(fits)
}

fn object(value: Value) -> Option<Map<String, Value>> {
    match value {
        Value::Object(map) => Some(map),
        _ => None,
    }
}

fn llama(names: &Names<'_>) -> Option<(Map<String, Value>, Option<u64>)> {
    const FIRST: &str = "layers.0.";
    let part = |name: &str| format!("{FIRST}{name}");
    let (vocabulary, hidden) = names.matrix("embed_tokens.weight")?;
    let (queries, _) = names.matrix(&part("self_attn.q_proj.weight"))?;
    let (keys, _) = names.matrix(&part("self_attn.k_proj.weight"))?;
    let (inside, _) = names.matrix(&part("mlp.gate_proj.weight"))?;
    let norm = names.get(&part("self_attn.q_norm.weight"));
    let told = norm.and_then(|it| it.dims.first().copied());
    let size = told
        .or_else(|| head_size(queries, keys))
        .filter(|it| *it > 0)?;
    let kind = match () {
        () if norm.is_some() => "qwen3",
        () if names.has(&part("self_attn.q_proj.bias")) => "qwen2",
        () if names.has(&part("pre_feedforward_layernorm.weight")) => "gemma2",
        () => "llama",
    };
    let tied = !names
        .tensors
        .keys()
        .any(|name| name.ends_with("lm_head.weight"));
    let map = object(json!({
        "model_type": kind,
        "hidden_size": hidden,
        "num_hidden_layers": names.layers("layers.", "self_attn.q_proj.weight"),
        "num_attention_heads": queries / size,
        "num_key_value_heads": keys / size,
        "head_dim": size,
        "intermediate_size": inside,
        "vocab_size": vocabulary,
        "tie_word_embeddings": tied,
    }))?;
    Some((map, told.is_none().then_some(size)))
}

fn gpt2(names: &Names<'_>) -> Option<(Map<String, Value>, Option<u64>)> {
    let (vocabulary, hidden) = names.matrix("wte.weight")?;
    let (places, _) = names.matrix("wpe.weight")?;
    let (_, inside) = names.matrix("h.0.mlp.c_fc.weight")?;
    let size = Some(64).filter(|size| hidden.is_multiple_of(*size) && hidden > 0)?;
    let map = object(json!({
        "model_type": "gpt2",
        "n_embd": hidden,
        "n_layer": names.layers("h.", "attn.c_attn.weight"),
        "n_head": hidden / size,
        "n_inner": inside,
        "n_positions": places,
        "vocab_size": vocabulary,
    }))?;
    Some((map, Some(size)))
}

fn bert(names: &Names<'_>) -> Option<(Map<String, Value>, Option<u64>)> {
    const FIRST: &str = "encoder.layer.0.";
    let (vocabulary, hidden) = names.matrix("embeddings.word_embeddings.weight")?;
    let (places, _) = names.matrix("embeddings.position_embeddings.weight")?;
    let (inside, _) = names.matrix(&format!("{FIRST}intermediate.dense.weight"))?;
    let size = Some(64).filter(|size| hidden.is_multiple_of(*size) && hidden > 0)?;
    let map = object(json!({
        "model_type": "bert",
        "hidden_size": hidden,
        "num_hidden_layers": names.layers("encoder.layer.", "attention.self.query.weight"),
        "num_attention_heads": hidden / size,
        "intermediate_size": inside,
        "max_position_embeddings": places,
        "vocab_size": vocabulary,
    }))?;
    Some((map, Some(size)))
}

fn vit(names: &Names<'_>) -> Option<(Map<String, Value>, Option<u64>)> {
    let kernel = names.get("embeddings.patch_embeddings.projection.weight")?;
    let [hidden, channels, patch, _] = *kernel.dims else {
        return None;
    };
    let [_, tokens, _] = *names.get("embeddings.position_embeddings")?.dims else {
        return None;
    };
    let (inside, _) = names.matrix("encoder.layer.0.intermediate.dense.weight")?;
    let size = Some(64).filter(|size| hidden.is_multiple_of(*size) && hidden > 0)?;
    // What sorts stands beside the model.
    let classes = names
        .tensors
        .get("classifier.weight")
        .map(|it| it.dims.first());
    let sorts = classes.is_some().then_some("ViTForImageClassification");
    let map = object(json!({
        "model_type": "vit",
        "architectures": sorts.map(|it| [it]),
        "num_labels": classes.flatten(),
        "hidden_size": hidden,
        "num_hidden_layers": names.layers("encoder.layer.", "attention.attention.query.weight"),
        "num_attention_heads": hidden / size,
        "intermediate_size": inside,
        "image_size": tokens.saturating_sub(1).isqrt().saturating_mul(patch),
        "patch_size": patch,
        "num_channels": channels,
    }))?;
    Some((map, Some(size)))
}
