//! What the page knows of films: which are there, and at which step they stand.
//!
//! Two films run in lock-step, as their pace says.

use std::sync::Arc;

use conversation::{FilmState, Recording};
use leptos::prelude::*;
use planner::Bytes;
use planner::trace::{Layout, Picture};

use super::session::{Column, Session, to_f64};
use crate::strings::FilmWord;

/// One film at one step.
#[derive(Clone)]
pub(crate) struct Still {
    pub(crate) recording: Arc<Recording>,
    /// Steps that are shown, of the film's own.
    pub(crate) step: usize,
    /// Which buffer lies where.
    pub(crate) layout: Arc<Layout>,
    /// What blocks are aligned to, in bytes.
    pub(crate) alignment: Bytes,
}

impl PartialEq for Still {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.recording, &other.recording) && self.step == other.step
    }
}

impl Session {
    /// A string about films in the chosen language; follows the language.
    pub(crate) fn film_word(self, word: FilmWord) -> &'static str {
        word.in_language(self.language.get())
    }

    /// The columns whose films are on; none while another tab is open, or another case is looked
    /// at.
    pub(crate) fn filmed(self) -> Vec<Column> {
        self.tab.track();
        self.shown.track();
        self.active.track();
        let id = self.id();
        self.state(|state| state.filmed(id))
    }

    /// The film of a column that is on, once it is there.
    pub(crate) fn recording(self, column: Column) -> Option<Arc<Recording>> {
        if !self.filmed().contains(&column) {
            return None;
        }
        self.films.states.track();
        self.case(|case| case.recording(column).cloned())
    }

    /// Whether a column's film is on and still to come.
    pub(crate) fn is_film_making(self, column: Column) -> bool {
        let over = |film: &FilmState| matches!(film, FilmState::Done(_) | FilmState::Failed(_));
        self.filmed().contains(&column)
            && !self
                .films
                .states
                .with(|all| all.get(&column).is_some_and(over))
    }

    /// Whether a column's film is on and not at its end: what it comes to is not told before.
    pub(crate) fn is_film_open(self, column: Column) -> bool {
        match self.recording(column) {
            Some(recording) => self.film_step(&recording) < recording.len(),
            None => self.is_film_making(column),
        }
    }

    /// All films that are on and there.
    pub(crate) fn recordings(self) -> Vec<Arc<Recording>> {
        let filmed = self.filmed().into_iter();
        filmed.filter_map(|column| self.recording(column)).collect()
    }

    /// Steps of the film that the cursor counts by.
    pub(crate) fn film_len(self) -> usize {
        self.films.pace.get().last(&self.recordings())
    }

    /// At which of its own steps a film stands.
    pub(crate) fn film_step(self, recording: &Arc<Recording>) -> usize {
        let films = self.recordings();
        let (pace, cursor) = (self.films.pace.get(), self.films.cursor.get());
        let at = films.iter().position(|film| Arc::ptr_eq(film, recording));
        pace.step(&films, at.unwrap_or(0), cursor)
    }

    /// Where the cursor is when a film stands at its own step `step`.
    pub(crate) fn film_cursor(self, recording: &Arc<Recording>, step: usize) -> usize {
        let films = self.recordings();
        let at = films.iter().position(|film| Arc::ptr_eq(film, recording));
        self.films.pace.get().cursor(&films, at.unwrap_or(0), step)
    }

    /// How far up the films of these columns reach, in bytes.
    pub(crate) fn film_top(self, seen: &[Column]) -> f64 {
        let films = seen.iter().filter_map(|column| self.recording(*column));
        let tops = films.map(|recording| recording.survey.highest.0);
        to_f64(tops.max().unwrap_or(0))
    }
}

/// The picture of a column's film at the step where it stands; follows both.
pub(crate) fn follow(session: Session, column: Column) -> Memo<Option<Still>> {
    // Going on from the picture before costs only what has changed since.
    let kept: StoredValue<Option<(Arc<Recording>, Picture)>> = StoredValue::new(None);
    Memo::new(move |_| {
        let recording = session.recording(column)?;
        let step = session.film_step(&recording);
        let prepared = session.prepared.get()?;
        let lifetimes = &prepared.subject.lifetimes;
        let alignment = session.settings.with(|settings| settings.alignment);
        let before = kept.try_update_value(Option::take).flatten();
        let before = before.filter(|(old, _)| Arc::ptr_eq(old, &recording));
        let mut picture = before.map_or_else(
            || Picture::new(lifetimes.buffers.len()),
            |(_, picture)| picture,
        );
        picture.show(&recording.trace, step);
        let layout = Arc::new(picture.layout(lifetimes, alignment));
        kept.set_value(Some((Arc::clone(&recording), picture)));
        Some(Still {
            recording,
            step,
            layout,
            alignment,
        })
    })
}
