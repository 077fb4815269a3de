//! Films: which are on, where they stand, and how they play.
//!
//! Two films run in lock-step: by decision, by share of the film, or by tensor, as [`crate::Pace`]
//! says.

use std::collections::BTreeMap;
use std::sync::Arc;

use planner::trace::{Trace, survey};
use planner::{Model, PlanError, Strategy};
use worker::CaseId;

use crate::model::appearance::Tab;
use crate::model::case::{Case, FilmState};
use crate::model::column::Column;
use crate::model::effect::Effect;
use crate::model::event::FilmAction;
use crate::model::film::Recording;
use crate::model::pace::Pace;
use crate::model::state::State;
use crate::model::timer::Timer;

/// So many films are shown at once.
pub const FILMS: usize = 2;

/// The speeds that can be chosen.
pub const SPEEDS: [f64; 6] = [0.5, 1.0, 2.0, 4.0, 8.0, 16.0];

/// At speed 1 a film of fewer steps plays one a second; a longer one takes this many seconds.
const LONGEST: f64 = 60.0;

/// While a film plays, the address bar is written this often at most, in milliseconds: browsers
/// slow down pages that write it more than about three times a second.
const WRITTEN: u32 = 1000;

/// Pictures follow each other no faster than this, in milliseconds.
const FASTEST: f64 = 50.0;

/// The same for people who asked their system for less motion.
const CALMEST: f64 = 500.0;

impl State {
    /// The columns of a case whose films are on; none while another tab is open.
    #[must_use]
    pub fn filmed(&self, id: CaseId) -> Vec<Column> {
        if *self.page.tab == Tab::FILM && *self.active == id {
            self.case(id).filmed()
        } else {
            Vec::new()
        }
    }

    pub(crate) fn film(&mut self, id: CaseId, action: FilmAction) {
        match action {
            FilmAction::Choose(slot, strategy) => self.choose_film(id, slot, strategy),
            FilmAction::Make(column) => {
                if let Some(case) = self.case_mut(id) {
                    case.want_film(column);
                }
            }
            FilmAction::Play(on) => self.play(id, on),
            FilmAction::Go(step) => self.go(id, step),
            FilmAction::Step(by) => {
                self.play(id, false);
                let case = self.case(id);
                let now = (*case.films.cursor).min(case.film_len());
                self.go(id, now.saturating_add_signed(isize::from(by)));
            }
            FilmAction::End(last) => {
                self.play(id, false);
                let end = self.case(id).film_len();
                self.go(id, if last { end } else { 0 });
            }
            FilmAction::Speed(speed) => {
                if let Some(case) = self.case_mut(id) {
                    case.films.speed.put(speed);
                }
                if *self.case(id).films.playing {
                    self.wait_for_tick(id);
                }
            }
            FilmAction::Keep(pace) => {
                if let Some(case) = self.case_mut(id) {
                    case.keep_step(pace);
                }
            }
        }
        if let Some(case) = self.case_mut(id)
            && !*case.films.playing
        {
            case.films.rest.put(*case.films.cursor);
        }
    }

    fn go(&mut self, id: CaseId, step: usize) {
        if let Some(case) = self.case_mut(id) {
            let step = step.min(case.film_len());
            case.films.cursor.put(step);
        }
    }

    fn play(&mut self, id: CaseId, on: bool) {
        let Some(case) = self.case_mut(id) else {
            return;
        };
        let end = case.film_len();
        if on && end > 0 {
            if *case.films.cursor >= end {
                case.films.cursor.set(0);
                case.films.rest.put(0);
            }
            case.films.unwritten = 0;
            case.films.playing.put(true);
            self.wait_for_tick(id);
        } else if !on && *case.films.playing {
            case.films.playing.set(false);
            case.films.rest.put(*case.films.cursor);
        }
    }

    /// Writes the step that is shown where films play: what follows may begin another entry, and
    /// this one is to lead back to what was seen.
    pub(crate) fn write_films(&mut self) {
        let playing = self.cases.iter_mut().filter(|case| *case.films.playing);
        let behind = playing.filter(|case| *case.films.rest != *case.films.cursor);
        let count = behind
            .map(|case| case.films.rest.put(*case.films.cursor))
            .count();
        if count > 0 {
            self.leave_trace();
        }
    }

