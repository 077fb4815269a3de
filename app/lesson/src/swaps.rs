//! A training step that swaps: what its copies over the link take, and what waits for them.

use planner::graph::Graph;
use planner::training::swap::script::How;
use planner::training::swap::timetable::{Bar, Timed, Weighed, timetable};
use planner::training::{Problem, choice, stage};
use planner::{Training, message};

use crate::instance::{ReadyInstance, Unmeasured};
use crate::measure::Measure;

/// A training step and the run of its policy, with times in units of cost.
#[derive(Debug)]
pub(crate) struct Swaps {
    problem: Problem,
    run: Timed,
}

impl Swaps {
    /// The run that is planned, which is the quickest of those that the policy has; none of a
    /// policy that does not swap.
    pub(crate) fn of(untrained: Option<&Graph>, training: Option<Training>) -> Option<Self> {
        let training = training?;
        let step = stage::step(untrained?, training.batch, training.recipe);
        let problem = step.ok()?.problem;
        let found = timetable(&problem, choice::policy(training), training.budget);
        let run = found.ok()?.runs.into_iter().min_by_key(|run| run.time)?;
        Some(Self { problem, run })
    }

    /// When an operator runs first.
    fn ran(&self, name: &str) -> Result<&Bar, Unmeasured> {
        let mut ran = self.run.computed.iter();
        let found = ran.find(|bar| bar.name == name);
        found.ok_or_else(|| Unmeasured::NoSuch(name.to_owned()))
    }

    /// What was weighed of a value.
    fn weighed(&self, name: &str) -> Result<&Weighed, Unmeasured> {
        let mut weighed = self.run.candidates.iter();
        let found = weighed.find(|it| it.name == name);
        found.ok_or_else(|| Unmeasured::NoSuch(name.to_owned()))
    }

    /// What a copy of a value takes in one direction.
    fn copy_time(&self, name: &str) -> Result<u64, Unmeasured> {
        let mut nodes = self.problem.nodes.iter();
        let node = nodes.find(|node| node.name == name);
        let node = node.ok_or_else(|| Unmeasured::NoSuch(name.to_owned()))?;
        let lane = self.problem.link.map(|link| link.out);
        let time = lane.and_then(|lane| lane.time(node.bytes));
        time.ok_or_else(|| Unmeasured::NotThere(message!("link to the host")))
    }

    /// A figure of the run; `None` for any other measure.
    fn number(&self, measure: &Measure) -> Result<Option<f64>, Unmeasured> {
        Ok(Some(count(match measure {
            Measure::FreeTime(name) => {
                let free = self.weighed(name)?.free_time;
                let free =
                    free.ok_or_else(|| Unmeasured::NotThere(message!("link to the host")))?;
                let time = count(free.unsigned_abs());
                return Ok(Some(if free < 0 { -time } else { time }));
            }
            Measure::CopyTime(name) => self.copy_time(name)?,
            Measure::Copies(name) => {
                let out = self.run.out.iter().filter(|bar| bar.name == *name);
                out.count() as u64
            }
            Measure::Starts(name) => self.ran(name)?.start,
            Measure::Ends(name) => self.ran(name)?.end,
            Measure::Waited(name) => self.ran(name)?.waited,
            Measure::Stall => self.run.stall.sum(),
            Measure::Takes => self.run.time,
            _ => return Ok(None),
        })))
    }

    /// The value that is swapped as the choice of this number, from 0.
    fn swapped(&self, number: u64) -> Result<String, Unmeasured> {
        let weighed = self.run.candidates.iter();
        let mut swapped = weighed.filter(|it| matches!(it.how, Some(How::Swap { .. })));
        let found = usize::try_from(number).ok().and_then(|at| swapped.nth(at));
        let found = found.ok_or_else(|| Unmeasured::NotThere(message!("such swap")))?;
        Ok(found.name.clone())
    }

    /// The operator with which the copy back of a value starts.
    fn fetched_by(&self, name: &str) -> Result<String, Unmeasured> {
        let none = || Unmeasured::NotThere(message!("such swap"));
        let Some(How::Swap { fetch, .. }) = self.weighed(name)?.how else {
            return Err(none());
        };
        let node = self.problem.nodes.get(fetch);
        Ok(node.ok_or_else(none)?.name.clone())
    }
}

/// Figures of a step that swaps; `None` for any other measure.
pub(crate) fn of_swaps(
    instance: &ReadyInstance,
    measure: &Measure,
) -> Result<Option<f64>, Unmeasured> {
    match measure {
        Measure::FreeTime(_)
        | Measure::CopyTime(_)
        | Measure::Copies(_)
        | Measure::Starts(_)
        | Measure::Ends(_)
        | Measure::Waited(_)
        | Measure::Stall
        | Measure::Takes => instance.swaps()?.number(measure),
        _ => Ok(None),
    }
}

/// The value that is swapped as the choice of this number.
pub(crate) fn swapped(instance: &ReadyInstance, number: u64) -> Result<Vec<String>, Unmeasured> {
    Ok(vec![instance.swaps()?.swapped(number)?])
}

/// The operator with which the copy back of a value starts.
pub(crate) fn fetched_by(instance: &ReadyInstance, name: &str) -> Result<Vec<String>, Unmeasured> {
    Ok(vec![instance.swaps()?.fetched_by(name)?])
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a step of a lesson costs far less than 2^53"
)]
fn count(number: u64) -> f64 {
    number as f64
}
