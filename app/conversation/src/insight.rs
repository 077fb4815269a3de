//! Questions about a plan: why it is as large as it is, and what lies where.

use std::sync::Arc;

use planner::space::Spot;
use planner::{Step, space};
use worker::{CaseId, Explained, Planned};

use crate::model::appearance::Tab;
use crate::model::case::Case;
use crate::model::column::Column;
use crate::model::event::InsightAction;
use crate::model::grouping::When;
use crate::model::insight::{Known, Lit, PlanPosition};
use crate::model::state::State;
use crate::model::worker_queue::QuestionKind;

/// Plans of more buffers are explained only when somebody asks.
const EXPLAINED_UP_TO: usize = 200_000;

impl State {
    pub(crate) fn ask_of_plan(&mut self, id: CaseId, action: InsightAction) {
        let Some(case) = self.case_mut(id) else {
            return;
        };
        match action {
            InsightAction::Ask(place) => self.ask_at(id, place, false),
            InsightAction::Cross(place) => self.ask_at(id, place, true),
            InsightAction::Part(kind) => {
                case.planning.witness.put(None);
                case.insight.spot.put(None);
                case.insight.cross.put(false);
                case.insight.lit.put(kind.map(Lit::Part));
                let step = case.lit_part_step();
                case.insight.step.put(step);
                self.select(id, None);
            }
            InsightAction::Light(lit) => case.insight.lit.put(lit),
            InsightAction::Step(step) => case.insight.step.put(step),
            InsightAction::Point(step) => self.page.pointed.put(step),
            InsightAction::Operator(step) => {
                case.insight.operator.put(step);
                self.page.pointed.put(step);
            }
            InsightAction::Graph(seen) => self.page.graph.put(seen),
            InsightAction::Group(grouping) => case.insight.grouping.put(grouping),
            InsightAction::Open(open) => self.page.lanes_open.put(Some(open)),
            InsightAction::Lane(lane, on) => {
                let lanes = &mut self.page.lanes;
                lanes.remove(&lane);
                if on {
                    lanes.insert(lane);
                }
            }
            InsightAction::Clear => case.clear_insight(),
        }
    }

    /// Nothing is lit any longer: outlines of something else come instead.
    pub(crate) fn unlight(&mut self, id: CaseId) {
        if let Some(case) = self.case_mut(id)
            && case.insight.lit.is_some()
        {
            case.insight.lit.set(None);
            case.insight.step.put(None);
        }
    }

    /// Makes a point query; the buffer that lies there is selected.
    fn ask_at(&mut self, id: CaseId, place: Option<PlanPosition>, crossed: bool) {
        let Some(case) = self.case_mut(id) else {
            return;
        };
        case.insight.spot.put(place);
        if crossed || place.is_none() {
            case.insight.cross.put(crossed && place.is_some());
        }
        let Some((place, spot)) = case.spot() else {
            case.insight.spot.put(None);
            return;
        };
        case.runs.target.put(Some(place.column));
        if !*case.insight.cross && !matches!(spot, Spot::Empty(_)) {
            case.insight.spot.put(None);
        }
        let held = match spot {
            // The one that is drawn on top.
            Spot::Held(by) => by.last().copied(),
            Spot::Empty(_) | Spot::NotTaken | Spot::Outside => None,
        };
        self.select(id, held);
    }

    /// Whether lanes are seen: where nobody chose, beside a deployed plan in a large window.
    #[must_use]
    pub fn lanes_open(&self, id: CaseId) -> bool {
        self.page.lanes_open.unwrap_or_else(|| {
            let file = self.case(id).file.as_ref();
            file.is_some_and(|file| file.opened.deployed) && self.page.frame.is_roomy()
        })
    }

    /// Keeps the plans explained whose explanations are in view.
    pub(crate) fn follow_explanations(&mut self) {
        let ids: Vec<CaseId> = self.shown().map(|case| case.id).collect();
        for id in ids {
            let asks = *self.page.tab == Tab::WASTE && *self.active == id;
            let lanes = self.lanes_open(id);
            let case = self.case(id);
            let mut columns = Vec::new();
            if asks || case.insight.lit.is_some() {
                columns.extend(case.target());
            }
            if lanes {
                columns.extend(case.shown.iter().copied());
            }
            columns.extend(case.larger_than_the_bound());
            let Some(case) = self.case_mut(id) else {
                continue;
            };
            for column in columns {
                case.want_explanation(column);
            }
        }
    }

