//! The lower bounds, each a button that shows its witness: the step and the tensors that
//! cannot be smaller.

use crate::state::driver::act;
use crate::state::session::{Session, session};
use crate::state::witness::Listed;
use conversation::{Action, Column, PlanningAction};
use leptos::prelude::*;
use planner::Model;

use crate::format;
use crate::strings::{Word, filled};
use crate::text::block;

/// The list of bounds.
#[component]
pub(crate) fn Bounds() -> impl IntoView {
    let session = session();
    let listed = Memo::new(move |_| session.listed_bounds());
    let objects = Memo::new(move |_| {
        session.plans.with(|plans| {
            plans
                .keys()
                .any(|column| matches!(column, Column::Strategy(s) if s.description().model == Model::Objects))
        })
    });
    let item = move |(index, bound): (usize, Listed)| {
        let lit = move || session.planning.witness.get() == Some(index);
        let turn = move |_| {
            let shown = (!lit()).then_some(index);
            act(session, Action::Planning(PlanningAction::Witness(shown)));
        };
        let bytes = bound.bytes.0;
        let of_plans = bound.strongest.then(|| bytes.to_string());
        let hint = says(session, &bound);
        view! {
            <li>
                <button
                    class="bound"
                    title=hint
                    aria-pressed=move || lit().to_string()
                    disabled=bound.witness.is_empty()
                    data-kind=bound.kind
                    data-define=define(bound.kind)
                    on:click=turn
                >
                    {name(session, &bound)} " "
                    <b data-bound=of_plans title=format::exact(bytes)>{format::bytes(bytes)}</b>
                </button>
            </li>
        }
    };
    let items = move || {
        let all = listed.get().into_iter().enumerate();
        let seen = all.filter(|(_, bound)| !bound.of_objects || objects.get());
        seen.map(item).collect_view()
    };
    view! {
        <Show when=move || listed.with(|listed| !listed.is_empty())>
            <section class="bounds" aria-label=move || session.say(Word::Bounds)>
                <h3 title=move || session.say(Word::BoundsHint) data-define="bound">{move || session.say(Word::Bounds)}</h3>
                <ul>{items}</ul>
            </section>
        </Show>
    }
}

/// The term that says what a kind of bound is.
fn define(kind: &str) -> &'static str {
    match kind {
        "live" => "peak",
        "maxima" => "object-bound",
        _ => "bound",
    }
}

/// What the bound is called.
pub(crate) fn name(session: Session, bound: &Listed) -> String {
    let values: Vec<&str> = bound.values.iter().map(String::as_str).collect();
    filled(session.say(bound.word), &values)
}

/// Which step and tensors cannot be smaller.
pub(crate) fn says(session: Session, bound: &Listed) -> String {
    if bound.witness.is_empty() {
        return session.say(Word::OptimalProvedHint).to_owned();
    }
    let step = bound.step.map(|step| format::grouped(step.0));
    let word = match step {
        Some(_) => Word::WitnessTitle,
        None => Word::WitnessSumTitle,
    };
    let name = name(session, bound);
    let bytes = format::bytes(bound.bytes.0);
    let count = format::grouped(bound.witness.len() as u64);
    let words = [Some(&name), step.as_ref(), Some(&bytes), Some(&count)];
    let words: Vec<&str> = words.into_iter().flatten().map(String::as_str).collect();
    filled(&block::say(session, word), &words)
}
