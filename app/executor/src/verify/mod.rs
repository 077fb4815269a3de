//! What a confirmation asks of a machine, and what it finds: *promised*, *allocated* and
//! *touched* bytes side by side, whether outputs keep their bits, and which operator overwrote
//! which buffer.
//!
//! 1. The same recording runs without reuse and as planned, the arena filled with three
//!    different patterns before: the outputs must not differ in a bit. Patterns are finite,
//!    because `max(NaN, 0)` is 0 on a GPU: NaN would vanish in the first Relu.
//! 2. An audited run looks at every step: see [`watch`].
//! 3. Another run is timed step by step, by the GPU itself where it has timestamps.
//! 4. The CPU reference computes the outputs once more.
//! 5. Where outputs differ and the audit has found nothing, the run without reuse is repeated: a
//!    machine that does not repeat its own bits says nothing about a plan.

mod audit;
mod before_passes;
mod counted;
mod execution;
mod figures;
pub mod inputs;
mod naive;
mod player;
pub mod probes;
mod reference;
pub mod report;
mod reporter;
mod cpu_player;
pub mod values;
pub mod watch;
pub mod zeros;

use std::collections::{BTreeMap, BTreeSet};

use planner::graph::{Bindings, TensorId, Value};
use planner::load::Source;
use planner::{Bytes, Lifetimes, Message, Plan, Program, message};

use crate::engine::{Connection, Entry, RunError, compile_probes};
use crate::lower::families::Families;
use crate::lower::{self, Lowered, Options, Refused};
use crate::recording::Recording;
use crate::supply::{self, Supply, SupplyError};
pub use counted::Counted;
pub use execution::{Executed, execute};
use figures::{
    allocated, decoded_weights, doubles, hybrid, moved, reach, seeded_weights, step_figures,
    weights,
};
use player::Player;
use report::{Audit, MachineInfo, NaiveRun, Phase, PlannedRun, Progress, Report, Verdict};
use reporter::Reporter;
use watch::{PATTERN, Watch};

pub use inputs::Inputs;
pub use reporter::Pause;

/// What fills the arena before the planned runs: 1e30, -1e30, and 8.6e-7 whose bytes differ.
pub const PATTERNS: [u32; 3] = [0x7149_f2ca, 0xf149_f2ca, 0x3566_9ad5];

/// Milliseconds beyond which a run without reuse is not repeated.
const LONG: f64 = 2000.0;

/// The machine that runs.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "there is one of them, and nobody moves it"
)]
pub enum Machine {
    /// A GPU.
    Gpu(Connection),
    /// The CPU reference of the kernels, over one memory of words.
    Cpu,
}

/// What is to be confirmed.
#[derive(Clone)]
pub struct Question<'a> {
    /// The sized and folded graph with its schedule and storages.
    pub program: &'a Program,
    /// Elements that are known before the run.
    pub values: &'a BTreeMap<TensorId, Value>,
    /// Values of symbolic dimensions.
    pub bindings: &'a Bindings,
    /// What was planned.
    pub lifetimes: &'a Lifetimes,
    /// The plan.
    pub plan: &'a Plan,
    /// The opened file, for the weights in it.
    pub file: Option<&'a dyn Source>,
    /// What the graph's inputs are fed with.
    pub inputs: Inputs,
    /// Milliseconds since any moment.
    pub clock: &'a dyn Fn() -> f64,
    /// The kernels that are there.
    pub families: Families,
    /// Called about every 50 ms: the CPU reference would block a page otherwise.
    pub pause: Option<&'a Pause>,
    /// Whether the plan was corrupted on purpose, so that operators may overwrite their inputs.
    pub corrupted: bool,
    /// Whether to run without reuse first; the verdict is incomplete without it.
    pub naive: bool,
    /// Whether to compare with the CPU reference.
    pub reference: bool,
    /// How many steps are run; `None` for all of them. Then what these steps leave in memory is
    /// compared in the place of the outputs.
    pub until: Option<usize>,
}

