//! Which parts are there, and how the others come.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;

use leptos::prelude::*;

use super::{Name, Table, Unfetched};
use crate::state::session::{Session, session};
use crate::strings::PartWord;

/// A part on its way.
pub(crate) type Fetching = Pin<Box<dyn Future<Output = Result<Table, Unfetched>>>>;

/// Where a part comes from: its name, and what fetches it.
#[derive(Clone, Copy)]
pub(crate) struct Source {
    pub(super) name: &'static str,
    pub(super) begin: Begin,
}

/// What fetches a part.
#[derive(Clone, Copy)]
pub(super) enum Begin {
    /// What [`wire`] was told.
    Wired(Name),
    /// A pane, itself.
    Own(fn() -> Fetching),
}

/// What is called once a part is there.
pub(super) type Call = Box<dyn FnOnce(Table)>;

/// Something that waits for a part.
struct Waiting {
    call: Call,
    /// Whether a person waits for it, who may give up.
    asked: bool,
}

/// What a part shows.
type Make = Box<dyn Fn(Table) -> Option<AnyView> + Send>;

/// How far a part is.
#[derive(Clone, Copy)]
pub(super) enum State {
    /// Not asked for.
    Away,
    /// On its way.
    Coming,
    /// There.
    There(Table),
    /// It could not be fetched; it is fetched again when it is asked for.
    Failed,
}

/// What is known of a part.
struct Slot {
    name: &'static str,
    state: ArcRwSignal<State>,
    /// What waits for it.
    calls: RefCell<Vec<Waiting>>,
    /// Whether anything does that is seen.
    awaited: Cell<bool>,
}

thread_local! {
    /// What fetches the page's parts.
    static LOAD: Cell<fn(Name) -> Fetching> = const { Cell::new(nothing) };
    static SLOTS: RefCell<Vec<Rc<Slot>>> = const { RefCell::new(Vec::new()) };
    /// How many parts are on their way that something waits for.
    static AWAITED: ArcRwSignal<u32> = ArcRwSignal::new(0);
    /// Parts that could not be fetched although a person waits for what they do.
    static UNFETCHED: ArcRwSignal<Vec<Source>> = ArcRwSignal::new(Vec::new());
}

/// Before the page is wired there are no parts.
fn nothing(_: Name) -> Fetching {
    Box::pin(async { Err(Unfetched) })
}

/// Says what fetches the page's parts; said once, before anything else.
pub(crate) fn wire(load: fn(Name) -> Fetching) {
    LOAD.set(load);
}

impl Begin {
    fn fetching(self) -> Fetching {
        match self {
            Self::Wired(name) => LOAD.get()(name),
            Self::Own(fetch) => fetch(),
        }
    }
}

/// Whether a part is on its way that something waits for; follows that.
pub(crate) fn are_awaited() -> bool {
    AWAITED.with(ArcRwSignal::get) > 0
}

impl Source {
    fn slot(self) -> Rc<Slot> {
        SLOTS.with_borrow_mut(|slots| {
            let known = slots.iter().find(|slot| slot.name == self.name);
            known.cloned().unwrap_or_else(|| {
                let slot = Rc::new(Slot {
                    name: self.name,
                    state: ArcRwSignal::new(State::Away),
                    calls: RefCell::default(),
                    awaited: Cell::default(),
                });
                slots.push(Rc::clone(&slot));
                slot
            })
        })
    }

    /// How far it is; follows that.
    pub(super) fn state(self) -> State {
        self.slot().state.get()
    }

    /// Fetches it unless it is there; `awaited` says that something that is seen waits for it.
    pub(super) fn fetch(self, awaited: bool) {
        let slot = self.slot();
        let state = slot.state.get_untracked();
        if matches!(state, State::There(_)) {
            return;
        }
        if awaited && !slot.awaited.replace(true) {
            AWAITED.with(|count| count.update(|count| *count += 1));
        }
        if !matches!(state, State::Coming) {
            slot.state.set(State::Coming);
            wasm_bindgen_futures::spawn_local(self.arrive());
        }
    }

    /// Fetches it unless it is there or on its way; comes back when that is done, or failed.
    pub(super) async fn fetched(self) {
        let slot = self.slot();
        if matches!(slot.state.get_untracked(), State::Away | State::Failed) {
            slot.state.set(State::Coming);
            self.arrive().await;
        }
    }

