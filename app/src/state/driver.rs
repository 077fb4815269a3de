//! Between the state and the browser: every event goes through the reducer, and what it asks for
//! is done here.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use conversation::{
    Action, Content, Drawing, Effect, Event, Feeding, Given, Language, State, Theme, update,
};
use gloo::timers::callback::Timeout;
use js_sys::Array;
use leptos::prelude::*;
use wasm_bindgen::JsValue;
use web_sys::Blob;
use worker::CaseId;

use super::memory;
use super::part::Store;
use super::session::Session;
use crate::links::feeds::{self, Wanted};
use crate::links::files::{self, Files};
use crate::links::gpu;
use crate::links::thread::{Heard, Link};

/// The script of the planner's worker.
const PLANNER: &str = "./worker_loader.js";

/// The script of the runner, which is fetched with the first run.
const RUNNER: &str = "./runner_loader.js";

/// How often a run is looked after, in milliseconds.
const SECOND_MS: u32 = 1000;

/// What the events of this page go through.
pub(crate) struct Driver {
    store: Store,
    /// Events that came while another was taken.
    waiting: RefCell<VecDeque<Event>>,
    busy: Cell<bool>,
    worker: Link<worker::Reply>,
    pub(crate) runner: Link<runner::Reply>,
    /// Who else asks the runner.
    beside: Cell<Option<Beside>>,
    pub(crate) files: Files,
}

/// Somebody who asks the runner beside the page: a hook of tests and benchmarks.
#[derive(Clone, Copy)]
pub(crate) struct Beside {
    /// Takes a reply to a question of its own; gives any other back.
    pub(crate) received: fn(runner::Reply) -> Option<runner::Reply>,
    /// The runner was ended.
    pub(crate) ended: fn(),
}

/// The driver of this page; it is there as long as the page is.
#[derive(Clone, Copy)]
pub(crate) struct Page(StoredValue<Rc<Driver>, LocalStorage>);

impl Page {
    /// Starts the planner's worker.
    pub(crate) fn new(store: Store) -> Self {
        let driver = Rc::new_cyclic(|driver: &std::rc::Weak<Driver>| {
            let (first, second) = (driver.clone(), driver.clone());
            let planner = Link::new(PLANNER, move |heard| {
                if let Some(driver) = first.upgrade() {
                    driver.take(match heard {
                        Heard::Reply(reply) => Event::Worker(Box::new(reply)),
                        Heard::Here => Event::WorkerHere,
                        Heard::Died(reason) => Event::WorkerDied(reason),
                    });
                }
            });
            let runner = Link::new(RUNNER, move |heard| {
                if let Some(driver) = second.upgrade() {
                    driver.heard_runner(heard);
                }
            });
            Driver {
                store,
                waiting: RefCell::default(),
                busy: Cell::default(),
                worker: planner,
                runner,
                beside: Cell::new(None),
                files: Files::default(),
            }
        });
        driver.worker.start();
        Self(StoredValue::new_local(driver))
    }

    /// Begins with what was chosen before; what is `None` stays as it is usual.
    pub(crate) fn begin(
        self,
        language: Option<Language>,
        theme: Option<Theme>,
        drawing: Option<Drawing>,
    ) {
        let driver = self.driver();
        driver
            .store
            .update(|state| state.begin(language, theme, drawing));
        driver.store.notify();
    }

    /// Takes an event in.
    pub(crate) fn take(self, event: Event) {
        self.driver().take(event);
    }

    pub(crate) fn driver(self) -> Rc<Driver> {
        self.0.with_value(Rc::clone)
    }
}

/// Does what a person wants in the case of this session.
pub(crate) fn act(session: Session, action: Action) {
    session
        .page
        .take(Event::Act(session.case_of_events(), action));
}

/// Does what a person wants in another case.
pub(crate) fn act_in(session: Session, case: CaseId, action: Action) {
    session.page.take(Event::Act(Some(case), action));
}

/// A file that a person gave, as the state knows it.
pub(crate) fn given(session: Session, name: String, blob: Blob) -> Given {
    session.page.driver().files.give(name, blob)
}

/// Every file of a list.
pub(crate) fn all_given(session: Session, list: &web_sys::FileList) -> Vec<Given> {
    let files = (0..list.length()).filter_map(|index| list.get(index));
    let given = files.map(|file| given(session, file.name(), file.into()));
    given.collect()
}

/// Shows what the address bar says.
pub(crate) fn visit(session: Session) {
    let location = web_sys::window().map(|window| window.location());
    let hash = location.and_then(|location| location.hash().ok());
    let hash = hash.unwrap_or_default();
    let fragment = hash.trim_start_matches('#').to_owned();
    session.page.take(Event::Visited(fragment, visits()));
}

/// The visits that the entry of the history is about.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "float casts saturate"
)]
fn visits() -> Vec<u32> {
    let history = web_sys::window().and_then(|window| window.history().ok());
    let state = history.and_then(|history| history.state().ok());
    let Some(state) = state.filter(Array::is_array) else {
        return Vec::new();
    };
    let visits = Array::from(&state);
    let visits = visits.iter();
    visits
        .map(|visit| visit.as_f64().unwrap_or_default() as u32)
        .collect()
}

