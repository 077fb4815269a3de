//! How a file stores elements that are not simply there: quantised, or sparse. Planning needs
//! none of it; what runs the graph does.

use serde::{Deserialize, Serialize};

/// Integers q that stand for numbers: scale × (q − zero point).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Quantization {
    /// One, or one per index of `axis`.
    pub scales: Vec<f32>,
    /// As many as there are scales.
    pub zero_points: Vec<i64>,
    /// The dimension along which scales differ, outermost first.
    pub axis: u32,
}

/// Elements of which only those that are not zero are stored, level by level: a level is a
/// dimension, or a dimension of a dense block.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sparsity {
    /// Which dimension each level is of; numbers from the rank on are dimensions of the block.
    pub order: Vec<u32>,
    /// Which dimension of the tensor each dimension of the block divides.
    pub blocks: Vec<u32>,
    /// The levels, outermost first.
    pub levels: Vec<Level>,
}

/// One level of a sparse tensor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Level {
    /// Every index below this.
    Dense(u32),
    /// Only some indices: those of entry n of the level above are
    /// `indices[segments[n]..segments[n + 1]]`.
    Compressed {
        /// Where the indices of each entry begin.
        segments: Numbers,
        /// The indices of all entries, one after the other.
        indices: Numbers,
    },
}

/// Little-endian numbers in the opened file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Numbers {
    /// First byte.
    pub start: u64,
    /// How many.
    pub len: u64,
    /// Bytes of each: 1 or 2 without sign, or 4 with one.
    pub width: u8,
}
