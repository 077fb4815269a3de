//! The live-bytes curve as a polyline of few points.

use crate::camera::Camera;
use crate::overlay::{Area, Ink, Item};
use crate::scene::Scene;

/// So many points in one column of pixels are told apart: more up and down strokes than that would
/// fill it, and of a hundred thousand events the whole picture.
const MOST: usize = 8;

/// A polyline that keeps, of all points in one column of pixels, the first, the lowest, the
/// highest and the last: a million steps stay a few thousand points and look the same. Of a
/// column with more than [`MOST`] it keeps the peak alone.
#[derive(Debug, Default)]
struct Thinned {
    points: Vec<(f64, f64)>,
    column: Option<Column>,
}

#[derive(Clone, Copy, Debug)]
struct Column {
    end: f64,
    first: (f64, f64),
    low: (f64, f64),
    high: (f64, f64),
    last: (f64, f64),
    count: usize,
}

/// The curve inside `plot`: level from each point to the next, then straight up or down.
pub(crate) fn curve(scene: &Scene, camera: &Camera, plot: &Area) -> Option<Vec<(f64, f64)>> {
    let some = !scene.curve.is_empty() && plot.width() > 0.0;
    some.then(|| steps(&scene.curve, camera, plot))
}

/// The curve over a wider line of the background's colour: seen on rectangles of any colour.
pub(crate) fn both_lines(points: Vec<(f64, f64)>) -> [Item; 2] {
    let line = |points, ink, width| Item::Line {
        points,
        ink,
        width,
        dashed: false,
    };
    [
        line(points.clone(), Ink::Background, 3.25),
        line(points, Ink::Curve, 1.25),
    ]
}

/// The part of a step function inside `plot`, by ascending step, thinned to the pixels:
/// `camera` maps a step and a value to where they are on the screen. From 0 up to its first point.
pub(crate) fn steps(points: &[(f64, f64)], camera: &Camera, plot: &Area) -> Vec<(f64, f64)> {
    let clip = |y: f64| y.clamp(plot.top - 2.0, plot.bottom.max(plot.top) + 2.0);
    let ground = camera.screen_from_data(0.0, 0.0).1;
    let mut line = Thinned::default();
    let from = camera.data_from_screen(plot.left, 0.0).0;
    let seen = points.partition_point(|point| point.0 < from);
    // What was before it came into view is the level that it has there.
    let before = seen.checked_sub(1).and_then(|last| points.get(last));
    let mut level = before.map_or(ground, |point| camera.screen_from_data(point.0, point.1).1);
    let mut started = false;
    for &(step, value) in &points[seen..] {
        let (x, y) = camera.screen_from_data(step, value);
        if x > plot.right {
            break;
        }
        if x >= plot.left {
            if !started {
                line.add(plot.left, clip(level));
                started = true;
            }
            line.add(x, clip(level));
            line.add(x, clip(y));
        }
        level = y;
    }
    if !started {
        line.add(plot.left, clip(level));
    }
    line.add(plot.right, clip(level));
    line.flush();
    line.points
}

impl Thinned {
    fn add(&mut self, x: f64, y: f64) {
        match &mut self.column {
            Some(column) if x < column.end => {
                if y < column.low.1 {
                    column.low = (x, y);
                }
                if y > column.high.1 {
                    column.high = (x, y);
                }
                column.last = (x, y);
                column.count += 1;
            }
            _ => {
                self.flush();
                self.column = Some(Column {
                    end: x.floor() + 1.0,
                    first: (x, y),
                    low: (x, y),
                    high: (x, y),
                    last: (x, y),
                    count: 1,
                });
            }
        }
    }

    fn flush(&mut self) {
        if let Some(column) = self.column.take() {
            // Up on the screen is less.
            let peak = [column.low; 4];
            let all = [column.first, column.low, column.high, column.last];
            for point in if column.count > MOST { peak } else { all } {
                if self.points.last() != Some(&point) {
                    self.points.push(point);
                }
            }
        }
    }
}
