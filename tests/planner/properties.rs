//! Arbitrary lifetimes through every strategy: the judge finds nothing, no plan beats a
//! bound or the best there is, equal input gives equal plans, and every run can be stopped.

#![expect(
    clippy::unwrap_used,
    reason = "builders of a test fail where their own figures are malformed"
)]

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

use planner::bounds::BoundKind;
use planner::trace::Event;
use planner::{
    AboveNaive, Buffer, Bytes, Capabilities, Capability, Effort, Family, Lifetimes, Model,
    Observer, Offset, Options, Origin, Plan, PlanError, Pool, Silent, Span, Step, Strategy, bounds,
    check, plan,
};
use tests::arbitrary::{Shape, least_arena, lifetimes};
use tests::random::Random;

/// Little effort: enough to search small problems through.
const EFFORT: Effort = Effort {
    nodes: 2_000,
    moves: 100,
};

fn options(alignment: u64) -> Options {
    Options {
        effort: EFFORT,
        ..Options::aligned(Bytes(alignment))
    }
}

/// Lifetimes with nothing but sizes, spans and alignments.
fn plain() -> impl Iterator<Item = (Lifetimes, Options)> {
    let mut random = Random::new(0x9E37_79B9_7F4A_7C15);
    (0..300).map(move |_| {
        let shape = Shape {
            buffers: random.below(30),
            steps: 1 + random.below(30),
            size: 1 + random.below(200),
            alignments: random.below(2) * 5,
            ..Shape::default()
        };
        let options = options([0, 1, 8, 12, 64][random.index(5)]);
        (lifetimes(&mut random, shape), options)
    })
}

/// Lifetimes with each constraint alone and with all together, fixed addresses apart.
fn constrained() -> impl Iterator<Item = (Lifetimes, Options)> {
    let mut random = Random::new(0x5EED);
    (0..600).map(move |round| {
        let chance = |kind| {
            if round % 4 == kind || round % 4 == 3 {
                40
            } else {
                0
            }
        };
        let pools = chance(2) / 40 * (1 + random.below(3));
        let shape = Shape {
            buffers: random.below(16),
            steps: 1 + random.below(12),
            size: 1 + random.below(30),
            alignments: random.below(2) * 4,
            pauses: chance(0),
            handovers: chance(1),
            fixed: 0,
            pools,
        };
        let mut options = options([1, 1, 4, 6][random.index(4)]);
        for pool in 0..pools {
            let capacity = random.below(80) + 10 * pool;
            options.pools.push(Pool {
                name: format!("pool {pool}"),
                capacity: (random.below(4) > 0).then_some(Bytes(capacity)),
            });
        }
        (lifetimes(&mut random, shape), options)
    })
}

fn planned(strategy: Strategy, lifetimes: &Lifetimes, options: &Options) -> Plan {
    let made = plan(strategy, lifetimes, options, &mut Silent).unwrap();
    assert_valid(strategy, lifetimes, options, &made);
    made
}

#[track_caller]
fn assert_valid(strategy: Strategy, lifetimes: &Lifetimes, options: &Options, made: &Plan) {
    let found = check(lifetimes, made, options);
    assert_eq!(found, [], "{strategy}: {made:?} {lifetimes:?} {options:?}");
    assert_eq!(made.origin, Origin::Maker(strategy.name().into()));
    assert_eq!(
        made.objects.is_some(),
        strategy.description().model == Model::Objects
    );
}

/// What no plan should exceed: what is fixed, and on top of it every size rounded up to a
/// common multiple of all alignments, side by side. With no alignment and nothing fixed that
/// is the naive arena, but for the replayed allocators, which give out whole blocks. All of
/// the buffers here share one segment.
fn most(strategy: Strategy, lifetimes: &Lifetimes, options: &Options) -> Bytes {
    let block = match strategy.description().above_naive {
        Some(AboveNaive::Blocks(Bytes(block)) | AboveNaive::Segments(Bytes(block))) => block,
        _ => 1,
    };
    let buffers = lifetimes.buffers.iter();
    let alignments = buffers
        .clone()
        .map(|it| it.alignment.max(options.alignment));
    let all = alignments.chain([options.alignment]);
    let common = all.fold(block, |known, it| common_multiple(known, it.0.max(1)));
    let sizes = buffers.clone().map(|it| it.size.0.next_multiple_of(common));
    let ends = buffers.filter_map(|it| Some(it.fixed?.0 + it.size.0));
    let fixed = ends.max().unwrap_or(0).next_multiple_of(common);
    Bytes(fixed + sizes.sum::<u64>())
}

