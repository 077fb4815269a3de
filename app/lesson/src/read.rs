//! Bytes → lesson.

use planner::{Message, impl_message, message};

use crate::model::Lesson;

/// A lesson file is at most so large.
pub const MOST_BYTES: usize = 1 << 20;

/// Why a file is no lesson.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misread {
    /// It is larger than [`MOST_BYTES`].
    TooLarge,
    /// Something in it cannot be read: line and column, from 1, and what.
    At(usize, usize, String),
}

impl Misread {
    /// It in words.
    #[must_use]
    pub fn message(&self) -> Message {
        match self {
            Self::TooLarge => message!("it is larger than {} MiB", MOST_BYTES >> 20),
            Self::At(line, column, what) => {
                message!(
                    "line {}, column {}: {}",
                    line,
                    column,
                    Message::verbatim(what)
                )
            }
        }
    }
}

impl_message!(Misread);

impl std::error::Error for Misread {}

/// Reads the text of a lesson file.
///
/// # Errors
/// [`Misread`], with the place.
pub fn read(text: &str) -> Result<Lesson, Misread> {
    if text.len() > MOST_BYTES {
        return Err(Misread::TooLarge);
    }
    serde_json::from_str(text).map_err(|error| {
        let said = error.to_string();
        // The place is said beside it.
        let what = said
            .rsplit_once(" at line ")
            .map_or(&*said, |(what, _)| what);
        Misread::At(error.line(), error.column(), what.to_owned())
    })
}
