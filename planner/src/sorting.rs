//! Sorts through one compiled copy of the standard library's sort.
//!
//! `slice::sort_by_key` and its sisters are compiled anew for every call, about ten
//! kilobytes each; a hundred calls were a quarter of the page's planner. Here positions are
//! sorted through one comparison behind a pointer, and the items then brought into that
//! order. A comparison costs an indirect call more, so inner loops of strategies and what
//! sorts twice as many changes as there are buffers keep the standard library's own, and so
//! does the judge, which shares nothing with strategies.

use std::cmp::Ordering;

/// Stable sorting of a slice, for everything but inner loops.
pub trait Sorting {
    /// What the slice holds.
    type Item;

    /// Sorts by what `compare` says; what it calls equal stays in its order.
    fn order_by(&mut self, compare: impl FnMut(&Self::Item, &Self::Item) -> Ordering);

    /// Sorts by a key, which is asked for at every comparison.
    fn order_by_key<K: Ord>(&mut self, mut key: impl FnMut(&Self::Item) -> K) {
        self.order_by(|a, b| key(a).cmp(&key(b)));
    }

    /// Sorts items by their own order.
    fn order(&mut self)
    where
        Self::Item: Ord,
    {
        self.order_by(Ord::cmp);
    }
}

impl<T> Sorting for [T] {
    type Item = T;

    fn order_by(&mut self, mut compare: impl FnMut(&T, &T) -> Ordering) {
        let order = sorted(self.len(), &mut |a, b| compare(&self[a], &self[b]));
        settle(order, &mut |a, b| self.swap(a, b));
    }
}

/// The positions below `len` in the order that `compare` says of what stands there.
fn sorted(len: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..len).collect();
    order.sort_by(|&a, &b| compare(a, b));
    order
}

/// Brings items into `order`, which names for every place where its item stands.
fn settle(mut order: Vec<usize>, swap: &mut dyn FnMut(usize, usize)) {
    for start in 0..order.len() {
        let mut place = start;
        // One round: every place takes its item from the next, until it comes back here.
        loop {
            let from = std::mem::replace(&mut order[place], place);
            if from == start {
                break;
            }
            swap(place, from);
            place = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pseudo-random numbers with many equal ones.
    fn numbers(len: usize) -> Vec<(u64, usize)> {
        let mut state = 1_u64;
        let next = |index| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) % 17, index)
        };
        (0..len).map(next).collect()
    }

    #[test]
    fn the_order_is_the_standard_librarys_stable_one() {
        for len in [0, 1, 2, 3, 20, 21, 1000] {
            let mut ours = numbers(len);
            let mut theirs = ours.clone();
            ours.order_by_key(|it| it.0);
            theirs.sort_by_key(|it| it.0);
            assert_eq!(ours, theirs, "{len} by key");
            ours.order_by(|a, b| b.0.cmp(&a.0).then(b.1.cmp(&a.1)));
            theirs.sort_by(|a, b| b.0.cmp(&a.0).then(b.1.cmp(&a.1)));
            assert_eq!(ours, theirs, "{len} backwards");
            ours.order();
            theirs.sort();
            assert_eq!(ours, theirs, "{len} by itself");
        }
    }
}
