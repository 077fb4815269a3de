//! What the page knows of why plans are as large as they are, and what is asked of them: a
//! place, a part of the arena, the buffers that hold another up.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use conversation::{Answer, Case, Grouping, Known, LaneName, Lit, PlanPosition};
use planner::advice::{Advice, Wish};
use planner::space::{Loss, Spot};
use planner::stages::Staged;
use planner::waste;
use planner::{Offset, Step, Strategy, space};
use timeline::overlay_spot::SpotMarks;
use timeline::scene::Rect;
use worker::{Explained, Planned};

use super::part::{Of, Part, Store};
use super::session::{Column, Session, Tab, to_f64};
use super::training::Training;

/// So many holes of a plan are hatched, the largest.
const HOLES: usize = 12;

/// At most so many free ranges are hatched: more cannot be distinguished.
const HATCHED: usize = 200;

/// A chain is shown of at most this many buffers: each link looks at all of them.
pub(crate) const CHAINED_UP_TO: usize = 200_000;

/// Why a plan is larger than the bound.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SomeLoss(pub(crate) Loss);

/// A column's plan; equal only to itself, so that comparing costs nothing.
#[derive(Clone, Default)]
pub(crate) struct OnePlan(pub(crate) Option<(Column, Arc<Planned>)>);

impl PartialEq for OnePlan {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some((column, plan)), Some((other, same))) => {
                column == other && Arc::ptr_eq(plan, same)
            }
            (None, None) => true,
            _ => false,
        }
    }
}

/// What is asked of plans.
#[derive(Clone, Copy)]
pub(crate) struct Insight {
    pub(crate) known: Part<BTreeMap<Column, Known>>,
    pub(crate) lit: Part<Option<Lit>>,
    pub(crate) spot: Part<Option<PlanPosition>>,
    pub(crate) cross: Part<bool>,
    pub(crate) step: Part<Option<Step>>,
    pub(crate) grouping: Part<Grouping>,
    pub(crate) advised: Part<Answer<Advice>>,
    pub(crate) wish: Part<Wish>,
    pub(crate) stages: Part<Answer<Staged>>,
    pub(crate) training: Training,
    pub(crate) pointed: Part<Option<Step>>,
    pub(crate) open: Part<Option<bool>>,
    pub(crate) lanes: Part<BTreeSet<LaneName>>,
    /// The operator under the pointer, by its step.
    pub(crate) operator: Part<Option<Step>>,
    /// Whether graphs are seen.
    pub(crate) graph: Part<bool>,
}

impl Insight {
    pub(super) fn new(store: Store, of: Of) -> Self {
        Self {
            known: store.case(of, |case| &case.insight.known),
            lit: store.case(of, |case| &case.insight.lit),
            spot: store.case(of, |case| &case.insight.spot),
            cross: store.case(of, |case| &case.insight.cross),
            step: store.case(of, |case| &case.insight.step),
            grouping: store.case(of, |case| &case.insight.grouping),
            advised: store.case(of, |case| &case.advice.ask.found),
            wish: store.case(of, |case| &case.advice.wish),
            stages: store.case(of, |case| &case.stages.found),
            training: Training::new(store, of),
            pointed: store.page(|state| &state.page.pointed),
            open: store.page(|state| &state.page.lanes_open),
            lanes: store.page(|state| &state.page.lanes),
            operator: store.case(of, |case| &case.insight.operator),
            graph: store.page(|state| &state.page.graph),
        }
    }
}

impl Session {
    /// A column's plan, once there is one.
    pub(crate) fn one_plan(self, column: Option<Column>) -> OnePlan {
        OnePlan(column.and_then(|column| Some((column, self.planned(column)?))))
    }

    /// Why the plan of `column` is as large as it is, once that is known.
    pub(crate) fn explained(self, column: Column) -> Option<Arc<Explained>> {
        self.plans.track();
        self.insight.known.track();
        self.case(|case| case.explained(column))
    }

    /// Why a column's plan is larger than the bound, where it is and that is known.
    pub(crate) fn loss(self, column: Column) -> Option<SomeLoss> {
        let explained = self.explained(column)?;
        let loss = explained.loss.clone().map(SomeLoss);
        loss.filter(|_| !self.is_optimal(column))
    }

    /// Whether a column has no plan, or one than which none is smaller.
    pub(crate) fn is_optimal(self, column: Column) -> bool {
        let proved = self.proved();
        self.plans.with(|plans| {
            let planned = plans.get(&column).and_then(conversation::Progress::planned);
            planned.is_none_or(|planned| {
                let judged = &planned.judged;
                let smallest = judged.metrics.optimal || proved == Some(judged.metrics.taken());
                smallest && judged.violations.is_empty()
            })
        })
    }

