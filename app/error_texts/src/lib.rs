//! What planner, executor and workers say of faults, in Chinese.
//!
//! They say it in English, which the command line prints as it is: sentences made of a template
//! and of what the file, the plan or the device gives. Here every template stands beside its
//! Chinese one, and a sentence is taken apart by the templates that leave least of it unknown.
//! What stands in their holes goes over unchanged where it is quoted, a name or a number, and is
//! itself put into Chinese where it was made of a template.

mod reading;
mod rows;
mod spacing;
mod template;

use spacing::spaced;

pub use rows::{foreign, rows};

/// `text` in Chinese, with everything in it that has no template left as it is.
#[must_use]
pub fn in_chinese(text: &str) -> String {
    reading::told(text).map_or_else(|| text.to_owned(), |told| spaced(&told.chinese))
}

/// The English template that `text` is taken for.
#[must_use]
pub fn template_of(text: &str) -> Option<&'static str> {
    Some(reading::told(text)?.template)
}
