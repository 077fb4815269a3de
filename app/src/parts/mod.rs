//! Parts of the page that are fetched later: when they are first needed, or when the page has
//! nothing else to do.
//!
//! A part is a table of functions and a file of its own. Nothing else of the page may call what
//! only the part needs: code that is called from elsewhere is in the page's first file.

mod effects;
mod fetched;
mod gpu;
mod hands;
mod panes;
mod run;
mod runner;

use std::any::Any;
use std::marker::PhantomData;

use leptos::prelude::*;
use wasm_split_helpers::SplitLoaderError;

use fetched::{Call, Fetching, State, slot};
pub(crate) use fetched::{are_awaited, fetch_all};

/// A part's table of functions, whatever they are.
pub(crate) type Table = &'static (dyn Any + Send + Sync);

/// A part could not be fetched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unfetched;

impl From<SplitLoaderError> for Unfetched {
    fn from(_: SplitLoaderError) -> Self {
        Self
    }
}

/// A part whose functions are in a `T`.
pub(crate) struct Part<T: 'static> {
    row: usize,
    table: PhantomData<fn() -> T>,
}

/// Rows `NAME: module::Table;` in the order in which parts are fetched when there is nothing
/// else to do.
macro_rules! parts {
    ($($(#[doc = $doc:literal])+ $name:ident: $module:ident::$table:ident;)+) => {
        #[allow(clippy::upper_case_acronyms, non_camel_case_types, reason = "numbers the parts")]
        enum Row { $($name),+ }

        $($(#[doc = $doc])+
        pub(crate) static $name: Part<$module::$table> = Part {
            row: Row::$name as usize,
            table: PhantomData,
        };)+

        /// How each is fetched.
        const FETCHES: &[fn() -> Fetching] = &[$(|| Box::pin($module::fetch())),+];
    };
}

parts! {
    /// What people do, and what stands around the picture.
    HANDS: hands::Hands;
    /// What is opened beside the picture.
    PANES: panes::Panes;
    /// Runs.
    RUN: run::Run;
    /// Pictures by WebGPU, and the benchmark of pictures.
    GPU: gpu::Gpu;
}

/// A call with a part's functions.
fn call<T: Any>(run: impl FnOnce(&'static T) + 'static) -> Call {
    Box::new(move |table| {
        if let Some(table) = table.downcast_ref() {
            run(table);
        }
    })
}

impl<T: Any + Send + Sync> Part<T> {
    /// Its functions once it is there; follows that.
    pub(crate) fn get(&self) -> Option<&'static T> {
        match slot(self.row).state() {
            State::There(table) => table.downcast_ref(),
            State::Away | State::Coming | State::Failed => None,
        }
    }

    /// Its functions if it is there now.
    pub(crate) fn now(&self) -> Option<&'static T> {
        untrack(|| self.get())
    }

    /// Makes sure that it will be there.
    pub(crate) fn fetch(&self) {
        fetched::fetch(self.row, true);
    }

    /// Calls `run` with its functions: now if they are there, else as soon as they are, in the
    /// order of the calls.
    pub(crate) fn then(&self, run: impl FnOnce(&'static T) + 'static) {
        fetched::then(self.row, call(run));
    }

    /// Calls `run` with its functions once they are there for some other reason.
    pub(crate) fn wait(&self, run: impl FnOnce(&'static T) + 'static) {
        fetched::wait(self.row, call(run));
    }

    /// What `make` makes, once the part is there: until then, that it comes; if it cannot be
    /// fetched, that and a way to try again.
    pub(crate) fn view(&self, make: impl Fn(&'static T) -> AnyView + Send + 'static) -> AnyView {
        let make = move |table: Table| table.downcast_ref().map(&make);
        self.fetch();
        fetched::view(self.row, Box::new(make), fetched::coming)
    }

    /// What `make` makes, once the part is there for some other reason: nothing until then; if it
    /// cannot be fetched, that and a way to try again.
    pub(crate) fn main(&self, make: impl Fn(&'static T) -> AnyView + Send + 'static) -> AnyView {
        let make = move |table: Table| table.downcast_ref().map(&make);
        fetched::view(self.row, Box::new(make), |_| ().into_any())
    }

    /// The same, and nothing where it cannot be fetched.
    pub(crate) fn quiet(&self, make: impl Fn(&'static T) -> AnyView + Send + 'static) -> AnyView {
        self.or(make, || ().into_any())
    }

    /// The same, with something else in its place.
    pub(crate) fn or(
        &self,
        make: impl Fn(&'static T) -> AnyView + Send + 'static,
        until: fn() -> AnyView,
    ) -> AnyView {
        let make = move |table: Table| table.downcast_ref().map(&make);
        fetched::quiet(self.row, Box::new(make), until)
    }
}
