//! What is wrong with JSON, where.

use serde_json::error::Category;

use crate::load::{Fault, LoadError};
use crate::{Message, message};

/// The error of a JSON text as one of a file.
pub(super) fn invalid(error: &serde_json::Error) -> LoadError {
    let text = error.to_string();
    (match error.classify() {
        Category::Eof => Fault::Truncated,
        _ => Fault::Malformed,
    })
    .at(
        message!("line {}, column {}", error.line(), error.column()),
        Message::verbatim(text.split(" at line ").next().unwrap_or_default()),
    )
}
