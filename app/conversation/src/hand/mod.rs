//! Plans changed by hand: moved, swapped, pinned, corrupted, imported, finished by a strategy. The
//! worker judges every change before it is shown, and every change can be undone.
//!
//! Changes are done one after the other: each begins at the plan that the one before has left,
//! so that a key that is held down moves a rectangle as often as it repeats.

mod judged;
mod of_case;
mod undo;

use std::collections::BTreeSet;

use planner::{Offset, Options, what_if};
use worker::{CaseId, Change};

use crate::model::case::Drag;
use crate::model::column::Column;
use crate::model::event::HandAction;
use crate::model::given::Given;
use crate::model::hand::Operation;
use crate::model::notice::Message;
use crate::model::state::State;

/// A run needs addresses of whole words.
const WORD: u64 = 4;

/// At most this many changes can be undone.
const REMEMBERED: usize = 200;

/// At most so many changes wait to be done: a key that is held down repeats faster than a large
/// plan is judged.
const MOST_WAITING: usize = 64;

impl State {
    pub(crate) fn hand(&mut self, id: CaseId, action: HandAction) {
        let Some(case) = self.case_mut(id) else {
            return;
        };
        match action {
            HandAction::Move(moving) => case.wait(moving.operation()),
            HandAction::Drag(moving) => case.hand.moving.put(moving),
            HandAction::Drop => {
                if let Some(moving) = *case.hand.moving {
                    case.hand.moving.set(None);
                    case.runs.target.put(Some(moving.column));
                    case.wait(moving.operation());
                }
            }
            HandAction::Nudge(steps) => case.wait(Operation::Nudge(steps)),
            HandAction::Hop(above) => case.wait(Operation::Hop(above)),
            HandAction::Pin(column, buffer) => case.wait(Operation::Pin(column, buffer)),
            HandAction::Partner(buffer) => case.hand.partner.put(buffer),
            HandAction::Swap(column, one, other) => {
                case.hand.partner.put(None);
                case.wait(Operation::Swap(column, one, other));
            }
            HandAction::Finisher(strategy) => case.hand.finisher.put(strategy),
            HandAction::Finish(column, keep) => self.finish(id, column, keep),
            HandAction::Restore(column) => case.wait(Operation::Restore(column)),
            HandAction::Undo => case.wait(Operation::Travel(true)),
            HandAction::Redo => case.wait(Operation::Travel(false)),
        }
    }

    /// Corrupts the plan that the buttons are about, and runs it.
    pub(crate) fn corrupt(&mut self, id: CaseId, place: Option<(usize, Offset)>) {
        if let Some(case) = self.case_mut(id) {
            case.wait(Operation::Corrupt(place));
        }
    }

    /// Lays the plan of a file over the plan that the buttons are about.
    pub(crate) fn import(&mut self, id: CaseId, file: Given) {
        if let Some(case) = self.case_mut(id) {
            case.wait(Operation::Import(file));
        }
    }

    /// Does what waits, as far as nothing has to be judged first.
    pub(crate) fn work_by_hand(&mut self) {
        let ids: Vec<CaseId> = self.cases.iter().map(|case| case.id).collect();
        for id in ids {
            while let Some(case) = self.case_mut(id)
                && case.hand.pending.is_none()
                && case.prepared.is_some()
                && let Some(operation) = case.hand.waiting.pop_front()
            {
                self.operate(id, operation);
            }
        }
    }

