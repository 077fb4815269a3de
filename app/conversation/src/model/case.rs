//! One case: what is open, prepared in one way, with its plans and how they are looked at.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use executor::verify::report::Report;
use planner::graph::{Bindings, TensorId};
use planner::load::Columns;
use planner::stages::Staged;
use planner::trace::SearchStage;
use planner::{
    Clash, Effort, Lifetimes, Message, Offset, Options, PlanError, Pool, Settings, Step, Strategy,
};
use runner::{Adapter, Failure, MachineKind, Output};
use worker::{CaseId, Explained, Opened, Packed, Planned, Prepared, Topic};

use crate::model::advice::Advising;
use crate::model::appearance::{Coloring, Window};
use crate::model::ask::Ask;
use crate::model::column::Column;
use crate::model::film::Recording;
use crate::model::hand::Operation;
use crate::model::insight::Insight;
use crate::model::link::Handiwork;
use crate::model::look::Views;
use crate::model::pace::Pace;
use crate::model::price::Pricing;
use crate::model::progress::Progress;
use crate::model::source::Source;
use crate::model::stages::StagesOf;
use crate::model::sweep::{Range, Sweep};
use crate::model::text::{Rewriting, Text};
use crate::model::tracked::Tracked;
use crate::model::training_steps::TrainingSteps;

/// The open file.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenFile {
    /// Name on disk, or the sample's title.
    pub name: String,
    /// The sample's id, for the address bar.
    pub sample: Option<String>,
    /// The plan that came with a link, as the link has it.
    pub shared: Option<Arc<str>>,
    /// The number of the visit, of user files.
    pub visit: Option<u32>,
    /// Size in bytes.
    pub bytes: u64,
    /// What it turned out to be.
    pub opened: Arc<Opened>,
}

/// What a case is there for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// Its panes are seen.
    #[default]
    Shown,
    /// Only its figures are needed, for the price of parallel safety of this case.
    Figures(CaseId),
}

/// A plan that was run: a column's, and whether it was edited before.
pub type Key = (Column, bool);

/// What an input is fed with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Feeding {
    /// Seeded random elements.
    #[default]
    Seeded,
    /// A file of this name, as elements.
    File(String, Arc<Vec<u8>>),
    /// A file of this name does not fit; why.
    Misfit(String, Message),
}

/// What became of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The machine that ran it.
    pub machine: MachineKind,
    /// The seed of its inputs.
    pub seed: u64,
    /// Inputs that a file fed: position and name of the file.
    pub fed: Vec<(usize, String)>,
    /// The GPU, where one ran it.
    pub adapter: Option<Adapter>,
    /// What was found, or why nothing was.
    pub result: Result<Report, Trouble>,
}

/// Why there is no report.
#[derive(Clone, Debug, PartialEq)]
pub enum Trouble {
    /// The runner says why.
    Failure(Failure),
    /// The runner died with these words.
    Died(Message),
}

/// A plan that was changed by hand or corrupted.
#[derive(Clone, Debug, PartialEq)]
pub struct Edit {
    /// The plan before.
    pub original: Arc<Planned>,
    /// The buffers that were moved, each once, with where they were.
    pub moved: BTreeMap<usize, Offset>,
}

/// A rectangle that is being dragged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drag {
    /// Of which plan.
    pub column: Column,
    /// Which buffer, by index.
    pub buffer: usize,
    /// Where it is held.
    pub to: Offset,
}

/// A column's plan at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Version {
    /// Which column's.
    pub column: Column,
    /// The changed plan, if it was changed.
    pub planned: Option<Arc<Planned>>,
    /// What was pinned.
    pub pins: BTreeSet<usize>,
}

/// How far a film is.
#[derive(Clone, Debug, PartialEq)]
pub enum FilmState {
    /// Not begun.
    Waiting,
    /// At work: done and total parts.
    Working(u64, u64),
    /// There.
    Done(Arc<Recording>),
    /// There is none.
    Failed(PlanError),
}

/// What is chosen and known of planning beside the plans.
#[derive(Debug, Default)]
pub struct Planning {
    /// The memories to plan for; empty for one without a limit.
    pub pools: Tracked<Vec<Pool>>,
    /// How long searches may search.
    pub effort: Tracked<Effort>,
    /// The stage of the strategy at work, as far as it says so.
    pub stage: Tracked<Option<SearchStage>>,
    /// What running operators at the same time costs.
    pub price: Tracked<Pricing>,
    /// The bound whose witness is shown: its place in the list.
    pub witness: Tracked<Option<usize>>,
    /// Two fixed addresses that collide, so that there is no plan.
    pub clash: Tracked<Option<Clash>>,
}

