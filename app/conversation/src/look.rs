//! Looking and pointing: what is selected and hovered, and what is in view. Two cases show the
//! same storage by its name, and the same window where their axes are linked.

use worker::CaseId;

use crate::appearance::Window;
use crate::case::Case;
use crate::state::State;

/// In a case of more buffers, what is selected or hovered in another one is not looked for.
const SOUGHT_UP_TO: usize = 200_000;

impl State {
    /// Points at a buffer of a case, or at none.
    pub(crate) fn hover(&mut self, id: CaseId, index: Option<usize>) {
        let links = self.linked(id, index);
        for (case, index) in links {
            if let Some(case) = self.case_mut(case) {
                case.hovered.put(index);
            }
        }
    }

    /// Chooses a buffer of a case, or none.
    pub(crate) fn select(&mut self, id: CaseId, index: Option<usize>) {
        let links = self.linked(id, index);
        for (case, index) in links {
            if let Some(case) = self.case_mut(case) {
                case.selected.put(index);
            }
        }
    }

    /// The buffer of every shown case that is the one with this index in the case `id`: of the
    /// same storage by name, the same one of several that have it.
    fn linked(&self, id: CaseId, index: Option<usize>) -> Vec<(CaseId, Option<usize>)> {
        let count = self.case(id).lifetimes().map_or(0, |it| it.buffers.len());
        let index = index.filter(|index| *index < count);
        let name = index.and_then(|index| self.case(id).name_of(index));
        let others = self.shown().map(|case| {
            let found = if case.id == id {
                index
            } else {
                name.and_then(|(name, nth)| case.named(name, nth))
            };
            (case.id, found)
        });
        others.collect()
    }

    /// Looks at a part of memory × time, or at everything.
    pub(crate) fn look(&mut self, id: CaseId, window: Option<Window>) {
        let linked = *self.page.linked;
        for case in &mut self.cases {
            if case.id == id || linked {
                case.window.put(window);
            }
        }
    }

    /// Has the panes of all cases show the same, or each its own.
    pub(crate) fn link_axes(&mut self, linked: bool) {
        self.page.linked.put(linked);
        if linked {
            let window = *self.active().window;
            self.look(*self.active, window);
        }
    }
}

impl Case {
    /// The name of a buffer, and which of those of this name it is, from 1.
    fn name_of(&self, index: usize) -> Option<(&str, usize)> {
        let buffers = &self.lifetimes()?.buffers;
        let name = buffers.get(index)?.name.as_str();
        if buffers.len() > SOUGHT_UP_TO {
            return Some((name, 1));
        }
        let before = buffers.iter().take(index + 1);
        Some((name, before.filter(|buffer| buffer.name == name).count()))
    }

    /// The buffer of this name, of several the one with this number, from 1.
    fn named(&self, name: &str, nth: usize) -> Option<usize> {
        let buffers = &self.lifetimes()?.buffers;
        if buffers.len() > SOUGHT_UP_TO {
            return None;
        }
        let named = buffers.iter().enumerate();
        let mut named = named.filter(|(_, buffer)| buffer.name == name);
        named.nth(nth.saturating_sub(1)).map(|(index, _)| index)
    }
}
