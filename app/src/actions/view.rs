//! Looking and pointing: the window on memory × time, the hovered and the selected buffer.

use leptos::prelude::*;
use planner::{Lifetimes, Sorting as _};

use timeline::camera::Camera;
use timeline::scene::Rect;

use super::Action;
use crate::state::session::{Session, to_f64};

pub(super) fn look(session: Session, action: Action) {
    match action {
        Action::Hover(index) if session.hovered.get_untracked() == index => {}
        Action::Hover(index) => session.hovered.set(index),
        Action::Select(None) if session.selected.get_untracked().is_none() => {
            session.planning.witness.set(None);
        }
        Action::Select(index) => session.selected.set(index),
        Action::Step(direction) => step(session, direction),
        Action::Match(direction) => step_match(session, direction),
        Action::Look(looked) => set_camera(session, looked),
        Action::Fit => session.window.set(None),
        Action::FitSelection => fit_selection(session),
        Action::Zoom(x, y) => {
            let mut camera = camera(session);
            camera.zoom_about(camera.width / 2.0, camera.height / 2.0, x, y);
            set_camera(session, camera);
        }
        Action::Pan(x, y) => {
            let mut camera = camera(session);
            camera.pan_by(-x * camera.width, y * camera.height);
            set_camera(session, camera);
        }
        _ => {}
    }
}

fn camera(session: Session) -> Camera {
    untrack(|| session.camera(session.size.get()))
}

fn set_camera(session: Session, mut camera: Camera) {
    camera.clamp(untrack(|| session.extents()));
    session.window.set(Some(camera.into()));
}

fn fit_selection(session: Session) {
    let rect = session.selected.get_untracked().and_then(|index| {
        let shown = session.shown.get_untracked();
        let offset = session.plans.with_untracked(|plans| {
            let planned = shown.iter().find_map(|column| plans.get(column)?.planned());
            planned.and_then(|planned| Some(planned.judged.plan.offsets.get(index)?.0))
        })?;
        untrack(|| session.with_lifetimes(|lifetimes| rect(lifetimes, index, offset))).flatten()
    });
    let Some(rect) = rect else {
        session.window.set(None);
        return;
    };
    let mut camera = camera(session);
    camera.fit_selection(rect);
    set_camera(session, camera);
}

fn rect(lifetimes: &Lifetimes, index: usize, offset: u64) -> Option<Rect> {
    let buffer = lifetimes.buffers.get(index)?;
    Some(Rect {
        x0: to_f64(buffer.span.start.0),
        x1: to_f64(buffer.span.end.0),
        y0: to_f64(offset),
        y1: to_f64(offset.saturating_add(buffer.size.0)),
    })
}

/// Selects the next or previous buffer by first use; buffers of a model stand in that order,
/// those of a problem are sorted for it.
fn step(session: Session, direction: i8) {
    let selected = session.selected.get_untracked();
    let order = untrack(|| session.with_lifetimes(by_first_use));
    if let Some(order) = order {
        session.selected.set(neighbour(&order, selected, direction));
    }
}

fn by_first_use(lifetimes: &Lifetimes) -> Vec<usize> {
    let mut order: Vec<usize> = (0..lifetimes.buffers.len()).collect();
    order.order_by_key(|&index| lifetimes.buffers[index].span.start);
    order
}

fn step_match(session: Session, direction: i8) {
    let selected = session.selected.get_untracked();
    if let Some(matches) = untrack(|| session.matches()) {
        session
            .selected
            .set(neighbour(&matches, selected, direction));
    }
}

fn neighbour(order: &[usize], selected: Option<usize>, direction: i8) -> Option<usize> {
    let last = order.len().checked_sub(1)?;
    let place = selected.and_then(|index| order.iter().position(|&other| other == index));
    let place = match (place, direction >= 0) {
        (None, true) => 0,
        (None, false) => last,
        (Some(place), true) => {
            if place == last {
                0
            } else {
                place + 1
            }
        }
        (Some(place), false) => place.checked_sub(1).unwrap_or(last),
    };
    order.get(place).copied()
}
