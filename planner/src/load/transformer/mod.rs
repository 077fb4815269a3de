//! Transformers by their description: what Hugging Face calls `config.json`, and our own JSON.
//!
//! ```text
//! {"arenascope_transformer": 1,
//!  "transformer": {"layers": 2, "hidden": 64, "heads": 4, "key_value_heads": 4, "head_size": 16,
//!                  "feed_forward": {"size": 256}, "vocabulary": 1000},
//!  "execution": {"mode": {"decode": 4096}, "attention": "fused", "batch": 4}}
//! ```
//!
//! What they describe is written as a graph, see [`crate::generate`].

mod family;
mod hugging_face;
mod stored;
mod unread;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub(super) use hugging_face::of_config;
pub(super) use stored::Stored;

use super::{Document, Fault, LoadError, Part, Source, Warning, gguf, head, safetensors, text};
use crate::generate::{Execution, NoTransformer, Transformer, graph};
use crate::graph::Graph;
use crate::{Message, message};

/// The version that we read and write.
const VERSION: u64 = 1;
/// The key that our own descriptions have.
const KEY: &[u8] = b"\"arenascope_transformer\"";
/// The most bytes of a description.
const MAX_TEXT: u64 = 4 << 20;

/// A description with how it runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Described {
    /// The version of the form.
    #[serde(rename = "arenascope_transformer")]
    version: u64,
    /// What it is.
    pub transformer: Transformer,
    /// How it runs.
    #[serde(default)]
    pub execution: Execution,
    /// What the file has of each weight, if it has any.
    #[serde(skip)]
    stored: Stored,
}

impl Described {
    /// A transformer and how it runs.
    #[must_use]
    pub fn new(transformer: Transformer, execution: Execution) -> Self {
        Self {
            version: VERSION,
            transformer,
            execution,
            stored: Stored::default(),
        }
    }

    /// Takes the bytes that a file has its weights in; what is to be said of it.
    pub(super) fn store(&mut self, stored: Stored) -> Vec<Warning> {
        self.stored = stored;
        let bits = self.execution.weights.bits().unwrap_or_default();
        let graph = graph(&self.transformer, &self.execution);
        graph.map_or_else(
            |_refused| Vec::new(),
            |mut graph| self.stored.tell(&mut graph).warnings(bits),
        )
    }

    /// The graph of it, with the bytes of its weights.
    ///
    /// # Errors
    /// [`NoTransformer`] with the figure that does not go with the others.
    pub fn graph(&self) -> Result<Graph, NoTransformer> {
        let mut graph = graph(&self.transformer, &self.execution)?;
        self.stored.tell(&mut graph);
        Ok(graph)
    }

    /// As a file.
    ///
    /// # Panics
    /// Never: figures and names can always be written.
    #[must_use]
    pub fn written(&self) -> String {
        serde_json::to_string_pretty(self).expect("figures and names can be written")
    }
}

/// Whether a file that begins with `head` describes a transformer.
pub(super) fn sniff(head: &[u8]) -> bool {
    let has = |key: &[u8]| head.windows(key.len()).any(|it| it == key);
    let is_object = head.trim_ascii_start().starts_with(b"{");
    is_object && (has(KEY) || hugging_face::sniff(&has))
}

/// Reads the description in `source`.
///
/// # Errors
/// [`LoadError`] with the line and column, or the key at fault.
pub fn described(source: &dyn Source) -> Result<(Described, Vec<Warning>), LoadError> {
    if gguf::sniff(&head(source)?) {
        return gguf::described(source);
    }
    if safetensors::sniff(&head(source)?) || safetensors::sniff_index(&head(source)?) {
        let name = "file";
        return safetensors::described(&[Part { name, source }]);
    }
    text::limited(source, MAX_TEXT)?;
    let text = text::read(source)?;
    let text = text.trim_start_matches('\u{feff}');
    if !text.contains("\"arenascope_transformer\"") {
        return hugging_face::read(text);
    }
    let described: Described = serde_json::from_str(text).map_err(|error| malformed(&error))?;
    match described.version {
        VERSION => Ok((described, Vec::new())),
        other => Err(at_key(
            "arenascope_transformer",
            message!("version {} is not known here: {} is", other, VERSION),
        )),
    }
}

/// Reads the graph that is described in `source`.
///
/// # Errors
/// See [`described`].
pub(super) fn read(source: &dyn Source) -> Result<(Document, Vec<Warning>), LoadError> {
    let (described, warnings) = described(source)?;
    Ok((document(&described)?, warnings))
}

/// The graph of what is described.
///
/// # Errors
/// [`LoadError`] with the figure that does not go with the others.
pub(super) fn document(described: &Described) -> Result<Document, LoadError> {
    let graph = described.graph();
    let graph = graph.map_err(|NoTransformer { at, why }| at_key(at, why))?;
    Ok(Document::Model(graph))
}

fn at_key(key: &str, why: Message) -> LoadError {
    Fault::Malformed.at(message!("key \"{}\"", key), why)
}

/// What tensors of these types and bytes take.
pub(super) fn taken<'a>(tensors: impl Iterator<Item = (&'a str, u64)>) -> Message {
    let mut by_type: BTreeMap<&str, u64> = BTreeMap::new();
    let (mut count, mut all) = (0, 0_u64);
    for (kind, bytes) in tensors {
        let of_type = by_type.entry(kind).or_default();
        *of_type = of_type.saturating_add(bytes);
        all = all.saturating_add(bytes);
        count += 1;
    }
    let types = by_type
        .iter()
        .map(|(name, bytes)| format!("{name} {bytes}"));
    let types = types.collect::<Vec<_>>().join(", ");
    let noun = match count {
        1 => message!("tensor"),
        _ => message!("tensors"),
    };
    message!("its {} {} take {} bytes: {}", count, noun, all, types)
}

/// Where JSON goes wrong.
pub(super) fn malformed(error: &serde_json::Error) -> LoadError {
    let place = message!("line {} column {}", error.line(), error.column());
    Fault::Malformed.at(place, Message::verbatim(error.to_string()))
}
