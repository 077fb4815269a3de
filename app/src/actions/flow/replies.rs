//! What the worker says, and what becomes of it.

use std::collections::VecDeque;
use std::sync::Arc;

use leptos::prelude::*;
use planner::load::{Fault, LoadError};
use planner::trace::Trace;
use planner::{Bytes, PlanError, clash};
use worker::{Opened, Planned, Prepared, Reply};

use super::opening::{complete, open_first_of, same, wait};
use super::{
    FLOW, Flow, Stage, cancel, difference, edit, film, history, insight, proceed, run, what_if,
    without_lifetimes,
};
use crate::links::files::Given;
use crate::links::worker as link;
use crate::parts::HANDS;
use crate::state::column::Column;
use crate::state::film::{Footage, Recording};
use crate::state::fragment::Fragment;
use crate::state::link::{Ignored, Known};
use crate::state::memory;
use crate::state::planning::{Pricing, priced_unasked, unasked, uses_effort};
use crate::state::session::{Notice, OpenFile, Progress, Session};
use crate::words::ConstraintWord;

pub(super) fn received(reply: Reply) {
    let Some((session, stage)) = FLOW.with_borrow_mut(|flow| flow.expects(&reply)) else {
        return;
    };
    match (reply, stage) {
        (
            Reply::Progress {
                stage, done, total, ..
            },
            Stage::Planning(column),
        ) => {
            if session.planning.stage.get_untracked() != stage {
                session.planning.stage.set(stage);
            }
            went_on(session, column, done, total);
            return;
        }
        (Reply::Progress { done, total, .. }, Stage::Filming(column)) => {
            film::keep(session, column, Footage::Working(done, total));
            return;
        }
        (Reply::Incumbent { planned, .. }, Stage::Planning(column)) => {
            improved(session, column, *planned);
            return;
        }
        (Reply::Incumbent { .. } | Reply::Progress { .. }, _) => return,
        (Reply::Opened { opened, .. }, _) => opened_file(session, opened),
        (Reply::Refused { error, .. }, _) => refused(session, error),
        (Reply::Prepared { prepared, .. }, _) => match prepared {
            Ok(prepared) => prepared_document(session, *prepared),
            Err(error) => session.notice.set(Some(Notice::TooLarge(error))),
        },
        (Reply::Planned { planned, .. }, Stage::Planning(column)) => {
            planned_column(session, column, planned);
        }
        (reply, stage) => {
            HANDS.then(move |hands| {
                (hands.replied)(session, reply, stage);
                proceed(session);
            });
            return;
        }
    }
    proceed(session);
}

/// Deals with what the worker says that no first picture needs.
pub(crate) fn replied(session: Session, reply: Reply, stage: Stage) {
    match (reply, stage) {
        (Reply::Planned { planned, .. }, Stage::Finishing(column, number)) => {
            what_if::finished(session, (column, number), planned.map(|planned| *planned));
        }
        (Reply::Trace { trace: film, .. }, Stage::Filming(column)) => filmed(session, column, film),
        (Reply::Explained { explained, .. }, Stage::Explaining(column)) => {
            if let Some(planned) = FLOW.with_borrow_mut(|flow| flow.explained.take()) {
                insight::explained(session, column, &planned, *explained);
            }
        }
        (Reply::Priced { price, .. }, _) => {
            let measured = price.map_or(Pricing::Failed, Pricing::Measured);
            session.planning.price.set(measured);
        }
        // What is asked beside planning has workers of its own.
        _ => {}
    }
}

