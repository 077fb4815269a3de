//! The generators keep what they promise, so that a failing property is the planner's fault.

use planner::{Lifetimes, Step};
use tests::lifetimes::{chain, layered, partitioned, scattered, skips, tight};
use tests::random::Random;

fn live(lifetimes: &Lifetimes, step: u64) -> u64 {
    let buffers = lifetimes.buffers.iter();
    let live = buffers.filter(|buffer| buffer.span.contains(Step(step)));
    live.map(|buffer| buffer.size.0).sum()
}

/// The first numbers of seed 1234567, as widely published for other languages.
#[test]
fn random_is_splitmix64() {
    let mut random = Random::new(1_234_567);
    let numbers: Vec<u64> = (0..3).map(|_| random.bits()).collect();
    let published = [
        6_457_827_717_110_365_317,
        3_203_168_211_198_807_973,
        9_817_491_932_198_370_423,
    ];
    assert_eq!(numbers, published);
}

#[test]
fn every_buffer_is_live_within_the_horizon() {
    for seed in 0..50 {
        for lifetimes in [
            scattered(seed, 200, 60, 1000),
            chain(seed, 100, 1000),
            skips(seed, 100, 3, 20, 1000),
            layered(seed, 8, 4, 4096),
            tight(seed, 100, 60, 4096),
            partitioned(seed, 4, 20, 15, 4096),
        ] {
            assert!(!lifetimes.buffers.is_empty());
            for buffer in &lifetimes.buffers {
                assert!(!buffer.span.is_empty() && buffer.size.0 > 0, "{buffer:?}");
                assert!(buffer.span.end <= lifetimes.horizon, "{buffer:?}");
            }
        }
    }
}

#[test]
fn tight_problems_fill_their_capacity_at_every_step() {
    for (count, steps, capacity) in [(1, 1, 1), (60, 40, 65_536), (500, 7, 9), (64, 1000, 64)] {
        for seed in 0..20 {
            let lifetimes = tight(seed, count, steps, capacity);
            assert_eq!(lifetimes.horizon, Step(steps));
            for step in 0..steps {
                assert_eq!(live(&lifetimes, step), capacity, "seed {seed}, step {step}");
            }
            // No more pieces than unit cells, otherwise exactly as many as asked for.
            let cells = usize::try_from(steps * capacity).unwrap();
            assert_eq!(lifetimes.buffers.len(), count.min(cells));
        }
    }
}

#[test]
fn a_chain_never_needs_more_than_two_neighbours() {
    let lifetimes = chain(3, 40, 1000);
    let sizes: Vec<u64> = lifetimes.buffers.iter().map(|b| b.size.0).collect();
    for step in 1..40 {
        let index = usize::try_from(step).unwrap();
        assert_eq!(live(&lifetimes, step), sizes[index - 1] + sizes[index]);
    }
}

#[test]
fn nothing_is_live_across_the_seam_of_two_parts() {
    let lifetimes = partitioned(5, 6, 30, 10, 4096);
    assert_eq!(lifetimes.horizon, Step(60));
    for part in 0..6 {
        let (start, end) = (10 * part, 10 * part + 10);
        for step in start..end {
            assert_eq!(live(&lifetimes, step), live(&lifetimes, start));
        }
        for buffer in &lifetimes.buffers {
            assert!(buffer.span.end <= Step(end) || buffer.span.start >= Step(end));
        }
    }
}
