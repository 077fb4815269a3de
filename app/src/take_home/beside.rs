//! What TFLite Micro keeps in its arena beside a plan, for the report.

use planner::save::Section;
use planner::{Bytes, Subject};

use crate::state::session::Session;
use crate::text::beside::{beside as found, parts, says};
use crate::words::ReportWord as W;

/// The arena to give for a plan that takes `head`, and its parts; nothing for other runtimes.
pub(super) fn beside(session: Session, subject: &Subject, head: Bytes) -> Vec<Section> {
    let Some(found) = found(session, subject, head) else {
        return Vec::new();
    };
    let mut sections = vec![Section::Heading(session.say(W::Beside).to_owned())];
    sections.extend(says(session, &found).into_iter().map(Section::Text));
    sections.push(Section::Figures(parts(session, &found.0)));
    sections
}
