//! The address bar: every state of the page leaves a trace there, and a trace restores it.
//!
//! What changes the comparison (files, bindings, options, columns) makes a new entry, so that
//! Back undoes it; looking around only rewrites the entry.

use std::collections::{BTreeMap, BTreeSet};

use planner::{Lifetimes, Offset, Settings, inserted};
use worker::{CaseId, Prepared};

use crate::model::appearance::Tab;
use crate::model::case::Case;
use crate::model::column::Column;
use crate::model::effect::Effect;
use crate::model::layout::Mode;
use crate::model::link;
use crate::model::link::{CARRIED, Expected, Fragment, Handiwork, Ignored, Known, Put};
use crate::model::notice::Notice;
use crate::model::opening::{OpenTarget, Where};
use crate::model::state::{State, Trace};
use crate::opening::{MOST_CASES, SHARED, first_sample, has_arena, settings};
use crate::stages::holder;

/// A link's unknown buffers are named up to this many.
const LISTED: usize = 5;

impl State {
    /// Shows what the address bar says.
    pub(crate) fn visit(&mut self, hash: &str, visits: &[u32]) {
        self.restoring = true;
        // What an earlier link said is over.
        if matches!(*self.page.notice, Some(Notice::Ignored(_))) {
            self.page.notice.set(None);
        }
        let (mut wanted, ignored) = link::read(hash, MOST_CASES, self.tabs);
        self.say_ignored(ignored);
        if self.leads_to_scene(&wanted) {
            return;
        }
        for wanted in &mut wanted {
            if wanted.plan.is_some() && wanted.file.is_none() {
                wanted.file = Some(SHARED.to_owned());
            }
            if wanted.sample.is_none() && wanted.file.is_none() {
                wanted.sample = first_sample().sample;
            }
        }
        // The tab that links do not name.
        let unnamed = |wanted: &Fragment| wanted.tab.is_none() && wanted.film.is_none();
        if wanted.iter().all(unnamed) {
            self.page.tab.put(Tab::COMPARE);
            self.page.frame.revealed = false;
        }
        let shown: Vec<CaseId> = self.shown().map(|case| case.id).collect();
        self.opening.later.clear();
        self.opening.active = None;
        if wanted.len() > 1 {
            let active = wanted.iter().position(|wanted| wanted.active);
            self.opening.active = active.or(Some(wanted.len() - 1));
            self.page
                .linked
                .put(!wanted.iter().any(|wanted| wanted.own_axes));
        }
        let visit = |index: usize| visits.get(index).copied().filter(|visit| *visit > 0);
        for (index, wanted) in wanted.iter().enumerate() {
            match shown.get(index) {
                Some(&id) if self.case(id).is_of(wanted, visit(index)) => {
                    self.show(id, wanted.clone());
                }
                Some(&of) if index == 0 => {
                    let at = Where::Instead;
                    self.restore_case(wanted.clone(), visit(index), OpenTarget { at, of });
                }
                None if index == 0 => {
                    let place = self.instead();
                    self.restore_case(wanted.clone(), visit(index), place);
                }
                _ => {
                    let later = (wanted.clone(), visit(index));
                    self.opening.later.push_back(later);
                }
            }
        }
        // What is not in the link, or comes again after the first, goes.
        let first_later = wanted.len() - self.opening.later.len();
        for id in shown.into_iter().skip(first_later.max(1)) {
            self.close(id);
        }
        let first = self.shown().next().map(|case| case.id);
        if let Some(first) = first {
            self.active.put(first);
        }
    }

    /// Opens the next of several cases of a link, when nothing else is being opened.
    pub(crate) fn open_later(&mut self) {
        let opening = &self.opening;
        let busy = opening.next.is_some() || opening.at_work.is_some() || self.fetching().is_some();
        if busy || self.shown().next().is_none() {
            return;
        }
        if let Some((wanted, visit)) = self.opening.later.pop_front() {
            let place = OpenTarget {
                at: Where::Beside,
                of: *self.active,
            };
            self.restore_case(wanted, visit, place);
        } else if let Some(active) = self.opening.active.take() {
            let id = self.shown().nth(active).map(|case| case.id);
            if let Some(id) = id {
                self.active.put(id);
            }
        }
    }

