//! The runner's worker: one run after the other.

use std::panic;
use std::rc::Rc;

use planner::load::Source;
use runner::{Reply, Request, Surroundings, answer};
use wasm_bindgen::prelude::*;
use web_sys::{DedicatedWorkerGlobalScope, PromiseRejectionEvent};
use worker::thread::{BlobSource, listen as hear, now, post, scope};

struct Scope(DedicatedWorkerGlobalScope);

impl Surroundings for Scope {
    fn now(&self) -> f64 {
        now(&self.0)
    }

    fn reply(&self, reply: &Reply) {
        post(&self.0, reply);
    }
}

/// Answers every message that the page sends.
pub(crate) fn listen() {
    // The last words of this program: the page hears them, and starts another.
    panic::set_hook(Box::new(|panic| {
        post(&scope(), &Reply::Panicked(panic.to_string()));
    }));
    tell_rejections();
    let around = Rc::new(Scope(scope()));
    hear(move |request: Request, file: Option<BlobSource>| {
        let around = Rc::clone(&around);
        wasm_bindgen_futures::spawn_local(async move {
            let file = file.as_ref().map(|file| file as &dyn Source);
            answer(request, file, &*around).await;
        });
    });
}

/// What goes wrong between two turns of this program ends as a rejected promise, of which
/// the page would not hear.
fn tell_rejections() {
    let told = Closure::<dyn Fn(PromiseRejectionEvent)>::new(|event: PromiseRejectionEvent| {
        let reason = event.reason();
        let error: Option<&js_sys::Error> = reason.dyn_ref();
        let text = error.map(|error| String::from(error.message()));
        post(&scope(), &Reply::Panicked(text.unwrap_or_default()));
    });
    // A scope takes any property; this one is an event handler.
    let _ = js_sys::Reflect::set(&scope(), &"onunhandledrejection".into(), told.as_ref());
    told.forget();
}
