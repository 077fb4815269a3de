//! The whole scene drawn small, with a box for what the camera sees.

use crate::camera::{Camera, Range};
use crate::labelling::Labelling;
use crate::overlay::{Area, plot};
use crate::scene::Extents;

/// A minimap of a given size. Draw its scene with [`Minimap::camera`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Minimap {
    /// The camera on the whole scene.
    pub camera: Camera,
}

impl Minimap {
    /// A minimap of `width` × `height` CSS pixels.
    #[must_use]
    pub fn new(extents: Extents, width: f64, height: f64) -> Self {
        Self {
            camera: Camera::fitted(extents, width, height, Labelling::BARE),
        }
    }

    /// Where the plot of `seen`, without its rulers, is on the minimap: within it and at least
    /// 2 pixels large.
    #[must_use]
    pub fn viewport(&self, seen: &Camera) -> Area {
        let plot = plot(seen);
        let corner = |x: f64, y: f64| {
            let (step, byte) = seen.data_from_screen(x, y);
            self.camera.screen_from_data(step, byte)
        };
        let (left, bottom) = corner(plot.left, plot.bottom);
        let (right, top) = corner(plot.right, plot.top);
        let (left, right) = visible(left, right, self.camera.width);
        let (top, bottom) = visible(top, bottom, self.camera.height);
        Area {
            left,
            top,
            right,
            bottom,
        }
    }

    /// `seen` moved so that its middle is under the pointer at `(x, y)` of the minimap.
    /// Follow with [`Camera::clamp`].
    #[must_use]
    pub fn centred(&self, seen: &Camera, x: f64, y: f64) -> Camera {
        let (x, y) = self.camera.data_from_screen(x, y);
        Camera {
            x: around(seen.x, x),
            y: around(seen.y, y),
            ..*seen
        }
    }
}

fn around(range: Range, middle: f64) -> Range {
    let half = range.len() / 2.0;
    Range::new(middle - half, middle + half)
}

fn visible(from: f64, to: f64, size: f64) -> (f64, f64) {
    let size = size.max(2.0);
    let from = from.clamp(0.0, size - 2.0);
    (from, to.clamp(from + 2.0, size))
}
