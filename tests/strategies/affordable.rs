//! Best is never worse than a strategy that it can afford, on generated problems of 10³ to 2·10⁵
//! buffers. A few small ones always; with `PROBLEMS=200` in the environment that many of all sizes.

use planner::{Bytes, Effort, Growth, Lifetimes, Options, Silent, Span, Strategy, plan};
use tests::judged::judged;
use tests::lifetimes::of;
use tests::random::Random;

/// Most buffers for which a strategy is affordable that takes their square: `greedy_by_size` takes
/// some seconds then, and an hour with 2·10⁵.
const SQUARES: usize = 1 << 13;

/// Buffers whose sizes and lives spread over so many powers of two, the small and short ones more
/// often; `width` is the longest life in steps.
fn crowd(seed: u64, count: u64, width: u64) -> Lifetimes {
    let mut random = Random::new(seed);
    of((0..count).map(|_| {
        let start = random.below(count);
        let (short, small) = (random.below(6), random.below(12));
        let steps = random.within(1, 1 + (width >> short));
        let size = 64 * random.within(1, 1 + (4096 >> small));
        (size, Span::new(start, start + steps))
    }))
}

/// Asserts it of one problem; whether there was anything to win: no order met the bound.
fn never_worse(lifetimes: &Lifetimes) -> bool {
    let options = Options {
        effort: Effort { nodes: 0, moves: 0 },
        ..Options::aligned(Bytes(1))
    };
    let best = judged(Strategy::Best, lifetimes, &options).arena;
    // The two that plan everything again and again are for hundreds of buffers.
    let affordable = |strategy: &Strategy| match strategy.description().growth {
        Growth::Linear => true,
        Growth::Square => lifetimes.buffers.len() <= SQUARES,
        Growth::Cube | Growth::Attempts | Growth::Effort => false,
    };
    for strategy in Strategy::ALL.into_iter().filter(affordable) {
        if let Ok(made) = plan(strategy, lifetimes, &options, &mut Silent) {
            let count = lifetimes.buffers.len();
            assert!(best <= made.arena, "{strategy} with {count} buffers");
        }
    }
    best > planner::bounds::aligned(lifetimes, Bytes(1)).offsets
}

#[test]
fn best_is_never_worse_than_what_it_can_afford() {
    let asked = std::env::var("PROBLEMS").ok();
    let asked = asked.and_then(|count| count.parse::<u64>().ok());
    let mut random = Random::new(22);
    let mut open = 0;
    for seed in 0..asked.unwrap_or(6) {
        // Evenly on the scale of powers of two: 10³ to 2·10⁵, or to 2·10³.
        let doublings = if asked.is_some() { 8 } else { 1 };
        let low = 1_000 << random.below(doublings);
        let count = random.within(low, (2 * low).min(200_000));
        let lifetimes = crowd(seed, count, 40 + random.below(160));
        open += u64::from(never_worse(&lifetimes));
        if asked.is_some() {
            eprintln!("{seed}: {count} buffers, {open} above the bound");
        }
    }
    assert!(open > 0, "every bound was met: nothing was compared");
}

/// One above 2¹⁷, where the skyline tries one order alone: of few sizes and many lengths best fit by
/// size and strip packing find smaller plans.
#[test]
fn beyond_131_072_buffers_other_strategies_are_tried_too() {
    let mut random = Random::new(1);
    let lifetimes = of((0..131_073).map(|_| {
        let (start, steps) = (random.below(131_073), random.within(1, 200));
        let size = [1, 7, 64, 300, 1000][random.index(5)];
        (size, Span::new(start, start + steps))
    }));
    let options = Options {
        effort: Effort { nodes: 0, moves: 0 },
        ..Options::aligned(Bytes(1))
    };
    let arena = |strategy| plan(strategy, &lifetimes, &options, &mut Silent).map(|it| it.arena);
    let best = arena(Strategy::Best).expect("a plan");
    assert!(best <= arena(Strategy::OffsetsBySize).expect("a plan"));
    assert!(best < arena(Strategy::Skyline).expect("a plan"));
}
