//! A scene as far as a run has gone.

use crate::scene::{BLOCK, Rect, Scene, hull};

/// Where nothing is ever seen: left of the first step and below the first byte.
const NOWHERE: f64 = -1e12;

impl Scene {
    /// The same without what happens from `step` on: rectangle `i` stays rectangle `i`, but what
    /// begins later is out of sight, and the rest ends there.
    #[must_use]
    pub fn until(mut self, step: f64) -> Self {
        for index in 0..self.x0.len() {
            if self.x0[index] < step {
                self.x1[index] = self.x1[index].min(step);
                continue;
            }
            for edge in [&mut self.x0, &mut self.x1, &mut self.y0, &mut self.y1] {
                edge[index] = NOWHERE;
            }
        }
        let rects: Vec<Rect> = (0..self.x0.len())
            .map(|index| Rect {
                x0: self.x0[index],
                x1: self.x1[index],
                y0: self.y0[index],
                y1: self.y1[index],
            })
            .collect();
        self.blocks = rects.chunks(BLOCK).map(hull).collect();
        self.seams.retain(|seam| seam.x0 < step);
        self
    }
}