    /// It comes, or cannot be fetched: what waits for it goes on waiting then, of what people
    /// asked for the last.
    async fn arrive(self) {
        let table = self.begin.fetching().await.ok();
        let slot = self.slot();
        let calls = slot.calls.take();
        slot.state.set(table.map_or(State::Failed, State::There));
        if slot.awaited.replace(false) {
            AWAITED.with(|count| count.update(|count| *count = count.saturating_sub(1)));
        }
        let Some(table) = table else {
            self.keep(&slot, calls);
            return;
        };
        UNFETCHED
            .with(|sources| sources.update(|sources| sources.retain(|it| it.name != self.name)));
        for waiting in calls {
            (waiting.call)(table);
        }
    }

    fn keep(self, slot: &Slot, calls: Vec<Waiting>) {
        let (asked, mut kept): (Vec<_>, Vec<_>) = calls.into_iter().partition(|it| it.asked);
        if let Some(last) = asked.into_iter().last() {
            kept.push(last);
            let add = |sources: &mut Vec<Self>| {
                sources.retain(|it| it.name != self.name);
                sources.push(self);
            };
            UNFETCHED.with(|sources| sources.update(add));
        }
        // Something may have begun to wait meanwhile.
        slot.calls.borrow_mut().splice(..0, kept);
    }

    /// Nobody waits any longer for what people asked of it.
    fn give_up(self) {
        let slot = self.slot();
        let mut calls = slot.calls.borrow_mut();
        calls.retain(|waiting| !waiting.asked);
    }

    /// Calls `call` once it is there.
    pub(super) fn then(self, call: Call) {
        if let State::There(table) = self.slot().state.get_untracked() {
            call(table);
            return;
        }
        self.push(call, true);
        self.fetch(true);
    }

    /// Calls `call` once it is there for some other reason.
    pub(super) fn wait(self, call: Call) {
        self.push(call, false);
    }

    fn push(self, call: Call, asked: bool) {
        let waiting = Waiting { call, asked };
        self.slot().calls.borrow_mut().push(waiting);
    }

    /// What `make` makes; `coming` until it is there, and a way to try again where it cannot be
    /// fetched.
    pub(super) fn view(self, make: Make, coming: fn(Session) -> AnyView) -> AnyView {
        let session = session();
        let again = move |_| self.fetch(true);
        let failed = move || {
            view! {
                <div class="arriving" role="alert">
                    <p>{session.say(PartWord::Unfetched)}</p>
                    <button on:click=again>{session.say(PartWord::Again)}</button>
                </div>
            }
        };
        let shown = move || match self.state() {
            State::There(table) => make(table).into_any(),
            State::Away | State::Coming => coming(session),
            State::Failed => failed().into_any(),
        };
        shown.into_any()
    }

    /// The same with `until` wherever it is not there.
    pub(super) fn quiet(self, make: Make, until: fn() -> AnyView) -> AnyView {
        let shown = move || match self.state() {
            State::There(table) => make(table).into_any(),
            State::Away | State::Coming | State::Failed => until(),
        };
        shown.into_any()
    }
}

/// Says that what was asked for could not be fetched, and offers to try again or to leave it.
pub(crate) fn unfetched(session: Session) -> AnyView {
    let sources = UNFETCHED.with(ArcRwSignal::clone);
    let some = {
        let sources = sources.clone();
        Memo::new(move |_| sources.with(|sources| !sources.is_empty()))
    };
    let take = move || sources.try_update(std::mem::take).unwrap_or_default();
    let again = {
        let take = take.clone();
        move |_| take().into_iter().for_each(|source| source.fetch(true))
    };
    let leave = move |_| take().into_iter().for_each(Source::give_up);
    let view = move || {
        let (again, leave) = (again.clone(), leave.clone());
        some.get().then(|| {
            view! {
                <div class="arriving" role="alert">
                    <p>{session.say(PartWord::Unfetched)}</p>
                    <button on:click=again>{session.say(PartWord::Again)}</button>
                    " "
                    <button on:click=leave>{session.say(PartWord::Leave)}</button>
                </div>
            }
        })
    };
    view.into_any()
}

/// Fetches these parts, one after the other.
pub(crate) fn fetch_ahead(sources: Vec<Source>) {
    wasm_bindgen_futures::spawn_local(async move {
        for source in sources {
            source.fetched().await;
        }
        // For tests, which ask what is there then.
        if let Some(body) = document().body() {
            let _ = body.set_attribute("data-parts", "true");
        }
    });
}

/// That a part comes.
pub(super) fn coming(session: Session) -> AnyView {
    view! { <p class="arriving" role="status">{session.say(PartWord::Coming)}</p> }.into_any()
}