/// Why there is no report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The plan cannot be run; no machine was touched.
    Refused(Refused),
    /// The run ended without a result.
    Run(RunError),
}

impl Failure {
    /// The sentence.
    #[must_use]
    pub fn message(&self) -> Message {
        match self {
            Self::Refused(why) => why.message(),
            Self::Run(why) => why.message(),
        }
    }
}

planner::impl_message!(Failure);
impl std::error::Error for Failure {}

impl From<Refused> for Failure {
    fn from(refused: Refused) -> Self {
        Self::Refused(refused)
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        Self::Run(error)
    }
}

impl From<SupplyError> for Failure {
    fn from(error: SupplyError) -> Self {
        Self::Run(error.into())
    }
}

/// The words of the outputs of a run, in order.
type Outputs = Vec<Vec<u32>>;

/// Runs a plan in every way that confirms it. `on_progress` reports how far it is.
///
/// # Errors
/// [`Failure`], when the planned run itself is refused or fails. That the run without reuse
/// does not fit the device, or the audit's shadow, is part of the report instead.
pub async fn confirm(
    machine: &Machine,
    question: &Question<'_>,
    on_progress: &mut dyn FnMut(Progress),
) -> Result<Report, Failure> {
    let mut reporter = Reporter::new(on_progress, question.clock, question.pause);
    reporter.begin(Phase::Load, 1).await;
    let counted = counted::counted(machine, question, &mut reporter).await?;
    let of_counts = counted.as_ref().map(|counted| counted.question(question));
    let question = of_counts.as_ref().unwrap_or(question);
    let options = options(machine, question);
    let lowered = lowered(question.of(), question.plan, &options)?;
    let inputs = inputs::words(&question.program.graph, &question.inputs);
    let folded = supply::folded(&lowered, question.file)?;
    let supply = Supply {
        file: question.file,
        inputs: &inputs,
        folded: &folded,
    };
    let run = Run {
        machine,
        question,
        supply,
        counts: counted.as_ref().map_or(&[], |counted| &counted.counts),
    };
    run.compile(&lowered.recording, &mut reporter).await?;
    let (naive, first) = match run.naive(&mut reporter).await? {
        Ok((naive, outputs)) => (Ok(naive), Some(outputs)),
        Err(why) => (Err(why), None),
    };
    run.planned(&lowered.recording, naive, first, &mut reporter)
        .await
}

/// The audited run alone, of any recording; `differing` and `time` are left zero.
///
/// # Errors
/// [`RunError`], when there is no memory for the shadow for example.
pub async fn audited(
    machine: &Machine,
    recording: &Recording,
    supply: &Supply<'_>,
) -> Result<Audit, RunError> {
    let (mut silent, clock) = (|_| {}, || 0.0);
    let mut reporter = Reporter::new(&mut silent, &clock, None);
    let mut player = Player::new(machine, recording, supply).await?;
    let seen = looked_at(&mut player, recording, supply, &mut reporter).await?;
    player.free();
    Ok(seen.audit)
}

/// What is lowered: a program, what is known of it before the run, its lifetimes.
type Of<'a> = (&'a Program, &'a BTreeMap<TensorId, Value>, &'a Lifetimes);

impl<'a> Question<'a> {
    fn of(&self) -> Of<'a> {
        (self.program, self.values, self.lifetimes)
    }
}

fn lowered(
    (program, values, lifetimes): Of<'_>,
    plan: &Plan,
    options: &Options,
) -> Result<Lowered, Refused> {
    lower::lower(program, values, lifetimes, plan, options)
}

fn options(machine: &Machine, question: &Question<'_>) -> Options {
    let max_binding = match machine {
        Machine::Gpu(connection) => connection.max_binding(),
        // Words have 32-bit addresses there too, and a browser's memory ends before.
        Machine::Cpu => 2 << 30,
    };
    Options {
        max_binding: Bytes(max_binding),
        allow_hazards: question.corrupted,
        families: question.families,
        until: question.until,
    }
}

