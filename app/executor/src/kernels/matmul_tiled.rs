//! The same as [`matmul`](super::matmul), tile by tile through workgroup memory.

pub(super) use super::matmul::reference;

/// Rows and columns of y that a workgroup computes.
pub(crate) const TILE: u32 = 64;
