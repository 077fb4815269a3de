//! The worker: started, spoken to, and terminated when it takes too long or has died.
//!
//! A worker that panicked keeps answering from a broken state, so it is always replaced.

use std::cell::{Cell, RefCell};

use js_sys::{Array, Uint8Array};
use wasm_bindgen::prelude::*;
use web_sys::{Blob, ErrorEvent, MessageEvent, Worker, WorkerOptions, WorkerType};
use worker::{Reply, Request};

const SCRIPT: &str = "./worker_loader.js";

thread_local! {
    static LINK: Link = Link::default();
}

/// What is done with replies, and when the worker dies.
#[derive(Clone, Copy)]
pub(crate) struct Ears {
    pub(crate) reply: fn(Reply),
    pub(crate) died: fn(String),
}

#[derive(Default)]
struct Link {
    worker: RefCell<Option<Worker>>,
    ears: Cell<Option<Ears>>,
    /// Messages sent before the worker said that it hears; `None` once it does.
    early: RefCell<Option<Vec<Array>>>,
}

/// Says who hears the worker, and starts it.
pub(crate) fn start(ears: Ears) {
    LINK.with(|link| {
        link.ears.set(Some(ears));
        link.restart();
    });
}

/// Ends whatever the worker is doing, and starts another. What it knew is gone.
pub(crate) fn restart() {
    LINK.with(Link::restart);
}

/// Ends the worker; the next request starts another.
pub(crate) fn end() {
    LINK.with(Link::end);
}

/// Sends a request, with the file that it is about.
pub(crate) fn ask(request: &Request, file: Option<&Blob>) {
    let Ok(bytes) = postcard::to_allocvec(request) else {
        return;
    };
    let message = Array::of1(&Uint8Array::from(bytes.as_slice()));
    if let Some(file) = file {
        message.push(file);
    }
    LINK.with(|link| {
        if link.worker.borrow().is_none() {
            link.restart();
        }
        if let Some(early) = link.early.borrow_mut().as_mut() {
            early.push(message);
        } else if let Some(worker) = link.worker.borrow().as_ref() {
            let _ = worker.post_message(&message);
        }
    });
}

impl Link {
    fn end(&self) {
        if let Some(worker) = self.worker.borrow_mut().take() {
            worker.terminate();
        }
    }

    fn restart(&self) {
        self.end();
        *self.early.borrow_mut() = Some(Vec::new());
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        match Worker::new_with_options(SCRIPT, &options) {
            Ok(worker) => {
                listen(&worker);
                *self.worker.borrow_mut() = Some(worker);
            }
            Err(error) => self.died(format!("{error:?}")),
        }
    }

    fn died(&self, reason: String) {
        if let Some(ears) = self.ears.get() {
            (ears.died)(reason);
        }
    }

    /// The worker hears: sends what has waited.
    fn begin(&self) {
        let early = self.early.borrow_mut().take().unwrap_or_default();
        if let Some(worker) = self.worker.borrow().as_ref() {
            for message in early {
                let _ = worker.post_message(&message);
            }
        }
    }
}

fn listen(worker: &Worker) {
    let heard = Closure::<dyn Fn(MessageEvent)>::new(|event: MessageEvent| {
        let data = event.data();
        if data.is_null() {
            LINK.with(Link::begin);
            return;
        }
        let bytes = Uint8Array::new(&data).to_vec();
        let ears = LINK.with(|link| link.ears.get());
        if let (Ok(reply), Some(ears)) = (postcard::from_bytes::<Reply>(&bytes), ears) {
            (ears.reply)(reply);
        }
    });
    worker.set_onmessage(Some(heard.as_ref().unchecked_ref()));
    heard.forget();
    let died = Closure::<dyn Fn(ErrorEvent)>::new(|event: ErrorEvent| {
        LINK.with(|link| link.died(event.message()));
    });
    worker.set_onerror(Some(died.as_ref().unchecked_ref()));
    died.forget();
}