fn common_multiple(a: u64, b: u64) -> u64 {
    (1..)
        .map(|times| times * a)
        .find(|it| it.is_multiple_of(b))
        .unwrap()
}

#[test]
fn every_plan_is_valid_bounded_and_deterministic() {
    for (lifetimes, options) in plain() {
        let bounds = bounds::aligned(&lifetimes, options.alignment);
        for strategy in Strategy::ALL {
            let made = planned(strategy, &lifetimes, &options);
            assert!(made.arena >= bounds.offsets, "{strategy}");
            assert!(made.arena >= made.proved.unwrap_or_default(), "{strategy}");
            if strategy.description().model == Model::Objects {
                assert!(made.arena >= bounds.objects, "{strategy}");
            }
            let most = most(strategy, &lifetimes, &options);
            assert!(made.arena <= most, "{strategy}");
            let aligned = |it: &Buffer| it.alignment.max(options.alignment) > Bytes(1);
            if strategy == Strategy::Naive && !lifetimes.buffers.iter().any(aligned) {
                assert_eq!(made.arena, most);
            }
            assert_eq!(made, planned(strategy, &lifetimes, &options));
        }
    }
}

/// What the lifetimes and options ask for beyond sizes, spans and alignments.
fn asked(lifetimes: &Lifetimes, options: &Options) -> impl Fn(Capabilities) -> Vec<Capability> {
    let buffers = &lifetimes.buffers;
    let fixed = buffers.iter().any(|it| it.fixed.is_some());
    let pauses = buffers.iter().any(|it| !it.pauses.is_empty());
    let handovers = !lifetimes.handovers.is_empty();
    let pools = !options.pools.is_empty();
    move |capabilities| {
        let all = [
            (fixed, capabilities.fixed),
            (pauses, capabilities.pauses),
            (handovers, capabilities.handovers),
            (pools, capabilities.pools),
        ];
        let asked = all.into_iter().filter(|(asked, _)| *asked);
        asked.map(|(_, capability)| capability).collect()
    }
}

#[test]
fn constraints_are_kept_or_refused_by_name() {
    let (mut planned, mut refused, mut without_room) = (0, 0, 0);
    for (lifetimes, options) in constrained() {
        let mut bounds = bounds::aligned(&lifetimes, options.alignment);
        let exact = plan(Strategy::Exact, &lifetimes, &options, &mut Silent);
        if let Some(proved) = exact.ok().and_then(|exact| exact.proved) {
            // What the search proves holds for whatever the others make of the constraints.
            bounds.prove(proved);
        }
        let asked = asked(&lifetimes, &options);
        for strategy in Strategy::ALL {
            let no = asked(strategy.description().capabilities).contains(&Capability::No);
            match plan(strategy, &lifetimes, &options, &mut Silent) {
                Ok(made) => {
                    assert!(!no, "{strategy}");
                    assert_valid(strategy, &lifetimes, &options, &made);
                    assert!(made.arena >= bounds.offsets, "{strategy} {lifetimes:?}");
                    if options.pools.is_empty() {
                        let most = most(strategy, &lifetimes, &options);
                        assert!(made.arena <= most, "{strategy} {lifetimes:?} {options:?}");
                    }
                    let again = plan(strategy, &lifetimes, &options, &mut Silent);
                    assert_eq!(again.as_ref(), Ok(&made), "{strategy}");
                    planned += 1;
                }
                Err(PlanError::Unsupported { what }) => {
                    assert!(no, "{strategy}: {what}");
                    refused += 1;
                }
                Err(PlanError::NoRoom {
                    buffer,
                    pool,
                    needed,
                    capacity,
                }) => {
                    let names = |it: &Buffer| it.name == buffer;
                    assert!(lifetimes.buffers.iter().any(names));
                    assert!(options.pools.iter().any(|it| it.name == pool));
                    assert!(needed > capacity, "{strategy}");
                    without_room += 1;
                }
                Err(error) => panic!("{strategy}: {error}"),
            }
        }
    }
    let counts = [planned, refused, without_room];
    assert!(counts.iter().all(|&count| count > 50), "{counts:?}");
}

