//! The model as it was before passes rewrote it: fused operators as their parts, one after the
//! other in the file's order, every tensor in memory of its own. Its outputs are what those of a
//! later stage have to be.

use planner::{Lifetimes, Message, Plan, Program, Settings};

use super::report::{BeforePasses, Phase};
use super::reporter::Reporter;
use super::{Outputs, PATTERNS, Run, RunError, differing, lowered, options, reference};

impl Run<'_> {
    /// How far the outputs of the model before its passes are from `now`, why that is not known,
    /// or nothing where no pass has rewritten it.
    pub(super) async fn before_passes(
        &self,
        now: &Outputs,
        reporter: &mut Reporter<'_>,
    ) -> Result<Option<Result<BeforePasses, Message>>, RunError> {
        let question = self.question;
        let whole = !question.corrupted && question.until.is_none();
        let Some(program) = program(question.program).filter(|_| whole) else {
            return Ok(None);
        };
        let (lifetimes, plan) = match plan(&program) {
            Ok(planned) => planned,
            Err(why) => return Ok(Some(Err(why))),
        };
        let of = (&program, question.values, &lifetimes);
        let options = options(self.machine, question);
        let lowered = match lowered(of, &plan, &options) {
            Ok(lowered) => lowered,
            Err(refused) => return Ok(Some(Err(refused.message()))),
        };
        let recording = &lowered.recording;
        let once = (Phase::BeforePasses, &PATTERNS[..1]);
        Ok(Some(match self.repeated(recording, once, reporter).await {
            Ok((_, outputs)) => Ok(BeforePasses {
                arena: recording.arena,
                differing: differing(&outputs, now),
                deviation: reference::deviation(recording, now, &outputs),
            }),
            Err(RunError::OutOfMemory(why)) => Err(why),
            Err(error) => return Err(error),
        }))
    }
}

/// The program without fusion, views, operators in place and another order; `None` where it is
/// the same. Folded constants and batch normalisations stay folded.
fn program(of: &Program) -> Option<Program> {
    if of.as_written || !of.schedule.only_computes() {
        return None;
    }
    let before = Program::new(of.graph.unfused().0);
    let same = of.graph.ops == before.graph.ops
        && of.storages == before.storages
        && of.schedule == before.schedule
        && of.in_place.is_empty();
    (!same).then_some(before)
}

/// Lifetimes and a plan of it; why there are none.
fn plan(program: &Program) -> Result<(Lifetimes, Plan), Message> {
    let settings = Settings::default();
    let lifetimes = planner::lifetimes(program, &settings).map_err(|error| error.message())?;
    let plan = planner::offsets_by_size(&lifetimes, settings.alignment);
    Ok((lifetimes, plan.map_err(|error| error.message())?))
}
