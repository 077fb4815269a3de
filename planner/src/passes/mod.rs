//! Graph rewrites in the order they run.

pub mod fold;
pub mod fuse;
