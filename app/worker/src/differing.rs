//! Two dumps of one program: the arenas that are looked at, and what differs between them.

use planner::deployed::Arena;
use planner::difference::{Dumps, dumps};
use planner::load::Document;

use crate::case::Case;

/// Compares the arenas that were prepared last of two dumps; `None` where one of both brings no
/// plan of its own.
pub(crate) fn differ(before: &Case, after: &Case) -> Option<Dumps> {
    Some(dumps(arena(before)?, arena(after)?))
}

fn arena(case: &Case) -> Option<&Arena> {
    let Document::Deployed(deployed) = case.document.as_ref() else {
        return None;
    };
    let chosen = deployed.arenas.get(case.settings.arena as usize);
    chosen.or(deployed.arenas.first())
}
