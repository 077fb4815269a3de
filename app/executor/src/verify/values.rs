//! The elements of tensors as a planned run leaves them, read where each is ready: what comes
//! after the last of them is neither lowered nor run.

use planner::graph::TensorId;
use planner::schedule::Action;

use super::counted::counted;
use super::figures::seeded_weights;
use super::player::Player;
use super::report::{Phase, Progress};
use super::reporter::Reporter;
use super::{Failure, Machine, PATTERNS, Question, Run, inputs, options};
use crate::lower::{self, Options};
use crate::recording::Operand;
use crate::supply::{self, Supply};

/// A tensor with its words; strides are undone.
#[derive(Clone, Debug, PartialEq)]
pub struct Values {
    /// The tensor: type, dimensions, name.
    pub operand: Operand,
    /// Its elements.
    pub words: Vec<u32>,
}

/// Runs the plan as far as the last of `wanted`, and reads each of them. Those that no step
/// makes are left out: constants, and what inference has worked out.
///
/// # Errors
/// [`Failure`], when the run as far as there is refused or fails.
pub async fn values(
    machine: &Machine,
    question: &Question<'_>,
    wanted: &[TensorId],
    on_progress: &mut dyn FnMut(Progress),
) -> Result<Vec<Values>, Failure> {
    let mut reporter = Reporter::new(on_progress, question.clock, question.pause);
    reporter.begin(Phase::Load, 1).await;
    let mut found = Vec::with_capacity(wanted.len());
    let mut take = |operand: &Operand, words| found.push(values_of(operand, words));
    counted_each(machine, question, wanted, &mut reporter, &mut take).await?;
    Ok(in_order(found, wanted))
}

/// What is to be counted is counted, then each of `wanted` is taken as [`each`] says.
pub(super) async fn counted_each(
    machine: &Machine,
    question: &Question<'_>,
    wanted: &[TensorId],
    reporter: &mut Reporter<'_>,
    take: &mut Take<'_>,
) -> Result<u64, Failure> {
    let question = &Question {
        until: last(question, wanted),
        ..question.clone()
    };
    match counted(machine, question, reporter).await? {
        Some(counted) => {
            let question = counted.question(question);
            each(machine, &question, wanted, reporter, take).await
        }
        None => each(machine, question, wanted, reporter, take).await,
    }
}

/// The number of steps up to the last that makes one of `wanted`.
fn last(question: &Question<'_>, wanted: &[TensorId]) -> Option<usize> {
    let steps = wanted.iter().filter_map(|&id| step(question, id));
    Some(steps.max().map_or(0, |last| last + 1))
}

/// Hears a tensor and its words.
pub(super) type Take<'a> = dyn FnMut(&Operand, Vec<u32>) + 'a;

fn values_of(operand: &Operand, words: Vec<u32>) -> Values {
    let operand = operand.clone();
    Values { operand, words }
}

/// In the order in which they were asked for.
fn in_order(mut found: Vec<Values>, wanted: &[TensorId]) -> Vec<Values> {
    let place = |values: &Values| wanted.iter().position(|&id| id == values.operand.tensor);
    found.sort_by_key(place);
    found
}

/// The elements of `wanted`, where nothing is to be counted.
pub(super) async fn read(
    machine: &Machine,
    question: &Question<'_>,
    wanted: &[TensorId],
    reporter: &mut Reporter<'_>,
) -> Result<Vec<Values>, Failure> {
    let mut found = Vec::with_capacity(wanted.len());
    let mut take = |operand: &Operand, words| found.push(values_of(operand, words));
    each(machine, question, wanted, reporter, &mut take).await?;
    Ok(in_order(found, wanted))
}

/// Takes each of `wanted` as soon as it is ready, where nothing is to be counted, and says how many
/// weights are seeded.
async fn each(
    machine: &Machine,
    question: &Question<'_>,
    wanted: &[TensorId],
    reporter: &mut Reporter<'_>,
    take: &mut Take<'_>,
) -> Result<u64, Failure> {
    let mut steps: Vec<usize> = wanted.iter().filter_map(|&id| step(question, id)).collect();
    steps.sort_unstable();
    steps.dedup();
    let options = Options {
        until: Some(steps.last().map_or(0, |last| last + 1)),
        ..options(machine, question)
    };
    let (program, lifetimes) = (question.program, question.lifetimes);
    let lowered = lower::lower(program, question.values, lifetimes, question.plan, &options)?;
    let inputs = inputs::words(&program.graph, &question.inputs);
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
        counts: &[],
    };
    let recording = &lowered.recording;
    run.compile(recording, reporter).await?;
    let mut player = Player::new(machine, recording, &supply).await?;
    player.feed(PATTERNS[0], &supply).await?;
    reporter.begin(Phase::Planned, recording.steps.len()).await;
    let mut begun = 0;
    for step in steps {
        player.play(begun..step + 1, reporter).await?;
        begun = step + 1;
        let made = recording.steps[step].made.iter();
        for operand in made.filter(|operand| wanted.contains(&operand.tensor)) {
            let words = match operand.is_empty() {
                true => Vec::new(),
                false => operand.gathered(&player.read(operand).await?),
            };
            take(operand, words);
        }
    }
    player.free();
    let folded = lowered.folded.as_deref();
    Ok(seeded_weights(recording) + folded.map_or(0, seeded_weights))
}

/// The step whose operator makes the tensor first.
fn step(question: &Question<'_>, id: TensorId) -> Option<usize> {
    let (graph, schedule) = (&question.program.graph, &question.program.schedule);
    schedule.steps.iter().position(|entry| match entry.action {
        Action::Compute(op) => graph.op(op).outputs.contains(&Some(id)),
        _ => false,
    })
}
