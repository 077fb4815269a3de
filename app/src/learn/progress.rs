//! What of lessons was answered, kept in this browser: by lesson, the scenes.

use std::collections::{BTreeMap, BTreeSet};

use gloo::storage::{LocalStorage, Storage};

use crate::state::memory;

/// Under this the browser keeps it.
const KEY: &str = "arenascope.lessons";

/// The scenes that were answered, by lesson; of puzzles with their stars.
pub(super) type Answered = BTreeMap<String, BTreeMap<String, u32>>;

/// What was answered.
pub(super) fn answered() -> Answered {
    memory::kept(KEY).unwrap_or_default()
}

/// A scene was answered, with so many stars; fewer than before do not count.
pub(super) fn note(lesson: &str, scene: &str, stars: u32) {
    let mut all = answered();
    let scenes = all.entry(lesson.to_owned()).or_default();
    let best = scenes.entry(scene.to_owned()).or_default();
    *best = (*best).max(stars);
    memory::keep(KEY, &all);
}

/// Nothing was answered.
pub(super) fn forget() {
    if memory::is_allowed() {
        LocalStorage::delete(KEY);
    }
}

/// Whether the first lesson is still to be offered.
pub(super) fn is_new() -> bool {
    memory::offers_lesson() && answered().is_empty()
}

/// The scenes of a lesson that were answered.
pub(super) fn of(lesson: &str) -> BTreeSet<String> {
    let all = answered();
    let scenes = all.get(lesson).into_iter().flatten();
    scenes.map(|(scene, _)| scene.clone()).collect()
}
