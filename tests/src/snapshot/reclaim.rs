//! What the generator's allocator gives back to its device, and when.

use super::allocator::{Allocator, Owner, Piece, State};

impl Allocator {
    /// The program has what is wholly free given back to the device.
    pub fn empty_cache(&mut self, stack: usize) {
        self.books.emptied.push(self.books.entries.len());
        self.empty(stack);
    }

    /// Gives what is wholly free back to the device, but for private pools, which live on.
    pub(super) fn empty(&mut self, stack: usize) {
        let free: Vec<u64> = self.pieces.keys().copied().collect();
        for address in free {
            let Some(&piece) = self.pieces.get(&address) else {
                continue;
            };
            let owner = self.owners[piece.segment];
            if piece.state != State::Free || owner.pool != (0, 0) {
                continue;
            }
            if self.settings.expandable {
                self.unmap(address, piece, owner, stack);
            } else if self.is_alone(address, piece) {
                self.release(address, stack);
            }
        }
    }

    /// Gives the piece at `address`, which is a whole segment, back to the device.
    fn release(&mut self, address: u64, stack: usize) {
        let piece = self.pieces.remove(&address).expect("a piece starts there");
        let stream = self.owners[piece.segment].stream;
        self.now.reserved -= piece.size;
        self.device.vacant.insert(address, piece.size);
        self.write("segment_free", (address, piece.size), stream, stack);
    }

    /// The free pieces that are whole segments: address and piece.
    fn whole(&self) -> Vec<(u64, Piece)> {
        let pieces = self
            .pieces
            .iter()
            .map(|(&address, &piece)| (address, piece));
        let free = pieces.filter(|(_, piece)| piece.state == State::Free);
        free.filter(|&(address, piece)| self.is_alone(address, piece))
            .collect()
    }

    /// Above the threshold, gives blocks back that are as old as all are on average, again and
    /// again until enough is back.
    pub(super) fn collect(&mut self, stack: usize) {
        let share = self.settings.collect_above;
        let limit = self.settings.capacity * share / 1000;
        if share == 0 || self.settings.expandable || self.now.reserved <= limit {
            return;
        }
        let mut excess = (self.now.reserved - limit).cast_signed();
        let asked = self.asked.get(&((0, 0), false)).copied().unwrap_or(0);
        while excess > 0 {
            let mut old = self.whole();
            old.retain(|(_, piece)| {
                let owner = self.owners[piece.segment];
                !owner.small && owner.pool == (0, 0)
            });
            if old.is_empty() {
                return;
            }
            let ages = old.iter().map(|(address, _)| asked - self.since[address]);
            let mean = ages.clone().sum::<u64>() as f64 / old.len() as f64;
            let ages: Vec<u64> = ages.collect();
            for (&(address, piece), age) in old.iter().zip(ages) {
                if age as f64 >= mean {
                    excess -= piece.size.cast_signed();
                    self.release(address, stack);
                }
            }
        }
    }

    /// Gives oversize blocks back for a request that the device has no room for: the smallest
    /// that is large enough, or the largest ones until they are enough together.
    pub(super) fn release_oversize(&mut self, owner: Owner, size: u64, stack: usize) -> bool {
        let Some(most) = self
            .settings
            .max_split
            .filter(|_| !self.settings.expandable)
        else {
            return false;
        };
        let wanted = size.max(most);
        let mut oversize = self.whole();
        oversize.retain(|(_, piece)| self.owners[piece.segment] == owner && piece.size >= most);
        oversize.sort_by_key(|&(address, piece)| (piece.size, address));
        if let Some(&(address, _)) = oversize.iter().find(|(_, piece)| piece.size >= wanted) {
            self.release(address, stack);
            return true;
        }
        let mut back = 0;
        while back < wanted
            && let Some((address, piece)) = oversize.pop()
        {
            back += piece.size;
            self.release(address, stack);
        }
        back >= wanted
    }

    fn is_alone(&self, address: u64, piece: Piece) -> bool {
        let below = self.pieces.range(..address).next_back();
        let above = self.pieces.get(&(address + piece.size));
        let ours = |other: Option<&Piece>| other.is_some_and(|it| it.segment == piece.segment);
        !ours(below.map(|it| it.1)) && !ours(above)
    }

    /// Unmaps the whole pages of a free piece.
    fn unmap(&mut self, address: u64, piece: Piece, owner: Owner, stack: usize) {
        let page = Self::page(owner);
        let region = self.region(piece.segment);
        let from = region + (address - region).div_ceil(page) * page;
        let to = region + (address + piece.size - region) / page * page;
        if from >= to {
            return;
        }
        let whole = Piece {
            size: to - from,
            segment: piece.segment,
            state: State::Unmapped,
        };
        let end = address + piece.size;
        if from > address {
            self.piece(address).size = from - address;
        }
        self.pieces.insert(from, whole);
        if to < end {
            let state = State::Free;
            let rest = Piece {
                size: end - to,
                segment: piece.segment,
                state,
            };
            self.pieces.insert(to, rest);
        }
        self.join(from);
        self.now.reserved -= to - from;
        self.write("segment_unmap", (from, to - from), owner.stream, stack);
    }

    /// First address of an expandable segment.
    fn region(&self, segment: usize) -> u64 {
        let mut pieces = self.pieces.iter();
        let first = pieces.find(|(_, piece)| piece.segment == segment);
        *first.expect("a segment has pieces").0
    }
}
