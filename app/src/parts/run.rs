//! Runs: the tab, and what is done there.

use std::rc::Rc;

use js_sys::Function;
use leptos::prelude::*;
use wasm_bindgen::JsValue;
use wasm_split_helpers::wasm_split;

use super::{Table, Unfetched, runner};
use crate::state::driver::{Driver, Page};
use crate::{execute, run};

/// What the hook for tests and benchmarks calls.
type Execute = fn(Page, &JsValue, (Function, Function)) -> Result<(), JsValue>;

/// The part's functions.
pub(crate) struct Functions {
    pub(crate) tab: fn() -> AnyView,
    /// Makes sure that the driver knows the runner.
    pub(crate) start: fn(&Rc<Driver>),
    /// Has the runner do what tests and benchmarks ask; calls one or the other with what came of
    /// it.
    pub(crate) execute: Execute,
}

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
