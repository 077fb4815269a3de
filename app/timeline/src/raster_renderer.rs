//! Paints a scene into RGBA pixels, in Rust alone: works wherever a canvas does.

use std::sync::Arc;

use crate::palette::{FILLS, PATTERNS, Rgb, Theme};
use crate::renderer::{Frame, Marks, RenderError, Renderer};
use crate::scene::Scene;
use crate::snap::{Cell, Snap};

/// Pixels of the largest picture: 256 MiB of them.
pub const MAX_PIXELS: usize = 1 << 26;

/// Paints into memory.
#[derive(Debug, Default)]
pub struct RasterRenderer {
    scene: Option<Arc<Scene>>,
    pixels: Vec<u32>,
    columns: usize,
    rows: usize,
}

/// The colours of one fill as pixels.
#[derive(Clone, Copy, Default)]
struct Paint {
    fill: u32,
    ink: u32,
}

/// The colours of one frame as pixels: plain, then dimmed.
struct Paints([[Paint; FILLS]; 2]);

struct Canvas<'a> {
    pixels: &'a mut [u32],
    columns: i32,
    rows: i32,
    line: i32,
}

impl RasterRenderer {
    /// A renderer with nothing in it.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The picture: rows from the top, four bytes a pixel (red, green, blue, alpha):
    /// opaque, except for a background that is not painted.
    #[must_use]
    pub fn rgba(&self) -> &[u8] {
        bytemuck::cast_slice(&self.pixels)
    }

    /// Columns and rows of the picture.
    #[must_use]
    pub fn size(&self) -> (usize, usize) {
        (self.columns, self.rows)
    }
}

impl Renderer for RasterRenderer {
    fn upload(&mut self, scene: &Arc<Scene>) -> Result<(), RenderError> {
        self.scene = Some(Arc::clone(scene));
        Ok(())
    }

    fn draw(&mut self, frame: &Frame<'_>) -> Result<(), RenderError> {
        let snap = Snap::new(&frame.camera, frame.scale);
        let columns = usize::try_from(snap.columns).unwrap_or(1);
        let rows = usize::try_from(snap.rows).unwrap_or(1);
        if columns * rows > MAX_PIXELS {
            return Err(RenderError::TooLarge { limit: MAX_PIXELS });
        }
        (self.columns, self.rows) = (columns, rows);
        self.pixels.clear();
        let background = match frame.opaque {
            true => pixel(frame.theme.background),
            false => 0,
        };
        self.pixels.resize(columns * rows, background);
        let Some(scene) = &self.scene else {
            return Ok(());
        };
        let mut canvas = Canvas {
            pixels: &mut self.pixels,
            columns: snap.columns,
            rows: snap.rows,
            line: snap.line,
        };
        let paints = Paints::new(frame.theme);
        snap.for_each_cell(scene, |index, cell| {
            canvas.rect(
                scene,
                index,
                &cell,
                &snap,
                paints.of(scene, index, &frame.marks),
            );
        });
        for (index, color) in rings(&frame.marks, frame.theme) {
            for piece in scene.pieces(index) {
                let cell = snap.cell(&scene.at(piece));
                canvas.fill(&cell.outset(2 * snap.line), pixel(color));
            }
            for piece in scene.pieces(index) {
                let cell = snap.cell(&scene.at(piece));
                let paint = paints.of(scene, piece, &Marks::default());
                canvas.rect(scene, piece, &cell, &snap, paint);
            }
        }
        Ok(())
    }
}

/// The marked buffers with the colour of their ring, in drawing order.
pub(crate) fn rings(marks: &Marks<'_>, theme: &Theme) -> impl Iterator<Item = (usize, Rgb)> {
    let hovered = marks.hovered.filter(|_| marks.hovered != marks.selected);
    let hovered = hovered.map(|index| (index, theme.hovered));
    let selected = marks.selected.map(|index| (index, theme.selected));
    hovered.into_iter().chain(selected)
}

