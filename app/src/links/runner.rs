//! The runner: a worker that is fetched with the first run, and ended to cancel one.

use runner::{Reply, Request};
use web_sys::Blob;

use super::thread::{self, Link};

pub(crate) type Handlers = thread::Handlers<Reply>;

thread_local! {
    static LINK: Link<Reply> = Link::new("./runner_loader.js");
}

/// Sets the handlers of its replies; it starts with the first request.
pub(crate) fn handle(handlers: Handlers) {
    thread::handle(&LINK, handlers);
}

/// Ends the runner and what it is doing; the next request starts another.
pub(crate) fn end() {
    thread::end(&LINK);
}

/// Asks whether it is there; whether it had answered since it was asked last.
pub(crate) fn knock() -> bool {
    thread::knock(&LINK)
}

/// Sends a request, with the model's file.
pub(crate) fn ask(request: &Request, file: Option<&Blob>) {
    thread::ask(
        &LINK,
        request,
        file.map(std::slice::from_ref).unwrap_or_default(),
    );
}
