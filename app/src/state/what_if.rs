//! What the page knows of plans changed by hand, beside the changes themselves: what is
//! pinned, what can be undone, and what a strategy is finishing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use leptos::prelude::*;
use planner::what_if::Look;
use planner::{Offset, Strategy, what_if};
use worker::Planned;

use super::column::Column;
use super::session::Session;

/// A column's plan at one moment.
#[derive(Clone)]
pub(crate) struct Version {
    pub(crate) column: Column,
    /// The changed plan, if it was changed.
    pub(crate) planned: Option<Arc<Planned>>,
    pub(crate) pins: BTreeSet<usize>,
}

/// What stays where it is while a strategy plans the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    /// What is pinned.
    Pins,
    /// Everything but this buffer.
    AllBut(usize),
}

/// The signals of what-if.
#[derive(Clone, Copy)]
pub(crate) struct WhatIf {
    /// The buffers of each plan that stay where they are.
    pub(crate) pins: RwSignal<BTreeMap<Column, BTreeSet<usize>>>,
    /// What can be undone, the latest last.
    pub(crate) past: RwSignal<Vec<Version>>,
    /// What can be done again, the latest undone last.
    pub(crate) future: RwSignal<Vec<Version>>,
    /// The buffer that waits for another to change places with.
    pub(crate) partner: RwSignal<Option<usize>>,
    /// What plans the rest.
    pub(crate) finisher: RwSignal<Strategy>,
    /// The plan that a strategy is finishing, and the number of the question.
    pub(crate) finishing: RwSignal<Option<(Column, u32)>>,
}

impl WhatIf {
    pub(crate) fn new() -> Self {
        Self {
            pins: RwSignal::new(BTreeMap::new()),
            past: RwSignal::new(Vec::new()),
            future: RwSignal::new(Vec::new()),
            partner: RwSignal::new(None),
            finisher: RwSignal::new(Strategy::Best),
            finishing: RwSignal::new(None),
        }
    }

    /// The pinned buffers of a plan; follows them.
    pub(crate) fn pinned(self, column: Column) -> BTreeSet<usize> {
        let pins = |pins: &BTreeMap<Column, BTreeSet<usize>>| pins.get(&column).cloned();
        self.pins.with(pins).unwrap_or_default()
    }

    /// Whether a buffer of a plan is pinned; follows it.
    pub(crate) fn is_pinned(self, column: Column, buffer: usize) -> bool {
        self.pins
            .with(|pins| pins.get(&column).is_some_and(|pins| pins.contains(&buffer)))
    }
}

/// Whether any of `versions` is of this column.
pub(crate) fn has_version(versions: RwSignal<Vec<Version>>, column: Column) -> bool {
    versions.with(|versions| versions.iter().any(|version| version.column == column))
}

impl Session {
    /// What dropping the held buffer of `column` where it is would give; `None` when none is
    /// held.
    pub(crate) fn outlook(self, column: Column) -> Option<Look> {
        let moving = self.runs.moving.get().filter(|it| it.column == column)?;
        self.look(column, moving.buffer, moving.to)
    }

    /// What it gives that a buffer of a plan lies at `at`.
    pub(crate) fn look(self, column: Column, buffer: usize, at: Offset) -> Option<Look> {
        let options = self.options();
        self.plans.with(|plans| {
            let plan = &plans.get(&column)?.planned()?.judged.plan;
            self.with_lifetimes(|lifetimes| what_if::look(lifetimes, plan, &options, (buffer, at)))
        })
    }

    /// Where the plan of a column puts a buffer.
    pub(crate) fn offset(self, column: Column, buffer: usize) -> Option<Offset> {
        self.plans.with(|plans| {
            let planned = plans.get(&column)?.planned()?;
            planned.judged.plan.offsets.get(buffer).copied()
        })
    }
}
