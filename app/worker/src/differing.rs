//! Two dumps of one program: the arenas that are looked at, and what differs between them.

use planner::difference::{Dumps, Traced, arenas, dumps};
use serde::{Deserialize, Serialize};

use crate::CaseId;
use crate::asks::{Answered, AskContext};
use crate::case::Case;

/// Compare the arenas that were prepared last of two cases, which are dumps of one program. There
/// is no answer where one of both brings no plan of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComparisonQuestion {
    /// The dump before.
    pub before: CaseId,
    /// The dump after.
    pub after: CaseId,
}

impl Answered for ComparisonQuestion {
    fn answer(self, at: &AskContext<'_>) -> Option<Option<Dumps>> {
        let cases = &at.server.cases;
        let (before, after) = (cases.get(&self.before)?, cases.get(&self.after)?);
        Some(differ(before, after))
    }
}

fn differ(before: &Case, after: &Case) -> Option<Dumps> {
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
