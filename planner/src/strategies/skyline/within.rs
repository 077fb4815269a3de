//! Finds the best-ranked waiting block that is live only inside a stretch of moments.
//!
//! A k-d tree over (start, end): blocks inside [a, b) are those with start ≥ a and end ≤ b, a
//! quadrant. Each node knows the best rank below it and the box around what still waits
//! there. A search takes a node's best at once where its box lies inside, and passes over a
//! node that lies outside or has nothing better: O(√n) nodes at worst, a few as a rule.

use alloc::vec;
use alloc::vec::Vec;

/// Rank of "no block": after all others.
pub(super) const NONE: u32 = u32::MAX;

/// Blocks per leaf.
const LEAF: usize = 16;

/// A shrinking set of blocks.
pub(super) struct Within {
    /// The blocks leaf by leaf.
    points: Vec<Point>,
    /// Place of each record in `points`.
    places: Vec<u32>,
    /// The tree; the root is node 1, the leaves are the nodes from `width` on.
    nodes: Vec<Node>,
    width: usize,
}

#[derive(Clone, Copy)]
struct Point {
    start: u32,
    end: u32,
    rank: u32,
}

/// Best rank, and the smallest and largest starts and ends.
#[derive(Clone, Copy)]
struct Node {
    rank: u32,
    starts: (u32, u32),
    ends: (u32, u32),
}

const EMPTY: Node = Node {
    rank: NONE,
    starts: (u32::MAX, 0),
    ends: (u32::MAX, 0),
};

impl Node {
    fn joined(self, other: Self) -> Self {
        let (starts, ends) = (other.starts, other.ends);
        Self {
            rank: self.rank.min(other.rank),
            starts: (self.starts.0.min(starts.0), self.starts.1.max(starts.1)),
            ends: (self.ends.0.min(ends.0), self.ends.1.max(ends.1)),
        }
    }
}

impl Within {
    /// A tree over blocks with these spans, none of them in the set yet.
    pub(super) fn new(spans: &[(u32, u32)]) -> Self {
        let width = spans.len().div_ceil(LEAF).next_power_of_two();
        let mut records: Vec<u32> = (0..).take(spans.len()).collect();
        // Halves by start and by end in turn, down to the leaves.
        let mut parts = vec![(0, width * LEAF, true)];
        while let Some((first, len, by_start)) = parts.pop() {
            let (half, upper) = (len / 2, (first + len).min(spans.len()));
            if len <= LEAF || first >= upper {
                continue;
            }
            if first + half < upper {
                let part = &mut records[first..upper];
                part.select_nth_unstable_by_key(half, |&record| {
                    let (start, end) = spans[record as usize];
                    if by_start { start } else { end }
                });
            }
            parts.push((first, half, !by_start));
            parts.push((first + half, half, !by_start));
        }
        let mut places = vec![0; spans.len()];
        for (place, &record) in (0_u32..).zip(&records) {
            places[record as usize] = place;
        }
        let point = |&record: &u32| {
            let (start, end) = spans[record as usize];
            let rank = NONE;
            Point { start, end, rank }
        };
        Self {
            points: records.iter().map(point).collect(),
            places,
            nodes: vec![EMPTY; 2 * width],
            width,
        }
    }

    /// Makes the set that of the blocks in `order`, the best-ranked first.
    pub(super) fn fill(&mut self, order: &[u32]) {
        for point in &mut self.points {
            point.rank = NONE;
        }
        for (rank, &record) in (0_u32..).zip(order) {
            self.points[self.places[record as usize] as usize].rank = rank;
        }
        for leaf in 0..self.width {
            self.nodes[self.width + leaf] = self.leaf(leaf);
        }
        for node in (1..self.width).rev() {
            self.nodes[node] = self.nodes[2 * node].joined(self.nodes[2 * node + 1]);
        }
    }

    fn leaf(&self, leaf: usize) -> Node {
        let mut node = EMPTY;
        for point in self.points.iter().skip(leaf * LEAF).take(LEAF) {
            if point.rank != NONE {
                node = node.joined(Node {
                    rank: point.rank,
                    starts: (point.start, point.start),
                    ends: (point.end, point.end),
                });
            }
        }
        node
    }

    /// Takes `record` out.
    pub(super) fn remove(&mut self, record: u32) {
        let place = self.places[record as usize] as usize;
        self.points[place].rank = NONE;
        let mut node = self.width + place / LEAF;
        self.nodes[node] = self.leaf(place / LEAF);
        while node > 1 {
            node /= 2;
            self.nodes[node] = self.nodes[2 * node].joined(self.nodes[2 * node + 1]);
        }
    }

    /// The best rank of the blocks in the set that start at `from` or later and end at `to`
    /// or earlier; [`NONE`] where there are none.
    pub(super) fn best(&self, from: u32, to: u32) -> u32 {
        let mut best = NONE;
        // Each level leaves at most one node behind, and there are at most 32 levels.
        let mut open = [1; 64];
        let mut count = 1;
        while count > 0 {
            count -= 1;
            let index = open[count];
            let node = &self.nodes[index];
            if node.rank >= best || node.starts.1 < from || node.ends.0 > to {
                continue;
            }
            if node.starts.0 >= from && node.ends.1 <= to {
                best = node.rank;
            } else if index >= self.width {
                let leaf = (index - self.width) * LEAF;
                for point in self.points.iter().skip(leaf).take(LEAF) {
                    if point.start >= from && point.end <= to {
                        best = best.min(point.rank);
                    }
                }
            } else {
                let (left, right) = (2 * index, 2 * index + 1);
                let swap = self.nodes[left].rank < self.nodes[right].rank;
                let (later, next) = if swap { (right, left) } else { (left, right) };
                open[count] = later;
                open[count + 1] = next;
                count += 2;
            }
        }
        best
    }
}
