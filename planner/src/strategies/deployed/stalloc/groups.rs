//! Groups of STAlloc: blocks that pass from one phase into another lie in one range, as if they were
//! one block.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;

use super::layer::Layer;
use super::rows::{Rows, rows};
use super::{Case, Life, heaped};
use crate::sorting::Sorting as _;

/// A group of fewer blocks than this is not kept where so many of it are still smaller than the
/// largest group.
const FEW: usize = 5;
const TIMES: u128 = 10;

/// Groups of which less than this share is in use, in tenths, are not kept.
const LEAST: u128 = 7;

/// More blocks than this in groups, or more groups, are planned without: pairs of them are tried.
const MOST: usize = 1 << 14;
const MOST_GROUPS: usize = 1 << 11;

/// Places tried where groups are put into each other, all in all.
const TRIES: u32 = 1 << 20;

/// Blocks that are planned together: each needs all from its place up.
#[derive(Clone)]
pub(super) struct Group {
    pub(super) life: Life,
    pub(super) size: u64,
    /// Each with its place above the start of the range.
    pub(super) members: Vec<(usize, u64)>,
}

/// What is planned in groups, and what is not.
pub(super) struct Grouped {
    pub(super) groups: Vec<Group>,
    pub(super) ranges: Vec<Rows>,
    pub(super) rest: Vec<usize>,
}

impl Group {
    /// On top of each other, the longest-lived first.
    fn of(case: &Case, mut blocks: Vec<usize>) -> Self {
        blocks.order_by_key(|&block| Reverse(case.lives[block].len()));
        let mut size = 0;
        let members = blocks.into_iter().map(|block| {
            let above = size;
            size += case.sizes[block];
            (block, above)
        });
        let members: Vec<_> = members.collect();
        let life = cover(case, &members);
        Self {
            life,
            size,
            members,
        }
    }

    /// Bytes in use, by the number of events.
    fn area(&self, case: &Case) -> u128 {
        let areas = self.members.iter();
        let areas = areas.map(|&(block, _)| area(case.sizes[block], case.lives[block]));
        areas.sum()
    }

    /// Which share of it is in use, in parts of 2⁴⁰.
    fn usage(&self, case: &Case) -> u128 {
        (self.area(case) << 40) / area(self.size, self.life).max(1)
    }
}

/// In whole units.
fn area(size: u64, life: Life) -> u128 {
    u128::from(size / super::GRANULE) * u128::from(life.len())
}

/// From the first start to the last end.
fn cover(case: &Case, members: &[(usize, u64)]) -> Life {
    let lives = members.iter().map(|&(block, _)| case.lives[block]);
    let both = |a: Life, b: Life| Life {
        start: a.start.min(b.start),
        end: a.end.max(b.end),
    };
    lives.reduce(both).unwrap_or(Life { start: 0, end: 0 })
}

/// By the phases at both ends of each block, where they are known; `None` where there is no group, and
/// where there are too many.
pub(super) fn grouped(case: &Case, phases: &[Option<(u64, u64)>]) -> Option<Grouped> {
    let mut by_phases: BTreeMap<(u64, u64), Vec<usize>> = BTreeMap::new();
    let mut rest = Vec::new();
    for (block, phases) in phases.iter().enumerate() {
        match phases {
            Some(phases) if phases.0 != phases.1 => {
                by_phases.entry(*phases).or_default().push(block);
            }
            _ => rest.push(block),
        }
    }
    let members: usize = by_phases.values().map(Vec::len).sum();
    let fits = case
        .sizes
        .iter()
        .try_fold(0, |sum: u64, it| sum.checked_add(*it));
    if members > MOST || fits.is_none() {
        return None;
    }
    let of = |blocks| Group::of(case, blocks);
    let mut groups: Vec<Group> = by_phases.into_values().map(of).collect();
    groups.order_by_key(|it| it.life.start);
    let groups = worth(case, groups, &mut rest)?;
    let groups = paired(case, groups);
    let ranges = rows(case, &groups);
    Some(Grouped {
        groups,
        ranges,
        rest,
    })
}

/// The groups that are kept, if any; what is in no other joins `rest`. What is as large as a group becomes
/// one, but of two such in a row only the first: the reference takes away what it walks over.
fn worth(case: &Case, groups: Vec<Group>, rest: &mut Vec<usize>) -> Option<Vec<Group>> {
    let largest = groups.iter().map(|it| it.size).max()?;
    let blocks = |group: Group| {
        let mut blocks: Vec<usize> = group.members.into_iter().map(|it| it.0).collect();
        blocks.order();
        blocks
    };
    let (mut kept, mut small) = (Vec::new(), Vec::new());
    for group in groups {
        let few = group.members.len() < FEW;
        let is_small = few && u128::from(group.size) * TIMES < u128::from(largest);
        if is_small { &mut small } else { &mut kept }.push(group);
    }
    rest.extend(small.into_iter().flat_map(blocks));
    let smallest = kept.iter().map(|it| it.size).min()?;
    let mut passed = true;
    rest.retain(|&block| {
        let stays = !passed || case.sizes[block] < smallest;
        passed = stays;
        if !stays {
            kept.push(Group::of(case, [block].into()));
        }
        stays
    });
    let used = |it: &Group| it.area(case) * 10 >= LEAST * area(it.size, it.life);
    let (kept, loose): (Vec<_>, Vec<_>) = kept.into_iter().partition(used);
    rest.extend(loose.into_iter().flat_map(blocks));
    (kept.len() <= MOST_GROUPS).then_some(kept)
}

