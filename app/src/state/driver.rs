//! Between the state and the browser: every event goes through the reducer, and what it asks for
//! is done here.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use conversation::{
    Action, Content, Drawing, Effect, Event, Given, Language, Layout, State, Theme, begin,
};
use gloo::timers::callback::Timeout;
use js_sys::Array;
use leptos::prelude::*;
use planner::Sorting as _;
use web_sys::Blob;
use worker::CaseId;

use super::part::Store;
use super::session::Session;
use crate::browser::files::{self, Files};
use crate::browser::thread::{Heard, Link};

/// The script of the planner's worker.
const PLANNER: &str = "worker_loader.js";

/// Plans that come within this time are shown together, in milliseconds: about a frame.
const TOGETHER_MS: u32 = 16;

/// So long new lifetimes wait for the plans that are seen, in milliseconds: what is between the old
/// picture and the new one is not drawn.
const TOGETHER_WITH_PLANS_MS: u32 = 60;

/// What comes after the first picture.
#[derive(Clone, Copy)]
pub(crate) struct Whole {
    /// The reducer.
    pub(crate) update: fn(&mut State, Event) -> Vec<Effect>,
    /// Does what it asks for, as far as the first picture does not need it.
    pub(crate) perform: fn(&Rc<Driver>, Effect),
}

/// What the events of this page go through.
pub(crate) struct Driver {
    store: Store,
    /// Events that came while another was taken, or before the reducer was there that takes them.
    waiting: RefCell<VecDeque<Event>>,
    busy: Cell<bool>,
    /// When what had changed was shown last, in milliseconds.
    shown_at: Cell<f64>,
    /// Whether something has changed that is not shown yet.
    waits_to_show: Cell<bool>,
    /// Until when lifetimes wait for their plans, in milliseconds.
    waits_for_plans: Cell<f64>,
    worker: Link<worker::Reply>,
    whole: Cell<Option<Whole>>,
    /// Fetches it.
    fetch: fn(),
    /// The runner, once there was a run.
    pub(crate) runner: RefCell<Option<Box<dyn Runner>>>,
    pub(crate) files: Files,
}

/// The runner, as those know it who do not know what it is asked.
pub(crate) trait Runner {
    /// Asks it.
    fn ask(&self, request: &runner::Request, files: &[Blob]);
    /// Ends it and what it is doing.
    fn end(&self);
    /// Asks whether it is there; whether it had answered since it was asked last.
    fn ping(&self) -> bool;
}

/// The driver of this page; it is there as long as the page is.
#[derive(Clone, Copy)]
pub(crate) struct Page(StoredValue<Rc<Driver>, LocalStorage>);

