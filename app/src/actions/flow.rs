//! The conversation with the worker: open, prepare, then one strategy after the other.
//!
//! One question is outstanding at a time. When the person changes something meanwhile, the
//! next question is chosen anew once the answer is there; an answer that takes too long is
//! cut off by restarting the worker, which then has to read the file again.

mod asked;
mod opening;
mod questions;
mod replies;
mod visits;

use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Arc;

use gloo::timers::callback::Timeout;
use leptos::prelude::*;
use planner::graph::Bindings;
use planner::what_if::Kept;
use planner::{PlanError, Settings, Strategy};
use worker::Planned;

use super::{difference, edit, film, history, insight, run, what_if};
use crate::links::files::Given;
use crate::links::waiting::Waiting;
use crate::links::worker as link;
use crate::state::column::Column;
use crate::state::film::Footage;
use crate::state::fragment::Fragment;
use crate::state::planning::{Pricing, uses_effort};
use crate::state::session::{Progress, Session, Work};

use opening::Source;
pub(super) use opening::{
    blob, expect_file, files, forget_waiting, open_files, open_sample, open_sample_as, open_shared,
    reopen, suggest_bindings,
};
use visits::Visits;

pub(super) use asked::{explain, film};
pub(crate) use replies::replied;

/// How long an outdated question may go on before the worker is restarted.
const PATIENCE_MS: u32 = 250;

thread_local! {
    static FLOW: RefCell<Flow> = RefCell::new(Flow::default());
}

/// What the worker was asked for last.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Stage {
    #[default]
    Idle,
    Opening,
    Preparing,
    Planning(Column),
    /// A strategy plans around what is kept of a column's plan.
    Finishing(Column, u32),
    Filming(Column),
    Explaining(Column),
    Pricing,
}

#[derive(Default)]
struct Flow {
    session: Option<Session>,
    stage: Stage,
    /// Number of the outstanding question.
    id: u32,
    /// What a link says of a file that is not opened yet.
    expected: Option<Fragment>,
    /// How often anything was asked to be opened: a sample that arrives later than something
    /// newer was asked for is not opened.
    asked: u32,
    /// Files that wait for others that belong to them.
    waiting: Waiting,
    /// User files that were open, so that Back finds them again.
    visits: Visits,
    /// What to open next.
    next: Option<Source>,
    /// User files that were to be opened before `next` and were not answered.
    superseded: Option<Vec<Given>>,
    /// What the worker is opening.
    opening: Option<Source>,
    /// What is open.
    open: Option<Source>,
    /// Whether the worker has what is open.
    held: bool,
    /// Whether lifetimes have to be found again.
    stale: bool,
    /// What lifetimes are asked for with, and what those on the page were found with.
    asked_with: Option<(Bindings, Settings)>,
    found_with: Option<(Bindings, Settings)>,
    /// Whether the worker only receives again what the page already shows, so that it
    /// can go on planning.
    resume: bool,
    /// What a strategy is to plan around what is kept.
    finish: Option<Finish>,
    /// Columns still to be planned.
    queue: VecDeque<Column>,
    /// Columns still to be filmed, before any is planned.
    films: VecDeque<Column>,
    /// Columns whose plans are to be explained, before any is planned.
    explains: VecDeque<Column>,
    /// The plan that is being explained.
    explained: Option<Arc<Planned>>,
    /// Whether the price of running in parallel is to be measured when nothing else is.
    price: bool,
}

/// What a strategy is to plan around what is kept.
pub(super) struct Finish {
    pub(super) column: Column,
    /// Number of the question.
    pub(super) number: u32,
    pub(super) strategy: Strategy,
    /// What stays where it is.
    pub(super) kept: Vec<Kept>,
}

/// Starts the worker for this session.
pub(crate) fn start(session: Session) {
    FLOW.with_borrow_mut(|flow| flow.session = Some(session));
    link::start(link::Handlers {
        reply: replies::received,
        died: replies::died,
    });
}

/// Finds lifetimes and plans again, because bindings or settings changed.
pub(super) fn replan(session: Session) {
    FLOW.with_borrow_mut(|flow| {
        flow.stale = true;
        flow.resume = false;
        flow.finish = None;
        flow.queue.clear();
        flow.films.clear();
        flow.explains.clear();
        flow.price = false;
    });
    session.planning.price.set(Pricing::Unmeasured);
    hurry(session);
}

/// Makes sure that `column` gets planned, before any other that waits.
pub(super) fn plan(session: Session, column: Column) {
    let there = session
        .plans
        .with_untracked(|plans| plans.get(&column).cloned());
    if let Some(
        Progress::Done(_) | Progress::Stopped(_) | Progress::Working(..) | Progress::Improving(..),
    ) = there
    {
        return;
    }
    FLOW.with_borrow_mut(|flow| flow.put_search_off(column));
    enqueue(session, column);
}