    /// Opens what a link says, or what there is instead.
    fn restore_case(&mut self, wanted: Fragment, visit: Option<u32>, place: OpenTarget) {
        // The same document in another way is there already.
        let same = |case: &&Case| case.is_of(&wanted, visit);
        let like = self.shown().find(same).map(|case| case.id);
        if let Some(like) = like.filter(|_| place.at == Where::Beside) {
            self.opening.next = self.like(like, place, Some(wanted));
        } else if wanted.sample.is_some() {
            self.open_sample(place, wanted);
        } else if let Some(letters) = wanted.plan.clone() {
            self.open_shared(&letters, wanted, place);
        } else if self.reopen(visit, &wanted, place) {
            // It was open before.
        } else if let Some(name) = wanted.file.clone() {
            self.open_first_sample();
            self.opening.expected = Some(wanted);
            // An entry of this browser's own history says when it was open.
            let notice = match visit {
                Some(_) => Notice::Reloaded(name),
                None => Notice::Missing(name),
            };
            self.page.notice.set(Some(notice));
        }
    }

    /// Shows another state of what is open in a case.
    pub(crate) fn show(&mut self, id: CaseId, mut wanted: Fragment) {
        self.suggest(&mut wanted);
        let rewrites = self.text_as_linked(id, &wanted.text);
        let asked = self.settings_of(id, &wanted);
        let (tab, film) = (wanted.tab, wanted.film);
        let Some(case) = self.case_mut(id) else {
            return;
        };
        let replan = rewrites
            || *case.bindings != wanted.bindings
            || *case.settings != asked
            || *case.planning.pools != wanted.pools;
        if replan {
            case.bindings.put(wanted.bindings);
            case.settings.put(asked);
            case.planning.pools.put(wanted.pools);
        }
        let searches = *case.planning.effort != wanted.effort;
        case.planning.effort.put(wanted.effort);
        if searches {
            crate::film::forget(case);
        }
        if let Some(shown) = wanted.shown {
            case.shown.put(shown);
        }
        case.window.put(wanted.window);
        case.query.put(wanted.query);
        case.coloring.put(wanted.coloring);
        case.own_scale.put(wanted.own_scale);
        case.timed.put(wanted.timed);
        case.insight.grouping.put(wanted.grouping);
        let shown = case.shown.clone();
        if replan {
            case.hand.wanted = wanted.handiwork;
            case.select = wanted.selected;
            case.look_at = wanted.step;
            case.advice.wished = wanted.wish;
        } else {
            case.insight.step.put(wanted.step.or(*case.insight.step));
            self.want_changes(id, wanted.handiwork);
            self.wish_as_linked(id, wanted.wish);
            let lifetimes = self.case(id).lifetimes();
            let index = wanted.selected.and_then(|name| {
                let mut buffers = lifetimes?.buffers.iter();
                buffers.position(|buffer| buffer.name == name)
            });
            self.select(id, index);
        }
        if let Some(tab) = tab {
            self.turn_to(tab);
        }
        self.restore_film(id, film);
        if replan {
            self.replan(id);
            return;
        }
        if searches {
            self.search_again(id, None);
        }
        for column in shown {
            self.plan(id, column);
        }
    }

    /// The settings that a link wants of what is open in a case, else those that the file begins
    /// with.
    fn settings_of(&mut self, id: CaseId, wanted: &Fragment) -> Settings {
        let Some(file) = &*self.case(id).file else {
            return Settings::default();
        };
        let opened = std::sync::Arc::clone(&file.opened);
        if let Some(arena) = wanted.arena.filter(|&arena| !has_arena(&opened, arena)) {
            self.say_ignored(vec![Ignored {
                part: format!("arena={arena}"),
                known: Known::Kind(Expected::Arena),
            }]);
        }
        settings(&opened, wanted)
    }

    /// Shows a tab. The outlines of differences and of what is lit would lie over each other: those
    /// asked for later stay.
    pub(crate) fn turn_to(&mut self, tab: Tab) {
        self.page.tab.put(tab);
        self.reveal_sheet();
        if tab == Tab::DIFFERENCES {
            self.unlight(*self.active);
        }
    }

    /// The buffer to select in new lifetimes: the one that a link named, or the one that was
    /// selected before.
    pub(crate) fn selection(&mut self, id: CaseId, prepared: &Prepared) -> Option<usize> {
        let case = self.case_mut(id)?;
        let named = case.select.take();
        let before = case.selected.and_then(|index| {
            let buffers = &case.lifetimes()?.buffers;
            Some(buffers.get(index)?.name.clone())
        });
        let wanted = named.as_ref().or(before.as_ref())?;
        let found = holder(&prepared.subject.lifetimes, wanted);
        if let (Some(name), None) = (named, found) {
            self.say_ignored(vec![Ignored {
                part: format!("select={name}"),
                known: Known::Kind(Expected::Select),
            }]);
        }
        found
    }