/// What was changed by hand.
#[derive(Debug)]
pub struct ManualEdits {
    /// The plans that were changed.
    pub edits: Tracked<BTreeMap<Column, Arc<Edit>>>,
    /// The buffers of each plan that stay where they are.
    pub pins: Tracked<BTreeMap<Column, BTreeSet<usize>>>,
    /// What can be undone, the latest last.
    pub past: Tracked<Vec<Version>>,
    /// What can be done again, the latest undone last.
    pub future: Tracked<Vec<Version>>,
    /// The buffer that waits for another to change places with.
    pub partner: Tracked<Option<usize>>,
    /// The buffer that corrupting moves; `None` for the selected one, or any.
    pub culprit: Tracked<Option<usize>>,
    /// The buffer that it is moved onto; `None` for any.
    pub victim: Tracked<Option<usize>>,
    /// What plans the rest.
    pub finisher: Tracked<Strategy>,
    /// The plan that a strategy is finishing, and the number of the wish.
    pub finishing: Tracked<Option<(Column, u32)>>,
    /// The rectangle that is held.
    pub moving: Tracked<Option<Drag>>,
    /// What is still to be done, one after the other: each begins at what the one before left.
    pub(crate) waiting: VecDeque<Operation>,
    /// The change that the worker is to judge.
    pub(crate) pending: Option<crate::model::hand::PendingEdit>,
    /// What a link changes by hand, of plans that are not made yet.
    pub(crate) wanted: Handiwork,
    /// Seed of the next corruption, so that every click makes another one.
    pub(crate) corruptions: u64,
    /// Number of the latest wish to a strategy.
    pub(crate) wishes: u32,
}

impl Default for ManualEdits {
    fn default() -> Self {
        Self {
            edits: Tracked::default(),
            pins: Tracked::default(),
            past: Tracked::default(),
            future: Tracked::default(),
            partner: Tracked::default(),
            culprit: Tracked::default(),
            victim: Tracked::default(),
            finisher: Tracked::new(Strategy::Best),
            finishing: Tracked::default(),
            moving: Tracked::default(),
            waiting: VecDeque::new(),
            pending: None,
            wanted: Handiwork::new(),
            corruptions: 0,
            wishes: 0,
        }
    }
}

/// What was run, and with what.
#[derive(Debug, Default)]
pub struct Runs {
    /// By input of the graph.
    pub inputs: Tracked<BTreeMap<usize, Feeding>>,
    /// The plan that the buttons are about; `None` leaves it to what is shown.
    pub target: Tracked<Option<Column>>,
    /// What was found.
    pub outcomes: Tracked<BTreeMap<Key, Arc<Outcome>>>,
    /// The outcome that is shown.
    pub shown: Tracked<Option<Key>>,
    /// The elements of tensors that were asked for last, or why there are none.
    pub values: Tracked<Option<Arc<Values>>>,
}

/// Elements of tensors, as a run of a plan left them.
#[derive(Debug)]
pub struct Values {
    /// The plan that was run.
    pub key: Key,
    /// The machine that ran it.
    pub machine: MachineKind,
    /// The seed of its inputs.
    pub seed: u64,
    /// The tensors that were asked for.
    pub tensors: Vec<TensorId>,
    /// Those of them that the run makes, or why there is no result.
    pub outputs: Result<Vec<Output>, Trouble>,
}

/// Films and where they stand.
#[derive(Debug)]
pub struct Films {
    /// By column.
    pub states: Tracked<BTreeMap<Column, FilmState>>,
    /// Steps that are shown, of the film that the pace counts by; 0 shows nothing placed.
    pub cursor: Tracked<usize>,
    /// Where the cursor was when it last stood still, or a moment ago, for the address bar.
    pub rest: Tracked<usize>,
    /// Whether they play.
    pub playing: Tracked<bool>,
    /// How fast.
    pub speed: Tracked<f64>,
    /// How two of them keep step.
    pub pace: Tracked<Pace>,
    /// Number of the next tick, and the part of a step that is owed then.
    pub(crate) tick: (u32, f64),
    /// Milliseconds since it was last written while they play.
    pub(crate) unwritten: u32,
}