/// One confirmation.
struct Run<'a> {
    machine: &'a Machine,
    question: &'a Question<'a>,
    supply: Supply<'a>,
    /// What was counted before.
    counts: &'a [report::Count],
}

impl Run<'_> {
    /// Compiles what the device has not compiled yet.
    async fn compile(
        &self,
        recording: &Recording,
        reporter: &mut Reporter<'_>,
    ) -> Result<(), RunError> {
        let Machine::Gpu(connection) = self.machine else {
            return Ok(());
        };
        let watch = Watch::first(recording);
        compile_probes(connection, (&watch, recording.arena)).await?;
        let missing = connection.to_compile(recording);
        if missing.is_empty() {
            return Ok(());
        }
        reporter.begin(Phase::Compile, missing.len()).await;
        for dispatch in missing {
            connection.compile(dispatch).await?;
            reporter.add(1).await;
        }
        // What is left to do before the first run.
        reporter.begin(Phase::Load, 1).await;
        Ok(())
    }

    /// Times of a run per pattern, but of the first alone where that takes long; and outputs.
    async fn repeated(
        &self,
        recording: &Recording,
        (phase, patterns): (Phase, &[u32]),
        reporter: &mut Reporter<'_>,
    ) -> Result<(Vec<f64>, Outputs), RunError> {
        let mut player = Player::new(self.machine, recording, &self.supply).await?;
        let mut times: Vec<f64> = Vec::with_capacity(patterns.len());
        for &pattern in patterns {
            reporter.begin(phase, recording.steps.len()).await;
            player.feed(pattern, &self.supply).await?;
            times.push(timed(&mut player, recording, reporter).await?);
            if times[0] > LONG {
                break;
            }
        }
        let outputs = player.outputs().await?;
        player.free();
        Ok((times, outputs))
    }

    async fn planned(
        &self,
        recording: &Recording,
        naive: Result<NaiveRun, Message>,
        mut first: Option<Outputs>,
        reporter: &mut Reporter<'_>,
    ) -> Result<Report, Failure> {
        let mut player = Player::new(self.machine, recording, &self.supply).await?;
        let steps = recording.steps.len();
        reporter.begin(Phase::Planned, steps * PATTERNS.len()).await;
        let mut runs = Vec::with_capacity(PATTERNS.len());
        for pattern in PATTERNS {
            player.feed(pattern, &self.supply).await?;
            let time = timed(&mut player, recording, reporter).await?;
            let outputs = player.outputs().await?;
            let differing = differing(first.get_or_insert_with(|| outputs.clone()), &outputs);
            runs.push(PlannedRun {
                pattern,
                time,
                differing,
            });
        }
        let first = first.unwrap_or_default();
        let (audit, ledger) = self
            .audited(&mut player, recording, &first, reporter)
            .await?;
        let (step_times, roofline) = player.timed(self.question.clock).await?;
        let machine = self.machine_info();
        player.free();
        let before_passes = self.before_passes(&first, reporter).await?;
        let reference = if self.question.reference && matches!(self.machine, Machine::Gpu(_)) {
            let (reference, odd) = reference::outputs(recording, &self.supply, reporter).await?;
            let deviation = reference::deviation(recording, &first, &reference);
            Some(report::Reference { odd, ..deviation })
        } else {
            None
        };
        let mut report = Report {
            plan: self.question.plan.origin.to_string(),
            machine,
            promised: self.question.plan.arena,
            allocated: allocated(&ledger),
            reach: reach(recording),
            ledger,
            seeded_weights: seeded_weights(recording),
            weights: weights(recording, |_| true),
            naive,
            runs,
            audit,
            doubles: doubles(recording),
            hybrid: hybrid(recording),
            decoded: decoded_weights(recording),
            steps: step_figures(recording),
            step_times,
            roofline,
            moved: moved(recording),
            reference,
            before_passes,
            counts: self.counts.to_vec(),
            until: self.question.until,
            verdict: Verdict::Refuted,
        };
        report.verdict = report.judged();
        if let Some(verdict) = self.unsteady(&report, &first, reporter).await? {
            report.verdict = verdict;
        }
        Ok(report)
    }

    /// The audited run, or why there is none, and the buffers that were there meanwhile.
    async fn audited(
        &self,
        player: &mut Player<'_>,
        recording: &Recording,
        first: &Outputs,
        reporter: &mut Reporter<'_>,
    ) -> Result<(Result<Audit, Message>, Vec<Entry>), Failure> {
        match looked_at(player, recording, &self.supply, reporter).await {
            Ok(seen) => {
                let outputs = player.outputs().await?;
                let audit = Audit {
                    differing: differing(first, &outputs),
                    ..seen.audit
                };
                Ok((Ok(audit), seen.ledger))
            }
            Err(RunError::OutOfMemory(why)) => {
                let why = message!("the device has no memory for its shadow: {}", why);
                Ok((Err(why), player.entries()))
            }
            Err(error) => Err(error.into()),
        }
    }

    fn machine_info(&self) -> MachineInfo {
        match self.machine {
            Machine::Gpu(connection) => MachineInfo::Gpu {
                adapter: connection.adapter.name.clone(),
                backend: connection.adapter.backend.to_string(),
                max_binding: Bytes(connection.max_binding()),
                reserved: connection.reserved().map(Bytes),
            },
            Machine::Cpu => MachineInfo::Cpu,
        }
    }
}

