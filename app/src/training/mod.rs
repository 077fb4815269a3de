//! The model as a training step: policies under a budget, what each costs in memory and in
//! arithmetic, and the schedule that is planned.

mod addresses;
mod advisor;
mod answer;
mod chart;
mod device;
mod estimate;
mod evictions;
mod field;
mod gist;
mod partitions;
mod recipe;
mod rows;
mod sharding;
mod staircase;
mod swaps;
mod switches;

use std::sync::Arc;

use conversation::{Action, MOST_SAMPLES, TrainingAction, TrainingFound};
use leptos::prelude::*;
use planner::training::stage::NoStep;
use planner::training::table::PolicyTable;
use planner::training::{Policy, choice};
use planner::{Bytes, Training};
use web_sys::Event;

use crate::format;
use crate::lazy::tab;
use crate::state::driver::act;
use crate::state::session::{Session, session};
use crate::strings::{TrainingWord as W, filled};
use crate::text::fault::said;
use crate::text::waiting;

tab!(training, W::Tab, TrainingSteps);

/// Into how many parts the budget's slider is divided.
const NOTCHES: u64 = 1000;

/// The tab.
#[component]
fn TrainingSteps() -> impl IntoView {
    let session = session();
    let state = session.insight.training.found;
    let found = Memo::new(move |_| match state.get() {
        TrainingFound::There(table) => Some(table),
        _ => None,
    });
    let waits = move || match state.get() {
        TrainingFound::There(_) => behind(session),
        TrainingFound::Nothing(why) => {
            let says = none(session, &why);
            Some(view! { <p class="empty">{says}</p> }.into_any())
        }
        TrainingFound::Stopped => {
            let again = Action::Training(TrainingAction::Again);
            Some(waiting::stopped(session, again))
        }
        TrainingFound::Unasked | TrainingFound::Working => Some(working(session, (0, 0))),
    };
    // What makes a step impossible can be chosen otherwise.
    let chooses = Memo::new(move |_| match state.get() {
        TrainingFound::There(_) => true,
        TrainingFound::Nothing(why) => matches!(
            why,
            NoStep::OnlyLayers | NoStep::TooLarge(_) | NoStep::Undivided(_)
        ),
        _ => false,
    });
    let empty = move || {
        let prepared = session.prepared.get()?;
        let Some(Ok(row)) = &prepared.subject.trained else {
            return None;
        };
        let why = row.needs.is_none().then(|| rows::why(session, row))?;
        let says = filled(
            session.say(W::Empty),
            &[rows::name(session, row.policy), &why],
        );
        Some(view! { <p role="status" class="failed">{says}</p> })
    };
    view! {
        <div class="training stages">
            <answer::Answer found/>
            <Show when=move || chooses.get()>
                <header>
                    <h3 data-define="training">{move || session.say(W::Title)}</h3>
                    <Show when=move || !is_log(found)>
                        <Batch/>
                        <recipe::Controls/>
                        <gist::Packing/>
                    </Show>
                    <BackToModel found/>
                    <Show when=move || found.with(Option::is_some)>
                        <device::Choose/>
                        <Budget found/>
                    </Show>
                </header>
            </Show>
            <Show when=move || chooses.get()>
                <sharding::Devices found/>
                <Show when=move || !is_log(found)>
                    <advisor::Advisor/>
                </Show>
            </Show>
            <Show when=move || found.with(Option::is_some)>
                <p class="hint">{move || found.get().map(|table| facts(session, &table))}</p>
                <recipe::Made found/>
                <gist::Counted/>
                <device::Follows found/>
                {empty}
                <div class="pair">
                    <rows::Rows found/>
                    <chart::Chart found/>
                </div>
                <partitions::Partitions found/>
                <swaps::Swaps/>
                <evictions::Evictions/>
                <switches::Switches found/>
                <estimate::Estimates found/>
                <div class="pair">
                    <addresses::Addresses/>
                    <staircase::Staircase/>
                </div>
            </Show>
            {waits}
        </div>
    }
}

fn working(session: Session, parts: (u64, u64)) -> AnyView {
    let stop = Action::Training(TrainingAction::Stop);
    waiting::working(session, parts, [W::Starts, W::Working], stop)
}

/// What is there of the table is shown, the rest is at work.
fn behind(session: Session) -> Option<AnyView> {
    if session.insight.training.stopped.get() {
        let again = Action::Training(TrainingAction::Again);
        return Some(waiting::stopped(session, again));
    }
    let parts = session.insight.training.parts.get();
    (parts.0 < parts.1).then(|| working(session, parts))
}

/// Why there is no training step.
fn none(session: Session, why: &NoStep) -> String {
    match why {
        NoStep::NoModel => session.say(W::Nothing).to_owned(),
        NoStep::Unsized(tensor) => filled(session.say(W::Unsized), &[tensor]),
        NoStep::OnlyLayers => session.say(W::OnlyLayers).to_owned(),
        NoStep::TooLarge(_) => session.say(W::TooLarge).to_owned(),
        NoStep::Undivided(why) => said(session, why),
    }
}

/// The policy whose schedule is in view.
fn planned(session: Session) -> Option<Policy> {
    session.settings.get().training.map(choice::policy)
}

