//! User files that were open: the page cannot find them by name, but it may keep their
//! handles as long as it is open, and a service worker may keep them while it is reloaded.

use crate::model::given::Given;
use crate::model::link::Fragment;
use crate::model::source::Source;

/// So many are kept. A handle has no bytes of its file.
const MOST: usize = 32;

/// Files that were open together.
#[derive(Clone, Debug)]
pub struct Visit {
    /// Entries of the browser's history name it.
    pub number: u32,
    /// What the files were called together.
    pub name: String,
    /// The files.
    pub files: Vec<Given>,
}

/// Those that were open, the latest last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Visits {
    last: u32,
    kept: Vec<Visit>,
}

impl Visits {
    /// A number for the next one.
    pub(crate) fn number(&mut self) -> u32 {
        self.last = self.last.wrapping_add(1);
        self.last
    }

    /// All of them, the latest last.
    pub(crate) fn all(&self) -> &[Visit] {
        &self.kept
    }

    /// Those that were open before the page was reloaded.
    pub(crate) fn bring_back(&mut self, visits: Vec<Visit>) {
        let last = visits.iter().map(|visit| visit.number).max();
        self.last = self.last.max(last.unwrap_or_default());
        self.kept.splice(..0, visits);
    }

    /// Takes note of files that are open now.
    pub(crate) fn keep(&mut self, number: u32, source: &Source) {
        self.kept.retain(|visit| visit.number != number);
        self.kept.push(Visit {
            number,
            name: source.name.clone(),
            files: source.files.clone(),
        });
        let more = self.kept.len().saturating_sub(MOST);
        self.kept.drain(..more);
    }

    /// The files that were open under the name that a link says, as it says to read them: of this
    /// visit, or else the latest ones.
    pub(crate) fn find(&self, number: Option<u32>, wanted: &Fragment) -> Option<Source> {
        let name = wanted.file.as_deref().unwrap_or_default();
        let named = || self.kept.iter().rev().filter(|visit| visit.name == name);
        let found = named().find(|visit| Some(visit.number) == number);
        let visit = found.or_else(|| named().next())?;
        Some(Source {
            name: visit.name.clone(),
            sample: None,
            files: visit.files.clone(),
            columns: wanted.columns.clone(),
            range: wanted.range,
            visit: Some(visit.number),
            shared: None,
            text: None,
        })
    }
}
