//! What recomputing a value costs once others are recomputed as well: algorithm 2 of the paper.
//!
//! ```text
//! t1 → t2 → t3 → t4      t4 is recomputed from t3. If t3 is, too, that costs t3 twice: for
//!                        itself and for t4. If t2 is, t3 starts from t1 and costs t2 as well.
//! ```

use std::collections::{BTreeMap, BTreeSet};

use crate::training::Problem;

/// A value that may be recomputed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its size.
    pub bytes: u64,
    /// What it is recomputed from.
    pub sources: BTreeSet<usize>,
    /// What that costs.
    pub cost: u64,
    /// What it costs beside, for those that are recomputed from it.
    pub extra: u64,
}

/// The values that may be recomputed and those that are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recomputation {
    /// Those that may be.
    pub candidates: BTreeMap<usize, Source>,
    /// Those that are.
    pub chosen: BTreeMap<usize, Source>,
}

impl Source {
    /// What it costs in all.
    #[must_use]
    pub const fn all(&self) -> u64 {
        self.cost.saturating_add(self.extra)
    }

    /// Whether it saves more memory per second (MSPS) than another.
    fn saves_more(&self, than: &Self) -> bool {
        let product = |one: &Self, other: &Self| u128::from(one.bytes) * u128::from(other.all());
        product(self, than) > product(than, self)
    }
}

impl Recomputation {
    /// Each of these values, from the nearest that are there when it is needed, because some node
    /// reads them then or later. `needed` says when, by the node.
    #[must_use]
    pub fn new(problem: &Problem, needed: &BTreeMap<usize, usize>) -> Self {
        let last: Vec<Option<usize>> = problem
            .readers()
            .iter()
            .map(|it| it.last().copied())
            .collect();
        let source = |(&value, &before): (&usize, &usize)| {
            let mut own = Source {
                bytes: problem.nodes[value].bytes.0,
                sources: BTreeSet::new(),
                cost: 0,
                extra: 0,
            };
            let mut seen = BTreeSet::from([value]);
            let mut open = vec![value];
            while let Some(node) = open.pop() {
                own.cost = own.cost.saturating_add(problem.nodes[node].cost);
                for &read in &problem.nodes[node].reads {
                    let there = last[read].is_some_and(|last| last >= before);
                    if there {
                        own.sources.insert(read);
                    } else if seen.insert(read) {
                        open.push(read);
                    }
                }
            }
            (value, own)
        };
        Self {
            candidates: needed.iter().map(source).collect(),
            chosen: BTreeMap::new(),
        }
    }

    /// Of these candidates the one that saves most memory per second, of equal ones the first.
    #[must_use]
    pub fn best(&self, may: &dyn Fn(usize) -> bool) -> Option<(usize, &Source)> {
        let mut best: Option<(usize, &Source)> = None;
        for (&value, source) in self.candidates.iter().filter(|it| may(*it.0)) {
            if best.is_none_or(|(_, best)| source.saves_more(best)) {
                best = Some((value, source));
            }
        }
        best
    }

    /// A candidate is recomputed.
    pub fn choose(&mut self, value: usize) {
        let Some(own) = self.candidates.remove(&value) else {
            return;
        };
        let mut times = 1_u64;
        for other in self.chosen.values_mut() {
            if other.sources.remove(&value) {
                other.sources.extend(&own.sources);
                times += 1;
            }
        }
        self.chosen.insert(value, own.clone());
        let Self { candidates, chosen } = self;
        for (&candidate, other) in candidates {
            if other.sources.remove(&value) {
                other.sources.extend(&own.sources);
                other.cost = other.cost.saturating_add(own.cost);
                let from = chosen
                    .values()
                    .filter(|it| it.sources.contains(&candidate))
                    .count();
                other.extra = other.cost.saturating_mul(from as u64);
            }
            if own.sources.contains(&candidate) {
                other.extra = other.cost.saturating_mul(times);
            }
        }
    }

    /// A candidate is kept, or swapped: it is there when others are recomputed from it.
    pub fn keep(&mut self, value: usize) {
        self.candidates.remove(&value);
    }
}
