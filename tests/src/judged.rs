//! Plans that the judge has passed, and the traces of how they came about.

use planner::trace::{Reason, Recorder, Trace};
use planner::{Lifetimes, Options, Plan, Silent, Strategy, check, plan};

/// A strategy's plan, which breaks no rule.
///
/// # Panics
/// If there is none or it does.
#[must_use]
#[track_caller]
pub fn judged(strategy: Strategy, lifetimes: &Lifetimes, options: &Options) -> Plan {
    let made = plan(strategy, lifetimes, options, &mut Silent);
    let made = made.expect("it can plan this");
    let broken = check(lifetimes, &made, options);
    assert_eq!(broken, [], "{strategy}: {lifetimes:?}");
    made
}

/// The same with the trace of all that the strategy did, which changes nothing.
///
/// # Panics
/// Like [`judged`], and if it does.
#[must_use]
#[track_caller]
pub fn traced(strategy: Strategy, lifetimes: &Lifetimes, options: &Options) -> (Plan, Trace) {
    let mut recorder = Recorder::new(lifetimes);
    let made = plan(strategy, lifetimes, options, &mut recorder);
    let made = made.expect("it can plan this");
    let alone = judged(strategy, lifetimes, options);
    assert_eq!(made, alone, "{strategy}: a film changes nothing");
    let trace = recorder.finish(options, &made);
    (made, trace)
}

/// What is known of the first decision about `buffer`.
///
/// # Panics
/// If there is none.
#[must_use]
#[track_caller]
pub fn reasons(trace: &Trace, buffer: usize) -> &[Reason] {
    let mut frames = trace.frames().iter();
    let frame = frames.position(|frame| frame.outcome.buffer() == Some(buffer));
    trace.reasons(frame.expect("a decision about the buffer"))
}

/// Bytes from the start of the arena to each buffer.
#[must_use]
pub fn offsets(plan: &Plan) -> Vec<u64> {
    plan.offsets.iter().map(|offset| offset.0).collect()
}

/// Object of each buffer, and size of each object.
///
/// # Panics
/// If the plan has no objects.
#[must_use]
#[track_caller]
pub fn objects(plan: &Plan) -> (Vec<u32>, Vec<u64>) {
    let objects = plan.objects.as_ref().expect("a plan of objects");
    let sizes = objects.sizes.iter().map(|size| size.0).collect();
    (objects.of_buffer.clone(), sizes)
}
