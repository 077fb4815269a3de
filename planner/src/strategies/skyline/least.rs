//! Keys that change a few at a time, and the smallest of them.
//!
//! A few hundred keys are looked at one by one. More of them lie in chunks, each with the
//! smallest of its own: a change costs its chunk at most, and the smallest of all is looked
//! for among the chunks.

use alloc::vec;
use alloc::vec::Vec;

/// Up to so many keys are looked at one by one.
const FEW: usize = 512;

/// Keys per chunk.
const CHUNK: usize = 64;

/// Keys, and the smallest of each chunk where there are many.
pub(super) struct Least {
    keys: Vec<u64>,
    chunks: Vec<u64>,
    /// Looks at keys and chunks so far.
    pub(super) work: u64,
}

impl Least {
    /// So many keys, all 0.
    pub(super) fn new(count: usize) -> Self {
        let chunks = if count > FEW {
            count.div_ceil(CHUNK)
        } else {
            0
        };
        Self {
            keys: vec![0; count],
            chunks: vec![0; chunks],
            work: 0,
        }
    }

    /// How many looks it takes to find the smallest of so many.
    pub(super) fn looks(count: usize) -> u64 {
        let looked = if count > FEW {
            count.div_ceil(CHUNK)
        } else {
            count
        };
        looked as u64
    }

    /// The keys, to be written. [`Self::refresh_all`] comes next.
    pub(super) fn all(&mut self) -> &mut [u64] {
        &mut self.keys
    }

    /// Looks at every key: they were written.
    pub(super) fn refresh_all(&mut self) {
        for (least, keys) in self.chunks.iter_mut().zip(self.keys.chunks(CHUNK)) {
            *least = smallest(keys);
        }
    }

    /// The key of `index`.
    pub(super) fn key(&self, index: usize) -> u64 {
        self.keys[index]
    }

    /// Gives `index` the key `key`.
    pub(super) fn set(&mut self, index: usize, key: u64) {
        let before = core::mem::replace(&mut self.keys[index], key);
        let chunk = index / CHUNK;
        let Some(least) = self.chunks.get_mut(chunk) else {
            return;
        };
        if key < *least {
            *least = key;
        } else {
            let stale = before == *least;
            self.refresh(chunk, stale);
        }
    }

    /// Raises the keys of `others`, by ascending index, to what `key` says where that is more.
    pub(super) fn raise(&mut self, others: &[u32], key: impl Fn(u32) -> u64) {
        self.work += others.len() as u64;
        if self.chunks.is_empty() {
            for &other in others {
                let known = &mut self.keys[other as usize];
                *known = (*known).max(key(other));
            }
            return;
        }
        // The chunk that is written, and whether its smallest key was raised.
        let (mut chunk, mut stale) = (0, false);
        for &other in others {
            let index = other as usize;
            if index / CHUNK != chunk {
                self.refresh(chunk, stale);
                (chunk, stale) = (index / CHUNK, false);
            }
            let known = &mut self.keys[index];
            let raised = (*known).max(key(other));
            stale |= *known == self.chunks[chunk] && raised > *known;
            *known = raised;
        }
        self.refresh(chunk, stale);
    }

    /// Looks for the smallest of `chunk` again if what was known of it is stale.
    fn refresh(&mut self, chunk: usize, stale: bool) {
        if stale {
            let first = chunk * CHUNK;
            let end = (first + CHUNK).min(self.keys.len());
            self.chunks[chunk] = smallest(&self.keys[first..end]);
            self.work += CHUNK as u64;
        }
    }

    /// The smallest key.
    pub(super) fn smallest(&mut self) -> u64 {
        let looked = match self.chunks.is_empty() {
            true => &self.keys,
            false => &self.chunks,
        };
        self.work += looked.len() as u64;
        smallest(looked)
    }
}

/// The smallest of some keys.
fn smallest(keys: &[u64]) -> u64 {
    // Four at a time, which need not wait for each other.
    let mut least = [u64::MAX; 4];
    let (fours, rest) = keys.as_chunks::<4>();
    for four in fours {
        for (least, &key) in least.iter_mut().zip(four) {
            *least = (*least).min(key);
        }
    }
    let fours = least[0].min(least[1]).min(least[2].min(least[3]));
    rest.iter().fold(fours, |least, &key| least.min(key))
}
