//! Looking and pointing: the window on memory × time, the hovered and the selected buffer.

use leptos::prelude::*;
use planner::liveness::Lifetimes;

use super::Action;
use crate::state::session::{Session, Window, to_f64};

/// Shares of the extent that may be empty around it.
const MARGIN: f64 = 0.25;

pub(super) fn look(session: Session, action: Action) {
    match action {
        Action::Hover(index) => {
            if session.hovered.get_untracked() != index {
                session.hovered.set(index);
            }
        }
        Action::Select(index) => session.selected.set(index),
        Action::Step(direction) => step(session, direction),
        Action::Match(direction) => step_match(session, direction),
        Action::Look(window) => set_window(session, window),
        Action::Fit => session.window.set(None),
        Action::FitSelection => fit_selection(session),
        Action::Zoom { about, factor } => {
            let Window { x, y } = current(session);
            let zoomed = Window {
                x: zoomed(x, about.0, factor.0),
                y: zoomed(y, about.1, factor.1),
            };
            set_window(session, zoomed);
        }
        Action::Pan(dx, dy) => {
            let Window { x, y } = current(session);
            let moved = Window {
                x: moved(x, dx),
                y: moved(y, dy),
            };
            set_window(session, moved);
        }
        _ => {}
    }
}

/// What is in view now, without following it.
pub(super) fn current(session: Session) -> Window {
    let window = session.window.get_untracked();
    window.unwrap_or_else(|| untrack(|| session.extent()))
}

fn zoomed((low, high): (f64, f64), about: f64, factor: f64) -> (f64, f64) {
    (about - (about - low) / factor, about + (high - about) / factor)
}

fn moved((low, high): (f64, f64), share: f64) -> (f64, f64) {
    let by = (high - low) * share;
    (low + by, high + by)
}

/// Keeps the window inside what there is, a margin aside, and no smaller than one step and
/// sixteen bytes.
fn set_window(session: Session, window: Window) {
    let extent = untrack(|| session.extent());
    let window = Window {
        x: kept(window.x, extent.x.1, 1.0),
        y: kept(window.y, extent.y.1, 16.0),
    };
    session.window.set(Some(window));
}

fn kept((low, high): (f64, f64), extent: f64, least: f64) -> (f64, f64) {
    let most = extent * (1.0 + 2.0 * MARGIN);
    let size = (high - low).clamp(least.min(most), most);
    let middle = f64::midpoint(low, high);
    let low = (middle - size / 2.0).clamp(-extent * MARGIN, (extent * (1.0 + MARGIN) - size).max(-extent * MARGIN));
    (low, low + size)
}

fn fit_selection(session: Session) {
    let Some(index) = session.selected.get_untracked() else {
        session.window.set(None);
        return;
    };
    let shown = session.shown.get_untracked();
    let offset = session.plans.with_untracked(|plans| {
        let planned = shown.iter().find_map(|column| plans.get(column)?.planned());
        planned.and_then(|planned| Some(planned.judged.plan.offsets.get(index)?.0))
    });
    let buffer = untrack(|| session.with_lifetimes(|lifetimes| lifetimes.buffers.get(index).cloned()));
    if let (Some(offset), Some(Some(buffer))) = (offset, buffer) {
        let around = |low: u64, high: u64| {
            let (low, high) = (to_f64(low), to_f64(high));
            let room = (high - low).max(1.0);
            (low - room, high + room)
        };
        set_window(session, Window {
            x: around(buffer.span.start.0, buffer.span.end.0),
            y: around(offset, offset.saturating_add(buffer.size.0)),
        });
    }
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
    order.sort_by_key(|&index| lifetimes.buffers[index].span.start);
    order
}

fn step_match(session: Session, direction: i8) {
    let selected = session.selected.get_untracked();
    if let Some(matches) = untrack(|| session.matches()) {
        session.selected.set(neighbour(&matches, selected, direction));
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
