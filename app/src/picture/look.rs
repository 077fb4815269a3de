//! Looking around: which part of memory × time is in view, and which buffer or place is next.
//! What depends on the size of a picture is worked out here; the state keeps only the outcome.

use crate::state::driver::act;
use crate::state::session::{Session, to_f64};
use conversation::Column;
use conversation::{Action, InsightAction, PlanPosition, Window};
use leptos::prelude::*;
use planner::{Lifetimes, Offset, Sorting as _, Step};
use timeline::camera::Camera;
use timeline::scene::Rect;

/// So many pixels a press of an arrow key moves the crosshair at least.
const STRIDE: f64 = 6.0;

/// Looks at what this camera sees.
pub(crate) fn at(session: Session, mut camera: Camera) -> Action {
    camera.clamp(untrack(|| session.extents()));
    Action::Look(Some(Window {
        x: (camera.x.start, camera.x.end),
        y: (camera.y.start, camera.y.end),
    }))
}

/// Zooms time and memory by these factors about the middle.
pub(crate) fn zoomed(session: Session, x: f64, y: f64) -> Action {
    let mut camera = camera(session);
    camera.zoom_about(camera.width / 2.0, camera.height / 2.0, x, y);
    at(session, camera)
}

/// Moves later and higher by these shares of what is in view.
pub(crate) fn panned(session: Session, x: f64, y: f64) -> Action {
    let mut camera = camera(session);
    camera.pan_by(-x * camera.width, y * camera.height);
    at(session, camera)
}

/// Looks at the life of the selected buffer, and at every place that it has in a pane; at
/// everything where none is selected.
pub(crate) fn on_selection(session: Session) -> Action {
    let rect = session.selected.get_untracked().and_then(|index| {
        let silhouette = untrack(|| session.silhouette());
        let shown = session.shown.get_untracked().into_iter();
        let shown = shown.filter(|column| Some(*column) != silhouette);
        let rects = shown.filter_map(|column| untrack(|| in_pane(session, column, index)));
        // What holds it wherever it is: no pane is left without it.
        rects.reduce(|all, next| Rect {
            y0: all.y0.min(next.y0),
            y1: all.y1.max(next.y1),
            ..all
        })
    });
    match rect {
        Some(rect) => on_rect(session, rect),
        None => Action::Look(None),
    }
}

/// Looks at `rect`, which is on the scale that all panes have in common.
pub(crate) fn on_rect(session: Session, rect: Rect) -> Action {
    let mut camera = camera(session);
    camera.fit_selection(rect);
    at(session, camera)
}

/// Where a buffer is in a column's pane, on the scale that all have in common.
fn in_pane(session: Session, column: Column, index: usize) -> Option<Rect> {
    let offset = session.offset(column, index)?;
    let rect = session.with_lifetimes(|lifetimes| rect(lifetimes, index, offset))??;
    let (x0, x1) = (session.across(rect.x0), session.across(rect.x1));
    let scale = session.scale_of(column);
    Some(Rect {
        x0,
        x1,
        y0: rect.y0 / scale,
        y1: rect.y1 / scale,
    })
}

fn camera(session: Session) -> Camera {
    untrack(|| session.camera(session.size.get()))
}

fn rect(lifetimes: &Lifetimes, index: usize, offset: Offset) -> Option<Rect> {
    let buffer = lifetimes.buffers.get(index)?;
    Some(Rect {
        x0: to_f64(buffer.span.start.0),
        x1: to_f64(buffer.span.end.0),
        y0: to_f64(offset.0),
        y1: to_f64(offset.0.saturating_add(buffer.size.0)),
    })
}

/// Selects the next (1) or previous (-1) buffer by first use; buffers of a model stand in that
/// order, those of a problem are sorted for it.
pub(crate) fn step(session: Session, direction: i8) -> Option<Action> {
    let order = untrack(|| session.with_lifetimes(by_first_use))?;
    let selected = session.selected.get_untracked();
    Some(Action::Select(neighbour(&order, selected, direction)))
}

fn by_first_use(lifetimes: &Lifetimes) -> Vec<usize> {
    let mut order: Vec<usize> = (0..lifetimes.buffers.len()).collect();
    order.order_by_key(|&index| lifetimes.buffers[index].span.start);
    order
}

/// Selects the next (1) or previous (-1) match of the search.
pub(crate) fn step_match(session: Session, direction: i8) {
    let selected = session.selected.get_untracked();
    if let Some(matches) = untrack(|| session.matches()) {
        act(
            session,
            Action::Select(neighbour(&matches, selected, direction)),
        );
    }
}

fn neighbour(order: &[usize], selected: Option<usize>, direction: i8) -> Option<usize> {
    let last = order.len().checked_sub(1)?;
    let place = selected.and_then(|index| order.iter().position(|&other| other == index));
    let place = match (place, direction >= 0) {
        (None, true) => 0,
        (None, false) => last,
        (Some(place), true) if place == last => 0,
        (Some(place), true) => place + 1,
        (Some(place), false) => place.checked_sub(1).unwrap_or(last),
    };
    order.get(place).copied()
}

/// Switches the crosshair on, in the middle of what is in view or where something was asked
/// before, or off.
pub(crate) fn crossed(session: Session) -> Option<Action> {
    if session.insight.cross.get_untracked() {
        return Some(Action::Insight(InsightAction::Cross(None)));
    }
    let column = untrack(|| session.target())?;
    let before = session.insight.spot.get_untracked();
    let before = before.filter(|place| place.column == column);
    let middle = || {
        let camera = camera(session);
        // Of the plot: rulers are on one side of it only.
        let room = camera.labelling.insets();
        let x = f64::midpoint(room.left, camera.width - room.right);
        let y = f64::midpoint(room.top, camera.height - room.bottom);
        let (x, y) = camera.data_from_screen(x, y);
        place_at(session, column, (untrack(|| session.step_at(x)), y))
    };
    let place = before.unwrap_or_else(middle);
    Some(Action::Insight(InsightAction::Cross(Some(place))))
}

/// Moves the crosshair so many strides later and higher.
pub(crate) fn cross_moved(session: Session, later: i8, higher: i8) -> Option<Action> {
    let place = session.insight.spot.get_untracked()?;
    let camera = camera(session);
    let (from, later) = (to_f64(place.step.0), f64::from(later));
    let stride = STRIDE / camera.pixels_per_step();
    let stride = match session.clock.with_untracked(Option::is_some) {
        true => (untrack(|| session.step_at(session.across(from) + later * stride)) - from).abs(),
        false => stride,
    };
    let steps = stride.ceil().max(1.0);
    let bytes = (STRIDE / camera.pixels_per_byte()).ceil().max(1.0);
    let at = (
        from + steps * later,
        to_f64(place.offset.0) + bytes * f64::from(higher),
    );
    let place = place_at(session, place.column, at);
    Some(Action::Insight(InsightAction::Ask(Some(place))))
}

/// The place at a step and an address, kept inside the plan.
fn place_at(session: Session, column: Column, (x, y): (f64, f64)) -> PlanPosition {
    let planned = untrack(|| session.planned(column));
    let arena = planned.map_or(1, |planned| planned.judged.plan.top().0);
    let horizon = untrack(|| session.with_lifetimes(|lifetimes| lifetimes.horizon.0));
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "float casts saturate"
    )]
    let whole = |value: f64, end: u64| (value.max(0.0) as u64).min(end.saturating_sub(1));
    PlanPosition {
        column,
        step: Step(whole(x, horizon.unwrap_or(1))),
        offset: Offset(whole(y, arena)),
    }
}