    /// Waits for the next tick: a step each, or several where they would come too fast.
    fn wait_for_tick(&mut self, id: CaseId) {
        let calm = *self.page.calm;
        let Some(case) = self.case_mut(id) else {
            return;
        };
        case.films.tick.1 = 0.0;
        let (wait, _) = case.beat(calm);
        case.films.tick.0 = case.films.tick.0.wrapping_add(1);
        let timer = Timer::Tick(id, case.films.tick.0);
        self.effects.push(Effect::After(wait, timer));
    }

    /// It is time for the next steps of what plays.
    pub(crate) fn tick(&mut self, id: CaseId, number: u32) {
        let calm = *self.page.calm;
        let Some(case) = self.case_mut(id) else {
            return;
        };
        if !*case.films.playing || case.films.tick.0 != number {
            return;
        }
        let (wait, steps) = case.beat(calm);
        let owed = case.films.tick.1 + steps;
        let whole = (owed + 1e-9).floor();
        case.films.tick = (number.wrapping_add(1), owed - whole);
        let end = case.film_len();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "float casts saturate, and it is positive"
        )]
        let next = case.films.cursor.saturating_add(whole as usize);
        case.films.cursor.put(next.min(end));
        // Back and Reload are not announced: the entry keeps up with what is shown.
        case.films.unwritten = case.films.unwritten.saturating_add(wait);
        if case.films.unwritten >= WRITTEN {
            case.films.unwritten = 0;
            case.films.rest.put(*case.films.cursor);
        }
        if next >= end {
            self.play(id, false);
            return;
        }
        let timer = Timer::Tick(id, number.wrapping_add(1));
        self.effects.push(Effect::After(wait, timer));
    }

    /// Shows what a link or an entry of the history says of films: they stand at its step. One
    /// that says nothing of them leaves them where they stand, for when their tab is opened again;
    /// another document's begin at the start, because its case is another.
    pub(crate) fn restore_film(&mut self, id: CaseId, step: Option<u64>) {
        let Some(step) = step else { return };
        self.play(id, false);
        if *self.page.tab != Tab::FILM {
            self.turn_to(Tab::FILM);
        }
        // Beyond the end it shows the end; how long the film is is not known yet.
        let step = usize::try_from(step).unwrap_or(usize::MAX);
        if let Some(case) = self.case_mut(id) {
            case.films.cursor.put(step);
            case.films.rest.put(step);
        }
    }

    /// Puts a strategy into the place of the first or second film among what is shown.
    fn choose_film(&mut self, id: CaseId, slot: usize, strategy: Option<Strategy>) {
        let Some(case) = self.case_mut(id) else {
            return;
        };
        let old = case.filmed();
        let films = chosen(&old, slot, strategy.map(Column::Strategy));
        let shown = &mut case.shown;
        let first = shown.iter().position(|column| old.contains(column));
        shown.retain(|column| {
            // Without a second film, no other strategy moves up into its place.
            let extra = films.len() < FILMS && *column != Column::Deployed;
            !old.contains(column) && !films.contains(column) && !extra
        });
        let at = first.unwrap_or(shown.len()).min(shown.len());
        shown.splice(at..at, films.iter().copied());
        for column in films {
            self.plan(id, column);
        }
    }

    /// Asks for the films that are on and not there; nothing plays unseen, and nothing stands
    /// beyond its end.
    pub(crate) fn follow_films(&mut self) {
        let ids: Vec<CaseId> = self.shown().map(|case| case.id).collect();
        for id in ids {
            let filmed = self.filmed(id);
            if filmed.is_empty() {
                self.play(id, false);
                continue;
            }
            let Some(case) = self.case_mut(id).filter(|case| case.prepared.is_some()) else {
                continue;
            };
            for column in &filmed {
                if !case.films.states.contains_key(column) {
                    case.want_film(*column);
                }
            }
            case.stay_inside(&filmed);
        }
    }

    /// A strategy's decisions are recorded.
    pub(crate) fn filmed_column(
        &mut self,
        id: CaseId,
        column: Column,
        trace: Result<Trace, PlanError>,
    ) {
        let Some(case) = self.case_mut(id) else {
            return;
        };
        let film = match trace {
            Ok(trace) => match case.recording_of(column, trace) {
                Some(recording) => FilmState::Done(Arc::new(recording)),
                None => return,
            },
            Err(error) => FilmState::Failed(error),
        };
        case.films.states.insert(column, film);
    }
}

