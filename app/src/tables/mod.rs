//! The document as tables, and the search in them.

pub(crate) mod notes;
pub(crate) mod operators;
pub(crate) mod search;
pub(crate) mod tensors;
