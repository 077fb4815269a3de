//! Lessons from our own origin: the list, and one at a time.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use lesson::{Lesson, Text, read};
use planner::Message;
use serde::Deserialize;

use crate::browser::files::fetch_text;

const FOLDER: &str = "./public/lessons/";

/// A lesson in the list.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(super) struct Entry {
    /// Its name in links.
    pub(super) lesson: String,
    /// Its file.
    pub(super) file: String,
    pub(super) number: u32,
    pub(super) title: Text,
    pub(super) teaches: Text,
    pub(super) minutes: u32,
    pub(super) puzzles: bool,
    /// Whether it is another one every day.
    pub(super) random: bool,
    /// The names of its scenes.
    pub(super) scenes: Vec<String>,
}

thread_local! {
    static LIST: RefCell<Option<Arc<Vec<Entry>>>> = const { RefCell::new(None) };
    static LESSONS: RefCell<BTreeMap<String, Arc<Lesson>>> = const { RefCell::new(BTreeMap::new()) };
}

/// The list, in its order.
pub(super) async fn list() -> Result<Arc<Vec<Entry>>, Message> {
    if let Some(list) = LIST.with_borrow(Clone::clone) {
        return Ok(list);
    }
    let text = fetch_text(&format!("{FOLDER}index.json")).await?;
    let list: Vec<Entry> =
        serde_json::from_str(&text).map_err(|error| Message::verbatim(error.to_string()))?;
    let list = Arc::new(list);
    LIST.set(Some(Arc::clone(&list)));
    Ok(list)
}

/// The lesson of this name; `None` where the list has none.
pub(super) async fn lesson(name: &str) -> Result<Option<Arc<Lesson>>, Message> {
    if let Some(lesson) = LESSONS.with_borrow(|all| all.get(name).cloned()) {
        return Ok(Some(lesson));
    }
    let list = list().await?;
    let Some(entry) = list.iter().find(|entry| entry.lesson == name) else {
        return Ok(None);
    };
    let text = fetch_text(&format!("{FOLDER}{}", entry.file)).await?;
    let lesson = Arc::new(read(&text).map_err(|error| error.message())?);
    LESSONS.with_borrow_mut(|all| all.insert(name.to_owned(), Arc::clone(&lesson)));
    Ok(Some(lesson))
}
