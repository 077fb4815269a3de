//! User files that were open: the page cannot find them by name, but it may keep their
//! handles as long as it is open.

use planner::Span;
use planner::load::Columns;

use crate::given::Given;
use crate::opening::Source;

/// So many are kept. A handle has no bytes of its file.
const MOST: usize = 32;

/// Files that were open together, and what they were called.
#[derive(Clone, Debug)]
struct Visit {
    number: u32,
    name: String,
    files: Vec<Given>,
    columns: Columns,
    range: Option<Span>,
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

    /// Takes note of files that are open now.
    pub(crate) fn keep(&mut self, number: u32, source: &Source) {
        self.kept.retain(|visit| visit.number != number);
        self.kept.push(Visit {
            number,
            name: source.name.clone(),
            files: source.files.clone(),
            columns: source.columns.clone(),
            range: source.range,
        });
        let more = self.kept.len().saturating_sub(MOST);
        self.kept.drain(..more);
    }

    /// The files that were open under this name: of this visit, or else the latest ones.
    pub(crate) fn find(&self, number: Option<u32>, name: &str) -> Option<Source> {
        let named = || self.kept.iter().rev().filter(|visit| visit.name == name);
        let found = named().find(|visit| Some(visit.number) == number);
        let visit = found.or_else(|| named().next())?;
        Some(Source {
            name: visit.name.clone(),
            sample: None,
            files: visit.files.clone(),
            columns: visit.columns.clone(),
            range: visit.range,
            visit: Some(visit.number),
            shared: None,
            text: None,
        })
    }
}
