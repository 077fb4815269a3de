//! Peng et al., "Capuchin: Tensor-based GPU Memory Management for Deep Learning", ASPLOS 2020,
//! section 4.
//!
//! One iteration is measured: what was used longest ago leaves where there is no room, and is
//! fetched when it is used. From the times of all uses follows for each value how long its bytes
//! would be free if it was swapped (FreeTime), and what is swapped and what is recomputed
//! (`choose`). Guided iterations do that; where a value arrives late, the next one has its copy
//! back start earlier. Times of uses are those of a run in which nothing waits.
//!
//! Three things the paper leaves open are ours: what is chosen first has the lanes of the link to
//! itself, and what is chosen later the times that are left, by which it is chosen; where the
//! guided iteration still runs out of room, the next chooses for a budget that is smaller by so
//! much; and an earlier copy back that has the run wait longer is taken back.

mod choose;
mod recompute;

use std::collections::{BTreeMap, BTreeSet};

use self::choose::{Timeline, absences, choose, ranked};
use crate::training::policies::NoWalk;
use crate::training::swap::script::{Absence, How, Script};
use crate::training::swap::{Direction, Played, play};
use crate::training::{Move, Problem};
use crate::units::Bytes;

pub use choose::Candidate;
pub use recompute::{Recomputation, Source};

/// The most guided iterations.
const MOST: u64 = 24;
/// A copy back starts earlier by this part of what it takes.
const EARLIER: u64 = 20;

/// An iteration of the training step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Iteration {
    /// Whether choices guide it; the first is measured.
    pub guided: bool,
    /// Every value that is used more than once: first those for which something is chosen, in that
    /// order, then by FreeTime, the longest first.
    pub candidates: Vec<Candidate>,
    /// What was done.
    pub played: Played,
}

impl Iteration {
    /// What was chosen.
    #[must_use]
    pub fn absences(&self) -> Vec<Absence> {
        absences(&self.candidates)
    }
}

/// The iterations of the step under a budget: the measured one, where the link can swap, and as
/// many guided ones as change something.
///
/// # Errors
/// [`NoWalk::OutOfMemory`] where all choices together do not make room, [`NoWalk::Stopped`].
pub fn iterations(
    problem: &Problem,
    budget: Option<Bytes>,
    watch: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<Vec<Iteration>, NoWalk> {
    let full = |node| NoWalk::OutOfMemory(node);
    let free = play(problem, &Script::default(), None).map_err(|it| full(it.node))?;
    let timeline = Timeline::new(problem, &free.run);
    let budget = budget.unwrap_or(free.run.peak);
    let mut guide = Guide {
        problem,
        timeline,
        budget,
        target: budget,
        leads: BTreeMap::new(),
        fixed: BTreeSet::new(),
    };
    let passive = Script {
        passive: true,
        ..Script::default()
    };
    let mut all: Vec<Iteration> = Vec::new();
    let mut why = None;
    match play(problem, &passive, Some(budget)) {
        Ok(played) => {
            let done = played.evicted.is_empty();
            all.push(Iteration {
                guided: false,
                candidates: ranked(guide.timeline.candidates(&guide.timeline.over(budget)), &[]),
                played,
            });
            if done {
                return Ok(all);
            }
        }
        Err(no_room) => why = Some(full(no_room.node)),
    }
    for iteration in 0..MOST {
        if !watch(iteration, MOST) {
            return Err(NoWalk::Stopped);
        }
        match guide.play() {
            Ok(next) if guide.is_worse(&all, &next) => {
                if !guide.take_back(&all, &next) {
                    break;
                }
            }
            Ok(next) => {
                let changed = guide.learn(&next);
                all.push(next);
                if !changed {
                    break;
                }
            }
            Err((node, over)) => {
                why = Some(full(node));
                if !guide.aim_lower(over) {
                    break;
                }
            }
        }
    }
    match (all.is_empty(), why) {
        (true, Some(why)) => Err(why),
        _ => Ok(all),
    }
}

/// What is chosen so that no more is there than `target` at any node, in a run in which nothing
/// waits: every value that is used more than once, as in [`Iteration::candidates`].
#[must_use]
pub fn choices(problem: &Problem, target: Bytes) -> Vec<Candidate> {
    let Ok(free) = play(problem, &Script::default(), None) else {
        return Vec::new();
    };
    choose(&Timeline::new(problem, &free.run), target, &BTreeMap::new())
}

/// What guides the next iteration.
struct Guide<'a> {
    problem: &'a Problem,
    timeline: Timeline<'a>,
    budget: Bytes,
    /// Choices are made for that many bytes.
    target: Bytes,
    /// How much earlier than they must copies back start.
    leads: BTreeMap<usize, u64>,
    /// The values whose copies back do not start earlier any more.
    fixed: BTreeSet<usize>,
}

