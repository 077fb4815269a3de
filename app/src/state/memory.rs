//! What the page remembers between visits, in the browser's local storage: language, theme,
//! renderer, and the values bound to each model's symbolic dimensions. Where storage is
//! refused (private windows), it remembers nothing.

use gloo::storage::{LocalStorage, Storage};
use planner::graph::Bindings;

const LANGUAGE: &str = "arenascope.language";
const THEME: &str = "arenascope.theme";
const DRAWING: &str = "arenascope.renderer";

pub(crate) fn language() -> Option<String> {
    LocalStorage::get(LANGUAGE).ok()
}

pub(crate) fn remember_language(name: &str) {
    let _ = LocalStorage::set(LANGUAGE, name);
}

pub(crate) fn theme() -> Option<String> {
    LocalStorage::get(THEME).ok()
}

pub(crate) fn remember_theme(name: &str) {
    let _ = LocalStorage::set(THEME, name);
}

pub(crate) fn drawing() -> Option<String> {
    LocalStorage::get(DRAWING).ok()
}

pub(crate) fn remember_drawing(name: &str) {
    let _ = LocalStorage::set(DRAWING, name);
}

/// The values last bound for the model called `name` of `bytes` bytes.
pub(crate) fn bindings(name: &str, bytes: u64) -> Bindings {
    LocalStorage::get(bindings_key(name, bytes)).unwrap_or_default()
}

pub(crate) fn remember_bindings(name: &str, bytes: u64, bindings: &Bindings) {
    let _ = LocalStorage::set(bindings_key(name, bytes), bindings);
}

fn bindings_key(name: &str, bytes: u64) -> String {
    format!("arenascope.bindings.{name}.{bytes}")
}
