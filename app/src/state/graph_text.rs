//! The graph of a case as text.

use std::sync::Arc;

use conversation::{Answer, Before, TextFault};

use super::part::Part;
use super::session::Session;

/// The parts of it.
#[derive(Clone, Copy)]
pub(crate) struct GraphText {
    pub(crate) written: Part<Answer<str>>,
    pub(crate) planned: Part<Option<Arc<str>>>,
    pub(crate) typed: Part<Option<Arc<str>>>,
    pub(crate) fault: Part<Option<TextFault>>,
    pub(crate) before: Part<Option<Before>>,
}

impl GraphText {
    /// Of the case of this session.
    pub(crate) fn of(session: Session) -> Self {
        let (store, of) = (session.store, session.of);
        Self {
            written: store.case(of, |case| &case.text.written.found),
            planned: store.case(of, |case| &case.text.planned),
            typed: store.case(of, |case| &case.text.typed),
            fault: store.case(of, |case| &case.text.fault),
            before: store.case(of, |case| &case.text.before),
        }
    }
}

impl Session {
    /// Whether the graph was edited as text; follows nothing.
    pub(crate) fn is_edited(self) -> bool {
        self.case(|case| case.text.planned.is_some())
    }
}
