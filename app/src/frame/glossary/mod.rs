//! A card that says what a term means, beside whatever element names it: under the pointer, with
//! the focus, or pressed where pressing does nothing else. An element names a term by
//! `data-define`.

mod mark;
mod pictures;
mod scenes;

use std::cmp::Ordering;

use gloo::events::EventListener;
use gloo::timers::callback::Timeout;
use js_sys::{Array, JsString, Object};
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, Event, MouseEvent};

use crate::drawing::beside::Beside;
use crate::lazy::GLOSSARY;
use crate::state::session::{Session, session};
use crate::strings::{ALIASES, TERMS, Term};

/// A pointer that only passes by asks for nothing, in milliseconds.
const TIMEOUT_MS: u32 = 350;

/// What does something when it is pressed, or lets another do it.
const CONTROLS: &str = "a, button, input, label, select, summary";

/// Shows the card of the term that is pointed at, has the focus, or was pressed.
#[component]
pub(crate) fn Glossary() -> impl IntoView {
    let named = RwSignal::new(None::<String>);
    let at = RwSignal::new((0.0, 0.0));
    let timer = StoredValue::new_local(None::<Timeout>);
    let show = move |element: &Element| {
        let place = element.get_bounding_client_rect();
        at.set((place.left(), place.bottom()));
        named.set(element.get_attribute("data-define"));
    };
    let ask = move |event: &Event| {
        // Who presses a term wants what it does: the card would lie over that.
        let is_meant = |element: &Element| {
            event.type_() == "pointerover" || element.matches(":focus-visible").unwrap_or(true)
        };
        let Some(element) = naming(event).filter(is_meant) else {
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
        timer.set_value(Some(Timeout::new(TIMEOUT_MS, move || show(&element))));
    };
    let window = window();
    // Where the pointer rests, and the page moves under it, nobody points at anything.
    let rests = StoredValue::new((-1, -1));
    let place = |event: &Event| {
        let it = event.dyn_ref::<MouseEvent>()?;
        Some((it.client_x(), it.client_y()))
    };
    for kind in ["pointermove", "pointerdown"] {
        let note = move |event: &Event| rests.set_value(place(event).unwrap_or((-1, -1)));
        EventListener::new(&window, kind, note).forget();
    }
    for kind in ["pointerover", "focusin"] {
        let moved = move |event: &Event| place(event) != Some(rests.get_value());
        EventListener::new(&window, kind, move |event| {
            if moved(event) {
                ask(event);
            }
        })
        .forget();
    }
    EventListener::new(&window, "pointerdown", move |_| {
        timer.set_value(None);
        named.set(None);
    })
    .forget();
    // A finger points at nothing before it presses.
    EventListener::new(&window, "click", move |event| {
        if let Some(element) = naming(event).filter(|it| only_explains(event, it)) {
            timer.set_value(None);
            show(&element);
        }
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

/// The element around an event's target that matches.
fn around(event: &Event, selector: &str) -> Option<Element> {
    let target = event.target()?.dyn_into::<Element>().ok()?;
    target.closest(selector).ok().flatten()
}

/// The element around an event's target that names a term.
fn naming(event: &Event) -> Option<Element> {
    around(event, "[data-define]")
}

/// Whether who presses there, in an element that names a term, can only want its meaning.
fn only_explains(event: &Event, element: &Element) -> bool {
    element.has_attribute("data-only-defines") || around(event, CONTROLS).is_none()
}

/// The term of a name or of an alias, with the name that elements of the page have for it.
fn known(name: &str) -> Option<(&'static str, Term)> {
    let alias = ALIASES.iter().find(|(alias, _)| *alias == name);
    let meant = alias.map(|(_, term)| *term);
    let mut terms = TERMS.iter().copied();
    terms.find(|(known, term)| *known == name || meant == Some(*term))
}

/// The term and what it means.
fn text(session: Session, term: Term) -> (&'static str, &'static str) {
    let both = session.say(term);
    both.split_once('|').unwrap_or((both, ""))
}

/// What the term looks like.
fn picture(term: Term) -> impl IntoView {
    mark::drawn(pictures::picture(term))
}

pub(crate) fn card(name: &str) -> Option<AnyView> {
    let (_, term) = known(name)?;
    let (title, means) = text(session(), term);
    Some(
        view! { <p class="define" data-term-shown=name.to_owned()>{picture(term)} <b>{title}</b> " " {means}</p> }
            .into_any(),
    )
}

/// The term as a button that does nothing but show its card; for an alias, that of its term.
pub(crate) fn term(name: &str) -> Option<AnyView> {
    let (name, term) = known(name)?;
    let session = session();
    let title = move || text(session, term).0;
    // The card is for the eye alone.
    let means = move || text(session, term).1;
    Some(
        view! {
            <button class="term" type="button" data-define=name data-only-defines="" aria-description=means>
                {title}
            </button>
        }
        .into_any(),
    )
}

pub(crate) fn list() -> AnyView {
    let session = session();
    let language = Array::of1(&JsValue::from_str(session.language.get().tag()));
    let all = TERMS.iter().map(|(name, term)| {
        let (title, means) = text(session, *term);
        (*name, *term, title, means)
    });
    let mut all: Vec<_> = all.collect();
    all.sort_by(|one, other| alphabetical(one.2, other.2, &language));
    let rows = all.into_iter().map(|(name, term, title, means)| {
        view! { <div><dt data-defined=name>{picture(term)} {title}</dt> <dd>{means}</dd></div> }
    });
    view! { <dl class="keys glossary">{rows.collect_view()}</dl> }.into_any()
}

/// Which of two comes first for who reads this language: Chinese goes by its pronunciation.
fn alphabetical(one: &str, other: &str, language: &Array) -> Ordering {
    let order = JsString::from(one).locale_compare(other, language, &Object::new());
    order.cmp(&0)
}
