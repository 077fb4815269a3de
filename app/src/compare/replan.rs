//! What a deployed plan takes, what no plan can go below, and what the best plan of the same
//! lifetimes saves: one click shows both side by side.

use crate::state::driver::act;
use crate::state::session::{Session, session, to_f64};
use conversation::{Action, Column, Progress};
use std::sync::Arc;

use leptos::prelude::*;
use planner::Strategy;
use planner::metrics::Metrics;
use worker::Planned;

use super::badge;
use crate::format;
use crate::strings::{DeployedWord, Word, filled};

/// The plan that is offered instead.
const BEST: Column = Column::Strategy(Strategy::Best);

/// From here on, sizes are too long to be written to the byte: the memory of a large device.
const EXACT_BELOW: u64 = 1_000_000_000;

/// The figures and the button; nothing where the file brings no plan.
#[component]
pub(crate) fn Replan() -> impl IntoView {
    let session = session();
    let figures = move || {
        if session.is_separate() {
            return Some(separate(session).into_any());
        }
        let planned = shipped(session)?;
        let planned = planned.as_ref();
        let best = progress(session, BEST);
        // A film does not say before its end what it comes to.
        let told = best.as_ref().filter(|_| !session.is_film_open(BEST));
        Some(view! {
            <fieldset class="replan">
                <legend>{session.say(DeployedWord::Replan)}</legend>
                <dl>
                    {of_deployed(session, planned)}
                    {told.and_then(|best| of_best(session, best))}
                    {told.and_then(Progress::planned).and_then(|best| saved(session, planned, best))}
                </dl>
                {best.as_ref().filter(|best| best.is_open()).map(|_| view! {
                    <p role="status">{filled(session.say(Word::PlanningColumn), &[BEST.name()])}</p>
                })}
                {button(session, best.as_ref())}
            </fieldset>
        }.into_any())
    };
    view! { {figures} }
}

/// Where the plan stands that came with what is open.
pub(crate) fn given(session: Session) -> &'static str {
    session.say(match session.came_by_link() {
        true => DeployedWord::GivenInLink,
        false => DeployedWord::GivenInFile,
    })
}

/// That there is nothing to plan better.
fn separate(session: Session) -> impl IntoView + use<> {
    let hint = match session.not_listed() {
        Some(_) => DeployedWord::NotListedHint,
        None => DeployedWord::SeparateHint,
    };
    view! {
        <fieldset class="replan" data-separate="true">
            <legend>{session.say(DeployedWord::Separate)}</legend>
            <p class="soft">{session.say(hint)}</p>
        </fieldset>
    }
}

/// The plan that came with the file, whatever was changed of it by hand since.
pub(crate) fn shipped(session: Session) -> Option<Arc<Planned>> {
    session.runs.edits.track();
    session.plans.track();
    session.case(|case| case.original(Column::Deployed))
}

fn progress(session: Session, column: Column) -> Option<Progress> {
    session.plans.with(|plans| plans.get(&column).cloned())
}

/// The deployed arena and the bound.
fn of_deployed(session: Session, planned: &Planned) -> impl IntoView + use<> {
    let metrics = planned.judged.metrics;
    let valid = planned.judged.violations.is_empty();
    let deployed = taken(planned);
    // What was made here and handed on was not deployed.
    let own = session.shipped.strategy.get().is_some();
    let (name, wrong) = match own {
        true => (given(session), DeployedWord::WrongOwn),
        false => (session.say(DeployedWord::Deployed), DeployedWord::Wrong),
    };
    let more = if !valid {
        session.say(wrong).to_owned()
    } else if deployed == metrics.bound.0 {
        session.say(DeployedWord::AtBound).to_owned()
    } else {
        filled(
            session.say(DeployedWord::OverBound),
            &[&over(deployed, metrics.bound.0)],
        )
    };
    let reach = reach(session, &metrics);
    view! {
        <dt data-define=(!own).then_some("deployed")>{name}</dt>
        <dd data-figure="deployed" data-value=deployed.to_string()>
            <b title=format::exact(deployed)>{written(deployed)}</b>
            <span class="over" class:wrong=!valid>{more}</span>
            {reach}
        </dd>
        <dt data-define="bound">{session.say(DeployedWord::Bound)}</dt>
        <dd data-figure="bound" data-value=metrics.bound.0.to_string() title=format::exact(metrics.bound.0)>
            {written(metrics.bound.0)}
            {unrounded(session, &metrics)}
        </dd>
    }
}

/// What a bound would be without the bytes that an allocator rounds up; nothing where the file is
/// no trace of one, or it rounds nothing.
fn unrounded(session: Session, metrics: &Metrics) -> Option<impl IntoView + use<>> {
    let needed = session.lookup.parts.get()?.asked()?;
    let rounds = metrics.reserved.is_some() && needed < metrics.bound.0;
    rounds.then(|| {
        let text = filled(session.say(DeployedWord::Unrounded), &[&format::exact(needed)]);
        view! { <span class="over" data-figure="unrounded" data-value=needed.to_string()>{text}</span> }
    })
}

