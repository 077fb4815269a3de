//! One iteration of a program, planned as it repeats.

use conversation::{CaseAction, Given, Where};
use leptos::prelude::*;
use planner::{Span, save};

use crate::state::driver::act;
use crate::state::session::session;
use crate::strings::AdviceWord as W;
use crate::text::fault::said;

/// Two steps, and the way to their plan.
#[component]
pub(super) fn Repeats() -> impl IntoView {
    let session = session();
    let horizon = Memo::new(move |_| {
        let horizon = session.with_lifetimes(|it| it.horizon.0);
        horizon.unwrap_or_default()
    });
    let typed = RwSignal::new((None::<u64>, None::<u64>));
    let span = move || {
        let (first, end) = typed.get();
        Span::new(first.unwrap_or(0), end.unwrap_or(horizon.get()))
    };
    let wrong = RwSignal::new(None);
    let open = move |_| {
        let span = untrack(span);
        let turned = session.with_lifetimes(|it| match span.end <= it.horizon {
            true => it.turned(span),
            false => Err(planner::message!(
                "the last step is {}",
                it.horizon.0.saturating_sub(1)
            )),
        });
        let Some(turned) = turned else { return };
        wrong.set(turned.as_ref().err().cloned());
        if let Ok(turned) = turned {
            let file = session
                .file
                .with(|it| it.as_ref().map(|it| it.name.clone()));
            let file = file.unwrap_or_default();
            let name = format!("{} {}..{}.csv", save::stem(&file), span.start.0, span.end.0);
            let given = vec![Given::text(&name, &save::problem_csv(&turned))];
            act(session, CaseAction::OpenFiles(given, Where::Beside));
        }
    };
    view! {
        <h4>{move || session.say(W::Repeats)}</h4>
        <p class="hint">{move || session.say(W::RepeatsHint)}</p>
        <p class="wishes">
            <label>
                {move || session.say(W::FirstStep)} " "
                <input
                    type="number"
                    data-do="repeats-first"
                    min="0"
                    max=move || horizon.get().to_string()
                    prop:value=move || span().start.0.to_string()
                    on:input=move |event| typed.update(|it| it.0 = event_target_value(&event).parse().ok())
                />
            </label>
            <label>
                {move || session.say(W::EndStep)} " "
                <input
                    type="number"
                    data-do="repeats-end"
                    min="1"
                    max=move || horizon.get().to_string()
                    prop:value=move || span().end.0.to_string()
                    on:input=move |event| typed.update(|it| it.1 = event_target_value(&event).parse().ok())
                />
            </label>
            <button data-do="repeats" on:click=open>{move || session.say(W::OpenRepeats)}</button>
            {move || wrong.get().map(|why| view! { <span role="alert">{said(session, &why)}</span> })}
        </p>
    }
}