/// Plans `column` once more; the plan that it has stays until there is a smaller one or the
/// strategy is done.
pub(super) fn again(session: Session, column: Column) {
    FLOW.with_borrow_mut(|flow| {
        if flow.stage == Stage::Planning(column) {
            flow.cut();
        }
    });
    run::forget_column(session, column);
    enqueue(session, column);
}

/// Puts `column` first in the queue. A plan that was changed by hand stays in view.
fn enqueue(session: Session, column: Column) {
    if session.prepared.with_untracked(Option::is_none) {
        // Lifetimes whose search was stopped are needed after all.
        proceed(session);
        return;
    }
    if !edit::is_held(session, column) {
        session.plans.update(|plans| {
            let planned = plans.get(&column).and_then(Progress::planned).cloned();
            let waiting = planned.map_or(Progress::Waiting, Progress::Queued);
            plans.insert(column, waiting);
        });
    }
    let pricing = FLOW.with_borrow_mut(|flow| {
        flow.queue.retain(|other| *other != column);
        flow.queue.push_front(column);
        flow.stage == Stage::Pricing
    });
    if pricing {
        hurry(session);
    } else {
        proceed(session);
    }
}

/// The effort is another: what searches searches again.
pub(super) fn search_again(session: Session, first: Option<Column>) {
    let mut columns: Vec<Column> = session.plans.with_untracked(|plans| {
        let tried = |(column, progress): (&Column, &Progress)| {
            let Column::Strategy(strategy) = *column else {
                return None;
            };
            let refused = matches!(progress, Progress::Failed(PlanError::Unsupported { .. }));
            (uses_effort(strategy) && !refused).then_some(*column)
        };
        plans.iter().filter_map(tried).collect()
    });
    let priced = session.planning.price.get_untracked() != Pricing::Unmeasured;
    let first = first.filter(|first| columns.contains(first));
    let first = first.or(columns.first().copied());
    columns.retain(|column| Some(*column) != first);
    // Where no worker is busy, what is asked for begins at once, before the others are there.
    for column in first.into_iter().chain(columns.into_iter().rev()) {
        again(session, column);
    }
    FLOW.with_borrow_mut(|flow| {
        let waits = first.filter(|first| flow.queue.contains(first));
        flow.queue.retain(|column| Some(*column) != waits);
        waits
            .into_iter()
            .for_each(|first| flow.queue.push_front(first));
    });
    if priced {
        measure_price(session);
    }
}

/// Measures what running operators at the same time costs, once nothing else is at work.
pub(super) fn measure_price(session: Session) {
    if session.prepared.with_untracked(Option::is_none) {
        return;
    }
    FLOW.with_borrow_mut(|flow| {
        if flow.stage == Stage::Pricing {
            flow.cut();
        }
        flow.price = true;
    });
    session.planning.price.set(Pricing::Measuring);
    proceed(session);
}

/// Stops measuring it.
pub(super) fn stop_price(session: Session) {
    FLOW.with_borrow_mut(|flow| {
        if flow.stage == Stage::Pricing {
            flow.cut();
        }
        flow.price = false;
    });
    session.planning.price.set(Pricing::Unmeasured);
    proceed(session);
}

/// Stops one strategy; the smallest plan that it had found stays, and the others go on.
pub(super) fn stop(session: Session, column: Column) {
    FLOW.with_borrow_mut(|flow| {
        if flow.stage == Stage::Planning(column) {
            flow.cut();
        }
        flow.queue.retain(|other| *other != column);
    });
    session.plans.update(|plans| {
        if let Some(progress) = plans.get_mut(&column) {
            end(progress);
        }
    });
    proceed(session);
}

/// Has a strategy plan around what is kept. The strategy that plans now waits for it, and begins
/// anew.
pub(super) fn finish(session: Session, finish: Finish) {
    FLOW.with_borrow_mut(|flow| {
        flow.finish = Some(finish);
        if let Stage::Planning(column) = flow.stage {
            flow.cut();
            flow.queue.push_front(column);
        }
    });
    hurry(session);
}

/// Stops everything that is at work; what is there stays.
pub(super) fn cancel(session: Session) {
    let unfound = FLOW.with_borrow(Flow::is_unfound);
    FLOW.with_borrow_mut(|flow| {
        flow.superseded = None;
        flow.next = None;
        flow.opening = None;
        flow.finish = None;
        flow.cut();
        flow.queue.clear();
        flow.films.clear();
        flow.explains.clear();
        flow.price = false;
    });
    session.work.set(Work::Idle);
    if unfound {
        without_lifetimes(session);
    }
    insight::give_up(session);
    session.what_if.finishing.set(None);
    session.films.footage.update(|all| {
        for footage in all.values_mut() {
            if matches!(footage, Footage::Waiting | Footage::Working(..)) {
                *footage = Footage::Failed(PlanError::Cancelled);
            }
        }
    });
    session
        .plans
        .update(|plans| plans.values_mut().for_each(end));
    session.planning.price.update(|price| {
        if *price == Pricing::Measuring {
            *price = Pricing::Unmeasured;
        }
    });
}

