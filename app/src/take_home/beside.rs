//! What TFLite Micro keeps in its arena beside a plan, for the report.

use planner::save::Section;
use planner::{Bytes, Subject};

use crate::format;
use crate::inspect::beside::{beside as found, says};
use crate::state::session::Session;
use crate::text::fault::told;
use crate::words::ReportWord as W;

/// The arena to give for a plan that takes `head`, and its parts; nothing for other runtimes.
pub(super) fn beside(session: Session, subject: &Subject, head: Bytes) -> Vec<Section> {
    let Some(found) = found(session, subject, head) else {
        return Vec::new();
    };
    let mut sections = vec![Section::Heading(session.say(W::Beside).to_owned())];
    sections.extend(says(session, &found).into_iter().map(Section::Text));
    let parts = found.0.parts.iter();
    let parts = parts.map(|(what, bytes)| (told(session, what.says()), format::exact(bytes.0)));
    sections.push(Section::Figures(parts.collect()));
    sections
}
