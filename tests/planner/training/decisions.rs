//! Why a run evicts what it does, and what it looks at.

use planner::Bytes;
use planner::training::dtr::decisions::{Decisions, Why, decisions};
use planner::training::dtr::{Act, Ended, Eviction, Heuristic, Limits, Log, run};
use planner::training::layers::{Layer, Layers};

use super::dtr::chain;

fn under(budget: u64) -> Limits {
    Limits {
        budget: Some(Bytes(budget)),
        ..Limits::default()
    }
}

/// Layers of one operation each, every second one of `small` bytes, the others of 1000.
fn mixed(small: u64) -> Log {
    let layer = |index: usize| Layer {
        name: format!("l{index}"),
        inputs: index.checked_sub(1).into_iter().collect(),
        flops: 1,
        bytes: [1000, small][index % 2],
        parameters: 0,
    };
    let layers = Layers {
        name: "mixed".to_owned(),
        batch: 1,
        list: (0..30).map(layer).collect(),
    };
    Log::from(&layers.problem(1).expect("a problem"))
}

/// By hand: the clock is 1 when f0 runs, and every layer takes 1. When f4 wants room it is 5, and
/// f0, f1 and f2 were read at 2, 3 and 4. When f5 does, it is 6; f1 would need f0, which is gone.
#[test]
fn the_first_evictions_of_a_chain_are_those_by_hand() {
    for heuristic in [Heuristic::Dtr, Heuristic::DtrEq] {
        let decided = decisions(&chain(8), heuristic, under(4));
        let told = |at: usize| {
            let it = &decided.list[at];
            let pool = it.pool.iter();
            let pool = pool.map(|it| (it.name.as_str(), it.stale, it.score.expect("a number")));
            let chosen = it.pool[it.chosen].name.as_str();
            (it.name.as_str(), pool.collect::<Vec<_>>(), chosen)
        };
        let first = vec![("f0", 3, 1.0 / 3.0), ("f1", 2, 0.5), ("f2", 1, 1.0)];
        assert_eq!(told(0), ("f4", first, "f0"));
        let second = vec![("f1", 3, 2.0 / 3.0), ("f2", 2, 0.5), ("f3", 1, 1.0)];
        assert_eq!(told(1), ("f5", second, "f2"));
        let it = &decided.list[1];
        let sizes = (it.wants, it.live, it.why, it.skipped);
        assert_eq!(sizes, (Bytes(1), Bytes(4), Why::Least, 0));
        let around = &it.pool[0];
        let gone = match heuristic {
            Heuristic::Dtr => &around.ancestors,
            _ => &around.connected,
        };
        assert_eq!(gone, &[0]);
        assert_eq!(around.descendants, [0; 0]);
    }
}

/// All are equally large: of equal prices the last is taken. What costs nothing ends the search.
#[test]
fn ties_and_what_is_free_are_told() {
    let by_size = decisions(&chain(8), Heuristic::Size, under(4));
    let first = &by_size.list[0];
    assert_eq!((first.chosen, first.why), (2, Why::LastOf(3)));
    let mut free = chain(8);
    free.calls[1].cost = 0;
    let local = decisions(&free, Heuristic::DtrLocal, under(4));
    let first = &local.list[0];
    assert_eq!((first.chosen, first.why, first.skipped), (1, Why::Free, 1));
    let random = decisions(&chain(8), Heuristic::Random, under(4));
    assert_eq!((random.seed, random.list[0].why), (Some(1), Why::Chance));
}

fn exactly_the_runs(log: &Log, heuristic: Heuristic, limits: Limits) -> Decisions {
    let decided = decisions(log, heuristic, limits);
    let played = run(log, heuristic, limits, None);
    assert_eq!(played.ended, Ended::Well);
    let acts = played.acts.iter().enumerate();
    let evicted = acts.filter_map(|(at, act)| match act {
        Act::Evict(storage) => Some((at, *storage)),
        _ => None,
    });
    let chosen = decided
        .list
        .iter()
        .map(|it| (it.act, it.pool[it.chosen].storage));
    assert!(evicted.eq(chosen), "{heuristic:?}");
    assert!(!decided.list.is_empty() && decided.left_out == 0);
    decided
}

#[test]
fn decisions_are_those_of_the_run() {
    for heuristic in Heuristic::ALL {
        for log in [chain(30), mixed(10)] {
            let budget = log.minimum().0 * 3 / 2 + 2;
            let sample = Limits {
                sample: true,
                seed: 7,
                ..under(budget)
            };
            exactly_the_runs(&log, heuristic, under(budget));
            exactly_the_runs(&log, heuristic, sample);
        }
    }
}

#[test]
fn the_least_of_the_pool_is_evicted() {
    let mut evictions = 0;
    let mut observer = |eviction: &Eviction<'_>| {
        let chosen = eviction.pool[eviction.chosen].score;
        let mut pool = eviction.pool.iter();
        assert!(pool.all(|it| chosen.order(it.score).is_le()));
        evictions += 1;
        true
    };
    for heuristic in Heuristic::ALL {
        for log in [chain(16), mixed(10)] {
            let limits = under(log.minimum().0 * 2);
            let played = run(&log, heuristic, limits, Some(&mut observer));
            assert_eq!(played.ended, Ended::Well);
        }
    }
    assert!(evictions > 0);
    let stopped = run(&chain(16), Heuristic::Dtr, under(8), Some(&mut |_| false));
    assert_eq!(stopped.ended, Ended::Stopped);
}

/// The mean of 1000 and 4 is 502, a hundredth of it above 4; that of 1000 and 10 is 505, a
/// hundredth below 10.
#[test]
fn small_storages_stay_if_wanted() {
    for (small, stays) in [(4, true), (10, false)] {
        let log = mixed(small);
        let budget = log.minimum().0 * 2;
        let listed = |limits| {
            let decided = exactly_the_runs(&log, Heuristic::DtrEq, limits);
            let pools = decided.list.iter().flat_map(|it| &it.pool);
            pools.filter(|it| it.bytes.0 == small).count()
        };
        assert!(listed(under(budget)) > 0);
        let skipping = Limits {
            skip_small: true,
            ..under(budget)
        };
        assert_eq!(listed(skipping) == 0, stays);
    }
}

/// Of n candidates strides are at most the square root of n; the first is always looked at.
#[test]
fn a_sample_is_the_seeds() {
    let log = chain(200);
    let sample = |seed| Limits {
        sample: true,
        seed,
        ..under(60)
    };
    let one = exactly_the_runs(&log, Heuristic::DtrEq, sample(1));
    assert_eq!(one, decisions(&log, Heuristic::DtrEq, sample(1)));
    assert_ne!(one, decisions(&log, Heuristic::DtrEq, sample(2)));
    assert_eq!(one.seed, Some(1));
    for it in &one.list {
        let (looked_at, all) = (it.pool.len(), it.pool.len() + it.skipped);
        let stride = all.isqrt().max(1);
        assert!(looked_at >= all.div_ceil(stride) && looked_at <= all);
    }
    assert!(one.list.iter().any(|it| it.skipped > 0));
}

#[test]
fn what_is_beyond_the_limits_is_counted() {
    let log = chain(1500);
    let played = run(&log, Heuristic::Lru, under(300), None);
    let evicted = played.acts.iter().filter(|it| matches!(it, Act::Evict(_)));
    let decided = decisions(&log, Heuristic::Lru, under(300));
    assert!(decided.left_out > 0);
    let all = decided.list.len() as u64 + decided.left_out;
    assert_eq!(all, evicted.count() as u64);
}
