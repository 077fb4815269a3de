//! The header of a safetensors file: eight bytes of its length, then JSON that gives type, shape and
//! place of every tensor. What lies behind it is never read.
//!
//! Source: the format's description in the safetensors repository (README, "Format").

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};

use crate::graph::DType;
use crate::load::{Fault, LoadError, Source};
use crate::{Message, message};

/// The most bytes of a header, as the format's own reader has it.
const MOST_HEADER: u64 = 100_000_000;
/// The most tensors of a file.
pub(super) const MOST_TENSORS: usize = 1 << 18;
/// What the format keeps for texts about the file.
const METADATA: &str = "__metadata__";

/// What is known of a tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tensor {
    /// The type in the file's own words.
    pub(super) kind: String,
    pub(super) dims: Vec<u64>,
    pub(super) bytes: u64,
}

/// The tensors of a file by name.
pub(super) type Tensors = BTreeMap<String, Tensor>;

/// Whether a file that begins with `head` is one.
pub(in crate::load) fn sniff(head: &[u8]) -> bool {
    let length = head.first_chunk::<8>().map(|it| u64::from_le_bytes(*it));
    let is_length = length.is_some_and(|it| (2..=MOST_HEADER).contains(&it));
    is_length && head.get(8) == Some(&b'{')
}

/// Its bits where it is a type that we know.
fn bits(kind: &str) -> Option<u64> {
    Some(match kind {
        "BOOL" | "U8" | "I8" | "F8_E4M3" | "F8_E5M2" | "F8_E8M0" => 8,
        "U16" | "I16" | "F16" | "BF16" => 16,
        "U32" | "I32" | "F32" => 32,
        "U64" | "I64" | "F64" | "C64" => 64,
        "F4" => 4,
        "F6_E2M3" | "F6_E3M2" => 6,
        _ => return None,
    })
}

/// The type that weights of it are computed with.
pub(super) fn dtype(kind: &str) -> Option<DType> {
    Some(match kind {
        "F32" => DType::F32,
        "F16" => DType::F16,
        "BF16" => DType::BF16,
        _ => return None,
    })
}

/// Reads the header of `source`.
///
/// # Errors
/// [`LoadError`] with the byte or the tensor at fault.
pub(super) fn header(source: &dyn Source) -> Result<Tensors, LoadError> {
    let mut length = [0; 8];
    source.read_at(0, &mut length)?;
    let length = u64::from_le_bytes(length);
    let behind = source.len().saturating_sub(8);
    if length > behind {
        let why = message!("the header has {} bytes, and {} follow", length, behind);
        return Err(Fault::Truncated.at(message!("byte 0"), why));
    }
    if length > MOST_HEADER {
        let why = message!("the header has {} bytes, more than {}", length, MOST_HEADER);
        return Err(Fault::Limit.at(message!("byte 0"), why));
    }
    let mut text = vec![0; usize::try_from(length).unwrap_or_default()];
    source.read_at(8, &mut text)?;
    let listed: Listed = serde_json::from_slice(&text).map_err(|error| {
        let place = message!("header, line {} column {}", error.line(), error.column());
        Fault::Malformed.at(place, Message::verbatim(error.to_string()))
    })?;
    let data = behind - length;
    let mut tensors = Tensors::new();
    for (name, entry) in listed.0 {
        let tensor = checked(&name, entry, data)?;
        if tensors.len() == MOST_TENSORS {
            let why = message!("more than {} tensors", MOST_TENSORS);
            return Err(Fault::Limit.in_file(why));
        }
        if tensors.insert(name.clone(), tensor).is_some() {
            return Err(Fault::Duplicate.at(of(&name), message!("it is there twice")));
        }
    }
    Ok(tensors)
}

fn of(name: &str) -> Message {
    message!("tensor {}", format_args!("{name:?}"))
}

/// The tensor of an entry, whose bytes lie in `data` bytes behind the header.
fn checked(name: &str, entry: Entry, data: u64) -> Result<Tensor, LoadError> {
    let Entry {
        dtype,
        shape,
        data_offsets: (from, to),
    } = entry;
    let Some(bits) = bits(&dtype) else {
        let why = message!("the type {} is not known here", format_args!("{dtype:?}"));
        return Err(Fault::Unsupported.at(of(name), why));
    };
    let elements = shape
        .iter()
        .try_fold(1_u64, |all, dim| all.checked_mul(*dim));
    let needed = elements.and_then(|it| it.checked_mul(bits));
    let Some(needed) = needed.map(|it| it.div_ceil(8)) else {
        return Err(Fault::Limit.at(of(name), message!("its bytes are beyond 64 bits")));
    };
    let has = to.checked_sub(from).filter(|_| to <= data);
    match has {
        None => {
            let why = message!(
                "bytes {} to {} lie outside of the {} that follow",
                from,
                to,
                data
            );
            Err(Fault::Truncated.at(of(name), why))
        }
        Some(has) if has != needed => {
            let why = message!("its shape needs {} bytes, and it has {}", needed, has);
            Err(Fault::Malformed.at(of(name), why))
        }
        Some(bytes) => Ok(Tensor {
            kind: dtype,
            dims: shape,
            bytes,
        }),
    }
}

#[derive(Deserialize)]
struct Entry {
    dtype: String,
    shape: Vec<u64>,
    data_offsets: (u64, u64),
}

/// Entries in the order of the file, so that one that is there twice is seen.
struct Listed(Vec<(String, Entry)>);

impl<'de> Deserialize<'de> for Listed {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = Listed;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of tensors")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Listed, A::Error> {
                let mut found = Vec::new();
                while let Some(name) = map.next_key::<String>()? {
                    if name == METADATA {
                        map.next_value::<serde::de::IgnoredAny>()?;
                        continue;
                    }
                    found.push((name, map.next_value()?));
                }
                Ok(Listed(found))
            }
        }
        from.deserialize_map(Entries)
    }
}
