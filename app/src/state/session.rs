//! One session: the signals that panes read. Once the page is there, only `actions`
//! writes them.

use std::collections::BTreeMap;
use std::sync::Arc;

use leptos::prelude::*;
use planner::graph::Bindings;
use planner::load::LoadError;
use planner::{Bytes, Lifetimes, PlanError, Settings, TooLarge};
use timeline::camera::{Camera, Range};
use timeline::overlay::INSETS;
use timeline::scene::Extents;
use worker::{Opened, Planned, Prepared};

pub(crate) use super::appearance::{Coloring, Drawing, Theme};
use super::column::Column;
use super::difference::Differences;
use super::film::Films;
use super::insight::Insight;
use super::link::Ignored;
use super::lookup::Lookup;
use super::planning::Planning;
use super::run::Runs;
use super::shipped::Shipped;
use super::what_if::WhatIf;
use crate::words::{HandWord, Language, Spoken, Word};

/// The open file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OpenFile {
    /// Name on disk, or the sample's title.
    pub(crate) name: String,
    /// The sample's id, for the address bar.
    pub(crate) sample: Option<String>,
    /// The plan that came with a link, as the link has it.
    pub(crate) shared: Option<Arc<str>>,
    /// The number of the visit, of user files.
    pub(crate) visit: Option<u32>,
    /// Size in bytes.
    pub(crate) bytes: u64,
    /// What it turned out to be.
    pub(crate) opened: Arc<Opened>,
}

/// How far a column's plan is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Progress {
    /// Not begun, in the queue.
    Waiting,
    /// In the queue once more, with the plan that it had.
    Queued(Arc<Planned>),
    /// At work: done and total parts.
    Working(u64, u64),
    /// At work, with a plan that is the smallest so far: the plan, done and total parts.
    Improving(Arc<Planned>, u64, u64),
    /// There.
    Done(Arc<Planned>),
    /// The smallest plan that there was when it was stopped.
    Stopped(Arc<Planned>),
    /// There is none.
    Failed(PlanError),
}

impl Progress {
    /// The plan, once it is there and the judge has passed it.
    pub(crate) fn planned(&self) -> Option<&Arc<Planned>> {
        match self {
            Self::Done(planned)
            | Self::Stopped(planned)
            | Self::Queued(planned)
            | Self::Improving(planned, ..) => Some(planned),
            Self::Waiting | Self::Working(..) | Self::Failed(_) => None,
        }
    }

    /// Whether it will go on by itself.
    pub(crate) fn is_open(&self) -> bool {
        matches!(
            self,
            Self::Waiting | Self::Queued(_) | Self::Working(..) | Self::Improving(..)
        )
    }

    /// As it is while a strategy is at work on it, or while it only waits for that; `None`
    /// where it is so, or waits for nothing.
    pub(crate) fn turned(&self, at_work: bool) -> Option<Self> {
        match (self, at_work) {
            (Self::Waiting, true) => Some(Self::Working(0, 0)),
            (Self::Queued(planned), true) => Some(Self::Improving(Arc::clone(planned), 0, 0)),
            (Self::Working(..), false) => Some(Self::Waiting),
            (Self::Improving(planned, ..), false) => Some(Self::Queued(Arc::clone(planned))),
            _ => None,
        }
    }
}

/// What part of memory × time is in view, in data units: steps and bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Window {
    /// First and last moment.
    pub(crate) x: (f64, f64),
    /// Lowest and highest address.
    pub(crate) y: (f64, f64),
}

/// What the worker is doing for the whole document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Work {
    /// Nothing.
    #[default]
    Idle,
    /// Reading a file of this name.
    Opening(String),
    /// Sizing tensors and finding lifetimes.
    Preparing,
    /// Planning columns.
    Planning,
    /// Nothing, and lifetimes were not found: that was stopped.
    Stopped,
}

impl Work {
    /// Whether anything is at work.
    pub(crate) fn is_busy(&self) -> bool {
        !matches!(self, Self::Idle | Self::Stopped)
    }
}