impl Default for Films {
    fn default() -> Self {
        Self {
            states: Tracked::default(),
            cursor: Tracked::default(),
            rest: Tracked::default(),
            playing: Tracked::default(),
            speed: Tracked::new(1.0),
            pace: Tracked::default(),
            tick: (0, 0.0),
            unwritten: 0,
        }
    }
}

/// What is still to be asked of the worker.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    /// The files, to open them again.
    pub(crate) source: Option<Source>,
    /// Whether the worker has what is open.
    pub(crate) held: bool,
    /// The zeros that were counted, as it is told them.
    pub(crate) zeros: Option<Packed<Vec<(String, u16)>>>,
    /// Whether it has them, too.
    pub(crate) zeros_told: bool,
    /// Whether lifetimes have to be found again.
    pub(crate) stale: bool,
    /// Whether the worker only receives again what the page already shows.
    pub(crate) resume: bool,
    /// What lifetimes are asked for with, and what those on the page were found with.
    pub(crate) asked_with: Option<(Bindings, Settings)>,
    pub(crate) found_with: Option<(Bindings, Settings)>,
    /// Columns still to be planned.
    pub(crate) columns: VecDeque<Column>,
    /// Columns still to be filmed, before any is planned.
    pub(crate) films: VecDeque<Column>,
    /// Plans still to be explained, before any is planned.
    pub(crate) explains: VecDeque<(Column, Arc<Planned>)>,
    /// What a strategy is to plan around what is kept.
    pub(crate) finish: Option<crate::model::hand::Finish>,
    /// The plan that is to be written into the model.
    pub(crate) export: Option<(Column, Arc<Planned>)>,
    /// What is wanted in the background.
    pub(crate) asks: BTreeSet<Topic>,
    /// The text that is to be read in its place.
    pub(crate) rewrite: Option<Rewriting>,
    /// Whether the price of running in parallel is wanted.
    pub(crate) price: bool,
}

/// What is open, prepared in one way.
#[derive(Debug, Default)]
pub struct Case {
    /// Its number, which no other case has had.
    pub id: CaseId,
    /// What it is there for.
    pub role: Role,
    /// The open file.
    pub file: Tracked<Option<OpenFile>>,
    /// Graph, lifetimes and bounds; `None` while they are being found.
    pub prepared: Tracked<Option<Arc<Prepared>>>,
    /// By column.
    pub plans: Tracked<BTreeMap<Column, Progress>>,
    /// The columns in view.
    pub shown: Tracked<Vec<Column>>,
    /// Values of symbolic dimensions.
    pub bindings: Tracked<Bindings>,
    /// What was chosen about lifetimes.
    pub settings: Tracked<Settings>,
    /// What was chosen about planning.
    pub planning: Planning,
    /// What part of memory × time is in view; `None` shows everything.
    pub window: Tracked<Option<Window>>,
    /// What colours mean; `None` until a person or a link chooses.
    pub coloring: Tracked<Option<Coloring>>,
    /// The buffer under the pointer, by index.
    pub hovered: Tracked<Option<usize>>,
    /// The buffer that was chosen, by index.
    pub selected: Tracked<Option<usize>>,
    /// What is searched for.
    pub query: Tracked<String>,
    /// What was changed by hand.
    pub hand: ManualEdits,
    /// What was run.
    pub runs: Runs,
    /// The decisions of strategies.
    pub films: Films,
    /// What is asked of plans.
    pub insight: Insight,
    /// What could be changed of the plan that came with the document.
    pub advice: Advising,
    /// The model after each of its passes.
    pub stages: Ask<StagesOf, Staged>,
    /// The model as a training step.
    pub training: TrainingSteps,
    /// The graph as text.
    pub text: Text,
    /// What comes of one value after the other.
    pub sweep: Tracked<Option<Sweep>>,
    /// What somebody has asked for last.
    pub(crate) range: Option<Arc<Range>>,
    /// The two plans that are compared; `None` leaves it to the page.
    pub compared: Tracked<Option<(Column, Column)>>,
    /// Whether everything that moved is outlined there, not only what decides.
    pub all_moved: Tracked<bool>,
    /// Whether each pane has a scale of addresses of its own; `None` leaves it to the page.
    pub own_scale: Tracked<Option<bool>>,
    /// Whether times are across, not steps; what is in view is of that.
    pub timed: Tracked<bool>,
    /// What was in view before, and is to be again.
    pub views: Tracked<Views>,
    /// Whether it is still to be found which plans are compared at first.
    pub(crate) undecided: bool,
    /// Name of the buffer to select once lifetimes are there.
    pub(crate) select: Option<String>,
    /// The step to look at then.
    pub(crate) look_at: Option<Step>,
    pub(crate) queue: Queue,
}

