//! GGUF, the files of llama.cpp: the header alone, of which the architecture and the bytes of every
//! tensor follow. A file of any size costs as many bytes as its header has.

mod header;
mod blocks;

use serde_json::{Map, json};

use super::transformer::{self, Described, Stored};
use super::{Document, Fault, LoadError, Source, Warning};
use crate::graph::DType;
use crate::{Message, message};
use header::{Header, MAGIC, TensorInfo, Value, header};

/// Whether a file that begins with `head` is one.
pub(super) fn sniff(head: &[u8]) -> bool {
    head.starts_with(&MAGIC)
}

/// What llama.cpp calls an architecture, and what Hugging Face does.
const ARCHITECTURES: [(&str, &str); 13] = [
    ("llama", "llama"),
    ("qwen2", "qwen2"),
    ("qwen2moe", "qwen2_moe"),
    ("qwen3", "qwen3"),
    ("qwen3moe", "qwen3_moe"),
    ("gemma2", "gemma2"),
    ("gemma3", "gemma3_text"),
    ("phi2", "phi"),
    ("phi3", "phi3"),
    ("gpt2", "gpt2"),
    ("gptneox", "gpt_neox"),
    ("bert", "bert"),
    ("deepseek2", "deepseek_v2"),
];

/// Keys behind the name of the architecture, and what Hugging Face calls them.
const KEYS: [(&str, &str); 16] = [
    ("embedding_length", "hidden_size"),
    ("block_count", "num_hidden_layers"),
    ("feed_forward_length", "intermediate_size"),
    ("attention.head_count", "num_attention_heads"),
    ("attention.head_count_kv", "num_key_value_heads"),
    ("attention.key_length", "head_dim"),
    ("attention.sliding_window", "sliding_window"),
    ("context_length", "max_position_embeddings"),
    ("expert_count", "num_local_experts"),
    ("expert_used_count", "num_experts_per_tok"),
    ("expert_feed_forward_length", "moe_intermediate_size"),
    ("expert_shared_count", "n_shared_experts"),
    (
        "expert_shared_feed_forward_length",
        "shared_expert_intermediate_size",
    ),
    ("leading_dense_block_count", "first_k_dense_replace"),
    ("attention.kv_lora_rank", "kv_lora_rank"),
    ("attention.q_lora_rank", "q_lora_rank"),
];

/// Reads the graph of the architecture of the file.
///
/// # Errors
/// [`LoadError`] with the byte, the key or the tensor at fault; of an architecture that is not known
/// with what its tensors take.
pub(super) fn read(source: &dyn Source) -> Result<(Document, Vec<Warning>), LoadError> {
    let (described, warnings) = described(source)?;
    Ok((transformer::document(&described)?, warnings))
}

/// What the header describes.
///
/// # Errors
/// As those of [`read`].
pub(super) fn described(source: &dyn Source) -> Result<(Described, Vec<Warning>), LoadError> {
    let header = header(source)?;
    let sizes = header.tensors.iter().map(|it| (it.kind.name, it.bytes));
    let told = transformer::taken(sizes);
    let config = config(&header).map_err(|error| with(error, &told))?;
    let found = transformer::of_config(&config).map_err(|error| with(error, &told))?;
    let (mut described, mut warnings) = found;
    let one = one_type(&header.tensors);
    described.execution.weights = one.unwrap_or(DType::F16);
    let mut stored = Stored::default();
    for it in &header.tensors {
        stored.add(&it.name, (it.elements(), it.bytes));
    }
    warnings.extend(described.store(stored));
    let name = header.text("general.name").unwrap_or_default();
    name.clone_into(&mut described.transformer.name);
    warnings.insert(0, Warning::of_file(told));
    warnings.extend(cut(&header, source.len()));
    if let Some(parts) = header.number("split.count")?.filter(|count| *count > 1) {
        warnings.push(Warning::of_file(message!(
            "it is one of {} parts: tensors of the others are not here",
            parts
        )));
    }
    Ok((described, warnings))
}

