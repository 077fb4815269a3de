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
/// no idea with the search but the definition of a plan.
struct Exhaustive<'a> {
    lifetimes: &'a Lifetimes,
    options: &'a Options,
    /// Whether two buffers need bytes at the same step.
    meet: Vec<Vec<bool>>,
    offsets: Vec<u64>,
    least: u64,
}

impl Exhaustive<'_> {
    /// The least arena below `above`, or `above` if there is none.
    fn least(lifetimes: &Lifetimes, options: &Options, above: u64) -> u64 {
        let needs = |buffer: &Buffer, step| {
            let inside = |span: Span| span.start.0 <= step && step < span.end.0;
            let gone = buffer.gaps.iter().any(|gap| inside(gap.span));
            buffer.size > Bytes::ZERO && inside(buffer.span) && !gone
        };
        let meet = |a: &Buffer, b: &Buffer| {
            (0..lifetimes.horizon.0).any(|step| needs(a, step) && needs(b, step))
        };
        let buffers = lifetimes.buffers.iter();
        let row = |a| lifetimes.buffers.iter().map(|b| meet(a, b)).collect();
        let mut all = Exhaustive {
            lifetimes,
            options,
            meet: buffers.map(row).collect(),
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
        let (from, to) = match buffer.fixed {
            Some(fixed) => (fixed.0, fixed.0 + 1),
            None => (0, self.least),
        };
        for offset in from..to {
            let top = height.max(offset + buffer.size.0);
            if top >= self.least {
                break;
            }
            let aligned = buffer.fixed.is_some() || offset.is_multiple_of(alignment);
            if aligned && (0..index).all(|other| !self.overlap(other, index, offset)) {
                self.offsets.push(offset);
                self.place(top);
                self.offsets.pop();
            }
        }
    }

    /// Whether both need the same byte at the same step.
    fn overlap(&self, first: usize, second: usize, offset: u64) -> bool {
        let size = |index: usize| self.lifetimes.buffers[index].size.0;
        let below = self.offsets[first];
        self.meet[first][second] && below < offset + size(second) && offset < below + size(first)
    }
}

/// Up to five buffers in a few steps, some of them of no bytes or steps, with alignments of
/// their own, gaps and fixed addresses where asked for.
fn small(random: &mut Random, aligned: bool, gaps: bool, fixed: bool) -> Lifetimes {
    let count = 1 + random.below(5);
    let buffers = (0..count).map(|index| {
        let start = random.below(6);
        let span = Span::new(start, start + random.below(7 - start));
        let mut buffer = Buffer::new(format!("b{index}"), random.below(7), span);
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
            buffer.fixed = Some(Offset(random.below(9)));
        }
        buffer
    });
    Lifetimes::of(buffers.collect::<Vec<_>>())
}

#[test]
fn small_problems_are_solved_to_the_optimum() {
    let mut random = Random::new(1);
    let (mut solved, mut impossible) = (0, 0);
    for turn in 0..600 {
        let lifetimes = small(&mut random, turn % 2 == 1, turn % 4 > 1, turn % 8 > 3);
        let options = options([0, 1, 2][random.index(3)], 1_000_000);
        if clashes(&lifetimes, &options) {
            impossible += 1;
            continue;
        }
        let found = optimum(&lifetimes, &options, Rules::ALL);
        let least = Exhaustive::least(&lifetimes, &options, found.0);
        assert_eq!(found, Bytes(least), "{lifetimes:?}");
        solved += 1;
    }
    assert!(solved > 400 && impossible > 10, "{solved} {impossible}");
}

/// Whether the fixed buffers alone are in each other's way.
fn clashes(lifetimes: &Lifetimes, options: &Options) -> bool {
    let fixed = lifetimes.buffers.iter().filter(|it| it.fixed.is_some());
    let fixed = Lifetimes::of(fixed.cloned());
    Exhaustive::least(&fixed, options, 100) == 100
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
        if clashes(&lifetimes, &options) {
            continue;
        }
        let best = optimum(&lifetimes, &options, Rules::ALL);
        for (name, rules) in switches() {
            let found = optimum(&lifetimes, &options, rules);
            assert_eq!(found, best, "without {name}: {lifetimes:?}");
        }
    }
}

/// Nodes until a problem is solved to the end, in sum.
fn nodes(problems: &[Lifetimes], rules: Rules, budget: u64) -> u64 {
    let options = options(1, budget);
    let each = problems
        .iter()
        .map(|it| searched(it, &options, rules).nodes);
    each.sum()
}
