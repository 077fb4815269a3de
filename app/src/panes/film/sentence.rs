//! One decision in one sentence, with its numbers, in the language of the page.

use planner::liveness::Lifetimes;
use planner::strategies::film::{Frame, Outcome, Reason};
use planner::strategies::{Refusal, Rule};
use planner::units::{Bytes, Offset};

use super::considered::{Choice, Considered, Fate, choice};
use super::mistake;
use crate::format::{exact, grouped};
use crate::state::film::Still;
use crate::words::{FilmWord as W, Language, filled};

/// More gaps or objects than this are only counted.
const LISTED: usize = 4;

/// Says what happens at a step of a film.
pub(super) struct Teller<'a> {
    pub(super) language: Language,
    pub(super) lifetimes: &'a Lifetimes,
    pub(super) still: &'a Still,
    /// Whether the film is of shared objects.
    pub(super) objects: bool,
}

impl Teller<'_> {
    /// The sentence.
    pub(super) fn sentence(&self) -> String {
        let film = &self.still.reel.film;
        let Some(frame) = self.still.step.checked_sub(1) else {
            let word = self.of_model(W::AtStart, W::AtStartObjects);
            let count = grouped(self.lifetimes.buffers.len() as u64);
            return self.fill(word, &[&count, &exact(self.still.reel.bound.0)]);
        };
        let Some(known) = film.frames().get(frame) else {
            return String::new();
        };
        let mut said = self.outcome(frame, known);
        if self.still.reel.survey.decisive == Some(frame) {
            said += &mistake::told(self, known);
        }
        said
    }

    fn outcome(&self, frame: usize, known: &Frame) -> String {
        match known.outcome {
            Outcome::Placed { buffer, .. } => {
                let clauses = choice(self.still, self.lifetimes);
                let clauses = clauses.map(|choice| self.placed(&choice, known));
                self.about(buffer, clauses.unwrap_or_default())
            }
            Outcome::Moved { buffer, from, to } => {
                let word = if to > from { W::MovedUp } else { W::MovedDown };
                let clause = self.fill(word, &[&address(from), &address(to)]);
                self.about(buffer, vec![clause])
            }
            Outcome::Unplaced { buffer } => self.about(buffer, vec![self.word(W::TakenUp)]),
            Outcome::Opened { object, size, .. }
            | Outcome::Grown {
                object, to: size, ..
            } => self.sized(frame, known, object, size),
            Outcome::Assigned { buffer, object } => {
                let size = self.still.layout.objects.get(object);
                let size = exact(size.map_or(0, |known| known.1.0));
                let mut clauses = self.passed(frame, known);
                let index = grouped(object as u64);
                clauses.push(self.fill(W::Assigned, &[&index, &size]));
                self.about(buffer, clauses)
            }
            Outcome::Attempt { attempt } => {
                let number = grouped(u64::from(attempt) + 1);
                self.fill(W::Attempt, &[&number])
            }
            Outcome::Pruned { rule, depth } => {
                let depth = grouped(depth as u64);
                self.fill(W::Pruned, &[&depth, &self.word(of_rule(rule))])
            }
            Outcome::Incumbent { arena } => self.fill(W::Incumbent, &[&self.compared(arena)]),
            Outcome::Proved { bound } => self.fill(W::Proved, &[&exact(bound.0)]),
            Outcome::Finished { arena } => self.compared(arena),
        }
    }

    /// An object that was opened or has grown.
    fn sized(&self, frame: usize, known: &Frame, object: usize, size: Bytes) -> String {
        let index = grouped(object as u64);
        let size = exact(size.0);
        let before = match known.outcome {
            Outcome::Grown { from, .. } => Some(exact(from.0)),
            _ => None,
        };
        let (with, alone, numbers) = match &before {
            Some(from) => (W::Grown, W::GrownEmpty, vec![index.as_str(), from, &size]),
            None => (W::Opened, W::OpenedEmpty, vec![index.as_str(), &size]),
        };
        let Some(buffer) = known.outcome.buffer() else {
            return self.fill(alone, &numbers);
        };
        let mut clauses = self.passed(frame, known);
        if clauses.is_empty() && before.is_none() && object == 0 {
            clauses.push(self.word(W::NoObject));
        }
        clauses.push(self.fill(with, &numbers));
        self.about(buffer, clauses)
    }

    /// The gaps, what became of each, and where the buffer is now.
    fn placed(&self, choice: &Choice, known: &Frame) -> Vec<String> {
        let mut clauses = Vec::new();
        let buffer = self.lifetimes.buffers.get(choice.buffer);
        let weightless =
            buffer.is_some_and(|buffer| buffer.size == Bytes::ZERO || buffer.span.is_empty());
        let fixed = buffer.is_some_and(|buffer| buffer.fixed.is_some());
        let (overlooked, listed): (Vec<&Considered>, Vec<&Considered>) = choice
            .gaps
            .iter()
            .partition(|gap| gap.fate == Fate::Refused(Refusal::Overlooked));
        if fixed {
            clauses.push(self.word(W::Fixed));
        } else if weightless {
            clauses.push(self.word(W::Weightless));
        } else if choice.alone {
            clauses.push(self.word(W::Alone));
        } else if listed.is_empty() && overlooked.is_empty() {
            clauses.push(self.word(W::NoGap));
        } else {
            clauses.extend(self.listed(&listed, known.unlisted));
            for gap in overlooked.iter().take(2) {
                clauses.push(self.overlooked(gap));
            }
        }
        let on_top = !choice.alone && choice.own.is_some_and(|own| own.size.is_none());
        let word = if !overlooked.is_empty() {
            W::PlacedInstead
        } else if on_top && !fixed && !weightless {
            W::PlacedOnTop
        } else {
            W::PlacedAt
        };
        clauses.push(self.fill(word, &[&address(choice.offset)]));
        let free = choice.own.map_or(0, |own| choice.offset.0 - own.from.0);
        let own = buffer.map_or(1, |buffer| buffer.alignment.0);
        if free >= own.max(self.still.alignment.0) && !fixed && !weightless {
            clauses.push(self.fill(W::LeavesFree, &[&exact(free)]));
        }
        clauses
    }

    fn overlooked(&self, gap: &Considered) -> String {
        let (size, at) = (exact(gap.size), address(Offset(gap.from)));
        match gap.above {
            Some(above) => self.fill(W::OverlookedBelow, &[&size, &at, &self.name(above)]),
            None => self.fill(W::Overlooked, &[&size, &at]),
        }
    }

    /// "gaps of 200,704 and 602,112 B; the first is too small".
    fn listed(&self, gaps: &[&Considered], unlisted: u32) -> Vec<String> {
        let mut chosen: Vec<&Considered> = gaps.to_vec();
        chosen.sort_by_key(|gap| (rank(gap.fate), std::cmp::Reverse(gap.size)));
        chosen.truncate(LISTED);
        chosen.sort_by_key(|gap| gap.from);
        let more = gaps.len() - chosen.len() + unlisted as usize;
        let Some((last, others)) = chosen.split_last() else {
            return Vec::new();
        };
        let word = if others.is_empty() && more == 0 {
            W::OneGap
        } else {
            W::Gaps
        };
        let mut sizes: Vec<String> = others.iter().map(|gap| grouped(gap.size)).collect();
        sizes.push(exact(last.size));
        if more > 0 {
            sizes.push(self.fill(W::More, &[&grouped(more as u64)]));
        }
        let mut clauses = vec![self.fill(word, &[&self.list(&sizes, W::LastNumber)])];
        let fates: Vec<Fate> = chosen.iter().map(|gap| gap.fate).collect();
        for (at, &fate) in fates.iter().enumerate() {
            let first = fates.iter().position(|other| *other == fate) == Some(at);
            if let Some(words) = of_fate(fate).filter(|_| first) {
                let of: Vec<usize> = (0..fates.len()).filter(|&i| fates[i] == fate).collect();
                clauses.push(self.verdict(words, &of, fates.len()));
            }
        }
        clauses
    }

    /// "the first and the third are too small".
    fn verdict(&self, (one, several): (W, W), of: &[usize], all: usize) -> String {
        const ORDINALS: [W; LISTED] = [W::Ordinal1, W::Ordinal2, W::Ordinal3, W::Ordinal4];
        let subject = match (of.len(), all) {
            (1, 1) => self.word(W::It),
            (2, 2) => self.word(W::Both),
            (some, all) if some == all => self.word(W::Each),
            _ => {
                let ordinals = of.iter().filter_map(|&index| ORDINALS.get(index));
                let ordinals: Vec<String> = ordinals.map(|&word| self.word(word)).collect();
                self.list(&ordinals, W::Last)
            }
        };
        self.fill(if of.len() == 1 { one } else { several }, &[&subject])
    }

    /// The objects that were not taken, and why.
    fn passed(&self, frame: usize, known: &Frame) -> Vec<String> {
        let reasons = self.still.reel.film.reasons(frame);
        let mut listed: Vec<(usize, Refusal)> = Vec::new();
        for reason in reasons {
            if let &Reason::Object { object, why } = reason {
                listed.push((object, why));
            }
        }
        let total = listed.len() + known.unlisted as usize;
        // What could have been taken says more than what is busy.
        listed.sort_by_key(|(object, why)| (matches!(why, Refusal::Busy { .. }), *object));
        listed.truncate(LISTED);
        let shown = listed.len();
        listed.sort_unstable_by_key(|(object, _)| *object);
        let clause = |(object, why): (usize, Refusal)| {
            let name = self.fill(W::ObjectSubject, &[&grouped(object as u64)]);
            match (why, of_fate(Fate::Refused(why))) {
                (Refusal::Busy { by }, _) => self.fill(W::ObjectBusy, &[&name, &self.name(by)]),
                (_, Some((one, _))) => self.fill(one, &[&name]),
                (_, None) => name,
            }
        };
        let mut clauses: Vec<String> = listed.into_iter().map(clause).collect();
        if total > shown {
            clauses.push(self.fill(W::More, &[&grouped((total - shown) as u64)]));
        }
        clauses
    }

    /// An arena beside the bound.
    fn compared(&self, arena: Bytes) -> String {
        let bound = self.still.reel.bound;
        if arena == bound {
            return self.fill(self.of_model(W::Met, W::MetObjects), &[&exact(arena.0)]);
        }
        let Some(over) = arena.0.checked_sub(bound.0) else {
            return self.fill(W::Below, &[&exact(arena.0)]);
        };
        let word = self.of_model(W::Over, W::OverObjects);
        self.fill(word, &[&exact(arena.0), &exact(over), &exact(bound.0)])
    }

    /// "b7, 401,408 B: …; ….".
    fn about(&self, buffer: usize, clauses: Vec<String>) -> String {
        let size = self.lifetimes.buffers.get(buffer);
        let size = exact(size.map_or(0, |known| known.size.0));
        let clauses = clauses.join(self.str(W::Next));
        self.fill(W::About, &[&self.name(buffer), &size, &clauses])
    }

    pub(super) fn name(&self, buffer: usize) -> String {
        let known = self.lifetimes.buffers.get(buffer);
        known.map(|known| known.name.clone()).unwrap_or_default()
    }

    pub(super) fn of_model(&self, offsets: W, objects: W) -> W {
        if self.objects { objects } else { offsets }
    }

    pub(super) fn fill(&self, word: W, values: &[&str]) -> String {
        filled(self.str(word), values)
    }

    pub(super) fn str(&self, word: W) -> &'static str {
        word.in_language(self.language)
    }

    fn word(&self, word: W) -> String {
        self.str(word).to_owned()
    }

    /// "a, b and c".
    fn list(&self, parts: &[String], last_by: W) -> String {
        match parts.split_last() {
            Some((last, others)) if !others.is_empty() => {
                let others = others.join(self.str(W::List));
                format!("{others}{}{last}", self.str(last_by))
            }
            _ => parts.concat(),
        }
    }
}

