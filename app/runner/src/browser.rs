//! The runner's worker: one run after the other.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::panic;
use std::rc::Rc;

use executor::lower::families::{self, Family, Operators};
use planner::load::{Joined, Source};
use runner::{Fetching, OPENER, Opener, Reply, Request, Server, Surroundings};
use wasm_bindgen::prelude::*;
use wasm_split_helpers::{SplitLoaderError, wasm_split};
use web_sys::{DedicatedWorkerGlobalScope, PromiseRejectionEvent};
use worker::thread::{BlobSource, Message, here, listen as on_message, now, post, scope};

struct Scope(DedicatedWorkerGlobalScope);

impl Surroundings for Scope {
    fn now(&self) -> f64 {
        now(&self.0)
    }

    fn reply(&self, reply: &Reply) {
        post(&self.0, reply);
    }

    fn operators(&self, family: Family) -> Fetching<'_, &'static Operators> {
        Box::pin(async move {
            let fetched = match family {
                Family::Quantised => quantised().await,
                Family::Transformers => transformers().await,
                Family::Recurrent => recurrent().await,
                Family::Special => special().await,
            };
            fetched.ok()
        })
    }

    fn opener(&self) -> Fetching<'_, Opener> {
        Box::pin(async { opener().await.ok() })
    }
}

/// A part could not be fetched.
struct Unfetched;

impl From<SplitLoaderError> for Unfetched {
    fn from(_: SplitLoaderError) -> Self {
        Self
    }
}

#[wasm_split(quantised, fallible)]
fn quantised() -> Result<&'static Operators, Unfetched> {
    Ok(&families::QUANTISED)
}

#[wasm_split(transformers, fallible)]
fn transformers() -> Result<&'static Operators, Unfetched> {
    Ok(&families::TRANSFORMERS)
}

#[wasm_split(recurrent, fallible)]
fn recurrent() -> Result<&'static Operators, Unfetched> {
    Ok(&families::RECURRENT)
}

#[wasm_split(special, fallible)]
fn special() -> Result<&'static Operators, Unfetched> {
    Ok(&families::SPECIAL)
}

#[wasm_split(opener, fallible)]
fn opener() -> Result<Opener, Unfetched> {
    Ok(OPENER)
}

/// Requests that wait, each with its files.
type Waiting = VecDeque<(Request, Vec<BlobSource>)>;

/// Answers every message that the page sends, one after the other: two runs at once would
/// see each other's errors.
pub(crate) fn listen() {
    // The last words of this program: the page receives them, and starts another.
    panic::set_hook(Box::new(|panic| {
        post(&scope(), &Reply::Panicked(panic.to_string()));
    }));
    report_rejections();
    let waiting = Rc::new(RefCell::new(Waiting::new()));
    let server = Rc::new(RefCell::new(Some(Server::default())));
    on_message(move |message: Message<Request>| {
        let Message::Asked(request, files) = message else {
            // Whether it goes on is to be known during a run.
            here(&scope());
            return;
        };
        waiting
            .borrow_mut()
            .push_back((request, files.into_iter().collect()));
        // The task that has the server answers this one too.
        let Some(free) = server.borrow_mut().take() else {
            return;
        };
        let (waiting, server) = (Rc::clone(&waiting), Rc::clone(&server));
        wasm_bindgen_futures::spawn_local(async move {
            let free = answer_all(free, &waiting).await;
            *server.borrow_mut() = Some(free);
        });
    });
}

/// Answers until no request waits.
async fn answer_all(mut server: Server, waiting: &RefCell<Waiting>) -> Server {
    let around = Scope(scope());
    loop {
        let next = waiting.borrow_mut().pop_front();
        let Some((request, files)) = next else {
            return server;
        };
        // Ranges of the graph count through all of them.
        let files = Joined(files.iter().map(|file| file as &dyn Source).collect());
        let file = (!files.0.is_empty()).then_some(&files as &dyn Source);
        server.answer(request, file, &around).await;
    }
}

/// What goes wrong between two turns of this program ends as a rejected promise, of which
/// the page would not get.
fn report_rejections() {
    let report = Closure::<dyn Fn(PromiseRejectionEvent)>::new(|event: PromiseRejectionEvent| {
        let reason = event.reason();
        let error: Option<&js_sys::Error> = reason.dyn_ref();
        let text = error.map(|error| String::from(error.message()));
        post(&scope(), &Reply::Panicked(text.unwrap_or_default()));
    });
    // A scope takes any property; this one is an event handler.
    let _ = js_sys::Reflect::set(&scope(), &"onunhandledrejection".into(), report.as_ref());
    report.forget();
}
