//! Sizes, addresses, spans and shapes as text.

use planner::{Offset, Span, Subject};

use timeline::axis::time_text;

use crate::format;
use crate::state::session::Session;
use crate::strings::{FrameWord, Word, filled};

/// Dimensions and element type of a buffer: "1×3×224×224 f32"; nothing where neither a model
/// nor the file of a deployed plan says them.
pub(crate) fn shape_text(subject: &Subject, index: usize) -> Option<String> {
    let buffer = subject.lifetimes.buffers.get(index)?;
    let tensor = subject.graph().zip(subject.tensor(buffer));
    if let Some(tensor) = tensor.map(|(graph, id)| graph.tensor(id)) {
        let dims = format::dims(tensor.dims.as_ref()?);
        // What is counted during a run may be less.
        let at_most = if tensor.at_most { "≤ " } else { "" };
        return Some(format!("{at_most}{dims} {}", tensor.dtype.name()));
    }
    let value = subject.notes.get(index)?.value.as_deref()?;
    let dims = value.shape.as_deref().map(format::dims);
    let known = dims.into_iter().chain([value.dtype.clone()]);
    let known: Vec<String> = known.filter(|it| !it.is_empty()).collect();
    (!known.is_empty()).then(|| known.join(" "))
}

/// A size twice: to read, and exactly.
pub(crate) fn size_text(bytes: u64) -> String {
    if bytes < 1024 {
        return format::exact(bytes);
    }
    format!("{} ({})", format::bytes(bytes), format::exact(bytes))
}

/// First and last step, both inclusive, and how many they are; when that was, where the file says.
pub(crate) fn steps_text(session: Session, span: Span) -> String {
    let last = span.end.0.saturating_sub(1).max(span.start.0);
    let numbers = [span.start.0, last, span.len()].map(format::grouped);
    let steps = filled(
        session.say(Word::StepsFromTo),
        &numbers.each_ref().map(String::as_str),
    );
    let times = session.prepared.with(|prepared| {
        let clock = prepared.as_ref().map(|it| &it.subject.clock);
        let clock = clock.filter(|clock| !clock.is_empty())?;
        Some([span.start, span.end].map(|step| clock.began(step)))
    });
    let Some([from, to]) = times else {
        return steps;
    };
    let [from, to, long] = [from, to, to - from].map(time_text);
    let word = session.say(FrameWord::TimesFromTo);
    filled(word, &[&steps, &from, &to, &long])
}

/// An address in bytes, decimal and hexadecimal.
pub(crate) fn offset_text(offset: Offset) -> String {
    format!("{} ({:#x})", format::exact(offset.0), offset.0)
}
