//! Which buffer of one dump is which of another: by name, or by order.
//!
//! Toolchains number what they make (`fusion.12`), and one more operator renumbers all that
//! follow, so that equal names may say nothing. What holds of a pair of dumps is asked once:
//! are there as many buffers of equal name and size as the longest common subsequence has, of
//! names without numbers and sizes in order of life? Then names are kept, and equal ones pair
//! first; of the rest those that are equal without their numbers and as large, in order of
//! life; of the rest those that are equal without their numbers. Otherwise the numbers are
//! new: the subsequence pairs first, then what is as large, then what stands between the same
//! two pairs of the subsequence, then the rest as before. What is left has no partner.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};

use super::subsequence::longest;
use crate::liveness::Lifetimes;
use crate::sorting::Sorting as _;
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

/// The pairs by index in the first. O(n log n), and what [`longest`] takes.
pub(super) fn pairs(before: &Lifetimes, after: &Lifetimes) -> Vec<Pair> {
    let mut sides = (Rows::new(before), Rows::new(after));
    let sequence = sequence(&sides.0, &sides.1);
    let mut kept = Pairing::new(&sides.0, &sides.1);
    kept.meet(How::Name, |rows, index| {
        (rows.name(index), rows.size(index))
    });
    let mut pairs = if kept.pairs.len() >= sequence.len() {
        by_name(&sides.0, &sides.1)
    } else {
        sides.0.cut(sequence.iter().map(|&(index, _)| index));
        sides.1.cut(sequence.iter().map(|&(_, index)| index));
        by_order(&sides.0, &sides.1, &sequence)
    };
    pairs.order_by_key(|pair| pair.before);
    pairs
}

/// The pairs where names are kept.
fn by_name(before: &Rows<'_>, after: &Rows<'_>) -> Vec<Pair> {
    let mut pairing = Pairing::new(before, after);
    pairing.meet(How::Name, |rows, index| rows.name(index));
    pairing.meet(How::SizeAndOrder, |rows, index| {
        (rows.stem(index), rows.size(index))
    });
    pairing.meet(How::Order, |rows, index| rows.stem(index));
    pairing.pairs
}

/// The pairs where numbers are new.
fn by_order(before: &Rows<'_>, after: &Rows<'_>, sequence: &[(usize, usize)]) -> Vec<Pair> {
    let mut pairing = Pairing::new(before, after);
    for &(before, after) in sequence {
        pairing.pair(before, after, How::SizeAndOrder);
    }
    pairing.drop_paired();
    let how = How::SizeAndOrder;
    pairing.meet(how, |rows, index| (rows.name(index), rows.size(index)));
    pairing.meet(how, |rows, index| (rows.stem(index), rows.size(index)));
    let how = How::Order;
    pairing.meet(how, |rows, index| (rows.passed[index], rows.name(index)));
    pairing.meet(how, |rows, index| (rows.passed[index], rows.stem(index)));
    pairing.meet(how, |rows, index| rows.name(index));
    pairing.meet(how, |rows, index| rows.stem(index));
    pairing.pairs
}

/// The longest common subsequence of names without numbers and sizes, as indices in both;
/// empty where it was not looked for.
fn sequence(before: &Rows<'_>, after: &Rows<'_>) -> Vec<(usize, usize)> {
    let keys = |rows: &Rows<'_>| -> Vec<(String, Bytes)> {
        let keys = rows.order.iter();
        keys.map(|&index| (rows.stem(index).to_owned(), rows.size(index)))
            .collect()
    };
    let keys = (keys(before), keys(after));
    let mut ranks: Vec<&(String, Bytes)> = keys.0.iter().chain(&keys.1).collect();
    ranks.order();
    ranks.dedup();
    let ranked = |keys: &[(String, Bytes)]| -> Vec<usize> {
        let keys = keys.iter();
        keys.map(|key| ranks.partition_point(|rank| *rank < key))
            .collect()
    };
    let places = longest(&ranked(&keys.0), &ranked(&keys.1)).unwrap_or_default();
    let places = places.into_iter();
    places
        .map(|(one, other)| (before.order[one], after.order[other]))
        .collect()
}

