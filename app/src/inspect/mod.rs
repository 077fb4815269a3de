//! Everything about one buffer, one place or one part of the arena.

mod beside;
pub(crate) mod inspector;
pub(crate) mod peak_answer;
pub(crate) mod provenance;
pub(crate) mod refusals;
mod reliefs;
pub(crate) mod segments;
pub(crate) mod spot_card;
pub(crate) mod waste;
