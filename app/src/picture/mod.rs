//! The panes: one plan each as rectangles over time and memory, and what the pointer does there.

pub(crate) mod around;
pub(crate) mod control;
pub(crate) mod drag;
pub(crate) mod difference_marks;
pub(crate) mod violations;
pub(crate) mod film_marks;
pub(crate) mod graph;
pub(crate) mod hover_card;
pub(crate) mod introduction;
pub(crate) mod lanes;
pub(crate) mod look;
pub(crate) mod minimap;
pub(crate) mod outlook;
mod nothing_here;
mod painting;
pub(crate) mod pane;
pub(crate) mod pointer;
pub(crate) mod run_marks;
pub(crate) mod silhouette;
pub(crate) mod spot;
pub(crate) mod canvas;
pub(crate) mod why;
