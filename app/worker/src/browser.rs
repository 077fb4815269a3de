//! A worker of the page: its server answers every request, one after the other, and fetches the
//! code that it is missing.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

use js_sys::{Function, Reflect};
use planner::load::Source;
use wasm_bindgen::JsCast as _;
use wasm_bindgen_futures::spawn_local;
use wasm_split_helpers::{SplitLoaderError, wasm_split};
use web_sys::DedicatedWorkerGlobalScope;
use worker::thread::{Message, here, listen as on_message, now, post, scope};
use worker::{CodeSet, MissingCode, Reply, Request, Server, Surroundings};

struct Scope(DedicatedWorkerGlobalScope);

impl Surroundings for Scope {
    fn now(&self) -> f64 {
        now(&self.0)
    }

    fn reply(&self, reply: &Reply) {
        post(&self.0, reply);
    }
}

thread_local! {
    static SERVER: RefCell<Server> = RefCell::new(Server::with(CodeSet::FIRST));
    static WAITING: RefCell<VecDeque<Message<Request>>> = RefCell::default();
    /// Whether code was fetched ahead, or could not be.
    static AHEAD: Cell<bool> = const { Cell::new(false) };
    /// Whether code is on its way.
    static FETCHING: Cell<bool> = const { Cell::new(false) };
}

/// Code could not be fetched.
struct Unfetched;

impl From<SplitLoaderError> for Unfetched {
    fn from(_: SplitLoaderError) -> Self {
        Self
    }
}

#[wasm_split(usual, fallible)]
fn usual() -> Result<CodeSet, Unfetched> {
    Ok(CodeSet::USUAL)
}

#[wasm_split(dumps, fallible)]
fn all() -> Result<CodeSet, Unfetched> {
    Ok(CodeSet::ALL)
}

/// Answers every message that the page sends.
pub(crate) fn listen() {
    on_message(|message: Message<Request>| {
        WAITING.with_borrow_mut(|waiting| waiting.push_back(message));
        go_on();
    });
}

/// Answers what waits, in the order in which it was sent, as far as the code goes.
fn go_on() {
    if FETCHING.get() {
        return;
    }
    let around = Scope(scope());
    while let Some(message) = WAITING.with_borrow_mut(VecDeque::pop_front) {
        let Message::Asked(request, files) = message else {
            here(&around.0);
            continue;
        };
        let sources: Vec<&dyn Source> = files.iter().map(|file| file as &dyn Source).collect();
        let answered = SERVER.with_borrow_mut(|server| server.answer(&request, &sources, &around));
        match answered {
            Ok(()) if matches!(request, Request::Plan { .. }) => fetch_ahead(),
            Ok(()) => {}
            Err(MissingCode) => {
                WAITING
                    .with_borrow_mut(|waiting| waiting.push_front(Message::Asked(request, files)));
                fetch();
                return;
            }
        }
    }
}

/// Fetches the next code, without which nothing goes on.
fn fetch() {
    FETCHING.set(true);
    spawn_local(async {
        let fetched = if SERVER.with_borrow(|server| server.code().is_usual()) {
            all().await
        } else {
            usual().await
        };
        FETCHING.set(false);
        match fetched {
            Ok(code) => {
                SERVER.with_borrow_mut(|server| server.set_code(code));
                go_on();
            }
            Err(Unfetched) => give_up(),
        }
    });
}

/// Once plans are made with the usual code, the page shows what it is about: the rest comes
/// before it is needed.
fn fetch_ahead() {
    let code = SERVER.with_borrow(Server::code);
    if code.is_all() || !code.is_usual() || AHEAD.replace(true) {
        return;
    }
    spawn_local(async {
        // What cannot be fetched now is fetched when it is needed.
        if let Ok(code) = all().await {
            SERVER.with_borrow_mut(|server| server.set_code(code));
        }
    });
}

/// What waits cannot be answered: the page is told as of any other fault.
fn give_up() {
    WAITING.with_borrow_mut(VecDeque::clear);
    let scope = scope();
    let report = Reflect::get(&scope, &"reportError".into());
    if let Some(report) = report.ok().and_then(|it| it.dyn_into::<Function>().ok()) {
        let reason = js_sys::Error::new("a part of it could not be loaded");
        let _ = report.call1(&scope, &reason);
    }
}
