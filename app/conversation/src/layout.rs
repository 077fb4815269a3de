//! Panels are opened, closed and resized; the browser remembers it.

use crate::model::appearance::Tab;
use crate::model::effect::{Effect, Remembered};
use crate::model::layout::{Mode, Panel};
use crate::model::state::State;

impl State {
    /// Opens or closes a panel. What is opened before an audience is not remembered.
    pub(crate) fn open_panel(&mut self, panel: Panel, open: bool) {
        let is_embedded = self.page.frame.mode == Mode::Embedded;
        if is_embedded || self.page.frame.is_open(panel) == open {
            return;
        }
        let frame = &mut *self.page.frame;
        frame.focus = false;
        if frame.taught.is_some() {
            if panel == Panel::Sheet {
                frame.taught = Some(open);
            }
            return;
        }
        if frame.mode == Mode::Presenter {
            frame.opened.retain(|other| *other != panel);
            if open {
                frame.opened.push(panel);
            }
            return;
        }
        frame.enter(Mode::Work);
        frame.revealed &= panel != Panel::Sheet;
        frame.layout.fold_mut(panel).open = Some(open);
        self.remember_layout();
    }

    /// Opens the sheet for the tab that a link names; that alone is not remembered.
    pub(crate) fn reveal_sheet(&mut self) {
        let frame = &self.page.frame;
        if frame.taught.is_some() {
            self.page.frame.taught = Some(true);
        } else if frame.mode == Mode::Work && (frame.is_narrow() || !frame.is_open(Panel::Sheet)) {
            self.page.frame.revealed = true;
        }
    }

    /// Whether a link says which tab is open: the first one only where a click has opened its sheet,
    /// and that of films by their step.
    pub(crate) fn is_named(&self, tab: Tab) -> bool {
        match tab {
            Tab::COMPARE => self.page.frame.revealed,
            other => other != Tab::FILM,
        }
    }

    /// Gives a panel another size in CSS pixels; `None` for the usual one.
    pub(crate) fn resize_panel(&mut self, panel: Panel, size: Option<u32>) {
        if self.page.frame.layout.fold(panel).size != size {
            self.page.frame.layout.fold_mut(panel).size = size;
            self.remember_layout();
        }
    }

    fn remember_layout(&mut self) {
        let remembered = Remembered::Layout(self.page.frame.layout);
        self.effects.push(Effect::Remember(remembered));
    }
}
