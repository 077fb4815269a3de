//! What is swept: over what, at which values, with which strategies.

use std::sync::Arc;

use conversation::{Action, Case, Range, SweepAction, suggested};
use leptos::prelude::*;
use planner::Strategy;
use planner::sweep::{NoValues, Over};
use web_sys::{Event, SubmitEvent};

use super::Swept;
use super::curves::{name, strategies};
use crate::state::driver::act;
use crate::state::session::{Session, session};
use crate::strings::SweepWord as W;
use crate::strings::filled;

/// What was changed and not swept yet.
#[derive(Clone, Default)]
struct Draft {
    over: Option<Over>,
    text: Option<String>,
    strategies: Option<Vec<Strategy>>,
}

/// What would be swept.
#[derive(Clone, PartialEq)]
struct Wish {
    over: Over,
    text: String,
    strategies: Vec<Strategy>,
}

/// What was asked for last, or is usual, with what was changed since; follows that.
fn wish(session: Session, sweep: Swept, draft: &Draft) -> Option<Wish> {
    session.file.track();
    session.bindings.track();
    session.shown.track();
    let going = sweep.with(|it| Some(Arc::clone(&it.as_ref()?.range)));
    let base = going.or_else(|| session.case(Case::usual_range))?;
    let over = draft.over.clone().unwrap_or_else(|| base.over.clone());
    let text = draft
        .text
        .clone()
        .unwrap_or_else(|| match over == base.over {
            true => base.text.clone(),
            false => suggested(&over, session.case(|case| case.value_of(&over))),
        });
    let chosen = draft.strategies.clone();
    Some(Wish {
        over,
        text,
        strategies: chosen.unwrap_or_else(|| base.strategies.clone()),
    })
}

/// The controls.
#[component]
pub(super) fn Controls(sweep: Swept) -> impl IntoView {
    let session = session();
    let draft = RwSignal::new(Draft::default());
    let wrong = RwSignal::new(None::<NoValues>);
    Effect::new(move |before: Option<()>| {
        session.file.track();
        if before.is_some() {
            // What was changed was about another document.
            draft.set(Draft::default());
            wrong.set(None);
        }
    });
    let wish = Memo::new(move |_| draft.with(|draft| wish(session, sweep, draft)));
    let start = move |event: SubmitEvent| {
        event.prevent_default();
        let Some(wish) = wish.get_untracked() else {
            return;
        };
        match Range::read(wish.over, &wish.text, wish.strategies) {
            Ok(range) => {
                wrong.set(None);
                draft.set(Draft::default());
                act(session, Action::Sweep(SweepAction::Start(range)));
            }
            Err(fault) => wrong.set(Some(fault)),
        }
    };
    let text = move || wish.with(|it| it.as_ref().map(|it| it.text.clone()));
    let write = move |event: Event| {
        let text = event_target_value(&event);
        draft.update(|draft| draft.text = Some(text));
    };
    let faulty = move || {
        let fault = wrong.get()?;
        Some(view! { <p role="alert" id="sweep-wrong">{session.say(said(fault))}</p> })
    };
    view! {
        <form class="sweep-choice" on:submit=start>
            <OverChoice wish draft/>
            <label>
                <span>{move || session.say(W::Values)}</span>
                <input
                    id="sweep-values"
                    type="text"
                    autocomplete="off"
                    spellcheck="false"
                    aria-describedby="sweep-hint sweep-wrong"
                    aria-invalid=move || wrong.get().is_some().to_string()
                    prop:value=text
                    on:input=write
                />
            </label>
            <small id="sweep-hint" class="hint">{move || session.say(W::ValuesHint)}</small>
            <button type="submit" id="sweep-start">{move || session.say(W::Start)}</button>
            <StrategyChoice wish draft/>
            {faulty}
        </form>
    }
}

fn said(fault: NoValues) -> W {
    match fault {
        NoValues::Form => W::NoForm,
        NoValues::Empty => W::NoRange,
        NoValues::TooMany => W::TooMany,
    }
}

#[component]
fn OverChoice(wish: Memo<Option<Wish>>, draft: RwSignal<Draft>) -> impl IntoView {
    let session = session();
    let all = Memo::new(move |_| {
        session.file.track();
        session.case(Case::sweepable)
    });
    let pick = move |event: Event| {
        let index = event_target_value(&event).parse::<usize>().ok();
        let over = index.and_then(|index| all.with_untracked(|all| all.get(index).cloned()));
        draft.update(|draft| {
            draft.over = over;
            draft.text = None;
        });
    };
    let options = move || {
        let all = all.get().into_iter().enumerate();
        let option = |(index, over): (usize, Over)| {
            let says = name(session, &over);
            let chosen = move || wish.with(|it| it.as_ref().is_some_and(|it| it.over == over));
            view! { <option value=index.to_string() selected=chosen>{says}</option> }
        };
        all.map(option).collect_view()
    };
    let alone = move || all.with(|all| all.len() == 1);
    let batch = move || wish.with(|it| it.as_ref().is_some_and(|it| it.over == Over::Batch));
    view! {
        <label>
            <span>{move || session.say(W::Over)}</span>
            <select id="sweep-over" on:change=pick>{options}</select>
        </label>
        <Show when=alone>
            <small class="hint">{move || session.say(W::NoSymbols)}</small>
        </Show>
        <Show when=batch>
            <small class="hint">{move || session.say(W::BatchHint)}</small>
        </Show>
    }
}

#[component]
fn StrategyChoice(wish: Memo<Option<Wish>>, draft: RwSignal<Draft>) -> impl IntoView {
    let session = session();
    let chosen = Memo::new(move |_| {
        let wish = wish.get();
        wish.map(|it| it.strategies).unwrap_or_default()
    });
    let names = move || {
        let names: Vec<&str> = chosen.with(|it| it.iter().map(|it| it.name()).collect());
        let names = match names.is_empty() {
            true => session.say(W::NoStrategy).to_owned(),
            false => names.join(", "),
        };
        filled(session.say(W::Strategies), &[&names])
    };
    let check = move |strategy: Strategy| {
        let is_chosen = move || chosen.with(|it| it.contains(&strategy));
        let toggle = move |event: Event| {
            let on = event_target_checked(&event);
            let kept = chosen.get_untracked();
            // In the order of the list, whatever was checked first.
            let all = strategies().filter(|it| match *it == strategy {
                true => on,
                false => kept.contains(it),
            });
            let all: Vec<Strategy> = all.collect();
            draft.update(|draft| draft.strategies = Some(all));
        };
        view! {
            <label class="check">
                <input type="checkbox" data-strategy=strategy.name() prop:checked=is_chosen on:change=toggle/>
                <span>{strategy.name()}</span>
            </label>
        }
    };
    view! {
        <details>
            <summary>{names}</summary>
            <div class="checks">{strategies().map(check).collect_view()}</div>
        </details>
    }
}
