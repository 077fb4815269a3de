//! A field for a number: what is none is not taken, and the field says again what holds.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Event, HtmlInputElement};

/// The field: its name in the page, its attributes, what it shows, and what hears the text that
/// was typed.
pub(super) fn number(
    place: &'static str,
    (min, max): (&'static str, Option<String>),
    shown: impl Fn() -> String + Copy + Send + Sync + 'static,
    typed: impl Fn(&str) + 'static,
) -> impl IntoView {
    let changed = move |event: Event| {
        typed(event_target_value(&event).trim());
        let field = event
            .target()
            .and_then(|it| it.dyn_into::<HtmlInputElement>().ok());
        if let Some(field) = field {
            field.set_value(&untrack(shown));
        }
    };
    view! {
        <input
            type="number"
            step="any"
            data-do=place
            min=min
            max=max
            prop:value=shown
            on:change=changed
        />
    }
}
