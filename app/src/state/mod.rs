//! The state as panes read it, the driver between it and the browser, and what is derived of it.

pub(crate) mod coloring;
pub(crate) mod difference;
pub(crate) mod driver;
pub(crate) mod film;
pub(crate) mod graph;
pub(crate) mod graph_text;
pub(crate) mod hand;
pub(crate) mod insight;
pub(crate) mod keeper;
pub(crate) mod lookup;
pub(crate) mod memory;
pub(crate) mod part;
pub(crate) mod run;
pub(crate) mod session;
pub(crate) mod share;
pub(crate) mod shipped;
mod taught;
pub(crate) mod training;
pub(crate) mod view;
pub(crate) mod witness;