/// Something that went wrong, shown until it is dismissed or something succeeds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Notice {
    /// A file could not be read; what was open stays.
    Refused(String, LoadError),
    /// The plan that a link brings could not be read; something else is open.
    BadLink(String, LoadError),
    /// Sizes go beyond what can be planned.
    TooLarge(TooLarge),
    /// A sample or file could not be fetched.
    Unreachable(String),
    /// The worker died; it was started again.
    Crashed(String),
    /// The link names a file that only its owner has.
    Missing(String),
    /// The link says what is not known here; the rest of it holds.
    Ignored(Vec<Ignored>),
    /// A file does not fit what it was given for; why.
    Misfit(String, String),
    /// A strategy could not plan the rest of a changed plan.
    NotFinished(PlanError),
    /// An effort was typed that there cannot be.
    EffortOutside,
    /// Offsets were saved as rows in which so many pairs of buffers overlap.
    NotInCsv(usize),
    /// A model took a plan home, in which its tensors need so many bytes.
    TakenHome(Bytes),
    /// A model cannot take a plan home; why.
    NotTakenHome(String),
    /// Something was done, and this says so.
    Said(Word),
    /// The same of a change by hand.
    Hand(HandWord),
}

/// A dialog over the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialog {
    /// Keys and mouse.
    Help,
    /// A link or a file with the plan in it.
    Share,
}

/// What lies under the panes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tab {
    /// The table of strategies.
    #[default]
    Compare,
    /// Where the bytes of an arena go.
    Waste,
    /// The decisions of strategies, one by one.
    Film,
    /// What two plans, or two dumps, do not have in common.
    Differences,
    /// The plan on the GPU.
    Run,
    /// Operators in execution order.
    Operators,
    /// The timeline as a table.
    Tensors,
    /// What was left out, and what the reader had to say.
    Notes,
}

impl Tab {
    /// In the order in which they stand.
    pub(crate) const ALL: [Self; 8] = [
        Self::Compare,
        Self::Waste,
        Self::Film,
        Self::Differences,
        Self::Run,
        Self::Operators,
        Self::Tensors,
        Self::Notes,
    ];

    /// For links and for those who look for it in the page.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Compare => "compare",
            Self::Waste => "waste",
            Self::Film => "film",
            Self::Differences => "differences",
            Self::Run => "run",
            Self::Operators => "operators",
            Self::Tensors => "tensors",
            Self::Notes => "notes",
        }
    }
}

impl From<Camera> for Window {
    fn from(camera: Camera) -> Self {
        Self {
            x: (camera.x.start, camera.x.end),
            y: (camera.y.start, camera.y.end),
        }
    }
}

/// Every signal of the page.
#[derive(Clone, Copy)]
pub(crate) struct Session {
    pub(crate) language: RwSignal<Language>,
    pub(crate) theme: RwSignal<Theme>,
    pub(crate) drawing: RwSignal<Drawing>,
    /// Whether this browser has a WebGPU adapter; `None` until it has answered.
    pub(crate) webgpu: RwSignal<Option<bool>>,
    pub(crate) file: RwSignal<Option<OpenFile>>,
    pub(crate) prepared: RwSignal<Option<Arc<Prepared>>>,
    pub(crate) plans: RwSignal<BTreeMap<Column, Progress>>,
    pub(crate) shown: RwSignal<Vec<Column>>,
    pub(crate) bindings: RwSignal<Bindings>,
    pub(crate) settings: RwSignal<Settings>,
    pub(crate) planning: Planning,
    /// `None` shows everything.
    pub(crate) window: RwSignal<Option<Window>>,
    /// Size of a pane's picture in CSS pixels, for looking around with the keyboard.
    pub(crate) size: RwSignal<(f64, f64)>,
    /// `None` until a person or a link chooses.
    pub(crate) coloring: RwSignal<Option<Coloring>>,
    /// Whether the system asks for dark.
    pub(crate) dark: RwSignal<bool>,
    /// Whether single keys are shortcuts.
    pub(crate) keys: RwSignal<bool>,
    pub(crate) hovered: RwSignal<Option<usize>>,
    pub(crate) selected: RwSignal<Option<usize>>,
    pub(crate) query: RwSignal<String>,
    pub(crate) lookup: Lookup,
    pub(crate) work: RwSignal<Work>,
    pub(crate) notice: RwSignal<Option<Notice>>,
    /// Files that wait for others that belong to them, dump by dump.
    pub(crate) waiting: RwSignal<Vec<String>>,
    pub(crate) dialog: RwSignal<Option<Dialog>>,
    pub(crate) tab: RwSignal<Tab>,
    pub(crate) runs: Runs,
    pub(crate) shipped: Shipped,
    pub(crate) what_if: WhatIf,
    pub(crate) films: Films,
    pub(crate) differences: Differences,
    pub(crate) insight: Insight,
}

