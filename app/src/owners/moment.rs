//! When, and by what: the choices of the tab.

use conversation::{Action, When};
use leptos::prelude::*;
use planner::Step;
use planner::grouping::FIELDS;

use crate::owners::{field, set, word};
use crate::state::coloring::coloring_by;
use crate::state::driver::act;
use crate::state::session::{Session, session};
use crate::strings::HeldWord;

/// Values of the choice of a moment.
const WHEN: [(&str, HeldWord); 4] = [
    ("peak", HeldWord::Peak),
    ("step", HeldWord::Looked),
    ("end", HeldWord::End),
    ("between", HeldWord::Between),
];

fn value(when: When) -> &'static str {
    match when {
        When::Peak => "peak",
        When::Looked => "step",
        When::End => "end",
        When::Between(..) => "between",
    }
}

/// What was chosen, else what is usual for the file.
fn asked(session: Session) -> When {
    let grouping = session.insight.grouping.get();
    session.prepared.with(|prepared| {
        let prepared = prepared.as_ref();
        prepared.map_or(When::Peak, |it| grouping.when(&it.subject))
    })
}

/// The whole schedule, until other steps are typed.
fn whole(session: Session) -> When {
    let last = session.prepared.with_untracked(|prepared| {
        let horizon = prepared.as_ref().map(|it| it.subject.lifetimes.horizon.0);
        horizon.unwrap_or_default().saturating_sub(1)
    });
    When::Between(Step(1.min(last)), Step(last))
}

/// The choices.
#[component]
pub(super) fn Choice() -> impl IntoView {
    let session = session();
    let when = Memo::new(move |_| asked(session));
    let choose = move |event| {
        let chosen = match event_target_value(&event).as_str() {
            "step" => When::Looked,
            "end" => When::End,
            "between" => whole(session),
            _ => When::Peak,
        };
        set(session, |grouping| grouping.when = Some(chosen));
    };
    let options = WHEN.map(|(name, word)| {
        view! {
            <option value=name selected=move || value(when.get()) == name>{move || session.say(word)}</option>
        }
    });
    view! {
        <label>
            {move || session.say(HeldWord::When)} " "
            <select id="held-when" prop:value=move || value(when.get()) on:change=choose>
                {options.collect_view()}
            </select>
        </label>
        <Show when=move || matches!(when.get(), When::Between(..))>
            <Marks/>
        </Show>
        <By/>
        <Paint/>
    }
}

/// Colours the picture by the same, where it can be.
#[component]
fn Paint() -> impl IntoView {
    let session = session();
    move || {
        let coloring = coloring_by(field(session))?;
        let on = session.coloring.get() == Some(coloring);
        let paint = move |_| act(session, Action::Color(coloring));
        Some(view! {
            <button class="paint" aria-pressed=on.to_string() on:click=paint>{session.say(HeldWord::Paint)}</button>
        })
    }
}

/// From which step to which.
#[component]
fn Marks() -> impl IntoView {
    let session = session();
    let steps = move || match asked(session) {
        When::Between(from, to) => (from.0, to.0),
        _ => (0, 0),
    };
    let input = move |id: &'static str, word: HeldWord, second: bool| {
        let shown = move || if second { steps().1 } else { steps().0 };
        let change = move |event| {
            let Ok(step) = event_target_value(&event).parse() else {
                return;
            };
            set(session, |grouping| {
                if let Some(When::Between(from, to)) = &mut grouping.when {
                    *(if second { to } else { from }) = Step(step);
                }
            });
        };
        view! {
            <label>
                {move || session.say(word)} " "
                <input id=id type="number" min="0" prop:value=move || shown().to_string() on:change=change/>
            </label>
        }
    };
    view! {
        {input("held-from", HeldWord::From, false)}
        {input("held-to", HeldWord::To, true)}
    }
}

/// What is grouped by.
#[component]
fn By() -> impl IntoView {
    let session = session();
    let chosen = Memo::new(move |_| field(session));
    let choose = move |event| {
        let name = event_target_value(&event);
        let known = FIELDS.into_iter().find(|field| field.name() == name);
        set(session, |grouping| grouping.field = known);
    };
    let options = move || {
        let texts = session.lookup.texts.get();
        let knows = |field| texts.as_ref().is_some_and(|it| it.0.knows(field));
        let known = FIELDS.into_iter().filter(|field| knows(*field));
        let options = known.map(|field| {
            view! {
                <option value=field.name() selected=move || chosen.get() == field>{session.say(word(session, field))}</option>
            }
        });
        options.collect_view()
    };
    view! {
        <label>
            {move || session.say(HeldWord::By)} " "
            <select id="held-by" prop:value=move || chosen.get().name() on:change=choose>{options}</select>
        </label>
    }
}