/// What is said first when not everything can be said.
fn rank(fate: Fate) -> u8 {
    match fate {
        Fate::Taken => 0,
        Fate::Refused(Refusal::TooSmall | Refusal::Busy { .. }) => 2,
        Fate::Refused(_) | Fate::Free => 1,
    }
}

/// How a fate is said of one gap and of several.
fn of_fate(fate: Fate) -> Option<(W, W)> {
    Some(match fate {
        Fate::Taken => return None,
        Fate::Free => (W::IsFree, W::AreFree),
        Fate::Refused(why) => match why {
            Refusal::TooSmall => (W::IsTooSmall, W::AreTooSmall),
            Refusal::LooserFit => (W::IsLooser, W::AreLooser),
            Refusal::NotFirst => (W::IsLater, W::AreLater),
            Refusal::Overlooked => (W::IsFree, W::AreFree),
            Refusal::Busy { .. } => (W::IsTaken, W::AreTaken),
            Refusal::OutOfRange => (W::IsOutOfRange, W::AreOutOfRange),
            Refusal::OtherColor => (W::IsOtherColor, W::AreOtherColor),
        },
    })
}

fn of_rule(rule: Rule) -> W {
    match rule {
        Rule::Capacity => W::RuleCapacity,
        Rule::Canonical => W::RuleCanonical,
        Rule::Dominance => W::RuleDominance,
        Rule::SectionInference => W::RuleSectionInference,
        Rule::MonotonicFloor => W::RuleMonotonicFloor,
        Rule::Hatless => W::RuleHatless,
    }
}

/// An address as the page writes them.
pub(super) fn address(offset: Offset) -> String {
    format!("{:#x}", offset.0)
}
