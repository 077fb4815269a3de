//! Where rectangles fall on whole device pixels: the one rule that every renderer follows.
//!
//! Each edge is rounded to the nearest pixel boundary (halves up), so neighbours that share
//! an edge share the boundary, without gap or overlap. What would vanish is one pixel wide.
//! Positions are rebased to the camera in f64 before they become pixels: an arena of many
//! GiB stays as still as a small one.

use crate::camera::Camera;
use crate::scene::{Rect, Scene};

/// How far outside the picture an edge may lie before it is drawn nearer, in device pixels.
/// It keeps coordinates exact in the GPU's f32 at any zoom.
pub const MARGIN: i32 = 4096;

/// A rectangle of whole device pixels, half-open, y down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// First column.
    pub left: i32,
    /// End, exclusive.
    pub right: i32,
    /// First row.
    pub top: i32,
    /// End, exclusive.
    pub bottom: i32,
}

/// A camera over a grid of device pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Snap {
    /// Step at the left edge.
    pub x_start: f64,
    /// Byte at the bottom edge.
    pub y_start: f64,
    /// Device pixels per step.
    pub per_step: f64,
    /// Device pixels per byte.
    pub per_byte: f64,
    /// Columns.
    pub columns: i32,
    /// Rows.
    pub rows: i32,
    /// Thickness of a hairline in device pixels: 1, or the nearest to one CSS pixel.
    pub line: i32,
}

impl Cell {
    /// Number of columns.
    #[must_use]
    pub fn width(&self) -> i32 {
        self.right - self.left
    }

    /// Number of rows.
    #[must_use]
    pub fn height(&self) -> i32 {
        self.bottom - self.top
    }

    /// Whether the pixel at `column`, `row` belongs to it.
    #[must_use]
    pub fn contains(&self, column: i32, row: i32) -> bool {
        self.left <= column && column < self.right && self.top <= row && row < self.bottom
    }

    /// The cell with `by` more pixels on every side.
    #[must_use]
    pub fn outset(&self, by: i32) -> Self {
        Self {
            left: self.left - by,
            right: self.right + by,
            top: self.top - by,
            bottom: self.bottom + by,
        }
    }
}

impl Snap {
    /// The pixels of a camera at `scale` device pixels per CSS pixel.
    #[must_use]
    pub fn new(camera: &Camera, scale: f64) -> Self {
        let (columns, rows) = device_size(camera, scale);
        Self {
            x_start: camera.x.start,
            y_start: camera.y.start,
            per_step: f64::from(columns) / camera.x.len(),
            per_byte: f64::from(rows) / camera.y.len(),
            columns,
            rows,
            line: whole(scale + 0.5).clamp(1, 16),
        }
    }

    /// The pixels of a rectangle, in the picture or not; at least one on each axis.
    #[must_use]
    #[inline]
    pub fn cell(&self, rect: &Rect) -> Cell {
        let left = self.column(rect.x0);
        let right = self.column(rect.x1).max(left + 1);
        let low = self.row_from_bottom(rect.y0);
        let high = self.row_from_bottom(rect.y1).max(low + 1);
        Cell {
            left,
            right,
            top: self.rows - high,
            bottom: self.rows - low,
        }
    }

    /// Whether any pixel of `cell` is in the picture.
    #[must_use]
    #[inline]
    pub fn shows(&self, cell: &Cell) -> bool {
        cell.right > 0 && cell.left < self.columns && cell.bottom > 0 && cell.top < self.rows
    }

    /// Whether anything inside `hull` may be in the picture. What would vanish is drawn one
    /// pixel wide, and that pixel may lie just outside the hull's own.
    #[must_use]
    pub fn shows_hull(&self, hull: &Rect) -> bool {
        self.shows(&self.cell(hull).outset(1))
    }

    /// Whether a cell is large enough for an edge and a pattern.
    #[must_use]
    #[inline]
    pub fn has_edge(&self, cell: &Cell) -> bool {
        cell.width() > 3 * self.line && cell.height() > 3 * self.line
    }

    /// Calls `draw` with every rectangle in the picture, in drawing order.
    pub fn for_each_cell(&self, scene: &Scene, mut draw: impl FnMut(usize, Cell)) {
        for (indices, hull) in scene.blocks() {
            if !self.shows_hull(hull) {
                continue;
            }
            for index in indices {
                let cell = self.cell(&scene.at(index));
                if self.shows(&cell) {
                    draw(index, cell);
                }
            }
        }
    }

    #[inline]
    fn column(&self, x: f64) -> i32 {
        boundary((x - self.x_start) * self.per_step, self.columns)
    }

    #[inline]
    fn row_from_bottom(&self, y: f64) -> i32 {
        boundary((y - self.y_start) * self.per_byte, self.rows)
    }
}

/// Columns and rows of a camera's picture at `scale` device pixels per CSS pixel, each
/// between 1 and 16384.
#[must_use]
pub fn device_size(camera: &Camera, scale: f64) -> (i32, i32) {
    let scale = if scale.is_finite() { scale } else { 1.0 };
    let device = |css: f64| whole((css * scale).round()).clamp(1, 16384);
    (device(camera.width), device(camera.height))
}

#[inline]
fn boundary(pixels: f64, count: i32) -> i32 {
    whole(
        (pixels + 0.5)
            .floor()
            .clamp(f64::from(-MARGIN), f64::from(count + MARGIN)),
    )
}

/// The whole part; out of range becomes the nearest in range, NaN becomes 0.
#[expect(
    clippy::cast_possible_truncation,
    reason = "float casts saturate, which is what is wanted"
)]
#[inline]
pub(crate) fn whole(value: f64) -> i32 {
    value as i32
}
