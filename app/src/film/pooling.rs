//! Pools in a sentence: which is planned, which buffer goes elsewhere and why.

use planner::trace::{Pooling, Sent};
use planner::{Bytes, Offset};

use super::narrator::{Narrator, address, apart};
use crate::format::{bytes, grouped};
use crate::strings::FilmWord as W;

impl Narrator<'_> {
    /// One step of filling pools.
    pub(super) fn pooling(&self, step: Pooling) -> String {
        let name = |pool: usize| self.pool_name(pool).unwrap_or_default().to_owned();
        match step {
            Pooling::Planned {
                pool,
                base,
                buffers,
                again: 0,
            } => {
                let (from, count) = (address(base), grouped(buffers as u64));
                match self.capacity(pool) {
                    Some(capacity) => self.fill(
                        W::PoolLimited,
                        &[&name(pool), &bytes(capacity), &from, &count],
                    ),
                    None => self.fill(W::PoolUnlimited, &[&name(pool), &from, &count]),
                }
            }
            Pooling::Planned {
                pool,
                buffers,
                again,
                ..
            } => {
                let counts = [again, buffers].map(|count| grouped(count as u64));
                self.fill(W::PoolAgain, &[&name(pool), &counts[0], &counts[1]])
            }
            Pooling::Sent {
                buffer,
                from,
                to,
                why,
            } => self.sent(buffer, (from, &name(from), &name(to)), why),
            Pooling::Kept { pool, arena, other } => {
                let [arena, other] = apart([arena.0, other.0]);
                self.fill(W::PoolKept, &[&name(pool), &arena, &other])
            }
            Pooling::Based { pool, from, to } => {
                let word = if to > from { W::PoolUp } else { W::PoolDown };
                let [to, from] = apart([to.0, from.0]);
                self.fill(word, &[&name(pool), &to, &from])
            }
        }
    }

    fn capacity(&self, pool: usize) -> Option<u64> {
        let pool = self.still.recording.trace.pools.get(pool)?;
        pool.capacity.map(|capacity| capacity.0)
    }

    /// Why a buffer goes to another pool.
    fn sent(&self, buffer: usize, (pool, from, to): (usize, &str, &str), why: Sent) -> String {
        let capacity = self.capacity(pool).unwrap_or(u64::MAX);
        let has = bytes(capacity);
        let clause = match why {
            Sent::TooLarge => self.fill(W::SentTooLarge, &[to, from, &has]),
            Sent::Above { end } => {
                let start = end.0.saturating_sub(self.bytes(buffer).0);
                let at = self.fill(W::InPool, &[&address(Offset(start)), from]);
                match capacity.checked_sub(start).filter(|left| *left > 0) {
                    Some(left) => self.fill(W::SentAbove, &[to, &at, &bytes(left), &has]),
                    None => self.fill(W::SentBeyond, &[to, &at, &has]),
                }
            }
            Sent::InPlaceOf { by, end } => {
                let [end, has] = apart([end.0, capacity]);
                self.fill(W::SentInPlaceOf, &[to, from, &self.name(by), &end, &has])
            }
        };
        self.about(buffer, &[clause])
    }

    /// What each pool holds in the end; nothing where there is only one.
    pub(super) fn pools_hold(&self) -> String {
        let layout = &self.still.layout;
        let pools = &self.still.recording.trace.pools;
        let mut ends = vec![0_u64; pools.len()];
        let placed = self.lifetimes.buffers.iter().zip(&layout.offsets);
        for (index, (buffer, offset)) in placed.enumerate() {
            let pool = layout.pool(index);
            let end = offset.and_then(|offset| offset.end(buffer.size));
            if let (Some(end), Some(known)) = (end, ends.get_mut(pool)) {
                *known = (*known).max(end.0.saturating_sub(layout.base(pool).0));
            }
        }
        let holds = pools
            .iter()
            .zip(ends)
            .map(|(pool, end)| match pool.capacity {
                Some(Bytes(capacity)) => {
                    self.fill(W::PoolHoldsOf, &[&pool.name, &bytes(end), &bytes(capacity)])
                }
                None => self.fill(W::PoolHolds, &[&pool.name, &bytes(end)]),
            });
        let holds: Vec<String> = holds.collect();
        match holds.is_empty() {
            true => String::new(),
            false => holds.join(self.str(W::PoolsNext)) + self.str(W::PoolsEnd),
        }
    }
}
