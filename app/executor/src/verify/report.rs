//! What was found: plain data, for the page, for export and for tests.

use planner::{Bytes, Message, Offset, Step};
use serde::{Deserialize, Serialize};

use crate::engine::Entry;

/// Everything that was found about one plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The plan's origin: a strategy's name, or what an imported plan says of itself.
    pub plan: String,
    /// The machine that ran it.
    pub machine: MachineInfo,
    /// The arena that the plan promises.
    pub promised: Bytes,
    /// The arena buffer in the ledger.
    pub allocated: Bytes,
    /// The end of the highest tensor of the plan, its padding left out: what a full run must
    /// touch.
    pub reach: Bytes,
    /// Every buffer that the planned run made.
    pub ledger: Vec<Entry>,
    /// Weights that the file does not hold: they are seeded.
    pub seeded_weights: u64,
    /// Weights in all.
    pub weights: u64,
    /// The run without reuse, or why there is none.
    pub naive: Result<NaiveRun, Message>,
    /// The planned runs, one per pattern that filled the arena before.
    pub runs: Vec<PlannedRun>,
    /// The audited run, or why there is none.
    pub audit: Result<Audit, Message>,
    /// Operands of dispatches that are floats of 64 bits: they are computed with as f32.
    pub doubles: u64,
    /// Operators that compute in LiteRT's dynamic-range arithmetic: floats become integers of 8
    /// bits on the way.
    pub hybrid: u64,
    /// Weights that the file has as quantised integers and that are decoded into floats, with
    /// which the run then computes.
    pub decoded: u64,
    /// What each step is and does, as lowered.
    pub steps: Vec<StepFigures>,
    /// How long each step took, where that can be measured.
    pub step_times: Option<StepTimes>,
    /// What the device can do at most, measured apart from the model, where that is possible.
    pub roofline: Option<Roofline>,
    /// Bytes that all dispatches read and write, each operand counted once per dispatch.
    pub moved: Bytes,
    /// Deviation from the CPU reference, if asked for.
    pub reference: Option<Reference>,
    /// The outputs of the model before its passes, or why they are not known; `None` where no
    /// pass has rewritten it.
    pub before_passes: Option<Result<BeforePasses, Message>>,
    /// What was counted before the run.
    #[serde(default)]
    pub counts: Vec<Count>,
    /// How many steps ran, where it was not all of them: what is compared then is what they leave
    /// in memory.
    pub until: Option<usize>,
    /// What all this says.
    pub verdict: Verdict,
}

/// How much an operator gave of which only a run finds it. The CPU computed it from what the
/// machine had made until then.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// Name of its first output.
    pub tensor: String,
    /// Its kind.
    pub kind: String,
    /// The most that was planned for.
    pub most: u64,
    /// How much it gave.
    pub found: u64,
}

/// What one step is and does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepFigures {
    /// The operator's name.
    pub name: String,
    /// Its kind.
    pub kind: String,
    /// Bytes that its dispatches read and write, each operand counted once per dispatch.
    pub moved: Bytes,
    /// Floating-point operations of its dispatches, about.
    pub flops: u64,
}

/// How long each step of one run took.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepTimes {
    /// What measured it.
    pub by: Stopwatch,
    /// Milliseconds per step.
    pub milliseconds: Vec<f64>,
}

/// What measures the time of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stopwatch {
    /// Timestamps that the device writes before and after it.
    Timestamps,
    /// The caller's clock around a submission of its own, whose overhead is in the time.
    Submissions,
}

/// What a machine can do at most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Roofline {
    /// Floating-point operations per second.
    pub flops: f64,
    /// Bytes per second.
    pub bandwidth: f64,
}

/// The machine of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MachineInfo {
    /// A GPU.
    Gpu {
        /// The adapter's name, as far as it names itself.
        adapter: String,
        /// Vulkan, browser WebGPU, ...
        backend: String,
        /// Largest binding in bytes.
        max_binding: Bytes,
        /// What the driver says it has reserved for this device, where it says so (natively).
        reserved: Option<Bytes>,
    },
    /// The CPU reference over one memory of words.
    Cpu,
}

