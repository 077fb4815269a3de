//! The Arenascope page.

use leptos::prelude::*;

fn main() {
    console_error_panic_hook::set_once();
    mount_to_body(|| view! { <main><h1>"Arenascope"</h1></main> });
    // Tests wait for this; the page sets it when it has shown what it was asked for.
    if let Some(body) = document().body() {
        let _ = body.set_attribute("data-ready", "true");
    }
}
