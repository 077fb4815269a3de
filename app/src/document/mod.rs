//! What is open, and what it is planned for.

pub(crate) mod arenas;
mod basis;
pub(crate) mod cases;
pub(crate) mod constraints;
pub(crate) mod pane;
pub(crate) mod passes;
pub(crate) mod legend;
pub(crate) mod pools;
pub(crate) mod settings;
