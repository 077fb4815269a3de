//! Runs: the tab, and what is done there.

use std::rc::Rc;

use js_sys::Function;
use leptos::prelude::*;
use wasm_bindgen::JsValue;

use crate::state::driver::{Driver, Page};

/// What the hook for tests and benchmarks calls.
pub(crate) type Execute = fn(Page, &JsValue, (Function, Function)) -> Result<(), JsValue>;

/// The part's functions.
pub(crate) struct Functions {
    pub(crate) tab: fn() -> AnyView,
    /// Makes sure that the driver knows the runner.
    pub(crate) start: fn(&Rc<Driver>),
    /// Hands the runner what tests and benchmarks ask; calls one or the other with the result.
    pub(crate) execute: Execute,
}
