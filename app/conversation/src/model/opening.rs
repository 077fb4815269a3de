//! What is opened, and where.

use std::collections::VecDeque;

use worker::CaseId;

use crate::model::case::Role;
use crate::model::given::{Given, Sample};
use crate::model::link::Fragment;
use crate::model::source::Source;
use crate::model::visits::Visits;
use crate::model::waiting::Waiting;

/// Where something is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where {
    /// In place of the case that the action is about.
    Instead,
    /// Beside what is open.
    Beside,
    /// Beside it, to be compared with it as a dump of the same program.
    Other,
}

/// What is opened where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OpenTarget {
    pub(crate) at: Where,
    /// The case that it is in place of, or compared with.
    pub(crate) of: CaseId,
}

/// Something that is to be opened, or that the worker is opening.
#[derive(Clone, Debug)]
pub(crate) struct Wish {
    pub(crate) source: Source,
    pub(crate) place: OpenTarget,
    /// A case that has the same document.
    pub(crate) like: Option<CaseId>,
    /// What is opened instead if these files do not belong together, one after the other.
    pub(crate) instead: Vec<Vec<Given>>,
    /// Whether it is tried once more with what waits.
    pub(crate) retried: bool,
    /// What it is there for.
    pub(crate) role: Role,
    /// What to show once it is open.
    pub(crate) wanted: Fragment,
}

impl Wish {
    pub(crate) fn new(source: Source, place: OpenTarget, wanted: Fragment) -> Self {
        Self {
            source,
            place,
            like: None,
            instead: Vec::new(),
            retried: false,
            role: Role::Shown,
            wanted,
        }
    }
}

/// A sample that is being fetched.
#[derive(Clone, Debug)]
pub(crate) struct Fetching {
    pub(crate) sample: Sample,
    pub(crate) place: OpenTarget,
    pub(crate) wanted: Fragment,
}

/// What is being opened.
#[derive(Debug, Default)]
pub(crate) struct Opening {
    /// What a link says of a file that is not opened yet.
    pub(crate) expected: Option<Fragment>,
    /// How often anything was asked to be opened: a sample that arrives later than something
    /// newer was asked for is not opened.
    pub(crate) asked: u32,
    pub(crate) fetching: Option<Fetching>,
    /// Files that wait for others that belong to them.
    pub(crate) waiting: Waiting,
    /// Files that wait for others to be the other dump of a comparison.
    pub(crate) other: Waiting,
    /// User files that were open, so that Back finds them again.
    pub(crate) visits: Visits,
    /// The names of the files that were given last, the oldest first.
    pub(crate) order: Vec<String>,
    /// The older of two dumps that were given together, once the newer one is open.
    pub(crate) older: Option<Given>,
    /// What to open next.
    pub(crate) next: Option<Wish>,
    /// What the worker is opening.
    pub(crate) at_work: Option<Wish>,
    /// What waits for somebody to say what the columns of a table mean, or which events to hold.
    pub(crate) tabular: Option<Wish>,
    /// Figures that are wanted of what is open already, opened when nothing else is.
    pub(crate) figures: VecDeque<Wish>,
    /// User files that were to be opened before `next` and were not answered.
    pub(crate) superseded: Option<Vec<Given>>,
    /// Cases of a link that are opened after the first.
    pub(crate) later: VecDeque<(Fragment, Option<u32>)>,
    /// Which case of a link is the active one once all are there.
    pub(crate) active: Option<usize>,
}
