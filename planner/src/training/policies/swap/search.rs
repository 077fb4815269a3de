//! A local search over what is done with each value between two of its uses: it is kept, computed
//! again or swapped.
//!
//! A state is a choice for each such gap, and costs the time that its run takes under the budget;
//! what has no room is no state. A step changes one gap, or when its value is copied. As in the
//! search without a link, a step is taken if it is not worse by more than a threshold that falls
//! to nothing (Dueck and Scheuer 1990).

use crate::random::Random;
use crate::training::Problem;
use crate::training::swap::script::{Absence, How, Script, in_time};
use crate::training::swap::{Link, Played, play};
use crate::units::Bytes;

/// How much is looked at, in nodes that are played: a second or two, and what a table of many has
/// time for.
pub(in crate::training::policies) const MOST_WORK: u64 = 2_000_000;
pub(in crate::training::policies) const GLANCE: u64 = 60_000;
/// The most changes that are tried, for each gap.
const CHANGES: u64 = 300;
/// The search starts over from the best state so often.
const ROUNDS: u64 = 3;
/// After so many steps the observer is asked.
const PERIOD: u64 = 16;
/// Where the pseudo-random numbers start.
const SEED: u64 = 1;

/// A value between two of its uses, neither of which is next to the other.
#[derive(Clone, Copy, Debug)]
pub(in crate::training::policies) struct Gap {
    pub(in crate::training::policies) value: usize,
    /// The use before, and the reader after it.
    pub(in crate::training::policies) after: usize,
    pub(in crate::training::policies) before: usize,
    /// What is done if it is swapped: copied as soon as it is there, and fetched in time; `None`
    /// where it cannot be copied.
    pub(in crate::training::policies) swap: Option<How>,
}

/// The gaps of a step.
pub(in crate::training::policies) fn gaps(problem: &Problem) -> Vec<Gap> {
    let mut starts = Vec::new();
    let mut start = 0_u64;
    for node in &problem.nodes {
        starts.push(start);
        start = start.saturating_add(node.cost);
    }
    let link = problem.link.unwrap_or(Link::NONE);
    let mut gaps = Vec::new();
    for (value, readers) in problem.readers().iter().enumerate() {
        let bytes = problem.nodes[value].bytes;
        let mut after = value;
        for &before in readers {
            if after + 1 < before && bytes > Bytes::ZERO {
                let swap = link.times(bytes).map(|(_, back)| How::Swap {
                    copy: value,
                    fetch: in_time(&starts, (after, before), back),
                });
                gaps.push(Gap {
                    value,
                    after,
                    before,
                    swap,
                });
            }
            after = before;
        }
    }
    gaps
}

/// The script of a choice for each gap.
pub(in crate::training::policies) fn script(gaps: &[Gap], choices: &[Option<How>]) -> Script {
    let absences = gaps.iter().zip(choices).filter_map(|(gap, how)| {
        Some(Absence {
            value: gap.value,
            after: gap.after,
            before: gap.before,
            how: (*how)?,
        })
    });
    Script {
        absences: absences.collect(),
        ..Script::default()
    }
}

/// The choices that absences are.
fn choices(gaps: &[Gap], absences: &[Absence]) -> Vec<Option<How>> {
    let of = |gap: &Gap| {
        let same = absences.iter().filter(|it| it.value == gap.value);
        let mut within = same.filter(|it| it.after <= gap.after && gap.before <= it.before);
        within.next().map(|it| it.how)
    };
    gaps.iter().map(of).collect()
}

/// The quickest run that the search finds from these starts and from swapping or recomputing
/// everything; `None` where none of them fits, `Err` where it is stopped.
pub(in crate::training::policies) fn search(
    problem: &Problem,
    (budget, most): (Bytes, u64),
    starts: &[Vec<Absence>],
    watch: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<Option<Played>, ()> {
    let gaps = gaps(problem);
    let swapped = gaps.iter().map(|gap| gap.swap.or(Some(How::Recompute)));
    let recomputed = gaps.iter().map(|_| Some(How::Recompute));
    let given = starts.iter().map(|it| choices(&gaps, it));
    let all = given.chain([swapped.collect(), recomputed.collect()]);
    let run = |choices: &[Option<How>]| play(problem, &script(&gaps, choices), Some(budget)).ok();
    let mut best: Option<(Played, Vec<Option<How>>)> = None;
    for choices in all {
        if let Some(played) = run(&choices)
            && best
                .as_ref()
                .is_none_or(|(best, _)| played.run.time < best.run.time)
        {
            best = Some((played, choices));
        }
    }
    let Some((mut best, mut best_choices)) = best else {
        return Ok(None);
    };
    let base = problem.base_cost();
    let mut random = Random::new(SEED);
    let count = problem.nodes.len().max(1) as u64;
    let tries = (most / count).min(CHANGES * gaps.len() as u64);
    for round in 0..ROUNDS {
        let mut now = (best.run.time, best_choices.clone());
        let share = tries / ROUNDS;
        for step in 0..share {
            if best.run.time == base || gaps.is_empty() {
                return Ok(Some(best));
            }
            if step % PERIOD == 0 && !watch(round * share + step, tries) {
                return Err(());
            }
            let left = share - step;
            let threshold = u128::from(base) / u128::from(16_u64 << round) * u128::from(left)
                / u128::from(share);
            let at = random.index(gaps.len());
            let before = now.1[at];
            now.1[at] = changed(&gaps[at], before, &mut random);
            let next = run(&now.1);
            let time = next.as_ref().map(|it| it.run.time);
            let taken = time.is_some_and(|time| u128::from(time) <= u128::from(now.0) + threshold);
            match (taken, time) {
                (true, Some(time)) => now.0 = time,
                _ => now.1[at] = before,
            }
            if let Some(next) = next.filter(|next| next.run.time < best.run.time) {
                best = next;
                best_choices.clone_from(&now.1);
            }
        }
    }
    Ok(Some(best))
}

/// Another choice for a gap.
fn changed(gap: &Gap, now: Option<How>, random: &mut Random) -> Option<How> {
    let span = gap.before - gap.after;
    match (now, gap.swap) {
        (_, None) => match now {
            None => Some(How::Recompute),
            Some(_) => None,
        },
        (None, swap) => match random.index(2) {
            0 => Some(How::Recompute),
            _ => swap,
        },
        (Some(How::Recompute), swap) => match random.index(2) {
            0 => None,
            _ => swap,
        },
        (Some(How::Swap { copy, fetch }), _) => match random.index(4) {
            0 => None,
            1 => Some(How::Recompute),
            2 => Some(How::Swap {
                copy,
                fetch: gap.after + 1 + random.index(span),
            }),
            _ => Some(How::Swap {
                copy: gap.value + random.index(gap.after - gap.value + 1),
                fetch,
            }),
        },
    }
}
