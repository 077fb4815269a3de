//! What is known of two dumps of one program that are compared.

use planner::difference::Dumps;
use worker::CaseId;

use crate::model::ask::Answer;

/// Two dumps that are compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// The dump before.
    pub before: CaseId,
    /// The dump after.
    pub after: CaseId,
    /// What differs.
    pub found: Answer<Dumps>,
    /// How often either was prepared.
    pub(crate) of: (u64, u64),
    /// The same when the worker was asked last.
    pub(crate) asked: Option<(u64, u64)>,
}

impl Pair {
    pub(crate) fn new(before: CaseId, after: CaseId) -> Self {
        Self {
            before,
            after,
            found: Answer::Unasked,
            of: (0, 0),
            asked: None,
        }
    }

    /// Whether the worker is to be asked.
    pub(crate) fn is_wanted(&self) -> bool {
        self.found == Answer::Unasked
    }

    /// The other one of both.
    #[must_use]
    pub fn other(&self, than: CaseId) -> CaseId {
        if self.before == than {
            self.after
        } else {
            self.before
        }
    }

    pub(crate) fn has(&self, case: CaseId) -> bool {
        self.before == case || self.after == case
    }
}
