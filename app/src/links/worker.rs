//! The planner's worker: there from the start.

use web_sys::Blob;
use worker::{Reply, Request};

use super::thread::{self, Link};

/// Its script.
pub(super) const SCRIPT: &str = "./worker_loader.js";

pub(crate) type Handlers = thread::Handlers<Reply>;

thread_local! {
    static LINK: Link<Reply> = Link::new(SCRIPT);
}

/// Sets the handlers of its replies, and starts it.
pub(crate) fn start(handlers: Handlers) {
    thread::handle(&LINK, handlers);
    restart();
}

/// Ends whatever the worker is doing, and starts another. What it knew is gone.
pub(crate) fn restart() {
    thread::restart(&LINK);
}

/// Ends the worker; the next request starts another.
pub(crate) fn end() {
    thread::end(&LINK);
}

/// Sends a request, with the files that it is about.
pub(crate) fn ask(request: &Request, files: &[Blob]) {
    thread::ask(&LINK, request, files);
}
