//! A training step on many devices: how it is divided, and what one of them holds.

mod bars;
mod fields;

use std::sync::Arc;

use conversation::TrainingAction;
use leptos::prelude::*;
use planner::training::table::PolicyTable;
use planner::{Recipe, Rule, Sharding};

use super::{is_log, planned, train};
use crate::format;
use crate::state::session::{Session, session};
use crate::strings::{ShardingWord as W, filled};

/// The choices, once they are wanted; a log is of one device.
#[component]
pub(super) fn Devices(found: Memo<Option<Arc<PolicyTable>>>) -> impl IntoView {
    let session = session();
    let own = sharding(session);
    let opened = RwSignal::new(false);
    let open = move || opened.get() || own.get().is_on();
    view! {
        <Show when=move || !is_log(found)>
            <section class="evictions sharding">
                <button
                    data-do="sharding"
                    aria-expanded=move || open().to_string()
                    on:click=move |_| toggle(session, opened)
                >
                    {move || session.say(W::Title)}
                </button>
                <Show when=open>
                    <p class="hint">{move || session.say(W::Hint)}</p>
                    <fields::Fields/>
                    <p class="says">{move || devices(session, own.get())}</p>
                    <Ranks/>
                    <bars::Bars/>
                </Show>
            </section>
        </Show>
    }
}

/// Opens the choices; what is closed is one device again.
fn toggle(session: Session, opened: RwSignal<bool>) {
    let now = sharding(session).get_untracked();
    let closes = opened.get_untracked() || now.is_on();
    opened.set(!closes);
    if closes && now.is_on() {
        put(session, Sharding::ONE);
    }
}

fn sharding(session: Session) -> Memo<Sharding> {
    let chosen = session.insight.training.chosen;
    Memo::new(move |_| chosen.get().recipe.sharding)
}

/// Divides the step so. What is divided is a step by autograd's rule, whose gradients stay.
fn put(session: Session, sharding: Sharding) {
    let recipe = session.insight.training.chosen.get_untracked().recipe;
    let recipe = match sharding.is_on() {
        false => Recipe { sharding, ..recipe },
        true => Recipe {
            rule: Rule::Autograd,
            set_to_none: false,
            sharding,
            ..recipe
        },
    };
    train(session, TrainingAction::Recipe(recipe));
}

/// How many devices that takes, and what a step is.
fn devices(session: Session, own: Sharding) -> String {
    let batch = session.insight.training.chosen.get().batch;
    let micro = u64::from(own.micro);
    let data = u64::from(own.data);
    let samples = batch.saturating_mul(micro).saturating_mul(data);
    let all = [own.devices(), samples, data, micro, batch].map(format::grouped);
    filled(session.say(W::Devices), &all.each_ref().map(String::as_str))
}

/// The stages of a pipeline beside each other.
#[component]
fn Ranks() -> impl IntoView {
    let session = session();
    let own = sharding(session);
    let unplanned = move || planned(session).is_none();
    view! {
        <Show when=move || { own.get().pipeline > 1 }>
            <p class="choices">
                <button
                    data-do="ranks"
                    disabled=unplanned
                    on:click=move |_| train(session, TrainingAction::Ranks)
                >
                    {move || session.say(W::Ranks)}
                </button>
                <Show when=unplanned>
                    <span class="soft">{move || session.say(W::RanksHint)}</span>
                </Show>
            </p>
        </Show>
    }
}
