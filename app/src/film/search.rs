//! Attempts and searches in a sentence: what is tried, how it ended, what was given up.

use planner::trace::{Ended, Key, Outcome, Rule, Stop, Trial};
use planner::{Bytes, Offset, Strategy};

use super::narrator::{Narrator, address, apart};
use crate::format::{bytes, grouped};
use crate::strings::FilmWord as W;

impl Narrator<'_> {
    /// What an attempt tries.
    pub(super) fn attempt(&self, attempt: u32, trial: Trial) -> String {
        let number = grouped(u64::from(attempt) + 1);
        if trial == Trial::Again {
            return match self.tried(attempt) {
                Some(tried) => self.fill(W::TrialAgainOf, &[&number, &tried]),
                None => self.word(W::TrialAgain),
            };
        }
        let word = match trial.is_silent() {
            true => W::TrialSilent,
            false => W::TrialTold,
        };
        self.fill(word, &[&number, &self.trial(trial)])
    }

    /// What attempt number `attempt` tried, if the film told it before this step.
    fn tried(&self, attempt: u32) -> Option<String> {
        let frames = self.still.recording.trace.frames();
        let before = frames.get(..self.still.step).unwrap_or(frames).iter();
        let trial = before.rev().find_map(|frame| match frame.outcome {
            Outcome::Attempt { attempt: it, trial } if it == attempt && trial != Trial::Again => {
                Some(trial)
            }
            _ => None,
        })?;
        Some(self.trial(trial))
    }

    /// A whole plan, and which attempt led to it; what stands before all attempts of the exact
    /// search comes from elsewhere.
    pub(super) fn incumbent(&self, frame: usize, arena: Bytes) -> String {
        let compared = self.compared(arena);
        let frames = self.still.recording.trace.frames();
        let before = frames.get(..frame).unwrap_or_default().iter();
        let attempt = before.rev().find_map(|frame| match frame.outcome {
            Outcome::Attempt { attempt, .. } => Some(attempt),
            _ => None,
        });
        match attempt {
            Some(attempt) => {
                let number = grouped(u64::from(attempt) + 1);
                self.fill(W::Incumbent, &[&number, &compared])
            }
            None if self.strategy == Some(Strategy::Exact) => {
                self.fill(W::IncumbentFirst, &[&compared])
            }
            None => self.fill(W::IncumbentOnly, &[&compared]),
        }
    }

    fn trial(&self, trial: Trial) -> String {
        match trial {
            Trial::Strategy(strategy) => strategy.name().to_owned(),
            Trial::Skyline(keys) => self.fill(W::TrialSkyline, &[&self.keys(keys)]),
            Trial::ByArea => self.word(W::TrialArea),
            Trial::ByLength => self.word(W::TrialLength),
            Trial::Proof { most } => self.fill(W::TrialProof, &[&grouped(most)]),
            Trial::Moves { most } => self.fill(W::TrialMoves, &[&grouped(most)]),
            Trial::Walk {
                capacity,
                bound,
                order,
                buffers,
                most,
            } => {
                let [capacity, bound] = apart([capacity.0, bound.0]);
                let numbers = [grouped(buffers as u64), capacity, bound, self.keys(order)];
                let walk = self.fill(W::TrialWalk, &numbers.each_ref().map(String::as_str));
                let most = most.map(|most| self.fill(W::TrialMost, &[&grouped(most)]));
                walk + &most.unwrap_or_default()
            }
            Trial::FirstFit => self.word(W::TrialFirstFit),
            Trial::Swapped { pair: None } => self.word(W::TrialSame),
            Trial::Swapped {
                pair: Some((one, other)),
            } => self.fill(W::TrialSwapped, &[&self.name(one), &self.name(other)]),
            Trial::Spatial => self.word(W::TrialSpatial),
            Trial::Temporal => self.word(W::TrialTemporal),
            Trial::Again => self.word(W::TrialAgain),
        }
    }

    fn keys(&self, keys: [Key; 3]) -> String {
        let word = |key: Key| match key {
            Key::Width => W::KeyWidth,
            Key::Area => W::KeyArea,
            Key::Total => W::KeyTotal,
            Key::Size => W::KeySize,
            Key::Overlaps => W::KeyOverlaps,
            Key::Lower => W::KeyLower,
            Key::Upper => W::KeyUpper,
        };
        let words = keys.map(|key| self.word(word(key)));
        words.join(self.str(W::List))
    }

    /// How an attempt ended that led to no smaller plan.
    pub(super) fn ended(&self, how: Ended) -> String {
        match how {
            Ended::Larger { arena, best } => {
                let [arena, best] = apart([arena.0, best.0]);
                self.fill(W::EndedLarger, &[&arena, &best])
            }
            Ended::GivenUp { best } => self.fill(W::EndedGivenUp, &[&bytes(best.0)]),
            Ended::Pooled {
                moved,
                arena,
                better,
            } => {
                let word = if better {
                    W::EndedBetter
                } else {
                    W::EndedPooled
                };
                self.fill(word, &[&bytes(moved.0), &bytes(arena.0)])
            }
            Ended::Found { arena } => self.fill(W::EndedFound, &[&bytes(arena.0)]),
            Ended::Unable => self.word(W::EndedUnable),
            Ended::Never {
                capacity,
                bound: Some(bound),
            } => {
                let [capacity, bound] = apart([capacity.0, bound.0]);
                self.fill(W::EndedNever, &[&capacity, &bound])
            }
            Ended::Never {
                capacity,
                bound: None,
            } => self.fill(W::EndedNone, &[&bytes(capacity.0)]),
            Ended::Spent { capacity } => self.fill(W::EndedSpent, &[&bytes(capacity.0)]),
        }
    }

    /// What the exact search gives up or leaves out, and by which rule.
    pub(super) fn pruned(&self, rule: Rule, depth: usize, stop: &Stop) -> String {
        let (depth, name) = (grouped(depth as u64), self.name(stop.buffer));
        let (size, at) = (
            self.size(stop.buffer),
            self.address(stop.buffer, stop.offset),
        );
        let subject = [depth.as_str(), &name, &size, &at];
        let (word, why) = match rule {
            Rule::Hatless => return self.fill(W::RuleHatless, &subject),
            Rule::Capacity => (W::GivenUp, self.beyond(stop)),
            Rule::SectionInference | Rule::MonotonicFloor => {
                (W::GivenUp, self.too_full(rule, stop))
            }
            Rule::Dominance => {
                let other = stop.other.map(|other| self.name(other)).unwrap_or_default();
                let end = address(Offset(stop.needed.0));
                (W::LeftOut, self.fill(W::RuleDominance, &[&other, &end]))
            }
            Rule::Postponed => {
                let numbers = apart([stop.needed.0, stop.capacity.0]);
                let why = self.fill(W::RulePostponed, &[&numbers[0], &numbers[1]]);
                (W::NoOther, why)
            }
            Rule::Canonical => (W::LeftOut, self.again(stop)),
        };
        self.fill(
            word,
            &[subject[0], subject[1], subject[2], subject[3], &why],
        )
    }

    /// The buffer that would end above the capacity.
    fn beyond(&self, stop: &Stop) -> String {
        let other = stop.other.unwrap_or(stop.buffer);
        let known = self.lifetimes.buffers.get(other);
        match known.and_then(|known| known.fixed) {
            Some(fixed) => {
                let fixed = self.address(other, fixed);
                self.fill(W::RuleFixed, &[&self.name(other), &fixed])
            }
            None => {
                let numbers = apart([stop.needed.0, stop.capacity.0]);
                self.fill(
                    W::RuleCapacity,
                    &[&self.name(other), &numbers[0], &numbers[1]],
                )
            }
        }
    }

    /// Which step cannot hold what is left.
    fn too_full(&self, rule: Rule, stop: &Stop) -> String {
        let [needed, capacity] = apart([stop.needed.0, stop.capacity.0]);
        let Some(step) = stop.step else {
            return self.fill(W::RuleUnreachable, &[&needed, &capacity]);
        };
        let word = match rule {
            Rule::SectionInference => W::RuleSectionInference,
            _ => W::RuleMonotonicFloor,
        };
        let (step, floor) = (grouped(step), address(Offset(stop.floor.0)));
        self.fill(word, &[&step, &floor, &needed, &capacity])
    }

    /// Which other order leads to the same plan.
    fn again(&self, stop: &Stop) -> String {
        let Some(other) = stop.other else {
            return self.word(W::RuleFirst);
        };
        let placed = self.still.layout.offsets.get(other).copied().flatten();
        let word = match placed {
            Some(_) => W::RuleCanonical,
            None => W::RuleTwin,
        };
        self.fill(word, &[&self.name(other)])
    }
}