/// Lifetimes are not looked for any longer: what was asked of them is as those have it that are
/// on the page; without any, the page says so and offers to look for them after all.
fn without_lifetimes(session: Session) {
    let there = session.prepared.with_untracked(Option::is_some);
    let found = FLOW.with_borrow_mut(|flow| {
        let found = flow.found_with.clone().filter(|_| there);
        flow.stale = found.is_none();
        flow.resume = false;
        found
    });
    match found {
        Some((bindings, settings)) => {
            session.bindings.set(bindings);
            session.settings.set(settings);
        }
        None if session.is_open() => session.work.set(Work::Stopped),
        None => {}
    }
}

/// What becomes of a plan that is not looked for any longer.
fn end(progress: &mut Progress) {
    match progress {
        Progress::Waiting | Progress::Working(..) => {
            *progress = Progress::Failed(PlanError::Cancelled);
        }
        Progress::Queued(planned) | Progress::Improving(planned, ..) => {
            *progress = Progress::Stopped(Arc::clone(planned));
        }
        Progress::Done(_) | Progress::Stopped(_) | Progress::Failed(_) => {}
    }
}

/// Asks the next question now, or cuts off the outstanding one when it takes too long.
fn hurry(session: Session) {
    let outstanding = FLOW.with_borrow(|flow| (flow.stage != Stage::Idle).then_some(flow.id));
    let Some(id) = outstanding else {
        proceed(session);
        return;
    };
    Timeout::new(PATIENCE_MS, move || {
        let late = FLOW.with_borrow_mut(|flow| {
            let late = flow.stage != Stage::Idle && flow.id == id;
            if late {
                flow.cut();
            }
            late
        });
        if late {
            proceed(session);
        }
    })
    .forget();
}

impl Flow {
    /// Whether lifetimes are still to be found.
    fn is_unfound(&self) -> bool {
        self.stale || self.stage == Stage::Preparing
    }

    /// Something else is to be opened; returns the number of the wish.
    fn ask_anew(&mut self) -> u32 {
        self.asked = self.asked.wrapping_add(1);
        self.asked
    }

    /// A search that is at work is queued after `column`, which is waited for: it may take
    /// minutes, and begins anew then.
    fn put_search_off(&mut self, column: Column) {
        let Stage::Planning(search) = self.stage else {
            return;
        };
        let searches = matches!(search, Column::Strategy(strategy) if uses_effort(strategy));
        if searches && search != column {
            self.cut();
        }
    }

    /// Ends the outstanding question by ending the worker.
    fn cut(&mut self) {
        if self.stage != Stage::Idle {
            link::restart();
            match self.stage {
                Stage::Filming(column) => self.films.push_front(column),
                Stage::Explaining(column) => self.explains.push_front(column),
                // It waits again, unless the caller that cuts it off ends it.
                Stage::Planning(column) => self.queue.push_front(column),
                _ => {}
            }
            self.price |= self.stage == Stage::Pricing;
            self.stage = Stage::Idle;
            self.held = false;
        }
    }
}

/// Asks the next question, unless another is outstanding.
pub(crate) fn proceed(session: Session) {
    let question = FLOW.with_borrow_mut(Flow::next_question);
    let stage = FLOW.with_borrow(|flow| flow.stage.clone());
    match stage {
        // The price is measured beside whatever the person does.
        Stage::Idle | Stage::Pricing | Stage::Explaining(_) => session.work.set(Work::Idle),
        Stage::Opening => {}
        Stage::Preparing => session.work.set(Work::Preparing),
        Stage::Planning(_) | Stage::Finishing(..) | Stage::Filming(_) => {
            session.work.set(Work::Planning);
        }
    }
    show_turns(session, &stage);
    if let Some((request, blobs)) = question {
        link::ask(&request, &blobs);
    }
}

/// Distinguishes the column that is at work from those that wait.
fn show_turns(session: Session, stage: &Stage) {
    let turned = |(column, progress): (&Column, &Progress)| {
        let progress = progress.turned(*stage == Stage::Planning(*column))?;
        Some((*column, progress))
    };
    let turned: Vec<(Column, Progress)> = session
        .plans
        .with_untracked(|plans| plans.iter().filter_map(turned).collect());
    if !turned.is_empty() {
        session.plans.update(|plans| plans.extend(turned));
    }
}
