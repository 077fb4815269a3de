//! Runs of a plan whose outputs alone are wanted.

use super::counted::{Counted, counted};
use super::player::Player;
use super::reporter::Reporter;
use super::{Failure, Machine, Outputs, PATTERNS, Question, inputs, lowered, options};
use crate::engine::Entry;
use crate::supply::{self, Supply};

/// What running a plan gave, without any question asked of it.
#[derive(Clone, Debug, Default)]
pub struct Executed {
    /// Names and words of the outputs of the last run.
    pub outputs: Vec<(String, Vec<u32>)>,
    /// Milliseconds of each run, from its inputs' upload to its outputs' words.
    pub times: Vec<f64>,
    /// Every buffer that was made for the runs.
    pub ledger: Vec<Entry>,
    /// What was counted before, if anything had to be.
    pub counted: Option<Counted>,
}

/// Runs a plan `runs` times, once at least, with the same buffers.
///
/// # Errors
/// [`Failure`], when the run is refused or fails.
pub async fn execute(
    machine: &Machine,
    question: &Question<'_>,
    runs: u32,
) -> Result<Executed, Failure> {
    let mut silent = |_| {};
    let mut reporter = Reporter::new(&mut silent, question.clock, question.pause);
    let counted = counted(machine, question, &mut reporter).await?;
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
    let recording = &lowered.recording;
    let mut player = Player::new(machine, recording, &supply).await?;
    let mut outputs = Outputs::new();
    let mut times = Vec::new();
    for _ in 0..runs.max(1) {
        let begun = (question.clock)();
        player.feed(PATTERNS[0], &supply).await?;
        player.play(0..recording.steps.len(), &mut reporter).await?;
        outputs = player.outputs().await?;
        times.push((question.clock)() - begun);
    }
    let ledger = player.entries();
    player.free();
    let names = recording.outputs.iter().map(|output| output.name.clone());
    Ok(Executed {
        outputs: names.zip(outputs).collect(),
        times,
        ledger,
        counted,
    })
}
