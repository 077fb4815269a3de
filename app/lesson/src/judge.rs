//! An answer against what was measured.

use crate::drops::Drop;
use crate::measured::{Measured, Right};
use crate::predict::{Feedback, Need, Predict};
use crate::scene::Scene;

/// What somebody answers.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// Chose the sentence of this name.
    Chosen(String),
    /// Wrote a number.
    Number(f64),
    /// Points at these.
    Pointed(Vec<String>),
    /// Put rectangles elsewhere.
    Placed {
        /// The arena, in bytes.
        arena: f64,
        /// How many rules the plan breaks.
        faults: usize,
    },
    /// Says that it cannot be done.
    Impossible,
    /// Put things in this order.
    Listed(Vec<String>),
    /// Put operators in an order with this peak in bytes; `None` where one reads what is not
    /// there yet.
    Ordered(Option<f64>),
    /// Corrupted a plan: so many outputs change.
    Corrupted(usize),
    /// Gives these activations up, one bit for each.
    GivenUp(u32),
}

/// What an answer is.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict<'s> {
    /// Right.
    Right,
    /// Right as far as it goes: more is asked for.
    Partly,
    /// Wrong, and what is said to it; nothing where the lesson says nothing.
    Wrong(Option<&'s Feedback>),
}

/// Numbers this close are the same.
const SAME: f64 = 1e-9;

/// Judges an answer to a scene.
#[must_use]
pub fn judge<'s>(scene: &'s Scene, measured: &Measured, answer: &Answer) -> Verdict<'s> {
    match (&scene.predict, &measured.right, answer) {
        (Predict::Choose(choices), Right::Choices(hold), Answer::Chosen(id)) => {
            let chosen = choices.iter().find(|choice| choice.id == *id);
            verdict(
                hold.contains(id),
                chosen.and_then(|it| it.feedback.as_ref()),
            )
        }
        (Predict::Number(number), Right::Number(right, traps), Answer::Number(said)) => {
            let near =
                |other: f64| (said - other).abs() <= number.tolerance + SAME * other.abs().max(1.0);
            let same = |other: &&f64| (said - **other).abs() <= SAME * other.abs().max(1.0);
            let trap = traps.iter().zip(&number.traps).find(|(is, _)| same(is));
            let says = trap.map_or(&number.otherwise, |(_, trap)| &trap.feedback);
            verdict(near(*right), Some(says))
        }
        (Predict::Point(point), Right::Names(names), Answer::Pointed(pointed)) => {
            let wrong = pointed.iter().find(|name| !names.contains(name));
            if let Some(wrong) = wrong {
                let says = point.wrong.get(wrong).unwrap_or(&point.otherwise);
                return Verdict::Wrong(Some(says));
            }
            let all = names.iter().all(|name| pointed.contains(name));
            let any = !pointed.is_empty() && point.need == Need::Any;
            match (all || any, pointed.is_empty()) {
                (true, _) => Verdict::Right,
                (false, true) => Verdict::Wrong(Some(&point.otherwise)),
                (false, false) => Verdict::Partly,
            }
        }
        (Predict::Place(place), Right::Bytes { goal, .. }, Answer::Placed { arena, faults }) => {
            if *faults > 0 {
                Verdict::Wrong(Some(&place.overlap))
            } else {
                verdict(arena <= goal, Some(&place.above))
            }
        }
        (Predict::Place(place), Right::Bytes { goal, least, .. }, Answer::Impossible) => {
            verdict(goal < least, place.impossible.as_ref())
        }
        (Predict::List(list), Right::Names(names), Answer::Listed(listed)) => {
            let right: Vec<&String> = names.iter().filter(|it| listed.contains(it)).collect();
            let early = listed.iter().zip(&right).find(|(is, wanted)| is != *wanted);
            let says = early.and_then(|(is, _)| list.early.get(is));
            verdict(early.is_none(), Some(says.unwrap_or(&list.otherwise)))
        }
        (Predict::Operators(it), Right::Bytes { goal, .. }, Answer::Ordered(peak)) => match peak {
            None => Verdict::Wrong(Some(&it.early)),
            Some(peak) => verdict(peak <= goal, Some(&it.above)),
        },
        (Predict::Corrupt(corrupt), Right::OneOutput, Answer::Corrupted(outputs)) => {
            match outputs {
                0 => Verdict::Wrong(Some(&corrupt.none)),
                1 => Verdict::Right,
                _ => Verdict::Wrong(Some(&corrupt.several)),
            }
        }
        (Predict::GiveUp(it), right @ Right::Drops { budget, .. }, Answer::GivenUp(set)) => {
            match right.drop(*set) {
                Some(drop) if bytes(drop.peak) <= *budget => {
                    verdict(Some(drop.again) == right.fewest(), Some(&it.more))
                }
                _ => Verdict::Wrong(Some(&it.above)),
            }
        }
        _ => Verdict::Wrong(None),
    }
}

#[expect(clippy::cast_precision_loss, reason = "steps of lessons are small")]
fn bytes(bytes: u64) -> f64 {
    bytes as f64
}

impl Right {
    /// What a set of activations comes to that is given up.
    #[must_use]
    pub fn drop(&self, set: u32) -> Option<Drop> {
        let Self::Drops { sets, .. } = self else {
            return None;
        };
        sets.iter().find(|drop| drop.set == set).copied()
    }

    /// The fewest recomputations with which the step fits; `None` where no set fits.
    #[must_use]
    pub fn fewest(&self) -> Option<u64> {
        let Self::Drops { sets, budget, .. } = self else {
            return None;
        };
        let fitting = sets.iter().filter(|drop| bytes(drop.peak) <= *budget);
        fitting.map(|drop| drop.again).min()
    }

    /// How many stars a set of activations deserves, of three.
    #[must_use]
    pub fn stars_of(&self, set: u32) -> Option<u32> {
        let (Self::Drops { budget, star, .. }, drop) = (self, self.drop(set)?) else {
            return None;
        };
        let peak = bytes(drop.peak);
        let reached = [
            peak <= *star,
            peak <= *budget,
            peak <= *budget && Some(drop.again) == self.fewest(),
        ];
        u32::try_from(reached.iter().filter(|it| **it).count()).ok()
    }
}

fn verdict(right: bool, says: Option<&Feedback>) -> Verdict<'_> {
    match right {
        true => Verdict::Right,
        false => Verdict::Wrong(says),
    }
}

/// How many stars so many bytes deserve, of three; none where no stars are given.
#[must_use]
pub fn stars(measured: &Measured, bytes: f64) -> Option<u32> {
    let Right::Bytes { goal, stars, .. } = &measured.right else {
        return None;
    };
    if stars.is_empty() {
        return None;
    }
    let reached = stars.iter().chain([goal]).filter(|limit| bytes <= **limit);
    u32::try_from(reached.count()).ok()
}
