//! What a reply carries as bytes, so that only who opens it carries the code that reads it: of
//! most replies that is not the first load.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{DeserializeOwned, Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A `T` in postcard's encoding.
#[derive(Debug)]
pub struct Packed<T> {
    bytes: Vec<u8>,
    what: PhantomData<fn() -> T>,
}

impl<T: Serialize> Packed<T> {
    /// Packs `it`; `None` for what cannot be encoded.
    #[must_use]
    pub fn new(it: &T) -> Option<Self> {
        let bytes = postcard::to_allocvec(it).ok()?;
        Some(Self::of(bytes))
    }
}

impl<T: DeserializeOwned> Packed<T> {
    /// What was packed; `None` for bytes that are none.
    #[must_use]
    pub fn open(&self) -> Option<T> {
        postcard::from_bytes(&self.bytes).ok()
    }
}

impl<T> Packed<T> {
    /// The same bytes as another type.
    #[must_use]
    pub fn retyped<U>(self) -> Packed<U> {
        Packed::of(self.bytes)
    }

    fn of(bytes: Vec<u8>) -> Self {
        Self {
            bytes,
            what: PhantomData,
        }
    }
}

impl<T> Clone for Packed<T> {
    fn clone(&self) -> Self {
        Self::of(self.bytes.clone())
    }
}

impl<T> PartialEq for Packed<T> {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl<T> Serialize for Packed<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.bytes)
    }
}

impl<'de, T> Deserialize<'de> for Packed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(Bytes).map(Self::of)
    }
}

struct Bytes;

impl Visitor<'_> for Bytes {
    type Value = Vec<u8>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("bytes")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
        Ok(bytes.to_vec())
    }
}
