//! Parts of the page that are fetched later: when they are first needed, or when the page has
//! nothing else to do. Here is what each part offers; what makes it lies above the panes, so that
//! a pane can ask for a part that is made of other panes.
//!
//! A part is a table of functions and a file of its own. Nothing else of the page may call what
//! only the part needs: code that is called from elsewhere is in the page's first file, and what
//! several parts call is in one file that they share.

pub(crate) mod controls;
pub(crate) mod differences;
pub(crate) mod error_texts;
mod fetched;
pub(crate) mod film;
pub(crate) mod generate;
pub(crate) mod glossary;
pub(crate) mod gpu;
pub(crate) mod help;
pub(crate) mod learn;
pub(crate) mod run;
mod tab;
pub(crate) mod export;

use std::any::Any;
use std::marker::PhantomData;

use leptos::prelude::*;
use wasm_split_helpers::SplitLoaderError;

use crate::strings::{Chinese, Language};
use fetched::{Begin, Call, State};
pub(crate) use fetched::{Fetching, Source, are_awaited, fetch_ahead, unfetched, wire};
pub(crate) use tab::{TabEntry, tab};

/// A part's table of functions, whatever they are.
pub(crate) type Table = &'static (dyn Any + Send + Sync);

/// The table of a part that shows one thing.
pub(crate) type Show = fn() -> AnyView;

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
    source: Source,
    table: PhantomData<fn() -> T>,
}

/// Rows `NAME: Variant, module, Table;` in the order in which parts are fetched when there is
/// nothing else to do.
macro_rules! parts {
    ($($(#[doc = $doc:literal])+ $name:ident: $part:ident, $module:ident, $table:ty;)+) => {
        /// What the page is made of beside its first file.
        #[derive(Clone, Copy)]
        pub(crate) enum Name {
            $($(#[doc = $doc])+
            $part,)+
            /// The page in Chinese.
            Chinese,
            /// Faults in Chinese.
            ErrorTexts,
        }

        $($(#[doc = $doc])+
        pub(crate) static $name: Part<$table> =
            Part::wired(stringify!($module), Name::$part);)+

        /// Where each comes from.
        pub(crate) fn sources() -> impl Iterator<Item = Source> {
            [$($name.source),+].into_iter()
        }
    };
}

parts! {
    /// What people do, and what stands around the picture.
    CONTROLS: Controls, controls, controls::Functions;
    /// The decisions of strategies, one by one.
    FILM: Film, film, film::Functions;
    /// What two plans, or two dumps, do not have in common.
    DIFFERENCES: Differences, differences, differences::Functions;
    /// What is taken away.
    EXPORT: Export, export, export::Functions;
    /// Keys, mouse, and what can be opened.
    HELP: Help, help, help::Functions;
    /// Transformers without a file.
    GENERATE: Generate, generate, generate::Functions;
    /// What terms mean.
    GLOSSARY: Glossary, glossary, glossary::Functions;
    /// Lessons.
    LEARN: Learn, learn, learn::Functions;
    /// Runs.
    RUN: Run, run, run::Functions;
    /// Pictures by WebGPU, and the benchmark of pictures.
    GPU: Gpu, gpu, gpu::Functions;
}

/// The page in Chinese; not fetched ahead, because whoever wants it has it from the start, and
/// who has it not reads English.
pub(crate) static CHINESE: Part<Chinese> = Part::wired("chinese", Name::Chinese);

/// Faults in Chinese, fetched ahead only for who reads it.
pub(crate) static ERROR_TEXTS: Part<error_texts::InChinese> =
    Part::wired("error_texts", Name::ErrorTexts);

/// Whether the words of a language are there; follows that.
pub(crate) fn speaks(language: Language) -> bool {
    match language {
        Language::En => true,
        Language::Zh => CHINESE.get().is_some(),
    }
}

/// A call with a part's functions.
fn call<T: Any>(run: impl FnOnce(&'static T) + 'static) -> Call {
    Box::new(move |table| {
        if let Some(table) = table.downcast_ref() {
            run(table);
        }
    })
}

impl<T: 'static> Part<T> {
    /// One of the page's parts; [`wire`] says what makes it.
    const fn wired(name: &'static str, part: Name) -> Self {
        Self::from(name, Begin::Wired(part))
    }

    /// A part that a pane is, and that it makes by itself.
    pub(crate) const fn own(name: &'static str, begin: fn() -> Fetching) -> Self {
        Self::from(name, Begin::Own(begin))
    }

    const fn from(name: &'static str, begin: Begin) -> Self {
        Self {
            source: Source { name, begin },
            table: PhantomData,
        }
    }

    /// Where it comes from.
    pub(crate) const fn source(&self) -> Source {
        self.source
    }
}

impl<T: Any + Send + Sync> Part<T> {
    /// Its functions once it is there; follows that.
    pub(crate) fn get(&self) -> Option<&'static T> {
        match self.source.state() {
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
        self.source.fetch(true);
    }

    /// Fetches it unless it is there or on its way; comes back when that is done, or failed.
    pub(crate) async fn fetched(&self) {
        self.source.fetched().await;
    }

    /// Calls `run` with its functions: now if they are there, else as soon as they are, in the
    /// order of the calls.
    pub(crate) fn then(&self, run: impl FnOnce(&'static T) + 'static) {
        self.source.then(call(run));
    }

    /// Calls `run` with its functions once they are there for some other reason.
    pub(crate) fn wait(&self, run: impl FnOnce(&'static T) + 'static) {
        self.source.wait(call(run));
    }

    /// What `make` makes, once the part is there: until then, that it comes; if it cannot be
    /// fetched, that and a way to try again.
    pub(crate) fn view(&self, make: impl Fn(&'static T) -> AnyView + Send + 'static) -> AnyView {
        let make = move |table: Table| table.downcast_ref().map(&make);
        self.fetch();
        self.source.view(Box::new(make), fetched::coming)
    }

    /// What `make` makes, once the part is there for some other reason: nothing until then; if it
    /// cannot be fetched, that and a way to try again.
    pub(crate) fn main(&self, make: impl Fn(&'static T) -> AnyView + Send + 'static) -> AnyView {
        let make = move |table: Table| table.downcast_ref().map(&make);
        self.source.view(Box::new(make), |_| ().into_any())
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
        self.source.quiet(Box::new(make), until)
    }
}
