//! Sizes, steps, names of plans and reasons as text, in the language of the page.

pub(crate) mod allocators;
pub(crate) mod arena;
pub(crate) mod beside;
pub(crate) mod block;
pub(crate) mod fault;
pub(crate) mod file_name;
pub(crate) mod group;
pub(crate) mod headline;
pub(crate) mod linked;
pub(crate) mod measured;
pub(crate) mod quantity;
pub(crate) mod refusal;
pub(crate) mod title;
pub(crate) mod violation;
pub(crate) mod waiting;
pub(crate) mod why;
pub(crate) mod wiring;
