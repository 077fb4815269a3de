//! A worker of the page: the desk answers every request, one after the other.

use std::cell::RefCell;

use planner::load::Source;
use web_sys::DedicatedWorkerGlobalScope;
use worker::thread::{BlobSource, listen as on_request, now, post, scope};
use worker::{Desk, Reply, Request, Surroundings};

struct Scope(DedicatedWorkerGlobalScope);

impl Surroundings for Scope {
    fn now(&self) -> f64 {
        now(&self.0)
    }

    fn reply(&self, reply: &Reply) {
        post(&self.0, reply);
    }
}

/// Has `desk` answer every message that the page sends.
pub(crate) fn listen(desk: Desk) {
    let around = Scope(scope());
    let desk = RefCell::new(desk);
    on_request(move |request: Request, files: Vec<BlobSource>| {
        let files: Vec<&dyn Source> = files.iter().map(|file| file as &dyn Source).collect();
        desk.borrow_mut().answer(request, &files, &around);
    });
}