/// The buffers of one dump.
struct Rows<'a> {
    lifetimes: &'a Lifetimes,
    /// Their names without numbers.
    stems: Vec<String>,
    /// The buffers in order of life.
    order: Vec<usize>,
    /// How many of the subsequence come to life before each, where it was cut.
    passed: Vec<usize>,
}

impl<'a> Rows<'a> {
    fn new(lifetimes: &'a Lifetimes) -> Self {
        let stems = lifetimes.buffers.iter().map(|buffer| stem(&buffer.name));
        Self {
            stems: stems.collect(),
            order: order(lifetimes),
            passed: vec![0; lifetimes.buffers.len()],
            lifetimes,
        }
    }

    fn name(&self, index: usize) -> &str {
        &self.lifetimes.buffers[index].name
    }

    fn stem(&self, index: usize) -> &str {
        &self.stems[index]
    }

    fn size(&self, index: usize) -> Bytes {
        self.lifetimes.buffers[index].size
    }

    /// Cuts the rows at these buffers, which are in order of life.
    fn cut(&mut self, at: impl Iterator<Item = usize>) {
        let mut at = at.peekable();
        let mut passed = 0;
        for &index in &self.order {
            self.passed[index] = passed;
            passed += usize::from(at.next_if_eq(&index).is_some());
        }
    }
}

/// The pairs that are found, and what is left of both dumps in order of life.
struct Pairing<'a> {
    before: &'a Rows<'a>,
    after: &'a Rows<'a>,
    rest: (Vec<usize>, Vec<usize>),
    pairs: Vec<Pair>,
}

impl<'a> Pairing<'a> {
    fn new(before: &'a Rows<'a>, after: &'a Rows<'a>) -> Self {
        Self {
            rest: (before.order.clone(), after.order.clone()),
            pairs: Vec::new(),
            before,
            after,
        }
    }

    /// Pairs both; where their names are equal that says more than `how`.
    fn pair(&mut self, before: usize, after: usize, how: How) {
        let is_named = self.before.name(before) == self.after.name(after);
        self.pairs.push(Pair {
            before,
            after,
            how: if is_named { How::Name } else { how },
        });
    }

    /// Takes what is paired out of the rest.
    fn drop_paired(&mut self) {
        let before: BTreeSet<usize> = self.pairs.iter().map(|pair| pair.before).collect();
        let after: BTreeSet<usize> = self.pairs.iter().map(|pair| pair.after).collect();
        self.rest.0.retain(|index| !before.contains(index));
        self.rest.1.retain(|index| !after.contains(index));
    }

    /// Pairs those of the rest whose keys are equal, the first with the first.
    fn meet<K: Ord>(&mut self, how: How, key: impl Fn(&'a Rows<'a>, usize) -> K) {
        let mut waiting: BTreeMap<K, VecDeque<usize>> = BTreeMap::new();
        for &index in &self.rest.1 {
            let row = waiting.entry(key(self.after, index)).or_default();
            row.push_back(index);
        }
        for index in std::mem::take(&mut self.rest.0) {
            let partner = waiting.get_mut(&key(self.before, index));
            match partner.and_then(VecDeque::pop_front) {
                Some(partner) => self.pair(index, partner, how),
                None => self.rest.0.push(index),
            }
        }
        let left: BTreeSet<usize> = waiting.into_values().flatten().collect();
        self.rest.1.retain(|index| left.contains(index));
    }
}

/// The buffers in the order in which they come to life, those of one step by index.
fn order(lifetimes: &Lifetimes) -> Vec<usize> {
    let mut order: Vec<usize> = (0..lifetimes.buffers.len()).collect();
    order.order_by_key(|&index| lifetimes.buffers[index].span.start);
    order
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
