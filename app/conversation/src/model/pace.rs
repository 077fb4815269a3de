//! How two films keep step.
//!
//! One cursor stands for both. By decision and by share it counts steps of the longer film, by
//! tensor those of the first one.

use std::sync::Arc;

use planner::trace::{Frame, Outcome};

use crate::model::film::Recording;

/// How two films keep step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pace {
    /// A step is one decision in both: the same turn of two strategies is compared. The shorter
    /// film waits at its end.
    #[default]
    Decision,
    /// A step is the same share of both, so that both end together.
    Share,
    /// Both stand after the decision about the same tensor: the second film where it is through
    /// with the one that the first film placed last. Before the first has placed any the second
    /// stands at its start, and at the first one's end at its own.
    Tensor,
}

/// The buffer that a decision gave a place.
fn given_a_place(frame: &Frame) -> Option<usize> {
    match frame.outcome {
        Outcome::Unplaced { .. } => None,
        outcome => outcome.buffer(),
    }
}

/// Steps of `film` after which it is through with `buffer`.
fn through_with(film: &Recording, buffer: usize) -> Option<usize> {
    let frames = film.trace.frames();
    let last = frames
        .iter()
        .rposition(|frame| given_a_place(frame) == Some(buffer))?;
    Some(last + 1)
}

/// `step` of `from` steps, as one of `to`, rounded down.
fn share(step: usize, from: usize, to: usize) -> usize {
    // All are at most 10^5.
    let part = step as u64 * to as u64 / from.max(1) as u64;
    usize::try_from(part).unwrap_or(to)
}

impl Pace {
    /// The last place of the cursor of these films.
    #[must_use]
    pub fn last(self, films: &[Arc<Recording>]) -> usize {
        let mut lengths = films.iter().map(|film| film.len());
        match self {
            Self::Tensor => lengths.next().unwrap_or(0),
            Self::Decision | Self::Share => lengths.max().unwrap_or(0),
        }
    }

    /// At which of its own steps film number `at` stands.
    #[must_use]
    pub fn step(self, films: &[Arc<Recording>], at: usize, cursor: usize) -> usize {
        let (Some(film), Some(first)) = (films.get(at), films.first()) else {
            return 0;
        };
        let last = self.last(films);
        let cursor = cursor.min(last);
        match self {
            Self::Decision => cursor.min(film.len()),
            Self::Share => share(cursor, last, film.len()),
            Self::Tensor if at == 0 => cursor,
            Self::Tensor if cursor == last => film.len(),
            Self::Tensor => {
                let frames = first.trace.frames().get(..cursor).unwrap_or_default();
                let placed = frames.iter().rev().find_map(given_a_place);
                // A sampled film need not have the tensor.
                placed.map_or(0, |buffer| {
                    through_with(film, buffer).unwrap_or_else(|| share(cursor, last, film.len()))
                })
            }
        }
    }

    /// Where the cursor is when film number `at` stands at its own step `step`.
    #[must_use]
    pub fn cursor(self, films: &[Arc<Recording>], at: usize, step: usize) -> usize {
        let (Some(film), Some(first)) = (films.get(at), films.first()) else {
            return step;
        };
        let last = self.last(films);
        match self {
            Self::Decision => step,
            Self::Share => {
                let part = (step as u64 * last as u64).div_ceil(film.len().max(1) as u64);
                usize::try_from(part).unwrap_or(last)
            }
            Self::Tensor if at == 0 => step,
            Self::Tensor if step >= film.len() => last,
            Self::Tensor => {
                let frames = film.trace.frames().get(..step).unwrap_or_default();
                let placed = frames.iter().rev().find_map(given_a_place);
                let there = placed.map(|buffer| through_with(first, buffer));
                there.map_or(0, |there| {
                    there.unwrap_or_else(|| share(step, film.len(), last))
                })
            }
        }
    }
}
