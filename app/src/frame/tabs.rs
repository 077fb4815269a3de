//! What lies under the picture: tables, one at a time.

use conversation::{Action, Panel, Tab};
use leptos::prelude::*;
use lesson::Hidden;
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, KeyboardEvent};

use crate::frame::panel::{Fold, Grip};
use crate::lazy::{Source, TabEntry};
use crate::state::driver::act;
use crate::state::session::session;
use crate::strings::LearnWord;
use crate::{
    advice, compare, difference, film, graph_text, inspect, owners, run, stages, sweep, tables,
    training,
};

/// A row for each tab, in the order in which they stand.
const ROWS: &[TabEntry] = &[
    compare::table::TAB,
    inspect::waste::TAB,
    owners::TAB,
    inspect::segments::TAB,
    advice::TAB,
    stages::TAB,
    training::TAB,
    sweep::TAB,
    film::TAB,
    graph_text::TAB,
    difference::TAB,
    run::TAB,
    tables::operators::TAB,
    tables::tensors::TAB,
    tables::notes::TAB,
];

static TABS: &[TabEntry] = ROWS;

/// Their names in links. A table of its own, because whoever reads links needs no tab.
pub(crate) static NAMES: [Tab; ROWS.len()] = {
    let mut names = [Tab::COMPARE; ROWS.len()];
    let mut index = 0;
    while index < ROWS.len() {
        names[index] = ROWS[index].tab;
        index += 1;
    }
    names
};

/// Where those come from that are parts of the page.
pub(crate) fn sources() -> Vec<Source> {
    TABS.iter().filter_map(|entry| entry.source).collect()
}

/// The tabs.
#[component]
pub(crate) fn Tabs() -> impl IntoView {
    let session = session();
    let shown = Memo::new(move |_| session.tab.get());
    let open = Memo::new(move |_| session.is_panel_open(Panel::Sheet));
    let current = move || TABS.iter().find(|entry| entry.tab == shown.get());
    // What is not seen is not made.
    let body = move || open.get().then(|| current().map(|entry| (entry.show)()));
    view! {
        <section class="tabs">
            <Grip panel=Panel::Sheet/>
            <div class="tab-row">
                <div role="tablist" on:keydown=turn>
                    {TABS.iter().map(|entry| view! { <OneTab entry/> }).collect_view()}
                </div>
                <Fold panel=Panel::Sheet/>
            </div>
            <div
                class="sheet"
                hidden=move || !open.get()
                role="tabpanel"
                id="sheet"
                tabindex="0"
                aria-labelledby=move || current().map(|entry| id(entry.tab))
            >
                <p class="hint hidden-hint" hidden=move || !session.is_hidden(Hidden::Table)>
                    {move || session.say(LearnWord::Hidden)}
                </p>
                {body}
            </div>
        </section>
    }
}

/// The element of a tab.
fn id(tab: Tab) -> String {
    format!("tab-{}", tab.0)
}

#[component]
fn OneTab(entry: &'static TabEntry) -> impl IntoView {
    let session = session();
    let selected = move || session.tab.get() == entry.tab;
    view! {
        <button
            role="tab"
            id=id(entry.tab)
            aria-controls="sheet"
            aria-selected=move || selected().to_string()
            tabindex=move || if selected() { "0" } else { "-1" }
            on:click=move |_| act(session, Action::Turn(entry.tab))
        >
            {move || (entry.title)(session.language.get())}
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
    let index = TABS.iter().position(|entry| focused == id(entry.tab));
    let Some(index) = index else { return };
    event.prevent_default();
    event.stop_propagation();
    let next = TABS[(index + direction) % TABS.len()].tab;
    let next = document().get_element_by_id(&id(next));
    if let Some(next) = next.and_then(|next| next.dyn_into::<HtmlElement>().ok()) {
        let _ = next.focus();
        next.click();
    }
}
