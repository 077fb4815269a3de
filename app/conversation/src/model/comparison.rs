//! What is known of two dumps of one program that are compared.

use std::sync::Arc;

use planner::difference::Dumps;
use worker::CaseId;

/// What came of comparing two dumps.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// Nothing yet.
    Waiting,
    /// What differs.
    There(Arc<Dumps>),
    /// There is no answer: one of both is no dump, or the worker is gone.
    Nothing,
}

/// Two dumps that are compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// The dump before.
    pub before: CaseId,
    /// The dump after.
    pub after: CaseId,
    /// What differs.
    pub found: Found,
    /// How often either was prepared when it was asked.
    pub(crate) of: (u64, u64),
}

impl Pair {
    pub(crate) fn new(before: CaseId, after: CaseId) -> Self {
        Self {
            before,
            after,
            found: Found::Waiting,
            of: (0, 0),
        }
    }

    /// Whether the worker is to be asked.
    pub(crate) fn is_wanted(&self) -> bool {
        self.found == Found::Waiting
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
