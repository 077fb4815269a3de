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
//!
//! Blocks of an allocator are named by their addresses, which say nothing: see [`traces`].

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};

use super::subsequence::longest;
use super::traces;
use crate::deployed::{Arena, Stacks};
use crate::liveness::Lifetimes;
use crate::sorting::Sorting as _;
use crate::units::{Bytes, Step};

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
    /// The same stack asked for as many bytes on the same stream, and their turn is the same.
    StackAndSize,
    /// The same stack, or the same but for the lines, asked on the same stream, and their turn
    /// is the same.
    Stack,
}

/// What is in both of two dumps.
pub(super) struct Paired {
    /// By index in the first.
    pub(super) pairs: Vec<Pair>,
    /// Of two traces when that began, in each, that is in both in the same order: a clock that
    /// runs alike in both, whatever one of them did beside.
    pub(super) clock: Option<(Vec<Step>, Vec<Step>)>,
}

/// An arena with the stacks that its notes lead to.
pub type Traced<'a> = (&'a Arena, &'a Stacks);

/// Which buffer of `before` is which of `after`, by index in the first. O(n log n), and what a
/// longest common subsequence takes, see [`dumps`](super::dumps).
#[must_use]
pub fn pairs(before: Traced<'_>, after: Traced<'_>) -> Vec<Pair> {
    paired(before, after).pairs
}

pub(super) fn paired(before: Traced<'_>, after: Traced<'_>) -> Paired {
    let mut paired = match traces::are_traces(before.0, after.0) {
        true => traces::paired(before, after),
        false => Paired {
            pairs: of_dumps(&before.0.lifetimes, &after.0.lifetimes),
            clock: None,
        },
    };
    paired.pairs.order_by_key(|pair| pair.before);
    paired
}

fn of_dumps(before: &Lifetimes, after: &Lifetimes) -> Vec<Pair> {
    let names = ranked((names(before).collect(), names(after).collect()));
    let stems = |of: &Lifetimes| self::names(of).map(stem).collect();
    let stems = ranked((stems(before), stems(after)));
    let sizes = |of: &Lifetimes| of.buffers.iter().map(|it| it.size).collect();
    let mut sides = (
        Rows::new(names.0, stems.0, sizes(before), order(before)),
        Rows::new(names.1, stems.1, sizes(after), order(after)),
    );
    let keys = |rows: &Rows| rows.in_order(|index| (rows.stems[index], rows.sizes[index]));
    let keys = ranked((keys(&sides.0), keys(&sides.1)));
    let sequence = longest(&keys.0, &keys.1).unwrap_or_default();
    let mut kept = Pairing::new(&sides.0, &sides.1);
    kept.meet(How::Name, |rows, index| {
        (rows.names[index], rows.sizes[index])
    });
    let mut pairs = if kept.pairs.len() >= sequence.len() {
        by_name(&sides.0, &sides.1)
    } else {
        let sequence = cut((&mut sides.0, &mut sides.1), &sequence);
        by_order(&sides.0, &sides.1, &sequence)
    };
    // Equal names say more than anything else.
    for pair in &mut pairs {
        if sides.0.names[pair.before] == sides.1.names[pair.after] {
            pair.how = How::Name;
        }
    }
    pairs
}

/// The pairs where names are kept.
fn by_name(before: &Rows, after: &Rows) -> Vec<Pair> {
    let mut pairing = Pairing::new(before, after);
    pairing.meet(How::Name, |rows, index| rows.names[index]);
    pairing.meet(How::SizeAndOrder, |rows, index| {
        (rows.stems[index], rows.sizes[index])
    });
    pairing.meet(How::Order, |rows, index| rows.stems[index]);
    pairing.pairs
}

/// The pairs where numbers are new.
fn by_order(before: &Rows, after: &Rows, sequence: &[(usize, usize)]) -> Vec<Pair> {
    let how = How::SizeAndOrder;
    let mut pairing = Pairing::of(before, after, sequence, how);
    pairing.meet(how, |rows, index| (rows.names[index], rows.sizes[index]));
    pairing.meet(how, |rows, index| (rows.stems[index], rows.sizes[index]));
    let how = How::Order;
    pairing.meet(how, |rows, index| (rows.passed[index], rows.names[index]));
    pairing.meet(how, |rows, index| (rows.passed[index], rows.stems[index]));
    pairing.meet(how, |rows, index| rows.names[index]);
    pairing.meet(how, |rows, index| rows.stems[index]);
    pairing.pairs
}

