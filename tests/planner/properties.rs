//! Arbitrary lifetimes through every strategy: the judge finds nothing, no plan beats a
//! bound or the best there is, equal input gives equal plans, and every run can be stopped.

#![expect(
    clippy::unwrap_used,
    reason = "builders of a test fail where their own figures are malformed"
)]

use std::cmp::Reverse;
use std::ops::ControlFlow;

use planner::bounds::bounds;
use planner::check::check;
use planner::liveness::{Buffer, Lifetimes, profile};
use planner::plan::{Options, Plan};
use planner::strategies::{Event, Model, Observer, PlanError, Silent, Strategy, plan};
use planner::units::{Bytes, Offset, Span, Step};
use tests::random::Random;

/// What kind of lifetimes to make.
#[derive(Clone, Copy)]
struct Shape {
    buffers: u64,
    steps: u64,
    size: u64,
    own_alignment: bool,
}

/// Lifetimes in arbitrary order, empty spans and sizes of 0 among them.
fn arbitrary(random: &mut Random, shape: Shape) -> Lifetimes {
    let buffer = |index: u64| {
        let start = random.below(shape.steps);
        let end = start + random.below(shape.steps - start + 1);
        let mut buffer = Buffer::new(
            format!("b{index}"),
            random.below(shape.size),
            Span::new(start, end),
        );
        if shape.own_alignment {
            buffer.alignment = Bytes(1 << random.below(5));
        }
        buffer
    };
    Lifetimes {
        buffers: (0..shape.buffers).map(buffer).collect(),
        horizon: Step(shape.steps),
        ..Lifetimes::default()
    }
}

fn shapes() -> impl Iterator<Item = (Lifetimes, Options)> {
    let mut random = Random::new(0x9E37_79B9_7F4A_7C15);
    (0..400).map(move |_| {
        let shape = Shape {
            buffers: random.below(40),
            steps: 1 + random.below(30),
            size: 1 + random.below(200),
            own_alignment: random.below(2) == 0,
        };
        let options = Options::aligned(Bytes(
            [0, 1, 8, 12, 64][usize::try_from(random.below(5)).unwrap()],
        ));
        (arbitrary(&mut random, shape), options)
    })
}

fn planned(strategy: Strategy, lifetimes: &Lifetimes, options: &Options) -> Plan {
    let made = plan(strategy, lifetimes, options, &mut Silent).unwrap();
    assert_eq!(
        check(lifetimes, &made, options),
        [],
        "{strategy}: {lifetimes:?}"
    );
    assert_eq!(made.origin, strategy.name());
    made
}

#[test]
fn every_plan_is_valid_bounded_and_deterministic() {
    for (lifetimes, options) in shapes() {
        let bounds = bounds(&lifetimes);
        let naive = planned(Strategy::Naive, &lifetimes, &options);
        for strategy in Strategy::ALL {
            let made = planned(strategy, &lifetimes, &options);
            assert!(made.arena >= bounds.offsets, "{strategy}");
            assert_eq!(made.objects.is_some(), strategy.model() == Model::Objects);
            if strategy.model() == Model::Objects {
                assert!(made.arena >= bounds.objects, "{strategy}");
            }
            if options.alignment <= Bytes(1)
                && lifetimes.buffers.iter().all(|b| b.alignment <= Bytes(1))
            {
                assert!(made.arena <= naive.arena, "{strategy}");
            }
            assert_eq!(made, planned(strategy, &lifetimes, &options));
        }
    }
}

#[test]
fn bounds_are_what_each_step_adds_up_to() {
    for (lifetimes, _) in shapes() {
        let bounds = bounds(&lifetimes);
        let profile = profile::profile(&lifetimes);
        let mut peak = (0, Step(0));
        let mut maxima: Vec<u64> = Vec::new();
        for step in (0..lifetimes.horizon.0).map(Step) {
            let live = lifetimes.buffers.iter().filter(|b| b.span.contains(step));
            let mut sizes: Vec<u64> = live.map(|b| b.size.0).filter(|&size| size > 0).collect();
            sizes.sort_by_key(|&size| Reverse(size));
            let sum = sizes.iter().sum();
            assert_eq!(profile.at(step), Bytes(sum));
            if sum > peak.0 {
                peak = (sum, step);
            }
            maxima.resize(maxima.len().max(sizes.len()), 0);
            for (maximum, size) in maxima.iter_mut().zip(sizes) {
                *maximum = size.max(*maximum);
            }
        }
        assert_eq!((bounds.offsets.0, bounds.peak), peak);
        assert_eq!(bounds.objects.0, maxima.iter().sum::<u64>());
        assert_eq!(
            bounds.maxima,
            maxima.into_iter().map(Bytes).collect::<Vec<_>>()
        );
        let witness: u64 = bounds
            .witness
            .iter()
            .map(|&i| lifetimes.buffers[i].size.0)
            .sum();
        assert_eq!(witness, bounds.offsets.0);
        assert_eq!(profile.at(lifetimes.horizon), Bytes::ZERO);
    }
}