/// Each group in one of a larger size, the largest first, where that is of use; each once at most.
fn paired(case: &Case, groups: Vec<Group>) -> Vec<Group> {
    let sizes: BTreeSet<Reverse<u64>> = groups.iter().map(|it| Reverse(it.size)).collect();
    let class = |size: u64| {
        let members = (0..groups.len()).filter(|&it| groups[it].size == size);
        heaped(members, |it| groups[it].life.start)
    };
    let classes: Vec<Vec<usize>> = sizes.iter().map(|size| class(size.0)).collect();
    let mut used = vec![false; groups.len()];
    let mut tries = TRIES;
    let mut made = Vec::new();
    for (number, members) in classes.iter().enumerate() {
        for &other in members {
            let bases = classes[..number].iter().flatten().copied();
            let mut bases = bases.filter(|&base| !used[base]);
            let found = bases.find_map(|base| {
                let pair = interlocked(case, &groups[base], &groups[other], &mut tries);
                Some((base, pair?))
            });
            if let Some((base, pair)) = found {
                used[base] = true;
                used[other] = true;
                made.extend(pair);
            }
        }
    }
    // The others by size, in the order in which the sizes come first.
    let mut seen = BTreeSet::new();
    let firsts = groups.iter().filter(|it| seen.insert(it.size));
    for size in firsts.map(|it| it.size) {
        let others = class(size).into_iter().filter(|&it| !used[it]);
        made.extend(others.map(|it| groups[it].clone()));
    }
    made
}

/// Both in the range of `base`, the larger, and what finds no room as a group of its own; `None` where
/// one does not go on beyond the other, or where more is in use without.
fn interlocked(case: &Case, base: &Group, other: &Group, tries: &mut u32) -> Option<Vec<Group>> {
    let (one, two) = (base.life, other.life);
    let first = one.start <= two.start;
    if one.end <= two.start || two.end <= one.start || first != (one.end < two.end) {
        return None;
    }
    let (members, waiting) = beside(case, (base, other), first, tries)?;
    let merged = Group {
        life: cover(case, &members),
        size: base.size,
        members,
    };
    let left = (!waiting.is_empty()).then(|| Group::of(case, waiting));
    let usage = merged.usage(case);
    // The reference counts the whole twice where nothing is left.
    let after = usage * left.as_ref().map_or(usage, |left| left.usage(case));
    let better = after > base.usage(case) * other.usage(case);
    better.then(|| [merged].into_iter().chain(left).collect())
}

/// The places of both in the range of the larger, and what finds none. `first`: whether the larger
/// begins first. Its blocks lie as stairs, those that leave room for the longest at the top, and the
/// others are put from the lowest stair on, the first of them that comes after the stair.
#[expect(clippy::type_complexity, reason = "places, and blocks without one")]
fn beside(
    case: &Case,
    (base, other): (&Group, &Group),
    first: bool,
    tries: &mut u32,
) -> Option<(Vec<(usize, u64)>, Vec<usize>)> {
    let ordered = |group: &Group, by_start: bool| {
        let mut blocks: Vec<usize> = group.members.iter().map(|it| it.0).collect();
        blocks.order_by_key(|&block| match by_start {
            true => case.lives[block].start,
            false => u64::MAX - case.lives[block].end,
        });
        blocks
    };
    let mut range = Layer::empty((0, base.size));
    let mut members = Vec::new();
    for block in ordered(base, !first) {
        members.push((block, range.add(case.lives[block], case.sizes[block])?));
    }
    let stairs = members.clone();
    let mut waiting = ordered(other, first);
    let mut level = 0;
    while !waiting.is_empty() {
        let stair = stairs.partition_point(|it| it.1 <= level) - 1;
        let next_to = case.lives[stairs[stair].0];
        let mut found = None;
        for (place, &block) in waiting.iter().enumerate() {
            let (life, size) = (case.lives[block], case.sizes[block]);
            let fits = match first {
                true => life.start >= next_to.end && size <= base.size.saturating_sub(level),
                false => life.end <= next_to.start,
            };
            if !fits {
                continue;
            }
            *tries = tries.checked_sub(1)?;
            if let Some(above) = range.add(life, size) {
                found = Some((place, above));
                break;
            }
        }
        match found {
            Some((place, above)) => {
                let block = waiting.remove(place);
                level = above + case.sizes[block];
                members.push((block, above));
            }
            None if stair + 1 == stairs.len() => break,
            None => level = stairs[stair + 1].1,
        }
    }
    Some((members, waiting))
}
