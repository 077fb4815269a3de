//! Plans changed by hand: moved, swapped, pinned, spoiled, imported, finished by a strategy. The
//! worker judges every change before it is shown, and every change can be undone.
//!
//! Changes are done one after the other: each begins at the plan that the one before has left,
//! so that a key that is held down moves a rectangle as often as it repeats.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use planner::what_if::{self, Kept};
use planner::{Bytes, Offset, Options, PlanError, Strategy};
use worker::{CaseId, Change, Planned, Unchanged};

use crate::case::{Case, Edit, Known, Moving, Version};
use crate::column::Column;
use crate::event::{HandAction, Keep};
use crate::given::{Content, Given};
use crate::notice::{Message, Notice, Why};
use crate::progress::Progress;
use crate::state::State;

/// A run needs addresses of whole words.
const WORD: u64 = 4;

/// At most this many changes can be undone.
const REMEMBERED: usize = 200;

/// At most so many changes wait to be done: a key that is held down repeats faster than a large
/// plan is judged.
const MOST_WAITING: usize = 64;

/// A change that is to be done.
#[derive(Clone, Debug)]
pub(crate) enum Operation {
    Place(Column, Vec<(usize, Offset)>),
    /// What a link says, with the buffers that it pins.
    Put(Column, Vec<(usize, Offset)>, BTreeSet<usize>),
    Nudge(i8),
    Hop(bool),
    Swap(Column, usize, usize),
    Pin(Column, usize),
    Restore(Column),
    Travel(bool),
    Spoil,
    Import(Given),
    /// A strategy has made another plan of which this was a change.
    Rebase(Column, Arc<Planned>),
}

/// A change that the worker is to judge.
#[derive(Clone, Debug)]
pub(crate) struct Laying {
    pub(crate) column: Column,
    /// The plan as it was made.
    original: Arc<Planned>,
    /// The plan that is changed.
    pub(crate) base: Arc<Planned>,
    pub(crate) change: Change,
    pub(crate) file: Option<Content>,
    /// What the file is called.
    name: String,
    /// Whether it can be undone.
    remember: bool,
    then: Then,
}

/// What follows a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    Nothing,
    /// The plan is run.
    Confirm,
    /// The buttons are about this plan.
    Target,
}

