//! What a runtime needs beside a plan, for the report.

use planner::save::Section;
use planner::{Bytes, Subject};

use crate::state::session::Session;
use crate::strings::ReportWord as W;
use crate::text::beside::beside as found;

/// The arena to give for a plan that takes `head`, and its parts; nothing for runtimes that keep
/// nothing there.
pub(super) fn beside(session: Session, subject: &Subject, head: Bytes) -> Vec<Section> {
    let Some(found) = found(session, subject, head) else {
        return Vec::new();
    };
    let mut sections = vec![Section::Heading(session.say(W::Beside).to_owned())];
    sections.extend(found.says.into_iter().map(Section::Text));
    if !found.parts.is_empty() {
        sections.push(Section::Figures(found.parts));
    }
    sections
}