impl Case {
    /// What the columns of its file mean, as far as a person has said it.
    pub(crate) fn columns(&self) -> Columns {
        let source = self.queue.source.as_ref();
        source.map_or_else(Columns::default, |source| source.columns.clone())
    }

    /// Whether its panes are seen.
    #[must_use]
    pub fn is_shown(&self) -> bool {
        self.role == Role::Shown
    }

    /// Whether what was chosen about lifetimes is newer than those that are shown.
    #[must_use]
    pub fn wants_lifetimes(&self) -> bool {
        self.queue.stale || self.queue.asked_with.is_some()
    }

    /// What plans must respect beside their lifetimes, as chosen now.
    #[must_use]
    pub fn options(&self) -> Options {
        Options {
            alignment: self.settings.alignment,
            pools: self.planning.pools.clone(),
            effort: *self.planning.effort,
            largest_allocation: self.settings.largest_allocation,
        }
    }

    /// Whether there is such a column: the file may bring no plan of its own.
    #[must_use]
    pub fn has(&self, column: Column) -> bool {
        let brings = |file: &OpenFile| file.opened.deployed;
        column != Column::Deployed || self.file.as_ref().is_some_and(brings)
    }

    /// What is planned, once it is known.
    #[must_use]
    pub fn lifetimes(&self) -> Option<&Lifetimes> {
        Some(&self.prepared.as_ref()?.subject.lifetimes)
    }

    /// A column's plan, once there is one.
    #[must_use]
    pub fn planned(&self, column: Column) -> Option<&Arc<Planned>> {
        self.plans.get(&column)?.planned()
    }

    /// Every column with a plan, in the order of the columns.
    #[must_use]
    pub fn planned_columns(&self) -> Vec<Column> {
        let planned = self.plans.iter();
        let planned = planned.filter(|(_, plan)| plan.planned().is_some());
        planned.map(|(column, _)| *column).collect()
    }

    /// The plan that the buttons are about: the chosen one, else the first that is shown and
    /// reuses memory, else the first that there is.
    #[must_use]
    pub fn target(&self) -> Option<Column> {
        let reuses = |column: &Column| *column != Column::Strategy(Strategy::Naive);
        let shown = self.shown.iter().copied();
        let (reusing, naive): (Vec<Column>, Vec<Column>) = shown.partition(reuses);
        let shown = reusing.into_iter().chain(naive);
        let all = self.runs.target.iter().copied().chain(shown);
        let mut all = all.chain(self.plans.keys().copied());
        all.find(|column| self.planned(*column).is_some())
    }

    /// Where the plan of a column puts a buffer.
    #[must_use]
    pub fn offset(&self, column: Column, buffer: usize) -> Option<Offset> {
        let offsets = &self.planned(column)?.judged.plan.offsets;
        offsets.get(buffer).copied()
    }

    /// Why the plan of `column` is as large as it is, once that is known.
    #[must_use]
    pub fn explained(&self, column: Column) -> Option<Arc<Explained>> {
        let planned = self.planned(column)?;
        let known = self.insight.known.get(&column)?;
        let current = Arc::ptr_eq(&known.planned, planned);
        known.explained.clone().filter(|_| current)
    }

    /// The pinned buffers of a plan.
    #[must_use]
    pub fn pinned(&self, column: Column) -> BTreeSet<usize> {
        self.hand.pins.get(&column).cloned().unwrap_or_default()
    }

    /// The plan of a column as a run knows it.
    #[must_use]
    pub fn key(&self, column: Column) -> Key {
        (column, self.hand.edits.contains_key(&column))
    }

    /// Whether the search for any plan goes on, or a change is still to be judged.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.plans.values().any(Progress::is_open)
            || self.hand.pending.is_some()
            || !self.hand.waiting.is_empty()
    }
}
