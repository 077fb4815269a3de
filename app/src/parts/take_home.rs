//! What is taken away: files, pictures and links.

use leptos::prelude::*;
use wasm_split_helpers::wasm_split;

use crate::lazy::take_home::Functions;
use crate::lazy::{Table, Unfetched};
use crate::take_home::export::export;
use crate::take_home::share::ShareDialog;
use crate::take_home::slide;

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
