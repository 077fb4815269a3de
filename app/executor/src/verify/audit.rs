//! The audited run: what its counters say.

use std::collections::BTreeSet;

use planner::{Bytes, Offset, Step};

use super::report::{Audit, Finding};
use super::watch::Watch;
use crate::recording::{Recording, WORD};

/// What an audited run's counters say; `differing` and `time` are left to the caller.
pub(super) fn read(recording: &Recording, watch: &Watch, results: &[u32]) -> Audit {
    let counters = Counters(results);
    let diffs = watch.diffs.iter();
    let touched = diffs.map(|&slot| counters.get(slot + 4)).max();
    let mut findings = Vec::new();
    let mut clobbered = clobbered(recording, watch, &counters);
    clobbered.extend(unexplained(recording, watch, &counters, &clobbered));
    clobbered.sort_by_key(first_address);
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
            .filter(|found| overwriter(found) == Some(step));
        findings.extend(here.cloned());
    }
    Audit {
        touched: Bytes(u64::from(touched.unwrap_or_default()) * WORD),
        findings,
        ..Audit::default()
    }
}

/// Whether a first look has found nothing.
pub(super) fn clean(recording: &Recording, watch: &Watch, results: &[u32]) -> bool {
    let loose = watch.loose.map(|slot| Counters(results).get(slot));
    loose == Some(0) && read(recording, watch, results).findings.is_empty()
}

/// Places that need a closer look: their hash changed, or something was written outside, and
/// no write to them was seen.
pub(super) fn suspects(recording: &Recording, watch: &Watch, results: &[u32]) -> BTreeSet<usize> {
    let counters = Counters(results);
    let mut diffs = watch.diffs.iter().skip(1);
    if diffs.any(|&slot| counters.get(slot) > 0) {
        return watch.hashed.iter().map(|hashed| hashed.place).collect();
    }
    let clobbered = clobbered(recording, watch, &counters);
    changed(recording, watch, &counters, &clobbered).collect()
}

/// Places whose hash changed though nothing in `clobbered` wrote there.
fn changed<'a>(
    recording: &'a Recording,
    watch: &'a Watch,
    counters: &'a Counters<'_>,
    clobbered: &[Finding],
) -> impl Iterator<Item = usize> + use<'a> {
    let seen: BTreeSet<usize> = clobbered.iter().filter_map(victim).collect();
    let changed = watch.hashed.iter().filter(|hashed| {
        let sums = |slot: u32| [counters.get(slot), counters.get(slot + 1)];
        let last = hashed.last;
        last.is_some_and(|last| sums(hashed.first) != sums(last))
    });
    let places = changed.map(|hashed| hashed.place);
    places.filter(move |&place| !seen.contains(&recording.places[place].buffer))
}

/// Tensors that changed though no write to them was seen, even in a second look: their
/// last user is named, with no words.
fn unexplained(
    recording: &Recording,
    watch: &Watch,
    counters: &Counters<'_>,
    clobbered: &[Finding],
) -> Vec<Finding> {
    let changed = changed(recording, watch, counters, clobbered);
    let places = changed.map(|place| &recording.places[place]);
    let end = recording.steps.len().saturating_sub(1) as u64;
    let findings = places.map(|place| Finding::Clobbered {
        victim: place.buffer,
        overwriter: Step(u64::from(place.last).min(end)),
        at: address(place.region.word),
        words: 0,
    });
    findings.collect()
}

fn clobbered(recording: &Recording, watch: &Watch, counters: &Counters<'_>) -> Vec<Finding> {
    let looks = watch.looks.iter().filter_map(|look| {
        let words = u64::from(counters.get(look.slot));
        (words > 0).then(|| Finding::Clobbered {
            victim: recording.places[look.place].buffer,
            overwriter: Step(look.step as u64),
            at: address(!counters.get(look.slot + 1)),
            words,
        })
    });
    let clashes = watch.clashes.iter().map(|clash| Finding::Clobbered {
        victim: recording.places[clash.place].buffer,
        overwriter: Step(clash.step as u64),
        at: address(clash.word),
        words: u64::from(clash.words),
    });
    clashes.chain(looks).collect()
}

fn overwriter(finding: &Finding) -> Option<Step> {
    match finding {
        Finding::Clobbered { overwriter, .. } => Some(*overwriter),
        Finding::Outside { .. } | Finding::Unwritten { .. } => None,
    }
}

fn first_address(finding: &Finding) -> Offset {
    match finding {
        Finding::Clobbered { at, .. }
        | Finding::Outside { at, .. }
        | Finding::Unwritten { at, .. } => *at,
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