impl Session {
    pub(crate) fn new() -> Self {
        let prepared = RwSignal::new(None);
        let plans = RwSignal::new(BTreeMap::new());
        let shown = RwSignal::new(Vec::new());
        let query = RwSignal::new(String::new());
        let runs = Runs::new();
        Self {
            language: RwSignal::new(Language::default()),
            theme: RwSignal::new(Theme::default()),
            drawing: RwSignal::new(Drawing::default()),
            webgpu: RwSignal::new(None),
            file: RwSignal::new(None),
            prepared,
            plans,
            shown,
            bindings: RwSignal::new(Bindings::new()),
            settings: RwSignal::new(Settings::default()),
            planning: Planning::new(),
            window: RwSignal::new(None),
            size: RwSignal::new((800.0, 400.0)),
            coloring: RwSignal::new(None),
            dark: RwSignal::new(false),
            keys: RwSignal::new(true),
            hovered: RwSignal::new(None),
            selected: RwSignal::new(None),
            query,
            lookup: Lookup::new(query, prepared, shown, plans),
            work: RwSignal::new(Work::default()),
            notice: RwSignal::new(None),
            waiting: RwSignal::new(Vec::new()),
            dialog: RwSignal::new(None),
            tab: RwSignal::new(Tab::default()),
            runs,
            shipped: Shipped::new(plans, runs),
            what_if: WhatIf::new(),
            films: Films::new(),
            differences: Differences::new(),
            insight: Insight::new(),
        }
    }

    /// A word in the chosen language; follows the language when read in a view.
    pub(crate) fn say(self, word: impl Spoken) -> &'static str {
        word.spoken(self.language.get())
    }

    /// How far everything that is shown reaches: the same for every pane, so that arenas can
    /// be compared by eye.
    pub(crate) fn extents(self) -> Extents {
        let (horizon, bound) = self.prepared.with(|prepared| {
            let prepared = prepared.as_ref();
            prepared.map_or((1, 1), |prepared| {
                let lifetimes = &prepared.subject.lifetimes;
                (lifetimes.horizon.0, prepared.bounds.offsets.0)
            })
        });
        let shown = self.shown.get();
        let arena = self.plans.with(|plans| {
            let planned = shown
                .iter()
                .filter_map(|column| plans.get(column)?.planned());
            planned.map(|planned| planned.judged.plan.arena.0).max()
        });
        Extents {
            horizon: to_f64(horizon.max(1)),
            top: to_f64(arena.unwrap_or(bound).max(bound).max(1)).max(self.film_top()),
        }
    }

    /// The camera of a pane of this size, in CSS pixels: on the chosen window, or on
    /// everything.
    pub(crate) fn camera(self, (width, height): (f64, f64)) -> Camera {
        match self.window.get() {
            Some(Window { x, y }) => Camera {
                x: Range::new(x.0, x.1),
                y: Range::new(y.0, y.1),
                width,
                height,
            },
            None => Camera::fitted(self.extents(), width, height, INSETS),
        }
    }

    /// Whether anything is open.
    pub(crate) fn is_open(self) -> bool {
        self.file.with(Option::is_some)
    }

    /// How many tensors are left out because they have no size.
    pub(crate) fn left_out(self) -> u64 {
        self.prepared.with(|prepared| {
            let split = prepared
                .as_ref()
                .and_then(|prepared| prepared.subject.split);
            split.map_or(0, |split| split.unsized_tensors)
        })
    }

    /// Whether what is shown are separate allocations and no arena.
    pub(crate) fn is_separate(self) -> bool {
        let separate = |prepared: &Arc<Prepared>| prepared.subject.separate;
        self.prepared
            .with(|prepared| prepared.as_ref().is_some_and(separate))
    }

    /// Whether the page is dark now.
    pub(crate) fn is_dark(self) -> bool {
        match self.theme.get() {
            Theme::System => self.dark.get(),
            Theme::Light => false,
            Theme::Dark => true,
        }
    }

    /// Runs `read` on the lifetimes, if there are any; follows them.
    pub(crate) fn with_lifetimes<T>(self, read: impl FnOnce(&Lifetimes) -> T) -> Option<T> {
        self.prepared.with(|prepared| {
            let prepared = prepared.as_ref()?;
            Some(read(&prepared.subject.lifetimes))
        })
    }

    /// The buffers that the search matches, or `None` when nothing is searched for.
    pub(crate) fn matches(self) -> Option<Vec<usize>> {
        let found = self.lookup.found.get()?;
        Some(found.buffers.clone())
    }
}

/// The session of this page.
pub(crate) fn session() -> Session {
    expect_context()
}

/// For drawing only: exact below 2^53.
#[expect(
    clippy::cast_precision_loss,
    reason = "positions on a screen need no more"
)]
pub(crate) fn to_f64(value: u64) -> f64 {
    value as f64
}