/// The run without reuse.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct NaiveRun {
    /// Its arena: the sum of all tensors.
    pub arena: Bytes,
    /// Time in milliseconds: the least of its runs.
    pub time: f64,
    /// How often it ran: as often as planned, but once where that takes long.
    pub runs: u32,
}

/// One planned run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannedRun {
    /// The word that filled the arena before.
    pub pattern: u32,
    /// Time in milliseconds.
    pub time: f64,
    /// Words of the outputs that differ from the naive run's (from the first planned run's
    /// where there is no naive run).
    pub differing: u64,
}

/// What the audited run saw.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Audit {
    /// End of the highest word of the arena that ever changed.
    pub touched: Bytes,
    /// Words of the outputs that differ from the naive run's.
    pub differing: u64,
    /// Time in milliseconds.
    pub time: f64,
    /// Everything that must not be, in order of steps.
    pub findings: Vec<Finding>,
}

/// Something that must not be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Finding {
    /// A live tensor was written by an operator that should not have. Where both declare the
    /// word, writing it counts even if its value stays the same.
    Clobbered {
        /// The victim: index of its buffer in the lifetimes.
        victim: usize,
        /// The step whose operator did it.
        overwriter: Step,
        /// The first changed address.
        at: Offset,
        /// How many words of the victim; none where its hash changed unseen.
        words: u64,
    },
    /// An operator changed words outside what it declares to write.
    Outside {
        /// The step.
        step: Step,
        /// The first such address.
        at: Offset,
        /// How many words.
        words: u64,
    },
    /// An operator left words of its output unwritten.
    Unwritten {
        /// The step.
        step: Step,
        /// The first such address.
        at: Offset,
        /// How many words.
        words: u64,
    },
}

/// Deviation of the outputs from the CPU reference's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reference {
    /// Largest absolute difference.
    pub max_abs: f32,
    /// Largest difference over the largest magnitude of its output.
    pub max_rel: f32,
    /// Elements that are infinite or NaN on one machine and not the same on the other:
    /// they have no difference that could be in the figures above.
    pub unlike: u64,
    /// Integers and booleans that differ, which no rounding of the last operator explains.
    pub whole: u64,
    /// Whether the CPU reference met NaN or an infinity on the way.
    pub odd: bool,
}

/// What the outputs of two machines have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// All but finite floats are the same; how far these are apart is in the figures.
    Same,
    /// Not all, but the run meets NaN or an infinity, of which WGSL lets a GPU make any value.
    Open,
    /// Not all, though nothing is met that WGSL leaves open.
    Apart,
}

impl Reference {
    /// The judgement that headline and figures share.
    #[must_use]
    pub fn agreement(&self) -> Agreement {
        match (self.unlike, self.whole) {
            (0, 0) => Agreement::Same,
            _ if self.odd => Agreement::Open,
            _ => Agreement::Apart,
        }
    }
}

/// The model before its passes, run once more.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BeforePasses {
    /// The arena that it needs.
    pub arena: Bytes,
    /// Words of the outputs that differ.
    pub differing: u64,
    /// How far they are apart.
    pub deviation: Reference,
}

/// What a report says as a whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// Outputs keep their bits, nothing was found, promised = allocated and touched = reach.
    Confirmed,
    /// Something contradicts the plan; the report says what.
    Refuted,
    /// What was measured of the plan agrees, but not all could be; why.
    Incomplete(Message),
}

/// Where a confirmation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Phase {
    /// Constants are computed, weights are uploaded.
    Load,
    /// Kernels are compiled, one after the other.
    Compile,
    /// The run without reuse.
    Naive,
    /// The planned runs.
    Planned,
    /// The audited run, step by step.
    Audit,
    /// The CPU reference, step by step.
    Reference,
    /// The model before its passes.
    BeforePasses,
}

/// Something happened: `done` of `total` steps of this phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// The phase.
    pub phase: Phase,
    /// Steps that are done.
    pub done: u32,
    /// Steps in all.
    pub total: u32,
}
