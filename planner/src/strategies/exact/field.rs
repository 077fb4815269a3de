//! One group of blocks in one preorder, as flat arrays: what does not change in a search.

use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::ops::Range;

use super::problem::{Block, Problem};
use super::sections::{Lists, Sections};
use crate::random::Random;
use crate::sorting::Sorting as _;
use crate::strategies::Key;
use crate::strategies::separation::separation;
use crate::units::narrow;

/// The blocks of a group, numbered by their rank in a preorder.
pub(super) struct Field {
    /// The blocks.
    pub(super) blocks: Vec<Block>,
    /// Lowest address of each before anything is placed.
    pub(super) lowest: Vec<u64>,
    /// Their order.
    pub(super) order: Order,
    /// The place of each block in the preorder without its totals.
    pub(super) rank: Vec<u32>,
    /// Bytes from the start of each up to where any other may start.
    pub(super) padded: Vec<u64>,
    /// The blocks that share a step with each.
    pub(super) near: Lists<u32>,
    /// With pauses: for each of these, how far above the block it must start.
    pub(super) apart: Option<Lists<u64>>,
    /// Their sections.
    pub(super) sections: Sections,
    /// Bytes needed in each section in all.
    pub(super) totals: Vec<u64>,
    /// The most that the topmost block of a section may do without of its padding.
    pub(super) slope: Vec<u64>,
    /// The block before each that could change places with it, if any.
    pub(super) twin: Vec<Option<u32>>,
    /// The block after each that could change places with it, if any.
    pub(super) next_twin: Vec<Option<u32>>,
    /// The first of the blocks that could change places with each, itself included.
    pub(super) first_twin: Vec<u32>,
    /// Whether every address is a multiple of every alignment as it comes.
    pub(super) aligned: bool,
    /// Whether no block has pauses.
    whole: bool,
}

/// The sections in which a block needs bytes.
pub(super) enum Needs<'a> {
    /// The same number in each of these.
    Whole(Range<usize>, u64),
    /// Each with its number.
    Parts(&'a [(u32, u64)]),
}

/// By which measure a preorder sorts first, second and third, the larger first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Preorder {
    /// Steps, then bytes × steps, then the fullest section.
    WidthAreaTotal,
    /// The fullest section, then bytes × steps, then steps.
    TotalAreaWidth,
    /// The fullest section, then steps, then bytes × steps.
    TotalWidthArea,
}

impl Preorder {
    /// The measures.
    pub(super) fn keys(self) -> [Key; 3] {
        match self {
            Self::WidthAreaTotal => [Key::Width, Key::Area, Key::Total],
            Self::TotalAreaWidth => [Key::Total, Key::Area, Key::Width],
            Self::TotalWidthArea => [Key::Total, Key::Width, Key::Area],
        }
    }

    /// All, in the order in which they take turns.
    pub(super) const ALL: [Self; 3] = [
        Self::WidthAreaTotal,
        Self::TotalAreaWidth,
        Self::TotalWidthArea,
    ];
}

/// A preorder, changed a little at each restart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Order {
    pub(super) preorder: Preorder,
    /// Number of the restart; 0 for the preorder itself.
    pub(super) restart: u32,
}

impl Order {
    /// No item gets more ranks ahead of another than this that was ahead of it. Of 4, 16, 40
    /// and 100, 16 solved the most of thirty rectangles cut into 215 pieces.
    const REACH: usize = 16;

    /// Changes the order of `items`, which the preorder has sorted, in a way of this restart.
    fn disturb<T: Copy>(self, items: &mut [T]) {
        if self.restart == 0 {
            return;
        }
        let mut random = Random::new(u64::from(self.restart));
        let place = |(rank, &item): (usize, &T)| (rank + random.index(Self::REACH + 1), rank, item);
        let mut places: Vec<(usize, usize, T)> = items.iter().enumerate().map(place).collect();
        places.order_by_key(|&(place, rank, _)| (place, rank));
        for (item, (_, _, chosen)) in items.iter_mut().zip(places) {
            *item = chosen;
        }
    }
}