impl Flow {
    /// The session and the stage that `reply` belongs to; `None` for an old reply.
    fn expects(&mut self, reply: &Reply) -> Option<(Session, Stage)> {
        let (id, last) = match reply {
            Reply::Progress { id, .. } | Reply::Incumbent { id, .. } => (*id, false),
            Reply::Opened { id, .. }
            | Reply::Refused { id, .. }
            | Reply::Prepared { id, .. }
            | Reply::Planned { id, .. }
            | Reply::Priced { id, .. }
            | Reply::Differed { id, .. }
            | Reply::PlanRead { id, .. }
            | Reply::TakenHome { id, .. }
            | Reply::Explained { id, .. }
            | Reply::Trace { id, .. } => (*id, true),
        };
        if id != self.id || self.stage == Stage::Idle {
            return None;
        }
        let stage = self.stage.clone();
        if last {
            self.stage = Stage::Idle;
        }
        Some((self.session?, stage))
    }
}

fn opened_file(session: Session, opened: Opened) {
    let source = FLOW.with_borrow_mut(|flow| {
        let source = flow.opening.take();
        // Opened again after a restart: nothing else has changed.
        let again = !flow.held && same(source.as_ref(), flow.open.as_ref());
        flow.held = true;
        flow.stale = true;
        flow.open = source.clone();
        if !again {
            // What waits is of another file.
            flow.queue.clear();
            flow.explains.clear();
        }
        source.filter(|_| !again)
    });
    let Some(source) = source else { return };
    complete(session, &source);
    let bytes = source.files.iter().map(Given::bytes).sum();
    let wanted = saved_view(&opened, source.wanted);
    let mut bindings = memory::bindings(&source.name, bytes);
    bindings.extend(wanted.bindings.clone());
    let known = |name: &String| opened.symbols.iter().any(|symbol| symbol.name == *name);
    let ignored = not_there(&wanted, &opened);
    bindings.retain(|name, value| known(name) && *value > 0);
    session.bindings.set(bindings);
    set_up(session, &opened, &wanted);
    session.planning.pools.set(wanted.pools);
    session.planning.effort.set(wanted.effort);
    session.planning.price.set(Pricing::Unmeasured);
    session.planning.witness.set(None);
    insight::forget(session);
    let mut shown = wanted.shown;
    if let Some(shown) = &mut shown {
        shown.retain(|column| opened.deployed || *column != Column::Deployed);
    }
    let shown = shown.unwrap_or_else(|| Column::first(&opened));
    keep_what_a_link_said(session);
    history::say_ignored(session, ignored);
    run::forget(session, true);
    difference::close(session);
    session.differences.chosen.set(None);
    forget_films(session);
    history::turn(session, wanted.tab);
    film::restart(session, wanted.film);
    session.prepared.set(None);
    session.planning.clash.set(None);
    session.plans.update(std::collections::BTreeMap::clear);
    session.hovered.set(None);
    session.selected.set(None);
    session.query.set(wanted.query);
    session.coloring.set(wanted.coloring);
    session.shown.set(shown);
    session.window.set(wanted.window);
    history::select_later(wanted.selected);
    what_if::wanted_later(wanted.handiwork);
    session.file.set(Some(OpenFile {
        name: source.name,
        sample: source.sample,
        shared: source.shared,
        visit: source.visit,
        bytes,
        opened: Arc::new(opened),
    }));
}

/// The settings that are wanted, else those that the file begins with.
fn set_up(session: Session, opened: &Opened, wanted: &Fragment) {
    session.settings.update(|settings| {
        settings.alignment = Bytes(wanted.alignment.unwrap_or(opened.alignment).max(1));
        settings.io = wanted.io.unwrap_or(opened.io);
        settings.passes = wanted.passes;
        settings.parallel = wanted.parallel;
        settings.arena = if has_arena(opened, wanted.arena) {
            wanted.arena
        } else {
            0
        };
    });
}

/// What a link named and the page does not have is still worth saying when something else is
/// open; what was said of a file is not.
fn keep_what_a_link_said(session: Session) {
    let of_link = |notice: &Notice| {
        matches!(
            notice,
            Notice::Missing(_) | Notice::Ignored(_) | Notice::BadLink(..)
        )
    };
    session.notice.update(|notice| {
        notice.take_if(|notice| !of_link(notice));
    });
}

