//! What is in view: how far plans reach, and the cameras that look at them.

use std::sync::Arc;

use conversation::{Answer, Case, Column, Mode, Tab, Window};
use leptos::prelude::*;
use planner::Strategy;
use planner::deployed::Clock;
use planner::stages::Staged;
use timeline::camera::{Camera, Range};
use timeline::labelling::{FONT, LARGE, Labelling};
use timeline::scene::Extents;
use worker::{CaseId, Prepared};

use super::part::{Of, Part, Store};
use super::session::{Session, to_f64};

impl Session {
    /// How far everything that is shown reaches: the same for every pane, so that arenas can
    /// be compared by eye; of all cases where their axes are linked.
    pub(crate) fn extents(self) -> Extents {
        let own = self.own_extents();
        if !self.linked.get() {
            return own;
        }
        let others = self.cases.get().into_iter();
        others.fold(own, |all, id| {
            let other = match id == self.id() {
                true => own,
                false => self.extents_of(id),
            };
            Extents {
                horizon: all.horizon.max(other.horizon),
                top: all.top.max(other.top),
            }
        })
    }

    fn own_extents(self) -> Extents {
        self.prepared.track();
        self.plans.track();
        self.shown.track();
        self.clock.track();
        let seen = self.on_common_scale();
        let mut extents = self.case(|case| extents(case, &seen));
        extents.top = extents.top.max(self.film_top(&seen));
        if let Some(staged) = self.compared_stages() {
            let steps = staged.rows.iter().map(|row| row.steps.0).max();
            extents.horizon = extents.horizon.max(to_f64(steps.unwrap_or_default()));
            let tops = seen.into_iter().map(|it| top_of(&staged, it));
            extents.top = tops.fold(extents.top, f64::max);
        }
        extents
    }

    /// The columns whose pictures are seen and have the common scale: without the silhouette, and
    /// without what makes room for a run or a film.
    fn on_common_scale(self) -> Vec<Column> {
        let silhouette = self.silhouette();
        let shown = self.shown.get().into_iter();
        let seen = shown.filter(|it| Some(*it) != silhouette && !self.is_aside(*it));
        seen.collect()
    }

    /// The column that is drawn as a silhouette, see [`Case::silhouette`]: where there is one
    /// case, and no lesson sets panes side by side. Follows all that it depends on.
    pub(crate) fn silhouette(self) -> Option<Column> {
        self.own_scale.track();
        self.beside_others(Case::silhouette)
    }

    /// Whether it would be drawn so, had nobody chosen otherwise.
    pub(crate) fn could_be_silhouette(self) -> bool {
        self.beside_others(Case::unreused).is_some()
    }

    fn beside_others(self, which: fn(&Case) -> Option<Column>) -> Option<Column> {
        self.shown.track();
        self.plans.track();
        let even = self.taught.scene.with(Option::is_some) || self.cases.with(Vec::len) > 1;
        let silhouette = (!even).then(|| self.case(which)).flatten()?;
        let shown = self.shown.get().into_iter();
        let others = shown.filter(|it| *it != silhouette && !self.is_aside(*it));
        (others.count() > 0 && !self.is_aside(silhouette)).then_some(silhouette)
    }

    /// How many times as high a pixel of the silhouette is as one of the other panes.
    pub(crate) fn silhouette_ratio(self) -> Option<f64> {
        let silhouette = self.silhouette()?;
        Some(self.reach_of(silhouette)? / self.extents().top)
    }

    /// How far a plan reaches, at any stage while stages are gone through.
    fn reach_of(self, column: Column) -> Option<f64> {
        let own = to_f64(self.planned(column)?.judged.plan.top().0.max(1));
        let stages = self.compared_stages().map(|it| top_of(&it, column));
        Some(own.max(stages.unwrap_or_default()))
    }

    /// The stages, while they are gone through: then all of them have the same axes.
    fn compared_stages(self) -> Option<Arc<Staged>> {
        let staged = match self.insight.stages.get() {
            Answer::There(staged) => staged,
            _ => return None,
        };
        let timed = self.clock.with(Option::is_some);
        (self.tab.get() == Tab::STAGES && !timed).then_some(staged)
    }

    /// Whether stages are gone through in panes of one height.
    fn are_stages_even(self) -> bool {
        self.compared_stages().is_some() && self.silhouette().is_none()
    }

    /// Those of another case; follows every change, for which parts change is not known here.
    fn extents_of(self, id: CaseId) -> Extents {
        self.store.follow();
        self.store.read(|state| {
            let case = state.case(id);
            extents(case, &case.shown)
        })
    }

    /// Where a step is across; follows that.
    pub(crate) fn across(self, step: f64) -> f64 {
        self.clock
            .with(|clock| clock.as_ref().map_or(step, |it| it.at(step)))
    }

    /// The step at a place across; follows that.
    pub(crate) fn step_at(self, x: f64) -> f64 {
        self.clock
            .with(|clock| clock.as_ref().map_or(x, |it| it.step(x)))
    }

    /// The camera of a pane of this size, in CSS pixels: on the chosen window, or on
    /// everything.
    pub(crate) fn camera(self, size: (f64, f64)) -> Camera {
        self.labelled(size, Labelling::of(size, self.letters()))
    }