#[test]
fn bounds_are_what_each_step_adds_up_to() {
    for (lifetimes, _) in plain() {
        let bounds = bounds::bounds(&lifetimes);
        let profile = planner::profile(&lifetimes);
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
        let live = &bounds.list[0];
        assert_eq!((live.bytes.0, live.step.unwrap_or_default()), peak);
        assert_eq!(live.kind, BoundKind::Live);
        assert_eq!(bounds.objects.0, maxima.iter().sum::<u64>());
        assert_eq!(
            bounds.maxima,
            maxima.into_iter().map(Bytes).collect::<Vec<_>>()
        );
        let witness = live.witness.iter();
        let witness: u64 = witness.map(|&i| lifetimes.buffers[i].size.0).sum();
        assert_eq!(witness, live.bytes.0);
        assert_eq!(profile.at(lifetimes.horizon), Bytes::ZERO);
    }
}

#[test]
fn no_plan_beats_the_best_there_is() {
    let mut random = Random::new(42);
    let mut met = BTreeSet::new();
    for round in 0..80 {
        let shape = Shape {
            buffers: 1 + random.below(4),
            steps: 5,
            size: 6,
            pauses: 40 * (round / 20 % 2),
            handovers: 60 * (round / 40),
            ..Shape::default()
        };
        let lifetimes = lifetimes(&mut random, shape);
        let least = least_arena(&lifetimes, 1, 40).unwrap();
        for strategy in Strategy::ALL {
            let made = planned(strategy, &lifetimes, &options(1));
            assert!(made.arena.0 >= least, "{strategy}");
            if made.arena.0 == least {
                met.insert(strategy);
            }
        }
    }
    assert_eq!(met, Strategy::ALL.into(), "each meets it sometimes");
}

/// Lifetimes with a fixed address in every fourth buffer, alone and with the rest: too far
/// apart for the fixed ones to collide with each other.
fn fixed() -> impl Iterator<Item = (Lifetimes, Options)> {
    let mut random = Random::new(7);
    (0..100).map(move |round| {
        let shape = Shape {
            buffers: 20,
            steps: 15,
            size: 50,
            alignments: random.below(2) * 5,
            pauses: 30 * (round % 2),
            handovers: 30 * (round % 2),
            ..Shape::default()
        };
        let mut lifetimes = lifetimes(&mut random, shape);
        for (buffer, place) in lifetimes.buffers.iter_mut().step_by(4).zip(0_u64..) {
            buffer.fixed = Some(Offset(place * 60 + random.below(10)));
        }
        (lifetimes, options(1))
    })
}

#[test]
fn fixed_addresses_are_kept_or_refused() {
    let (mut kept, mut refused) = (BTreeSet::new(), BTreeSet::new());
    for (lifetimes, options) in fixed() {
        let bounds = bounds::aligned(&lifetimes, options.alignment);
        for strategy in Strategy::ALL {
            if strategy.description().capabilities.fixed == Capability::No {
                let no = plan(strategy, &lifetimes, &options, &mut Silent);
                let named = matches!(no, Err(PlanError::Unsupported { .. }));
                assert!(named, "{strategy}");
                refused.insert(strategy);
                continue;
            }
            let made = planned(strategy, &lifetimes, &options);
            assert!(made.arena >= bounds.offsets, "{strategy} {lifetimes:?}");
            let most = most(strategy, &lifetimes, &options);
            assert!(made.arena <= most, "{strategy} {lifetimes:?}");
            assert_eq!(made, planned(strategy, &lifetimes, &options));
            kept.insert(strategy);
        }
    }
    assert!(kept.len() > 8 && refused.len() > 8, "{kept:?} {refused:?}");
}

#[test]
fn sums_beyond_64_bits_are_errors() {
    let pair = [u64::MAX, u64::MAX].map(|size| Buffer::new("huge", size, Span::new(0, 1)));
    let lifetimes = Lifetimes::of(pair);
    assert_eq!(bounds::bounds(&lifetimes).offsets, Bytes(u64::MAX));
    for alignment in [1, 64, u64::MAX] {
        let options = options(alignment);
        for strategy in Strategy::ALL {
            let error = plan(strategy, &lifetimes, &options, &mut Silent).unwrap_err();
            assert!(
                matches!(error, PlanError::Overflow { .. }),
                "{strategy}: {error}"
            );
        }
    }
}

