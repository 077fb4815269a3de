//! Safetensors: the headers alone, of one file or of several that belong together, with the
//! `config.json` and the index of Hugging Face where they are given.
//!
//! The architecture is that of the configuration, else what the tensors' names and shapes tell.

mod header;
mod names;

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::transformer::{self, Described, Stored};
use super::{Fault, Format, LoadError, Loaded, Part, Source, Warning, head, text};
use crate::message;
use crate::{Message, graph::DType};
use header::{MOST_TENSORS, Tensor, Tensors, dtype, header};

pub(super) use header::sniff;

/// The most bytes of an index.
const MOST_INDEX: u64 = 100_000_000;

/// Whether a text that begins with `head` is an index: which file has which tensor.
pub(super) fn sniff_index(head: &[u8]) -> bool {
    let has = |key: &[u8]| head.windows(key.len()).any(|it| it == key);
    head.trim_ascii_start().starts_with(b"{") && has(b"\"weight_map\"")
}

/// Whether files that begin with `heads` are of one model: weights or an index among them, and
/// nothing else beside a configuration.
pub(super) fn are_parts(heads: &[Vec<u8>]) -> bool {
    let own = |head: &Vec<u8>| sniff(head) || sniff_index(head);
    let beside = |head: &Vec<u8>| own(head) || transformer::sniff(head);
    heads.iter().any(own) && heads.iter().all(beside)
}

/// An index.
#[derive(Deserialize)]
struct Index {
    #[serde(default)]
    metadata: Metadata,
    weight_map: BTreeMap<String, String>,
}

#[derive(Default, Deserialize)]
struct Metadata {
    #[serde(default)]
    total_size: Option<u64>,
}

/// Reads the graph of the architecture of `parts`.
///
/// # Errors
/// [`LoadError`] with the file and the byte, the key or the tensor at fault; of an architecture that
/// is not known with what its tensors take.
pub(super) fn read(parts: &[Part<'_>]) -> Result<Loaded, LoadError> {
    let (described, warnings) = described(parts)?;
    let document = transformer::document(&described)?;
    Ok((Format::Safetensors, document, warnings))
}

/// What `parts` describe together.
///
/// # Errors
/// As those of [`read`].
pub(super) fn described(parts: &[Part<'_>]) -> Result<(Described, Vec<Warning>), LoadError> {
    let mut found = Found::default();
    for part in parts {
        let read = found.take(part.source);
        read.map_err(|error| match parts.len() {
            1 => error,
            _ => error.within(part.name),
        })?;
    }
    let told = found.told();
    let (mut described, mut warnings) = match found.config.take() {
        Some(config) => config,
        None => found.by_names().map_err(|error| LoadError {
            message: message!("{}; {}", error.message, told.clone()),
            ..error
        })?,
    };
    if let Some(dtype) = found.one_type() {
        described.execution.weights = dtype;
    }
    if !found.tensors.is_empty() {
        warnings.extend(described.store(found.stored()));
    }
    warnings.extend(found.missing());
    warnings.insert(0, Warning::of_file(told));
    Ok((described, warnings))
}

/// What the files have.
#[derive(Default)]
struct Found {
    tensors: Tensors,
    index: Option<Index>,
    config: Option<(Described, Vec<Warning>)>,
}

impl Found {
    fn take(&mut self, source: &dyn Source) -> Result<(), LoadError> {
        let head = head(source)?;
        if sniff(&head) {
            for (name, tensor) in header(source)? {
                if self.tensors.len() == MOST_TENSORS {
                    let why = message!("more than {} tensors", MOST_TENSORS);
                    return Err(Fault::Limit.in_file(why));
                }
                if self.tensors.insert(name.clone(), tensor).is_some() {
                    let place = message!("tensor {}", format_args!("{name:?}"));
                    return Err(Fault::Duplicate.at(place, message!("another file has it, too")));
                }
            }
        } else if sniff_index(&head) {
            text::limited(source, MOST_INDEX)?;
            let text = text::read(source)?;
            let index =
                serde_json::from_str(&text).map_err(|error| transformer::malformed(&error))?;
            self.index = Some(index);
        } else {
            self.config = Some(transformer::described(source)?);
        }
        Ok(())
    }

    /// The architecture that names tell.
    fn by_names(&self) -> Result<(Described, Vec<Warning>), LoadError> {
        if self.tensors.is_empty() && self.index.is_none() {
            return Err(Fault::Malformed.in_file(message!("it has no tensors")));
        }
        if self.tensors.is_empty() {
            return Err(Fault::Partner.in_file(message!(
                "an index has no shapes: open config.json with it, or the files that it names"
            )));
        }
        let Some((config, guessed)) = names::config(&self.tensors) else {
            return Err(Fault::Unsupported.in_file(message!(
                "its tensors have names of no architecture that is known here: open config.json \
                 with it"
            )));
        };
        let (described, mut warnings) = transformer::of_config(&config)?;
        if let Some(size) = guessed {
            warnings.push(Warning::of_file(message!(
                "shapes do not tell how many heads there are: {} numbers each are taken; \
                 config.json, opened with it, tells",
                size
            )));
        }
        Ok((described, warnings))
    }

    /// What the tensors take, by their types; of an index alone what it says itself.
    fn told(&self) -> Message {
        if let (true, Some(index)) = (self.tensors.is_empty(), &self.index) {
            let files: BTreeSet<&String> = index.weight_map.values().collect();
            let bytes = index.metadata.total_size.unwrap_or(0);
            return message!(
                "its index names {} tensors in {} files, {} bytes",
                index.weight_map.len(),
                files.len(),
                bytes
            );
        }
        let tensors = self.tensors.values();
        transformer::taken(tensors.map(|Tensor { kind, bytes, .. }| (kind.as_str(), *bytes)))
    }

    /// What each tensor takes.
    fn stored(&self) -> Stored {
        let mut stored = Stored::default();
        for (name, tensor) in &self.tensors {
            let elements = tensor
                .dims
                .iter()
                .try_fold(1_u64, |all, it| all.checked_mul(*it));
            stored.add(name, (elements.unwrap_or(0), tensor.bytes));
        }
        stored
    }

    /// The tensors of the index that no file has.
    fn missing(&self) -> Option<Warning> {
        let index = self.index.as_ref().filter(|_| !self.tensors.is_empty())?;
        let missing = index
            .weight_map
            .iter()
            .filter(|(name, _)| !self.tensors.contains_key(*name));
        let files: BTreeSet<&str> = missing.map(|(_, file)| file.as_str()).collect();
        let first = files.first()?;
        let why = message!(
            "tensors of {} files are missing, of {} first",
            files.len(),
            *first
        );
        Some(Warning::of_file(why))
    }

    /// The type of all tensors of two dimensions, where they have one that we compute with.
    fn one_type(&self) -> Option<DType> {
        let mut wide = self.tensors.values().filter(|it| it.dims.len() > 1);
        let first = &wide.next()?.kind;
        let same = wide.all(|it| it.kind == *first);
        dtype(first).filter(|_| same)
    }
}
