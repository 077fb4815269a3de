//! One decision in one sentence, with its numbers, in the language of the page.

use planner::trace::{Note, Outcome, Refusal, Search, Sharing};
use planner::{Bytes, Offset};

use super::considered::{Choice, Considered, Fate, choice};
use super::mistake::{self, held_up};
use super::narrator::{Narrator, address};
use crate::format::{exact, grouped};
use crate::words::FilmWord as W;

impl Narrator<'_> {
    /// The sentence.
    pub(super) fn sentence(&self) -> String {
        let Some((frame, known)) = self.frame() else {
            let count = grouped(self.lifetimes.buffers.len() as u64);
            let bound = exact(self.still.recording.bound.0);
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
            Outcome::Incumbent { arena } => self.fill(W::Incumbent, &[&self.compared(arena)]),
            Outcome::Proved { bound } => self.fill(W::Proved, &[&exact(bound.0)]),
            Outcome::Pooling(step) => self.pooling(step),
            Outcome::Finished { arena } => self.finished(arena),
        };
        if self.still.recording.survey.decisive == Some(frame) {
            said += &mistake::sentence(self, known);
        }
        said
    }

    fn moved(&self, buffer: usize, from: Offset, to: Offset) -> String {
        let mut clauses = Vec::new();
        let makes_room = self.notes().find_map(|note| match note {
            Note::MakesRoom { by } => Some(by),
            _ => None,
        });
        if let Some(by) = makes_room {
            clauses.push(self.fill(W::MakesRoom, &[&self.name(by)]));
        } else if let [_, under, ..] = held_up(self, buffer).buffers[..] {
            clauses.push(self.fill(W::RestsOn, &[&self.name(under)]));
        }
        let word = if to > from { W::MovedUp } else { W::MovedDown };
        let places = [from, to].map(|at| self.address(buffer, at));
        clauses.push(self.fill(word, &places.each_ref().map(String::as_str)));
        self.about(buffer, &clauses)
    }

    /// The ranges, what became of each, and where the buffer is now.
    fn placed(&self, choice: &Choice, unlisted: u32) -> Vec<String> {
        let mut clauses = self.reckoned(choice);
        let buffer = self.lifetimes.buffers.get(choice.buffer);
        let weightless =
            buffer.is_some_and(|buffer| buffer.size == Bytes::ZERO || buffer.span.is_empty());
        let fixed = buffer.is_some_and(|buffer| buffer.fixed.is_some());
        let overlooked = Fate::Refused(Refusal::Overlooked);
        let (overlooked, listed): (Vec<&Considered>, Vec<&Considered>) = choice
            .ranges
            .iter()
            .partition(|range| range.fate == overlooked && choice.few_overlooked());
        let mut notes = Vec::new();
        let noted = self.noted(choice.buffer, &mut notes);
        // An allocator looks at its blocks before it takes a segment.
        let details = if self.gives_blocks() {
            notes.split_off(0)
        } else {
            Vec::new()
        };
        clauses.extend(notes);
        if fixed {
            clauses.push(self.word(W::Fixed));
        } else if weightless {
            clauses.push(self.word(W::Weightless));
        } else {
            if choice.alone && listed.is_empty() && choice.starts.is_empty() && !noted {
                clauses.push(self.word(W::Alone));
            } else if !listed.is_empty() || !overlooked.is_empty() {
                clauses.extend(self.listed(choice, &listed, unlisted));
                for range in &overlooked {
                    clauses.push(self.overlooked(choice.buffer, range));
                }
            } else if choice.shared.is_empty() && choice.starts.is_empty() && !noted {
                let word = if self.gives_blocks() {
                    W::NoBlock
                } else {
                    W::NoRange
                };
                clauses.push(self.word(word));
            }
            clauses.extend(self.starts(choice));
            clauses.extend(self.shares(choice));
        }
        clauses.extend(details);
        clauses.push(self.place(choice, !overlooked.is_empty(), !fixed && !weightless));
        let free = self.free_under(choice);
        let own = buffer.map_or(1, |buffer| buffer.alignment.0);
        let counts = !fixed && !weightless && !noted && !choice.is_handed_over();
        if free >= own.max(self.still.alignment.0) && counts && !self.gives_blocks() {
            clauses.push(self.fill(W::LeavesFree, &[&exact(free)]));
        }
        clauses
    }

    /// What the strategy reckons with, where that is not the buffer as it is.
    fn reckoned(&self, choice: &Choice) -> Vec<String> {
        let mut clauses = Vec::new();
        if choice.needed != self.bytes(choice.buffer) {
            clauses.push(self.fill(W::Counted, &[&exact(choice.needed.0)]));
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
    fn place(&self, choice: &Choice, instead: bool, free: bool) -> String {
        let (buffer, offset) = (choice.buffer, choice.offset);
        let mut at = self.address(buffer, offset);
        let base = self.still.layout.base(self.still.layout.pool(buffer));
        if base > Offset(0) {
            at = self.fill(W::InArena, &[&at, &address(offset)]);
        }
        let mut all = choice.ranges.iter().chain(&choice.starts);
        let in_range = all.any(|range| range.fate == Fate::Taken);
        if !self.searches_free_ranges() {
            let held = held_up(self, buffer);
            let opens = self.notes().any(|note| matches!(note, Note::Opened { .. }));
            if self.gives_blocks() && !in_range && !opens && !choice.alone {
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
        let on_top = free && !choice.alone && open && !in_range && choice.shared.is_empty();
        let word = match on_top {
            _ if instead => W::PlacedInstead,
            true => W::PlacedOnTop,
            false => W::PlacedAt,
        };
        self.fill(word, &[&at])
    }

    fn overlooked(&self, buffer: usize, range: &Considered) -> String {
        let (size, at) = (exact(range.size), self.address(buffer, Offset(range.from)));
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
                1 => self.fill(W::ReservedOne, &[&exact(reserved)]),
                _ => self.fill(W::Reserved, &[&exact(reserved), &grouped(segments)]),
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
            return self.fill(W::Met, &[&exact(arena.0)]);
        }
        let Some(over) = arena.0.checked_sub(bound.0) else {
            return self.fill(W::Below, &[&exact(arena.0)]);
        };
        let said = self.fill(W::Over, &[&exact(arena.0), &exact(over), &exact(bound.0)]);
        if recording.objects == Some(arena) {
            return said + self.str(W::MetObjects);
        }
        said + &self.of_objects()
    }

    /// The lower bound for shared objects, where it is more than the bound of all plans.
    pub(super) fn of_objects(&self) -> String {
        let recording = &self.still.recording;
        let objects = recording.objects.filter(|it| *it > recording.bound);
        objects.map_or_else(String::new, |Bytes(bytes)| {
            self.fill(W::BoundOfObjects, &[&exact(bytes)])
        })
    }
}
