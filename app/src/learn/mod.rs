//! Lessons: scenes that ask before the planner shows, beside the real picture.

// In reading order.
mod sheet;
mod progress;
mod fetched;
pub(crate) mod player;
mod moves;
mod ask;
mod place;
mod ordered;
mod tools;
mod pen;
mod print;
mod channel;
pub(crate) mod panel;
pub(crate) mod list;
pub(crate) mod keys;
pub(crate) mod notes;
pub(crate) mod offer;
