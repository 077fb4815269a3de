//! What must be live at a step in every order: the storages that it uses, and those that a
//! step before it has begun and a step behind it needs, whatever else happens between.

use super::problem::{Kept, Problem};

/// The most steps of which all ancestors are looked at: 8 MiB of bits either way.
const STEPS: usize = 1 << 13;

/// Bytes that some step needs in every order: no order of `problem` has a smaller peak.
pub(super) fn bound(problem: &Problem) -> u64 {
    let mut needs = vec![problem.always; problem.len()];
    match problem.len() <= STEPS {
        true => add_what_passes(problem, &mut needs),
        false => add_what_is_used(problem, &mut needs),
    }
    // At a step that may write over what it reads, both count once.
    let bytes = |storage: u32| problem.storages[storage as usize].bytes;
    for (need, over) in needs.iter_mut().zip(&problem.over) {
        if let Some((read, written)) = over {
            *need -= bytes(*read).min(bytes(*written));
        }
    }
    needs.into_iter().max().unwrap_or(0)
}

/// Adds to each step what it uses, and what is live at every step.
fn add_what_is_used(problem: &Problem, needs: &mut [u64]) {
    for storage in &problem.storages {
        match storage.opened && storage.kept != Kept::No {
            true => needs.iter_mut().for_each(|need| *need += storage.bytes),
            false => {
                for &user in &storage.users {
                    needs[user as usize] += storage.bytes;
                }
            }
        }
    }
}

/// Adds to each step the storages of which a user is the step itself or comes before it in
/// every order, and a user is the step itself or comes after it in every order.
fn add_what_passes(problem: &Problem, needs: &mut [u64]) {
    let len = problem.len();
    let forward: Vec<usize> = (0..len).collect();
    let backward: Vec<usize> = (0..len).rev().collect();
    let ancestors = Reach::along(&problem.before, &forward);
    let descendants = Reach::along(&problem.after, &backward);
    for storage in &problem.storages {
        let begun = descendants.of_any(&storage.users, storage.opened);
        let awaited = ancestors.of_any(&storage.users, storage.kept != Kept::No);
        for (word, (begun, awaited)) in begun.into_iter().zip(awaited).enumerate() {
            let mut both = begun & awaited;
            while both != 0 {
                let step = word * 64 + both.trailing_zeros() as usize;
                both &= both - 1;
                if let Some(need) = needs.get_mut(step) {
                    *need += storage.bytes;
                }
            }
        }
    }
}

/// For each step itself and those that edges lead to, as bits.
struct Reach {
    words: usize,
    bits: Vec<u64>,
}

impl Reach {
    /// Along `edges`, each of which leads to a step that comes earlier in `order`.
    fn along(edges: &[Vec<u32>], order: &[usize]) -> Self {
        let words = order.len().div_ceil(64);
        let mut bits = vec![0; words * order.len()];
        for &step in order {
            bits[step * words + step / 64] |= 1 << (step % 64);
            for &near in &edges[step] {
                for word in 0..words {
                    bits[step * words + word] |= bits[near as usize * words + word];
                }
            }
        }
        Self { words, bits }
    }

    /// What one of `steps` reaches, or everything.
    fn of_any(&self, steps: &[u32], all: bool) -> Vec<u64> {
        if all {
            return vec![u64::MAX; self.words];
        }
        let mut any = vec![0; self.words];
        for &step in steps {
            let from = step as usize * self.words;
            let own = &self.bits[from..from + self.words];
            any.iter_mut().zip(own).for_each(|(any, own)| *any |= own);
        }
        any
    }
}
