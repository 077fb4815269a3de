//! The cheapest way to make a training step fit into devices: what is asked, and what was found.

mod front;
mod rows;

use conversation::{Action, Answer, Fitting, TrainingAction};
use leptos::prelude::*;
use planner::training::advisor::{Advice, Case, Kind, Kinds};
use planner::training::devices::Device;

use super::device::seconds;
use super::estimate::reason;
use super::{field, none, train};
use crate::format;
use crate::state::session::{Session, session};
use crate::strings::{AdvisorWord as W, ShardingWord, filled};
use crate::text::waiting;

/// The most devices and samples that are asked for.
const MOST_DEVICES: u32 = 1 << 16;
const MOST_SAMPLES: u64 = 1 << 24;

/// The question and its answer, once it is wanted.
#[component]
pub(super) fn Advisor() -> impl IntoView {
    let session = session();
    let open = RwSignal::new(false);
    let draft = RwSignal::new(session.training_asides().fitting.get_untracked());
    view! {
        <section class="evictions advisor">
            <button
                data-do="advisor"
                aria-expanded=move || open.get().to_string()
                on:click=move |_| open.update(|it| *it = !*it)
            >
                {move || session.say(W::Title)}
            </button>
            <Show when=move || open.get()>
                <p class="hint">{move || session.say(W::Hint)}</p>
                <Question draft/>
                <Found draft/>
            </Show>
        </section>
    }
}

/// What is asked.
#[component]
fn Question(draft: RwSignal<Fitting>) -> impl IntoView {
    let session = session();
    let device = session.insight.training.device;
    let devices = move || draft.get().devices.to_string();
    let typed_devices = move |text: &str| {
        if let Some(devices) = text
            .parse()
            .ok()
            .filter(|it| (1..=MOST_DEVICES).contains(it))
        {
            draft.update(|it| it.devices = devices);
        }
    };
    let batch = move || draft.get().batch.to_string();
    let typed_batch = move |text: &str| {
        if let Some(batch) = text
            .parse()
            .ok()
            .filter(|it| (1..=MOST_SAMPLES).contains(it))
        {
            draft.update(|it| it.batch = batch);
        }
    };
    let find = move |_| train(session, TrainingAction::Fits(Some(draft.get_untracked())));
    let without = move || device.with(Option::is_none);
    view! {
        <p class="choices">
            <label>
                {move || session.say(W::Devices)} " "
                {field::number("advisor-devices", ("1", Some(MOST_DEVICES.to_string())), devices, typed_devices)}
            </label>
            <label title=move || session.say(W::BatchHint)>
                {move || session.say(W::Batch)} " "
                {field::number("advisor-batch", ("1", Some(MOST_SAMPLES.to_string())), batch, typed_batch)}
            </label>
            <button data-do="find-fit" disabled=without on:click=find>
                {move || session.say(W::Find)}
            </button>
            <Show when=without>
                <span class="soft">{move || session.say(W::NoDevice)}</span>
            </Show>
        </p>
        <fieldset class="choices">
            <legend>{move || session.say(W::May)}</legend>
            {Kind::ALL.map(|kind| switch(session, draft, kind)).collect_view()}
        </fieldset>
    }
}

fn switch(session: Session, draft: RwSignal<Fitting>, kind: Kind) -> impl IntoView {
    let turn = move |_| {
        draft.update(|it| {
            it.kinds = match it.kinds.has(kind) {
                true => it.kinds.without(kind),
                false => it.kinds.with(kind),
            };
        });
    };
    view! {
        <label>
            <input
                type="checkbox"
                data-do=format!("may-{}", kind.name())
                prop:checked=move || draft.get().kinds.has(kind)
                on:change=turn
            />
            " "
            {move || session.say(word(kind))}
        </label>
    }
}

/// What a kind of change is called.
fn word(kind: Kind) -> W {
    match kind {
        Kind::Settings => W::Settings,
        Kind::SetToNone => W::SetToNone,
        Kind::InPlace => W::InPlace,
        Kind::Passes => W::Passes,
        Kind::Arena => W::Arena,
        Kind::Compile => W::Compile,
        Kind::Recompute => W::Recompute,
        Kind::Swap => W::Swap,
        Kind::Pack => W::Pack,
        Kind::Bits => W::Bits,
        Kind::Micro => W::Micro,
        Kind::Zero => W::Zero,
        Kind::Divide => W::Divide,
        Kind::Offload => W::Offload,
    }
}

