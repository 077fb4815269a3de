//! What the schedule in view needs in addresses: a budget counts bytes, a device has addresses,
//! and what lies between two values may be too small for a third.

use conversation::{Action, Column, Progress};
use leptos::prelude::*;
use planner::training::placements::STRATEGIES;
use planner::{Bytes, Strategy};

use crate::format;
use crate::state::driver::act;
use crate::state::session::{Session, session, to_f64};
use crate::strings::{TrainingWord as W, filled};
use crate::text::title::title;

/// The same stays in memory under several strategies.
#[component]
pub(super) fn Addresses() -> impl IntoView {
    let session = session();
    let bound = Memo::new(move |_| {
        let prepared = session.prepared.get()?;
        // Of inference there is nothing to say: it is no schedule of the step.
        let is_step = prepared.subject.trained.is_some() || prepared.subject.program.is_none();
        let planned = is_step && !prepared.subject.lifetimes.buffers.is_empty();
        planned.then_some(prepared.bounds.offsets)
    });
    let body = move |bound: Bytes| {
        let row = |strategy| line(session, strategy, bound);
        STRATEGIES.map(row).collect_view()
    };
    let table = move || {
        let bound = bound.get()?;
        let head = [(W::Arena, "arena"), (W::OverBound, "over-bound")];
        let head = head.map(|(word, define)| {
            view! { <th scope="col" class="number" data-define=define>{session.say(word)}</th> }
        });
        Some(view! {
            <section class="wide addresses">
                <h4 data-define="address">{session.say(W::Addresses)}</h4>
                <p class="hint">
                    {filled(session.say(W::AddressesHint), &[&format::bytes(bound.0)])}
                </p>
                <table class="stage-rows">
                    <thead>
                        <tr>
                            <th scope="col" data-define="strategy">{session.say(W::Strategy)}</th>
                            {head}
                        </tr>
                    </thead>
                    <tbody>{body(bound)}</tbody>
                </table>
            </section>
        })
    };
    move || table()
}

fn line(session: Session, strategy: Strategy, bound: Bytes) -> impl IntoView + use<> {
    let column = Column::Strategy(strategy);
    let shown = move || session.shown.with(|shown| shown.contains(&column));
    let needed = Memo::new(move |_| {
        session.plans.with(|plans| {
            let plan = &plans.get(&column)?.planned()?.judged.plan;
            Some(plan.reserved.unwrap_or(plan.arena).0)
        })
    });
    let failed = move || {
        let failed = |progress: &Progress| matches!(progress, Progress::Failed(_));
        session
            .plans
            .with(|plans| plans.get(&column).is_some_and(failed))
    };
    let text = move || match needed.get() {
        Some(bytes) => format::bytes(bytes),
        None if failed() => "–".to_owned(),
        None => "…".to_owned(),
    };
    let over = move || {
        let share = to_f64(needed.get()?) / to_f64(bound.0.max(1));
        Some(format!("{share:.2}×"))
    };
    let label = move |word| session.say(word);
    view! {
        <tr data-strategy=strategy.name()>
            <th scope="row">
                <button
                    aria-pressed=move || shown().to_string()
                    title=move || session.say(W::ShowHint)
                    on:click=move |_| act(session, Action::Show(column, !shown()))
                >
                    {move || title(session, column)}
                </button>
            </th>
            <td
                class="number"
                data-label=move || label(W::Arena)
                title=move || needed.get().map(format::exact)
            >
                {text}
            </td>
            <td class="number" data-label=move || label(W::OverBound)>{over}</td>
        </tr>
    }
}
