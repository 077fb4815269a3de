//! A plan: one offset per buffer, the arena size, the shared objects if any. No algorithm.

use serde::{Deserialize, Serialize};

use crate::units::{Bytes, Offset};

/// Where every buffer of a [`Lifetimes`](crate::liveness::Lifetimes) lives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// Who made it: a strategy's name, or what an imported plan says of itself.
    pub origin: String,
    /// One offset per buffer, in the buffers' order.
    pub offsets: Vec<Offset>,
    /// Size of the arena: no buffer ends behind it.
    pub arena: Bytes,
    /// The shared objects, for strategies that assign buffers to objects.
    pub objects: Option<Objects>,
}

/// Shared objects laid end to end in one arena.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Objects {
    /// Size of each object.
    pub sizes: Vec<Bytes>,
    /// Start of each object in the arena: the sum of the sizes before it.
    pub offsets: Vec<Offset>,
    /// Index of the object that holds each buffer, in the buffers' order.
    pub of_buffer: Vec<u32>,
}

/// What a plan must honour beside its lifetimes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// Every block starts at a multiple of this many bytes.
    pub alignment: Bytes,
}
