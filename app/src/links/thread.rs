//! A worker of the page: started when it is first asked, spoken to, and terminated when it
//! takes too long or has died.
//!
//! A worker that panicked keeps answering from a broken state, so it is always replaced.

use std::cell::{Cell, RefCell};
use std::thread::LocalKey;

use js_sys::{Array, Uint8Array};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::prelude::*;
use web_sys::{Blob, ErrorEvent, Event, MessageEvent, Worker, WorkerOptions, WorkerType};

/// A reply that says nothing.
const UNREADABLE: &str = "its reply could not be read";

/// Where a link is kept.
pub(crate) type Key<R> = &'static LocalKey<Link<R>>;

/// What is done with replies, and when the worker dies.
pub(crate) struct Handlers<R> {
    pub(crate) reply: fn(R),
    pub(crate) died: fn(String),
}

impl<R> Clone for Handlers<R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for Handlers<R> {}

/// The page's end of a worker whose replies are `R`.
pub(crate) struct Link<R: 'static> {
    script: &'static str,
    worker: RefCell<Option<Worker>>,
    handlers: Cell<Option<Handlers<R>>>,
    /// Messages sent before the worker said that it listens; `None` once it does.
    early: RefCell<Option<Vec<Array>>>,
    /// Whether it was asked if it is there and has not answered yet.
    unanswered: Cell<bool>,
}

/// Sets the handlers of its replies.
pub(crate) fn handle<R>(key: Key<R>, handlers: Handlers<R>) {
    key.with(|link| link.handlers.set(Some(handlers)));
}

/// Ends whatever the worker is doing, and starts another. What it knew is gone.
pub(crate) fn restart<R: DeserializeOwned>(key: Key<R>) {
    key.with(|link| link.restart(key));
}

/// Ends the worker; the next request starts another.
pub(crate) fn end<R>(key: Key<R>) {
    key.with(Link::end);
}

/// Asks the worker whether it is there, and returns whether it had answered since it was asked
/// last. A page gets no event when a worker was ended from outside: it only answers no longer.
pub(crate) fn knock<R>(key: Key<R>) -> bool {
    key.with(|link| {
        // Questions would pile up before a worker that is busy.
        if link.unanswered.replace(true) {
            return false;
        }
        if let Some(worker) = link.worker.borrow().as_ref() {
            let _ = worker.post_message(&JsValue::NULL);
        }
        true
    })
}

/// Sends a request, with the files that it is about.
pub(crate) fn ask<R: DeserializeOwned>(key: Key<R>, request: &impl Serialize, files: &[Blob]) {
    let Ok(bytes) = postcard::to_allocvec(request) else {
        return;
    };
    let message = Array::of1(&Uint8Array::from(bytes.as_slice()));
    for file in files {
        message.push(file);
    }
    key.with(|link| {
        if link.worker.borrow().is_none() {
            link.restart(key);
        }
        if let Some(early) = link.early.borrow_mut().as_mut() {
            early.push(message);
        } else if let Some(worker) = link.worker.borrow().as_ref() {
            let _ = worker.post_message(&message);
        }
    });
}

impl<R> Link<R> {
    pub(crate) fn new(script: &'static str) -> Self {
        Self {
            script,
            worker: RefCell::new(None),
            handlers: Cell::new(None),
            early: RefCell::new(None),
            unanswered: Cell::new(false),
        }
    }

    fn end(&self) {
        if let Some(worker) = self.worker.borrow_mut().take() {
            worker.terminate();
        }
    }

    fn died(&self, reason: String) {
        if let Some(handlers) = self.handlers.get() {
            (handlers.died)(reason);
        }
    }

    /// The worker says that it listens: sends what has waited.
    fn begin(&self) {
        self.unanswered.set(false);
        let early = self.early.borrow_mut().take().unwrap_or_default();
        if let Some(worker) = self.worker.borrow().as_ref() {
            for message in early {
                let _ = worker.post_message(&message);
            }
        }
    }
}

impl<R: DeserializeOwned> Link<R> {
    fn restart(&self, key: Key<R>) {
        self.end();
        *self.early.borrow_mut() = Some(Vec::new());
        // It says that it listens once it has begun.
        self.unanswered.set(true);
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        match Worker::new_with_options(self.script, &options) {
            Ok(worker) => {
                listen(key, &worker);
                *self.worker.borrow_mut() = Some(worker);
            }
            Err(error) => self.died(format!("{error:?}")),
        }
    }
}

fn listen<R: DeserializeOwned>(key: Key<R>, worker: &Worker) {
    let on_message = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
        let data = event.data();
        if data.is_null() {
            key.with(Link::begin);
            return;
        }
        let bytes = Uint8Array::new(&data).to_vec();
        let Some(handlers) = key.with(|link| link.handlers.get()) else {
            return;
        };
        match postcard::from_bytes::<R>(&bytes) {
            Ok(reply) => (handlers.reply)(reply),
            // The request for this reply would wait for ever.
            Err(error) => (handlers.died)(format!("{UNREADABLE}: {error}")),
        }
    });
    worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget();
    let died = Closure::<dyn Fn(Event)>::new(move |event: Event| {
        key.with(|link| link.died(described(&event)));
    });
    worker.set_onerror(Some(died.as_ref().unchecked_ref()));
    let _ = worker.add_event_listener_with_callback("messageerror", died.as_ref().unchecked_ref());
    died.forget();
}

/// What is known of an error. A script that cannot be loaded is an event without a message.
fn described(event: &Event) -> String {
    let error: Option<&ErrorEvent> = event.dyn_ref();
    match error {
        Some(error) => error.message(),
        None if event.type_() == "messageerror" => UNREADABLE.to_owned(),
        None => "its script could not be loaded".to_owned(),
    }
}