impl Page {
    /// Starts the planner's worker.
    pub(crate) fn new(store: Store, fetch: fn()) -> Self {
        let driver = Rc::new_cyclic(|driver: &std::rc::Weak<Driver>| {
            let driver = driver.clone();
            let planner = Link::new(PLANNER, move |heard| {
                if let Some(driver) = driver.upgrade() {
                    driver.take(match heard {
                        Heard::Reply(reply) => Event::Worker(Box::new(reply)),
                        Heard::Here => Event::WorkerHere,
                        Heard::Died(reason) => Event::WorkerDied(reason),
                    });
                }
            });
            Driver {
                store,
                waiting: RefCell::default(),
                busy: Cell::default(),
                shown_at: Cell::default(),
                waits_to_show: Cell::default(),
                waits_for_plans: Cell::default(),
                worker: planner,
                whole: Cell::new(None),
                fetch,
                runner: RefCell::default(),
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
        layout: Layout,
    ) {
        let driver = self.driver();
        driver
            .store
            .update(|state| state.begin(language, theme, drawing, layout));
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
pub(crate) fn act(session: Session, action: impl Into<Action>) {
    session
        .page
        .take(Event::Act(session.case_of_events(), action.into()));
}

/// Does what a person wants in another case.
pub(crate) fn act_in(session: Session, case: CaseId, action: impl Into<Action>) {
    session.page.take(Event::Act(Some(case), action.into()));
}

/// A file that a person gave, as the state knows it.
pub(crate) fn given(session: Session, name: String, blob: Blob) -> Given {
    session.page.driver().files.give(name, blob)
}

/// Every file of a list.
pub(crate) fn all_given(session: Session, list: &web_sys::FileList) -> Vec<Given> {
    let files = (0..list.length()).filter_map(|index| list.get(index));
    let mut files: Vec<web_sys::File> = files.collect();
    // Of two dumps the older one is the one before.
    files.order_by(|one, other| one.last_modified().total_cmp(&other.last_modified()));
    let given = files
        .into_iter()
        .map(|file| given(session, file.name(), file.into()));
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

/// Whether an event brings lifetimes, whose plans come next.
fn is_prepared(event: &Event) -> bool {
    matches!(event, Event::Worker(reply) if matches!(**reply, worker::Reply::Prepared { .. }))
}

/// Whether an event only tells how far plans are.
fn is_of_plans(event: &Event) -> bool {
    let Event::Worker(reply) = event else {
        return false;
    };
    matches!(
        **reply,
        worker::Reply::Progress { .. }
            | worker::Reply::Incumbent { .. }
            | worker::Reply::Planned { .. }
    )
}

/// Milliseconds since the page began.
fn now() -> f64 {
    let clock = web_sys::window().and_then(|window| window.performance());
    clock.map_or(0.0, |clock| clock.now())
}

impl Driver {
    /// Takes an event in, and those that it causes at once. One that the first picture does not
    /// need waits, with all that come after it, until the whole page is there.
    #[expect(
        clippy::result_large_err,
        reason = "what is not for the first picture is handed back, and moved once"
    )]
    pub(crate) fn take(self: &Rc<Self>, event: Event) {
        self.waiting.borrow_mut().push_back(event);
        if self.busy.replace(true) {
            return;
        }
        let mut soon = true;
        while let Some(event) = self.next() {
            if is_prepared(&event) {
                let until = now() + f64::from(TOGETHER_WITH_PLANS_MS);
                self.waits_for_plans.set(until);
            } else {
                soon &= is_of_plans(&event);
            }
            let taken = match self.whole.get() {
                Some(whole) => self.store.update(|state| Ok((whole.update)(state, event))),
                None => self.store.update(|state| begin(state, event)),
            };
            match taken {
                Some(Ok(effects)) => effects.into_iter().for_each(|it| self.perform(it)),
                Some(Err(event)) => {
                    self.waiting.borrow_mut().push_front(event);
                    (self.fetch)();
                    break;
                }
                None => break,
            }
        }
        self.busy.set(false);
        if soon {
            self.show_soon();
        } else {
            self.show();
        }
    }

    /// Lets everything that is seen follow the state.
    fn show(&self) {
        self.shown_at.set(now());
        self.waits_to_show.set(false);
        self.store.notify();
    }

    /// The same, at most once per frame: dozens of plans come at once, and each would draw every
    /// table again.
    fn show_soon(self: &Rc<Self>) {
        let now = now();
        let holds = now < self.waits_for_plans.get();
        let awaits = holds && self.store.read(State::awaits_seen_plans);
        if !awaits && (holds || now - self.shown_at.get() >= f64::from(TOGETHER_MS)) {
            self.waits_for_plans.set(0.0);
            return self.show();
        }
        let wait = if awaits {
            TOGETHER_WITH_PLANS_MS
        } else {
            TOGETHER_MS
        };
        if !self.waits_to_show.replace(true) {
            let driver = Rc::clone(self);
            let show = move || {
                if driver.waits_to_show.get() {
                    driver.show();
                }
            };
            Timeout::new(wait, show).forget();
        }
    }

    /// The whole page is there: what waits is taken.
    pub(crate) fn complete(self: &Rc<Self>, whole: Whole) {
        self.whole.set(Some(whole));
        self.take(Event::Whole);
    }

    fn next(&self) -> Option<Event> {
        self.waiting.borrow_mut().pop_front()
    }

    /// Answers with an event once `after` is there.
    pub(crate) fn later(self: &Rc<Self>, after: impl Future<Output = Event> + 'static) {
        let driver = Rc::clone(self);
        wasm_bindgen_futures::spawn_local(async move {
            let event = after.await;
            driver.take(event);
        });
    }

    pub(crate) fn after(
        self: &Rc<Self>,
        milliseconds: u32,
        event: impl FnOnce(&Self) -> Event + 'static,
    ) {
        let driver = Rc::clone(self);
        Timeout::new(milliseconds, move || {
            let event = event(&driver);
            driver.take(event);
        })
        .forget();
    }

    pub(crate) fn blobs(&self, contents: &[Content]) -> Vec<Blob> {
        let blobs = contents.iter().filter_map(|file| self.files.blob(file));
        blobs.collect()
    }

    fn perform(self: &Rc<Self>, effect: Effect) {
        match effect {
            Effect::Ask(request, files) => self.worker.ask(&*request, &self.blobs(&files)),
            Effect::Ping => {
                self.worker.ping();
            }
            Effect::EndWorker => self.worker.end(),
            Effect::After(milliseconds, timer) => {
                self.after(milliseconds, move |_| Event::Elapsed(timer));
            }
            Effect::Fetch(number, file) => self.fetch_sample(number, file),
            other => {
                if let Some(whole) = self.whole.get() {
                    (whole.perform)(self, other);
                }
            }
        }
    }

    fn fetch_sample(self: &Rc<Self>, number: u32, file: String) {
        let driver = Rc::clone(self);
        self.later(async move {
            let fetched = files::fetch_sample(&file).await;
            Event::Fetched(number, fetched.map(|blob| driver.files.give(file, blob)))
        });
    }
}
