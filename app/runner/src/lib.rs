//! Runs plans beside the page and confirms their bytes: Request in, Reply out.
//!
//! A run lives in a worker of its own, so that it never blocks the page, is cancelled by
//! ending the worker, and takes nothing with it when it fails. Nothing here needs a browser,
//! so the whole conversation is tested natively.

pub mod array;
mod server;
mod execution;
mod failure;
pub mod picture;
pub mod profile;
pub mod values;

use std::future::{Future, ready};
use std::pin::Pin;

use executor::engine::{Connection, Entry};
use executor::lower::families::{Family, Operators};
use executor::verify::report::{Progress, Report};
use executor::verify::values::Values;
use executor::verify::zeros::Zeros;
use planner::graph::{Bindings, DType, TensorId};
use planner::{Lifetimes, Message, Plan, Program, Settings, Strategy};
use serde::{Deserialize, Serialize};

pub use execution::{OPENER, Opener};
pub use failure::Failure;
pub use server::Server;

/// The version of wgpu that runs go through, for reports.
pub const WGPU: &str = "30.0.1";

/// What the page asks for. `id` comes back in every reply, so that the page can drop
/// replies to questions that it no longer has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// Is there a GPU?
    Connect {
        /// Number of the question.
        id: u32,
    },
    /// Confirm a plan; the model's file comes with this message.
    Confirm {
        /// Number of the question.
        id: u32,
        /// What to confirm.
        run: Box<Run>,
    },
    /// Run a plan as far as these tensors are ready, and send their elements; the model's file
    /// comes with this message.
    Values {
        /// Number of the question.
        id: u32,
        /// What to run.
        run: Box<Run>,
        /// Whose elements.
        tensors: Vec<TensorId>,
    },
    /// Run a plan on the CPU as far as its last ReLU, and count the zeros of each; the model's file
    /// comes with this message.
    Zeros {
        /// Number of the question.
        id: u32,
        /// What to run.
        run: Box<Run>,
    },
    /// Open the model that comes with this message, plan it and run it.
    Execute {
        /// Number of the question.
        id: u32,
        /// How.
        execution: Execution,
    },
}

/// The machine that runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum MachineKind {
    /// The GPU, through WebGPU in the browser.
    #[default]
    Gpu,
    /// The CPU references of the kernels.
    Cpu,
}

/// A plan to be confirmed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The sized and folded graph with its schedule and storages.
    pub program: Program,
    /// Values of symbolic dimensions.
    pub bindings: Bindings,
    /// What is planned.
    pub lifetimes: Lifetimes,
    /// Where it is planned to lie.
    pub plan: Plan,
    /// What was chosen about lifetimes.
    pub settings: Settings,
    /// The machine that runs it.
    pub machine: MachineKind,
    /// What each input of the graph is fed with, in its order; missing ones are seeded.
    pub inputs: Vec<Feed>,
    /// Seeds the inputs that are not given.
    pub seed: u64,
    /// Whether the plan was corrupted on purpose, and is to be run although it cannot be right.
    pub corrupted: bool,
    /// Whether the outputs are compared with the CPU reference's.
    pub reference: bool,
    /// Whether the run without reuse is made.
    pub naive: bool,
    /// How many steps are run; `None` for all of them.
    pub until: Option<usize>,
}

/// What an input is fed with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Feed {
    /// Seeded random elements.
    #[default]
    Seeded,
    /// These little-endian elements.
    Elements(Vec<u8>),
}

/// Runs of a model, for callers of this program as a library.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Execution {
    /// The machine that runs it.
    pub machine: MachineKind,
    /// Values of symbolic dimensions.
    pub bindings: Bindings,
    /// What is chosen about lifetimes.
    pub settings: Settings,
    /// What plans it.
    pub strategy: Strategy,
    /// What each input of the graph is fed with, in its order.
    pub inputs: Vec<Feed>,
    /// Seeds the inputs that are not given.
    pub seed: u64,
    /// How many times it runs, with the same buffers; 0 means 1.
    pub runs: u32,
}

