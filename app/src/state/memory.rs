//! What the page remembers between visits, in the browser's local storage: language, theme,
//! renderer, panels, and the values bound to each model's symbolic dimensions. Where storage is
//! refused (private windows, frames of other pages), it remembers nothing.

use conversation::{Layout, Memory, Remembered};
use gloo::storage::{LocalStorage, Storage};
use serde::Serialize;
use serde::de::DeserializeOwned;

const LANGUAGE: &str = "arenascope.language";
const THEME: &str = "arenascope.theme";
const DRAWING: &str = "arenascope.renderer";
const LAYOUT: &str = "arenascope.layout";
const OFFERED: &str = "arenascope.lessons.offered";
const BINDINGS: &str = "arenascope.bindings.";

/// Whether the browser lets the page remember anything; asking without that would end it.
pub(crate) fn is_allowed() -> bool {
    let storage = web_sys::window().map(|window| window.local_storage());
    matches!(storage, Some(Ok(Some(_))))
}

/// What was kept under a key; `None` where nothing was, or by another version.
pub(crate) fn kept<T: DeserializeOwned>(key: &str) -> Option<T> {
    is_allowed().then(|| LocalStorage::get(key).ok())?
}

/// Whether nobody has answered the offer of the first lesson.
pub(crate) fn offers_lesson() -> bool {
    !kept::<bool>(OFFERED).unwrap_or(false)
}

/// Somebody has.
pub(crate) fn lesson_offered() {
    keep(OFFERED, &true);
}

pub(crate) fn language() -> Option<String> {
    kept(LANGUAGE)
}

pub(crate) fn theme() -> Option<String> {
    kept(THEME)
}

pub(crate) fn drawing() -> Option<String> {
    kept(DRAWING)
}

/// The panels as they were; where they were stored by another version, as they usually are.
pub(crate) fn layout() -> Layout {
    kept(LAYOUT).unwrap_or_default()
}

/// Every value that was bound, by the key of its file.
pub(crate) fn all_bindings() -> Memory {
    let mut memory = Memory::default();
    if !is_allowed() {
        return memory;
    }
    let storage = LocalStorage::raw();
    for index in 0..LocalStorage::length() {
        let Ok(Some(stored)) = storage.key(index) else {
            continue;
        };
        if let Some(key) = stored.strip_prefix(BINDINGS) {
            let bindings = LocalStorage::get(&stored).unwrap_or_default();
            memory.bindings.insert(key.to_owned(), bindings);
        }
    }
    memory
}

/// Keeps a value under a key, where the browser lets it.
pub(crate) fn keep(key: &str, value: &impl Serialize) {
    if is_allowed() {
        let _ = LocalStorage::set(key, value);
    }
}

/// Remembers what the state asks for.
pub(crate) fn remember(remembered: &Remembered) {
    if !is_allowed() {
        return;
    }
    let _ = match remembered {
        Remembered::Language(language) => LocalStorage::set(LANGUAGE, language.tag()),
        Remembered::Theme(theme) => LocalStorage::set(THEME, theme.name()),
        Remembered::Drawing(drawing) => LocalStorage::set(DRAWING, drawing.name()),
        Remembered::Layout(layout) => LocalStorage::set(LAYOUT, layout),
        Remembered::Bindings(key, bindings) => {
            LocalStorage::set(format!("{BINDINGS}{key}"), bindings)
        }
    };
}
