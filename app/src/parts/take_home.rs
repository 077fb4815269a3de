//! What is taken away: files, pictures and links.

use crate::state::session::Session;
use conversation::Column;
use leptos::prelude::*;
use wasm_split_helpers::wasm_split;

use super::{Table, Unfetched};
use crate::take_home::export::export;
use crate::take_home::share::ShareDialog;
use crate::take_home::slide::{self, Drawn, Encoding, Shape};

/// The part's functions.
pub(crate) struct Functions {
    pub(crate) share: fn() -> AnyView,
    /// Takes a plan away as a file of this kind.
    pub(crate) export: fn(Session, Column, &str),
    /// Takes away what is seen.
    pub(crate) slide: fn(Session, Shape, Encoding),
    /// Takes away what is drawn already.
    pub(crate) drawn: fn(Session, Drawn, Encoding),
    /// What is seen as SVG for paper.
    pub(crate) printed: fn(Session) -> Option<String>,
}

static FUNCTIONS: Functions = Functions {
    share: || view! { <ShareDialog/> }.into_any(),
    export,
    slide: slide::take,
    drawn: slide::take_drawn,
    printed: slide::printed,
};

#[wasm_split(take_home, fallible)]
pub(super) fn fetch() -> Result<Table, Unfetched> {
    Ok(&FUNCTIONS)
}
