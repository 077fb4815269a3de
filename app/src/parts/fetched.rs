//! Which parts are there, and how the others come.

use crate::state::session::{Session, session};
use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;

use leptos::prelude::*;

use super::{FETCHES, Table, Unfetched};
use crate::words::PartWord;

/// A part on its way.
pub(super) type Fetching = Pin<Box<dyn Future<Output = Result<Table, Unfetched>>>>;

/// What is called once a part is there.
pub(super) type Call = Box<dyn FnOnce(Table)>;

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
#[derive(Clone)]
pub(super) struct Slot(ArcRwSignal<State>);

thread_local! {
    static SLOTS: Vec<Slot> = FETCHES
        .iter()
        .map(|_| Slot(ArcRwSignal::new(State::Away)))
        .collect();
    /// What waits for each part.
    static CALLS: RefCell<Vec<Vec<Call>>> =
        RefCell::new(FETCHES.iter().map(|_| Vec::new()).collect());
    /// Which parts are waited for.
    static AWAITED: Cell<u32> = const { Cell::new(0) };
}

/// The part of this row.
pub(super) fn slot(row: usize) -> Slot {
    SLOTS.with(|slots| slots[row].clone())
}

impl Slot {
    /// How far it is; follows that.
    pub(super) fn state(&self) -> State {
        self.0.get()
    }
}

/// Whether a part is on its way that something waits for; follows that.
pub(crate) fn are_awaited() -> bool {
    let coming = |row: usize| matches!(slot(row).state(), State::Coming);
    // All are looked at, so that all are followed.
    let coming = (0..FETCHES.len()).filter(|row| coming(*row));
    let awaited = AWAITED.get();
    coming.fold(false, |any, row| any | (awaited & (1 << row) != 0))
}

/// Fetches a part unless it is there; `awaited` says that something waits for it.
pub(super) fn fetch(row: usize, awaited: bool) {
    let signal = slot(row).0;
    let state = signal.get_untracked();
    if matches!(state, State::There(_)) {
        return;
    }
    let coming = matches!(state, State::Coming);
    let news = awaited && AWAITED.get() & (1 << row) == 0;
    if news {
        AWAITED.set(AWAITED.get() | (1 << row));
    }
    if !coming || news {
        signal.set(State::Coming);
    }
    if !coming {
        wasm_bindgen_futures::spawn_local(async move {
            arrived(row, FETCHES[row]().await.ok());
        });
    }
}

/// A part came, or could not be fetched: what waited for it is given up then.
fn arrived(row: usize, table: Option<Table>) {
    let calls = CALLS.with_borrow_mut(|calls| std::mem::take(&mut calls[row]));
    AWAITED.set(AWAITED.get() & !(1 << row));
    slot(row).0.set(table.map_or(State::Failed, State::There));
    if let Some(table) = table {
        calls.into_iter().for_each(|call| call(table));
    }
}

/// Calls `call` once the part is there.
pub(super) fn then(row: usize, call: Call) {
    if let State::There(table) = slot(row).0.get_untracked() {
        call(table);
        return;
    }
    wait(row, call);
    fetch(row, true);
}

/// Calls `call` once the part is there for some other reason.
pub(super) fn wait(row: usize, call: Call) {
    CALLS.with_borrow_mut(|calls| calls[row].push(call));
}

/// Fetches every part, one after the other.
pub(crate) fn fetch_all() {
    wasm_bindgen_futures::spawn_local(async {
        for (row, begin) in FETCHES.iter().enumerate() {
            let signal = slot(row).0;
            if matches!(signal.get_untracked(), State::Away) {
                signal.set(State::Coming);
                arrived(row, begin().await.ok());
            }
        }
        // For tests, which ask what is there then.
        if let Some(body) = document().body() {
            let _ = body.set_attribute("data-parts", "true");
        }
    });
}

/// What `make` makes; `coming` until it is there, and a way to try again where it cannot be
/// fetched.
pub(super) fn view(row: usize, make: Make, coming: fn(Session) -> AnyView) -> AnyView {
    let session = session();
    let shown = move || match slot(row).state() {
        State::There(table) => make(table).into_any(),
        State::Away | State::Coming => coming(session),
        State::Failed => view! {
            <div class="arriving" role="alert">
                <p>{session.say(PartWord::Unfetched)}</p>
                <button on:click=move |_| fetch(row, true)>{session.say(PartWord::Again)}</button>
            </div>
        }
        .into_any(),
    };
    shown.into_any()
}

/// That a part comes.
pub(super) fn coming(session: Session) -> AnyView {
    view! { <p class="arriving" role="status">{session.say(PartWord::Coming)}</p> }.into_any()
}

/// The same with `until` wherever the part is not there.
pub(super) fn quiet(row: usize, make: Make, until: fn() -> AnyView) -> AnyView {
    let shown = move || match slot(row).state() {
        State::There(table) => make(table).into_any(),
        State::Away | State::Coming | State::Failed => until(),
    };
    shown.into_any()
}
