//! What the page knows: data, and what can be read from it. How it changes lies above, and nothing
//! here names anything of that.

// In reading order.
pub(crate) mod language;
pub(crate) mod appearance;
pub(crate) mod column;
pub(crate) mod grouping;
pub(crate) mod effort;
pub(crate) mod link;
pub(crate) mod given;
pub(crate) mod source;
pub(crate) mod tracked;
pub(crate) mod ask;
pub(crate) mod timer;
pub(crate) mod progress;
pub(crate) mod notice;
pub(crate) mod layout;
pub(crate) mod page;
pub(crate) mod machines;
pub(crate) mod insight;
pub(crate) mod pace;
pub(crate) mod film;
pub(crate) mod look;
pub(crate) mod hand;
pub(crate) mod advice;
pub(crate) mod stages;
pub(crate) mod training;
pub(crate) mod training_steps;
pub(crate) mod text;
pub(crate) mod sweep;
pub(crate) mod price;
pub(crate) mod run;
pub(crate) mod comparison;
pub(crate) mod learn;
pub(crate) mod opening;
pub(crate) mod visits;
pub(crate) mod waiting;
pub(crate) mod case;
pub(crate) mod event;
pub(crate) mod effect;
pub(crate) mod worker_queue;
pub(crate) mod state;
