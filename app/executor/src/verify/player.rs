//! A recording on either machine, behind one door.

use std::ops::Range;

use super::Machine;
use super::cpu_player::CpuPlayer;
use super::report::{Phase, Roofline, StepTimes, Stopwatch};
use super::reporter::Reporter;
use super::watch::Watch;
use crate::engine::{Entry, Loaded, RunError, Watching, roofline};
use crate::recording::{Operand, Recording};
use crate::supply::Supply;

/// A recording that is ready to be played.
pub(super) enum Player<'a> {
    Gpu(Box<Loaded<'a>>),
    Cpu(Box<CpuPlayer<'a>>),
}

impl<'a> Player<'a> {
    pub(super) async fn new(
        machine: &'a Machine,
        recording: &'a Recording,
        supply: &Supply<'_>,
    ) -> Result<Self, RunError> {
        Ok(match machine {
            Machine::Gpu(connection) => {
                let loaded = Loaded::new(connection, recording, supply).await?;
                Self::Gpu(Box::new(loaded))
            }
            Machine::Cpu => Self::Cpu(Box::new(CpuPlayer::new(recording, supply)?)),
        })
    }

    pub(super) async fn feed(&mut self, pattern: u32, supply: &Supply<'_>) -> Result<(), RunError> {
        match self {
            Self::Gpu(loaded) => loaded.feed(pattern, supply).await,
            Self::Cpu(player) => Ok(player.feed(pattern, supply)?),
        }
    }

    /// Plays some steps.
    pub(super) async fn play(
        &mut self,
        steps: Range<usize>,
        reporter: &mut Reporter<'_>,
    ) -> Result<(), RunError> {
        match self {
            Self::Gpu(loaded) => {
                let clock = reporter.clock();
                let done = async |done| reporter.add(done).await;
                loaded.run_steps(steps, clock, done).await?;
            }
            Self::Cpu(player) => {
                for step in steps {
                    player.step(step);
                    reporter.add(1).await;
                }
            }
        }
        Ok(())
    }

    /// The words of a tensor as they are now.
    pub(super) async fn read(&mut self, operand: &Operand) -> Result<Vec<u32>, RunError> {
        match self {
            Self::Gpu(loaded) => loaded.read(operand.region).await,
            Self::Cpu(player) => Ok(player.read(operand.region)),
        }
    }

    pub(super) async fn outputs(&self) -> Result<Vec<Vec<u32>>, RunError> {
        match self {
            Self::Gpu(loaded) => loaded.outputs().await,
            Self::Cpu(player) => Ok(player.outputs()),
        }
    }

    /// Plays all steps between their probes and returns the counters, with the buffers that
    /// were there meanwhile.
    pub(super) async fn watched(
        &mut self,
        watch: &Watch,
        reporter: &mut Reporter<'_>,
    ) -> Result<(Vec<u32>, Vec<Entry>), RunError> {
        let steps = watch.steps.len();
        reporter.begin(Phase::Audit, steps).await;
        match self {
            Self::Gpu(loaded) => {
                let watching = Watching::new(loaded, watch).await?;
                let entries = loaded.ledger().entries();
                let clock = reporter.clock();
                let done = async |done| reporter.add(done).await;
                let results = match watching.run(loaded, clock, done).await {
                    Ok(()) => watching.results(loaded).await,
                    Err(error) => Err(error),
                };
                watching.free(loaded);
                Ok((results?, entries))
            }
            Self::Cpu(player) => {
                player.watch(watch);
                for step in 0..steps {
                    player.watched(watch, step);
                    reporter.add(1).await;
                }
                Ok((player.results(), player.entries()))
            }
        }
    }

    /// How long each step takes, and what the machine can do at most, where that can be
    /// measured.
    pub(super) async fn timed(
        &mut self,
        clock: &dyn Fn() -> f64,
    ) -> Result<(Option<StepTimes>, Option<Roofline>), RunError> {
        let Self::Gpu(loaded) = self else {
            return Ok((None, None));
        };
        let roofline = roofline(loaded.connection, clock).await?;
        let (by, milliseconds) = if loaded.connection.timestamps {
            (Stopwatch::Timestamps, loaded.timed().await?)
        } else {
            (Stopwatch::Submissions, loaded.timed_apart(clock).await?)
        };
        // A clock may stand still.
        let measured = milliseconds.iter().any(|time| *time > 0.0);
        let times = StepTimes { by, milliseconds };
        Ok((measured.then_some(times), roofline))
    }

    pub(super) fn entries(&self) -> Vec<Entry> {
        match self {
            Self::Gpu(loaded) => loaded.ledger().entries(),
            Self::Cpu(player) => player.entries(),
        }
    }

    /// Destroys every buffer.
    pub(super) fn free(self) {
        if let Self::Gpu(loaded) = self {
            loaded.free();
        }
    }
}
