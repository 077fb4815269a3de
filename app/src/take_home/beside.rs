//! What TFLite Micro keeps in its arena beside a plan, for the report.

use std::slice;

use planner::graph::Dialect;
use planner::save::Section;
use planner::tail::tail;
use planner::{Bytes, Io, Subject};

use crate::format;
use crate::state::session::Session;
use crate::text::fault::told;
use crate::words::{ReportWord as W, filled};

/// The arena to give for a plan that takes `head`, and its parts; nothing for other runtimes.
pub(super) fn beside(session: Session, subject: &Subject, head: Bytes) -> Vec<Section> {
    let graph = subject.program.as_ref().map(|it| &it.graph);
    let is_micro = session.settings.with(|it| it.io == Io::Tflm);
    let graph = graph.filter(|it| is_micro && it.dialect == Dialect::Tflite);
    let Some(found) = graph.and_then(|graph| tail(slice::from_ref(graph))) else {
        return Vec::new();
    };
    let Some(arena) = found.arena(head) else {
        return Vec::new();
    };
    let say = |word: W, values: &[&str]| Section::Text(filled(session.say(word), values));
    let (beside, arena) = (format::exact(found.bytes.0), format::exact(arena.0));
    let mut sections = vec![
        Section::Heading(session.say(W::Beside).to_owned()),
        say(W::BesideSays, &[&beside, &arena]),
    ];
    if !found.unknown.is_empty() {
        sections.push(say(W::BesideUnknown, &[&found.unknown.join(", ")]));
    }
    sections.push(say(W::BesideKernels, &[]));
    let parts = found.parts.iter();
    let parts = parts.map(|(what, bytes)| (told(session, what.says()), format::exact(bytes.0)));
    sections.push(Section::Figures(parts.collect()));
    sections
}
