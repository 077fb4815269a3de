//! Which two plans are compared, and what differs between them.

use std::sync::Arc;

use leptos::prelude::*;
use planner::Offset;
use planner::difference::{Plans, plans};
use timeline::overlay_difference::DifferenceMarks;
use timeline::scene::Rect;

use super::session::{Column, Session, Tab, to_f64};
use crate::format;
use crate::strings::{DifferenceWord, filled};

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

impl Session {
    /// The plans that are compared: those chosen, as far as they are there; else the one that
    /// came with the file, or the first that is shown, with the next that is shown.
    pub(crate) fn compared_columns(self) -> Option<(Column, Column)> {
        let planned = self.planned_columns();
        let chosen = self.compared.get();
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
        if self.tab.get() != Tab::DIFFERENCES {
            return None;
        }
        let (from, to) = self.compared_columns()?;
        let (first, second) = (self.planned(from)?, self.planned(to)?);
        let alignment = self.settings.with(|settings| settings.alignment);
        let plans = self.with_lifetimes(|lifetimes| {
            let (from, to) = (&first.judged.plan, &second.judged.plan);
            plans(lifetimes, from, to, alignment)
        })?;
        let taken = [&first, &second].map(|planned| planned.judged.metrics.taken());
        let plans = plans.taking(taken.into());
        Some(Arc::new(Compared { from, to, plans }))
    }

    /// What differs, over the picture of `column`.
    pub(crate) fn difference_marks(self, column: Column) -> DifferenceMarks {
        // Outlines over outlines say nothing.
        let lit = self.insight.lit.get().is_some();
        let elsewhere = self.active.get() != self.id();
        let Some(compared) = shared().get().filter(|_| !lit && !elsewhere) else {
            return DifferenceMarks::default();
        };
        if column != compared.from && column != compared.to {
            return DifferenceMarks::default();
        }
        let is_first = column == compared.from;
        let pointed = compared.plans.pointed(self.all_moved.get()).into_iter();
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
            moved: pointed.map(|it| it.buffer).collect(),
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