    /// Whether a plan is being explained.
    pub(crate) fn explains(&self) -> bool {
        let asked = self.worker_queue.outstanding.as_ref();
        asked.is_some_and(|asked| matches!(asked.kind, QuestionKind::Explaining(..)))
    }

    /// The worker has explained the plan of `column`.
    pub(crate) fn explained(
        &mut self,
        id: CaseId,
        (column, of): (Column, &Arc<Planned>),
        explained: Explained,
    ) {
        let Some(case) = self.case_mut(id) else {
            return;
        };
        let known = case.insight.known.get(&column);
        if known.is_some_and(|known| Arc::ptr_eq(&known.planned, of)) {
            let known = Known {
                planned: Arc::clone(of),
                explained: Some(Arc::new(explained)),
            };
            case.insight.known.insert(column, known);
            if matches!(*case.insight.lit, Some(Lit::Part(_))) && case.insight.step.is_none() {
                let step = case.lit_part_step();
                case.insight.step.put(step);
            }
        }
    }
}

impl Case {
    /// The answer of the point query.
    #[must_use]
    pub fn spot(&self) -> Option<(PlanPosition, Spot)> {
        let place = (*self.insight.spot)?;
        let planned = self.planned(place.column)?;
        let plan = &planned.judged.plan;
        let spot = space::at(self.lifetimes()?, plan, place.step, place.offset);
        Some((place, spot))
    }

    /// Whether anything is asked, so that Escape has something to end.
    #[must_use]
    pub fn is_asked(&self) -> bool {
        *self.insight.cross
            || self.insight.lit.is_some()
            || self.insight.spot.is_some()
            || self.insight.step.is_some()
    }

    pub(crate) fn clear_insight(&mut self) {
        self.insight.cross.put(false);
        self.insight.spot.put(None);
        self.insight.lit.put(None);
        self.insight.step.put(None);
    }

    /// What is new opens at the step that it was opened for, else where a request failed.
    pub(crate) fn open_at_failure(&mut self) {
        let prepared = self.prepared.as_ref();
        let failed = prepared.and_then(|it| it.subject.failed_at());
        let failed = failed.filter(|_| self.insight.step.is_none());
        if let Some(step) = self.look_at.take().or(failed) {
            self.insight.step.put(Some(step));
        }
    }

    /// The step that a link to who holds bytes names: the one that is looked at, unless the file
    /// opens there.
    pub(crate) fn named_step(&self) -> Option<Step> {
        let subject = &self.prepared.as_ref()?.subject;
        let grouping = &self.insight.grouping;
        let opens = subject.failed_at().filter(|_| grouping.when.is_none());
        let step = self.insight.step.filter(|step| Some(*step) != opens);
        step.filter(|_| grouping.when(subject) == When::Looked)
    }

    /// The step at which the part of the arena that is lit counts.
    fn lit_part_step(&self) -> Option<Step> {
        let Some(Lit::Part(kind)) = *self.insight.lit else {
            return None;
        };
        let explained = self.explained(self.target()?)?;
        explained.waste.part(kind).map(|part| part.step)
    }

    /// The plans in view that are larger than the bound, once nothing is planned any longer.
    fn larger_than_the_bound(&self) -> Vec<Column> {
        let few = |lifetimes: &planner::Lifetimes| lifetimes.buffers.len() <= EXPLAINED_UP_TO;
        if self.is_open() || !self.lifetimes().is_some_and(few) {
            return Vec::new();
        }
        let larger = |column: &Column| {
            self.planned(*column).is_some_and(|planned| {
                let judged = &planned.judged;
                !judged.metrics.optimal
                    && judged.violations.is_empty()
                    && judged.plan.pools.is_none()
            })
        };
        let shown = self.shown.iter().copied();
        shown.filter(larger).collect()
    }

    /// Makes sure that the plan of `column` gets explained.
    fn want_explanation(&mut self, column: Column) {
        let Some(planned) = self.planned(column).cloned() else {
            return;
        };
        let known = self.insight.known.get(&column);
        if known.is_some_and(|known| Arc::ptr_eq(&known.planned, &planned)) {
            return;
        }
        self.queue.explains.retain(|(other, _)| *other != column);
        self.queue
            .explains
            .push_back((column, Arc::clone(&planned)));
        let explained = None;
        let known = Known { planned, explained };
        self.insight.known.insert(column, known);
    }
}
