//! What is known of the training steps of a case.

use std::collections::VecDeque;
use std::sync::Arc;

use executor::verify::report::Progress;
use executor::verify::zeros::Zeros;
use planner::advice::Allocators;
use planner::graph::Bindings;
use planner::training::advisor::{Advice, Kinds, Wanted};
use planner::training::devices::{Batches, Device};
use planner::training::dtr::decisions::Decisions;
use planner::training::estimate::{Allocator, Asked, NoEstimate};
use planner::training::sharding::bars::{Axis, Bar};
use planner::training::stage::NoStep;
use planner::training::swap::timetable::Timetable;
use planner::training::switches::Switch;
use planner::training::table::PolicyTable;
use planner::{AllocatorSettings, Bytes, PlanError, Recipe, Settings, Step, Strategy, Training};
use worker::{CaseId, Estimated, TrainingWanted, Untrained};

use crate::model::ask::Ask;
use crate::model::case::Trouble;
use crate::model::text::Edited;
use crate::model::tracked::Tracked;

/// A training step and its budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChosenStep {
    /// How many samples it has.
    pub batch: u64,
    /// What its values may take at once.
    pub budget: Option<Bytes>,
    /// What it is made of.
    pub recipe: Recipe,
}

/// How far the table of policies is.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum TrainingFound {
    /// Nobody has asked for it.
    #[default]
    Unasked,
    /// The first part is at work.
    Working,
    /// There, but for the parts that are asked for yet.
    There(Arc<PolicyTable>),
    /// There is no training step, for this reason.
    Nothing(NoStep),
    /// It was stopped.
    Stopped,
}

/// Whether the picture shows the run as far as the eviction that is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EvictionFilm {
    /// It shows the whole run.
    #[default]
    Off,
    /// So far, and stands.
    Stands,
    /// So far, and goes on to the next eviction by itself.
    Plays,
}

/// Who is asked for a step's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AskedFor {
    /// PyTorch's caching allocator as it comes.
    Caching,
    /// The same with expandable segments.
    Expandable,
    /// Nobody while it runs: values are planned in advance.
    Planned,
}

impl AskedFor {
    /// Who is asked in a case of the advisor, as far as there is a choice of it.
    pub(crate) const fn of(by: Allocator) -> Self {
        match by {
            Allocator::Planned(_) => Self::Planned,
            Allocator::Caching(settings) if settings.expandable => Self::Expandable,
            Allocator::Caching(_) => Self::Caching,
        }
    }

    fn allocator(self) -> Allocator {
        match self {
            Self::Planned => Allocator::Planned(Strategy::Best),
            Self::Caching | Self::Expandable => Allocator::Caching(AllocatorSettings {
                expandable: self == Self::Expandable,
                ..AllocatorSettings::DEFAULT
            }),
        }
    }
}

/// What an estimate follows from.
type EstimateOf = (TrainingOf, Asked, Option<CaseId>);

/// How what a step takes on a device is estimated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimating {
    /// Steps one after the other.
    pub steps: u32,
    /// What the driver takes for a process; `None` where nobody knows.
    pub context: Option<Bytes>,
    /// What an operator has beside its value while it runs; `None` where nobody knows.
    pub workspace: Option<Bytes>,
    /// Who is asked for memory.
    pub by: AskedFor,
    /// The case with the snapshot that is set beside it.
    pub measured: Option<CaseId>,
}

impl Default for Estimating {
    /// Two steps, because the first has no optimizer state when it begins.
    fn default() -> Self {
        Self {
            steps: 2,
            context: None,
            workspace: None,
            by: AskedFor::Caching,
            measured: None,
        }
    }
}

impl Estimating {
    /// What is asked about a step and its schedule.
    pub(crate) fn of(self, training: Training) -> Asked {
        Asked {
            training,
            steps: self.steps,
            workspace: self.workspace,
            context: self.context,
            by: self.by.allocator(),
        }
    }
}

/// What is asked of the advisor beside the step and its device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fitting {
    /// How many devices there are.
    pub devices: u32,
    /// Samples of a step, over all devices.
    pub batch: u64,
    /// What may be changed.
    pub kinds: Kinds,
}

impl Default for Fitting {
    fn default() -> Self {
        Self {
            devices: 1,
            batch: 1,
            kinds: Kinds::lossless(),
        }
    }
}

/// How far a run is that counts the zeros of ReLUs.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Counting {
    /// There is none.
    #[default]
    Rests,
    /// The model is made ready for it.
    Begins,
    /// It goes on.
    Runs(Option<Progress>),
    /// It has no result.
    Failed(Trouble),
}