    /// The answer of the point query.
    pub(crate) fn spot(self) -> Option<(PlanPosition, Spot)> {
        self.insight.spot.track();
        self.plans.track();
        self.prepared.track();
        self.case(Case::spot)
    }

    /// Whether lanes are seen; follows what it depends on.
    pub(crate) fn lanes_open(self) -> bool {
        self.insight.open.track();
        self.file.track();
        let id = self.id();
        self.state(|state| state.lanes_open(id))
    }

    /// The part of the arena that is lit.
    pub(crate) fn lit_part(self) -> Option<waste::Part> {
        let Some(Lit::Part(kind)) = self.insight.lit.get() else {
            return None;
        };
        let explained = self.explained(self.target()?)?;
        explained.waste.part(kind).cloned()
    }

    /// What the selected buffer rests on in the plan that the buttons are about, itself first.
    pub(crate) fn chain(self) -> Option<Vec<space::Rest>> {
        let selected = self.selected.get()?;
        let (_, planned) = self.one_plan(self.target()).0?;
        self.with_lifetimes(|lifetimes| {
            let few = lifetimes.buffers.len() <= CHAINED_UP_TO;
            few.then(|| space::chain(lifetimes, &planned.judged.plan, selected))
        })?
    }

    /// The buffers that are lit, if anything is.
    pub(crate) fn lit_buffers(self) -> Option<Vec<usize>> {
        match self.insight.lit.get()? {
            Lit::Part(_) => self.lit_part().map(|part| part.buffers),
            Lit::Chain => {
                let chain = self.chain()?;
                Some(chain.into_iter().map(|link| link.buffer).collect())
            }
        }
    }

    /// What a column's picture shows of that.
    pub(crate) fn spot_marks(self, column: Column) -> SpotMarks {
        let mut marks = SpotMarks {
            step: self.insight.step.get().map(|step| to_f64(step.0)),
            operator: self.operator_marks(),
            ..SpotMarks::default()
        };
        if let Some(place) = self.insight.spot.get().filter(|it| it.column == column) {
            if let Some((_, Spot::Empty(free_range))) = self.spot() {
                marks.free_range = Some(rect(free_range.span, free_range.low, free_range.high));
            }
            let point = (to_f64(place.step.0) + 0.5, to_f64(place.offset.0));
            marks.cross = self.insight.cross.get().then_some(point);
        }
        if self.insight.lit.get().is_none() || self.target() != Some(column) {
            return marks;
        }
        marks.lit = self.lit_buffers().unwrap_or_default();
        if let Some(Lit::Part(kind)) = self.insight.lit.get()
            && let Some(explained) = self.explained(column)
        {
            let free_ranges = explained.free_ranges.iter();
            let made = free_ranges.filter(|it| kind.is_made_by(it.segment.map(|it| it.1)));
            let free_ranges = made
                .take(HATCHED)
                .map(|free_range| rect(free_range.span, free_range.low, free_range.high));
            marks.free_ranges = free_ranges.collect();
        }
        marks
    }

    /// The holes of a plan that is larger than the bound, where they are empty. A plan without
    /// any reuse is all holes, and an outline of differences says more than both together.
    pub(crate) fn holes(self, column: Column) -> Vec<Rect> {
        let naive = column == Column::Strategy(Strategy::Naive);
        let lit = self.insight.lit.get().is_some();
        if naive || lit || self.tab.get() == Tab::DIFFERENCES {
            return Vec::new();
        }
        let loss = self.loss(column).map(|loss| loss.0);
        let holes = loss.iter().flat_map(Loss::largest_first).take(HOLES);
        let holes = holes.map(|hole| rect(hole.span, hole.low, hole.high));
        holes.collect()
    }

    /// The step whose figures are shown: the one under the pointer, else the one that is
    /// looked at, else the one at which most is needed.
    pub(crate) fn reported_step(self) -> Step {
        let peak = || {
            self.prepared.with(|prepared| {
                let prepared = prepared.as_ref();
                prepared.map_or(Step::default(), |prepared| prepared.bounds.peak)
            })
        };
        let asked = self.insight.step.get();
        let pointed = self.insight.pointed.get();
        pointed.or(asked).unwrap_or_else(peak)
    }
}

fn rect(span: planner::Span, low: Offset, high: Offset) -> Rect {
    Rect {
        x0: to_f64(span.start.0),
        x1: to_f64(span.end.0),
        y0: to_f64(low.0),
        y1: to_f64(high.0),
    }
}
