//! What PyTorch's users are told to do against running out of memory, and what each comes to here.

use std::sync::Arc;

use conversation::{Answer, TrainingAction};
use leptos::prelude::*;
use planner::Bytes;
use planner::training::Policy;
use planner::training::switches::{Hint, Measure, Switch};
use planner::training::table::PolicyTable;

use super::{is_log, none, planned, train};
use crate::format;
use crate::state::session::{Session, session};
use crate::strings::{TrainingWord as W, filled};

/// The table, once it is wanted; there is none of a log.
#[component]
pub(super) fn Switches(found: Memo<Option<Arc<PolicyTable>>>) -> impl IntoView {
    let session = session();
    let state = session.training_asides().switches;
    let open = move || state.with(|it| *it != Answer::Unasked);
    let body = move || {
        Some(match state.get() {
            Answer::Unasked | Answer::Nothing | Answer::Stopped => return None,
            Answer::Working(..) => {
                view! { <p role="status">{session.say(W::Waits)}</p> }.into_any()
            }
            Answer::There(found) => match &*found {
                Ok(rows) => table(session, rows).into_any(),
                Err(why) => view! { <p>{none(session, why)}</p> }.into_any(),
            },
        })
    };
    view! {
        <Show when=move || !is_log(found)>
            <section class="evictions wide">
                <button
                    data-do="switches"
                    aria-expanded=move || open().to_string()
                    on:click=move |_| train(session, TrainingAction::Switches(!untrack(open)))
                >
                    {move || session.say(W::Switches)}
                </button>
                {body}
            </section>
        </Show>
    }
}

fn table(session: Session, rows: &[Switch]) -> impl IntoView + use<> {
    let heads = [W::Without, W::With, W::Saves];
    let heads = heads.map(|word| view! { <th scope="col" class="number">{session.say(word)}</th> });
    let rows = rows.iter().map(|it| row(session, *it)).collect_view();
    view! {
        <p class="hint">{session.say(W::SwitchesHint)}</p>
        <table class="stage-rows">
            <thead>
                <tr>
                    <th scope="col">{session.say(W::Advice)}</th>
                    <th scope="col">{session.say(W::Measured)}</th>
                    {heads}
                    <th scope="col">{session.say(W::Chosen)}</th>
                </tr>
            </thead>
            <tbody>{rows}</tbody>
        </table>
    }
}

fn row(session: Session, it: Switch) -> impl IntoView + use<> {
    let measure = match it.measure {
        Measure::Peak => W::OfStep,
        Measure::ForwardPeak => W::OfForward,
        Measure::ReservedAfter => W::OfReserved,
    };
    let cell = |word: W, bytes: u64| {
        view! {
            <td class="number" data-label=session.say(word) title=format::exact(bytes)>
                {format::bytes(bytes)}
            </td>
        }
    };
    let (without, with) = (it.without.0, it.with.0);
    // What costs more than it saves says so.
    let saves = match with > without {
        false => format::bytes(without - with),
        true => format!("−{}", format::bytes(with - without)),
    };
    view! {
        <tr data-switch=it.hint.name()>
            <th scope="row" title=session.say(why(it.hint))>{name(session, it.hint)}</th>
            <td data-label=session.say(W::Measured)>{session.say(measure)}</td>
            {cell(W::Without, without)}
            {cell(W::With, with)}
            <td class="number" data-label=session.say(W::Saves)>{saves}</td>
            <td data-label=session.say(W::Chosen)>{choice(session, it)}</td>
        </tr>
    }
}

/// The switch itself; of what is no choice of a step, nothing.
fn choice(session: Session, it: Switch) -> AnyView {
    let now = move || session.insight.training.chosen.get_untracked().recipe;
    let recipe = move |on| it.hint.chosen(now(), on);
    let on = move || match it.hint {
        Hint::Checkpoints => planned(session) == Some(Policy::TorchSegments),
        _ => it.on,
    };
    let turn = move |_| match (it.hint, recipe(!it.on)) {
        (_, Some(recipe)) => train(session, TrainingAction::Recipe(recipe)),
        (Hint::Checkpoints, _) => {
            let policy = match untrack(on) {
                true => Policy::KeepAll,
                false => Policy::TorchSegments,
            };
            // The advice is about autograd's rule.
            if let Some(recipe) = Hint::InPlace.chosen(now(), now().in_place) {
                train(session, TrainingAction::Recipe(recipe));
            }
            let least = Bytes(it.with.0.saturating_sub(it.fixed.0));
            train(session, TrainingAction::Open(policy, Some(least)));
        }
        _ => {}
    };
    let can = recipe(true).is_some_and(|_| it.hint != Hint::Frozen(0));
    if !can && it.hint != Hint::Checkpoints {
        return view! { <span class="hint">{session.say(W::NoChoice)}</span> }.into_any();
    }
    let label = format!("{}: {}", session.say(W::Chosen), name(session, it.hint));
    view! {
        <input
            type="checkbox"
            role="switch"
            data-do=it.hint.name()
            aria-label=label
            prop:checked=on
            on:change=turn
        />
    }
    .into_any()
}

fn name(session: Session, hint: Hint) -> String {
    let word = match hint {
        Hint::InPlace => W::InPlace,
        Hint::SetToNone => W::SetToNone,
        Hint::Mixed => W::MixedAdvice,
        Hint::Frozen(layers) => {
            return filled(session.say(W::FrozenAdvice), &[&layers.to_string()]);
        }
        Hint::Checkpoints => W::CheckpointAdvice,
        Hint::Deleted => W::Deleted,
        Hint::NoGrad => W::NoGrad,
        Hint::EmptyCache => W::EmptyCache,
    };
    session.say(word).to_owned()
}

/// What is done, and why it saves what it saves.
fn why(hint: Hint) -> W {
    match hint {
        Hint::InPlace => W::InPlaceWhy,
        Hint::SetToNone => W::SetToNoneWhy,
        Hint::Mixed => W::PrecisionHint,
        Hint::Frozen(_) => W::FrozenHint,
        Hint::Checkpoints => W::CheckpointWhy,
        Hint::Deleted => W::DeletedWhy,
        Hint::NoGrad => W::NoGradWhy,
        Hint::EmptyCache => W::EmptyCacheWhy,
    }
}
