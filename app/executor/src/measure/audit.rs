//! The audited run: what its counters say.

use std::collections::BTreeSet;

use planner::units::{Bytes, Offset, Step};

use super::report::{Audit, Finding};
use super::watch::Watch;
use crate::recording::{Recording, WORD};

/// What an audited run's counters say; `differing` and `time` are left to the caller.
pub(super) fn read(recording: &Recording, watch: &Watch, results: &[u32]) -> Audit {
    let counters = Counters(results);
    let touched = watch.diffs.iter().map(|&slot| counters.get(slot + 4)).max();
    let mut findings = Vec::new();
    let clobbered = clobbered(recording, watch, &counters);
    // The first counters are of what comes before the first step.
    for (index, &slot) in watch.diffs.iter().skip(1).enumerate() {
        let step = Step(index as u64);
        let outside = u64::from(counters.get(slot));
        if outside > 0 {
            let at = address(!counters.get(slot + 1));
            let words = outside;
            findings.push(Finding::Outside { step, at, words });
        }
        let unwritten = u64::from(counters.get(slot + 2));
        if unwritten > 0 {
            let at = address(!counters.get(slot + 3));
            let words = unwritten;
            findings.push(Finding::Unwritten { step, at, words });
        }
        let here = clobbered
            .iter()
            .filter(|found| culprit(found) == Some(step));
        findings.extend(here.cloned());
    }
    Audit {
        touched: Bytes(u64::from(touched.unwrap_or_default()) * WORD),
        findings,
        ..Audit::default()
    }
}

/// Places that need a second look: their hash changed, or something was written outside, and
/// nobody has been seen to write them.
pub(super) fn suspects(recording: &Recording, watch: &Watch, results: &[u32]) -> BTreeSet<usize> {
    let counters = Counters(results);
    let outside = watch
        .diffs
        .iter()
        .skip(1)
        .any(|&slot| counters.get(slot) > 0);
    let seen: BTreeSet<usize> = clobbered(recording, watch, &counters)
        .iter()
        .filter_map(victim)
        .collect();
    let changed = watch.hashed.iter().filter(|hashed| {
        let sums = |slot: u32| [counters.get(slot), counters.get(slot + 1)];
        hashed
            .last
            .is_some_and(|last| sums(hashed.first) != sums(last))
    });
    let changed = changed.map(|hashed| hashed.place);
    let unseen = changed.filter(|&place| !seen.contains(&recording.places[place].buffer));
    if outside {
        return watch.hashed.iter().map(|hashed| hashed.place).collect();
    }
    unseen.collect()
}

fn clobbered(recording: &Recording, watch: &Watch, counters: &Counters<'_>) -> Vec<Finding> {
    let looks = watch.looks.iter().filter_map(|look| {
        let words = u64::from(counters.get(look.slot));
        (words > 0).then(|| Finding::Clobbered {
            victim: recording.places[look.place].buffer,
            culprit: Step(look.step as u64),
            at: address(!counters.get(look.slot + 1)),
            words,
        })
    });
    let shared = watch.shared.iter().map(|shared| Finding::Clobbered {
        victim: recording.places[shared.place].buffer,
        culprit: Step(shared.step as u64),
        at: address(shared.word),
        words: u64::from(shared.words),
    });
    looks.chain(shared).collect()
}

fn culprit(finding: &Finding) -> Option<Step> {
    match finding {
        Finding::Clobbered { culprit, .. } => Some(*culprit),
        Finding::Outside { .. } | Finding::Unwritten { .. } => None,
    }
}

fn victim(finding: &Finding) -> Option<usize> {
    match finding {
        Finding::Clobbered { victim, .. } => Some(*victim),
        Finding::Outside { .. } | Finding::Unwritten { .. } => None,
    }
}

fn address(word: u32) -> Offset {
    Offset(u64::from(word) * WORD)
}

struct Counters<'a>(&'a [u32]);

impl Counters<'_> {
    fn get(&self, slot: u32) -> u32 {
        self.0.get(slot as usize).copied().unwrap_or_default()
    }
}