/// A plan that was saved with its view is shown so, unless another is asked for.
fn saved_view(opened: &Opened, wanted: Fragment) -> Fragment {
    if opened.view.is_empty() || wanted != Fragment::default() {
        return wanted;
    }
    Fragment::read(&opened.view).0
}

/// The first arena is there even where nothing is deployed.
fn has_arena(opened: &Opened, arena: u32) -> bool {
    arena == 0 || (arena as usize) < opened.arenas.len()
}

/// What a link says of a file that has no such thing.
fn not_there(wanted: &Fragment, opened: &Opened) -> Vec<Ignored> {
    let known = |name: &String| opened.symbols.iter().any(|symbol| symbol.name == *name);
    let unknown = wanted.bindings.iter().filter(|(name, _)| !known(name));
    let mut ignored: Vec<Ignored> = unknown
        .map(|(name, value)| Ignored {
            part: format!("bind={name}:{value}"),
            known: Known::Word(ConstraintWord::KnownBind),
        })
        .collect();
    let shown = wanted.shown.as_ref();
    if !opened.deployed && shown.is_some_and(|shown| shown.contains(&Column::Deployed)) {
        ignored.push(Ignored {
            part: format!("show={}", Column::Deployed),
            known: Known::Word(ConstraintWord::KnownNoPlan),
        });
    }
    if !has_arena(opened, wanted.arena) {
        ignored.push(Ignored {
            part: format!("arena={}", wanted.arena),
            known: Known::Word(ConstraintWord::KnownArena),
        });
    }
    ignored
}

/// What was open stays. A file that needs another waits for it; one that does not belong to
/// what waits is opened without it.
fn refused(session: Session, error: LoadError) {
    let Some(source) = FLOW.with_borrow_mut(|flow| flow.opening.take()) else {
        return;
    };
    if error.kind == Fault::Apart && !source.instead.is_empty() {
        open_first_of(session, source.instead, source.retried);
        return;
    }
    if error.kind == Fault::Partner {
        // What belongs to it may have come a moment before, and not have been answered then.
        let attempts = FLOW.with_borrow_mut(|flow| flow.attempts(source.files.clone()));
        if !source.retried && attempts.len() > 1 {
            open_first_of(session, attempts, true);
            return;
        }
        wait(session, source.files);
    }
    session
        .notice
        .set(Some(Notice::Refused(source.name, error)));
}

fn prepared_document(session: Session, prepared: Prepared) {
    FLOW.with_borrow_mut(|flow| flow.found_with = flow.asked_with.take());
    if FLOW.with_borrow_mut(|flow| std::mem::take(&mut flow.resume)) {
        return;
    }
    let deployed = prepared.subject.deployed.is_some();
    let count = prepared.subject.lifetimes.buffers.len();
    let price = prepared.subject.program.is_some() && priced_unasked(count);
    let old = session.selected.get_untracked();
    let old = old
        .and_then(|index| session.with_lifetimes(|l| l.buffers.get(index)?.name.clone().into()))
        .flatten();
    let selected = history::selection(session, old, &prepared.subject.lifetimes);
    let shown = session.shown.get_untracked();
    // What searches comes last: it may take long, and it was not asked for.
    let rest = Column::all(deployed).into_iter();
    let rest = rest.filter(|column| !shown.contains(column) && unasked(*column, count));
    let searches = |column: &Column| matches!(column, Column::Strategy(s) if uses_effort(*s));
    let (last, rest): (Vec<Column>, Vec<Column>) = rest.partition(searches);
    let mut queue: VecDeque<Column> = shown.iter().copied().chain(rest).chain(last).collect();
    // Without any plan no strategy is asked for one: it is said once, of the document.
    let clash = clash(&prepared.subject.lifetimes);
    if clash.is_some() {
        queue.retain(|column| *column == Column::Deployed);
    }
    session.hovered.set(None);
    run::forget(session, false);
    forget_films(session);
    session.prepared.set(Some(Arc::new(prepared)));
    session.plans.update(|plans| {
        plans.clear();
        plans.extend(queue.iter().map(|column| (*column, Progress::Waiting)));
        if let Some(clash) = &clash {
            let failed = Progress::Failed(PlanError::FixedClash(Box::new(clash.clone())));
            let none = Column::all(false).into_iter();
            plans.extend(none.map(|column| (column, failed.clone())));
        }
    });
    session.planning.clash.set(clash);
    session.selected.set(selected);
    session.planning.witness.set(None);
    insight::forget(session);
    difference::follow_arena(session);
    if price {
        session.planning.price.set(Pricing::Measuring);
    }
    FLOW.with_borrow_mut(|flow| {
        flow.queue = queue;
        flow.price = price;
    });
}

