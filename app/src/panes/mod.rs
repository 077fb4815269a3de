//! What the page consists of: one component per file. Panes read the session and say what
//! the person did; they change nothing themselves.

pub(crate) mod badge;
pub(crate) mod bar;
pub(crate) mod bounds;
pub(crate) mod compare;
mod compare_row;
pub(crate) mod constraints;
pub(crate) mod document;
pub(crate) mod export;
mod faults;
pub(crate) mod film;
pub(crate) mod help;
mod hold;
pub(crate) mod hover_card;
pub(crate) mod inspector;
pub(crate) mod keys;
pub(crate) mod labels;
pub(crate) mod legend;
pub(crate) mod minimap;
pub(crate) mod notes;
pub(crate) mod notice;
pub(crate) mod operators;
mod outlook;
pub(crate) mod painter;
pub(crate) mod pane;
pub(crate) mod pointer;
pub(crate) mod pools;
pub(crate) mod run;
pub(crate) mod run_marks;
pub(crate) mod search;
pub(crate) mod settings;
pub(crate) mod size;
pub(crate) mod stage;
pub(crate) mod tabs;
pub(crate) mod tensors;
pub(crate) mod what_if;