/// The smallest arena of all: in some order of the buffers, putting each as low as it can go
/// gives a best plan, because pushing the blocks of any plan down in order of their offsets
/// makes it no higher.
fn least_arena(buffers: &[Buffer], placed: &mut Vec<(usize, u64)>) -> u64 {
    if placed.len() == buffers.len() {
        let ends = placed
            .iter()
            .map(|&(index, offset)| offset + buffers[index].size.0);
        return ends.max().unwrap_or(0);
    }
    let mut least = u64::MAX;
    for index in 0..buffers.len() {
        if placed.iter().any(|&(other, _)| other == index) {
            continue;
        }
        let mut near: Vec<(u64, u64)> = placed
            .iter()
            .filter(|&&(other, _)| buffers[other].span.overlaps(buffers[index].span))
            .map(|&(other, offset)| (offset, offset + buffers[other].size.0))
            .collect();
        near.sort_unstable();
        let mut offset = 0;
        for (start, end) in near {
            if offset + buffers[index].size.0 > start {
                offset = offset.max(end);
            }
        }
        placed.push((index, offset));
        least = least.min(least_arena(buffers, placed));
        placed.pop();
    }
    least
}

#[test]
fn no_plan_beats_the_best_there_is() {
    let mut random = Random::new(42);
    for _ in 0..60 {
        let shape = Shape {
            buffers: 1 + random.below(6),
            steps: 6,
            size: 12,
            own_alignment: false,
        };
        let lifetimes = arbitrary(&mut random, shape);
        let least = least_arena(&lifetimes.buffers, &mut Vec::new());
        assert!(bounds(&lifetimes).offsets.0 <= least);
        let options = Options::aligned(Bytes(1));
        for strategy in Strategy::ALL {
            assert!(
                planned(strategy, &lifetimes, &options).arena.0 >= least,
                "{strategy}"
            );
        }
    }
}

#[test]
fn fixed_addresses_are_kept_or_refused() {
    let mut random = Random::new(7);
    for _ in 0..100 {
        let shape = Shape {
            buffers: 20,
            steps: 15,
            size: 50,
            own_alignment: true,
        };
        let mut lifetimes = arbitrary(&mut random, shape);
        // Far enough apart that the fixed ones never collide with each other.
        for (buffer, place) in lifetimes.buffers.iter_mut().step_by(4).zip(0_u64..) {
            buffer.fixed = Some(Offset(place * 60 + random.below(10)));
        }
        let options = Options::aligned(Bytes(1));
        for strategy in Strategy::ALL {
            if strategy.model() == Model::Offsets {
                planned(strategy, &lifetimes, &options);
            } else {
                let refused = plan(strategy, &lifetimes, &options, &mut Silent);
                assert!(
                    matches!(refused, Err(PlanError::Unsupported { .. })),
                    "{strategy}"
                );
            }
        }
    }
}

#[test]
fn sums_beyond_64_bits_are_errors() {
    let pair = [u64::MAX, u64::MAX].map(|size| Buffer::new("huge", size, Span::new(0, 1)));
    let lifetimes = Lifetimes::of(pair);
    assert_eq!(bounds(&lifetimes).offsets, Bytes(u64::MAX));
    for alignment in [1, 64, u64::MAX] {
        let options = Options::aligned(Bytes(alignment));
        for strategy in Strategy::ALL {
            let error = plan(strategy, &lifetimes, &options, &mut Silent).unwrap_err();
            assert!(
                matches!(error, PlanError::Overflow { .. }),
                "{strategy}: {error}"
            );
        }
    }
}

/// Hears everything and stops after so many events.
struct Patience {
    left: u64,
    decided: Vec<usize>,
}

impl Observer for Patience {
    fn observe(&mut self, event: Event) -> ControlFlow<()> {
        if let Event::Placed { buffer, .. } | Event::Assigned { buffer, .. } = event {
            self.decided.push(buffer);
        }
        if self.left == 0 {
            return ControlFlow::Break(());
        }
        self.left -= 1;
        ControlFlow::Continue(())
    }
}

#[test]
fn every_buffer_is_told_once_and_every_run_can_be_stopped() {
    let shape = Shape {
        buffers: 30,
        steps: 20,
        size: 100,
        own_alignment: false,
    };
    let lifetimes = arbitrary(&mut Random::new(3), shape);
    let options = Options::aligned(Bytes(16));
    for strategy in Strategy::ALL {
        let mut patience = Patience {
            left: u64::MAX,
            decided: Vec::new(),
        };
        plan(strategy, &lifetimes, &options, &mut patience).unwrap();
        let events = u64::MAX - patience.left;
        patience.decided.sort_unstable();
        assert_eq!(patience.decided, (0..30).collect::<Vec<_>>(), "{strategy}");
        for left in [0, events / 2, events - 1] {
            let decided = Vec::new();
            let mut patience = Patience { left, decided };
            // Whoever has a whole plan by then returns it.
            match plan(strategy, &lifetimes, &options, &mut patience) {
                Ok(plan) => assert_eq!(check(&lifetimes, &plan, &options), [], "{strategy}"),
                Err(error) => assert_eq!(error, PlanError::Cancelled, "{strategy}"),
            }
        }
    }
}

#[test]
fn names_read_back() {
    for strategy in Strategy::ALL {
        assert_eq!(strategy.name().parse(), Ok(strategy));
        let written = serde_json::to_value(strategy).unwrap();
        assert_eq!(
            written,
            strategy.name(),
            "one name on the command line and in files"
        );
        assert!(!strategy.facts().source.is_empty());
    }
    let error = "best_of_all".parse::<Strategy>().unwrap_err().to_string();
    assert!(error.contains("greedy_by_breadth"), "{error}");
}