    /// Takes note of what a link changes by hand; plans that are there are changed now, others
    /// once they are.
    fn want_changes(&mut self, id: CaseId, work: Handiwork) {
        let same = self.case(id).handiwork() == work;
        let Some(case) = self.case_mut(id) else {
            return;
        };
        if same {
            case.hand.wanted.clear();
            return;
        }
        case.hand.wanted = work;
        for column in case.planned_columns() {
            self.restore(id, column);
            if let Some(case) = self.case_mut(id) {
                case.hand.pins.remove(&column);
            }
            self.change_as_linked(id, column);
        }
    }

    /// Changes a plan that is there as the link says.
    pub(crate) fn change_as_linked(&mut self, id: CaseId, column: Column) {
        let Some(case) = self.case_mut(id) else {
            return;
        };
        let Some(puts) = case.hand.wanted.remove(&column) else {
            return;
        };
        let (found, unknown) = match case.lifetimes() {
            Some(lifetimes) => places(lifetimes, &puts),
            None => return,
        };
        let unknown = unknown.into_iter().take(LISTED).map(|put| Ignored {
            part: format!("edit={column}:{}@{}", put.name, put.at),
            known: Known::Kind(Expected::Select),
        });
        let unknown: Vec<Ignored> = unknown.collect();
        let moved = found.iter().map(|&(buffer, at, _)| (buffer, at)).collect();
        let pins = found.iter().filter(|(.., pinned)| *pinned);
        let pins: BTreeSet<usize> = inserted(pins.map(|(buffer, ..)| *buffer));
        case.wait_for_link(column, moved, pins);
        self.say_ignored(unknown);
    }

    /// The state of a case, as a link would have it.
    #[must_use]
    pub fn fragment_of(&self, id: CaseId) -> Option<Fragment> {
        let case = self.case(id);
        let file = case.file.as_ref()?;
        let default = file.opened.alignment;
        let settings = &case.settings;
        let alignment = Some(settings.alignment.0).filter(|&alignment| alignment != default);
        let selected = case.selected.and_then(|index| {
            let buffers = &case.lifetimes()?.buffers;
            Some(buffers.get(index)?.name.clone())
        });
        let tab = *self.page.tab;
        let seen = *self.active == id;
        let first = self.shown().next().is_some_and(|first| first.id == id);
        Some(Fragment {
            lesson: self.page.scene.clone().filter(|_| first),
            file: file.sample.is_none().then(|| file.name.clone()),
            columns: case.columns(),
            range: case.queue.source.as_ref().and_then(|it| it.range),
            plan: file.shared.clone(),
            text: case.text.letters.clone(),
            sample: file.sample.clone(),
            bindings: case.bindings.clone(),
            shown: Some(case.shown.clone()),
            arena: Some(settings.arena).filter(|&arena| arena != file.opened.arena),
            alignment,
            largest_allocation: settings.largest_allocation.map(|it| it.0),
            io: Some(settings.io).filter(|&io| io != file.opened.io),
            passes: settings.passes,
            stage: settings.until,
            training: settings.training,
            parallel: settings.parallel,
            pools: case.planning.pools.clone(),
            effort: *case.planning.effort,
            window: *case.window,
            selected,
            query: case.query.clone(),
            coloring: *case.coloring,
            own_scale: *case.own_scale,
            timed: *case.timed,
            grouping: *case.insight.grouping,
            step: case.named_step(),
            wish: case.wish(),
            handiwork: case.handiwork(),
            tab: Some(tab).filter(|tab| seen && self.is_named(*tab)),
            film: (seen && tab == Tab::FILM).then(|| *case.films.rest as u64),
            // The last is the one that is active unless a link says otherwise.
            active: seen && self.shown().last().is_some_and(|last| last.id != id),
            own_axes: !*self.page.linked && self.shown().nth(1).is_some(),
        })
    }

    /// The state of every shown case as the fragment of a link.
    #[must_use]
    pub fn link(&self) -> String {
        let shown = self.shown().filter_map(|case| self.fragment_of(case.id));
        link::write(&shown.collect::<Vec<_>>())
    }