/// The training steps of a case.
#[derive(Debug)]
pub struct TrainingSteps {
    /// How far the table is.
    pub found: Tracked<TrainingFound>,
    /// Which step it is, and under which budget.
    pub chosen: Tracked<ChosenStep>,
    /// Whether what is missing of the table was stopped.
    pub stopped: Tracked<bool>,
    /// How many parts of the table are there, and how many there will be.
    pub parts: Tracked<(u64, u64)>,
    /// What the table follows from that is asked for.
    pub(crate) asked_with: Option<TrainingOf>,
    /// Parts of the table that are not there yet, in the order in which they are asked for.
    pub(crate) wanted: VecDeque<TrainingWanted>,
    /// Why the planned policy evicts what it does.
    pub evictions: Ask<(TrainingOf, Training), Decisions>,
    /// Which of these is looked at.
    pub eviction: Tracked<usize>,
    /// Whether the picture goes as far as the eviction, and how.
    pub film: Tracked<EvictionFilm>,
    /// As far as this step, where it does not show all of it.
    pub until: Tracked<Option<Step>>,
    /// The number of the tick that the film waits for.
    pub(crate) tick: u32,
    /// What PyTorch's users are told to do, and what it saves.
    pub switches: Ask<TrainingOf, Result<Vec<Switch>, NoStep>>,
    /// The device, if one is chosen.
    pub device: Tracked<Option<Device>>,
    /// Whether the budget is what the step leaves of its memory.
    pub(crate) fills_device: bool,
    /// The largest batches that fit into it.
    pub batches: Ask<(TrainingOf, Bytes), Batches>,
    /// What the planned policy does over time, where it swaps.
    pub timetable: Ask<(TrainingOf, Training), Timetable>,
    /// Which of its runs is looked at.
    pub iteration: Tracked<usize>,
    /// How the estimate is made.
    pub estimating: Tracked<Estimating>,
    /// What the step takes on a device.
    pub estimate: Ask<EstimateOf, Result<Box<Estimated>, NoEstimate>>,
    /// What other allocators would reserve.
    pub allocators: Ask<(TrainingOf, Asked), Result<Allocators, NoEstimate>>,
    /// What a rank holds where something is chosen otherwise.
    pub bars: Ask<(TrainingOf, Asked, Axis), Vec<Bar>>,
    /// The cheapest way to make it fit.
    pub fits: Ask<(TrainingOf, Wanted), Result<Box<Advice>, NoEstimate>>,
    /// What is asked of the advisor.
    pub fitting: Tracked<Fitting>,
    /// All that a step asks for, as a file of a problem.
    pub requests: Ask<(TrainingOf, Asked), Result<String, NoEstimate>>,
    /// What is chosen otherwise.
    pub axis: Tracked<Axis>,
    /// The zeros of ReLUs, as the last run that was asked for them has counted them.
    pub zeros: Tracked<Option<Arc<Zeros>>>,
    /// How far a run is that counts them.
    pub counting: Tracked<Counting>,
    /// The model that it is to run.
    pub(crate) to_run: Option<Result<Box<Untrained>, PlanError>>,
    /// Whether the part at work is the first of them.
    pub(crate) asked: bool,
    /// What the next part takes the place of.
    pub(crate) anew: Anew,
    /// Whether the budget slides: then only the first part is made, so that the next budget does
    /// not wait for a search.
    pub(crate) slides: bool,
}

/// What of the table holds no longer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Anew {
    /// Nothing.
    #[default]
    Nothing,
    /// The rows: another budget is chosen.
    Rows,
    /// All of it.
    All,
}

/// What the table follows from.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingOf {
    /// The edited text of the graph.
    pub(crate) text: Edited,
    pub(crate) bindings: Bindings,
    pub(crate) settings: Settings,
    pub(crate) chosen: ChosenStep,
    /// The counted zeros, where the recipe takes them.
    pub(crate) zeros: Option<Arc<Zeros>>,
}

impl Default for ChosenStep {
    fn default() -> Self {
        Self {
            batch: 1,
            budget: None,
            recipe: Recipe::default(),
        }
    }
}

impl Default for TrainingSteps {
    fn default() -> Self {
        Self {
            found: Tracked::default(),
            chosen: Tracked::default(),
            stopped: Tracked::default(),
            parts: Tracked::default(),
            asked_with: None,
            wanted: VecDeque::new(),
            evictions: Ask::default(),
            eviction: Tracked::default(),
            film: Tracked::default(),
            until: Tracked::default(),
            tick: 0,
            switches: Ask::default(),
            timetable: Ask::default(),
            iteration: Tracked::default(),
            estimating: Tracked::default(),
            estimate: Ask::default(),
            allocators: Ask::default(),
            bars: Ask::default(),
            requests: Ask::default(),
            fits: Ask::default(),
            fitting: Tracked::default(),
            axis: Tracked::default(),
            device: Tracked::default(),
            fills_device: false,
            batches: Ask::default(),
            zeros: Tracked::default(),
            counting: Tracked::default(),
            to_run: None,
            asked: false,
            anew: Anew::Nothing,
            slides: false,
        }
    }
}