/// How high the blocks reach of which what was reserved counts; nothing for other plans.
fn reach(session: Session, metrics: &Metrics) -> Option<impl IntoView + use<>> {
    let reach = format::exact(metrics.arena.0);
    metrics.reserved.map(|_| {
        view! {
            <span class="over" data-figure="reach" title=session.say(DeployedWord::BlocksReachHint)>
                {filled(session.say(DeployedWord::BlocksReach), &[&reach])}
            </span>
        }
    })
}

/// The best plan and what is known of it.
fn of_best(session: Session, progress: &Progress) -> Option<impl IntoView + use<>> {
    let planned = progress.planned()?;
    let arena = planned.judged.metrics.arena.0;
    let badges = badge::of_plan(session, BEST, planned);
    Some(view! {
        <dt>{BEST.name()}</dt>
        <dd data-figure="best" data-value=arena.to_string()><b title=format::exact(arena)>{written(arena)}</b> <span class="over">{badge::show(badges)}</span></dd>
    })
}

/// What the best plan saves; nothing where one of both is invalid or made for pools.
fn saved(session: Session, deployed: &Planned, best: &Planned) -> Option<impl IntoView + use<>> {
    let plain = |planned: &Planned| {
        planned.judged.violations.is_empty() && planned.judged.plan.pools.is_none()
    };
    if !plain(deployed) || !plain(best) {
        return None;
    }
    let (before, after) = (taken(deployed), best.judged.metrics.arena.0);
    let bytes = before.saturating_sub(after);
    let optimal = best.judged.metrics.optimal || session.proved() == best_arena(best);
    let text = match before.cmp(&after) {
        std::cmp::Ordering::Greater => {
            let figures = [written(bytes), share(before, after)];
            // A line may break between them, but not within one.
            let figures = figures.map(|figure| figure.replace(' ', "\u{a0}"));
            filled(
                session.say(DeployedWord::SavedIs),
                &figures.each_ref().map(String::as_str),
            )
        }
        std::cmp::Ordering::Equal if optimal && badge::failed(session) => {
            session.say(DeployedWord::PlacedOnly).to_owned()
        }
        std::cmp::Ordering::Equal if optimal => session.say(DeployedWord::NothingSaved).to_owned(),
        std::cmp::Ordering::Equal => session.say(DeployedWord::NothingFound).to_owned(),
        std::cmp::Ordering::Less => filled(
            session.say(match session.shipped.strategy.get() {
                Some(_) => DeployedWord::MoreOwn,
                None => DeployedWord::MoreNeeded,
            }),
            &[&written(after - before)],
        ),
    };
    Some(view! {
        <dt>{session.say(DeployedWord::Saved)}</dt>
        <dd class="saved" class:sentence=bytes == 0 data-figure="saved" data-value=bytes.to_string() title=format::exact(bytes)>{text}</dd>
    })
}

/// To the byte, as far as that fits into the pane.
fn written(bytes: u64) -> String {
    match bytes {
        ..EXACT_BELOW => format::exact(bytes),
        _ => format::bytes(bytes),
    }
}

fn best_arena(best: &Planned) -> Option<planner::Bytes> {
    Some(best.judged.metrics.arena)
}

/// By how much an arena is over its bound: in percent, or in bytes where that would say nothing.
pub(crate) fn over_bound(metrics: &Metrics) -> String {
    over(metrics.taken().0, metrics.bound.0)
}

fn over(bytes: u64, bound: u64) -> String {
    let more = bytes.saturating_sub(bound);
    let share = to_f64(more) / to_f64(bound.max(1));
    if share < 0.0005 {
        format::exact(more)
    } else {
        format::percent(share)
    }
}

/// Bytes that a plan costs: what its allocator took from the device where that counts,
/// otherwise its arena.
pub(crate) fn taken(deployed: &Planned) -> u64 {
    deployed.judged.metrics.taken().0
}

/// By which share `before` bytes become fewer.
pub(crate) fn share(before: u64, after: u64) -> String {
    let less = before.saturating_sub(after);
    format::percent(to_f64(less) / to_f64(before.max(1)))
}

/// The click that shows both plans; nothing where just these two are shown and planned.
fn button(session: Session, best: Option<&Progress>) -> Option<impl IntoView + use<>> {
    let beside = session
        .shown
        .with(|shown| shown.as_slice() == [Column::Deployed, BEST]);
    let there = best.is_some_and(|best| best.planned().is_some() || best.is_open());
    let (word, hint) = match (there, beside) {
        (true, true) => return None,
        (true, false) => (DeployedWord::SideBySide, DeployedWord::SideBySideHint),
        (false, _) => (DeployedWord::ReplanNow, DeployedWord::ReplanHint),
    };
    Some(view! {
        <button class="primary" title=session.say(hint) on:click=move |_| act(session, Action::SideBySide)>
            {session.say(word)}
        </button>
    })
}
