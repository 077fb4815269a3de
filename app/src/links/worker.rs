//! The planner's worker: there from the start. It reads no dumps; the one that does takes its
//! place for good when the first dump is opened.

use web_sys::Blob;
use worker::{Reply, Request};

use super::thread::{self, Link};

/// The script of the worker that is there from the start.
pub(super) const FIRST: &str = "./worker_loader.js";

/// The script of the worker that can do everything.
pub(super) const COMPLETE: &str = "./dumps_loader.js";

pub(crate) type Handlers = thread::Handlers<Reply>;

thread_local! {
    static LINK: Link<Reply> = Link::new(FIRST);
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

/// Puts the worker that can do everything in the place of this one, whose knowledge is gone.
pub(crate) fn complete() {
    thread::become_another(&LINK, COMPLETE);
}

/// Ends the worker; the next request starts another.
pub(crate) fn end() {
    thread::end(&LINK);
}

/// Sends a request, with the files that it is about.
pub(crate) fn ask(request: &Request, files: &[Blob]) {
    thread::ask(&LINK, request, files);
}
