//! Orders made in one go: of the steps that can run next, always the one with the least key.

use std::collections::BTreeSet;

use super::problem::{Live, Problem};
use crate::sorting::Sorting as _;
use crate::units::narrow;

/// Depth first from what nothing waits for: before a step all that it waits for, one after
/// the other with all of its own, and of these the one first whose making takes most more
/// than is left of it.
///
/// For trees this is the best order that finishes one branch before it begins another: R. Sethi
/// and J. D. Ullman, "The generation of optimal code for arithmetic expressions", 1970, with
/// sizes by J. W. H. Liu, "On the storage requirement in the out-of-core multifrontal method
/// for sparse factorization", 1986. Here what several steps wait for counts in full for
/// each, and is made for the first.
pub(super) fn depth_first(problem: &Problem) -> Vec<u32> {
    let len = problem.len();
    let mut made = vec![0_u64; len];
    for storage in problem.storages.iter().filter(|it| !it.opened) {
        if let Some(&first) = storage.users.first() {
            made[first as usize] += storage.bytes;
        }
    }
    let mut needs = vec![0_u64; len];
    let excess = |needs: &[u64], step: u32| {
        let (need, made) = (needs[step as usize], made[step as usize]);
        (need.saturating_sub(made), step)
    };
    let ordered = |needs: &[u64], mut steps: Vec<u32>| {
        steps.order_by(|&a, &b| {
            let (a, b) = (excess(needs, a), excess(needs, b));
            b.0.cmp(&a.0).then(a.1.cmp(&b.1))
        });
        steps
    };
    let mut children = Vec::with_capacity(len);
    for step in 0..len {
        let own = ordered(&needs, problem.before[step].clone());
        let (mut held, mut most) = (0_u64, 0);
        for &child in &own {
            most = held.saturating_add(needs[child as usize]).max(most);
            held = held.saturating_add(made[child as usize]);
        }
        needs[step] = most.max(held.saturating_add(made[step]));
        children.push(own);
    }
    let ends = (0..len).filter(|&step| problem.after[step].is_empty());
    let ends = ordered(&needs, ends.map(narrow).collect());
    let mut rank = vec![u32::MAX; len];
    let mut ranked = 0;
    let mut open: Vec<(u32, usize)> = ends.into_iter().rev().map(|end| (end, 0)).collect();
    while let Some((step, next)) = open.pop() {
        if rank[step as usize] != u32::MAX {
            continue;
        }
        match children[step as usize].get(next) {
            Some(&child) => open.extend([(step, next + 1), (child, 0)]),
            None => {
                rank[step as usize] = ranked;
                ranked += 1;
            }
        }
    }
    list(problem, |_, step| rank[step as usize])
}

/// Always the step after which the least is live; of several, the one at which the least is,
/// then the first in the file.
pub(super) fn greedy(problem: &Problem) -> Vec<u32> {
    list(problem, |live, step| {
        let (during, after) = live.would(step);
        // By how much each is above what is live now, so that it stays right while other
        // steps run.
        let above = |bytes: u64| i128::from(bytes) - i128::from(live.bytes());
        (above(after), above(during))
    })
}

/// Lists the steps by key, ties by number. A key may change only when a step is
/// [touched](Live::touched).
fn list<K: Ord + Copy>(problem: &Problem, key: impl Fn(&Live<'_>, u32) -> K) -> Vec<u32> {
    let len = problem.len();
    let mut live = Live::of(problem);
    let mut waiting: Vec<u32> = problem.before.iter().map(|it| narrow(it.len())).collect();
    let mut keys: Vec<Option<K>> = vec![None; len];
    let mut ready: BTreeSet<(K, u32)> = BTreeSet::new();
    let released = |done: usize| match problem.window {
        Some(window) => done.saturating_add(window).saturating_add(1).min(len),
        None => len,
    };
    let mut lowest = 0;
    let mut order = Vec::with_capacity(len);
    let mut fresh: Vec<u32> = (0..released(0)).map(narrow).collect();
    while order.len() < len {
        let done = live.done();
        for step in fresh.drain(..) {
            let index = step as usize;
            if waiting[index] == 0 && !live.has_run(step) && index < released(done) {
                if let Some(old) = keys[index] {
                    ready.remove(&(old, step));
                }
                let new = key(&live, step);
                keys[index] = Some(new);
                ready.insert((new, step));
            }
        }
        let next = ready
            .iter()
            .find(|(_, step)| problem.allows(*step, done, lowest));
        // Those before the lowest have run, so that it is ready.
        let next = next.map_or(lowest, |(_, step)| *step);
        if let Some(key) = keys[next as usize] {
            ready.remove(&(key, next));
        }
        live.run(next);
        order.push(next);
        while (lowest as usize) < len && live.has_run(lowest) {
            lowest += 1;
        }
        fresh.extend(live.touched(next));
        for &after in &problem.after[next as usize] {
            waiting[after as usize] -= 1;
            fresh.push(after);
        }
        fresh.extend((released(done)..released(done + 1)).map(narrow));
    }
    order
}