/// What the page receives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Reply {
    /// There is a GPU, or why there is none.
    Connected {
        /// Number of the question.
        id: u32,
        /// What is known of it.
        adapter: Result<Adapter, Message>,
    },
    /// A confirmation is at work.
    Progress {
        /// Number of the question.
        id: u32,
        /// Where it is.
        progress: Progress,
    },
    /// A confirmation is done.
    Confirmed {
        /// Number of the question.
        id: u32,
        /// What was found.
        report: Box<Report>,
        /// The GPU that ran it, if one did.
        adapter: Option<Adapter>,
    },
    /// A model was run, or a plan as far as was asked for.
    Outputs {
        /// Number of the question.
        id: u32,
        /// The graph's outputs after the last run, in its order; of a plan the tensors that
        /// were asked for and that it makes.
        outputs: Vec<Output>,
        /// Milliseconds of each run, from its inputs' upload to its outputs.
        times: Vec<f64>,
        /// Every buffer that was made for the runs.
        ledger: Vec<Entry>,
    },
    /// Zeros are counted.
    Zeros {
        /// Number of the question.
        id: u32,
        /// Those of each ReLU.
        zeros: Zeros,
    },
    /// There is no result.
    Failed {
        /// Number of the question.
        id: u32,
        /// Why.
        failure: Failure,
    },
    /// This program has a bug and is gone; the text says where.
    Panicked(String),
}

/// A GPU, as far as it names itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Adapter {
    /// Its name, or what the browser says instead.
    pub name: String,
    /// Vulkan, browser WebGPU, ...
    pub backend: String,
    /// The driver, where it is reported.
    pub driver: String,
    /// Largest buffer, in bytes.
    pub max_buffer: u64,
    /// Largest binding of a buffer, in bytes.
    pub max_binding: u64,
    /// Whether passes can be timed.
    pub timestamps: bool,
}

/// One output of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Output {
    /// Its name.
    pub name: String,
    /// Its element type.
    pub dtype: DType,
    /// Its dimensions, outermost first.
    pub dims: Vec<u64>,
    /// Its elements, little-endian; the last word may be filled in part.
    pub words: Vec<u32>,
    /// By how much an element changes at most when every float of 32 bits that is fed becomes its
    /// neighbour; `None` where that was not tried.
    pub rounding: Option<f64>,
}

/// Things that only a browser or a test can give.
pub trait Surroundings {
    /// Milliseconds since some moment.
    fn now(&self) -> f64;
    /// Sends a reply to the page.
    fn reply(&self, reply: &Reply);
    /// Fetches the operators of a family; `None` when they cannot be fetched.
    fn operators(&self, family: Family) -> Fetching<'_, &'static Operators> {
        Box::pin(ready(Some(family.operators())))
    }
    /// Fetches what opens models and plans them; `None` when it cannot be fetched.
    fn opener(&self) -> Fetching<'_, Opener> {
        Box::pin(ready(Some(OPENER)))
    }
}

/// A part of this program on its way.
pub type Fetching<'a, T> = Pin<Box<dyn Future<Output = Option<T>> + 'a>>;

impl Output {
    /// A tensor as a run left it.
    pub(crate) fn of(values: Values) -> Self {
        Self {
            name: values.operand.name,
            dtype: values.operand.dtype,
            dims: values.operand.dims.into_iter().map(u64::from).collect(),
            words: values.words,
            rounding: None,
        }
    }

    /// Number of bytes of its elements.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let bytes = array::bytes_of(self.dtype, &self.dims);
        let bytes = bytes.and_then(|bytes| usize::try_from(bytes).ok());
        bytes.unwrap_or(usize::MAX)
    }
}

impl Adapter {
    /// What a connection reports.
    #[must_use]
    pub fn of(connection: &Connection) -> Self {
        let (info, limits) = (&connection.adapter, connection.device.limits());
        // Browsers keep the name to themselves; what they report instead is in the driver's text.
        let known = [&info.name, &info.driver_info, &info.driver];
        let name = known.into_iter().find(|text| !text.is_empty());
        Self {
            name: name.cloned().unwrap_or_default(),
            backend: info.backend.to_string(),
            driver: format!("{} {}", info.driver, info.driver_info)
                .trim()
                .to_owned(),
            max_buffer: limits.max_buffer_size,
            max_binding: connection.max_binding(),
            timestamps: connection.timestamps,
        }
    }
}