/// What a strategy is to plan around what is kept.
#[derive(Clone, Debug)]
pub(crate) struct Finish {
    pub(crate) column: Column,
    /// Number of the wish.
    pub(crate) number: u32,
    pub(crate) strategy: Strategy,
    /// What stays where it is.
    pub(crate) kept: Vec<Kept>,
}

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
    pub(crate) fn spoil(&mut self, id: CaseId) {
        if let Some(case) = self.case_mut(id) {
            case.wait(Operation::Spoil);
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
                && case.hand.laying.is_none()
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
            Operation::Spoil => self.begin_spoil(id),
            Operation::Import(file) => self.begin_import(id, file),
            Operation::Rebase(column, made) => self.begin_rebase(id, column, made),
        }
    }

    /// Puts buffers elsewhere, which can be undone. Where they are already, or pinned, or too
    /// high, nothing is done.
    fn place(&mut self, id: CaseId, column: Column, places: Vec<(usize, Offset)>) {
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
    fn put(
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
    fn nudge(&mut self, id: CaseId, steps: i8) {
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
    fn hop(&mut self, id: CaseId, above: bool) {
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

    fn begin_spoil(&mut self, id: CaseId) {
        let Some(case) = self.case_mut(id) else {
            return;
        };
        let Some((column, original)) = case.target_original() else {
            return;
        };
        let seed = case.hand.spoils;
        case.hand.spoils = seed.wrapping_add(1);
        case.hand.laying = Some(Laying {
            base: Arc::clone(&original),
            then: Then::Confirm,
            ..Laying::new(column, original, Change::Spoil(seed))
        });
        self.hurry();
    }

    fn begin_import(&mut self, id: CaseId, file: Given) {
        let Some(case) = self.case_mut(id) else {
            return;
        };
        let Some((column, original)) = case.target_original() else {
            self.misfit(file.name, Why::NoPlan);
            return;
        };
        case.hand.laying = Some(Laying {
            base: Arc::clone(&original),
            file: Some(file.content),
            name: file.name,
            then: Then::Target,
            ..Laying::new(column, original, Change::Import)
        });
        self.hurry();
    }

    /// A strategy has made another plan while one of its was changed or pinned by hand: that stays
    /// in view, as a change of the new one.
    fn begin_rebase(&mut self, id: CaseId, column: Column, made: Arc<Planned>) {
        let Some(case) = self.case_mut(id) else {
            return;
        };
        let Some(now) = case.planned(column).cloned() else {
            case.show(column, made);
            return;
        };
        let moved = difference(&made, &now);
        if moved.is_empty() {
            case.hand.edits.remove(&column);
            case.show(column, made);
        } else if case.hand.edits.contains_key(&column) {
            let original = made;
            let edit = Arc::new(Edit { original, moved });
            case.hand.edits.insert(column, edit);
        } else {
            case.hand.laying = Some(Laying {
                base: now,
                remember: false,
                ..Laying::new(column, made, Change::Move(Vec::new()))
            });
            self.hurry();
        }
    }

    /// Has a change of a column's plan judged.
    fn lay(&mut self, id: CaseId, column: Column, change: Change, remember: bool) {
        let Some(case) = self.case_mut(id) else {
            return;
        };
        let both = case.original(column).zip(case.planned(column).cloned());
        let Some((original, base)) = both else {
            return;
        };
        case.hand.laying = Some(Laying {
            base,
            remember,
            ..Laying::new(column, original, change)
        });
        self.hurry();
    }

    /// The worker has judged a change, or there is none.
    pub(crate) fn changed(&mut self, id: CaseId, changed: Result<Planned, Unchanged>) {
        let Some(laying) = self.case_mut(id).and_then(|case| case.hand.laying.take()) else {
            return;
        };
        let planned = match changed {
            Ok(planned) => planned,
            Err(Unchanged::NothingToSpoil) => return self.say(Message::NothingToSpoil),
            Err(Unchanged::Unreadable(error)) => {
                return self.misfit(laying.name, Why::Text(error.to_string()));
            }
            Err(Unchanged::Misses(buffer)) => return self.misfit(laying.name, Why::Misses(buffer)),
        };
        if laying.remember {
            self.remember(id, laying.column);
        }
        let planned = Planned {
            order: laying.original.order.clone(),
            ms: laying.original.ms,
            ..planned
        };
        let column = laying.column;
        let Some(case) = self.case_mut(id) else {
            return;
        };
        let planned = case.take_reasons(column, planned, false);
        case.change(column, laying.original, planned);
        self.drop_outcome(id, column);
        match laying.then {
            Then::Nothing => {}
            Then::Confirm => {
                self.select(id, None);
                self.confirm(id, column);
            }
            Then::Target => {
                if let Some(case) = self.case_mut(id) {
                    case.runs.target.put(Some(column));
                }
            }
        }
    }

    /// Keeps a column's plan as it is now, because it is about to change.
    fn remember(&mut self, id: CaseId, column: Column) {
        let Some(case) = self.case_mut(id) else {
            return;
        };
        let version = case.version(column);
        let finishing = *case.hand.finishing;
        let meanwhile = finishing.is_some_and(|(finished, _)| finished == column);
        if meanwhile {
            case.hand.finishing.set(None);
        }
        case.hand.future.retain(|version| version.column != column);
        let past = &mut case.hand.past;
        past.push(version);
        let surplus = past.len().saturating_sub(REMEMBERED);
        past.drain(..surplus);
        if meanwhile {
            self.say(Message::ChangedMeanwhile);
        }
    }

    /// Takes all changes of a plan back.
    pub(crate) fn restore(&mut self, id: CaseId, column: Column) {
        let Some(case) = self.case_mut(id) else {
            return;
        };
        let Some(edit) = case.hand.edits.remove(&column) else {
            return;
        };
        case.hand.moving.put(None);
        case.show(column, Arc::clone(&edit.original));
        self.drop_outcome(id, column);
        if let Some(case) = self.case_mut(id)
            && *case.runs.shown == Some((column, true))
        {
            case.runs.shown.set(Some((column, false)));
        }
    }

    /// Goes one change of the plan that the buttons are about back, or forth again.
    fn travel(&mut self, id: CaseId, back: bool) {
        let Some(case) = self.case_mut(id) else {
            return;
        };
        let target = case.target();
        let versions = if back {
            &mut case.hand.past
        } else {
            &mut case.hand.future
        };
        let own = |version: &Version| Some(version.column) == target;
        let Some(latest) = versions.iter().rposition(own) else {
            return self.say(if back {
                Message::NothingToUndo
            } else {
                Message::NothingToRedo
            });
        };
        let version = versions.remove(latest);
        let column = version.column;
        let now = case.version(column);
        let others = if back {
            &mut case.hand.future
        } else {
            &mut case.hand.past
        };
        others.push(now);
        case.hand.pins.insert(column, version.pins);
        case.hand.moving.put(None);
        match (version.planned, case.original(column)) {
            (Some(planned), Some(original)) => {
                case.change(column, original, planned);
                self.drop_outcome(id, column);
            }
            _ => self.restore(id, column),
        }
    }

    /// Has a strategy plan what is not kept. The strategy that plans now waits for it, and begins
    /// anew.
    fn finish(&mut self, id: CaseId, column: Column, keep: Keep) {
        let Some(case) = self.case_mut(id) else {
            return;
        };
        let Some(now) = case.planned(column).cloned() else {
            return;
        };
        let plan = &now.judged.plan;
        let kept = match keep {
            Keep::Pins => what_if::kept(plan, case.pinned(column)),
            Keep::AllBut(free) => {
                let all = 0..plan.offsets.len();
                what_if::kept(plan, all.filter(|buffer| *buffer != free))
            }
        };
        let number = case.hand.wishes.wrapping_add(1);
        case.hand.wishes = number;
        case.hand.finishing.set(Some((column, number)));
        case.queue.finish = Some(Finish {
            column,
            number,
            strategy: *case.hand.finisher,
            kept,
        });
        if matches!(self.at_work(id), Some(crate::talk::Stage::Planning(_))) {
            self.cut();
        } else {
            self.hurry();
        }
    }

    /// A strategy has planned the rest of a column's plan, or could not. An answer that nothing
    /// waits for any longer is dropped.
    pub(crate) fn finished(
        &mut self,
        id: CaseId,
        wish: (Column, u32),
        planned: Result<Planned, PlanError>,
    ) {
        let Some(case) = self.case_mut(id) else {
            return;
        };
        if *case.hand.finishing != Some(wish) {
            return;
        }
        case.hand.finishing.set(None);
        let planned = match planned {
            Ok(planned) => planned,
            Err(error) => {
                self.page.notice.set(Some(Notice::NotFinished(error)));
                return;
            }
        };
        let column = wish.0;
        let both = case.original(column).zip(case.planned(column));
        let Some((original, now)) = both else { return };
        if planned.judged.plan.offsets == now.judged.plan.offsets {
            return self.say(Message::NothingMoved);
        }
        self.remember(id, column);
        let Some(case) = self.case_mut(id) else {
            return;
        };
        let planned = case.take_reasons(column, planned, false);
        case.change(column, original, planned);
        self.drop_outcome(id, column);
    }

    pub(crate) fn say(&mut self, message: Message) {
        self.page.notice.set(Some(Notice::Said(message)));
    }
}

impl Laying {
    fn new(column: Column, original: Arc<Planned>, change: Change) -> Self {
        Self {
            column,
            base: Arc::clone(&original),
            original,
            change,
            file: None,
            name: String::new(),
            remember: true,
            then: Then::Nothing,
        }
    }
}

impl Moving {
    fn operation(self) -> Operation {
        Operation::Place(self.column, vec![(self.buffer, self.to)])
    }
}

impl Case {
    fn wait(&mut self, operation: Operation) {
        // Without lifetimes there is no plan to be changed.
        if self.prepared.is_some() && self.hand.waiting.len() < MOST_WAITING {
            self.hand.waiting.push_back(operation);
        }
    }

    /// Changes a plan as a link says, once it is its turn.
    pub(crate) fn wait_for_link(
        &mut self,
        column: Column,
        places: Vec<(usize, Offset)>,
        pins: BTreeSet<usize>,
    ) {
        self.wait(Operation::Put(column, places, pins));
    }

    /// A strategy has made another plan of which the one in view is a change.
    pub(crate) fn rebase(&mut self, column: Column, made: Arc<Planned>) {
        self.wait(Operation::Rebase(column, made));
    }

    /// The plan of a column as it was made.
    #[must_use]
    pub fn original(&self, column: Column) -> Option<Arc<Planned>> {
        let edited = self.hand.edits.get(&column);
        let edited = edited.map(|edit| Arc::clone(&edit.original));
        edited.or_else(|| self.planned(column).cloned())
    }

    fn target_original(&self) -> Option<(Column, Arc<Planned>)> {
        let column = self.target()?;
        Some((column, self.original(column)?))
    }

    /// Whether anything of a column's plan was changed or pinned by hand.
    pub(crate) fn is_held(&self, column: Column) -> bool {
        let pinned = self.hand.pins.get(&column);
        self.hand.edits.contains_key(&column) || pinned.is_some_and(|pins| !pins.is_empty())
    }

    /// What a buffer is moved by: the larger of its own alignment and [`Case::grid`].
    #[must_use]
    pub fn step(&self, buffer: usize) -> Bytes {
        let buffers = self.lifetimes().map(|lifetimes| &lifetimes.buffers);
        let own = buffers.and_then(|buffers| Some(buffers.get(buffer)?.alignment));
        own.unwrap_or_default().max(self.grid())
    }

    /// What offsets are moved by: the alignment; whole words where a model can be run.
    #[must_use]
    pub fn grid(&self) -> Bytes {
        let alignment = self.settings.alignment.0.max(1);
        let prepared = self.prepared.as_ref();
        match prepared.is_some_and(|prepared| prepared.subject.program.is_some()) {
            true => Bytes(alignment.next_multiple_of(WORD)),
            false => Bytes(alignment),
        }
    }

    /// The highest address at which a buffer may be put by hand.
    #[must_use]
    pub fn highest(&self) -> Offset {
        let options = self.options();
        let lifetimes = self.lifetimes();
        let highest = lifetimes.map(|lifetimes| what_if::highest(lifetimes, &options));
        highest.unwrap_or_default()
    }

    fn version(&self, column: Column) -> Version {
        let edited = self.hand.edits.contains_key(&column);
        Version {
            column,
            planned: self.planned(column).filter(|_| edited).cloned(),
            pins: self.pinned(column),
        }
    }

    fn show(&mut self, column: Column, planned: Arc<Planned>) {
        self.plans.insert(column, Progress::Done(planned));
    }

    /// Shows `planned`, which was judged, in place of the original.
    fn change(&mut self, column: Column, original: Arc<Planned>, planned: Arc<Planned>) {
        let moved = difference(&original, &planned);
        if moved.is_empty() {
            self.hand.edits.remove(&column);
            self.show(column, original);
            return;
        }
        let edit = Arc::new(Edit { original, moved });
        self.hand.edits.insert(column, edit);
        self.show(column, planned);
    }

    /// Takes the reasons out of a plan that came with them, so that they are kept once; a plan
    /// that is `hidden` behind a change leaves those of the one that is.
    pub(crate) fn take_reasons(
        &mut self,
        column: Column,
        mut planned: Planned,
        hidden: bool,
    ) -> Arc<Planned> {
        let explained = planned.explained.take();
        let planned = Arc::new(planned);
        if let Some(explained) = explained.filter(|_| !hidden) {
            let known = Known {
                planned: Arc::clone(&planned),
                explained: Some(Arc::from(explained)),
            };
            self.insight.known.insert(column, known);
        }
        planned
    }
}

/// The buffers that `now` has elsewhere than `made`, with where `made` has them.
fn difference(made: &Planned, now: &Planned) -> BTreeMap<usize, Offset> {
    let made = &made.judged.plan.offsets;
    let places = made.iter().zip(&now.judged.plan.offsets);
    let moved = places.enumerate().filter(|(_, (was, now))| was != now);
    moved.map(|(buffer, (was, _))| (buffer, *was)).collect()
}
