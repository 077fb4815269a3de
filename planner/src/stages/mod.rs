//! A model after each of its passes, and what each stage costs: how many allocations, how many bytes are only moved, and
//! what there is to plan.

mod blocked;
mod listed;

use serde::{Deserialize, Serialize};

use crate::bounds::aligned;
use crate::graph::infer::Sizers;
use crate::graph::{Bindings, Graph, Op, Role, TensorId};
use crate::liveness::profile::profile;
use crate::liveness::{self, Lifetimes, TooLarge};
use crate::load::Document;
use crate::passes::{self, Given, OnProgress, Report, is_copy, moves};
use crate::pipeline::before_passes;
use crate::program::Program;
use crate::settings::Settings;
use crate::units::Bytes;

pub use blocked::Blocked;
pub use listed::{FoundByName, StageRow, Staged, listed};

/// A model after one pass: what there would be to plan if it were the last one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stage {
    /// The graph, its schedule and its storages.
    pub program: Program,
    /// What they need when.
    pub lifetimes: Lifetimes,
    /// What the pass did.
    pub report: Report,
}

/// The figures of a stage that need no plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageFigures {
    /// Blocks of memory: one for each residency in the arena, less those that are written over
    /// another.
    pub allocations: u64,
    /// Bytes that operators read and write which compute nothing: slices, transpositions,
    /// concatenations, explicit copies. What is a view is not moved.
    pub copied: Bytes,
    /// Sum of the sizes of all blocks, each rounded up to the alignment.
    pub naive: Bytes,
    /// The largest sum of live bytes at one step.
    pub peak: Bytes,
    /// What no plan can be below, see [`Bounds::offsets`](crate::bounds::Bounds::offsets).
    pub bound: Bytes,
}

/// A model or a program after each of its passes, in the order in which they run, whatever stage
/// `settings` end at; none for other documents.
///
/// # Errors
/// [`TooLarge`] when a size goes beyond what can be planned.
pub fn stages(
    document: &Document,
    known: (&Bindings, &Given),
    settings: &Settings,
) -> Result<Vec<Stage>, TooLarge> {
    stages_watched(document, known, settings, &mut |_, _| true)
}

fn stages_watched(
    document: &Document,
    known: (&Bindings, &Given),
    settings: &Settings,
    on_progress: &mut OnProgress<'_>,
) -> Result<Vec<Stage>, TooLarge> {
    let Some(program) = before_passes(Sizers::ALL, document, known.0, settings) else {
        return Ok(Vec::new());
    };
    let mut stages = Vec::new();
    let mut seen = |program: &Program, report: Report| {
        let lifetimes = liveness::lifetimes(program, settings);
        stages.push(lifetimes.map(|lifetimes| Stage {
            program: program.clone(),
            lifetimes,
            report,
        }));
    };
    let all = Settings {
        until: None,
        training: None,
        ..*settings
    };
    passes::run(program, known, &all, &mut seen, on_progress);
    stages.into_iter().collect()
}

/// The last of the stages.
fn last(
    document: &Document,
    known: (&Bindings, &Given),
    settings: &Settings,
    on_progress: &mut OnProgress<'_>,
) -> Result<Option<Stage>, TooLarge> {
    let stages = stages_watched(document, known, settings, on_progress)?;
    Ok(stages.into_iter().next_back())
}

/// The figures of `stage`, whose sizes are rounded up to `alignment`.
#[must_use]
pub fn stage_figures(stage: &Stage, alignment: Bytes) -> StageFigures {
    let lifetimes = &stage.lifetimes;
    let blocks = lifetimes.buffers.iter().filter(|buffer| buffer.is_needed());
    let sizes = blocks.map(|buffer| buffer.size.0);
    let (count, naive) = sizes.fold((0_u64, 0_u64), |(count, sum), size| {
        (count + 1, sum.saturating_add(size))
    });
    let mut over: Vec<usize> = lifetimes.handovers.iter().map(|it| it.after).collect();
    over.dedup();
    let highest = profile(lifetimes).highest();
    StageFigures {
        allocations: count.saturating_sub(over.len() as u64),
        copied: copied(&stage.program),
        naive: Bytes(naive),
        peak: highest.map_or(Bytes::ZERO, |(_, bytes)| bytes),
        bound: aligned(lifetimes, alignment).offsets,
    }
}

/// The bytes that are only moved, read and written.
fn copied(program: &Program) -> Bytes {
    let of_op = |op: &Op| match is_copy(op) || moves(op) {
        true => of_operator(program, op),
        false => 0,
    };
    let sum = program.operators().map(of_op);
    Bytes(sum.fold(0, u64::saturating_add))
}

/// An output that lies in an input is not written; of the others each element is read once,
/// unless the input has fewer.
fn of_operator(program: &Program, op: &Op) -> u64 {
    let graph = &program.graph;
    let within = |one, other| program.storages.within(graph, one, other);
    let is_data = |id: &TensorId| graph.tensor(*id).role != Role::Constant;
    let inputs: Vec<TensorId> = op.read().filter(is_data).collect();
    let mut moved = 0_u64;
    for y in op.written() {
        let apart = |x: &&TensorId| !within(**x, y) && !within(y, **x);
        let joined = inputs.len() > 1;
        let read: u64 = match joined {
            // The pieces of a concatenation.
            true => inputs.iter().filter(apart).map(|x| bytes(graph, *x)).sum(),
            false if inputs.iter().all(|x| apart(&x)) => {
                let from = inputs.iter().map(|x| bytes(graph, *x)).sum::<u64>();
                from.min(bytes(graph, y))
            }
            false => continue,
        };
        let written = if joined { read } else { bytes(graph, y) };
        moved = moved.saturating_add(read).saturating_add(written);
    }
    moved
}

fn bytes(graph: &Graph, id: TensorId) -> u64 {
    graph.held(graph.tensor(id)).unwrap_or_default().0
}
