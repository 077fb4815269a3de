//! Sorts through one compiled copy of the standard library's sort.
//!
//! `slice::sort_by_key` and its sisters are compiled anew for every call, about ten
//! kilobytes each; a hundred calls were a quarter of the page's planner. Here positions are
//! sorted through one comparison behind a pointer, and the items then brought into that
//! order. A comparison costs an indirect call more, so inner loops of strategies and what
//! sorts twice as many changes as there are buffers keep the standard library's own, and so
//! does the judge, which shares nothing with strategies.

use alloc::vec::Vec;
use core::cmp::Ordering;

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
        permute(order, &mut |a, b| self.swap(a, b));
    }
}

/// A set or map into which `items` are put one by one: `collect` sorts them first, through a copy
/// of the sort for each type.
pub fn inserted<T, C: Default + Extend<T>>(items: impl IntoIterator<Item = T>) -> C {
    let mut all = C::default();
    all.extend(items);
    all
}

/// The positions below `len` in the order that `compare` says of what stands there.
fn sorted(len: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..len).collect();
    order.sort_by(|&a, &b| compare(a, b));
    order
}

/// Brings items into `order`, which names for every place where its item stands.
fn permute(mut order: Vec<usize>, swap: &mut dyn FnMut(usize, usize)) {
    for start in 0..order.len() {
        let mut place = start;
        // One round: every place takes its item from the next, until it comes back here.
        loop {
            let from = core::mem::replace(&mut order[place], place);
            if from == start {
                break;
            }
            swap(place, from);
            place = from;
        }
    }
}
