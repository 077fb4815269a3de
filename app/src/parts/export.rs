//! What is taken away: files, pictures and links.

use leptos::prelude::*;
use wasm_split_helpers::wasm_split;

use crate::export::menu::export;
use crate::export::share::ShareDialog;
use crate::export::slide;
use crate::lazy::export::Functions;
use crate::lazy::{Table, Unfetched};

static FUNCTIONS: Functions = Functions {
    share: || view! { <ShareDialog/> }.into_any(),
    export,
    slide: slide::take,
    drawn: slide::take_drawn,
    printed: slide::printed,
};

#[wasm_split(export, fallible)]
pub(super) fn fetch() -> Result<Table, Unfetched> {
    Ok(&FUNCTIONS)
}
