//! What the page knows of plans changed by hand, beside the changes themselves: what is
//! pinned, what can be undone, and what a strategy is finishing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use leptos::prelude::*;
use planner::strategies::Strategy;
use planner::units::{Bytes, Offset};
use planner::what_if;
use worker::Planned;

use super::column::Column;
use super::run::{Edit, Moving};
use super::session::Session;

/// A column's plan at one moment.
#[derive(Clone)]
pub(crate) struct Version {
    pub(crate) column: Column,
    /// Its changes, if there were any.
    pub(crate) edit: Option<Arc<Edit>>,
    pub(crate) planned: Arc<Planned>,
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
    /// Who plans the rest.
    pub(crate) finisher: RwSignal<Strategy>,
    /// The plan that a strategy is finishing.
    pub(crate) finishing: RwSignal<Option<Column>>,
}

/// What dropping a held buffer would give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outlook {
    /// The arena.
    pub(crate) arena: Bytes,
    /// Who is in the way, by index.
    pub(crate) in_the_way: Vec<usize>,
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
}

impl Session {
    /// What dropping the held buffer of `column` where it is would give; `None` when none is
    /// held.
    pub(crate) fn outlook(self, column: Column) -> Option<Outlook> {
        let moving = self.runs.moving.get().filter(|it| it.column == column)?;
        let options = self.options();
        let mut offsets = self.offsets(column)?;
        self.with_lifetimes(|lifetimes| {
            let Moving { buffer, to, .. } = moving;
            let in_the_way = what_if::in_the_way(lifetimes, &offsets, buffer, to);
            *offsets.get_mut(buffer)? = to;
            let arena = what_if::arena(lifetimes, &offsets, &options);
            Some(Outlook { arena, in_the_way })
        })?
    }

    /// Where the plan of a column puts every buffer.
    pub(crate) fn offsets(self, column: Column) -> Option<Vec<Offset>> {
        self.plans.with(|plans| {
            let planned = plans.get(&column)?.planned()?;
            Some(planned.judged.plan.offsets.clone())
        })
    }
}
