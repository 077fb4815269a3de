//! What the page remembers between visits, in the browser's local storage: language, theme,
//! renderer, panels, and the values bound to each model's symbolic dimensions. Where storage is
//! refused (private windows), it remembers nothing.

use conversation::{Layout, Memory, Remembered};
use gloo::storage::{LocalStorage, Storage};

const LANGUAGE: &str = "arenascope.language";
const THEME: &str = "arenascope.theme";
const DRAWING: &str = "arenascope.renderer";
const LAYOUT: &str = "arenascope.layout";
const BINDINGS: &str = "arenascope.bindings.";

pub(crate) fn language() -> Option<String> {
    LocalStorage::get(LANGUAGE).ok()
}

pub(crate) fn theme() -> Option<String> {
    LocalStorage::get(THEME).ok()
}

pub(crate) fn drawing() -> Option<String> {
    LocalStorage::get(DRAWING).ok()
}

/// The panels as they were; where they were stored by another version, as they usually are.
pub(crate) fn layout() -> Layout {
    LocalStorage::get(LAYOUT).unwrap_or_default()
}

/// Every value that was bound, by the key of its file.
pub(crate) fn all_bindings() -> Memory {
    let mut memory = Memory::default();
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

/// Remembers what the state asks for.
pub(crate) fn remember(remembered: &Remembered) {
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
