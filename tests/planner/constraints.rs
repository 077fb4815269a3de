//! Small problems on which a constraint pays: which strategies use it, leave it or refuse it; and
//! where buffers go when a pool is full.

use std::ops::ControlFlow;

use planner::trace::Event;
use planner::{
    Buffer, Bytes, Capabilities, Capability, Effort, Handover, Lifetimes, Model, Observer, Offset,
    Options, Pause, Plan, PlanError, Pool, Silent, Span, Strategy, check, metrics, plan,
};
use tests::lifetimes::named as problem;

fn options(alignment: u64) -> Options {
    Options {
        effort: Effort {
            nodes: 1000,
            moves: 100,
        },
        ..Options::aligned(Bytes(alignment))
    }
}

/// A problem that asks for something, what a plan needs that uses it, and what one needs that
/// does not.
struct Case {
    name: &'static str,
    lifetimes: Lifetimes,
    capability: fn(Capabilities) -> Capability,
    used: u64,
    unused: u64,
}

fn cases() -> [Case; 4] {
    // `b` fits where nothing of `a` is needed.
    let mut absent = problem(&[("a", 8, 0, 4), ("b", 8, 1, 3)]);
    let pause = |window| Pause {
        span: Span::new(1, 3),
        window,
    };
    absent.buffers[0].pauses = vec![pause(None)];
    // Of `a` the lower 4 bytes stay: `b` fits above them.
    let mut window = problem(&[("a", 12, 0, 4), ("b", 8, 1, 3)]);
    window.buffers[0].pauses = vec![pause(Some((Bytes(0), Bytes(4))))];
    // `b` is written over `a`, and over its upper half.
    let handover = |shift| Handover {
        before: 0,
        after: 1,
        shift: Bytes(shift),
    };
    let mut whole = problem(&[("a", 8, 0, 2), ("b", 8, 1, 3)]);
    whole.handovers = vec![handover(0)];
    let mut half = problem(&[("a", 8, 0, 2), ("b", 4, 1, 3)]);
    half.handovers = vec![handover(4)];
    let case = |name, lifetimes, capability, used, unused| Case {
        name,
        lifetimes,
        capability,
        used,
        unused,
    };
    [
        case("a gap", absent, |it| it.pauses, 8, 16),
        case("a window", window, |it| it.pauses, 12, 20),
        case("a handover", whole, |it| it.handovers, 8, 16),
        case("a shift", half, |it| it.handovers, 8, 12),
    ]
}

#[test]
fn what_is_allowed_is_used_or_left_as_the_table_says() {
    let (cases, options) = (cases(), options(1));
    for strategy in Strategy::ALL {
        for of_one_kind in cases.chunks(2) {
            let mut used = false;
            let capability = (of_one_kind[0].capability)(strategy.description().capabilities);
            for case in of_one_kind {
                let made = plan(strategy, &case.lifetimes, &options, &mut Silent);
                if capability == Capability::No {
                    let refused = matches!(made, Err(PlanError::Unsupported { .. }));
                    assert!(refused, "{strategy} refuses {}", case.name);
                    continue;
                }
                let made = made.expect("a plan");
                assert_eq!(check(&case.lifetimes, &made, &options), [], "{strategy}");
                let arena = made.arena.0;
                used |= arena == case.used;
                let between = arena == case.used || arena >= case.unused;
                assert!(between, "{strategy}: {} with {arena} bytes", case.name);
            }
            let name = of_one_kind[0].name;
            assert_eq!(used, capability == Capability::Yes, "{strategy}: {name}");
        }
    }
}

/// Those that know of pauses and handovers in general use every case of them.
#[test]
fn what_knows_of_everything_uses_everything() {
    let options = options(1);
    for case in cases() {
        for strategy in [
            Strategy::OffsetsBySize,
            Strategy::OffsetsByBreadth,
            Strategy::OffsetsInOrder,
            Strategy::Skyline,
            Strategy::Best,
            Strategy::Exact,
        ] {
            let made = plan(strategy, &case.lifetimes, &options, &mut Silent);
            let arena = made.map(|made| made.arena.0);
            assert_eq!(arena, Ok(case.used), "{strategy}: {}", case.name);
        }
    }
}

#[test]
fn everyone_keeps_alignments() {
    for strategy in Strategy::ALL {
        assert_eq!(
            strategy.description().capabilities.alignment,
            Capability::Yes
        );
        let objects = strategy.description().model == Model::Objects;
        let pools = strategy.description().capabilities.pools;
        assert_eq!(pools == Capability::No, objects, "{strategy}");
    }
}

/// A fast pool of 16 bytes, a slow one of 64 and one without a limit.
fn three_pools() -> Options {
    let pool = |name: &str, capacity: Option<u64>| Pool {
        name: name.into(),
        capacity: capacity.map(Bytes),
    };
    let pools = [("fast", Some(16)), ("slow", Some(64)), ("disk", None)];
    Options {
        pools: pools.map(|(name, capacity)| pool(name, capacity)).into(),
        ..options(8)
    }
}

fn pooled(strategy: Strategy, lifetimes: &Lifetimes) -> Plan {
    let made = plan(strategy, lifetimes, &three_pools(), &mut Silent);
    let made = made.expect("a plan");
    assert_eq!(check(lifetimes, &made, &three_pools()), [], "{strategy}");
    made
}

fn homes(plan: &Plan) -> Vec<u32> {
    let pools = plan.pools.as_ref().expect("pools");
    pools.of_buffer.clone()
}

