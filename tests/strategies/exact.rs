//! The exact search: optima, proofs, and what each rule is worth.

use planner::bounds::bounds;
use planner::internals::exact::{Answer, Outcome, Rules, fits, search};
use planner::{Buffer, Bytes, Effort, Lifetimes, Offset, Options, Pause, Silent, Span, check};
use tests::problems::{Known, Shape, cut_rectangle, problem};
use tests::random::Random;
use tests::shared;

/// One byte apart, and a budget that small problems never spend.
pub(crate) fn options(alignment: u64, nodes: u64) -> Options {
    Options {
        effort: Effort {
            nodes,
            ..Effort::DEFAULT
        },
        ..Options::aligned(Bytes(alignment))
    }
}

pub(crate) fn searched(lifetimes: &Lifetimes, options: &Options, rules: Rules) -> Outcome {
    let outcome = search(lifetimes, options, None, rules, &mut Silent).expect("a plan");
    let plan = &outcome.plan;
    assert_eq!(check(lifetimes, plan, options), [], "{lifetimes:?}");
    assert!(plan.proved.expect("a bound") <= plan.arena);
    assert!(outcome.nodes <= options.effort.nodes);
    outcome
}

pub(crate) fn optimum(lifetimes: &Lifetimes, options: &Options, rules: Rules) -> Bytes {
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
            let gone = buffer.pauses.iter().any(|pause| inside(pause.span));
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
/// their own, pauses and fixed addresses where asked for.
fn small(random: &mut Random, aligned: bool, pauses: bool, fixed: bool) -> Lifetimes {
    let count = 1 + random.below(5);
    let buffers = (0..count).map(|index| {
        let start = random.below(6);
        let span = Span::new(start, start + random.below(7 - start));
        let mut buffer = Buffer::new(format!("b{index}"), random.below(7), span);
        if aligned {
            buffer.alignment = Bytes([1, 1, 2, 3, 4][random.index(5)]);
        }
        if pauses && span.len() > 2 && random.below(2) == 0 {
            let from = random.within(span.start.0 + 1, span.end.0 - 1);
            buffer.pauses.push(Pause {
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
            "postponed_floor",
            Rules {
                postponed_floor: false,
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

/// Nodes until each problem is known to fit, in sum, with at most `budget` for each.
fn nodes(problems: &[Known], rules: Rules, budget: u64) -> u64 {
    let options = options(1, budget);
    let each = problems.iter().map(|known| {
        let capacity = Bytes(known.capacity);
        let fit = fits(&known.lifetimes, capacity, &options, rules, &mut Silent);
        let fit = fit.expect("one pool");
        match fit.answer {
            Answer::Fits(plan) => assert!(plan.arena <= capacity),
            Answer::Never(_) => panic!("{rules:?} denies a plan that is there: {known:?}"),
            Answer::Unknown => assert_eq!(fit.nodes, budget),
        }
        fit.nodes
    });
    each.sum()
}

pub(crate) fn shape(pieces: usize, steps: u64, units: u64, shaved: u64) -> Shape {
    Shape {
        partitions: 1,
        pieces,
        steps,
        units,
        unit: 1,
        shaved,
    }
}

/// The rules that full rectangles do not show.
const ON_LOOSE: [&str; 2] = ["dominance", "monotonic_floor"];

/// On full rectangles in pieces every address is tight, so that each rule that looks at what
/// is left shows. The others have problems of their own, below.
#[test]
fn every_rule_saves_nodes() {
    let cut: Vec<Known> = (0..30)
        .map(|seed| cut_rectangle(seed, 30, 60, 64, 1))
        .collect();
    let all = nodes(&cut, Rules::ALL, 3_000);
    for (name, rules) in switches() {
        if !ON_LOOSE.contains(&name) && name != "round_robin" {
            let without = nodes(&cut, rules, 3_000);
            assert!(
                without > all,
                "{name}: {without} nodes without it, {all} with it"
            );
        }
    }
}

/// Some problems are easy in one preorder and out of reach in another; only a set in which
/// the first preorder is unlucky once shows what taking turns is worth.
#[test]
fn taking_turns_saves_nodes() {
    let tight = tight(&shape(40, 200, 256, 150));
    let one = Rules {
        round_robin: false,
        ..Rules::ALL
    };
    assert!(nodes_or_never(&tight, one) > nodes_or_never(&tight, Rules::ALL));
}

/// On a full rectangle a place above an empty one falls at once, because a postponed buffer
/// cannot fill that; what dominance and the last address add shows on loose problems.
#[test]
fn rules_of_order_save_nodes_on_loose_problems() {
    let tight = tight(&shape(30, 60, 64, 150));
    let all = nodes_or_never(&tight, Rules::ALL);
    for (name, rules) in switches() {
        if ON_LOOSE.contains(&name) {
            let without = nodes_or_never(&tight, rules);
            assert!(
                without > all,
                "{name}: {without} nodes without it, {all} with it"
            );
        }
    }
}

/// Forty loose problems of `shape`, each with its lower bound for a capacity.
fn tight(shape: &Shape) -> Vec<Known> {
    let loose = (0..40).map(|seed| problem(seed, *shape));
    let tight = loose.map(|known| Known {
        capacity: bounds(&known.lifetimes).offsets.0,
        ..known
    });
    tight.collect()
}

/// Area-heavy problems of more than two hundred buffers, without a byte of waste at any step.
/// Before buffers were postponed and orders changed between restarts, four million nodes did
/// not suffice for any of them.
#[test]
fn default_effort_solves_large_cut_rectangles() {
    for seed in [3, 5, 11] {
        let known = cut_rectangle(seed, 215, 1024, 1024, 1024);
        let options = Options::aligned(Bytes(1));
        let least = optimum(&known.lifetimes, &options, Rules::ALL);
        assert_eq!(least, Bytes(known.capacity), "seed {seed}");
    }
}

/// Nodes until each problem is known to fit or not to fit, in sum.
fn nodes_or_never(problems: &[Known], rules: Rules) -> u64 {
    let options = options(1, 20_000);
    let each = problems.iter().map(|known| {
        let capacity = Bytes(known.capacity);
        let fit = fits(&known.lifetimes, capacity, &options, rules, &mut Silent);
        fit.expect("one pool").nodes
    });
    each.sum()
}

/// What a full rectangle in pieces needs is known: not a byte less.
#[test]
fn a_cut_rectangle_is_put_together_again() {
    for seed in 0..20 {
        let known = cut_rectangle(seed, 20, 60, 128, 512);
        let least = optimum(&known.lifetimes, &options(1, 1_000_000), Rules::ALL);
        assert_eq!(least, Bytes(known.capacity));
        let below = Bytes(known.capacity - 1);
        let fit = fits(
            &known.lifetimes,
            below,
            &options(1, 1),
            Rules::ALL,
            &mut Silent,
        );
        let never = Answer::Never(Some(Bytes(known.capacity)));
        assert_eq!(fit.expect("one pool").answer, never);
    }
}

/// Three buffers of 2, 2 and 3 in a ring of three steps, each live in two of them, need 7 by
/// their sums of 4, 5 and 5: every two meet, so that all three lie above one another.
#[test]
fn what_does_not_fit_is_proved() {
    let ring = Lifetimes::of([
        paused("a", 2, Span::new(0, 2), None),
        paused("b", 2, Span::new(1, 3), None),
        paused("c", 3, Span::new(0, 3), Some(Span::new(1, 2))),
    ]);
    assert_eq!(bounds(&ring).offsets, Bytes(5));
    let options = options(1, 1_000);
    let fit = fits(&ring, Bytes(6), &options, Rules::ALL, &mut Silent).expect("one pool");
    assert_eq!(fit.answer, Answer::Never(Some(Bytes(7))));
    assert_eq!(optimum(&ring, &options, Rules::ALL), Bytes(7));
}

pub(crate) fn paused(name: &str, size: u64, span: Span, pause: Option<Span>) -> Buffer {
    let mut buffer = Buffer::new(name, size, span);
    buffer.pauses = pause
        .map(|span| Pause { span, window: None })
        .into_iter()
        .collect();
    buffer
}

/// Public problems of google/minimalloc, published as solvable at 1,048,576 bytes; D and J
/// were solved at 1,040,384 and 1,036,288 at best. C fills its busiest moment, so that no
/// plan is below 1,039,360. (The three others take too many nodes without optimisation; the
/// benchmark holds them.)
#[test]
fn published_problems_fit() {
    let options = options(1, 1_000_000);
    let known = [("C", 1_048_576), ("D", 1_031_168), ("J", 1_036_288)];
    let problems = shared::files("data/minimalloc", ".1048576.csv");
    for (name, capacity) in known {
        let named = |(file, _): &&(String, Vec<u8>)| file.starts_with(name);
        let (_, content) = problems.iter().find(named).expect("it is one of them");
        let rows = str::from_utf8(content).expect("text").lines().skip(1);
        let cells = |row: &str| -> Vec<u64> {
            let cells = row.split(',');
            cells.map(|cell| cell.parse().expect("a number")).collect()
        };
        let buffers = rows.map(cells);
        let buffers = buffers.map(|it| Buffer::new("b", it[3], Span::new(it[1], it[2])));
        let lifetimes = Lifetimes::of(buffers);
        let fit = fits(
            &lifetimes,
            Bytes(capacity),
            &options,
            Rules::ALL,
            &mut Silent,
        );
        let Answer::Fits(plan) = fit.expect("one pool").answer else {
            panic!("{name} fits");
        };
        assert!(plan.arena <= Bytes(capacity));
        assert_eq!(check(&lifetimes, &plan, &options), []);
        if name == "C" {
            assert_eq!(optimum(&lifetimes, &options, Rules::ALL), Bytes(1_039_360));
        }
    }
}
