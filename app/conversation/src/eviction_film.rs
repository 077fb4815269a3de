//! The film of a run that evicts: the picture as far as each eviction, one after another.

use planner::storage::StorageId;
use planner::{Lifetimes, Step};
use worker::CaseId;

use crate::model::appearance::Tab;
use crate::model::ask::Answer;
use crate::model::case::Case;
use crate::model::effect::Effect;
use crate::model::state::State;
use crate::model::timer::Timer;
use crate::model::training_steps::EvictionFilm;

/// A short film shows an eviction for so long, in milliseconds; one of many takes
/// [`WHOLE`] all together, but no eviction less than [`FASTEST`].
const LONGEST: u64 = 1500;

const WHOLE: u64 = 60_000;

const FASTEST: u64 = 100;

/// The least for people who asked their system for less motion.
const CALMEST: u64 = 1000;

/// The stay of a storage in memory that is under way at `step`, or ends there.
fn stay(lifetimes: &Lifetimes, storage: usize, step: Step) -> Option<usize> {
    let own = Some(StorageId::at(storage));
    let buffers = &lifetimes.buffers;
    buffers
        .iter()
        .position(|it| it.storage == own && it.span.start <= step && step <= it.span.end)
}

impl Case {
    /// The step of the eviction that is looked at: a training step has one for every move, a log
    /// one for every call that ran.
    #[must_use]
    pub fn eviction_step(&self) -> Option<Step> {
        let Answer::There(found) = &*self.training.evictions.found else {
            return None;
        };
        let decision = found.list.get(*self.training.eviction)?;
        let subject = &self.prepared.as_ref()?.subject;
        Some(Step(match subject.program {
            Some(_) => decision.act as u64,
            None => decision.ran,
        }))
    }

    /// The buffer that a storage is at the eviction that is looked at.
    #[must_use]
    pub fn at_eviction(&self, storage: usize) -> Option<usize> {
        stay(self.lifetimes()?, storage, self.eviction_step()?)
    }

    /// How far the picture goes; `None` for all of it.
    fn shown_until(&self) -> Option<Step> {
        match *self.training.film {
            EvictionFilm::Off => None,
            EvictionFilm::Stands | EvictionFilm::Plays => self.eviction_step(),
        }
    }
}

impl State {
    /// Looks at an eviction, and goes no further in the picture than that while it is a film.
    pub(crate) fn go_to_eviction(&mut self, id: CaseId, at: usize) {
        let Some(case) = self.case_mut(id) else {
            return;
        };
        case.training.eviction.put(at);
        if *case.training.film != EvictionFilm::Off {
            self.select_evicted(id);
        }
    }

    pub(crate) fn film_evictions(&mut self, id: CaseId, film: EvictionFilm) {
        let Some(case) = self.case_mut(id) else {
            return;
        };
        let ended = case.is_last_eviction();
        case.training.film.put(film);
        case.training.tick = case.training.tick.wrapping_add(1);
        if film == EvictionFilm::Plays {
            // At its end it begins anew.
            if ended {
                case.training.eviction.put(0);
            }
            self.wait_for_eviction(id);
        }
        if film != EvictionFilm::Off {
            self.select_evicted(id);
        }
    }

    fn select_evicted(&mut self, id: CaseId) {
        let case = self.case(id);
        let Answer::There(found) = &*case.training.evictions.found else {
            return;
        };
        let decision = found.list.get(*case.training.eviction);
        let chosen = decision.and_then(|it| Some(it.pool.get(it.chosen)?.storage));
        let buffer = chosen.and_then(|storage| case.at_eviction(storage));
        self.select(id, buffer);
    }

    fn wait_for_eviction(&mut self, id: CaseId) {
        let calm = *self.page.calm;
        let case = self.case(id);
        let Answer::There(found) = &*case.training.evictions.found else {
            return;
        };
        let each = (WHOLE / (found.list.len() as u64).max(1)).clamp(FASTEST, LONGEST);
        let wait = if calm { each.max(CALMEST) } else { each };
        let timer = Timer::Eviction(id, case.training.tick);
        let wait = u32::try_from(wait).unwrap_or(u32::MAX);
        self.effects.push(Effect::After(wait, timer));
    }

    /// It is time for the next eviction of what plays.
    pub(crate) fn next_eviction(&mut self, id: CaseId, tick: u32) {
        let plays = |case: &Case| *case.training.film == EvictionFilm::Plays;
        let Some(case) = self.case_mut(id).filter(|case| plays(case)) else {
            return;
        };
        if case.training.tick != tick {
            return;
        }
        if case.is_last_eviction() {
            case.training.film.put(EvictionFilm::Stands);
            return;
        }
        let next = *case.training.eviction + 1;
        self.go_to_eviction(id, next);
        self.wait_for_eviction(id);
    }

    /// The whole picture is there again where its evictions are not: another tab is open, or
    /// something else is planned.
    pub(crate) fn follow_eviction_films(&mut self) {
        let open = *self.page.tab == Tab::TRAINING;
        let active = *self.active;
        for case in self.cases.iter_mut() {
            let there = matches!(*case.training.evictions.found, Answer::There(_));
            if !(open && case.id == active && there) {
                case.training.film.put(EvictionFilm::Off);
            }
            let until = case.shown_until();
            case.training.until.put(until);
        }
    }
}

impl Case {
    fn is_last_eviction(&self) -> bool {
        let found = &*self.training.evictions.found;
        matches!(found, Answer::There(found) if *self.training.eviction + 1 >= found.list.len())
    }
}
