//! What was in view, and is to be again.

use crate::model::appearance::Window;

/// So many places are kept.
pub(crate) const MOST_VIEWS: usize = 100;

/// Which way to look again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// At what was in view before.
    Back,
    /// At what was in view after that.
    Forth,
}

/// What was in view.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Views {
    /// Before, the latest last.
    pub past: Vec<Option<Window>>,
    /// After, the next last.
    pub future: Vec<Option<Window>>,
    /// Where a movement that goes on has begun, and the number of its latest look.
    pub(crate) moving: Option<(Option<Window>, u32)>,
    pub(crate) latest: u32,
}

impl Views {
    /// Whether something else was in view before.
    #[must_use]
    pub fn can_go_back(&self) -> bool {
        self.moving.is_some() || !self.past.is_empty()
    }

    /// Whether what is in view still changes.
    pub(crate) fn is_moving(&self) -> bool {
        self.moving.is_some()
    }

    /// Changes everything that was in view by `seen`.
    pub(crate) fn each(&mut self, seen: impl Fn(Window) -> Option<Window>) {
        let moving = self.moving.as_mut().map(|(from, _)| from);
        for window in self.past.iter_mut().chain(&mut self.future).chain(moving) {
            *window = window.and_then(&seen);
        }
    }

    /// What is in view is a place to come back to from now on.
    pub(crate) fn commit(&mut self) {
        if let Some((from, _)) = self.moving.take() {
            if self.past.len() == MOST_VIEWS {
                self.past.remove(0);
            }
            self.past.push(from);
            self.future.clear();
        }
    }
}
