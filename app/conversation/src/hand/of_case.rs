//! What was changed of the plans of one case.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use planner::{Bytes, Offset, what_if};
use worker::Planned;

use crate::hand::{MOST_WAITING, WORD};
use crate::model::case::{Case, Edit, Version};
use crate::model::column::Column;
use crate::model::hand::Operation;
use crate::model::insight::Known;
use crate::model::progress::Progress;

impl Case {
    pub(super) fn wait(&mut self, operation: Operation) {
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

    pub(super) fn target_original(&self) -> Option<(Column, Arc<Planned>)> {
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

    pub(super) fn version(&self, column: Column) -> Version {
        let edited = self.hand.edits.contains_key(&column);
        Version {
            column,
            planned: self.planned(column).filter(|_| edited).cloned(),
            pins: self.pinned(column),
        }
    }

    pub(super) fn show(&mut self, column: Column, planned: Arc<Planned>) {
        self.plans.insert(column, Progress::Done(planned));
    }

    /// Shows `planned`, which was judged, in place of the original; whether it is another plan.
    /// Another figure of the arena alone makes it one where a file says so.
    pub(super) fn change(
        &mut self,
        column: Column,
        original: Arc<Planned>,
        planned: Arc<Planned>,
        from_file: bool,
    ) -> bool {
        let moved = difference(&original, &planned);
        let resized = original.judged.plan.arena != planned.judged.plan.arena;
        if moved.is_empty() && !(from_file && resized) {
            self.hand.edits.remove(&column);
            self.show(column, original);
            return false;
        }
        let edit = Arc::new(Edit { original, moved });
        self.hand.edits.insert(column, edit);
        self.show(column, planned);
        true
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
pub(super) fn difference(made: &Planned, now: &Planned) -> BTreeMap<usize, Offset> {
    let made = &made.judged.plan.offsets;
    let places = made.iter().zip(&now.judged.plan.offsets);
    let moved = places.enumerate().filter(|(_, (was, now))| was != now);
    moved.map(|(buffer, (was, _))| (buffer, *was)).collect()
}