    /// Writes the state into the address bar when it has changed.
    pub(crate) fn leave_trace(&mut self) {
        let opening = &self.opening;
        let busy = opening.next.is_some() || opening.at_work.is_some();
        if busy && self.restoring || self.is_between_scenes(busy) {
            return;
        }
        // Every turn of a wheel would write it anew: it is written where the movement ends.
        if self.sliding || self.cases.iter().any(|case| case.views.is_moving()) {
            return;
        }
        let shown = self.shown().filter_map(|case| {
            let visit = case.file.as_ref()?.visit.unwrap_or(0);
            Some((self.fragment_of(case.id)?, visit))
        });
        let now: Trace = shown.collect();
        if now.is_empty() || self.traced.as_ref() == Some(&now) {
            return;
        }
        let looked = self
            .traced
            .as_ref()
            .is_none_or(|before| only_looks_differ(before, &now));
        let fragments: Vec<Fragment> = now.iter().map(|(fragment, _)| fragment.clone()).collect();
        let visits: Vec<u32> = now.iter().map(|(_, visit)| *visit).collect();
        let fragment = link::write(&fragments);
        self.traced = Some(now);
        if self.written.as_ref() == Some(&(fragment.clone(), visits.clone())) {
            return;
        }
        self.written = Some((fragment.clone(), visits.clone()));
        self.effects.push(Effect::Write {
            fragment,
            visits,
            // In a frame an entry would take Back from the page around it.
            entry: !looked && !self.restoring && self.page.frame.mode != Mode::Embedded,
        });
    }
}

impl Case {
    /// Whether it shows what a link names.
    pub(crate) fn is_of(&self, wanted: &Fragment, visit: Option<u32>) -> bool {
        let Some(file) = self.file.as_ref() else {
            return false;
        };
        match (&wanted.sample, &wanted.file) {
            (Some(sample), _) => file.sample.as_ref() == Some(sample),
            (None, Some(name)) => {
                let another = visit.is_some() && file.visit != visit;
                file.sample.is_none()
                    && file.name == *name
                    && file.shared == wanted.plan
                    && !another
            }
            (None, None) => false,
        }
    }

    /// What was changed by hand, for the address bar.
    #[must_use]
    pub fn handiwork(&self) -> Handiwork {
        let mut work = Handiwork::new();
        for column in self.changed_columns() {
            let buffers = self.changed_buffers(column);
            let pins = self.hand.pins.get(&column);
            let both = self.planned(column).zip(self.lifetimes());
            let Some((planned, lifetimes)) = both else {
                continue;
            };
            let offsets = &planned.judged.plan.offsets;
            let mut named: BTreeMap<&str, usize> = BTreeMap::new();
            let mut puts = Vec::with_capacity(buffers.len());
            for (index, (buffer, at)) in lifetimes.buffers.iter().zip(offsets).enumerate() {
                let nth = named.entry(&buffer.name).or_default();
                *nth += 1;
                if buffers.contains(&index) {
                    puts.push(Put {
                        name: buffer.name.clone(),
                        nth: *nth,
                        at: at.0,
                        pinned: pins.is_some_and(|pins| pins.contains(&index)),
                    });
                }
            }
            if !puts.is_empty() {
                work.insert(column, puts);
            }
        }
        work
    }

    /// Whether more was changed by hand than a link carries.
    #[must_use]
    pub fn is_too_much_for_a_link(&self) -> bool {
        let columns = self.changed_columns().into_iter();
        let counts = columns.map(|column| self.changed_buffers(column).len());
        counts.sum::<usize>() > CARRIED
    }

    fn changed_columns(&self) -> BTreeSet<Column> {
        let pins = self.hand.pins.iter().filter(|(_, pins)| !pins.is_empty());
        let pins = pins.map(|(column, _)| column);
        self.hand.edits.keys().chain(pins).copied().collect()
    }

    /// The buffers of a plan that were moved or pinned.
    fn changed_buffers(&self, column: Column) -> BTreeSet<usize> {
        let moved = self.hand.edits.get(&column).into_iter();
        let moved = moved.flat_map(|edit| edit.moved.keys().copied());
        let pins = self.hand.pins.get(&column).into_iter().flatten().copied();
        moved.chain(pins).collect()
    }
}

/// The buffers that a link changes, where to and whether they stay there; and what is not there.
fn places<'p>(
    lifetimes: &Lifetimes,
    puts: &'p [Put],
) -> (Vec<(usize, Offset, bool)>, Vec<&'p Put>) {
    let mut named: BTreeMap<&str, usize> = BTreeMap::new();
    let mut indices: BTreeMap<(&str, usize), usize> = BTreeMap::new();
    for (index, buffer) in lifetimes.buffers.iter().enumerate() {
        let nth = named.entry(&buffer.name).or_default();
        *nth += 1;
        indices.insert((&buffer.name, *nth), index);
    }
    let mut found = Vec::new();
    let mut unknown = Vec::new();
    for put in puts {
        match indices.get(&(put.name.as_str(), put.nth)) {
            Some(&index) => found.push((index, Offset(put.at), put.pinned)),
            None => unknown.push(put),
        }
    }
    (found, unknown)
}

fn only_looks_differ(before: &Trace, now: &Trace) -> bool {
    let without = |(fragment, visit): &(Fragment, u32)| (fragment.unseen(), *visit);
    before.iter().map(without).eq(now.iter().map(without))
}
