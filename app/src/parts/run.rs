//! Runs: the tab, and what is done there.

use js_sys::Function;
use leptos::prelude::*;
use wasm_bindgen::JsValue;
use wasm_split_helpers::wasm_split;

use super::{Table, Unfetched};
use crate::actions::{self, RunAction};
use crate::state::session::Session;
use crate::{execute, run};

/// What the hook for tests and benchmarks calls.
type Execute = fn(Session, &JsValue, (Function, Function)) -> Result<(), JsValue>;

/// The part's functions.
pub(crate) struct Run {
    pub(crate) tab: fn() -> AnyView,
    /// Does what the person did about runs.
    pub(crate) act: fn(Session, RunAction),
    /// Has the runner do what tests and benchmarks ask; calls one or the other with what came of
    /// it.
    pub(crate) execute: Execute,
}

static RUN: Run = Run {
    tab: || view! { <run::Run/> }.into_any(),
    act: |session, action| {
        actions::start_runs(session);
        actions::run(session, action);
    },
    execute: |session, asked, waiting| {
        actions::start_runs(session);
        execute::ask(asked, waiting)
    },
};

#[wasm_split(run, fallible)]
pub(super) fn fetch() -> Result<Table, Unfetched> {
    Ok(&RUN)
}
