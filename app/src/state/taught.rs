//! The scene of a lesson that is shown, what it hides, and what is right in it.

use std::collections::BTreeSet;

use conversation::Answer;
use lesson::Hidden;
use worker::{Found, Packed};

use super::part::{Part, Store};
use super::session::Session;

/// The parts of it.
#[derive(Clone, Copy)]
pub(crate) struct Taught {
    /// As a link calls it.
    pub(crate) scene: Part<Option<String>>,
    pub(crate) hidden: Part<BTreeSet<Hidden>>,
    pub(crate) measured: Part<Answer<Packed<Found>>>,
}

impl Taught {
    pub(super) fn new(store: Store) -> Self {
        Self {
            scene: store.page(|state| &state.page.scene),
            hidden: store.page(|state| &state.page.hidden),
            measured: store.page(|state| &state.page.measured.found),
        }
    }
}

impl Session {
    /// Whether a scene hides anything now: then no figures leave the page either. Follows that.
    pub(crate) fn hides_something(self) -> bool {
        self.taught.hidden.with(|hidden| !hidden.is_empty())
    }

    /// Whether a scene of a lesson is shown; follows that.
    pub(crate) fn is_taught(self) -> bool {
        self.taught.scene.with(Option::is_some)
    }

    /// Whether a scene hides this until it is answered; follows that.
    pub(crate) fn is_hidden(self, what: Hidden) -> bool {
        self.taught.hidden.with(|hidden| hidden.contains(&what))
    }
}
