//! Which part of the scene is seen, and where on the screen. All in f64.
//!
//! Three spaces: *data* (steps or microseconds across, bytes up), *screen* (CSS pixels from the
//! top left, y down), and *device* pixels, which only [`snap`](crate::snap) knows.

use crate::labelling::Labelling;
use crate::scene::{Extents, Rect};

/// A stretch of one axis, in data units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Where it begins.
    pub start: f64,
    /// Where it ends; above `start`.
    pub end: f64,
}

/// The part of the scene that a picture of a given size shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Steps from the left edge to the right edge.
    pub x: Range,
    /// Bytes from the bottom edge to the top edge.
    pub y: Range,
    /// Width of the picture in CSS pixels.
    pub width: f64,
    /// Height of the picture in CSS pixels.
    pub height: f64,
    /// How the picture is labelled.
    pub labelling: Labelling,
}

/// Room beside a plot, in CSS pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Insets {
    /// At the left.
    pub left: f64,
    /// At the right.
    pub right: f64,
    /// At the top.
    pub top: f64,
    /// At the bottom.
    pub bottom: f64,
}

/// The farthest zoom out shows this many times the scene.
pub const ZOOM_OUT: f64 = 2.0;

impl Range {
    /// The stretch from `start` to `end`.
    #[must_use]
    pub fn new(start: f64, end: f64) -> Self {
        Self { start, end }
    }

    /// Its length, never 0, so that it can be divided by.
    #[must_use]
    pub fn len(self) -> f64 {
        (self.end - self.start).max(f64::MIN_POSITIVE)
    }

    /// The point half-way.
    #[must_use]
    pub fn middle(self) -> f64 {
        self.start + (self.end - self.start) / 2.0
    }

    fn zoomed(self, about: f64, factor: f64) -> Self {
        Self {
            start: about - (about - self.start) / factor,
            end: about + (self.end - about) / factor,
        }
    }

    fn moved(self, by: f64) -> Self {
        Self::new(self.start + by, self.end + by)
    }

    /// Length within `[least, most]`, middle within `[0, extent]`, and nothing below 0 beyond the
    /// rulers, which take up this share of the picture before it.
    fn clamped(self, least: f64, extent: f64, rulers: f64) -> Self {
        let most = extent.max(least) * ZOOM_OUT;
        let finite = self.start.is_finite() && self.end.is_finite() && self.start < self.end;
        let range = if finite { self } else { Self::new(0.0, extent) };
        let len = range.len().clamp(least, most);
        let middle = range.middle().clamp(0.0, extent);
        let start = if (len - range.len()).abs() > 0.0 || (middle - range.middle()).abs() > 0.0 {
            middle - len / 2.0
        } else {
            range.start
        };
        let start = start.max(-rulers * len);
        Self::new(start, start + len)
    }
}

impl Camera {
    /// A camera on the whole scene.
    #[must_use]
    pub fn fitted(extents: Extents, width: f64, height: f64, labelling: Labelling) -> Self {
        let mut camera = Self {
            x: Range::new(0.0, 1.0),
            y: Range::new(0.0, 1.0),
            width,
            height,
            labelling,
        };
        camera.fit(extents);
        camera
    }

    /// CSS pixels per step.
    #[must_use]
    pub fn pixels_per_step(&self) -> f64 {
        self.width.max(1.0) / self.x.len()
    }

    /// CSS pixels per byte.
    #[must_use]
    pub fn pixels_per_byte(&self) -> f64 {
        self.height.max(1.0) / self.y.len()
    }

    /// Where a point of the data is on the screen.
    #[must_use]
    pub fn screen_from_data(&self, x: f64, y: f64) -> (f64, f64) {
        (
            (x - self.x.start) * self.pixels_per_step(),
            self.height.max(1.0) - (y - self.y.start) * self.pixels_per_byte(),
        )
    }

    /// Which point of the data is at a place on the screen.
    #[must_use]
    pub fn data_from_screen(&self, x: f64, y: f64) -> (f64, f64) {
        (
            self.x.start + x / self.pixels_per_step(),
            self.y.start + (self.height.max(1.0) - y) / self.pixels_per_byte(),
        )
    }

