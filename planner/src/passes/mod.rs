//! Graph rewrites in the order they run.

mod given;
pub(crate) mod fold;
pub(crate) mod fuse;

pub use fold::fold;
pub use given::{give, parameters};
