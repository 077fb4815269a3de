//! Two dumps of one program: the arenas that are looked at, and what differs between them.

use planner::difference::{Dumps, Traced, dumps};
use planner::load::Document;

use crate::case::Case;

/// Compares the arenas that were prepared last of two dumps; `None` where one of both brings no
/// plan of its own.
pub(crate) fn differ(before: &Case, after: &Case) -> Option<Dumps> {
    Some(dumps(arena(before)?, arena(after)?))
}

fn arena(case: &Case) -> Option<Traced<'_>> {
    let Document::Deployed(deployed) = case.document.as_ref() else {
        return None;
    };
    Some((deployed.arena(case.settings.arena)?, &deployed.stacks))
}
