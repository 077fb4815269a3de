//! The same as [`matmul`](super::matmul), tile by tile through workgroup memory.

pub(super) use super::matmul::twin;

/// Rows and columns of y that a workgroup computes.
pub(crate) const TILE: u32 = 64;
