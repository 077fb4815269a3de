//! Runtimes that know addresses: what a call makes is placed piece by piece, and bytes are only
//! room where they touch.

use super::outcome::StorageAddress;
use super::{Act, Choice, Ended, Runtime};
use crate::training::dtr::evictor::Evictor;
use crate::training::dtr::heuristic::Score;
use crate::training::dtr::pieces::{Piece, Side};
use crate::units::{Bytes, Offset};

/// Of fixed point numbers, which count how often a storage was computed again.
const ONE: i128 = 1 << 32;

impl Runtime<'_> {
    /// Finds a place for all that a call makes and that is not there.
    pub(super) fn place(&mut self, call: usize) -> Result<(), Ended> {
        let log = self.log;
        for made in &log.calls[call].makes {
            let storage = self.tensors[made.tensor].storage;
            if made.alias.is_none() && made.bytes > 0 && !self.storages[storage].is_there {
                self.place_one(call, storage, made.bytes)?;
            }
        }
        Ok(())
    }

    fn place_one(&mut self, call: usize, storage: usize, bytes: u64) -> Result<(), Ended> {
        let side = self.side(call);
        let mut has_compacted = false;
        loop {
            let taken = self.pieces.as_mut();
            if let Some(from) = taken.and_then(|it| it.take(storage, bytes, side)) {
                self.places.push(StorageAddress {
                    act: self.acts.len(),
                    storage,
                    from: Offset(from),
                });
                return Ok(());
            }
            let chosen = match self.evictor {
                Evictor::Coop => self.window(bytes),
                _ => self.choose().map(|chosen| chosen..chosen + 1),
            };
            match chosen {
                Some(chosen) => {
                    let storages: Vec<usize> = self.looked_at.iter().map(|it| it.storage).collect();
                    for index in chosen {
                        self.tell(call, bytes, index)?;
                        self.acts.push(Act::Evict(storages[index]));
                        self.take_away(storages[index]);
                    }
                }
                None if self.evictor == Evictor::Megengine && !has_compacted => {
                    has_compacted = true;
                    self.compact();
                }
                None => return Err(Ended::OutOfMemory { call }),
            }
        }
    }

    /// Moves all together, which copies it.
    fn compact(&mut self) {
        for piece in self
            .pieces
            .as_mut()
            .map(|it| it.compact())
            .into_iter()
            .flatten()
        {
            self.moved += piece.size;
            self.places
                .extend(piece.storage.map(|storage| StorageAddress {
                    act: self.acts.len(),
                    storage,
                    from: Offset(piece.start),
                }));
        }
    }

    /// Where a call's results go: with Coop those of calls that cost less than the mean to the
    /// upper end, if there is one. `OneFlow` goes by lists of operators in place of their costs.
    fn side(&self, call: usize) -> Side {
        let calls = self.log.calls.len() as u128;
        let is_cheap = u128::from(self.log.calls[call].cost) * calls < self.all_costs;
        match self.evictor == Evictor::Coop && self.limits.budget.is_some() && is_cheap {
            true => Side::High,
            false => Side::Low,
        }
    }

    /// Whether what lies in a piece may be evicted.
    fn may_go(&self, piece: Piece) -> Option<usize> {
        let storage = piece.storage?;
        let ticket = self.storages[storage].ticket;
        (self.pool.get(&ticket) == Some(&storage)).then_some(storage)
    }

    /// What may be evicted, by address.
    pub(super) fn by_address(&self) -> Vec<usize> {
        let pieces = self.pieces.iter().flat_map(|it| it.normal());
        pieces.filter_map(|piece| self.may_go(piece)).collect()
    }

    /// The cheapest window of at least so many bytes without anything that has to stay, the lowest
    /// of several. It is what was looked at then.
    fn window(&mut self, bytes: u64) -> Option<std::ops::Range<usize>> {
        let bytes = self.pieces.as_ref()?.rounded(bytes);
        let pieces: Vec<Piece> = self.pieces.iter().flat_map(|it| it.normal()).collect();
        let scores: Vec<Option<Score>> = pieces
            .iter()
            .map(|piece| self.may_go(*piece).map(|storage| self.score(storage)))
            .collect();
        let price = |index: usize| scores[index].map_or(0.0, Score::value);
        let mut best: Option<(f64, std::ops::Range<usize>)> = None;
        let (mut from, mut size) = (0, 0);
        for (to, piece) in pieces.iter().enumerate() {
            if piece.storage.is_some() && scores[to].is_none() {
                (from, size) = (to + 1, 0);
                continue;
            }
            size += piece.size;
            while size - pieces[from].size >= bytes {
                size -= pieces[from].size;
                from += 1;
            }
            if size < bytes {
                continue;
            }
            // Summed anew: differences of sums would not be exact.
            let sum: f64 = (from..=to).map(price).sum();
            if best.as_ref().is_none_or(|(least, _)| sum < *least) {
                best = Some((sum, from..to + 1));
            }
        }
        let window = best?.1;
        self.looked_at.clear();
        for (piece, score) in pieces
            .iter()
            .zip(&scores)
            .take(window.end)
            .skip(window.start)
        {
            if let (Some(storage), Some(score)) = (piece.storage, *score) {
                self.looked_at.push(Choice { storage, score });
            }
        }
        Some(0..self.looked_at.len()).filter(|all| !all.is_empty())
    }

    /// The price of a storage where addresses count.
    pub(super) fn score_by_address(&self, storage: usize) -> Score {
        let own = &self.storages[storage];
        let near = self.near(storage);
        let cost = i128::from(own.cost) + near;
        let stale = u128::from(self.clock - own.read.unwrap_or_default());
        let room = u128::from(self.pieces.as_ref().map_or(0, |it| it.room(storage)));
        let (above, below) = match self.evictor {
            // (near + 0.001) × 1.0001^again / (room × (stale / 10⁸ + 0.001)), times a constant.
            Evictor::Megengine => {
                let above = (1000 * near + 1).saturating_mul(own.factor);
                (above, room * (stale + 100_000))
            }
            // What was read just now has no staleness; a price without bound has no sum.
            Evictor::Coop => (cost, stale.max(1)),
            _ => (cost, room * stale.max(1)),
        };
        Score { above, below }
    }

    /// The cost of the sets of what is gone of all that its calls read and make beside it.
    fn near(&self, storage: usize) -> i128 {
        let gone = self.evicted_around(storage).into_iter();
        let cost = |other: usize| {
            let own = &self.storages[other];
            let set = own.class.map(|it| self.classes.cost(self.classes.find(it)));
            set.unwrap_or_default().max(i128::from(own.cost))
        };
        gone.map(cost).sum()
    }

    /// A call runs again: `MegEngine`'s price of what it makes goes up by a ten thousandth.
    pub(super) fn dearer(&mut self, storage: usize) {
        let factor = &mut self.storages[storage].factor;
        *factor += *factor / 10_000;
        // 1.0001^110000, beyond which a price is only large.
        *factor = (*factor).min(ONE << 16);
    }

    /// What running a call costs as the runtime sees it: `MegEngine` takes the bytes that it reads
    /// and makes.
    pub(super) fn seen_cost(&self, call: usize) -> u64 {
        let own = &self.log.calls[call];
        if self.evictor != Evictor::Megengine {
            return own.cost;
        }
        let read = own.reads.iter().map(|read| self.tensors[*read].storage);
        let read = read.map(|storage| self.storages[storage].bytes);
        let made = own.makes.iter().map(|made| made.bytes);
        read.chain(made).fold(0, u64::saturating_add)
    }

    /// The program lets go of a storage for good, as `MegEngine` has it: what is computed from it
    /// may still need it, so that it is only dropped; when the last of that goes, so does it, even
    /// if it has been computed again meanwhile.
    pub(super) fn delete(&mut self, storage: usize) {
        self.storages[storage].is_deleted = true;
        let mut stack = vec![storage];
        while let Some(storage) = stack.pop() {
            if self.storages[storage].is_there {
                self.acts.push(Act::Free(storage));
                self.take_away(storage);
            }
            let own = &self.storages[storage];
            if !own.is_deleted || own.users > 0 || own.is_pinned {
                continue;
            }
            let log = self.log;
            for tensor in own.tensors.clone() {
                for &read in &log.calls[self.tensors[tensor].call].reads {
                    let input = self.tensors[read].storage;
                    if input == storage {
                        continue;
                    }
                    let own = &mut self.storages[input];
                    own.users = own.users.saturating_sub(1);
                    if own.users == 0 && own.is_deleted && !own.is_pinned {
                        stack.push(input);
                    }
                }
            }
        }
    }
}

/// What the price of a storage that has not been computed again is multiplied by.
pub(super) const fn once() -> i128 {
    ONE
}

/// The highest address that any of `places` reaches.
pub(super) fn top(places: &[StorageAddress], bytes: impl Fn(usize) -> Bytes) -> Option<Bytes> {
    let ends = places
        .iter()
        .map(|it| Bytes(it.from.0 + bytes(it.storage).0));
    ends.max()
}
