//! What a person tells of files that do not say it themselves.

use planner::Span;
use planner::load::Meaning;

/// What a person tells of files that do not say it themselves.
#[derive(Clone, Copy)]
pub(super) enum Told<'a> {
    /// As a table whose columns mean this, or by what they are where none is named.
    Columns(&'a [(Meaning, String)]),
    /// As a recording, of which only these events are read.
    Range(Span),
}

/// The events from the first up to and without the last.
pub(super) fn range(text: &str) -> Result<Span, String> {
    let ends = text.split_once("..");
    let ends = ends.and_then(|(first, end)| Some((first.parse().ok()?, end.parse().ok()?)));
    match ends {
        Some((first, end)) if first < end => Ok(Span::new(first, end)),
        _ => Err("write FIRST..END, two numbers of events with FIRST below END".into()),
    }
}
