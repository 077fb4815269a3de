//! Sizes, addresses, spans and shapes as text.

use planner::{Buffer, Offset, Span, Subject};

use crate::format;
use crate::state::session::Session;
use crate::words::{Word, filled};

/// Dimensions and element type: "1×3×224×224 f32"; nothing without a model.
pub(crate) fn shape_text(subject: &Subject, buffer: &Buffer) -> Option<String> {
    let tensor = subject.graph()?.tensor(subject.tensor(buffer)?);
    let dims = format::dims(tensor.dims.as_ref()?);
    Some(format!("{dims} {}", tensor.dtype.name()))
}

/// A size twice: to read, and exactly.
pub(crate) fn size_text(bytes: u64) -> String {
    if bytes < 1024 {
        return format::exact(bytes);
    }
    format!("{} ({})", format::bytes(bytes), format::exact(bytes))
}

/// First and last step, both inclusive, and how many they are.
pub(crate) fn steps_text(session: Session, span: Span) -> String {
    let last = span.end.0.saturating_sub(1).max(span.start.0);
    let numbers = [span.start.0, last, span.len()].map(format::grouped);
    filled(
        session.say(Word::StepsFromTo),
        &numbers.each_ref().map(String::as_str),
    )
}

/// An address in bytes, decimal and hexadecimal.
pub(crate) fn offset_text(offset: Offset) -> String {
    format!("{} ({:#x})", format::exact(offset.0), offset.0)
}
