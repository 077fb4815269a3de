//! Pools of memory.

use planner::{Bytes, Offset, Options, Plan, Pool, Pools, Violation, check};

use super::sentences::check_sentence;
use super::{OPTIONS, caught, plan, three};

/// A fast pool of 16 bytes and a slow one without a limit.
pub(crate) fn two_pools() -> Options {
    let pool = |name: &str, capacity| Pool {
        name: name.into(),
        capacity,
    };
    Options {
        pools: vec![pool("fast", Some(Bytes(16))), pool("slow", None)],
        ..OPTIONS
    }
}

/// 0 and 2 in the fast pool, 1 in the slow one.
pub(crate) fn pooled() -> Plan {
    Plan {
        pools: Some(Pools {
            declared: two_pools().pools,
            bases: vec![Offset(0), Offset(16)],
            sizes: vec![Bytes(16), Bytes(8)],
            of_buffer: vec![0, 1, 0],
        }),
        ..plan(&[0, 16, 0], 24)
    }
}

#[track_caller]
fn caught_in_pools(change: impl FnOnce(&mut Plan, &mut Pools), expected: &[Violation]) {
    let mut plan = pooled();
    let mut pools = plan.pools.take().unwrap_or_default();
    change(&mut plan, &mut pools);
    plan.pools = Some(pools);
    let mut lifetimes = three();
    lifetimes.buffers[1].pools = vec![1];
    assert_eq!(check(&lifetimes, &plan, &two_pools()), expected);
    for violation in expected {
        check_sentence(violation, &lifetimes, &two_pools().pools);
    }
}

#[test]
fn pools_that_are_asked_for() {
    caught_in_pools(|_, _| (), &[]);
    let asked = [Violation::NoPools { asked: 2 }];
    let none = plan(&[0, 16, 0], 24);
    assert_eq!(check(&three(), &none, &two_pools()), asked);
    check_sentence(&asked[0], &three(), &two_pools().pools);
    let count = |asked, bases, sizes, assigned| Violation::PoolCount {
        asked,
        bases,
        sizes,
        assigned,
    };
    caught(&three(), &pooled(), &[count(0, 2, 2, 3)]);
    let expected = count(2, 2, 2, 2);
    caught_in_pools(|_, pools| pools.of_buffer.truncate(2), &[expected]);
    let expected = count(2, 1, 2, 3);
    caught_in_pools(|_, pools| pools.bases.truncate(1), &[expected]);
}

#[test]
fn buffers_in_their_pools() {
    let (buffer, pool) = (0, 2);
    let expected = Violation::NoSuchPool { buffer, pool };
    caught_in_pools(|_, pools| pools.of_buffer[0] = 2, &[expected]);
    let (buffer, pool) = (1, 0);
    let expected = [
        Violation::WrongPool { buffer, pool },
        Violation::OutsidePool { buffer, pool },
    ];
    caught_in_pools(|_, pools| pools.of_buffer[1] = 0, &expected);
    let (buffer, pool) = (0, 1);
    let expected = Violation::OutsidePool { buffer, pool };
    caught_in_pools(|_, pools| pools.of_buffer[0] = 1, &[expected]);
}

#[test]
fn pools_in_their_place() {
    let expected = Violation::PoolTooLarge {
        pool: 0,
        size: Bytes(24),
        capacity: Bytes(16),
    };
    let larger = |plan: &mut Plan, pools: &mut Pools| {
        (plan.offsets[1], plan.arena) = (Offset(24), Bytes(32));
        (pools.bases[1], pools.sizes[0]) = (Offset(24), Bytes(24));
    };
    caught_in_pools(larger, &[expected]);
    let expected = Violation::PoolsOverlap {
        first: 0,
        second: 1,
    };
    let lower = |_: &mut Plan, pools: &mut Pools| {
        (pools.bases[1], pools.sizes[1]) = (Offset(8), Bytes(16));
    };
    caught_in_pools(lower, &[expected]);
    let expected = Violation::PoolBehindArena {
        pool: 1,
        arena: Bytes(24),
    };
    caught_in_pools(|_, pools| pools.sizes[1] = Bytes(16), &[expected]);
}
