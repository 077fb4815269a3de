//! Room for what a call makes: what could be evicted, at which price, and which of it is.

use super::{Act, Ended, Runtime};
use crate::training::dtr::decisions::Candidate;
use crate::training::dtr::evictor::Evictor;
use crate::training::dtr::heuristic::{Heuristic, Score};
use crate::units::Bytes;

/// A storage that could be evicted, and its price.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The storage.
    pub storage: usize,
    /// Its price.
    pub score: Score,
}

/// What is told of an eviction.
pub struct Eviction<'a> {
    /// The call that wants room.
    pub call: usize,
    /// The bytes that it wants.
    pub wants: Bytes,
    /// What was looked at, in this order.
    pub pool: &'a [Choice],
    /// Which of them is evicted.
    pub chosen: usize,
    /// What has been done before.
    pub acts: &'a [Act],
    /// What the storages in memory take.
    pub live: Bytes,
    /// How many could be evicted that were not looked at.
    pub skipped: usize,
    about: &'a dyn Fn(Choice) -> Candidate,
}

impl Eviction<'_> {
    /// All that counted in the price of the one at `index` of the pool; `None` where there is
    /// no such.
    #[must_use]
    pub fn candidate(&self, index: usize) -> Option<Candidate> {
        self.pool.get(index).map(|choice| (self.about)(*choice))
    }
}

impl Runtime<'_> {
    /// Evicts until so many bytes are free.
    pub(super) fn make_room(&mut self, call: usize, bytes: u64) -> Result<(), Ended> {
        let Some(budget) = self.limits.budget else {
            return Ok(());
        };
        while self.live + bytes > budget.0 {
            let Some(chosen) = self.choose() else {
                return Err(Ended::OutOfMemory { call });
            };
            self.tell(call, bytes, chosen)?;
            let storage = self.looked_at[chosen].storage;
            self.acts.push(Act::Evict(storage));
            self.take_away(storage);
        }
        Ok(())
    }

    /// Tells the observer, if there is one.
    pub(super) fn tell(&mut self, call: usize, bytes: u64, chosen: usize) -> Result<(), Ended> {
        let Some(observer) = self.observer.take() else {
            return Ok(());
        };
        let go_on = observer(&Eviction {
            call,
            wants: Bytes(bytes),
            pool: &self.looked_at,
            chosen,
            acts: &self.acts,
            live: Bytes(self.live),
            skipped: self.pool.len().saturating_sub(self.looked_at.len()),
            about: &|choice| self.candidate(choice),
        });
        self.observer = Some(observer);
        match go_on {
            true => Ok(()),
            false => Err(Ended::Stopped),
        }
    }

    /// Finds the prices of what is looked at, and which is the least: of equal ones the last, and
    /// what costs nothing at once, as the prototype has it. By address it is the first of all.
    pub(super) fn choose(&mut self) -> Option<usize> {
        let mut looked_at = std::mem::take(&mut self.looked_at);
        looked_at.clear();
        let offered = self.sampled();
        let (by_chance, by_address) = (
            self.evictor == Evictor::Bytes(Heuristic::Random),
            self.pieces.is_some(),
        );
        let mut least: Option<(Score, usize)> = None;
        for &storage in &offered {
            let score = match by_chance {
                true => Score { above: 1, below: 1 },
                false => self.score(storage),
            };
            let less = |(least, _): (Score, usize)| match by_address {
                true => score.order(least).is_lt(),
                false => score.order(least).is_le(),
            };
            if least.is_none_or(less) {
                least = Some((score, looked_at.len()));
            }
            looked_at.push(Choice { storage, score });
            if score.is_zero() && !by_address {
                break;
            }
        }
        if by_chance && least.is_some() {
            least = Some((Score::MOST, self.random.index(offered.len())));
        }
        self.looked_at = looked_at;
        least.map(|(_, chosen)| chosen)
    }

    /// What is looked at of the pool, in its order.
    fn sampled(&mut self) -> Vec<usize> {
        let offered: Vec<usize> = match self.pieces {
            Some(_) => self.by_address(),
            None => self.pool.values().copied().collect(),
        };
        if !self.limits.sample {
            return offered;
        }
        let most = offered.len().isqrt().max(1);
        let mut sampled = Vec::new();
        let mut at = 0;
        while let Some(storage) = offered.get(at) {
            sampled.push(*storage);
            at += 1 + self.random.index(most);
        }
        sampled
    }

    /// Whether a storage that has just been made for the first time is too small to be evicted:
    /// less than a hundredth of the mean of all so far.
    pub(super) fn is_small(&mut self, bytes: u64) -> bool {
        self.made += 1;
        self.made_bytes += u128::from(bytes);
        self.limits.skip_small && u128::from(bytes) * 100 * self.made < self.made_bytes
    }
}
