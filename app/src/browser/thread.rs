//! A worker of the page: started when it is first asked, spoken to, and terminated when it
//! takes too long or has died.
//!
//! A worker that panicked keeps answering from a broken state, so it is always replaced.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{Array, Uint8Array};
use planner::{Message, message};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::prelude::*;
use web_sys::{Blob, ErrorEvent, Event, MessageEvent, Worker, WorkerOptions, WorkerType};

use crate::browser::files;

/// What is said of a reply that cannot be read.
const UNREADABLE: fn() -> Message = || message!("its reply could not be read");

/// What comes from a worker.
pub(crate) enum Heard<R> {
    /// A reply.
    Reply(R),
    /// It is there, and has done what it was asked before it was asked that.
    Here,
    /// It is gone; these are its last words.
    Died(Message),
}

/// The page's end of a worker whose replies are `R`.
pub(crate) struct Link<R>(Rc<Inner<R>>);

struct Inner<R> {
    script: &'static str,
    worker: RefCell<Option<Worker>>,
    hear: Box<dyn Fn(Heard<R>)>,
    /// Messages sent before the worker said that it listens; `None` once it does.
    early: RefCell<Option<Vec<Array>>>,
    /// Whether it was asked if it is there and has not answered yet.
    unanswered: Cell<bool>,
}

impl<R> Clone for Link<R> {
    fn clone(&self) -> Self {
        Self(Rc::clone(&self.0))
    }
}

impl<R: DeserializeOwned + 'static> Link<R> {
    /// A worker that runs `script`; it starts when it is asked.
    pub(crate) fn new(script: &'static str, hear: impl Fn(Heard<R>) + 'static) -> Self {
        Self(Rc::new(Inner {
            script,
            worker: RefCell::new(None),
            hear: Box::new(hear),
            early: RefCell::new(None),
            unanswered: Cell::new(false),
        }))
    }

    /// Ends the worker and what it is doing; the next request starts another.
    pub(crate) fn end(&self) {
        if let Some(worker) = self.0.worker.borrow_mut().take() {
            worker.set_onmessage(None);
            worker.set_onerror(None);
            worker.terminate();
        }
    }

    /// Asks the worker whether it is there, and returns whether it had answered since it was asked
    /// last. A page gets no event when a worker was ended from outside: it only answers no longer.
    pub(crate) fn ping(&self) -> bool {
        // Questions would pile up before a worker that is busy.
        if self.0.unanswered.replace(true) {
            return false;
        }
        if let Some(worker) = self.0.worker.borrow().as_ref() {
            let _ = worker.post_message(&JsValue::NULL);
        }
        true
    }

    /// Sends a request, with the files that it is about.
    pub(crate) fn ask(&self, request: &impl Serialize, files: &[Blob]) {
        let bytes = match postcard::to_allocvec(request) {
            Ok(bytes) => bytes,
            // Without a word of it the page would wait for ever.
            Err(error) => return (self.0.hear)(Heard::Died(Message::verbatim(error.to_string()))),
        };
        let message = Array::of1(&Uint8Array::from(bytes.as_slice()));
        for file in files {
            message.push(file);
        }
        self.start();
        if let Some(early) = self.0.early.borrow_mut().as_mut() {
            early.push(message);
        } else if let Some(worker) = self.0.worker.borrow().as_ref() {
            self.send(worker, &message);
        }
    }

    fn send(&self, worker: &Worker, message: &Array) {
        if let Err(error) = worker.post_message(message) {
            (self.0.hear)(Heard::Died(Message::verbatim(format!("{error:?}"))));
        }
    }

    /// Starts the worker unless it is there.
    pub(crate) fn start(&self) {
        if self.0.worker.borrow().is_some() {
            return;
        }
        *self.0.early.borrow_mut() = Some(Vec::new());
        // It says that it listens once it has begun.
        self.0.unanswered.set(true);
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        match Worker::new_with_options(&files::built(self.0.script), &options) {
            Ok(worker) => {
                self.listen(&worker);
                *self.0.worker.borrow_mut() = Some(worker);
            }
            Err(error) => (self.0.hear)(Heard::Died(Message::verbatim(format!("{error:?}")))),
        }
    }

    /// The worker says that it listens: sends what has waited.
    fn begin(&self) {
        self.0.unanswered.set(false);
        let early = self.0.early.borrow_mut().take().unwrap_or_default();
        if let Some(worker) = self.0.worker.borrow().as_ref() {
            for message in early {
                self.send(worker, &message);
            }
        }
    }

    fn listen(&self, worker: &Worker) {
        let link = self.clone();
        let on_message = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
            let data = event.data();
            if data.is_null() {
                link.begin();
                (link.0.hear)(Heard::Here);
                return;
            }
            let bytes = Uint8Array::new(&data).to_vec();
            (link.0.hear)(match postcard::from_bytes::<R>(&bytes) {
                Ok(reply) => Heard::Reply(reply),
                // The request for this reply would wait for ever.
                Err(error) => Heard::Died(message!("{}: {}", UNREADABLE(), error.to_string())),
            });
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        on_message.forget();
        let link = self.clone();
        let died = Closure::<dyn Fn(Event)>::new(move |event: Event| {
            (link.0.hear)(Heard::Died(described(&event)));
        });
        let died: js_sys::Function = died.into_js_value().unchecked_into();
        worker.set_onerror(Some(&died));
        let _ = worker.add_event_listener_with_callback("messageerror", &died);
    }
}

/// What is known of an error. A script that cannot be loaded is an event without a message.
fn described(event: &Event) -> Message {
    let error: Option<&ErrorEvent> = event.dyn_ref();
    match error {
        Some(error) => Message::verbatim(error.message()),
        None if event.type_() == "messageerror" => UNREADABLE(),
        None => message!("its script could not be loaded"),
    }
}
