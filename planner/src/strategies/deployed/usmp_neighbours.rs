//! Which buffers stand in a buffer's way in TVM's hill climb: those that choose before it, and
//! those that choose before one of its conflicts. Source: TVM USMP, `hill_climb`.

use crate::sorting::Sorting as _;
use crate::strategies::records::Record;
use alloc::vec;
use alloc::vec::Vec;

/// The neighbours of one record at a time, both levels in the order in which records choose.
pub(super) struct Neighbours<'a> {
    records: &'a [Record],
    /// Steps at which records start and end, each once, in order.
    starts: Vec<u64>,
    ends: Vec<u64>,
    /// The conflicts that choose earlier.
    pub(super) first: Vec<usize>,
    /// For each of all conflicts its conflicts that choose before it.
    pub(super) second: Draws,
}

/// Records, some of them several times, to draw from.
#[derive(Default)]
pub(super) struct Draws {
    /// Each record once, with the number of draws up to and with it.
    upto: Vec<(usize, usize)>,
}

impl Draws {
    /// How many there are, repetitions included.
    pub(super) fn len(&self) -> usize {
        self.upto.last().map_or(0, |last| last.0)
    }

    /// Number `draw` of them, which is less than [`len`](Self::len).
    pub(super) fn get(&self, draw: usize) -> usize {
        let at = self.upto.partition_point(|&(upto, _)| upto <= draw);
        self.upto[at].1
    }
}

impl<'a> Neighbours<'a> {
    /// Of none of `records` yet.
    pub(super) fn new(records: &'a [Record]) -> Self {
        let distinct = |mut steps: Vec<u64>| {
            steps.order();
            steps.dedup();
            steps
        };
        Self {
            records,
            starts: distinct(records.iter().map(|record| record.start).collect()),
            ends: distinct(records.iter().map(|record| record.end).collect()),
            first: Vec::new(),
            second: Draws::default(),
        }
    }

    /// Those of `node`, when records choose in the order `turns` and each has its place in it.
    ///
    /// How often a record counts at the second level is not found pair by pair: going down
    /// the order, it conflicts with all conflicts of `node` seen so far but those that end
    /// before it starts or start after its end.
    pub(super) fn collect(&mut self, node: usize, turns: &[usize], places: &[usize]) {
        let conflicts =
            |one: &Record, other: &Record| one.start < other.end && other.start < one.end;
        let of_node =
            |&index: &usize| index != node && conflicts(&self.records[index], &self.records[node]);
        let earlier = turns[..places[node]].iter().copied();
        self.first = earlier.filter(of_node).collect();
        let mut started = Counts::new(self.starts.len());
        let mut ended = Counts::new(self.ends.len());
        let mut seen = 0;
        let mut upto = Vec::new();
        for &index in turns.iter().rev() {
            let Record { start, end, .. } = self.records[index];
            let before = ended.below(self.ends.partition_point(|&known| known <= start));
            let after = seen - started.below(self.starts.partition_point(|&known| known < end));
            let count = seen - before - after;
            if count > 0 {
                upto.push((count, index));
            }
            if of_node(&index) {
                seen += 1;
                started.add(self.starts.partition_point(|&known| known < start));
                ended.add(self.ends.partition_point(|&known| known < end));
            }
        }
        upto.reverse();
        let mut sum = 0;
        for entry in &mut upto {
            sum += entry.0;
            entry.0 = sum;
        }
        self.second = Draws { upto };
    }
}

/// Counts at places, and their sums (a Fenwick tree).
struct Counts(Vec<usize>);

impl Counts {
    fn new(len: usize) -> Self {
        Self(vec![0; len + 1])
    }

    fn add(&mut self, place: usize) {
        let mut node = place + 1;
        while node < self.0.len() {
            self.0[node] += 1;
            node += node & node.wrapping_neg();
        }
    }

    /// The sum of the counts at the places below `place`.
    fn below(&self, place: usize) -> usize {
        let (mut node, mut sum) = (place, 0);
        while node > 0 {
            sum += self.0[node];
            node &= node - 1;
        }
        sum
    }
}
