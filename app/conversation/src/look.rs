//! Looking and pointing: what is selected and hovered, and what is in view. Two cases show the
//! same storage by its name, and the same window where their axes are linked.

use planner::Strategy;
use worker::CaseId;

use crate::model::appearance::Window;
use crate::model::case::Case;
use crate::model::column::Column;
use crate::model::effect::Effect;
use crate::model::look::Turn;
use crate::model::state::State;
use crate::model::timer::Timer;
use crate::stages::holder;

/// After so many milliseconds without a change, what is in view is a place to come back to.
const REST_MS: u32 = 400;

/// So many times as large is an arena beside which another is too low to be seen.
const UNEQUAL: u64 = 10;

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

    /// Looks at a part of memory × time as a person wants, and remembers where that began.
    pub(crate) fn look_at(&mut self, id: CaseId, window: Option<Window>) {
        let Some(case) = self.case_mut(id).filter(|case| *case.window != window) else {
            return;
        };
        let from = *case.window;
        let views = &mut *case.views;
        views.latest = views.latest.wrapping_add(1);
        let latest = views.latest;
        match &mut views.moving {
            Some((_, number)) => *number = latest,
            None => {
                views.moving = Some((from, latest));
                let timer = Timer::Rest(id, latest);
                self.effects.push(Effect::After(REST_MS, timer));
            }
        }
        self.look(id, window);
    }

    /// A while has gone by since the look of this number.
    pub(crate) fn rest(&mut self, id: CaseId, number: u32) {
        let Some(case) = self.case_mut(id) else {
            return;
        };
        let moving = case.views.moving;
        match moving {
            Some((_, latest)) if latest != number => {
                let timer = Timer::Rest(id, latest);
                self.effects.push(Effect::After(REST_MS, timer));
            }
            Some(_) => case.views.commit(),
            None => {}
        }
    }

    /// Looks at what was in view before, or after that.
    pub(crate) fn look_again(&mut self, id: CaseId, turn: Turn) {
        let Some(case) = self.case_mut(id) else {
            return;
        };
        let now = *case.window;
        let views = &mut *case.views;
        views.commit();
        let (from, to) = match turn {
            Turn::Back => (&mut views.past, &mut views.future),
            Turn::Forth => (&mut views.future, &mut views.past),
        };
        if let Some(window) = from.pop() {
            to.push(now);
            self.look(id, window);
        }
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

    /// Makes the panes of all cases show the same, or each its own.
    pub(crate) fn link_axes(&mut self, linked: bool) {
        self.page.linked.put(linked);
        self.follow_clocks();
        if linked {
            let window = *self.active().window;
            self.look(*self.active, window);
        }
    }
}

impl Case {
    /// Whether each pane has a scale of addresses of its own: where nobody chose, when the
    /// smallest arena would be too low to be seen beside the largest.
    #[must_use]
    pub fn has_own_scales(&self) -> bool {
        self.own_scale.unwrap_or_else(|| {
            let silhouette = self.silhouette();
            let seen = self.shown.iter().filter(|it| Some(**it) != silhouette);
            let planned = seen.filter_map(|column| self.planned(*column));
            let arenas = planned.map(|planned| planned.judged.plan.arena.0.max(1));
            let arenas: Vec<u64> = arenas.collect();
            let both = arenas.iter().max().zip(arenas.iter().min());
            both.is_some_and(|(most, least)| most / least >= UNEQUAL)
        })
    }

    /// The plan without reuse, where it stands beside another and nobody chose equal panes: it is
    /// drawn narrow and on a scale of its own, so that the other one has the room. Not so where
    /// the other is hardly smaller.
    #[must_use]
    pub fn silhouette(&self) -> Option<Column> {
        self.own_scale.is_none().then(|| self.unreused())?
    }

    /// The plan without reuse, where it is so much higher than all others.
    #[must_use]
    pub fn unreused(&self) -> Option<Column> {
        let naive = Column::Strategy(Strategy::Naive);
        let height = |column: Column| Some(self.planned(column)?.judged.plan.top().0);
        let others = self.shown.iter().filter(|it| **it != naive);
        let highest = others.clone().map(|it| height(*it).unwrap_or_default());
        let is_low = match (height(naive), highest.max()) {
            (Some(naive), Some(other)) => naive / 2 >= other,
            // What is still planned will hardly be as high.
            (_, other) => other.is_some(),
        };
        (is_low && self.shown.contains(&naive)).then_some(naive)
    }

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

    /// The buffer of this name, of several the one with this number, from 1; where another stage
    /// of a model made a view of it, the one that it lies in.
    fn named(&self, name: &str, nth: usize) -> Option<usize> {
        let lifetimes = self.lifetimes()?;
        let buffers = &lifetimes.buffers;
        if buffers.len() > SOUGHT_UP_TO {
            return None;
        }
        let named = buffers.iter().enumerate();
        let mut named = named.filter(|(_, buffer)| buffer.name == name);
        let own = named.nth(nth.saturating_sub(1)).map(|(index, _)| index);
        own.or_else(|| (nth == 1).then(|| holder(lifetimes, name))?)
    }
}