impl Field {
    /// The blocks `group` of `problem`, in `order`.
    pub(super) fn new(problem: &Problem<'_>, group: &[usize], order: Order) -> Self {
        let ranked = ranked(problem, group, order);
        let blocks: Vec<Block> = ranked.into_iter().map(|b| problem.blocks[b]).collect();
        let sections = Sections::new(problem, &blocks);
        let totals = totals(&sections);
        let slope = |section: usize| {
            let members = sections.members.get(section).iter();
            let slopes = members.map(|&b| blocks[b as usize].padded - blocks[b as usize].size);
            slopes.max().unwrap_or(0)
        };
        let slope = (0..sections.len()).map(slope).collect();
        let (near, apart) = neighbours(problem, &blocks);
        let grain = |block: &Block| {
            let multiple = |other: &Block| other.padded.is_multiple_of(block.alignment);
            block.alignment == 1 || blocks.iter().all(multiple)
        };
        let mut alignments: Vec<&Block> = blocks.iter().filter(|b| b.fixed.is_none()).collect();
        alignments.order_by_key(|block| block.alignment);
        alignments.dedup_by_key(|block| block.alignment);
        let fixed = blocks.iter().any(|block| block.fixed.is_some());
        let aligned = !fixed && apart.is_none() && alignments.into_iter().all(grain);
        let twin = twins(problem, &blocks);
        let mut next_twin = vec![None; blocks.len()];
        let mut first_twin: Vec<u32> = (0..narrow(blocks.len())).collect();
        for (block, twin) in (0..).zip(&twin) {
            if let Some(twin) = *twin {
                next_twin[twin as usize] = Some(block);
                first_twin[block as usize] = first_twin[twin as usize];
            }
        }
        Self {
            next_twin,
            first_twin,
            lowest: blocks.iter().map(|b| b.fixed.unwrap_or(0)).collect(),
            padded: blocks.iter().map(|block| block.padded).collect(),
            whole: !problem.pauses,
            twin,
            rank: ranks(&blocks, order),
            order,
            blocks,
            near,
            apart,
            sections,
            totals,
            slope,
            aligned,
        }
    }

    /// What `block` needs of its sections.
    pub(super) fn needs(&self, block: usize) -> Needs<'_> {
        if self.whole {
            return Needs::Whole(self.sections.ranges[block].indices(), self.padded[block]);
        }
        Needs::Parts(self.sections.of_block.get(block))
    }

    /// Number of blocks.
    pub(super) fn len(&self) -> usize {
        self.blocks.len()
    }

    /// No plan is lower than this: what the fullest section needs, without the padding of
    /// its topmost block, and no less than any block alone.
    pub(super) fn bound(&self) -> u64 {
        let sections = self.totals.iter().zip(&self.slope);
        let sections = sections.map(|(total, slope)| total.saturating_sub(*slope));
        let alone = self.blocks.iter().zip(&self.lowest);
        let alone = alone.map(|(block, lowest)| lowest + block.size);
        sections.chain(alone).max().unwrap_or(0)
    }
}

fn ranks(blocks: &[Block], into: Order) -> Vec<u32> {
    let key = |&block: &u32| {
        let known = &blocks[block as usize];
        let width = u128::from(known.end - known.start);
        let area = width * u128::from(known.size);
        match into.preorder {
            Preorder::TotalWidthArea => Reverse([width, area]),
            _ => Reverse([area, width]),
        }
    };
    let mut order: Vec<u32> = (0..narrow(blocks.len())).collect();
    order.order_by_key(key);
    into.disturb(&mut order);
    let mut rank = vec![0; blocks.len()];
    for (place, block) in (0..).zip(order) {
        rank[block as usize] = place;
    }
    rank
}