impl Guide<'_> {
    fn play(&self) -> Result<Iteration, (usize, Bytes)> {
        let candidates = choose(&self.timeline, self.target, &self.leads);
        let script = Script {
            absences: absences(&candidates),
            passive: true,
            ..Script::default()
        };
        let played = play(self.problem, &script, Some(self.budget));
        let played = played.map_err(|it| (it.node, it.over))?;
        Ok(Iteration {
            guided: true,
            candidates,
            played,
        })
    }

    /// Whether an iteration with the same choices as the one before waits longer.
    fn is_worse(&self, all: &[Iteration], next: &Iteration) -> bool {
        let last = all.last().filter(|last| last.guided);
        last.is_some_and(|last| {
            same_choices(last, next) && next.played.run.time > last.played.run.time
        })
    }

    /// The copies back that start earlier than in the last iteration start as they did there, and
    /// do from now on. Whether there were any.
    fn take_back(&mut self, all: &[Iteration], next: &Iteration) -> bool {
        let Some(last) = all.last() else {
            return false;
        };
        let mut changed = false;
        for own in &next.candidates {
            let before = last.candidates.iter().find(|it| it.value == own.value);
            if before.is_some_and(|it| it.how != own.how) {
                self.leads.remove(&own.value);
                changed |= self.fixed.insert(own.value);
            }
        }
        changed
    }

    /// What follows from an iteration for the next; whether anything does.
    fn learn(&mut self, last: &Iteration) -> bool {
        let evicted = last.played.evicted.iter();
        let evicted: u64 = evicted.map(|it| self.problem.nodes[*it].bytes.0).sum();
        if evicted > 0 && self.aim_lower(Bytes(evicted)) {
            return true;
        }
        let late = late(self.problem, &last.played);
        let mut changed = false;
        for own in &last.candidates {
            let (Some(How::Swap { .. }), Some((_, back))) = (own.how, own.copies) else {
                continue;
            };
            if late.contains(&own.value) && !self.fixed.contains(&own.value) {
                changed |= self.earlier(own, back);
            }
        }
        changed
    }

    /// The copy back of a value starts earlier, by as many steps as change the node with which it
    /// starts.
    fn earlier(&mut self, own: &Candidate, back: u64) -> bool {
        let step = (back / EARLIER).max(1);
        let before = self.leads.get(&own.value).copied().unwrap_or(0);
        let peak = self.timeline.over(self.target);
        let now = self.timeline.trigger(own, before, &peak);
        for steps in 1..=EARLIER * 2 {
            let lead = before.saturating_add(step.saturating_mul(steps));
            if self.timeline.trigger(own, lead, &peak) < now {
                self.leads.insert(own.value, lead);
                return true;
            }
        }
        self.fixed.insert(own.value);
        false
    }

    /// Choices are made for so many bytes less, if that changes anything.
    fn aim_lower(&mut self, by: Bytes) -> bool {
        let before = choose(&self.timeline, self.target, &self.leads);
        let mut by = by.0.max(1);
        while self.target > Bytes::ZERO {
            self.target = Bytes(self.target.0.saturating_sub(by));
            by = by.saturating_mul(2);
            let after = choose(&self.timeline, self.target, &self.leads);
            if absences(&after) != absences(&before) {
                return true;
            }
        }
        false
    }
}

fn same_choices(one: &Iteration, other: &Iteration) -> bool {
    let kinds = |it: &Iteration| -> Vec<(usize, usize, usize, Option<bool>)> {
        let kind = |it: &Candidate| it.how.map(|how| how == How::Recompute);
        let each = it.candidates.iter();
        each.map(|it| (it.value, it.after, it.before, kind(it)))
            .collect()
    };
    kinds(one) == kinds(other)
}

/// The values for which a node waits because they have not arrived.
fn late(problem: &Problem, played: &Played) -> BTreeSet<usize> {
    let back = played.run.transfers.iter();
    let mut back = back.filter(|it| it.direction == Direction::Back);
    let mut ran = played.run.ran.iter();
    let mut arrived = vec![0; problem.nodes.len()];
    let mut ended = 0;
    let mut late = BTreeSet::new();
    for step in &played.walk {
        match step {
            Move::SwapIn(node) => arrived[*node] = back.next().map_or(0, |it| it.end),
            Move::Compute(node) => {
                let reads = problem.nodes[*node].reads.iter();
                late.extend(reads.filter(|read| arrived[**read] > ended));
                ended = ran.next().map_or(ended, |it| it.end);
                arrived[*node] = 0;
            }
            Move::Forget(_) | Move::SwapOut(_) => {}
        }
    }
    late
}