fn train(session: Session, action: TrainingAction) {
    act(session, Action::Training(action));
}

/// What holds for every schedule.
fn facts(session: Session, table: &PolicyTable) -> String {
    if table.log {
        let all = [
            format::grouped(table.nodes as u64),
            format::bytes(table.fixed.0),
            format::bytes(table.minimum.0),
            format::bytes(table.keep_all.0),
        ];
        return filled(
            session.say(W::FactsLog),
            &all.each_ref().map(String::as_str),
        );
    }
    let all = [
        format::grouped(table.nodes as u64),
        format::bytes(table.fixed.0),
        format::bytes(table.minimum.0),
        table.minimum_at.clone(),
        format::bytes(table.keep_all.0),
    ];
    filled(session.say(W::Facts), &all.each_ref().map(String::as_str))
}

/// The unit of costs: a log has measured times, a graph counts operations.
fn cost_unit(log: bool) -> &'static str {
    if log { "ns" } else { "FLOP" }
}

/// Whether the table is about a log.
fn is_log(found: Memo<Option<Arc<PolicyTable>>>) -> bool {
    found.with(|it| it.as_ref().is_some_and(|table| table.log))
}

/// How many samples a step has.
#[component]
fn Batch() -> impl IntoView {
    let session = session();
    let chosen = session.insight.training.chosen;
    let typed = move |text: &str| match text.parse() {
        Ok(0) | Err(_) => {}
        Ok(batch) => train(session, TrainingAction::Batch(batch)),
    };
    let shown = move || chosen.get().batch.to_string();
    view! {
        <label title=move || session.say(W::BatchHint) data-define="batch">
            {move || session.say(W::Batch)} " "
            {field::number("batch", ("1", Some(MOST_SAMPLES.to_string())), shown, typed)}
        </label>
    }
}

/// The model itself again.
#[component]
fn BackToModel(found: Memo<Option<Arc<PolicyTable>>>) -> impl IntoView {
    let session = session();
    view! {
        <p class="choices">
            <button
                data-do="no-training"
                aria-pressed=move || planned(session).is_none().to_string()
                on:click=move |_| train(session, TrainingAction::Plan(None))
            >
                {move || session.say(if is_log(found) { W::AsLogged } else { W::Inference })}
            </button>
            <button
                data-do="no-budget"
                aria-pressed=move || session.insight.training.chosen.get().budget.is_none().to_string()
                on:click=move |_| {
                    train(session, TrainingAction::Budget(None));
                    train(session, TrainingAction::Rest);
                }
            >
                {move || session.say(W::NoBudget)}
            </button>
        </p>
    }
}

/// A slider over budgets, from the least that any schedule needs to what keeping everything
/// needs.
#[component]
fn Budget(found: Memo<Option<Arc<PolicyTable>>>) -> impl IntoView {
    let session = session();
    let ends = Memo::new(move |_| {
        let ends = found.with(|it| it.as_ref().map(|it| (it.minimum.0, it.keep_all.0)));
        ends.unwrap_or_default()
    });
    let budget = move || session.insight.training.chosen.get().budget;
    let at = move || match budget() {
        None => NOTCHES.to_string(),
        Some(budget) => notch(ends.get(), budget.0).to_string(),
    };
    let says = move || match budget() {
        None => session.say(W::NoBudget).to_owned(),
        Some(budget) => format::bytes(budget.0),
    };
    let slide = move |event: Event| {
        let notch = event_target_value(&event).parse().unwrap_or(NOTCHES);
        let budget = bytes_at(ends.get_untracked(), notch);
        train(session, TrainingAction::Budget(Some(Bytes(budget))));
    };
    view! {
        <label class="slider">
            <span data-define="budget">{move || session.say(W::Budget)}</span>
            <input
                type="range"
                data-do="budget"
                min="0"
                max=NOTCHES.to_string()
                step="1"
                prop:value=at
                aria-valuetext=says
                on:input=slide
                on:change=move |_| train(session, TrainingAction::Rest)
            />
            <output title=move || budget().map(|it| format::exact(it.0))>{says}</output>
        </label>
    }
}

/// The notch of the slider for so many bytes.
fn notch((low, high): (u64, u64), bytes: u64) -> u64 {
    let range = u128::from(high.saturating_sub(low).max(1));
    let above = u128::from(bytes.saturating_sub(low));
    u64::try_from(above * u128::from(NOTCHES) / range).map_or(NOTCHES, |it| it.min(NOTCHES))
}

/// The bytes at a notch, so that it is found again from them.
fn bytes_at((low, high): (u64, u64), notch: u64) -> u64 {
    let range = u128::from(high.saturating_sub(low));
    let above = (range * u128::from(notch)).div_ceil(u128::from(NOTCHES));
    low.saturating_add(u64::try_from(above).unwrap_or(0))
}

/// Whether this is what is planned.
fn is_planned(session: Session, policy: Policy, budget: Option<Bytes>) -> bool {
    let same =
        |it: Training| it.share.is_none() && (choice::policy(it), it.budget) == (policy, budget);
    session.settings.get().training.is_some_and(same)
}
