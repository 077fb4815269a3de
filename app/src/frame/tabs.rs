//! What lies under the picture: tables, one at a time.

use crate::state::driver::act;
use crate::state::session::session;
use conversation::{Action, Tab};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, KeyboardEvent};

use crate::compare::table::Compare;
use crate::parts::{PANES, RUN};
use crate::words::Word;

const TABS: [(Tab, &str, Word); 8] = [
    (Tab::Compare, "compare", Word::Compare),
    (Tab::Waste, "waste", Word::Waste),
    (Tab::Film, "film", Word::Film),
    (Tab::Differences, "differences", Word::Differences),
    (Tab::Run, "run", Word::Run),
    (Tab::Operators, "operators", Word::Operators),
    (Tab::Tensors, "tensors", Word::Tensors),
    (Tab::Notes, "notes", Word::Notes),
];

/// The tabs.
#[component]
pub(crate) fn Tabs() -> impl IntoView {
    let session = session();
    let body = move || match session.tab.get() {
        Tab::Compare => view! { <Compare/> }.into_any(),
        Tab::Waste => PANES.view(|panes| (panes.waste)()),
        Tab::Film => PANES.view(|panes| (panes.film)()),
        Tab::Differences => PANES.view(|panes| (panes.differences)()),
        Tab::Run => RUN.view(|run| (run.tab)()),
        Tab::Operators => PANES.view(|panes| (panes.operators)()),
        Tab::Tensors => PANES.view(|panes| (panes.tensors)()),
        Tab::Notes => PANES.view(|panes| (panes.notes)()),
    };
    let current = move || {
        TABS.iter()
            .find(|(tab, ..)| *tab == session.tab.get())
            .map(|(_, name, _)| *name)
    };
    view! {
        <section class="tabs">
            <div role="tablist" on:keydown=turn>
                {TABS.map(|(tab, name, word)| view! { <OneTab tab name word/> }).collect_view()}
            </div>
            <div
                class="sheet"
                role="tabpanel"
                id="sheet"
                tabindex="0"
                aria-labelledby=move || current().map(|name| format!("tab-{name}"))
            >
                {body}
            </div>
        </section>
    }
}

#[component]
fn OneTab(tab: Tab, name: &'static str, word: Word) -> impl IntoView {
    let session = session();
    let selected = move || session.tab.get() == tab;
    view! {
        <button
            role="tab"
            id=format!("tab-{name}")
            aria-controls="sheet"
            aria-selected=move || selected().to_string()
            tabindex=move || if selected() { "0" } else { "-1" }
            on:click=move |_| act(session, Action::Turn(tab))
        >
            {move || session.say(word)}
        </button>
    }
}

/// Arrow keys go from tab to tab, as the pattern for tabs has it.
fn turn(event: KeyboardEvent) {
    let direction = match event.key().as_str() {
        "ArrowRight" => 1,
        "ArrowLeft" => TABS.len() - 1,
        _ => return,
    };
    let focused = document()
        .active_element()
        .map(|element| element.id())
        .unwrap_or_default();
    let index = TABS
        .iter()
        .position(|(_, name, _)| focused == format!("tab-{name}"));
    let Some(index) = index else { return };
    event.prevent_default();
    event.stop_propagation();
    let (_, name, _) = TABS[(index + direction) % TABS.len()];
    let next = document().get_element_by_id(&format!("tab-{name}"));
    if let Some(next) = next.and_then(|next| next.dyn_into::<HtmlElement>().ok()) {
        let _ = next.focus();
        next.click();
    }
}