#[test]
fn what_ends_above_the_capacity_goes_to_the_next_pool() {
    // By size: a at 0, b at 12 → 16, ends at 24, above 16. It lies in the slow pool then.
    let two = problem(&[("a", 12, 0, 2), ("b", 8, 1, 3)]);
    let made = pooled(Strategy::OffsetsBySize, &two);
    assert_eq!(homes(&made), [0, 1]);
    assert_eq!(made.offsets, [Offset(0), Offset(16)]);
    let pools = made.pools.as_ref().expect("pools");
    assert_eq!(pools.bases, [Offset(0), Offset(16), Offset(24)]);
    assert_eq!(pools.sizes, [Bytes(12), Bytes(8), Bytes(0)]);
    assert_eq!(made.arena, Bytes(24));
    let figures = metrics::pools(&two, &made);
    assert_eq!(figures[1].spilled, Bytes(8));
    // What is larger than a pool never was in it, but is away from home all the same.
    let large = problem(&[("a", 20, 0, 2), ("b", 70, 1, 3)]);
    let made = pooled(Strategy::OffsetsInOrder, &large);
    assert_eq!(homes(&made), [1, 2]);
    let bounds = planner::bounds::bounds(&large);
    let spilled = metrics::metrics(&large, &made, &bounds).spilled;
    assert_eq!(spilled, Some(Bytes(90)));
}

#[test]
fn who_may_live_nowhere_else_goes_first() {
    // In order of use `b` would come first and push `a`, which may not leave, above 16.
    let mut two = problem(&[("b", 8, 0, 3), ("a", 16, 1, 3)]);
    two.buffers[1].pools = vec![0];
    let made = pooled(Strategy::OffsetsInOrder, &two);
    assert_eq!(homes(&made), [1, 0]);
    // The other way round through the list: slow first, then fast.
    two.buffers[0].pools = vec![1, 0];
    assert_eq!(homes(&pooled(Strategy::OffsetsInOrder, &two)), [1, 0]);
    // A fixed address counts from the start of the first pool.
    two.buffers[0].fixed = Some(Offset(0));
    let error = plan(Strategy::OffsetsInOrder, &two, &three_pools(), &mut Silent);
    let expected = PlanError::NoRoom {
        buffer: "a".into(),
        pool: "fast".into(),
        needed: Bytes(24),
        capacity: Bytes(16),
    };
    assert_eq!(error, Err(expected.clone()));
    let sentence = expected.to_string();
    assert!(
        sentence.contains("24") && sentence.contains("\"fast\""),
        "{sentence}"
    );
    two.buffers[0].pools = vec![1];
    let error = plan(Strategy::OffsetsInOrder, &two, &three_pools(), &mut Silent);
    assert!(matches!(error, Err(PlanError::Unsupported { .. })));
    two.buffers[0].pools = vec![3];
    let error = plan(Strategy::OffsetsInOrder, &two, &three_pools(), &mut Silent);
    assert!(matches!(error, Err(PlanError::Unsupported { .. })));
}

#[test]
fn handovers_stay_within_a_pool() {
    // `b` over `a`: both fit the fast pool, which is too small for both beside each other.
    let mut pair = problem(&[("a", 16, 0, 2), ("b", 16, 1, 3)]);
    pair.handovers = vec![Handover {
        before: 0,
        after: 1,
        shift: Bytes(0),
    }];
    assert_eq!(homes(&pooled(Strategy::OffsetsBySize, &pair)), [0, 0]);
    pair.buffers[1].pools = vec![2];
    let made = pooled(Strategy::OffsetsBySize, &pair);
    assert_eq!((homes(&made), made.arena), (vec![0, 2], Bytes(32)));
}

/// Takes places as they are given.
struct Believer(Vec<Option<Offset>>);

impl Observer for Believer {
    fn observe(&mut self, event: Event) -> ControlFlow<()> {
        match event {
            Event::Placed { buffer, offset } => {
                assert_eq!(self.0[buffer].replace(offset), None, "not placed twice");
            }
            Event::Moved { buffer, from, to } => {
                assert_eq!(self.0[buffer].replace(to), Some(from), "from where it was");
            }
            Event::Unplaced { buffer } => {
                assert!(self.0[buffer].take().is_some(), "it was placed");
            }
            Event::Attempt { .. } => self.0.fill(None),
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

#[test]
fn what_is_told_of_pools_ends_in_the_plan() {
    let sizes = (0..40).map(|index| (7 * index % 13 + 1, index % 11, index % 11 + 1 + index % 5));
    let buffers = sizes.enumerate().map(|(index, (size, start, end))| {
        Buffer::new(format!("{index}"), size, Span::new(start, end))
    });
    let mut lifetimes = Lifetimes::of(buffers);
    for buffer in lifetimes.buffers.iter_mut().step_by(3) {
        buffer.pools = vec![1, 0, 2];
    }
    for strategy in Strategy::ALL {
        if strategy.description().capabilities.pools == Capability::No {
            continue;
        }
        let mut believer = Believer(vec![None; lifetimes.buffers.len()]);
        let made = plan(strategy, &lifetimes, &three_pools(), &mut believer);
        let made = made.expect("a plan");
        let offsets = made.offsets.iter().copied().map(Some);
        assert_eq!(believer.0, offsets.collect::<Vec<_>>(), "{strategy}");
        let figures = metrics::pools(&lifetimes, &made);
        assert!(figures.iter().all(|it| it.buffers > 0), "{strategy}");
    }
}
