//! The numbers and switches by which a step is divided.

use leptos::prelude::*;
use planner::Sharding;

use super::{put, sharding};
use crate::state::session::{Session, session};
use crate::strings::ShardingWord as W;
use crate::training::field;

/// A number: its name in the page, label and hint, the fewest of it, and where it is.
type Number = (
    &'static str,
    [W; 2],
    &'static str,
    fn(&mut Sharding) -> &mut u32,
);

const DEGREES: [Number; 4] = [
    ("data", [W::Data, W::DataHint], "1", |it| &mut it.data),
    ("tensor", [W::Tensor, W::TensorHint], "1", |it| {
        &mut it.tensor
    }),
    ("context", [W::Context, W::ContextHint], "1", |it| {
        &mut it.context
    }),
    ("expert", [W::Expert, W::ExpertHint], "1", |it| {
        &mut it.expert
    }),
];

const STAGES: [Number; 5] = [
    ("pipeline", [W::Pipeline, W::PipelineHint], "1", |it| {
        &mut it.pipeline
    }),
    ("chunks", [W::Chunks, W::ChunksHint], "1", |it| {
        &mut it.chunks
    }),
    ("micro", [W::Micro, W::MicroHint], "1", |it| &mut it.micro),
    ("stage", [W::Stage, W::StageHint], "0", |it| &mut it.stage),
    ("bucket", [W::Bucket, W::BucketHint], "0", |it| {
        &mut it.bucket
    }),
];

/// A switch.
type Switch = (&'static str, [W; 2], fn(&mut Sharding) -> &mut bool);

const SWITCHES: [Switch; 4] = [
    ("sequence", [W::Sequence, W::SequenceHint], |it| {
        &mut it.sequence
    }),
    ("keep-gathered", [W::Keeps, W::KeepsHint], |it| {
        &mut it.keeps
    }),
    ("offload", [W::Offload, W::OffloadHint], |it| {
        &mut it.offload
    }),
    ("gradients32", [W::Wide, W::WideHint], |it| {
        &mut it.wide_gradients
    }),
];

const ZERO: [W; 4] = [W::Zero0, W::Zero1, W::Zero2, W::Zero3];

/// All of them.
#[component]
pub(super) fn Fields() -> impl IntoView {
    let session = session();
    view! {
        <p class="choices">
            {DEGREES.map(|it| number(session, it)).collect_view()}
            <Zero/>
        </p>
        <p class="choices">
            {STAGES.map(|it| number(session, it)).collect_view()}
            <Prefetch/>
        </p>
        <p class="choices">{SWITCHES.map(|it| switch(session, it)).collect_view()}</p>
    }
}

fn number(session: Session, (place, [label, hint], least, of): Number) -> impl IntoView {
    let own = sharding(session);
    let shown = move || of(&mut own.get().clone()).to_string();
    let typed = move |text: &str| {
        let mut next = own.get_untracked();
        let fewest = if least == "0" { 0 } else { 1 };
        let range = fewest..=Sharding::MOST;
        if let Some(number) = text.parse().ok().filter(|it| range.contains(it)) {
            *of(&mut next) = number;
            next.stage = next.stage.min(next.pipeline - 1);
            put(session, next);
        }
    };
    view! {
        <label title=move || session.say(hint)>
            {move || session.say(label)} " "
            {field::number(place, (least, Some(Sharding::MOST.to_string())), shown, typed)}
        </label>
    }
}

fn switch(session: Session, (place, [label, hint], of): Switch) -> impl IntoView {
    let own = sharding(session);
    let turn = move |_| {
        let mut next = own.get_untracked();
        let it = of(&mut next);
        *it = !*it;
        put(session, next);
    };
    view! {
        <label title=move || session.say(hint)>
            <input
                type="checkbox"
                data-do=place
                prop:checked=move || *of(&mut own.get().clone())
                on:change=turn
            />
            " "
            {move || session.say(label)}
        </label>
    }
}

/// What replicas divide.
#[component]
fn Zero() -> impl IntoView {
    let session = session();
    let own = sharding(session);
    let chosen = move || own.get().zero.to_string();
    let changed = move |event| {
        if let Ok(zero) = event_target_value(&event).parse() {
            put(
                session,
                Sharding {
                    zero,
                    ..own.get_untracked()
                },
            );
        }
    };
    let option = move |(at, word): (usize, W)| {
        let value = at.to_string();
        let own = value.clone();
        view! {
            <option value=value selected=move || chosen() == own>{move || session.say(word)}</option>
        }
    };
    view! {
        <label data-define="zero">
            {move || session.say(W::Zero)} " "
            <select data-do="zero" prop:value=chosen on:change=changed>
                {ZERO.into_iter().enumerate().map(option).collect_view()}
            </select>
        </label>
    }
}

/// How far ahead weights are gathered.
#[component]
fn Prefetch() -> impl IntoView {
    let session = session();
    let own = sharding(session);
    let shown = move || own.get().prefetch.to_string();
    let typed = move |text: &str| {
        if let Some(prefetch) = text.parse().ok().filter(|it| *it <= 9) {
            put(
                session,
                Sharding {
                    prefetch,
                    ..own.get_untracked()
                },
            );
        }
    };
    view! {
        <label title=move || session.say(W::PrefetchHint)>
            {move || session.say(W::Prefetch)} " "
            {field::number("prefetch", ("0", Some("9".to_owned())), shown, typed)}
        </label>
    }
}
