//! The graph of a case as text, and its edits.

use std::collections::BTreeMap;
use std::sync::Arc;

use planner::graph::Bindings;
use planner::load::LoadError;
use planner::{Bytes, Settings};

use crate::model::ask::{Answer, Ask};
use crate::model::column::Column;
use crate::model::link::LEFT_OUT;
use crate::model::tracked::Tracked;

/// The most texts that can be gone back to, and the most bytes of them together.
pub(crate) const REMEMBERED: (usize, usize) = (100, 16 << 20);

/// A text that is planned; `None` for the graph as it was opened.
pub(crate) type Edited = Option<Arc<str>>;

/// Why what is typed is not planned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextFault {
    /// The line, from 1; 0 for a fault of the whole text.
    pub line: usize,
    /// The character in it, from 1.
    pub column: usize,
    /// What is wrong there.
    pub error: LoadError,
}

/// Figures of the graph as it was opened.
#[derive(Clone, Debug, PartialEq)]
pub struct Before {
    /// What they were found with.
    pub found_with: (Bindings, Settings),
    /// The arena of each plan that there was.
    pub arenas: BTreeMap<Column, Bytes>,
    /// The lower bound.
    pub bound: Bytes,
    /// The most bytes that are live at one step.
    pub peak: Bytes,
}

/// The text of a case.
#[derive(Debug, Default)]
pub struct Text {
    /// That of the graph as it was opened.
    pub written: Ask<(), str>,
    /// What is planned.
    pub planned: Tracked<Edited>,
    /// What the editor has, where that is not what is planned.
    pub typed: Tracked<Option<Arc<str>>>,
    /// Why that is not planned.
    pub fault: Tracked<Option<TextFault>>,
    /// What can be gone back to, the latest last.
    pub past: Tracked<Vec<Edited>>,
    /// What was gone back from, the latest last.
    pub future: Tracked<Vec<Edited>>,
    /// Figures before the first edit.
    pub before: Tracked<Option<Before>>,
    /// What is planned, as links say it.
    pub(crate) letters: Edited,
    /// How often anything was typed.
    pub(crate) typings: u32,
}

/// A text that the worker is to read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rewriting {
    pub(crate) text: Edited,
    /// Whether it is one that was gone back to, or forth.
    pub(crate) again: bool,
}

impl Text {
    /// What the editor shows, once it is known.
    #[must_use]
    pub fn shown(&self) -> Option<Arc<str>> {
        let own = self.typed.clone().or_else(|| self.planned.clone());
        own.or_else(|| self.opened())
    }

    /// The text of the graph as it was opened, once it is known.
    #[must_use]
    pub fn opened(&self) -> Option<Arc<str>> {
        match &*self.written.found {
            Answer::There(text) => Some(Arc::clone(text)),
            _ => None,
        }
    }

    /// Whether what is planned is too long for a link.
    #[must_use]
    pub fn is_left_out_of_links(&self) -> bool {
        self.letters.as_deref() == Some(LEFT_OUT)
    }

    /// Whether there is anything to go back to.
    #[must_use]
    pub fn has_past(&self) -> bool {
        self.typed.is_some() || !self.past.is_empty()
    }

    pub(crate) fn remember(&mut self, edited: Edited) {
        self.past.push(edited);
        let (most, bytes) = REMEMBERED;
        let length = |edited: &Edited| edited.as_ref().map_or(0, |text| text.len());
        let mut sum: usize = self.past.iter().map(length).sum();
        while self.past.len() > most || sum > bytes && self.past.len() > 1 {
            sum -= length(&self.past.remove(0));
        }
    }
}