impl Driver {
    /// Takes an event in, and those that it causes at once.
    pub(crate) fn take(self: &Rc<Self>, event: Event) {
        self.waiting.borrow_mut().push_back(event);
        if self.busy.replace(true) {
            return;
        }
        while let Some(event) = self.next() {
            let effects = self.store.update(|state: &mut State| update(state, event));
            for effect in effects.unwrap_or_default() {
                self.perform(effect);
            }
        }
        self.busy.set(false);
        self.store.notify();
    }

    /// Has somebody else ask the runner.
    pub(crate) fn share_runner(&self, beside: Beside) {
        self.beside.set(Some(beside));
    }

    fn next(&self) -> Option<Event> {
        self.waiting.borrow_mut().pop_front()
    }

    fn heard_runner(self: &Rc<Self>, heard: Heard<runner::Reply>) {
        match heard {
            Heard::Reply(reply) => {
                let reply = match self.beside.get() {
                    Some(beside) => (beside.received)(reply),
                    None => Some(reply),
                };
                if let Some(reply) = reply {
                    self.take(Event::Runner(Box::new(reply)));
                }
            }
            // Seconds of a run ask for it.
            Heard::Here => {}
            Heard::Died(words) => self.take(Event::RunnerDied(words)),
        }
    }

    /// Answers with an event once `after` is there.
    fn later(self: &Rc<Self>, after: impl Future<Output = Event> + 'static) {
        let driver = Rc::clone(self);
        wasm_bindgen_futures::spawn_local(async move {
            let event = after.await;
            driver.take(event);
        });
    }

    fn after(self: &Rc<Self>, milliseconds: u32, event: impl FnOnce(&Self) -> Event + 'static) {
        let driver = Rc::clone(self);
        Timeout::new(milliseconds, move || {
            let event = event(&driver);
            driver.take(event);
        })
        .forget();
    }

    fn blobs(&self, contents: &[Content]) -> Vec<Blob> {
        let blobs = contents.iter().filter_map(|file| self.files.blob(file));
        blobs.collect()
    }

    fn perform(self: &Rc<Self>, effect: Effect) {
        match effect {
            Effect::Ask(request, files) => self.worker.ask(&*request, &self.blobs(&files)),
            Effect::Knock => {
                self.worker.knock();
            }
            Effect::EndWorker => self.worker.end(),
            Effect::AskRunner(request, file) => {
                let files: Vec<Content> = file.into_iter().collect();
                self.runner.ask(&*request, &self.blobs(&files));
            }
            Effect::EndRunner => {
                self.runner.end();
                if let Some(beside) = self.beside.get() {
                    (beside.ended)();
                }
            }
            Effect::CountSecond(id) => self.after(SECOND_MS, move |driver| {
                Event::Second(id, driver.runner.knock())
            }),
            Effect::After(milliseconds, timer) => {
                self.after(milliseconds, move |_| Event::Elapsed(timer));
            }
            Effect::Fetch(number, file) => self.fetch(number, file),
            Effect::ProbeGpu => self.later(async { Event::Gpu(gpu::probe().await) }),
            Effect::Feed {
                case,
                position,
                file,
                dtype,
                dims,
            } => {
                let Some(blob) = self.files.blob(&file.content) else {
                    return;
                };
                self.later(async move {
                    let elements = feeds::elements(&blob, &Wanted { dtype, dims }).await;
                    let feeding = match elements {
                        Ok(elements) => Feeding::File(file.name, elements.into()),
                        Err(why) => Feeding::Misfit(file.name, why),
                    };
                    Event::Fed(case, position, feeding)
                });
            }
            Effect::Remember(remembered) => memory::remember(&remembered),
            Effect::Write {
                fragment,
                visits,
                entry,
            } => write(&fragment, &visits, entry),
            Effect::Copy(text) => self.later(async { Event::Copied(files::copy(text).await) }),
            Effect::Join {
                name,
                written,
                file,
            } => {
                let blob = self.files.blob(&file);
                let whole = blob.and_then(|blob| files::joined(&written, &blob));
                if let Some(whole) = &whole {
                    files::download_blob(&name, whole);
                }
                self.take(Event::Joined(whole.is_some()));
            }
        }
    }

    fn fetch(self: &Rc<Self>, number: u32, file: String) {
        let driver = Rc::clone(self);
        self.later(async move {
            let fetched = files::fetch_sample(&file).await;
            Event::Fetched(number, fetched.map(|blob| driver.files.give(file, blob)))
        });
    }
}

/// Puts the state into the address bar.
fn write(fragment: &str, visits: &[u32], entry: bool) {
    let state: Array = visits.iter().map(|visit| JsValue::from(*visit)).collect();
    let written = format!("#{fragment}");
    let history = web_sys::window().and_then(|window| window.history().ok());
    let Some(history) = history else { return };
    // Refused when there are too many entries a second; the next change writes again.
    let _ = if entry {
        history.push_state_with_url(&state, "", Some(&written))
    } else {
        history.replace_state_with_url(&state, "", Some(&written))
    };
}
