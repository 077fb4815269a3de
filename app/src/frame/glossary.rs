//! A card that says what a term means, beside whatever element names it: under the pointer, or
//! with the focus. An element names a term by `data-define`.

use crate::state::session::session;
use crate::words::{TERMS, Term};
use gloo::events::EventListener;
use gloo::timers::callback::Timeout;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event};

use crate::drawing::beside::Beside;
use crate::parts::GLOSSARY;

/// A pointer that only passes by asks for nothing, in milliseconds.
const PATIENCE_MS: u32 = 350;

/// Shows the card of the term that is pointed at, or has the focus.
#[component]
pub(crate) fn Glossary() -> impl IntoView {
    let named = RwSignal::new(None::<String>);
    let at = RwSignal::new((0.0, 0.0));
    let timer = StoredValue::new_local(None::<Timeout>);
    let ask = move |event: &Event| {
        let target = event.target().and_then(|it| it.dyn_into::<Element>().ok());
        let found = target.and_then(|it| it.closest("[data-define]").ok().flatten());
        // Who presses a term wants what it does: the card would lie over that.
        let is_meant = |element: &Element| {
            event.type_() == "pointerover" || element.matches(":focus-visible").unwrap_or(true)
        };
        let found = found.filter(is_meant);
        let Some(element) = found else {
            timer.set_value(None);
            if named.with_untracked(Option::is_some) {
                named.set(None);
            }
            return;
        };
        let name = element.get_attribute("data-define");
        if named.with_untracked(|now| *now == name) {
            return;
        }
        let show = move || {
            let place = element.get_bounding_client_rect();
            at.set((place.left(), place.bottom()));
            named.set(name);
        };
        timer.set_value(Some(Timeout::new(PATIENCE_MS, show)));
    };
    let window = window();
    for kind in ["pointerover", "focusin"] {
        EventListener::new(&window, kind, move |event| ask(event)).forget();
    }
    EventListener::new(&window, "pointerdown", move |_| {
        timer.set_value(None);
        named.set(None);
    })
    .forget();
    move || {
        let name = named.get()?;
        Some(GLOSSARY.view(move |part| {
            let card = (part.card)(&name);
            card.map(|card| view! { <Beside at>{card}</Beside> })
                .into_any()
        }))
    }
}

/// The term and what it means.
fn text(term: Term) -> (&'static str, &'static str) {
    let both = session().say(term);
    both.split_once('|').unwrap_or((both, ""))
}

pub(crate) fn card(name: &str) -> Option<AnyView> {
    let (_, term) = TERMS.iter().find(|(known, _)| *known == name)?;
    let (term, means) = text(*term);
    Some(
        view! { <p class="define" data-term-shown=name.to_owned()><b>{term}</b> " " {means}</p> }
            .into_any(),
    )
}

pub(crate) fn list() -> AnyView {
    let rows = TERMS.iter().map(|(name, term)| {
        let (term, means) = text(*term);
        view! { <dt data-defined=*name>{term}</dt> <dd>{means}</dd> }
    });
    view! { <dl class="keys glossary">{rows.collect_view()}</dl> }.into_any()
}
