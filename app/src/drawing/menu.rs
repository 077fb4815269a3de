//! A menu: a word that opens a list of things to do. A choice, Escape or a step elsewhere
//! closes it; what is set in it may leave it open.

use leptos::html::Details;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{FocusEvent, HtmlElement, KeyboardEvent, Node};

#[component]
pub(crate) fn Menu(
    /// The word.
    #[prop(into)]
    says: Signal<String>,
    /// Its name for those who do not see where it stands.
    #[prop(into)]
    name: Signal<String>,
    #[prop(into)] hidden: Signal<bool>,
    /// Whether a choice leaves it open.
    #[prop(optional)]
    stays: bool,
    children: Children,
) -> impl IntoView {
    let menu = NodeRef::<Details>::new();
    let left = move |event: FocusEvent| {
        let to: Option<Node> = event
            .related_target()
            .and_then(|target| target.dyn_into().ok());
        let inside = menu
            .get_untracked()
            .is_some_and(|menu| menu.contains(to.as_ref()));
        if to.is_some() && !inside {
            close(menu, false);
        }
    };
    let pressed = move |event: KeyboardEvent| {
        let open = menu.get_untracked().is_some_and(|menu| menu.open());
        if open && event.key() == "Escape" {
            event.stop_propagation();
            close(menu, true);
        }
    };
    view! {
        <details
            class="menu"
            node_ref=menu
            hidden=move || hidden.get()
            on:focusout=left
            on:keydown=pressed
        >
            <summary aria-label=move || name.get()>{move || says.get()}</summary>
            <div class="items" on:click=move |_| if !stays { close(menu, true) }>
                {children()}
            </div>
        </details>
    }
}

/// Closes the menu; the focus goes back to what opened it.
fn close(menu: NodeRef<Details>, focus: bool) {
    let Some(menu) = menu.get_untracked() else {
        return;
    };
    menu.set_open(false);
    let summary = menu.query_selector("summary").ok().flatten();
    if let Some(summary) = summary.filter(|_| focus) {
        let summary: HtmlElement = summary.unchecked_into();
        let _ = summary.focus();
    }
}
