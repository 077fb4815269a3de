//! What a change by hand would give, while it is held or typed.

use std::collections::BTreeSet;

use conversation::{Case, Column, Version};
use planner::Offset;
use planner::what_if::{self, Look};

use super::part::Part;
use super::session::{Session, WhatIf};

/// Whether any of `versions` is of this column.
pub(crate) fn has_version(versions: Part<Vec<Version>>, column: Column) -> bool {
    versions.with(|versions| versions.iter().any(|version| version.column == column))
}

impl WhatIf {
    /// The pinned buffers of a plan; follows them.
    pub(crate) fn pinned(self, column: Column) -> BTreeSet<usize> {
        let pinned = self.pins.with(|pins| pins.get(&column).cloned());
        pinned.unwrap_or_default()
    }

    /// Whether a buffer of a plan is pinned; follows it.
    pub(crate) fn is_pinned(self, column: Column, buffer: usize) -> bool {
        self.pins
            .with(|pins| pins.get(&column).is_some_and(|pins| pins.contains(&buffer)))
    }
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
        let planned = self.planned(column)?;
        let plan = &planned.judged.plan;
        self.with_lifetimes(|lifetimes| what_if::look(lifetimes, plan, &options, (buffer, at)))
    }

    /// The highest address at which a buffer may be put by hand; follows what it depends on.
    pub(crate) fn highest(self) -> Offset {
        self.prepared.track();
        self.settings.track();
        self.planning.pools.track();
        self.case(Case::highest)
    }

    /// Whether more was changed by hand than a link carries; follows it.
    pub(crate) fn is_too_much_for_a_link(self) -> bool {
        self.runs.edits.track();
        self.what_if.pins.track();
        self.case(Case::is_too_much_for_a_link)
    }

    /// Where the plan of a column puts a buffer.
    pub(crate) fn offset(self, column: Column, buffer: usize) -> Option<Offset> {
        self.plans.track();
        self.case(|case| case.offset(column, buffer))
    }
}