    /// Zooms each axis by its factor (above 1 shows less, larger) while the point of the data
    /// under `(x, y)` on the screen stays there. Follow with [`Camera::clamp`].
    pub fn zoom_about(&mut self, x: f64, y: f64, factor_x: f64, factor_y: f64) {
        let (data_x, data_y) = self.data_from_screen(x, y);
        if factor_x.is_finite() && factor_x > 0.0 {
            self.x = self.x.zoomed(data_x, factor_x);
        }
        if factor_y.is_finite() && factor_y > 0.0 {
            self.y = self.y.zoomed(data_y, factor_y);
        }
    }

    /// Moves the scene with the pointer: `dx`, `dy` in CSS pixels, y down. Follow with
    /// [`Camera::clamp`].
    pub fn pan_by(&mut self, dx: f64, dy: f64) {
        self.x = self.x.moved(-dx / self.pixels_per_step());
        self.y = self.y.moved(dy / self.pixels_per_byte());
    }

    /// Shows the whole scene, leaving the rulers free; on a small screen these shrink to a
    /// quarter of it.
    pub fn fit(&mut self, extents: Extents) {
        let whole = Rect {
            x0: 0.0,
            x1: extents.horizon,
            y0: 0.0,
            y1: extents.top,
        };
        self.show(whole);
    }

    /// Shows `rect` with as much again around it. Follow with [`Camera::clamp`].
    pub fn fit_selection(&mut self, rect: Rect) {
        let x = (rect.x1 - rect.x0).max(1.0);
        let y = (rect.y1 - rect.y0).max(1.0);
        self.x = Range::new(rect.x0 - x / 2.0, rect.x0 + 1.5 * x);
        self.y = Range::new(rect.y0 - y / 2.0, rect.y0 + 1.5 * y);
    }

    /// Shows exactly `rect` beside the rulers.
    pub fn show(&mut self, rect: Rect) {
        let insets = self.labelling.insets();
        self.x = padded(rect.x0, rect.x1, self.width, insets.left, insets.right);
        self.y = padded(rect.y0, rect.y1, self.height, insets.bottom, insets.top);
    }

    /// Changes the picture's size; what is seen is stretched along.
    pub fn resize(&mut self, width: f64, height: f64) {
        self.width = width;
        self.height = height;
    }

    /// Keeps the scene in sight: at least one step and one byte across the picture, at most
    /// [`ZOOM_OUT`] times the scene, its middle over the scene, and both axes from 0 on: there is
    /// nothing before the first step nor below the first byte.
    pub fn clamp(&mut self, extents: Extents) {
        // Below 2^-44 of the offset, f64 would no longer distinguish neighbouring pixels.
        let finest = |extent: f64| (extent * 2_f64.powi(-44)).max(1.0);
        let insets = self.labelling.insets();
        let (left, _) = rulers(self.width, insets.left, insets.right);
        let (bottom, _) = rulers(self.height, insets.bottom, insets.top);
        let (left, bottom) = (left / self.width.max(1.0), bottom / self.height.max(1.0));
        let (horizon, top) = (extents.horizon, extents.top);
        self.x = self.x.clamped(finest(horizon), horizon, left);
        self.y = self.y.clamped(finest(top), top, bottom);
    }
}

/// Rulers keep their room down to the least height of a pane; half is always the scene's.
fn rulers(pixels: f64, before: f64, after: f64) -> (f64, f64) {
    let shrink = (pixels.max(1.0) / 2.0 / (before + after).max(1.0)).min(1.0);
    (before * shrink, after * shrink)
}

fn padded(from: f64, to: f64, pixels: f64, before: f64, after: f64) -> Range {
    let pixels = pixels.max(1.0);
    let (before, after) = rulers(pixels, before, after);
    let per_pixel = (to - from).max(1.0) / (pixels - before - after);
    let start = from - before * per_pixel;
    Range::new(start, start + pixels * per_pixel)
}
