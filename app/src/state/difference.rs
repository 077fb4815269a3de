//! Which two plans are compared, and what differs between them.

use std::sync::Arc;

use leptos::prelude::*;
use planner::Offset;
use planner::difference::{Plans, plans};
use planner::load::LoadError;
use timeline::overlay_difference::DifferenceMarks;
use timeline::scene::Rect;
use worker::Differed;

use super::column::Column;
use super::session::{Session, Tab, to_f64};
use crate::format;
use crate::words::{DifferenceWord, filled};

/// What is compared.
#[derive(Clone, Copy)]
pub(crate) struct Differences {
    /// The plan that is compared with, and the other one; `None` leaves it to the page.
    pub(crate) chosen: RwSignal<Option<(Column, Column)>>,
    /// Another dump of the same program.
    pub(crate) other: RwSignal<Option<Other>>,
}

/// Another dump of the program that is open.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Other {
    /// Its files.
    pub(crate) name: String,
    /// Whether what is open is the dump after.
    pub(crate) opened_is_after: bool,
    /// For which arena of what is open it was compared.
    pub(crate) arena: u32,
    pub(crate) found: Found,
    /// Files that wait for others that belong to them, dump by dump.
    pub(crate) waiting: Vec<String>,
}

/// What came of comparing two dumps.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Found {
    /// Nothing yet.
    Waiting,
    /// Both, and what differs.
    There(Arc<Differed>),
    /// One of them could not be read.
    Refused(LoadError),
    /// The worker died.
    Crashed(String),
}

/// What differs, shared by the tab and every pane.
#[derive(Clone, Copy)]
pub(crate) struct SharedDifference(pub(crate) Memo<Option<Arc<Compared>>>);

/// Two plans and what differs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Compared {
    pub(crate) from: Column,
    pub(crate) to: Column,
    pub(crate) plans: Plans,
}

impl Differences {
    pub(crate) fn new() -> Self {
        Self {
            chosen: RwSignal::new(None),
            other: RwSignal::new(None),
        }
    }
}

impl Session {
    /// What waits, in the tab that is seen, for files that complete the other dump.
    pub(crate) fn completes_other(self) -> Option<String> {
        let seen = self.tab.get_untracked() == Tab::Differences;
        let other = self.differences.other.get_untracked().filter(|_| seen)?;
        other.waiting.last().cloned()
    }

    /// Every column with a plan of the open file, in the order of the columns.
    pub(crate) fn planned_columns(self) -> Vec<Column> {
        self.plans.with(|plans| {
            let planned = plans.iter().filter(|(_, plan)| plan.planned().is_some());
            planned.map(|(column, _)| *column).collect()
        })
    }

    /// The plans that are compared: those chosen, as far as they are there; else the one that
    /// came with the file, or the first that is shown, with the next that is shown.
    pub(crate) fn compared_columns(self) -> Option<(Column, Column)> {
        let planned = self.planned_columns();
        let chosen = self.differences.chosen.get();
        if let Some(chosen) = chosen
            && planned.contains(&chosen.0)
            && planned.contains(&chosen.1)
        {
            return Some(chosen);
        }
        let shown = self.shown.get();
        let mut columns = shown.iter().filter(|column| planned.contains(column));
        let deployed = planned.iter().find(|column| **column == Column::Deployed);
        let from = *deployed.or_else(|| columns.clone().next())?;
        let to = columns.find(|column| **column != from);
        let any = || planned.iter().find(|column| **column != from);
        Some((from, *to.or_else(any)?))
    }

    /// What differs between the compared plans; `None` where it is not shown, or where there is
    /// only one.
    pub(crate) fn compare_plans(self) -> Option<Arc<Compared>> {
        if self.tab.get() != Tab::Differences {
            return None;
        }
        let (from, to) = self.compared_columns()?;
        let plan = |column: Column| {
            let plans = self.plans.read();
            plans.get(&column)?.planned().cloned()
        };
        let (first, second) = (plan(from)?, plan(to)?);
        let plans = self.with_lifetimes(|lifetimes| {
            plans(lifetimes, &first.judged.plan, &second.judged.plan)
        })?;
        let taken = [&first, &second].map(|planned| planned.judged.metrics.taken());
        let plans = plans.taking(taken.into());
        Some(Arc::new(Compared { from, to, plans }))
    }

    /// What differs, over the picture of `column`.
    pub(crate) fn difference_marks(self, column: Column) -> DifferenceMarks {
        // Outlines over outlines say nothing.
        let lit = self.insight.lit.get().is_some();
        let Some(compared) = shared().get().filter(|_| !lit) else {
            return DifferenceMarks::default();
        };
        if column != compared.from && column != compared.to {
            return DifferenceMarks::default();
        }
        let is_first = column == compared.from;
        let moved = compared.plans.moved.iter();
        let selected = self.selected.get();
        let preview = selected.and_then(|index| {
            let it = compared.plans.moved.iter().find(|it| it.buffer == index)?;
            self.preview(index, if is_first { it.to } else { it.from })
        });
        // Where what was reserved counts, the picture's heights say nothing of what is freed.
        let (from, to) = match compared.plans.taken == compared.plans.arenas {
            true => compared.plans.arenas,
            false => Default::default(),
        };
        let (low, high) = (from.min(to).0, from.max(to).0);
        let word = match from > to {
            true => DifferenceWord::Freed,
            false => DifferenceWord::Added,
        };
        let text = filled(self.say(word), &[&format::bytes(high - low)]);
        DifferenceMarks {
            moved: moved.map(|it| it.buffer).collect(),
            preview,
            larger: (from > to) == is_first,
            freed: (low < high).then(|| (to_f64(low), to_f64(high), text)),
        }
    }

    /// The rectangle of a buffer at another address.
    fn preview(self, index: usize, at: Offset) -> Option<Rect> {
        self.with_lifetimes(|lifetimes| {
            let buffer = lifetimes.buffers.get(index)?;
            Some(Rect {
                x0: to_f64(buffer.span.start.0),
                x1: to_f64(buffer.span.end.0),
                y0: to_f64(at.0),
                y1: to_f64(at.0.saturating_add(buffer.size.0)),
            })
        })
        .flatten()
    }
}

/// What differs between the compared plans, while they are shown.
pub(crate) fn shared() -> Memo<Option<Arc<Compared>>> {
    expect_context::<SharedDifference>().0
}
