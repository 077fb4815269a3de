//! What is taken away: files, pictures and links.

use crate::state::session::Session;
use conversation::Column;
use leptos::prelude::*;
use wasm_split_helpers::wasm_split;

use super::{Table, Unfetched};
use crate::drawing::coloring::Colors;
use crate::take_home::export::export;
use crate::take_home::share::ShareDialog;

/// The part's functions.
pub(crate) struct Functions {
    pub(crate) share: fn() -> AnyView,
    /// Takes a plan away as a file of this kind.
    pub(crate) export: fn(Session, Column, Memo<Colors>, &str),
}

static FUNCTIONS: Functions = Functions {
    share: || view! { <ShareDialog/> }.into_any(),
    export,
};

#[wasm_split(take_home, fallible)]
pub(super) fn fetch() -> Result<Table, Unfetched> {
    Ok(&FUNCTIONS)
}
