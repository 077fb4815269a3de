//! One decision in one sentence, with its numbers, in the language of the page.

use planner::trace::{Note, Outcome, Refusal, Search, Sharing};
use planner::{Bytes, Offset};

use super::considered::{Choice, Considered, Fate, choice};
use super::mistake::{self, held_up};
use super::narrator::{Narrator, address, apart};
use crate::format::{bytes, exact, grouped};
use crate::strings::FilmWord as W;

impl Narrator<'_> {
    /// The sentence.
    pub(super) fn sentence(&self) -> String {
        let Some((frame, known)) = self.frame() else {
            let count = grouped(self.lifetimes.buffers.len() as u64);
            let bound = bytes(self.still.recording.bound.0);
            return self.fill(W::AtStart, &[&count, &bound]) + &self.of_objects();
        };
        let mut said = match known.outcome {
            Outcome::Placed { buffer, .. } => {
                let clauses = choice(self).map(|choice| self.placed(&choice, known.unlisted));
                self.about(buffer, &clauses.unwrap_or_default())
            }
            Outcome::Moved { buffer, from, to } => self.moved(buffer, from, to),
            Outcome::Unplaced { buffer, from } => {
                let from = self.address(buffer, from.unwrap_or_default());
                self.about(buffer, &[self.fill(W::TakenUp, &[&from])])
            }
            Outcome::Opened { object, size, .. }
            | Outcome::Grown {
                object, to: size, ..
            } => self.sized(known, object, size),
            Outcome::Assigned { buffer, object } => self.assigned(known, buffer, object),
            Outcome::Attempt { attempt, trial } => self.attempt(attempt, trial),
            Outcome::Ended { how } => self.ended(how),
            Outcome::Pruned { rule, depth, stop } => self.pruned(rule, depth, &stop),
            Outcome::Incumbent { arena } => self.incumbent(frame, arena),
            Outcome::Proved { bound } => self.fill(W::Proved, &[&bytes(bound.0)]),
            Outcome::Pooling(step) => self.pooling(step),
            Outcome::Finished { arena } => self.finished(arena),
        };
        if self.still.recording.survey.decisive == Some(frame) {
            said += &mistake::sentence(self, known);
        }
        said
    }

    /// Size and address of the buffer that is placed, to the byte.
    pub(super) fn exactly(&self) -> Option<String> {
        let (Outcome::Placed { buffer, offset }
        | Outcome::Moved {
            buffer, to: offset, ..
        }) = self.frame()?.1.outcome
        else {
            return None;
        };
        let numbers = [self.bytes(buffer).0, offset.0].map(exact);
        Some(self.fill(W::Exactly, &[&self.name(buffer), &numbers[0], &numbers[1]]))
    }

    /// Where the buffer is now, and what moved it.
    fn moved(&self, buffer: usize, from: Offset, to: Offset) -> String {
        let word = if to > from { W::MovedUp } else { W::MovedDown };
        let [from, to] = self.addresses(buffer, [from, to]);
        let mut clauses = vec![self.fill(word, &[&to, &from])];
        let makes_room = self.notes().find_map(|note| match note {
            Note::MakesRoom { by } => Some(by),
            _ => None,
        });
        if let Some(by) = makes_room {
            clauses.push(self.fill(W::MakesRoom, &[&self.name(by)]));
        } else if let [_, under, ..] = held_up(self, buffer).buffers[..] {
            clauses.push(self.fill(W::RestsOn, &[&self.name(under)]));
        }
        self.about(buffer, &clauses)
    }

    /// Where the buffer is now, why, and then what was not taken.
    fn placed(&self, choice: &Choice, unlisted: u32) -> Vec<String> {
        let buffer = self.lifetimes.buffers.get(choice.buffer);
        let weightless =
            buffer.is_some_and(|buffer| buffer.size == Bytes::ZERO || buffer.span.is_empty());
        let fixed = buffer.is_some_and(|buffer| buffer.fixed.is_some());
        let bound = fixed || weightless;
        let noted = self.noted(choice.buffer);
        let mut clauses = vec![self.place(choice, unlisted, !bound)];
        clauses.extend(self.reckoned(choice));
        if !bound {
            clauses.extend(self.shares(choice));
        }
        clauses.extend(noted.why.iter().cloned());
        if fixed {
            clauses.push(self.word(W::Fixed));
        } else if weightless {
            clauses.push(self.word(W::Weightless));
        } else if choice.ranges.is_empty() && choice.starts.is_empty() && noted.is_empty() {
            if choice.alone {
                clauses.push(self.word(W::Alone));
            } else if choice.shared.is_empty() {
                clauses.push(self.word(self.of_ranges(W::NoRange, W::NoBlock)));
            }
        }
        let free = self.free_under(choice);
        let own = buffer.map_or(1, |buffer| buffer.alignment.0);
        let counts = !bound && noted.is_empty() && !choice.is_handed_over();
        if free >= own.max(self.still.alignment.0) && counts && !self.gives_blocks() {
            clauses.push(self.fill(W::LeavesFree, &[&bytes(free)]));
        }
        if !bound {
            clauses.extend(self.left(choice, unlisted));
        }
        clauses.extend(noted.passed);
        clauses
    }

    /// What was not taken; what is overlooked comes first.
    fn left(&self, choice: &Choice, unlisted: u32) -> Vec<String> {
        let overlooked = Fate::Refused(Refusal::Overlooked);
        let (overlooked, listed): (Vec<&Considered>, Vec<&Considered>) = choice
            .ranges
            .iter()
            .partition(|range| range.fate == overlooked && choice.few_overlooked());
        let overlooked = overlooked.into_iter();
        let mut clauses: Vec<String> = overlooked
            .map(|range| self.overlooked(choice.buffer, range))
            .collect();
        if !listed.is_empty() {
            clauses.extend(self.refused(choice, &listed, unlisted));
        }
        clauses.extend(self.starts(choice));
        clauses
    }

    /// What the strategy reckons with, where that is not the buffer as it is.
    fn reckoned(&self, choice: &Choice) -> Vec<String> {
        let mut clauses = Vec::new();
        if choice.needed != self.bytes(choice.buffer) {
            let [needed, own] = apart([choice.needed.0, self.bytes(choice.buffer).0]);
            clauses.push(self.fill(W::Counted, &[&needed, &own]));
        }
        for note in self.notes() {
            if let Note::Chain { last } = note
                && let Some(known) = self.lifetimes.buffers.get(last)
            {
                let step = grouped(known.span.end.0.saturating_sub(1));
                clauses.push(self.fill(W::Chain, &[&known.name, &step]));
            }
        }
        clauses
    }

    /// The buffers with which it shares bytes, and why it may.
    fn shares(&self, choice: &Choice) -> Vec<String> {
        let buffer = self.lifetimes.buffers.get(choice.buffer);
        let said = choice.shared.iter().filter_map(|shared| {
            let other = self.lifetimes.buffers.get(shared.other)?;
            let name = other.name.as_str();
            Some(match shared.how {
                Sharing::TakesOver => {
                    let step = grouped(other.span.end.0.saturating_sub(1));
                    self.fill(W::TakesOver, &[name, &step])
                }
                Sharing::HandsOn => {
                    let step = grouped(buffer?.span.end.0.saturating_sub(1));
                    self.fill(W::HandsOn, &[name, &step])
                }
                Sharing::InTurns => self.fill(W::InTurns, &[name]),
                Sharing::NotYetApart => self.fill(W::NotYetApart, &[name]),
                Sharing::InPauseOf(span) | Sharing::InOwnPause(span) => {
                    let word = match shared.how {
                        Sharing::InPauseOf(_) => W::InPauseOf,
                        _ => W::InOwnPause,
                    };
                    let steps = [span.start.0, span.end.0.saturating_sub(1)].map(grouped);
                    self.fill(word, &[name, &steps[0], &steps[1]])
                }
            })
        });
        said.collect()
    }

    /// "placed at …".
    fn place(&self, choice: &Choice, unlisted: u32, free: bool) -> String {
        let (buffer, offset) = (choice.buffer, choice.offset);
        let mut at = self.address(buffer, offset);
        let base = self.still.layout.base(self.still.layout.pool(buffer));
        if base > Offset(0) {
            at = self.fill(W::InArena, &[&at, &address(offset)]);
        }
        let taken = |range: &&Considered| range.fate == Fate::Taken;
        if let Some(range) = choice.ranges.iter().find(taken).filter(|_| free) {
            let only = choice.ranges.len() == 1 && unlisted == 0;
            let word = match only {
                true => self.of_ranges(W::PlacedInOnly, W::PlacedInOnlyBlock),
                false => self.of_ranges(W::PlacedIn, W::PlacedInBlock),
            };
            return self.fill(word, &[&at, &bytes(range.size)]);
        }
        let starts = choice.starts.iter().any(|range| range.fate == Fate::Taken);
        if !self.searches_free_ranges() {
            let held = held_up(self, buffer);
            let opens = self.notes().any(|note| matches!(note, Note::Opened { .. }));
            if self.gives_blocks() && !starts && !opens && !choice.alone {
                return self.fill(W::PlacedBehind, &[&at]);
            }
            if let (None, [_, under, ..]) = (held.free, &held.buffers[..])
                && self.search() == Some(Search::Unaddressed)
                && choice.shared.is_empty()
            {
                return self.fill(W::PlacedOn, &[&self.name(*under), &at]);
            }
            return self.fill(W::PlacedAt, &[&at]);
        }
        let open = choice.own.is_some_and(|own| own.size.is_none());
        let on_top = free && !choice.alone && open && !starts && choice.shared.is_empty();
        let word = if on_top { W::PlacedOnTop } else { W::PlacedAt };
        self.fill(word, &[&at])
    }

    fn overlooked(&self, buffer: usize, range: &Considered) -> String {
        let (size, at) = (bytes(range.size), self.address(buffer, Offset(range.from)));
        match range.above {
            Some(above) => self.fill(W::OverlookedBelow, &[&size, &at, &self.name(above)]),
            None => self.fill(W::Overlooked, &[&size, &at]),
        }
    }

    /// The plan as it is in the end.
    fn finished(&self, arena: Bytes) -> String {
        let film = &self.still.recording.trace;
        let mut said = self.compared(arena);
        if film.proved == Some(arena) && arena != self.still.recording.bound {
            said += self.str(W::NoSmaller);
        }
        if let Some(Bytes(reserved)) = film.reserved {
            let segments = self.still.layout.ranges.len() as u64;
            said += &match segments {
                1 => self.fill(W::ReservedOne, &[&bytes(reserved)]),
                _ => self.fill(W::Reserved, &[&bytes(reserved), &grouped(segments)]),
            };
        }
        said + &self.pools_hold()
    }

    /// An arena beside the bound of all plans, which is the one that its pane names; then, by
    /// its own name, beside that of shared objects.
    pub(super) fn compared(&self, arena: Bytes) -> String {
        let recording = &self.still.recording;
        let bound = recording.bound;
        if arena == bound {
            return self.fill(W::Met, &[&bytes(arena.0)]);
        }
        let Some(over) = arena.0.checked_sub(bound.0) else {
            return self.fill(W::Below, &[&bytes(arena.0)]);
        };
        let [of, against] = apart([arena.0, bound.0]);
        let said = self.fill(W::Over, &[&of, &bytes(over), &against]);
        if recording.objects == Some(arena) {
            return said + self.str(W::MetObjects);
        }
        said + &self.of_objects()
    }

    /// The lower bound for shared objects, where it is more than the bound of all plans.
    pub(super) fn of_objects(&self) -> String {
        let recording = &self.still.recording;
        let objects = recording.objects.filter(|it| *it > recording.bound);
        objects.map_or_else(String::new, |Bytes(objects)| {
            self.fill(W::BoundOfObjects, &[&bytes(objects)])
        })
    }
}