/// Records everything and stops after so many events.
#[derive(Default)]
struct Patience {
    left: u64,
    decided: Vec<usize>,
    attempts: u64,
    /// Arena of the last whole plan that was reported.
    incumbent: Option<Bytes>,
}

impl Patience {
    fn of(left: u64) -> Self {
        Self {
            left,
            ..Self::default()
        }
    }
}

impl Observer for Patience {
    fn observe(&mut self, event: Event) -> ControlFlow<()> {
        if let Event::Placed { buffer, .. } | Event::Assigned { buffer, .. } = event {
            self.decided.push(buffer);
        }
        self.attempts += u64::from(matches!(event, Event::Attempt { .. }));
        if let Event::Incumbent { arena } = event {
            self.incumbent = Some(arena);
        }
        if self.left == 0 {
            return ControlFlow::Break(());
        }
        self.left -= 1;
        ControlFlow::Continue(())
    }
}

#[test]
fn every_buffer_is_reported() {
    let shape = Shape {
        buffers: 30,
        steps: 20,
        size: 100,
        ..Shape::default()
    };
    let lifetimes = lifetimes(&mut Random::new(3), shape);
    for strategy in Strategy::ALL {
        let mut patience = Patience::of(u64::MAX);
        plan(strategy, &lifetimes, &options(16), &mut patience).unwrap();
        patience.decided.sort_unstable();
        if patience.attempts == 0 {
            assert_eq!(patience.decided, (0..30).collect::<Vec<_>>(), "{strategy}");
        } else {
            patience.decided.dedup();
            assert_eq!(patience.decided.len(), 30, "{strategy}");
        }
    }
}

/// A run that is stopped has a whole and valid plan, the best so far, or none.
#[test]
fn every_run_can_be_stopped_at_every_event() {
    let shape = Shape {
        buffers: 12,
        steps: 10,
        size: 40,
        ..Shape::default()
    };
    let mut problems = vec![(lifetimes(&mut Random::new(3), shape), options(16))];
    // Pauses alone, handovers alone, pools alone, and all of them; then fixed addresses.
    problems.extend(constrained().skip(60).take(4));
    problems.extend(constrained().skip(3).step_by(4).take(3));
    problems.extend(fixed().take(2));
    for (lifetimes, options) in problems {
        let asked = asked(&lifetimes, &options);
        let able = Strategy::ALL
            .into_iter()
            .filter(|it| !asked(it.description().capabilities).contains(&Capability::No));
        for strategy in able {
            let mut patience = Patience::of(u64::MAX);
            let whole = plan(strategy, &lifetimes, &options, &mut patience);
            let events = u64::MAX - patience.left;
            let (mut known, step) = (None, (events / 200).max(1));
            for left in (0..events).step_by(usize::try_from(step).unwrap()) {
                let mut patience = Patience::of(left);
                let made = plan(strategy, &lifetimes, &options, &mut patience);
                if let Some(incumbent) = patience.incumbent {
                    // A strategy that is stopped after it has reported a whole plan returns it.
                    let arena = made.as_ref().map(|made| made.arena);
                    assert_eq!(arena, Ok(incumbent), "{strategy}");
                }
                if strategy == Strategy::Best && patience.attempts > 1 {
                    // The first attempt has come to its end, with pools or without.
                    assert_eq!(made.is_ok(), whole.is_ok(), "{made:?}");
                }
                match made {
                    Ok(made) => {
                        assert_valid(strategy, &lifetimes, &options, &made);
                        assert!(known.is_none_or(|it| made.arena <= it), "{strategy}");
                        // Of several pools, the bytes that are moved count before the arena.
                        known = options.pools.is_empty().then_some(made.arena);
                    }
                    Err(PlanError::Cancelled) => assert_eq!(known, None, "{strategy}"),
                    Err(error) => assert_eq!(Err(error), whole, "{strategy}"),
                }
            }
            // What searches has a plan long before its end.
            if strategy.description().family == Family::Search && options.pools.is_empty() {
                let shortly_before = known.expect("an incumbent");
                let whole = whole.expect("a plan").arena;
                assert!(shortly_before >= whole, "{strategy}");
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
        assert!(!strategy.description().source.is_empty());
    }
    let error = "best_of_all".parse::<Strategy>().unwrap_err().to_string();
    assert!(error.contains("greedy_by_breadth"), "{error}");
}
