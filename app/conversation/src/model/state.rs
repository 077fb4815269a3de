//! Everything that the page knows.

use executor::verify::report::Progress as RunProgress;
use worker::CaseId;

use crate::model::appearance::{Drawing, Tab, Theme};
use crate::model::case::Case;
use crate::model::effect::Effect;
use crate::model::given::{Memory, Sample};
use crate::model::language::Language;
use crate::model::layout::Layout;
use crate::model::link::Fragment;
use crate::model::opening::Opening;
use crate::model::page::Page;
use crate::model::tracked::Tracked;
use crate::model::visits::Visit;
use crate::model::worker_queue::WorkerQueue;

/// Everything that the page knows.
#[derive(Debug, Default)]
pub struct State {
    /// What belongs to the page.
    pub page: Page,
    /// What is open, in the order in which it is shown.
    pub cases: Vec<Case>,
    /// The case that tabs and inspector are about.
    pub active: Tracked<CaseId>,
    /// The samples that come with the page.
    pub samples: Vec<Sample>,
    /// The tabs that the page has.
    pub(crate) tabs: &'static [Tab],
    /// What the browser remembers.
    pub(crate) memory: Memory,
    /// Number of the latest case.
    pub(crate) latest: u32,
    pub(crate) opening: Opening,
    pub(crate) worker_queue: WorkerQueue,
    /// Number of the outstanding question to the runner.
    pub(crate) run: u32,
    /// The case whose zeros the runner counts.
    pub(crate) counting: Option<CaseId>,
    /// Where the run was a second ago.
    pub(crate) seen: Option<RunProgress>,
    /// What the address bar says, and the visits of its entry.
    pub(crate) written: Option<(String, Vec<u32>)>,
    /// What it was written from.
    pub(crate) traced: Option<Trace>,
    /// Whether what changes follows from the address bar and not from the person.
    pub(crate) restoring: bool,
    /// The scene to which the address bar led, until the player shows it.
    pub(crate) visited: Option<String>,
    /// Whether stages follow a slider that is held: the address is written where it rests.
    pub(crate) sliding: bool,
    pub(crate) effects: Vec<Effect>,
    /// What is shown of a case that is not there.
    nothing: Case,
}

impl State {
    /// A page with nothing open.
    #[must_use]
    pub fn new(samples: Vec<Sample>, memory: Memory, tabs: &'static [Tab]) -> Self {
        Self {
            samples,
            tabs,
            memory,
            ..Self::default()
        }
    }

    /// Begins with what was chosen at an earlier visit; what is `None` stays as it is usual.
    pub fn begin(
        &mut self,
        language: Option<Language>,
        theme: Option<Theme>,
        drawing: Option<Drawing>,
        layout: Layout,
    ) {
        self.page.language.put(language.unwrap_or_default());
        self.page.theme.put(theme.unwrap_or_default());
        self.page.drawing.put(drawing.unwrap_or_default());
        self.page.frame.layout = layout;
    }

    /// The case with this number; one with nothing in it where there is none.
    #[must_use]
    pub fn case(&self, id: CaseId) -> &Case {
        self.known(id).unwrap_or(&self.nothing)
    }

    /// The case with this number.
    #[must_use]
    pub fn known(&self, id: CaseId) -> Option<&Case> {
        self.cases.iter().find(|case| case.id == id)
    }

    pub(crate) fn case_mut(&mut self, id: CaseId) -> Option<&mut Case> {
        self.cases.iter_mut().find(|case| case.id == id)
    }

    /// The case that tabs and inspector are about.
    #[must_use]
    pub fn active(&self) -> &Case {
        self.case(*self.active)
    }

    /// People's files that are or were open, the latest last.
    #[must_use]
    pub fn visits(&self) -> &[Visit] {
        self.opening.visits.all()
    }

    /// The cases whose panes are seen.
    pub fn shown(&self) -> impl Iterator<Item = &Case> {
        self.cases.iter().filter(|case| case.is_shown())
    }

    /// The same, and of each whether this tab is open on it.
    pub(crate) fn at_tab(&self, tab: Tab) -> Vec<(CaseId, bool)> {
        let (seen, active) = (*self.page.tab == tab, *self.active);
        let cases = self.shown().map(|case| case.id);
        cases.map(|id| (id, seen && id == active)).collect()
    }
}

/// What the address bar was written from: the fragment of every case, and its visit.
pub(crate) type Trace = Vec<(Fragment, u32)>;
