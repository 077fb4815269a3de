//! A worker of the page: its desk answers every request, one after the other, and fetches the
//! skills that it lacks.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

use js_sys::{Function, Reflect};
use planner::load::Source;
use wasm_bindgen::JsCast as _;
use wasm_bindgen_futures::spawn_local;
use wasm_split_helpers::{SplitLoaderError, wasm_split};
use web_sys::DedicatedWorkerGlobalScope;
use worker::thread::{Message, here, listen as on_message, now, post, scope};
use worker::{Desk, Lacking, Reply, Request, Skills, Surroundings};

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
    static DESK: RefCell<Desk> = RefCell::new(Desk::skilled(Skills::FIRST));
    static WAITING: RefCell<VecDeque<Message<Request>>> = RefCell::default();
    /// Whether skills were fetched ahead, or could not be.
    static AHEAD: Cell<bool> = const { Cell::new(false) };
    /// Whether skills are on their way.
    static LEARNING: Cell<bool> = const { Cell::new(false) };
}

/// Skills could not be fetched.
struct Unfetched;

impl From<SplitLoaderError> for Unfetched {
    fn from(_: SplitLoaderError) -> Self {
        Self
    }
}

#[wasm_split(usual, fallible)]
fn usual() -> Result<Skills, Unfetched> {
    Ok(Skills::USUAL)
}

#[wasm_split(dumps, fallible)]
fn all() -> Result<Skills, Unfetched> {
    Ok(Skills::ALL)
}

/// Answers every message that the page sends.
pub(crate) fn listen() {
    on_message(|message: Message<Request>| {
        WAITING.with_borrow_mut(|waiting| waiting.push_back(message));
        go_on();
    });
}

/// Answers what waits, in the order in which it was sent, as far as the skills go.
fn go_on() {
    if LEARNING.get() {
        return;
    }
    let around = Scope(scope());
    while let Some(message) = WAITING.with_borrow_mut(VecDeque::pop_front) {
        let Message::Asked(request, files) = message else {
            here(&around.0);
            continue;
        };
        let sources: Vec<&dyn Source> = files.iter().map(|file| file as &dyn Source).collect();
        let answered = DESK.with_borrow_mut(|desk| desk.answer(&request, &sources, &around));
        match answered {
            Ok(()) if matches!(request, Request::Plan { .. }) => learn_ahead(),
            Ok(()) => {}
            Err(Lacking) => {
                WAITING
                    .with_borrow_mut(|waiting| waiting.push_front(Message::Asked(request, files)));
                learn();
                return;
            }
        }
    }
}

/// Fetches the next skills, without which nothing goes on.
fn learn() {
    LEARNING.set(true);
    spawn_local(async {
        let learned = if DESK.with_borrow(|desk| desk.skills().are_usual()) {
            all().await
        } else {
            usual().await
        };
        LEARNING.set(false);
        match learned {
            Ok(skills) => {
                DESK.with_borrow_mut(|desk| desk.learn(skills));
                go_on();
            }
            Err(Unfetched) => give_up(),
        }
    });
}

/// Once plans are made with the usual skills, the page shows what it is about: the others come
/// before they are needed.
fn learn_ahead() {
    let skills = DESK.with_borrow(Desk::skills);
    if skills.are_all() || !skills.are_usual() || AHEAD.replace(true) {
        return;
    }
    spawn_local(async {
        // What cannot be fetched now is fetched when it is needed.
        if let Ok(skills) = all().await {
            DESK.with_borrow_mut(|desk| desk.learn(skills));
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