/// What both sides have as numbers, equal where it is and in its order.
pub(super) fn ranked<K: Ord>(keys: (Vec<K>, Vec<K>)) -> (Vec<usize>, Vec<usize>) {
    let mut ranks: Vec<&K> = keys.0.iter().chain(&keys.1).collect();
    ranks.order();
    ranks.dedup();
    let ranked = |keys: &[K]| -> Vec<usize> {
        let keys = keys.iter();
        keys.map(|key| ranks.partition_point(|rank| *rank < key))
            .collect()
    };
    (ranked(&keys.0), ranked(&keys.1))
}

/// The buffers of one dump.
pub(super) struct Rows {
    /// What each is called, as a number that is equal in both dumps where the names are.
    pub(super) names: Vec<usize>,
    /// The same without what may be new in the other dump.
    pub(super) stems: Vec<usize>,
    pub(super) sizes: Vec<Bytes>,
    /// The buffers in order of life.
    order: Vec<usize>,
    /// How many of the subsequence come to life before each, where it was cut.
    pub(super) passed: Vec<usize>,
}

impl Rows {
    pub(super) fn new(
        names: Vec<usize>,
        stems: Vec<usize>,
        sizes: Vec<Bytes>,
        order: Vec<usize>,
    ) -> Self {
        Self {
            passed: vec![0; order.len()],
            names,
            stems,
            sizes,
            order,
        }
    }

    /// What `key` says of each, in order of life.
    pub(super) fn in_order<K>(&self, key: impl Fn(usize) -> K) -> Vec<K> {
        self.order.iter().map(|&index| key(index)).collect()
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

/// Cuts both at a common subsequence, places in their order, and says what it is by index.
pub(super) fn cut(
    (before, after): (&mut Rows, &mut Rows),
    places: &[(usize, usize)],
) -> Vec<(usize, usize)> {
    let places = places.iter();
    let sequence: Vec<(usize, usize)> = places
        .map(|&(one, other)| (before.order[one], after.order[other]))
        .collect();
    before.cut(sequence.iter().map(|&(index, _)| index));
    after.cut(sequence.iter().map(|&(_, index)| index));
    sequence
}

/// The pairs that are found, and what is left of both dumps in order of life.
pub(super) struct Pairing<'a> {
    before: &'a Rows,
    after: &'a Rows,
    rest: (Vec<usize>, Vec<usize>),
    pub(super) pairs: Vec<Pair>,
}

impl<'a> Pairing<'a> {
    fn new(before: &'a Rows, after: &'a Rows) -> Self {
        Self {
            rest: (before.order.clone(), after.order.clone()),
            pairs: Vec::new(),
            before,
            after,
        }
    }

    /// The pairs of a common subsequence, and what is left.
    pub(super) fn of(
        before: &'a Rows,
        after: &'a Rows,
        sequence: &[(usize, usize)],
        how: How,
    ) -> Self {
        let mut pairing = Self::new(before, after);
        let pair = |&(before, after): &(usize, usize)| Pair { before, after, how };
        pairing.pairs = sequence.iter().map(pair).collect();
        pairing.drop_paired();
        pairing
    }

    /// Takes what is paired out of the rest.
    fn drop_paired(&mut self) {
        let before: BTreeSet<usize> = self.pairs.iter().map(|pair| pair.before).collect();
        let after: BTreeSet<usize> = self.pairs.iter().map(|pair| pair.after).collect();
        self.rest.0.retain(|index| !before.contains(index));
        self.rest.1.retain(|index| !after.contains(index));
    }

    /// Pairs those of the rest whose keys are equal, the first with the first.
    pub(super) fn meet<K: Ord>(&mut self, how: How, key: impl Fn(&'a Rows, usize) -> K) {
        let mut waiting: BTreeMap<K, VecDeque<usize>> = BTreeMap::new();
        for &index in &self.rest.1 {
            let row = waiting.entry(key(self.after, index)).or_default();
            row.push_back(index);
        }
        for before in std::mem::take(&mut self.rest.0) {
            let partner = waiting.get_mut(&key(self.before, before));
            match partner.and_then(VecDeque::pop_front) {
                Some(after) => self.pairs.push(Pair { before, after, how }),
                None => self.rest.0.push(before),
            }
        }
        let left: BTreeSet<usize> = waiting.into_values().flatten().collect();
        self.rest.1.retain(|index| left.contains(index));
    }
}

fn names(lifetimes: &Lifetimes) -> impl Iterator<Item = &str> {
    lifetimes.buffers.iter().map(|it| it.name.as_str())
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