/// A strategy is so far. A plan that was changed by hand stays in view.
fn went_on(session: Session, column: Column, done: u64, total: u64) {
    if edit::is_held(session, column) {
        return;
    }
    session.plans.update(|plans| {
        let planned = plans.get(&column).and_then(Progress::planned).cloned();
        let progress = match planned {
            Some(planned) => Progress::Improving(planned, done, total),
            None => Progress::Working(done, total),
        };
        plans.insert(column, progress);
    });
}

/// A search has found a smaller plan and goes on.
fn improved(session: Session, column: Column, planned: Planned) {
    if edit::is_held(session, column) {
        HANDS.then(move |hands| (hands.rebase)(session, column, Arc::new(planned), true));
        return;
    }
    session.plans.update(|plans| {
        let (done, total) = match plans.get(&column) {
            Some(Progress::Working(done, total) | Progress::Improving(_, done, total)) => {
                (*done, *total)
            }
            _ => (0, 0),
        };
        let before = plans.get(&column).and_then(Progress::planned);
        let arena = planned.judged.plan.arena;
        let smaller = before.is_none_or(|before| arena < before.judged.plan.arena);
        if smaller {
            let planned = Arc::new(planned);
            plans.insert(column, Progress::Improving(planned, done, total));
        }
    });
}

fn planned_column(session: Session, column: Column, planned: Result<Box<Planned>, PlanError>) {
    run::forget_column(session, column);
    let progress = match planned {
        // What was changed by hand while it was planned is not lost.
        Ok(planned) if edit::is_held(session, column) => {
            HANDS.then(move |hands| (hands.rebase)(session, column, Arc::new(*planned), false));
            return;
        }
        Err(_) if edit::is_held(session, column) => return,
        Ok(planned) => Progress::Done(Arc::new(*planned)),
        Err(error) => Progress::Failed(error),
    };
    session.plans.update(|plans| {
        plans.insert(column, progress);
    });
    if what_if::is_wanted(column) {
        HANDS.then(move |hands| (hands.resume)(session, column));
    }
}

fn filmed(session: Session, column: Column, film: Result<Box<Trace>, PlanError>) {
    let footage = match film {
        Ok(film) => match Recording::new(session, column, *film) {
            Some(recording) => Footage::Done(Arc::new(recording)),
            None => return,
        },
        Err(error) => Footage::Failed(error),
    };
    film::keep(session, column, footage);
}

/// Films of what is shown no more are forgotten; those that are on are asked for again.
fn forget_films(session: Session) {
    FLOW.with_borrow_mut(|flow| flow.films.clear());
    session
        .films
        .footage
        .update(std::collections::BTreeMap::clear);
}

pub(super) fn died(reason: String) {
    let (session, unfound) = FLOW.with_borrow_mut(|flow| {
        link::end();
        let unfound = flow.is_unfound();
        flow.stage = Stage::Idle;
        flow.held = false;
        flow.stale = false;
        (flow.session, unfound)
    });
    if let Some(session) = session {
        cancel(session);
        if unfound {
            without_lifetimes(session);
        }
        session.notice.set(Some(Notice::Crashed(reason)));
    }
}
