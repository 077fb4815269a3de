//! The exact search: optima, proofs, and what each rule is worth.

#![expect(
    clippy::expect_used,
    reason = "builders of a test fail where their own figures are malformed"
)]

use std::ops::ControlFlow;

use planner::bounds::bounds;
use planner::check::check;
use planner::liveness::{Buffer, Gap, Lifetimes};
use planner::plan::{Effort, Options, Plan};
use planner::strategies::exact::{Answer, Outcome, Rules, fits, search};
use planner::strategies::{Event, Observer, PlanError, Silent};
use planner::units::{Bytes, Offset, Span};
use tests::problems::{Shape, cut_rectangle, problem};
use tests::random::Random;
use tests::shared;

/// One byte apart, and a budget that small problems never spend.
fn options(alignment: u64, nodes: u64) -> Options {
    Options {
        effort: Effort {
            nodes,
            ..Effort::DEFAULT
        },
        ..Options::aligned(Bytes(alignment))
    }
}

fn searched(lifetimes: &Lifetimes, options: &Options, rules: Rules) -> Outcome {
    let outcome = search(lifetimes, options, None, rules, &mut Silent).expect("a plan");
    let plan = &outcome.plan;
    assert_eq!(check(lifetimes, plan, options), [], "{lifetimes:?}");
    assert!(plan.proved.expect("a bound") <= plan.arena);
    assert!(outcome.nodes <= options.effort.nodes);
    outcome
}

fn optimum(lifetimes: &Lifetimes, options: &Options, rules: Rules) -> Bytes {
    let plan = searched(lifetimes, options, rules).plan;
    assert_eq!(plan.proved, Some(plan.arena), "{rules:?} {lifetimes:?}");
    plan.arena
}

/// The smallest arena by trying every address of every buffer, one after the other: shares
/// no idea with the search but the definition of a plan. Buffers are in each other's way
/// where the judge says so of the two alone.
struct Exhaustive<'a> {
    lifetimes: &'a Lifetimes,
    options: &'a Options,
    offsets: Vec<u64>,
    least: u64,
}

impl Exhaustive<'_> {
    /// The least arena below `above`, or `above`.
    fn least(lifetimes: &Lifetimes, options: &Options, above: u64) -> u64 {
        let mut all = Exhaustive {
            lifetimes,
            options,
            offsets: Vec::new(),
            least: above,
        };
        all.place(0);
        all.least
    }

    fn place(&mut self, height: u64) {
        let index = self.offsets.len();
        let Some(buffer) = self.lifetimes.buffers.get(index) else {
            self.least = self.least.min(height);
            return;
        };
        let alignment = buffer.alignment.max(self.options.alignment).0.max(1);
        let (from, to, by) = match buffer.fixed {
            Some(fixed) => (fixed.0, fixed.0 + 1, 1),
            None => (
                0,
                self.least,
                usize::try_from(alignment).expect("a small alignment"),
            ),
        };
        for offset in (from..to).step_by(by) {
            let top = height.max(offset + buffer.size.0);
            if top >= self.least {
                break;
            }
            if (0..index).all(|other| !self.overlap(other, index, offset)) {
                self.offsets.push(offset);
                self.place(top);
                self.offsets.pop();
            }
        }
    }

    /// Whether both need the same byte at the same step.
    fn overlap(&self, first: usize, second: usize, offset: u64) -> bool {
        let buffers = &self.lifetimes.buffers;
        (0..self.lifetimes.horizon.0).any(|step| {
            let needs = |buffer: &Buffer| {
                let inside = |span: Span| span.start.0 <= step && step < span.end.0;
                inside(buffer.span) && !buffer.gaps.iter().any(|gap| inside(gap.span))
            };
            let below = self.offsets[first];
            needs(&buffers[first])
                && needs(&buffers[second])
                && below < offset + buffers[second].size.0
                && offset < below + buffers[first].size.0
        })
    }
}

/// Up to six buffers in a few steps, some of them of no bytes or steps, with alignments of
/// their own, gaps and fixed addresses where asked for.
fn small(random: &mut Random, aligned: bool, gaps: bool, fixed: bool) -> Lifetimes {
    let count = 1 + random.below(6);
    let buffers = (0..count).map(|index| {
        let start = random.below(6);
        let span = Span::new(start, start + random.below(7 - start));
        let mut buffer = Buffer::new(format!("b{index}"), random.below(9), span);
        if aligned {
            buffer.alignment = Bytes([1, 1, 2, 3, 4][random.index(5)]);
        }
        if gaps && span.len() > 2 && random.below(2) == 0 {
            let from = random.within(span.start.0 + 1, span.end.0 - 1);
            buffer.gaps.push(Gap {
                span: Span::new(from, random.within(from + 1, span.end.0)),
                window: None,
            });
        }
        if fixed && random.below(3) == 0 {
            buffer.fixed = Some(Offset(random.below(12)));
        }
        buffer
    });
    Lifetimes::of(buffers.collect::<Vec<_>>())
}

#[test]
fn small_problems_are_solved_to_the_optimum() {
    const ABOVE: u64 = 80;
    let mut random = Random::new(1);
    let (mut solved, mut impossible) = (0, 0);
    for turn in 0..800 {
        let lifetimes = small(&mut random, turn % 2 == 1, turn % 4 > 1, turn % 8 > 3);
        let options = options([0, 1, 2][random.index(3)], 1_000_000);
        let least = Exhaustive::least(&lifetimes, &options, ABOVE);
        if least == ABOVE {
            // Two fixed buffers in each other's way.
            let outcome = search(&lifetimes, &options, None, Rules::ALL, &mut Silent);
            assert_ne!(
                check(&lifetimes, &outcome.expect("a plan").plan, &options),
                []
            );
            impossible += 1;
            continue;
        }
        assert_eq!(
            optimum(&lifetimes, &options, Rules::ALL),
            Bytes(least),
            "{lifetimes:?}"
        );
        solved += 1;
    }
    assert!(solved > 600 && impossible > 10, "{solved} {impossible}");
}

/// Each rule with its switch off.
fn switches() -> Vec<(&'static str, Rules)> {
    let all = Rules::ALL;
    vec![
        (
            "canonical",
            Rules {
                canonical: false,
                ..all
            },
        ),
        (
            "dominance",
            Rules {
                dominance: false,
                ..all
            },
        ),
        (
            "section_inference",
            Rules {
                section_inference: false,
                ..all
            },
        ),
        (
            "unallocated_floor",
            Rules {
                unallocated_floor: false,
                ..all
            },
        ),
        (
            "monotonic_floor",
            Rules {
                monotonic_floor: false,
                ..all
            },
        ),
        (
            "hatless",
            Rules {
                hatless: false,
                ..all
            },
        ),
        (
            "decomposition",
            Rules {
                decomposition: false,
                ..all
            },
        ),
        (
            "dynamic_order",
            Rules {
                dynamic_order: false,
                ..all
            },
        ),
        (
            "round_robin",
            Rules {
                round_robin: false,
                ..all
            },
        ),
    ]
}

#[test]
fn every_rule_keeps_the_optimum() {
    let mut random = Random::new(2);
    for turn in 0..150 {
        let lifetimes = small(&mut random, turn % 2 == 1, turn % 4 > 1, turn % 8 > 3);
        let options = options(1, 1_000_000);
        let least = Exhaustive::least(&lifetimes, &options, 80);
        if least == 80 {
            continue;
        }
        for (name, rules) in switches() {
            let found = optimum(&lifetimes, &options, rules);
            assert_eq!(found, Bytes(least), "without {name}: {lifetimes:?}");
        }
    }
}
