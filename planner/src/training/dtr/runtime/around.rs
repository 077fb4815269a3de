//! What is evicted around each storage, kept up to date, and the prices that follow from it.

use std::collections::BTreeSet;

use super::{Choice, Runtime};
use crate::training::dtr::decisions::Candidate;
use crate::training::dtr::evictor::Evictor;
use crate::training::dtr::heuristic::{Heuristic, Score};
use crate::training::dtr::regions::{Region, Way};
use crate::units::Bytes;

impl Runtime<'_> {
    pub(super) fn score(&mut self, storage: usize) -> Score {
        let Evictor::Bytes(heuristic) = self.evictor else {
            return self.score_by_address(storage);
        };
        let around = match heuristic.asks_classes() {
            true => self.classes_around(storage),
            false => 0,
        };
        let own = &self.storages[storage];
        let cost = i128::from(own.cost);
        let [down, up] = [Way::Down, Way::Up].map(|way| own.regions[way as usize].cost as i128);
        let stale = u128::from(self.clock - own.read.unwrap_or_default());
        let size = u128::from(own.bytes);
        let (above, below) = match heuristic {
            Heuristic::Dtr => (cost + down + up, size * stale),
            Heuristic::DtrEq => (cost + around, size * stale),
            Heuristic::DtrLocal => (cost, size * stale),
            Heuristic::Msps => (cost + up, size),
            Heuristic::NotStale => (cost + down + up, size),
            Heuristic::Lru => (i128::from(own.read.unwrap_or_default()), 1),
            Heuristic::Size | Heuristic::Random => (1, size),
        };
        Score { above, below }
    }

    /// All that counts in the price of a storage.
    pub(super) fn candidate(&self, choice: Choice) -> Candidate {
        let storage = choice.storage;
        let own = &self.storages[storage];
        let [down, up] = [Way::Down, Way::Up].map(|way| &own.regions[way as usize]);
        let connected = match self.evictor.asks_classes() {
            true => self.connected(storage),
            false => Vec::new(),
        };
        let (descendants, ancestors) = match self.evictor {
            Evictor::Bytes(Heuristic::Dtr | Heuristic::NotStale) => (Some(down), Some(up)),
            Evictor::Bytes(Heuristic::Msps) => (None, Some(up)),
            _ => (None, None),
        };
        let listed = |region: Option<&Region>| -> Vec<usize> {
            let mut inside = region.map_or_else(Vec::new, |it| it.inside.clone());
            inside.sort_unstable();
            inside
        };
        let score = choice.score;
        Candidate {
            storage,
            name: self.log.tensors[own.tensors[0]].clone(),
            bytes: Bytes(own.bytes),
            cost: own.cost,
            stale: self.clock - own.read.unwrap_or_default(),
            score: (score.below > 0).then(|| score.value()),
            ancestors: listed(ancestors),
            descendants: listed(descendants),
            connected,
        }
    }

    /// The evicted storages of the sets that touch a storage.
    fn connected(&self, storage: usize) -> Vec<usize> {
        let root = |other: usize| self.storages[other].class.map(|it| self.classes.find(it));
        let around = self.evicted_around(storage);
        let touching: BTreeSet<usize> = around.into_iter().filter_map(root).collect();
        let others = 0..self.storages.len();
        let inside = |other: &usize| root(*other).is_some_and(|it| touching.contains(&it));
        others.filter(inside).collect()
    }

    /// The cost of the sets that touch a storage, each once. It is asked for every storage that could
    /// be evicted, at every eviction: so it allocates nothing.
    fn classes_around(&mut self, storage: usize) -> i128 {
        let mut roots = std::mem::take(&mut self.roots);
        roots.clear();
        let [down, up] = &self.storages[storage].next;
        let away = |other: &&usize| **other != storage && !self.storages[**other].is_there;
        let around = down.iter().chain(up).filter(away);
        roots.extend(around.filter_map(|it| self.storages[*it].class));
        for class in &mut roots {
            *class = self.classes.root(*class);
        }
        roots.sort_unstable();
        roots.dedup();
        let cost = roots.iter().map(|root| self.classes.cost(*root)).sum();
        self.roots = roots;
        cost
    }

    /// What is not there of what a storage was made from, and of what was made from it; for those
    /// that know addresses, of what was made with it.
    pub(super) fn evicted_around(&self, storage: usize) -> Vec<usize> {
        let [down, up] = &self.storages[storage].next;
        let mut around = up.clone();
        match self.evictor {
            Evictor::Bytes(_) => around.extend(down),
            _ => around.extend(self.made_with(storage)),
        }
        around.retain(|other| *other != storage && !self.storages[*other].is_there);
        around.sort_unstable();
        around.dedup();
        around
    }

    /// Notes that one storage is made from another.
    pub(super) fn is_made_from(&mut self, storage: usize, from: usize) {
        let mut add = |of: usize, way: Way, other: usize| {
            let next = &mut self.storages[of].next[way as usize];
            // A call that reads a tensor twice says it twice at once. Other repetitions do no harm: whoever
            // reads the list drops them.
            if next.last() != Some(&other) {
                next.push(other);
            }
        };
        add(from, Way::Down, storage);
        add(storage, Way::Up, from);
    }

    /// What the calls of a storage make.
    fn made_with(&self, storage: usize) -> impl Iterator<Item = usize> {
        let calls = self.storages[storage].tensors.iter();
        let calls = calls.map(|tensor| &self.log.calls[self.tensors[*tensor].call]);
        let made = calls.flat_map(|call| &call.makes);
        made.map(|made| self.tensors[made.tensor].storage)
    }

    /// What is known of the evicted around a storage that was taken away.
    pub(super) fn is_away(&mut self, storage: usize) {
        if self.evictor.asks_regions() {
            let regions = std::mem::take(&mut self.storages[storage].regions);
            for way in Way::BOTH {
                let own = &regions[way as usize];
                for &other in &regions[way.back() as usize].border {
                    let mut region =
                        std::mem::take(&mut self.storages[other].regions[way as usize]);
                    let met = (&mut self.met, self.storages.len());
                    region.absorb(storage, own, met, |it| self.storages[it].cost);
                    self.storages[other].regions[way as usize] = region;
                }
            }
        }
        if self.evictor.asks_classes() {
            let cost = i128::from(self.storages[storage].cost);
            let class = self.classes.add(cost);
            self.storages[storage].class = Some(class);
            for other in self.evicted_around(storage) {
                if let Some(other) = self.storages[other].class {
                    self.classes.merge(other, class);
                }
            }
        }
    }

    /// What is known of the evicted around storages that have come.
    pub(super) fn is_there_again(&mut self, came: &[usize]) {
        if self.evictor.asks_regions() {
            let mut touched = [const { Vec::new() }; 2];
            for &storage in came {
                for way in Way::BOTH {
                    self.find_region(storage, way);
                    let border = &self.storages[storage].regions[way as usize].border;
                    touched[way.back() as usize].extend(border.iter().copied());
                }
            }
            for way in Way::BOTH {
                let storages = &mut touched[way as usize];
                storages.sort_unstable();
                storages.dedup();
                for &storage in &*storages {
                    self.find_region(storage, way);
                }
            }
        }
        for &storage in came {
            let cost = i128::from(self.storages[storage].cost);
            if let Some(class) = self.storages[storage].class.take() {
                self.classes.leave(class, cost);
            }
        }
    }

    /// Finds what is reached from a storage.
    fn find_region(&mut self, base: usize, way: Way) {
        let mut region = std::mem::take(&mut self.storages[base].regions[way as usize]);
        let mut met = std::mem::take(&mut self.met);
        region.clear();
        met.begin(self.storages.len());
        let mut stack = vec![base];
        while let Some(storage) = stack.pop() {
            for &next in &self.storages[storage].next[way as usize] {
                if !met.meet(next) {
                    continue;
                }
                if !self.storages[next].is_there {
                    region.inside.push(next);
                    region.cost += u128::from(self.storages[next].cost);
                    stack.push(next);
                } else if next != base {
                    region.border.push(next);
                }
            }
        }
        self.met = met;
        self.storages[base].regions[way as usize] = region;
    }
}