/// What a case changes, one after the other; of how it is divided those degrees that it has.
fn changes(session: Session, of: &Case) -> String {
    let own = of.training.recipe.sharding;
    let degrees = [
        (own.tensor, ShardingWord::OfTensor),
        (own.context, ShardingWord::OfContext),
        (own.pipeline, ShardingWord::OfPipeline),
        (own.expert, ShardingWord::Expert),
    ];
    let words = of.changes.each().flat_map(|kind| match kind {
        Kind::Divide => degrees
            .into_iter()
            .filter(|it| it.0 > 1)
            .map(|(degree, word)| format!("{} = {degree}", session.say(word)))
            .collect(),
        other => vec![session.say(word(other)).to_owned()],
    });
    let all: Vec<String> = words.collect();
    match all.is_empty() {
        true => session.say(W::AsIs).to_owned(),
        false => all.join(session.say(W::Then)),
    }
}

/// What was found, as long as the same is asked.
#[component]
fn Found(draft: RwSignal<Fitting>) -> impl IntoView {
    let session = session();
    let asides = session.training_asides();
    let (state, asked) = (asides.fits, asides.fitting);
    move || match state.get() {
        Answer::There(_) if draft.get() != asked.get() => None,
        Answer::Unasked | Answer::Nothing | Answer::Stopped => None,
        Answer::Working(done, total) => {
            let stop = Action::Training(TrainingAction::Fits(None));
            let words = [W::Starts, W::Working];
            Some(waiting::working(session, (done, total), words, stop))
        }
        Answer::There(found) => Some(match &*found {
            Ok(found) => answer(session, found),
            Err(why) => {
                let says = match why {
                    planner::training::estimate::NoEstimate::NoStep(why) => none(session, why),
                    other => reason(session, other),
                };
                view! { <p role="status" class="failed">{says}</p> }.into_any()
            }
        }),
    }
}

fn answer(session: Session, found: &Advice) -> AnyView {
    let device = session.insight.training.device.get();
    let Some(device) = device else {
        return ().into_any();
    };
    let rate = session
        .insight
        .training
        .chosen
        .get_untracked()
        .recipe
        .precision;
    let device = device.computing_in(rate);
    let stopped = found
        .stopped
        .then(|| view! { <p role="status">{session.say(W::Stopped)}</p> });
    view! {
        {stopped}
        <p class="says" role="status">{sentence(session, found, device)}</p>
        <div class="pair">
            {rows::table(session, found, device)}
            {front::chart(session, found, device)}
        </div>
        <p class="hint">{rules(session, found)}</p>
    }
    .into_any()
}

/// How long units of cost take, where the device's rate is known.
fn time(device: Device, cost: u64) -> Option<String> {
    (device.flops > 0).then(|| seconds(device.seconds(cost)))
}

fn sentence(session: Session, found: &Advice, device: Device) -> String {
    let bytes = |it: planner::Bytes| format::bytes(it.0);
    let Some(answer) = &found.answer else {
        let asked = session.training_asides().fitting.get_untracked();
        let all = [asked.batch, u64::from(asked.devices)].map(format::grouped);
        return filled(
            session.say(W::NothingFound),
            &all.each_ref().map(String::as_str),
        );
    };
    let memory = bytes(device.memory);
    let with = changes(session, answer);
    if !answer.fits() {
        let all = [bytes(answer.missing), memory, with];
        return filled(session.say(W::FitsNot), &all.each_ref().map(String::as_str));
    }
    let reserved = bytes(answer.reserved);
    if answer.changes == Kinds::NONE {
        return filled(session.say(W::FitsAsIs), &[&reserved, &memory]);
    }
    let least = found.cases.iter().map(|it| it.time.sum()).min();
    let times = time(device, answer.time.sum()).zip(time(device, least.unwrap_or(0)));
    match times {
        None => filled(session.say(W::FitsUntimed), &[&with, &reserved, &memory]),
        Some((own, least)) => {
            let all = [with, reserved, memory, own, least];
            filled(session.say(W::Fits), &all.each_ref().map(String::as_str))
        }
    }
}

/// What was looked at.
fn rules(session: Session, found: &Advice) -> String {
    let of = &found.searched;
    let policies: Vec<&str> = of.policies.iter().map(|it| it.name()).collect();
    let all = [
        format::grouped(of.plans),
        format::grouped(of.schedules),
        format::grouped(of.passed),
        match policies.is_empty() {
            true => session.say(W::AsIs).to_owned(),
            false => policies.join(", "),
        },
    ];
    filled(session.say(W::Rules), &all.each_ref().map(String::as_str))
}