    /// Height of the letters in pictures, in CSS pixels.
    pub(crate) fn letters(self) -> f64 {
        match self.frame.with(|frame| frame.mode) {
            Mode::Presenter => LARGE,
            Mode::Work | Mode::Embedded => FONT,
        }
    }

    fn labelled(self, (width, height): (f64, f64), labelling: Labelling) -> Camera {
        match self.window.get() {
            Some(Window { x, y }) => Camera {
                x: Range::new(x.0, x.1),
                y: Range::new(y.0, y.1),
                width,
                height,
                labelling,
            },
            None => Camera::fitted(self.extents(), width, height, labelling),
        }
    }

    /// Whether each pane has a scale of addresses of its own; follows what that depends on.
    pub(crate) fn has_own_scales(self) -> bool {
        self.own_scale.track();
        self.shown.track();
        self.plans.track();
        // Stages are compared in each pane, not the panes with each other.
        let chosen = self.own_scale.get();
        chosen.unwrap_or_else(|| self.are_stages_even() || self.case(Case::has_own_scales))
    }

    /// The camera of a column's pane: what is in view, on the pane's own scale of addresses.
    pub(crate) fn camera_of(self, column: Column, size: (f64, f64)) -> Camera {
        self.camera_labelled(column, size, Labelling::of(size, self.letters()))
    }

    /// The same with this labelling.
    pub(crate) fn camera_labelled(
        self,
        column: Column,
        size: (f64, f64),
        labelling: Labelling,
    ) -> Camera {
        if self.silhouette() == Some(column) {
            let top = self.reach_of(column).unwrap_or(1.0);
            let extents = Extents {
                top,
                ..self.extents()
            };
            return Camera::fitted(extents, size.0, size.1, labelling);
        }
        let scale = self.scale_of(column);
        let camera = self.labelled(size, labelling);
        Camera {
            y: Range::new(camera.y.start * scale, camera.y.end * scale),
            ..camera
        }
    }

    /// What a search does not match, or what has no part in the bound that is shown, by buffer.
    pub(crate) fn dimmed(self) -> Option<Arc<Vec<bool>>> {
        let witness = || Some(self.lit_bound()?.witness.to_vec());
        let lit = || self.lit_buffers();
        let matches = self.matches().or_else(lit).or_else(witness)?;
        let count = self.with_lifetimes(|lifetimes| lifetimes.buffers.len())?;
        let mut dim = vec![true; count];
        for index in matches {
            if let Some(dim) = dim.get_mut(index) {
                *dim = false;
            }
        }
        Some(Arc::new(dim))
    }

    /// How high a column's pane reaches, as a share of how high all reach together.
    pub(crate) fn scale_of(self, column: Column) -> f64 {
        if !self.has_own_scales() {
            return 1.0;
        }
        let all = self.extents().top;
        let bound = self.prepared.with(|prepared| {
            let bound = |prepared: &Arc<Prepared>| prepared.bounds.offsets.0;
            prepared.as_ref().map_or(1, bound)
        });
        let arena = self.planned(column).map(|it| it.judged.plan.top().0);
        let own = to_f64(arena.unwrap_or_default().max(bound).max(1));
        let stages = self.compared_stages().map(|it| top_of(&it, column));
        let own = own.max(stages.unwrap_or_default());
        let film = self.recording(column).map(|it| to_f64(it.survey.highest.0));
        (own.max(film.unwrap_or_default()) / all).min(1.0)
    }
}

/// What says where steps are across, while times are across.
pub(super) fn clock(
    store: Store,
    of: Of,
    prepared: Part<Option<Arc<Prepared>>>,
) -> Memo<Option<Arc<Clock>>> {
    let timed = store.case(of, |case| &case.timed);
    Memo::new(move |_| {
        let clock = |it: &Arc<Prepared>| Arc::new(it.subject.clock.clone());
        let clock = timed
            .get()
            .then(|| prepared.with(|it| it.as_ref().map(clock)));
        clock.flatten().filter(|clock| !clock.is_empty())
    })
}

/// How far plans of a column reach at any stage, as far as that is known.
fn top_of(staged: &Staged, column: Column) -> f64 {
    let naive = column == Column::Strategy(Strategy::Naive);
    let tops = staged.rows.iter().filter_map(|row| match naive {
        true => Some(row.figures.naive),
        false => row.arena.as_ref().ok().copied(),
    });
    to_f64(tops.map(|bytes| bytes.0).max().unwrap_or_default())
}

/// How far the plans of these columns of a case reach, with all that was taken for them.
fn extents(case: &Case, seen: &[Column]) -> Extents {
    let (horizon, bound) = case.prepared.as_ref().map_or((1, 1), |prepared| {
        let lifetimes = &prepared.subject.lifetimes;
        (lifetimes.horizon.0, prepared.bounds.offsets.0)
    });
    let across = |step: f64| case.clock().map_or(step, |clock| clock.at(step));
    let planned = seen.iter().filter_map(|column| case.planned(*column));
    let arena = planned.map(|planned| planned.judged.plan.top().0).max();
    Extents {
        horizon: across(to_f64(horizon.max(1))).max(1.0),
        top: to_f64(arena.unwrap_or(bound).max(bound).max(1)),
    }
}
