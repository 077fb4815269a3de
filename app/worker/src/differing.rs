//! Two dumps of one program: the arenas that are looked at, and what differs between them.

use planner::difference::{Dumps, Traced, arenas, dumps};

use crate::case::Case;

/// Compares the arenas that were prepared last of two dumps; `None` where one of both brings no
/// plan of its own.
pub(crate) fn differ(before: &Case, after: &Case) -> Option<Dumps> {
    let (from, to) = (before.document.deployed()?, after.document.deployed()?);
    let several = from.arenas.len().max(to.arenas.len()) > 1;
    Some(Dumps {
        arenas: match several {
            true => arenas(from, to),
            false => Vec::new(),
        },
        ..dumps(arena(before)?, arena(after)?)
    })
}

fn arena(case: &Case) -> Option<Traced<'_>> {
    let deployed = case.document.deployed()?;
    Some((deployed.arena(case.settings.arena)?, &deployed.stacks))
}
