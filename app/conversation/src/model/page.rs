//! What belongs to the page and not to a case.

use std::collections::BTreeSet;
use std::sync::Arc;

use executor::verify::report::Progress as RunProgress;
use lesson::Hidden;
use planner::Step;
use planner::deployed::LaneKind;
use planner::graph::TensorId;
use planner::load::{Figures, Table};
use runner::MachineKind;
use worker::{Asked, CaseId, Found, Packed};

use crate::model::appearance::{Dialog, Drawing, Tab, Theme};
use crate::model::ask::Ask;
use crate::model::case::Key;
use crate::model::comparison::Pair;
use crate::model::language::Language;
use crate::model::layout::Frame;
use crate::model::machines::Gpu;
use crate::model::notice::Notice;
use crate::model::tracked::Tracked;

/// What the worker is doing that the person waits for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Work {
    /// Nothing.
    #[default]
    Idle,
    /// Reading a file of this name.
    Opening(String),
    /// Sizing tensors and finding lifetimes: so many of at most so many orders were looked at;
    /// none where none is looked for.
    Preparing(u64, u64),
    /// Planning columns.
    Planning,
    /// Nothing, and lifetimes were not found: that was stopped.
    Stopped,
}

impl Work {
    /// Whether anything is at work.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        !matches!(self, Self::Idle | Self::Stopped)
    }
}

/// A figure over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LaneName {
    /// Free bytes of the arena.
    Free,
    /// The largest free range.
    Largest,
    /// How many free ranges there are.
    FreeRanges,
    /// The share of the free bytes outside the largest free range.
    Fragmentation,
    /// What the file says.
    File(LaneKind),
    /// Reserved by the allocator and not handed out.
    ReservedFree,
}

/// A run that is going on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Going {
    /// Of which case.
    pub case: CaseId,
    /// Which plan.
    pub key: Key,
    /// The machine that runs it.
    pub machine: MachineKind,
    /// The seed of its inputs.
    pub seed: u64,
    /// Inputs that a file feeds: position and name of the file.
    pub fed: Vec<(usize, String)>,
    /// Where it is, once it has begun.
    pub progress: Option<RunProgress>,
    /// What is run after it.
    pub rest: Vec<Key>,
    /// The tensors whose elements are wanted; none where the plan is to be confirmed.
    pub tensors: Vec<TensorId>,
    /// How many steps are run; `None` for all of them.
    pub until: Option<usize>,
}

/// For how many seconds a run has sent nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Quiet {
    /// Since the runner has last given any sign.
    pub mute: u32,
    /// Since the run has last gone on.
    pub still: u32,
}

impl Quiet {
    /// Another second has gone by. Seconds are counted rather than clocked: a page that sleeps
    /// counts none.
    pub(crate) fn after(self, answered: bool, progressed: bool) -> Self {
        let count = |seconds: u32, sign: bool| if sign { 0 } else { seconds.saturating_add(1) };
        Self {
            mute: count(self.mute, answered || progressed),
            still: count(self.still, progressed),
        }
    }
}

/// What belongs to the page and not to a case.
#[derive(Debug)]
pub struct Page {
    /// The language of its sentences.
    pub language: Tracked<Language>,
    /// Light or dark.
    pub theme: Tracked<Theme>,
    /// The renderer.
    pub drawing: Tracked<Drawing>,
    /// Whether this browser has a WebGPU adapter; `None` until it has answered.
    pub webgpu: Tracked<Option<bool>>,
    /// Size of a pane's picture in CSS pixels, for looking around with the keyboard.
    pub size: Tracked<(f64, f64)>,
    /// Whether the system asks for dark.
    pub dark: Tracked<bool>,
    /// Whether the system asks for less motion.
    pub calm: Tracked<bool>,
    /// How the window is divided.
    pub frame: Tracked<Frame>,
    /// Whether single keys are shortcuts.
    pub keys: Tracked<bool>,
    /// The dialog over the page.
    pub dialog: Tracked<Option<Dialog>>,
    /// The table that is to be opened once somebody has said what its columns mean.
    pub table: Tracked<Option<Arc<Table>>>,
    /// What the text says of memory that was opened last and has no plan in it.
    pub figures: Tracked<Option<Arc<Figures>>>,
    /// What lies under the panes.
    pub tab: Tracked<Tab>,
    /// The message that is shown.
    pub notice: Tracked<Option<Notice>>,
    /// Files that wait for others that belong to them, dump by dump.
    pub waiting: Tracked<Vec<String>>,
    /// What waits, in the tab that is seen, for files that complete the other dump.
    pub completes: Tracked<Vec<String>>,
    /// What the person waits for.
    pub work: Tracked<Work>,
    /// Whether everything that is seen is as it stays: nothing is at work for it.
    pub idle: Tracked<bool>,
    /// Whether the panes of all cases show the same steps and addresses.
    pub linked: Tracked<bool>,
    /// The dumps that are compared.
    pub pair: Tracked<Option<Pair>>,
    /// Whether lanes are seen; `None` leaves it to the page.
    pub lanes_open: Tracked<Option<bool>>,
    /// The lanes that are seen then.
    pub lanes: Tracked<BTreeSet<LaneName>>,
    /// Whether graphs are seen.
    pub graph: Tracked<bool>,
    /// The step under the pointer.
    pub pointed: Tracked<Option<Step>>,
    /// Whether there is a GPU.
    pub gpu: Tracked<Gpu>,
    /// The machine that runs.
    pub machine: Tracked<MachineKind>,
    /// Seeds the inputs of runs.
    pub seed: Tracked<u64>,
    /// Whether the outputs are compared with the CPU reference's.
    pub reference: Tracked<bool>,
    /// The run that is going on.
    pub going: Tracked<Option<Going>>,
    /// For how long it has been quiet.
    pub quiet: Tracked<Quiet>,
    /// Whether dragging a rectangle moves it without Shift too.
    pub handy: Tracked<bool>,
    /// The scene of a lesson that is shown, as a link calls it.
    pub scene: Tracked<Option<String>>,
    /// What of the page a scene hides.
    pub hidden: Tracked<BTreeSet<Hidden>>,
    /// What is right in it.
    pub measured: Ask<Packed<Asked>, Packed<Found>>,
}

impl Default for Page {
    fn default() -> Self {
        let lanes = [
            LaneName::Free,
            LaneName::Fragmentation,
            LaneName::ReservedFree,
        ];
        Self {
            language: Tracked::default(),
            theme: Tracked::default(),
            drawing: Tracked::default(),
            webgpu: Tracked::default(),
            size: Tracked::new((800.0, 400.0)),
            dark: Tracked::default(),
            calm: Tracked::default(),
            frame: Tracked::default(),
            keys: Tracked::new(true),
            dialog: Tracked::default(),
            table: Tracked::default(),
            figures: Tracked::default(),
            tab: Tracked::default(),
            notice: Tracked::default(),
            waiting: Tracked::default(),
            completes: Tracked::default(),
            work: Tracked::default(),
            idle: Tracked::default(),
            linked: Tracked::new(true),
            pair: Tracked::default(),
            lanes_open: Tracked::default(),
            lanes: Tracked::new(lanes.into()),
            graph: Tracked::new(true),
            pointed: Tracked::default(),
            gpu: Tracked::default(),
            machine: Tracked::default(),
            seed: Tracked::new(1),
            reference: Tracked::new(true),
            going: Tracked::default(),
            quiet: Tracked::default(),
            handy: Tracked::default(),
            scene: Tracked::default(),
            hidden: Tracked::default(),
            measured: Ask::default(),
        }
    }
}
