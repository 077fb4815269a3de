//! Ranges for groups of STAlloc: rows of groups that follow each other, and rows of smaller ones
//! within them.

use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;

use super::groups::Group;
use super::layer::{form_layers, meets};
use super::{Case, Life, heaped};
use crate::sorting::Sorting as _;

/// Groups of one size, none of which is live together with another.
struct Row {
    above: u64,
    size: u64,
    groups: Vec<usize>,
    /// With those of the next turn.
    lives: Vec<Life>,
}

/// A range of the arena, which its first row fills.
pub(super) struct Rows {
    pub(super) size: u64,
    rows: Vec<Row>,
}

/// Shares groups out among ranges, those of one size after the other, the largest first.
pub(super) fn rows(case: &Case, groups: &[Group]) -> Vec<Rows> {
    let sizes: BTreeSet<Reverse<u64>> = groups.iter().map(|it| Reverse(it.size)).collect();
    let lives: Vec<Life> = groups.iter().map(|it| it.life).collect();
    let mut ranges: Vec<Rows> = Vec::new();
    for Reverse(size) in sizes {
        let class = (0..groups.len()).filter(|&it| groups[it].size == size);
        let mut class = heaped(class, |it| lives[it].start);
        for range in &mut ranges {
            if class.is_empty() {
                break;
            }
            class.order_by_key(|&it| lives[it].start);
            range.insert(case, (&lives, size), &mut class);
        }
        for groups in form_layers(&lives, &class, case.turn) {
            let row = Row::of(case, &lives, (0, size), groups);
            let rows = vec![row];
            ranges.push(Rows { size, rows });
        }
    }
    ranges
}

impl Row {
    fn of(case: &Case, lives: &[Life], (above, size): (u64, u64), groups: Vec<usize>) -> Self {
        let here = groups.iter().map(|&group| lives[group]);
        let lives = here.flat_map(|it| [Some(it), case.again(it)]).flatten();
        Self {
            above,
            size,
            lives: lives.collect(),
            groups,
        }
    }
}

impl Rows {
    /// Every block in it, with its place above the start of the range.
    pub(super) fn places(&self, groups: &[Group]) -> Vec<(usize, u64)> {
        let rows = self.rows.iter();
        let each = rows.flat_map(|row| row.groups.iter().map(|&group| (row.above, group)));
        let members = each.flat_map(|(above, group)| {
            let members = groups[group].members.iter();
            members.map(move |&(block, within)| (block, above + within))
        });
        members.collect()
    }

    /// Where its highest row begins: below everything counts as in use at all times.
    pub(super) fn floor(&self) -> u64 {
        self.rows.iter().map(|row| row.above).max().unwrap_or(0)
    }

    /// Puts those of `class` that fit, which are in order of start, into new rows; the others are
    /// left. The reference measures places in the range against the size of the row in it;
    /// that is kept.
    fn insert(&mut self, case: &Case, (lives, size): (&[Life], u64), class: &mut Vec<usize>) {
        let mut top = 0;
        let mut at = 0;
        while let Some(row) = self.rows.get(at) {
            let (above, end) = (row.above, row.size);
            if end >= size {
                if above + end < self.size - size {
                    top = top.max(above + end);
                }
                self.fill(case, (lives, size), (above, end), class);
            }
            at += 1;
        }
        self.fill(case, (lives, size), (top, self.size), class);
    }

    /// One row after the other from `from` on, until one stays empty.
    fn fill(
        &mut self,
        case: &Case,
        (lives, size): (&[Life], u64),
        (mut from, end): (u64, u64),
        class: &mut Vec<usize>,
    ) {
        while from + size <= end && !class.is_empty() {
            let mut taken = self.taken((from, size));
            let mut row = Row::of(case, lives, (from, size), Vec::new());
            class.retain(|&group| {
                let life = lives[group];
                if meets(&taken, life) || meets(&row.lives, life) {
                    return true;
                }
                let at = taken.partition_point(|it| it.end <= life.start);
                taken.insert(at, life);
                row.groups.push(group);
                row.lives.push(life);
                row.lives.extend(case.again(life));
                row.lives.order_by_key(|it| it.start);
                false
            });
            if row.groups.is_empty() {
                break;
            }
            self.rows.push(row);
            from += size;
        }
    }

    /// When any byte of a part of it is in use: in order, none together with another.
    fn taken(&self, (from, size): (u64, u64)) -> Vec<Life> {
        let rows = self.rows.iter();
        let rows = rows.filter(|row| row.above < from + size && from < row.above + row.size);
        let mut lives: Vec<Life> = rows.flat_map(|row| row.lives.iter().copied()).collect();
        lives.order_by_key(|it| it.start);
        let mut joined: Vec<Life> = Vec::new();
        for life in lives {
            match joined.last_mut() {
                Some(last) if life.start <= last.end => last.end = last.end.max(life.end),
                _ => joined.push(life),
            }
        }
        joined
    }
}
