//! Style sheets that come after the first picture.

use leptos::prelude::document;
use web_sys::Element;

/// What the page came with last: its rules win over those of tasks.
const LAST: &str = "phone.css";

/// The sheet of tasks, which lies beside it.
pub(crate) fn fetch_tasks() {
    let last = document().query_selector(&format!("link[href$='/{LAST}']"));
    if let Some(last) = last.ok().flatten()
        && let Some(href) = last.get_attribute("href")
    {
        fetch(&href.replace(LAST, "insight.css"), Some(&last));
    }
}

/// Makes sure that a sheet is there, before another one or as the last.
pub(crate) fn fetch(href: &str, before: Option<&Element>) {
    let document = document();
    let there = document.query_selector(&format!("link[href='{href}']"));
    if there.is_ok_and(|it| it.is_some()) {
        return;
    }
    let (Ok(link), Some(head)) = (document.create_element("link"), document.head()) else {
        return;
    };
    for (name, value) in [("rel", "stylesheet"), ("href", href)] {
        // Fails only for names that no attribute can have.
        let _ = link.set_attribute(name, value);
    }
    let _ = head.insert_before(&link, before.map(AsRef::as_ref));
}
