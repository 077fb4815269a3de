//! A reload in the middle of a run.

use crate::state::session::session;
use gloo::events::{EventListener, EventListenerOptions};
use leptos::prelude::*;

/// Lets the browser ask before the page is left while a file of the user's is run: a reload ends
/// the run, and where the browser has no service worker it loses the file. A sample comes back by
/// its link. The browser asks only people who have done something in the page.
pub(crate) fn ask_before_leaving() {
    let session = session();
    Effect::new(move |_: Option<Option<EventListener>>| {
        let own = |file: &conversation::OpenFile| file.sample.is_none();
        let own = session.file.with(|file| file.as_ref().is_some_and(own));
        let going = session.runs.going.with(Option::is_some);
        // It is there only as long as it must: some browsers keep no page for Back that has one.
        (own && going).then(|| {
            let options = EventListenerOptions::enable_prevent_default();
            EventListener::new_with_options(&window(), "beforeunload", options, |event| {
                event.prevent_default();
            })
        })
    });
}
