//! Which buffer of one dump is which of another: by name, then by order.
//!
//! Toolchains number what they make (`fusion.12`), and one more operator renumbers all that
//! follow. So names that are equal pair first; of the rest those that are equal without
//! their numbers and as large, in the order in which they come to life; of the rest those
//! that are equal without their numbers, in that order. What is left has no partner.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};

use crate::liveness::Lifetimes;
use crate::units::Bytes;

/// One buffer in both dumps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pair {
    /// Its index in the first.
    pub before: usize,
    /// Its index in the second.
    pub after: usize,
    /// What says that both are the same.
    pub how: How,
}

/// What says that two buffers are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// Their names are equal.
    Name,
    /// Their names are equal without numbers, so are their sizes, and their turn is the same.
    SizeAndOrder,
    /// Their names are equal without numbers, and their turn is the same.
    Order,
}

/// The pairs by index in the first. O(n log n).
pub(super) fn pairs(before: &Lifetimes, after: &Lifetimes) -> Vec<Pair> {
    let mut rest = (order(before), order(after));
    let mut pairs = Vec::new();
    meet(
        &mut rest,
        &mut pairs,
        How::Name,
        |index| before.buffers[index].name.clone(),
        |index| after.buffers[index].name.clone(),
    );
    let stem = |lifetimes: &Lifetimes, index: usize| stem(&lifetimes.buffers[index].name);
    let sized = |lifetimes: &Lifetimes, index: usize| -> (String, Bytes) {
        (stem(lifetimes, index), lifetimes.buffers[index].size)
    };
    meet(
        &mut rest,
        &mut pairs,
        How::SizeAndOrder,
        |index| sized(before, index),
        |index| sized(after, index),
    );
    meet(
        &mut rest,
        &mut pairs,
        How::Order,
        |index| stem(before, index),
        |index| stem(after, index),
    );
    pairs.sort_unstable_by_key(|pair| pair.before);
    pairs
}

/// The buffers in the order in which they come to life, those of one step by index.
fn order(lifetimes: &Lifetimes) -> Vec<usize> {
    let mut order: Vec<usize> = (0..lifetimes.buffers.len()).collect();
    order.sort_by_key(|&index| lifetimes.buffers[index].span.start);
    order
}

/// Pairs those of `rest` whose keys are equal, the first with the first, and takes them out.
fn meet<K: Ord>(
    rest: &mut (Vec<usize>, Vec<usize>),
    pairs: &mut Vec<Pair>,
    how: How,
    before: impl Fn(usize) -> K,
    after: impl Fn(usize) -> K,
) {
    let mut waiting: BTreeMap<K, VecDeque<usize>> = BTreeMap::new();
    for &index in &rest.1 {
        waiting.entry(after(index)).or_default().push_back(index);
    }
    rest.0.retain(|&index| {
        let partner = waiting.get_mut(&before(index));
        let Some(partner) = partner.and_then(VecDeque::pop_front) else {
            return true;
        };
        pairs.push(Pair {
            before: index,
            after: partner,
            how,
        });
        false
    });
    let left: BTreeSet<usize> = waiting.into_values().flatten().collect();
    rest.1.retain(|index| left.contains(index));
}

/// `name` with a `#` for every number in it.
fn stem(name: &str) -> String {
    let mut stem = String::with_capacity(name.len());
    for letter in name.chars() {
        if !letter.is_ascii_digit() {
            stem.push(letter);
        } else if !stem.ends_with('#') {
            stem.push('#');
        }
    }
    stem
}
