//! Plans that the judge has passed, and what their strategies say meanwhile.

use std::ops::ControlFlow;

use planner::trace::Event;
use planner::{Lifetimes, Observer, Options, Plan, Silent, Strategy, check, plan};

/// Hears everything, reasons too.
#[derive(Default)]
struct Curious(Vec<Event>);

impl Observer for Curious {
    fn observe(&mut self, event: Event) -> ControlFlow<()> {
        self.0.push(event);
        ControlFlow::Continue(())
    }

    fn wants_reasons(&self) -> bool {
        true
    }
}

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

/// The same with all that the strategy tells, which changes nothing.
///
/// # Panics
/// Like [`judged`], and if it does.
#[must_use]
#[track_caller]
pub fn overheard(
    strategy: Strategy,
    lifetimes: &Lifetimes,
    options: &Options,
) -> (Plan, Vec<Event>) {
    let mut curious = Curious::default();
    let made = plan(strategy, lifetimes, options, &mut curious);
    let made = made.expect("it can plan this");
    let unheard = judged(strategy, lifetimes, options);
    assert_eq!(made, unheard, "{strategy}: reasons change nothing");
    (made, curious.0)
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
