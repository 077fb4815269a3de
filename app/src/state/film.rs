//! What the page knows of films: which are there, and at which step they stand.
//!
//! Two films run in lock-step, by number: one step is one decision in both, so that the same
//! turn of two strategies can be compared; the shorter one waits at its end. Where lengths
//! differ much they can run by share instead, so that both end together.

use std::collections::BTreeMap;
use std::sync::Arc;

use leptos::prelude::*;
use planner::trace::{Layout, Picture, Survey, Trace, survey};
use planner::{Bytes, Model, PlanError};

use super::column::Column;
use super::session::{Session, Tab, to_f64};
use crate::words::FilmWord;

/// So many films are shown at once.
pub(crate) const FILMS: usize = 2;

/// The speeds that can be chosen.
pub(crate) const SPEEDS: [f64; 6] = [0.5, 1.0, 2.0, 4.0, 8.0, 16.0];

/// How far a film is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Footage {
    /// Not begun.
    Waiting,
    /// At work: done and total parts.
    Working(u64, u64),
    /// There.
    Done(Arc<Recording>),
    /// There is none.
    Failed(PlanError),
}

/// A film, and what it comes to.
#[derive(Debug, PartialEq)]
pub(crate) struct Recording {
    pub(crate) trace: Trace,
    pub(crate) survey: Survey,
    /// The bound that it is held against, in bytes.
    pub(crate) bound: Bytes,
}

/// How two films keep step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Pace {
    /// A step is one decision in both.
    #[default]
    Decision,
    /// A step is the same share of both.
    Share,
}

/// The signals of films.
#[derive(Clone, Copy)]
pub(crate) struct Films {
    pub(crate) footage: RwSignal<BTreeMap<Column, Footage>>,
    /// Steps of the longest film that are shown; 0 shows nothing placed.
    pub(crate) cursor: RwSignal<usize>,
    /// Where the cursor was when it last stood still, for the address bar.
    pub(crate) rest: RwSignal<usize>,
    pub(crate) playing: RwSignal<bool>,
    pub(crate) speed: RwSignal<f64>,
    pub(crate) pace: RwSignal<Pace>,
}

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

impl Films {
    pub(crate) fn new() -> Self {
        Self {
            footage: RwSignal::new(BTreeMap::new()),
            cursor: RwSignal::new(0),
            rest: RwSignal::new(0),
            playing: RwSignal::new(false),
            speed: RwSignal::new(1.0),
            pace: RwSignal::new(Pace::default()),
        }
    }
}

impl Recording {
    /// Looks through a film once.
    pub(crate) fn new(session: Session, column: Column, trace: Trace) -> Option<Self> {
        let prepared = session.prepared.get_untracked()?;
        let bound = match column {
            Column::Strategy(strategy) if strategy.description().model == Model::Objects => {
                prepared.bounds.objects
            }
            Column::Strategy(_) | Column::Deployed => prepared.bounds.offsets,
        };
        let survey = survey(&trace, &prepared.subject.lifetimes, bound);
        Some(Self {
            trace,
            survey,
            bound,
        })
    }

    /// How many steps it has.
    pub(crate) fn len(&self) -> usize {
        self.trace.frames().len()
    }
}

impl Session {
    /// A string about films in the chosen language; follows the language.
    pub(crate) fn film_word(self, word: FilmWord) -> &'static str {
        word.in_language(self.language.get())
    }

    /// The columns whose films are on; none while another tab is open.
    pub(crate) fn filmed(self) -> Vec<Column> {
        if self.tab.get() != Tab::Film {
            return Vec::new();
        }
        let shown = self.shown.get();
        let strategies = shown
            .into_iter()
            .filter(|column| *column != Column::Deployed);
        strategies.take(FILMS).collect()
    }

    /// The film of a column that is on, once it is there.
    pub(crate) fn recording(self, column: Column) -> Option<Arc<Recording>> {
        if !self.filmed().contains(&column) {
            return None;
        }
        self.films.footage.with(|all| match all.get(&column)? {
            Footage::Done(recording) => Some(Arc::clone(recording)),
            Footage::Waiting | Footage::Working(..) | Footage::Failed(_) => None,
        })
    }

    /// All films that are on and there.
    pub(crate) fn recordings(self) -> Vec<Arc<Recording>> {
        let filmed = self.filmed().into_iter();
        filmed.filter_map(|column| self.recording(column)).collect()
    }

    /// Steps of the longest film that is on.
    pub(crate) fn film_len(self) -> usize {
        let lengths = self
            .recordings()
            .into_iter()
            .map(|recording| recording.len());
        lengths.max().unwrap_or(0)
    }

    /// At which of its own steps a film stands.
    pub(crate) fn film_step(self, recording: &Recording) -> usize {
        let longest = self.film_len().max(1);
        let cursor = self.films.cursor.get().min(longest);
        match self.films.pace.get() {
            Pace::Decision => cursor.min(recording.len()),
            Pace::Share => {
                // Both are at most 10^5 steps.
                let part = cursor as u64 * recording.len() as u64 / longest as u64;
                usize::try_from(part).unwrap_or(recording.len())
            }
        }
    }

    /// The step of the longest film at which `recording` stands at its own step `step`.
    pub(crate) fn film_cursor(self, recording: &Recording, step: usize) -> usize {
        match self.films.pace.get() {
            Pace::Decision => step,
            Pace::Share => {
                let longest = self.film_len() as u64;
                let part = (step as u64 * longest).div_ceil(recording.len().max(1) as u64);
                usize::try_from(part).unwrap_or(step)
            }
        }
    }

    /// How far up the films that are on reach, in bytes.
    pub(crate) fn film_top(self) -> f64 {
        let tops = self.recordings().into_iter();
        let tops = tops.map(|recording| recording.survey.highest.0);
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