/// The films with `chosen` in the place of number `slot`.
fn chosen(old: &[Column], slot: usize, chosen: Option<Column>) -> Vec<Column> {
    let mut films = old.to_vec();
    match chosen {
        Some(chosen) => {
            let before = films.get(slot).copied();
            if let Some(other) = films.iter_mut().find(|other| **other == chosen) {
                // Shown in the other place: they change places.
                *other = before.unwrap_or(chosen);
            }
            if slot < films.len() {
                films[slot] = chosen;
            } else if !films.contains(&chosen) {
                films.push(chosen);
            }
        }
        None if slot < films.len() => {
            films.remove(slot);
        }
        None => {}
    }
    films.truncate(FILMS);
    films
}

impl Case {
    /// The columns whose films are on while films are seen.
    #[must_use]
    pub fn filmed(&self) -> Vec<Column> {
        let shown = self.shown.iter().copied();
        let strategies = shown.filter(|column| *column != Column::Deployed);
        strategies.take(FILMS).collect()
    }

    /// The film of a column, once it is there.
    #[must_use]
    pub fn recording(&self, column: Column) -> Option<&Arc<Recording>> {
        match self.films.states.get(&column)? {
            FilmState::Done(recording) => Some(recording),
            FilmState::Waiting | FilmState::Working(..) | FilmState::Failed(_) => None,
        }
    }

    /// The films that are on and there.
    #[must_use]
    pub fn recordings(&self) -> Vec<Arc<Recording>> {
        let filmed = self.filmed().into_iter();
        let there = filmed.filter_map(|column| self.recording(column));
        there.cloned().collect()
    }

    /// Steps of the film that the cursor counts by.
    #[must_use]
    pub fn film_len(&self) -> usize {
        self.films.pace.last(&self.recordings())
    }

    /// Another pace; the first film stays where it stands.
    fn keep_step(&mut self, pace: Pace) {
        let films = self.recordings();
        let step = self.films.pace.step(&films, 0, *self.films.cursor);
        self.films.pace.put(pace);
        if !films.is_empty() {
            self.films.cursor.put(pace.cursor(&films, 0, step));
        }
    }

    /// Films are not made any longer.
    pub(crate) fn end_films(&mut self) {
        let open = |film: &FilmState| matches!(film, FilmState::Waiting | FilmState::Working(..));
        if self.films.states.values().any(open) {
            for film in self.films.states.values_mut().filter(|it| open(it)) {
                *film = FilmState::Failed(PlanError::Cancelled);
            }
        }
    }

    /// Makes sure that the decisions of `column` get recorded.
    fn want_film(&mut self, column: Column) {
        self.films.states.insert(column, FilmState::Waiting);
        self.queue.films.retain(|other| *other != column);
        self.queue.films.push_back(column);
    }

    /// A link may name a step past the end, which is known once all films are there.
    fn stay_inside(&mut self, filmed: &[Column]) {
        let done = |column: &Column| {
            let film = self.films.states.get(column);
            matches!(film, Some(FilmState::Done(_) | FilmState::Failed(_)))
        };
        let end = self.film_len();
        if filmed.iter().all(done) && end > 0 && *self.films.cursor > end {
            self.films.cursor.set(end);
            if !*self.films.playing {
                self.films.rest.put(end);
            }
        }
    }

    /// Looks through a film once.
    fn recording_of(&self, column: Column, trace: Trace) -> Option<Recording> {
        let prepared = self.prepared.as_ref()?;
        let bound = prepared.bounds.offsets;
        let objects = match column {
            Column::Strategy(strategy) if strategy.description().model == Model::Objects => {
                Some(prepared.bounds.objects)
            }
            Column::Strategy(_) | Column::Deployed => None,
        };
        // What no strategy of objects can avoid was not decided at any step.
        let avoidable = objects.unwrap_or(bound);
        let survey = survey(&trace, &prepared.subject.lifetimes, avoidable);
        Some(Recording {
            trace,
            survey,
            bound,
            objects,
        })
    }

    /// How long a tick takes in milliseconds, and how many steps it is.
    fn beat(&self, calm: bool) -> (u32, f64) {
        #[expect(clippy::cast_precision_loss, reason = "a film has at most 10^5 steps")]
        let a_second = *self.films.speed * (self.film_len() as f64 / LONGEST).max(1.0);
        let wait = (1000.0 / a_second).max(if calm { CALMEST } else { FASTEST });
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "at most two seconds"
        )]
        let whole = wait as u32;
        (whole, a_second * wait / 1000.0)
    }
}

/// Forgets all films of a case, because their decisions would be others now.
pub(crate) fn forget(case: &mut Case) {
    case.queue.films.clear();
    if !case.films.states.is_empty() {
        case.films.states.set(BTreeMap::new());
    }
}