/// What an audited run showed.
struct Seen {
    audit: Audit,
    ledger: Vec<Entry>,
}

/// The audited run, and a closer look where anything was found.
async fn looked_at(
    player: &mut Player<'_>,
    recording: &Recording,
    supply: &Supply<'_>,
    reporter: &mut Reporter<'_>,
) -> Result<Seen, RunError> {
    let first = Watch::first(recording);
    let (results, seen) = watched(player, recording, supply, reporter, &first).await?;
    if audit::clean(recording, &first, &results) {
        return Ok(seen);
    }
    let second = Watch::second(recording, &BTreeSet::new());
    let (results, seen) = watched(player, recording, supply, reporter, &second).await?;
    let suspects = audit::suspects(recording, &second, &results);
    if suspects.is_empty() {
        return Ok(seen);
    }
    let third = Watch::second(recording, &suspects);
    let (_, seen) = watched(player, recording, supply, reporter, &third).await?;
    Ok(seen)
}

/// One audited run: its counters, and what they say.
async fn watched(
    player: &mut Player<'_>,
    recording: &Recording,
    supply: &Supply<'_>,
    reporter: &mut Reporter<'_>,
    watch: &Watch,
) -> Result<(Vec<u32>, Seen), RunError> {
    player.feed(PATTERN, supply).await?;
    let begun = reporter.now();
    let (results, ledger) = player.watched(watch, reporter).await?;
    let audit = Audit {
        time: reporter.now() - begun,
        ..audit::read(recording, watch, &results)
    };
    Ok((results, Seen { audit, ledger }))
}

/// Milliseconds of one whole run.
async fn timed(
    player: &mut Player<'_>,
    recording: &Recording,
    reporter: &mut Reporter<'_>,
) -> Result<f64, RunError> {
    let begun = reporter.now();
    player.play(0..recording.steps.len(), reporter).await?;
    Ok(reporter.now() - begun)
}

/// Words that differ between two runs.
fn differing(a: &Outputs, b: &Outputs) -> u64 {
    let pairs = a.iter().flatten().zip(b.iter().flatten());
    pairs.filter(|(a, b)| a != b).count() as u64
}
