//! Lessons: scenes that ask before the planner shows, beside the real picture.

use crate::browser::style_sheet;

// In reading order.
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

/// Makes sure that the style sheet of lessons is there: it comes with the first of them.
fn fetch_sheet() {
    style_sheet::fetch("./public/lessons/learn.css", None);
}