    fn operate(&mut self, id: CaseId, operation: Operation) {
        match operation {
            Operation::Place(column, places) => self.place(id, column, places),
            Operation::Put(column, places, pins) => self.put(id, column, places, pins),
            Operation::Nudge(steps) => self.nudge(id, steps),
            Operation::Hop(above) => self.hop(id, above),
            Operation::Swap(column, one, other) => {
                let planned = self.case(id).planned(column);
                let offsets = planned.map(|planned| planned.judged.plan.offsets.clone());
                let places = offsets.map(|offsets| what_if::swapped(&offsets, one, other));
                self.place(id, column, places.unwrap_or_default());
            }
            Operation::Pin(column, buffer) => {
                self.remember(id, column);
                if let Some(case) = self.case_mut(id) {
                    let pins = case.hand.pins.entry(column).or_default();
                    if !pins.remove(&buffer) {
                        pins.insert(buffer);
                    }
                }
            }
            Operation::Restore(column) => {
                self.remember(id, column);
                self.restore(id, column);
            }
            Operation::Travel(back) => self.travel(id, back),
            Operation::Corrupt(place) => self.begin_corruption(id, place),
            Operation::Import(file) => self.begin_import(id, file),
            Operation::Rebase(column, made) => self.begin_rebase(id, column, made),
        }
    }

    /// Puts buffers elsewhere, which can be undone. Where they are already, or pinned, or too
    /// high, nothing is done.
    pub(super) fn place(&mut self, id: CaseId, column: Column, places: Vec<(usize, Offset)>) {
        let case = self.case(id);
        let stays =
            |&(buffer, to): &(usize, Offset)| case.offset(column, buffer).is_none_or(|at| at == to);
        if places.iter().all(stays) {
            return;
        }
        let pins = case.pinned(column);
        if places.iter().any(|(buffer, _)| pins.contains(buffer)) {
            self.say(Message::IsPinned);
            return;
        }
        let highest = case.highest();
        if places.iter().any(|&(_, to)| to > highest) {
            self.say(Message::TooHigh);
            return;
        }
        self.lay(id, column, Change::Move(places), true);
    }

    /// Changes a plan as a link says.
    pub(super) fn put(
        &mut self,
        id: CaseId,
        column: Column,
        mut places: Vec<(usize, Offset)>,
        pins: BTreeSet<usize>,
    ) {
        let highest = self.case(id).highest();
        let count = places.len();
        places.retain(|(_, at)| *at <= highest);
        if places.len() < count {
            self.say(Message::TooHigh);
        }
        if let Some(case) = self.case_mut(id) {
            case.hand.pins.insert(column, pins);
        }
        if !places.is_empty() {
            self.lay(id, column, Change::Move(places), false);
        }
    }

    /// Moves the selected rectangle of the plan that the buttons are about by so many steps, from
    /// one multiple of its alignment to another.
    pub(super) fn nudge(&mut self, id: CaseId, steps: i8) {
        let case = self.case(id);
        let Some((column, buffer)) = case.target().zip(*case.selected) else {
            return;
        };
        let Some(Offset(from)) = case.offset(column, buffer) else {
            return;
        };
        let step = case.step(buffer).0;
        let count = u64::from(steps.unsigned_abs());
        let below = from / step;
        let to = if steps < 0 {
            // What lies between two multiples goes to the lower one first.
            below
                .saturating_add(u64::from(!from.is_multiple_of(step)))
                .saturating_sub(count)
        } else {
            below.saturating_add(count)
        };
        self.place(id, column, vec![(buffer, Offset(to.saturating_mul(step)))]);
    }

    /// Moves the selected rectangle to the next end of a free place above or below.
    pub(super) fn hop(&mut self, id: CaseId, above: bool) {
        let case = self.case(id);
        let Some((column, buffer)) = case.target().zip(*case.selected) else {
            return;
        };
        let (Some(now), Some(lifetimes)) = (case.planned(column), case.lifetimes()) else {
            return;
        };
        let options = Options::aligned(case.grid());
        match what_if::next(lifetimes, &now.judged.plan, &options, buffer, above) {
            Some(to) => self.place(id, column, vec![(buffer, to)]),
            None => self.say(if above {
                Message::NoneAbove
            } else {
                Message::NoneBelow
            }),
        }
    }
}

impl Drag {
    fn operation(self) -> Operation {
        Operation::Place(self.column, vec![(self.buffer, self.to)])
    }
}
