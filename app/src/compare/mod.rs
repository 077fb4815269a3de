//! Strategies side by side: figures, badges, bounds.

mod answer;
pub(crate) mod badge;
pub(crate) mod bounds;
pub(crate) mod table;
pub(crate) mod compare_row;
pub(crate) mod replan;
