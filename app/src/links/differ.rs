//! The worker that compares two dumps: there while it does, so that planning goes on beside it.

use web_sys::Blob;
use worker::{Reply, Request};

use super::thread::{self, Link};

pub(crate) type Ears = thread::Ears<Reply>;

thread_local! {
    static LINK: Link<Reply> = Link::new("./worker_loader.js");
}

/// Says who hears the worker.
pub(crate) fn hear(ears: Ears) {
    thread::hear(&LINK, ears);
}

/// Ends the worker; the next request starts another.
pub(crate) fn end() {
    thread::end(&LINK);
}

/// Sends a request, with the files that it is about.
pub(crate) fn ask(request: &Request, files: &[Blob]) {
    thread::ask(&LINK, request, files);
}
