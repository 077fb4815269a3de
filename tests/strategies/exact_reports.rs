//! What the exact search reports, and what becomes of it when it is stopped.

use std::ops::ControlFlow;

use planner::internals::exact::{Rules, search};
use planner::trace::Event;
use planner::{Bytes, Lifetimes, Observer, Offset, PlanError, Pool, Silent, check};
use tests::problems::{cut_rectangle, problem};

use crate::exact::{options, searched, shape};

/// Counts what it receives, keeps track of what is placed, and breaks after so many events.
struct Observed {
    reasons: bool,
    left: u64,
    placed: Vec<Option<Offset>>,
    count: u64,
    incumbents: Vec<Bytes>,
    proved: Vec<Bytes>,
}

impl Observed {
    fn new(lifetimes: &Lifetimes, reasons: bool, left: u64) -> Self {
        Self {
            reasons,
            left,
            placed: vec![None; lifetimes.buffers.len()],
            count: 0,
            incumbents: Vec::new(),
            proved: Vec::new(),
        }
    }
}

impl Observer for Observed {
    fn observe(&mut self, event: Event) -> ControlFlow<()> {
        match event {
            Event::Attempt { .. } => self.placed.fill(None),
            Event::Placed { buffer, offset } => {
                assert_eq!(self.placed[buffer], None, "placed twice");
                self.placed[buffer] = Some(offset);
            }
            Event::Unplaced { buffer } => {
                assert!(self.placed[buffer].take().is_some(), "was not placed");
            }
            Event::Pruned { depth, .. } => {
                assert!(depth <= self.placed.iter().flatten().count());
            }
            Event::Incumbent { arena } => self.incumbents.push(arena),
            Event::Proved { bound } => self.proved.push(bound),
            _ => {}
        }
        self.count += 1;
        if self.count > self.left {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn wants_every_step(&self) -> bool {
        self.reasons
    }

    fn incumbent(&mut self, offsets: &[Offset], arena: Bytes) {
        assert_eq!(self.incumbents.last(), Some(&arena));
        assert_eq!(offsets.len(), self.placed.len());
    }
}

#[test]
fn what_is_told_is_true() {
    let lifetimes = cut_rectangle(5, 20, 60, 128, 1).lifetimes;
    let options = options(1, 100_000);
    let silent = search(&lifetimes, &options, None, Rules::ALL, &mut Silent).expect("a plan");
    for reasons in [false, true] {
        let mut observed = Observed::new(&lifetimes, reasons, u64::MAX);
        let outcome = search(&lifetimes, &options, None, Rules::ALL, &mut observed);
        let outcome = outcome.expect("a plan");
        assert_eq!(outcome, silent, "the same plan whoever listens");
        let reported: Vec<Offset> = observed.placed.iter().copied().flatten().collect();
        assert_eq!(reported, outcome.plan.offsets);
        assert!(observed.incumbents.is_sorted_by(|a, b| a > b));
        assert_eq!(observed.incumbents.last(), Some(&outcome.plan.arena));
        assert!(observed.proved.is_sorted_by(|a, b| a < b));
        assert_eq!(observed.proved.last().copied(), outcome.plan.proved);
        assert!(
            !reasons || observed.count > 2 * outcome.nodes,
            "node by node"
        );
    }
}

#[test]
fn who_stops_it_gets_the_best_plan_so_far() {
    let lifetimes = cut_rectangle(5, 20, 60, 128, 1).lifetimes;
    let options = options(1, 100_000);
    let mut observed = Observed::new(&lifetimes, true, u64::MAX);
    search(&lifetimes, &options, None, Rules::ALL, &mut observed).expect("a plan");
    let mut last = Bytes(u64::MAX);
    for part in 0..20 {
        let mut stopper = Observed::new(&lifetimes, true, observed.count * part / 20);
        let outcome = search(&lifetimes, &options, None, Rules::ALL, &mut stopper);
        let plan = outcome.expect("a plan").plan;
        assert_eq!(check(&lifetimes, &plan, &options), []);
        assert!(plan.arena <= last, "later is no worse");
        assert!(
            stopper
                .incumbents
                .last()
                .is_none_or(|&arena| plan.arena <= arena)
        );
        last = plan.arena;
    }
}

#[test]
fn the_budget_is_kept_and_a_better_plan_is_taken() {
    let known = problem(3, shape(80, 400, 1024, 100));
    let mut last = None;
    for budget in [0, 1, 100, 1_000, 10_000] {
        let outcome = searched(&known.lifetimes, &options(1, budget), Rules::ALL);
        assert!(last.is_none_or(|last| outcome.plan.arena <= last));
        last = Some(outcome.plan.arena);
        let seeded = search(
            &known.lifetimes,
            &options(1, 0),
            Some(outcome.plan.clone()),
            Rules::ALL,
            &mut Silent,
        );
        assert_eq!(seeded.expect("a plan").plan.offsets, outcome.plan.offsets);
    }
}

#[test]
fn pools_are_for_the_caller() {
    let mut options = options(1, 10);
    options.pools.push(Pool {
        name: "sram".into(),
        capacity: None,
    });
    let refused = search(
        &Lifetimes::default(),
        &options,
        None,
        Rules::ALL,
        &mut Silent,
    );
    let Err(PlanError::Unsupported { what }) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(what, "pools, such as \"sram\"");
}
