//! Lists what would be drawn: the renderer for tests, and for anyone who wants the picture
//! as data.

use std::sync::Arc;

use crate::palette::Rgb;
use crate::raster_renderer::rings;
use crate::renderer::{Frame, RenderError, Renderer};
use crate::scene::{Fill, Scene};
use crate::snap::{Cell, Snap};

/// Keeps the last picture as lists.
#[derive(Debug, Default)]
pub struct RecordRenderer {
    scene: Option<Arc<Scene>>,
    /// Every rectangle in the picture, in drawing order.
    pub drawn: Vec<Drawn>,
    /// Every ring, in drawing order: the marked cell and the ring's colour.
    pub rings: Vec<(usize, Cell, Rgb)>,
}

/// One rectangle as drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drawn {
    /// Which buffer.
    pub index: usize,
    /// Whether it is the whole span of a buffer with pauses.
    pub outline: bool,
    /// Where, in device pixels.
    pub cell: Cell,
    /// Its fill.
    pub fill: Fill,
    /// Whether it is dimmed.
    pub dim: bool,
    /// Whether it has an edge, and its pattern if it has one.
    pub edge: bool,
}

impl Renderer for RecordRenderer {
    fn upload(&mut self, scene: &Arc<Scene>) -> Result<(), RenderError> {
        self.scene = Some(Arc::clone(scene));
        Ok(())
    }

    fn draw(&mut self, frame: &Frame<'_>) -> Result<(), RenderError> {
        self.drawn.clear();
        self.rings.clear();
        let Some(scene) = &self.scene else {
            return Ok(());
        };
        let snap = Snap::new(&frame.camera, frame.scale);
        let drawn = &mut self.drawn;
        snap.for_each_cell(scene, |index, cell| {
            let owner = scene.owner(index);
            drawn.push(Drawn {
                index: owner,
                outline: scene.is_outline(index),
                cell,
                fill: Fill {
                    color: scene.fill[index],
                    pattern: scene.pattern[index],
                },
                dim: frame.marks.is_dim(owner),
                edge: snap.has_edge(&cell),
            });
        });
        for (index, color) in rings(&frame.marks, frame.theme) {
            for piece in scene.pieces(index) {
                self.rings.push((index, snap.cell(&scene.at(piece)), color));
            }
        }
        Ok(())
    }
}
