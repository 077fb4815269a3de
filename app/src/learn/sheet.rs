//! The style sheet of lessons: it comes with the first of them.

use leptos::prelude::document;

const ID: &str = "learn-sheet";

/// Makes sure that it is there.
pub(super) fn fetch() {
    let document = document();
    if document.get_element_by_id(ID).is_some() {
        return;
    }
    let (Ok(link), Some(head)) = (document.create_element("link"), document.head()) else {
        return;
    };
    link.set_id(ID);
    let named = [
        ("rel", "stylesheet"),
        ("href", "./public/lessons/learn.css"),
    ];
    for (name, value) in named {
        // Fails only for names that no attribute can have.
        let _ = link.set_attribute(name, value);
    }
    let _ = head.append_child(&link);
}