impl Paints {
    fn new(theme: &Theme) -> Self {
        let mut paints = [[Paint::default(); FILLS]; 2];
        for (color, index) in (0_u8..).zip(0..FILLS) {
            let (fill, ink) = (theme.fill(color), theme.ink(color));
            paints[0][index] = Paint {
                fill: pixel(fill),
                ink: pixel(ink),
            };
            paints[1][index] = Paint {
                fill: pixel(theme.dimmed(fill)),
                ink: pixel(theme.dimmed(ink)),
            };
        }
        Self(paints)
    }

    #[inline]
    fn of(&self, scene: &Scene, index: usize, marks: &Marks<'_>) -> Paint {
        let color = usize::from(scene.fill[index]) % FILLS;
        let dimmed = usize::from(marks.is_dim(scene.owner(index)));
        let paint = self.0[dimmed][color];
        if scene.is_outline(index) {
            return Paint {
                fill: self.0[1][color].fill,
                ink: if dimmed == 1 { paint.ink } else { paint.fill },
            };
        }
        paint
    }
}

impl Canvas<'_> {
    /// One rectangle of the scene: fill, then pattern and edge if it is large enough.
    #[inline]
    fn rect(&mut self, scene: &Scene, index: usize, cell: &Cell, snap: &Snap, paint: Paint) {
        self.fill(cell, paint.fill);
        if !snap.has_edge(cell) {
            return;
        }
        let pattern = usize::from(scene.pattern[index]) % PATTERNS.len();
        if pattern != 0 {
            self.pattern(cell, &PATTERNS[pattern], paint.ink);
        }
        self.edge(cell, paint.ink);
    }

    #[inline]
    fn fill(&mut self, cell: &Cell, color: u32) {
        let (left, right) = (cell.left.max(0), cell.right.min(self.columns));
        let (top, bottom) = (cell.top.max(0), cell.bottom.min(self.rows));
        if left >= right {
            return;
        }
        for row in top..bottom {
            if let Some(run) = self.run(row, left, right) {
                run.fill(color);
            }
        }
    }

    fn edge(&mut self, cell: &Cell, color: u32) {
        let line = self.line;
        let inner = cell.outset(-line);
        let (top, bottom) = (inner.top, inner.bottom);
        self.fill(
            &Cell {
                bottom: top,
                ..*cell
            },
            color,
        );
        self.fill(
            &Cell {
                top: bottom,
                ..*cell
            },
            color,
        );
        self.fill(
            &Cell {
                right: inner.left,
                ..*cell
            },
            color,
        );
        self.fill(
            &Cell {
                left: inner.right,
                ..*cell
            },
            color,
        );
    }

    /// Paints the pattern's pixels; it starts at the cell's top left corner.
    fn pattern(&mut self, cell: &Cell, pattern: &[u8; 8], color: u32) {
        let (left, right) = (cell.left.max(0), cell.right.min(self.columns));
        let line = self.line;
        for row in cell.top.max(0)..cell.bottom.min(self.rows) {
            let bits = pattern[bit((row - cell.top) / line)];
            if bits == 0 {
                continue;
            }
            let Some(run) = self.run(row, left, right) else {
                continue;
            };
            for (pixel, column) in run.iter_mut().zip(left - cell.left..) {
                if bits >> bit(column / line) & 1 == 1 {
                    *pixel = color;
                }
            }
        }
    }

    /// The pixels `left..right` of a row, which must lie in the picture.
    #[inline]
    fn run(&mut self, row: i32, left: i32, right: i32) -> Option<&mut [u32]> {
        let start = usize::try_from(row * self.columns + left).ok()?;
        let len = usize::try_from(right - left).ok()?;
        self.pixels.get_mut(start..start + len)
    }
}

/// A position within a pattern's period of eight.
#[inline]
fn bit(position: i32) -> usize {
    usize::try_from(position & 7).unwrap_or(0)
}

/// A colour as the four bytes of a pixel, in memory order.
fn pixel([red, green, blue]: Rgb) -> u32 {
    u32::from_ne_bytes([red, green, blue, 0xff])
}
