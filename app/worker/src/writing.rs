//! The graph of a case as text, and a text that is read in its place.

use std::rc::Rc;

use planner::load::{self, Document, Format, LoadError, Source, Warning};
use planner::save;

use crate::case::Case;

/// The graph of a case as it was opened. What was opened as text is that text, with its comments.
/// `None` for what is no graph.
pub(crate) fn written_text(case: &Case, files: &[&dyn Source]) -> Option<String> {
    let graph = case.base.graph()?;
    let own = files
        .first()
        .filter(|_| case.opened.format == Format::GraphText);
    let own = own.and_then(|file| load::plain_text(*file).ok());
    let text = own.unwrap_or_else(|| save::graph_text(graph));
    // As editors have it.
    Some(text.replace("\r\n", "\n"))
}

/// The graph that `text` says. Its constants are those of `base`, as far as they are called alike
/// and have the same shape.
pub(crate) fn rewritten(
    base: &Document,
    text: &str,
) -> Result<(Rc<Document>, Vec<Warning>), LoadError> {
    let (graph, warnings) = load::graph_text(text, base.graph())?;
    Ok((Rc::new(Document::Model(graph)), warnings))
}
