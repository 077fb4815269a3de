//! Runs: the tab, and what is done there.

use leptos::prelude::*;
use wasm_split_helpers::wasm_split;

use crate::lazy::run::Functions;
use crate::lazy::{Table, Unfetched};
use crate::parts::runner;
use crate::{execute, run};

static FUNCTIONS: Functions = Functions {
    tab: || view! { <run::Run/> }.into_any(),
    start: runner::start,
    execute: |page, asked, waiting| {
        runner::start(&page.driver());
        execute::ask(page, asked, waiting)
    },
};

#[wasm_split(run, fallible)]
pub(super) fn fetch() -> Result<Table, Unfetched> {
    Ok(&FUNCTIONS)
}
