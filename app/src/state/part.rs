//! One part of the state as panes read it: it follows only that part.

use conversation::{State, Tracked};
use leptos::prelude::*;
use worker::CaseId;

/// Which case a part is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    /// The one that tabs and inspector are about, whichever that is.
    Active,
    /// This one.
    Case(CaseId),
}

impl Of {
    /// The number of the case now.
    pub(crate) fn id(self, state: &State) -> CaseId {
        match self {
            Self::Active => *state.active,
            Self::Case(id) => id,
        }
    }
}

/// The state, and the sign that it has changed.
#[derive(Clone, Copy)]
pub(crate) struct Store {
    state: StoredValue<State>,
    changed: RwSignal<u64>,
}

impl Store {
    pub(crate) fn new(state: State) -> Self {
        Self {
            state: StoredValue::new(state),
            changed: RwSignal::new(0),
        }
    }

    /// Reads the state as it is; follows nothing.
    pub(crate) fn read<T>(self, read: impl FnOnce(&State) -> T) -> T {
        self.state.with_value(read)
    }

    /// Changes the state; whoever follows it looks again after [`Store::notify`].
    pub(crate) fn update<T>(self, update: impl FnOnce(&mut State) -> T) -> Option<T> {
        self.state.try_update_value(update)
    }

    /// Follows every change.
    pub(crate) fn follow(self) {
        self.changed.track();
    }

    pub(crate) fn notify(self) {
        self.changed
            .update(|changed| *changed = changed.wrapping_add(1));
    }

    /// A figure of the state that is looked at after every change.
    pub(crate) fn memo<T>(self, read: impl Fn(&State) -> T + Send + Sync + 'static) -> Memo<T>
    where
        T: PartialEq + Send + Sync + 'static,
    {
        Memo::new(move |_| {
            self.changed.track();
            self.read(&read)
        })
    }

    /// A part of the page.
    pub(crate) fn page<T>(self, part: fn(&State) -> &Tracked<T>) -> Part<T> {
        self.part(Of::Active, PartSource::Page(part))
    }

    /// A part of a case.
    pub(crate) fn case<T>(self, of: Of, part: fn(&conversation::Case) -> &Tracked<T>) -> Part<T> {
        self.part(of, PartSource::Case(part))
    }

    fn part<T>(self, of: Of, place: PartSource<T>) -> Part<T> {
        let version = Memo::new(move |_| {
            self.changed.track();
            self.read(|state| place.version(state, of))
        });
        Part {
            store: self,
            of,
            place,
            version,
        }
    }
}

/// Where a part is.
enum PartSource<T: 'static> {
    Page(fn(&State) -> &Tracked<T>),
    Case(fn(&conversation::Case) -> &Tracked<T>),
}

impl<T> Clone for PartSource<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for PartSource<T> {}

impl<T> PartSource<T> {
    fn of<'s>(&self, state: &'s State, of: Of) -> &'s Tracked<T> {
        match self {
            Self::Page(part) => part(state),
            Self::Case(part) => part(state.case(of.id(state))),
        }
    }

    /// The case that it is of now, and how often it has changed there.
    fn version(&self, state: &State, of: Of) -> (CaseId, u64) {
        let case = match self {
            Self::Page(_) => CaseId::default(),
            Self::Case(_) => of.id(state),
        };
        (case, self.of(state, of).changes())
    }
}

/// A part of the state. Panes read it; only events change it.
pub(crate) struct Part<T: 'static> {
    store: Store,
    of: Of,
    place: PartSource<T>,
    version: Memo<(CaseId, u64)>,
}

impl<T> Clone for Part<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Part<T> {}

impl<T> Part<T> {
    /// Follows it.
    pub(crate) fn track(self) {
        // A memo that was never read follows nothing: being tracked is not enough for it.
        self.version.get();
    }

    /// Runs `read` on it, and follows it.
    pub(crate) fn with<R>(self, read: impl FnOnce(&T) -> R) -> R {
        self.track();
        self.with_untracked(read)
    }

    /// Runs `read` on it as it is now.
    pub(crate) fn with_untracked<R>(self, read: impl FnOnce(&T) -> R) -> R {
        self.store.read(|state| read(self.place.of(state, self.of)))
    }
}

impl<T: Clone> Part<T> {
    /// A copy; follows it.
    pub(crate) fn get(self) -> T {
        self.with(T::clone)
    }

    /// A copy as it is now.
    pub(crate) fn get_untracked(self) -> T {
        self.with_untracked(T::clone)
    }
}
