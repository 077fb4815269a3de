//! The graph of a case as text, and a text that is read in its place.

use std::rc::Rc;

use planner::load::{self, Document, Format, Source};
use planner::save;
use serde::{Deserialize, Serialize};

use crate::asks::{Answered, AskContext};
use crate::case::Case;
use crate::{Reply, opened};

/// Write the graph of a case, as it was opened, as text. The files come with the question. There is
/// no answer where it is no graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextQuestion;

impl Answered for TextQuestion {
    fn answer(self, at: &AskContext<'_>) -> Option<Option<String>> {
        Some(written_text(at.case()?, at.files))
    }
}

/// What was opened as text is that text, with its comments.
fn written_text(case: &Case, files: &[&dyn Source]) -> Option<String> {
    let graph = case.base.graph()?;
    let own = files
        .first()
        .filter(|_| case.opened.format == Format::GraphText);
    let own = own.and_then(|file| load::plain_text(*file).ok());
    let text = own.unwrap_or_else(|| save::graph_text(graph));
    // As editors have it.
    Some(text.replace("\r\n", "\n"))
}

/// Reads a text in place of the graph of a case, or the document as it was opened; what was there
/// stays where the text cannot be read. Constants are those that were opened, as far as they are
/// called alike and have the same shape.
pub(crate) fn rewrite(case: &mut Case, id: u32, text: Option<&str>) -> Reply {
    let (document, warnings) = match text {
        None => (Rc::clone(&case.base), Vec::new()),
        Some(text) => match load::graph_text(text, case.base.graph()) {
            Ok((graph, warnings)) => (Rc::new(Document::Model(graph)), warnings),
            Err(error) => {
                return Reply::Refused {
                    id,
                    error,
                    table: None,
                    figures: None,
                };
            }
        },
    };
    let opened = opened(case.opened.format, &document, warnings);
    case.document = document;
    case.opened = opened.clone();
    Reply::Opened { id, opened }
}
