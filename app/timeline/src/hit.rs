//! What is where: from a point to a buffer, from a buffer to its neighbours. A buffer is found
//! in its pauses, too, unless another lies there.
//!
//! Everything scans the columns from the front or the back and skips blocks whose hull
//! cannot matter; no index has to be kept.

use crate::camera::Camera;
use crate::overlay::plot;
use crate::scene::{Rect, Scene};
use crate::snap::{Snap, whole};

/// The buffer of the topmost rectangle that contains the point of the data.
#[must_use]
pub fn hit(scene: &Scene, x: f64, y: f64) -> Option<usize> {
    for (indices, hull) in scene.blocks().rev() {
        if !hull.contains(x, y) {
            continue;
        }
        let found = indices.rev().find(|&index| scene.at(index).contains(x, y));
        if let Some(found) = found {
            return Some(scene.owner(found));
        }
    }
    None
}

/// The buffer of the topmost rectangle at a place on the screen (CSS pixels from the top left), by
/// the pixels that are drawn: what is seen there is what is hit, however thin. `None` outside.
#[must_use]
pub fn hit_screen(scene: &Scene, camera: &Camera, scale: f64, x: f64, y: f64) -> Option<usize> {
    let snap = Snap::new(camera, scale);
    let column = whole((x * scale).floor());
    let row = whole((y * scale).floor());
    if !(0..snap.columns).contains(&column) || !(0..snap.rows).contains(&row) {
        return None;
    }
    let window = window(&snap, column, row);
    for (indices, hull) in scene.blocks().rev() {
        if !meet(hull, &window) || !any_in_time(scene, indices.clone(), &window) {
            continue;
        }
        let covers = |&index: &usize| {
            let rect = scene.at(index);
            meet(&rect, &window) && snap.cell(&rect).contains(column, row)
        };
        let found = indices.rev().find(covers);
        if let Some(found) = found {
            return Some(scene.owner(found));
        }
    }
    None
}

/// Whether any rectangle touches the part of memory × time that is in view.
#[must_use]
pub fn is_any_in_view(scene: &Scene, camera: &Camera) -> bool {
    let plot = plot(camera);
    let (x0, y0) = camera.data_from_screen(plot.left, plot.bottom);
    let (x1, y1) = camera.data_from_screen(plot.right, plot.top);
    let window = Rect { x0, x1, y0, y1 };
    scene.blocks().any(|(mut indices, hull)| {
        meet(hull, &window) && indices.any(|index| meet(&scene.at(index), &window))
    })
}

/// The data that a pixel and those around it show: what is drawn there touches this.
fn window(snap: &Snap, column: i32, row: i32) -> Rect {
    let from_left = f64::from(column);
    let from_bottom = f64::from(snap.rows - 1 - row);
    Rect {
        x0: snap.x_start + (from_left - 1.0) / snap.per_step,
        x1: snap.x_start + (from_left + 2.0) / snap.per_step,
        y0: snap.y_start + (from_bottom - 1.0) / snap.per_byte,
        y1: snap.y_start + (from_bottom + 2.0) / snap.per_byte,
    }
}

/// Whether two rectangles touch, without a branch that could be mispredicted.
#[inline]
fn meet(a: &Rect, b: &Rect) -> bool {
    (a.x0 <= b.x1) & (a.x1 >= b.x0) & (a.y0 <= b.y1) & (a.y1 >= b.y0)
}

/// Whether any of a block's rectangles touches the window in time: a loop over two columns
/// that the compiler turns into vectors.
#[inline]
fn any_in_time(scene: &Scene, indices: std::ops::Range<usize>, window: &Rect) -> bool {
    let columns = scene.x0[indices.clone()].iter().zip(&scene.x1[indices]);
    columns.fold(false, |any, (&x0, &x1)| {
        any | ((x0 <= window.x1) & (x1 >= window.x0))
    })
}

/// The buffer of the rectangle nearest to a place on the screen, at most `reach` CSS pixels away:
/// for fingers. One that contains the place is nearest of all, the topmost first.
#[must_use]
pub fn nearest(scene: &Scene, camera: &Camera, x: f64, y: f64, reach: f64) -> Option<usize> {
    let mut best = None;
    let mut least = reach * reach;
    for (indices, hull) in scene.blocks().rev() {
        if distance_squared(camera, hull, x, y) > least {
            continue;
        }
        for index in indices.rev() {
            let distance = distance_squared(camera, &scene.at(index), x, y);
            if distance < least || (best.is_none() && distance <= least) {
                (best, least) = (Some(index), distance);
            }
        }
    }
    best.map(|found| scene.owner(found))
}

/// Squared distance in CSS pixels from a place on the screen to a rectangle.
fn distance_squared(camera: &Camera, rect: &Rect, x: f64, y: f64) -> f64 {
    let (left, bottom) = camera.screen_from_data(rect.x0, rect.y0);
    let (right, top) = camera.screen_from_data(rect.x1, rect.y1);
    let dx = (left - x).max(x - right).max(0.0);
    let dy = (top - y).max(y - bottom).max(0.0);
    dx * dx + dy * dy
}
