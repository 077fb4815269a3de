//! The plan without reuse: every buffer after the one before. Computed here, so that the
//! figures it is compared with share no code with it. And its run, once more where that is what
//! may be wrong.

use planner::{Bytes, Lifetimes, Message, Offset, Plan, message};

use super::report::{NaiveRun, Phase, Report, Verdict};
use super::reporter::Reporter;
use super::{Failure, Outputs, PATTERNS, Run, differing, lowered, options};
use crate::engine::RunError;
use crate::lower::Lowered;

/// Offsets as a running sum; `None` when they go beyond 64 bits.
pub(super) fn plan(lifetimes: &Lifetimes) -> Option<Plan> {
    let mut offsets = Vec::with_capacity(lifetimes.buffers.len());
    let mut end = Offset(0);
    for buffer in &lifetimes.buffers {
        // A run addresses words.
        let start = end.align_up(Bytes(buffer.alignment.0.max(4)))?;
        offsets.push(start);
        end = start.end(buffer.size)?;
    }
    Some(Plan {
        origin: "no reuse".into(),
        offsets,
        arena: Bytes(end.0),
        ..Plan::default()
    })
}

impl Run<'_> {
    /// The run without reuse and its outputs, or why there is none.
    pub(super) async fn naive(
        &self,
        reporter: &mut Reporter<'_>,
    ) -> Result<Result<(NaiveRun, Outputs), Message>, Failure> {
        let lowered = match self.without_reuse() {
            Ok(lowered) => lowered,
            Err(why) => return Ok(Err(why)),
        };
        let arena = lowered.recording.arena;
        let often = (Phase::Naive, &PATTERNS[..]);
        match self.repeated(&lowered.recording, often, reporter).await {
            Ok((times, outputs)) => {
                let time = times.iter().copied().fold(f64::INFINITY, f64::min);
                let runs = u32::try_from(times.len()).unwrap_or(u32::MAX);
                Ok(Ok((NaiveRun { arena, time, runs }, outputs)))
            }
            Err(RunError::OutOfMemory(why)) => Ok(Err(message!(
                "the device has no memory for its arena of {} B: {}",
                arena.0,
                why
            ))),
            Err(error) => Err(error.into()),
        }
    }

    /// What runs without reuse, or why nothing does.
    fn without_reuse(&self) -> Result<Lowered, Message> {
        let question = self.question;
        if !question.naive {
            return Err(message!("it was not asked for"));
        }
        let plan =
            plan(question.lifetimes).ok_or_else(|| message!("its sizes go beyond 64 bits"))?;
        let options = options(self.machine, question);
        lowered(question.of(), &plan, &options).map_err(|refused| refused.message())
    }

    /// The run without reuse once more, where outputs differ and nothing was found that could
    /// have changed them: a plan is blamed only if what it is compared with repeats its bits.
    pub(super) async fn unsteady(
        &self,
        report: &Report,
        first: &Outputs,
        reporter: &mut Reporter<'_>,
    ) -> Result<Option<Verdict>, Failure> {
        if report.naive.is_err() || !report.differs_without_finding() {
            return Ok(None);
        }
        let Ok(lowered) = self.without_reuse() else {
            return Ok(None);
        };
        let often = (Phase::Naive, &PATTERNS[..]);
        let (_, again) = self.repeated(&lowered.recording, often, reporter).await?;
        let words = differing(first, &again);
        Ok((words > 0).then(|| {
            Verdict::Incomplete(message!(
                "the run without reuse does not repeat itself: {} words of its outputs \
                 differ the second time, which no plan explains",
                words
            ))
        }))
    }
}
