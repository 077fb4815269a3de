//! Graph rewrites in the order they run.

pub mod given;
pub mod fold;
pub mod fuse;