fn totals(sections: &Sections) -> Vec<u64> {
    let mut totals = vec![0; sections.len()];
    for block in 0..sections.of_block.len() {
        for &(section, need) in sections.of_block.get(block) {
            totals[section as usize] += need;
        }
    }
    totals
}

/// `group` in the order `into`, ties of the preorder in the buffers' order.
fn ranked(problem: &Problem<'_>, group: &[usize], into: Order) -> Vec<usize> {
    let blocks: Vec<Block> = group.iter().map(|&block| problem.blocks[block]).collect();
    let sections = Sections::new(problem, &blocks);
    let totals = totals(&sections);
    let key = |index: usize| {
        let block = &blocks[index];
        let own = sections.of_block.get(index).iter();
        let total = own.map(|&(section, _)| totals[section as usize]).max();
        let total = u128::from(total.unwrap_or(0));
        let width = u128::from(block.end - block.start);
        let area = width * u128::from(block.size);
        match into.preorder {
            Preorder::WidthAreaTotal => [width, area, total],
            Preorder::TotalAreaWidth => [total, area, width],
            Preorder::TotalWidthArea => [total, width, area],
        }
    };
    let mut order: Vec<([u128; 3], usize)> = (0..blocks.len()).map(|i| (key(i), i)).collect();
    order.order_by(|a, b| b.0.cmp(&a.0).then(group[a.1].cmp(&group[b.1])));
    into.disturb(&mut order);
    order.into_iter().map(|(_, index)| group[index]).collect()
}

/// Who shares a step with whom, and how far above it must start where pauses allow less than its
/// padded size.
fn neighbours(problem: &Problem<'_>, blocks: &[Block]) -> (Lists<u32>, Option<Lists<u64>>) {
    let mut order: Vec<u32> = (0..narrow(blocks.len())).collect();
    order.order_by_key(|&block| blocks[block as usize].start);
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    let mut live: Vec<u32> = Vec::new();
    for block in order {
        let start = blocks[block as usize].start;
        live.retain(|&other| blocks[other as usize].end > start);
        pairs.extend(
            live.iter()
                .flat_map(|&other| [(block, other), (other, block)]),
        );
        live.push(block);
    }
    if !problem.pauses {
        return (Lists::new(blocks.len(), 0, &pairs), None);
    }
    let buffer = |block: u32| &problem.lifetimes.buffers[blocks[block as usize].buffer];
    let apart = |&(below, above): &(u32, u32)| {
        let apart = separation(buffer(below), buffer(above))?;
        Some(((below, above), (below, apart)))
    };
    let both: Vec<_> = pairs.iter().filter_map(apart).collect();
    let near: Vec<(u32, u32)> = both.iter().map(|&(pair, _)| pair).collect();
    let apart: Vec<(u32, u64)> = both.iter().map(|&(_, apart)| apart).collect();
    let near = Lists::new(blocks.len(), 0, &near);
    (near, Some(Lists::new(blocks.len(), 0, &apart)))
}

/// For each block the next lower rank that is like it in all that matters.
fn twins(problem: &Problem<'_>, blocks: &[Block]) -> Vec<Option<u32>> {
    let mut order: Vec<u32> = (0..narrow(blocks.len())).collect();
    let key = |block: u32| {
        let known = &blocks[block as usize];
        (known.start, known.end, known.size, known.alignment, block)
    };
    order.order_by_key(|&block| key(block));
    let mut twin = vec![None; blocks.len()];
    for pair in order.windows(2) {
        let (a, b) = (key(pair[0]), key(pair[1]));
        let plain = |block: u32| {
            let known = &blocks[block as usize];
            known.fixed.is_none() && problem.lifetimes.buffers[known.buffer].pauses.is_empty()
        };
        let same = (a.0, a.1, a.2, a.3) == (b.0, b.1, b.2, b.3);
        if same && plain(pair[0]) && plain(pair[1]) {
            twin[pair[1] as usize] = Some(pair[0]);
        }
    }
    twin
}
