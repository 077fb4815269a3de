//! What an estimate follows from beside the step: who is asked for memory, how many steps, what no
//! model knows, and what it is set beside.

use conversation::{AskedFor, Estimating, TrainingAction};
use leptos::prelude::*;
use planner::Bytes;
use planner::training::estimate::MAX_STEPS;

use crate::state::part::Part;
use crate::state::session::{Session, session, to_f64};
use crate::strings::EstimateWord as W;
use crate::training::{field, train};

const MIB: f64 = 1_048_576.0;
/// No field takes more MiB: 16 TiB.
const MOST_MIB: f64 = 16_777_216.0;

/// Who can be asked, by the value of the choice.
const ALLOCATORS: [(&str, W, AskedFor); 3] = [
    ("caching", W::Caching, AskedFor::Caching),
    ("expandable", W::Expandable, AskedFor::Expandable),
    ("planned", W::InAdvance, AskedFor::Planned),
];

type State = Part<Estimating>;

/// The fields.
#[component]
pub(super) fn Controls() -> impl IntoView {
    let session = session();
    let state = session.training_asides().estimating;
    let chosen = move || {
        let by = state.get().by;
        ALLOCATORS
            .iter()
            .find(|it| it.2 == by)
            .map_or("", |it| it.0)
    };
    let changed = move |event| {
        let value = event_target_value(&event);
        if let Some(found) = ALLOCATORS.iter().find(|it| it.0 == value) {
            put(session, state, |it| it.by = found.2);
        }
    };
    let option = move |(name, word, _): (&'static str, W, AskedFor)| {
        view! {
            <option value=name selected=move || chosen() == name>
                {move || session.say(word)}
            </option>
        }
    };
    let steps = move || state.get().steps.to_string();
    let typed = move |text: &str| {
        if let Some(steps) = text.parse().ok().filter(|it| (1..=MAX_STEPS).contains(it)) {
            put(session, state, |it| it.steps = steps);
        }
    };
    view! {
        <p class="choices">
            <label>
                {move || session.say(W::By)} " "
                <select data-do="estimate-by" prop:value=chosen on:change=changed>
                    {ALLOCATORS.map(option).collect_view()}
                </select>
            </label>
            <label title=move || session.say(W::StepsHint)>
                {move || session.say(W::Steps)} " "
                {field::number("estimate-steps", ("1", Some(MAX_STEPS.to_string())), steps, typed)}
            </label>
            {bytes(state, "estimate-context", [W::Context, W::ContextHint], |it| &mut it.context)}
            {bytes(state, "estimate-workspace", [W::Workspace, W::WorkspaceHint], |it| &mut it.workspace)}
            <Beside/>
        </p>
    }
}

/// Has the estimate made anew with a change.
fn put(session: Session, state: State, change: impl FnOnce(&mut Estimating)) {
    let mut estimating = state.get_untracked();
    change(&mut estimating);
    train(session, TrainingAction::Estimate(Some(estimating)));
}

/// A field of bytes in MiB, empty where nobody knows.
fn bytes(
    state: State,
    place: &'static str,
    [word, hint]: [W; 2],
    part: fn(&mut Estimating) -> &mut Option<Bytes>,
) -> impl IntoView {
    let session = session();
    let shown = move || {
        let mut estimating = state.get();
        let known = part(&mut estimating).map(|it| to_f64(it.0) / MIB);
        known.map(|it| it.to_string()).unwrap_or_default()
    };
    let typed = move |text: &str| {
        let typed = text.parse::<f64>().ok();
        let known = typed.filter(|it| (0.0..=MOST_MIB).contains(it));
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it is between 0 and 2^44"
        )]
        let known = known.map(|it| Bytes((it * MIB) as u64));
        if known.is_some() || text.is_empty() {
            put(session, state, |it| *part(it) = known);
        }
    };
    view! {
        <label title=move || session.say(hint)>
            {move || session.say(word)} " "
            {field::number(place, ("0", None), shown, typed)}
        </label>
    }
}

/// The snapshot that the estimate is set beside.
#[component]
fn Beside() -> impl IntoView {
    let session = session();
    let asides = session.training_asides();
    let (state, all) = (asides.estimating, asides.snapshots);
    let chosen = move || {
        let measured = state.get().measured;
        measured.map(|it| it.0.to_string()).unwrap_or_default()
    };
    let changed = move |event| {
        let value = event_target_value(&event);
        let all = all.get_untracked();
        let found = all.iter().find(|it| it.0.0.to_string() == value);
        put(session, state, |it| it.measured = found.map(|it| it.0));
    };
    let option = move |(id, name): (worker::CaseId, String)| {
        let id = id.0.to_string();
        let value = id.clone();
        view! { <option value=value selected=move || chosen() == id>{name}</option> }
    };
    let options = move || all.get().into_iter().map(option).collect_view();
    view! {
        <Show
            when=move || !all.with(Vec::is_empty)
            fallback=move || view! { <span class="hint">{session.say(W::OpenSnapshot)}</span> }
        >
            <label title=move || session.say(W::BesideHint)>
                {move || session.say(W::Beside)} " "
                <select data-do="estimate-beside" prop:value=chosen on:change=changed>
                    <option value="" selected=move || chosen().is_empty()>
                        {move || session.say(W::Nobody)}
                    </option>
                    {options}
                </select>
            </label>
        </Show>
    }
}