/// That a file has fewer bytes than its tensors.
fn cut(header: &Header, has: u64) -> Option<Warning> {
    let sizes = header.tensors.iter().map(|it| it.bytes);
    let needs = sizes.fold(0, u64::saturating_add);
    let why = message!(
        "its tensors have {} bytes, and the file {}: it is cut off",
        needs,
        has
    );
    (needs > has).then(|| Warning::of_file(why))
}

/// What is wrong with the architecture, and what is known all the same.
fn with(error: LoadError, told: &Message) -> LoadError {
    LoadError {
        message: message!("{}; {}", error.message, told.clone()),
        ..error
    }
}

/// The type of all tensors of two dimensions, where that is one whose elements stand alone.
fn one_type(tensors: &[TensorInfo]) -> Option<DType> {
    let mut wide = tensors.iter().filter(|it| it.dims.len() > 1);
    let first = wide.next()?.kind;
    let dtype = match first.name {
        "F32" => DType::F32,
        "F16" => DType::F16,
        "BF16" => DType::BF16,
        _ => return None,
    };
    wide.all(|it| it.kind == first).then_some(dtype)
}

impl Header {
    fn text(&self, key: &str) -> Option<&str> {
        match self.keys.get(key)? {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A number; of numbers for each layer the one that all have.
    fn number(&self, key: &str) -> Result<Option<u64>, LoadError> {
        let wrong = |why| Fault::Malformed.at(message!("key \"{}\"", key), why);
        Ok(match self.keys.get(key) {
            None => None,
            Some(Value::Number(number)) => Some(*number),
            Some(Value::Numbers(all)) => match all.split_first() {
                Some((first, rest)) if rest.iter().all(|it| it == first) => Some(*first),
                _ => {
                    let why = message!("layers differ, which is not read");
                    return Err(Fault::Unsupported.at(message!("key \"{}\"", key), why));
                }
            },
            Some(_) => return Err(wrong(message!("no whole number"))),
        })
    }
}

/// The same as Hugging Face would say it.
fn config(header: &Header) -> Result<Map<String, serde_json::Value>, LoadError> {
    let own = header.text("general.architecture").unwrap_or_default();
    let known = ARCHITECTURES.iter().find(|(name, _)| *name == own);
    let Some((_, kind)) = known else {
        let why = message!("\"{}\" is no architecture that is known here", own);
        let key = "general.architecture";
        return Err(Fault::Unsupported.at(message!("key \"{}\"", key), why));
    };
    let mut config = Map::new();
    config.insert("model_type".to_owned(), json!(kind));
    for (key, name) in KEYS {
        if let Some(number) = header.number(&format!("{own}.{key}"))? {
            config.insert(name.to_owned(), json!(number));
        }
    }
    if config.contains_key("kv_lora_rank") {
        latent(header, own, &mut config)?;
    }
    let words = match header.keys.get("tokenizer.ggml.tokens") {
        Some(Value::Other(count)) => Some(*count),
        _ => None,
    };
    let vocabulary = header.number(&format!("{own}.vocab_size"))?.or(words);
    config.insert("vocab_size".to_owned(), json!(vocabulary));
    let has = |name: &str| header.tensors.iter().any(|it| it.name == name);
    config.insert(
        "tie_word_embeddings".to_owned(),
        json!(!has("output.weight")),
    );
    if has("blk.0.attn_q.weight") {
        config.insert("qkv_bias".to_owned(), json!(has("blk.0.attn_q.bias")));
    }
    Ok(config)
}

/// Sizes of latent attention; where the cache holds what is compressed, those of heads stand in
/// keys of their own.
fn latent(
    header: &Header,
    own: &str,
    config: &mut Map<String, serde_json::Value>,
) -> Result<(), LoadError> {
    let number = |key: &str| header.number(&format!("{own}.attention.{key}"));
    let key = number("key_length_mla")?.or(number("key_length")?);
    let value = number("value_length_mla")?.or(number("value_length")?);
    let turned = header.number(&format!("{own}.rope.dimension_count"))?;
    let plain = key
        .zip(turned)
        .and_then(|(key, turned)| key.checked_sub(turned));
    config.remove("head_dim");
    config.insert("qk_rope_head_dim".to_owned(), json!(turned));
    config.insert("qk_nope_head_dim".to_owned(), json!(plain));
    config.insert("v_head_dim".to_owned(), json!(value));
    Ok(())
}
