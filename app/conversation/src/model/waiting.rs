//! Files that wait for others of the same dump.

use crate::model::given::{Given, joined};

/// The files that wait, dump by dump, the latest last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Waiting(Vec<Vec<Given>>);

impl Waiting {
    /// What to try for `given`, one after the other: with what waits, the latest first, and at
    /// last alone. A file that is given again is meant to be the newer one.
    pub(crate) fn attempts(&self, given: Vec<Given>) -> Vec<Vec<Given>> {
        let older = |kept: &&Given| given.iter().all(|file| file.name != kept.name);
        let joined = self.0.iter().rev().filter_map(|files| {
            let mut files: Vec<Given> = files.iter().filter(older).cloned().collect();
            let any = !files.is_empty();
            files.extend(given.iter().cloned());
            any.then_some(files)
        });
        let mut attempts: Vec<Vec<Given>> = joined.collect();
        attempts.push(given);
        attempts
    }

    /// `files` wait, with those of them that did before.
    pub(crate) fn keep(&mut self, files: Vec<Given>) {
        self.done(&files);
        self.0.push(files);
    }

    /// What is among `files` waits no longer.
    pub(crate) fn done(&mut self, files: &[Given]) {
        let found = |kept: &Given| files.iter().any(|file| file.name == kept.name);
        self.0.retain(|kept| !kept.iter().all(found));
    }

    /// Nothing waits any longer.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// What waits, as the page calls it.
    pub(crate) fn names(&self) -> Vec<String> {
        self.0.iter().map(|files| joined(files)).collect()
    }
}
