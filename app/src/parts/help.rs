//! The help.

use leptos::prelude::*;
use wasm_split_helpers::wasm_split;

use super::{Show, Table, Unfetched};
use crate::frame::help::Help;

static SHOW: Show = || view! { <Help/> }.into_any();

#[wasm_split(help, fallible)]
pub(super) fn fetch() -> Result<Table, Unfetched> {
    Ok(&SHOW)
}
