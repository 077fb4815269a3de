//! What lies over the rectangles, as data: rulers, grid, curve, bound, arena and labels.
//!
//! A list in drawing order that a canvas draws and SVG writes. Texts never overlap: each
//! claims its box, and one that finds its box taken is left out. Positions are CSS pixels.

use std::collections::BTreeMap;

use crate::axis::ByteStyle;
use crate::camera::Camera;
use crate::labelling::Rulers;
use crate::overlay_captions::{Covered, captions, curve_caption};
use crate::overlay_curve::{both_lines, curve};
use crate::overlay_labels::{Around, labels};
use crate::overlay_rulers::rulers;
use crate::palette::{Rgb, Theme};
use crate::renderer::Marks;
use crate::scene::{Fill, Rect, Scene};
use crate::snap::{Snap, whole};

/// How much of what lies under a wash is covered.
pub const WASH: f64 = 0.35;
/// Pixels between the lines of a hatching.
const HATCH: f64 = 9.0;
/// Height of a band in which texts are looked for, in CSS pixels.
const BAND: f64 = 32.0;

/// Everything over the rectangles of one picture, in drawing order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overlay {
    /// What lies under the rectangles: the grid.
    pub under: Vec<Item>,
    /// Lines, bands and texts.
    pub items: Vec<Item>,
    /// Height of the letters in CSS pixels.
    pub font: f64,
}

/// One thing to draw.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A line through points.
    Line {
        /// The points, at least two.
        points: Vec<(f64, f64)>,
        /// Its colour.
        ink: Ink,
        /// Its thickness.
        width: f64,
        /// Whether it is dashed.
        dashed: bool,
    },
    /// A line, and what lies under it, filled so thinly that what lies under that is seen.
    Fill {
        /// The line's points, from left to right.
        points: Vec<(f64, f64)>,
        /// Where the filling ends below.
        bottom: f64,
        /// Its colour.
        ink: Ink,
    },
    /// A filled box behind a ruler.
    Band(Area),
    /// The outline of a box.
    Outline(Area, Ink),
    /// A box filled so thinly that what lies under it is seen.
    Wash(Area, Ink),
    /// A box filled.
    Solid(Area, Ink),
    /// A box filled as rectangles are, with the pattern: what a legend shows.
    Swatch(Area, Fill),
    /// A text.
    Text(Text),
}

/// One line of text.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    /// What it says.
    pub text: String,
    /// The box that it fills: it starts at the left, its middle at half the height. A
    /// renderer whose letters are wider narrows them to the box.
    pub area: Area,
    /// Its colour.
    pub ink: Ink,
    /// Whether it needs a halo of the background's colour to be read.
    pub halo: bool,
}

/// A box on the screen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    /// Left edge.
    pub left: f64,
    /// Top edge.
    pub top: f64,
    /// Right edge.
    pub right: f64,
    /// Bottom edge.
    pub bottom: f64,
}

/// A colour by its part in the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is a field of the theme")]
pub enum Ink {
    Text,
    Grid,
    Bound,
    Arena,
    Curve,
    Selected,
    Read,
    Written,
    Fault,
    /// Text on the fill of this colour.
    Label(u8),
    /// Text on a fill that is dimmed.
    Dimmed,
    /// What is behind everything, as a halo.
    Background,
    /// The fill of this colour.
    Fill(u8),
}

/// The words of a picture, which only the caller knows.
#[derive(Clone, Copy)]
pub struct Words<'a> {
    /// Name of the operator at a step.
    pub step: &'a dyn Fn(u64) -> Option<String>,
    /// Name of a buffer.
    pub buffer: &'a dyn Fn(usize) -> String,
    /// The word for the bound: its size follows. Where this, `arena` or `live` is empty, what it
    /// names is not drawn.
    pub bound: &'a str,
    /// The word for the arena: its size follows.
    pub arena: &'a str,
    /// The word for what may be live at once: its size follows.
    pub budget: &'a str,
    /// What the curve shows.
    pub live: &'a str,
    /// What the ruler of bytes counts.
    pub addresses: &'a str,
    /// What the ruler of steps counts.
    pub steps: &'a str,
    /// Name of a pool.
    pub pool: &'a dyn Fn(usize) -> String,
    /// How offsets are written.
    pub bytes: ByteStyle,
}

/// Texts placed so far, by the bands of the picture that they lie in.
#[derive(Debug, Default)]
pub(crate) struct Taken(BTreeMap<i32, Vec<Area>>);

impl Area {
    /// Whether two boxes share a point inside.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    /// Its width.
    #[must_use]
    pub fn width(&self) -> f64 {
        self.right - self.left
    }

    /// Its height.
    #[must_use]
    pub fn height(&self) -> f64 {
        self.bottom - self.top
    }

    /// The same, so much farther right and down.
    #[must_use]
    pub fn moved(&self, right: f64, down: f64) -> Self {
        Self {
            left: self.left + right,
            top: self.top + down,
            right: self.right + right,
            bottom: self.bottom + down,
        }
    }

    /// The part inside `other`.
    #[must_use]
    pub fn within(&self, other: &Self) -> Self {
        Self {
            left: self.left.max(other.left),
            top: self.top.max(other.top),
            right: self.right.min(other.right),
            bottom: self.bottom.min(other.bottom),
        }
    }
}

impl Taken {
    /// Claims a box; `false`, and nothing claimed, when some of it is taken.
    pub(crate) fn claim(&mut self, area: Area) -> bool {
        let [first, last] = [area.top, area.bottom].map(|edge| whole((edge / BAND).floor()));
        let bands = first..=last.max(first);
        let mut taken = self.0.range(bands.clone()).flat_map(|(_, taken)| taken);
        let free = taken.all(|taken| !taken.overlaps(&area));
        if free {
            for band in bands {
                self.0.entry(band).or_default().push(area);
            }
        }
        free
    }
}

impl Theme {
    /// The colour of an ink.
    #[must_use]
    pub fn rgb(&self, ink: Ink) -> Rgb {
        match ink {
            Ink::Text | Ink::Dimmed => self.text,
            Ink::Grid => self.grid,
            Ink::Bound => self.bound,
            Ink::Arena => self.arena,
            Ink::Curve => self.curve,
            Ink::Selected => self.selected,
            Ink::Read => self.read,
            Ink::Written => self.written,
            Ink::Fault => self.fault,
            Ink::Label(color) => self.label(color),
            Ink::Background => self.background,
            Ink::Fill(color) => self.fill(color),
        }
    }
}

/// Everything over the picture that `camera` sees of `scene`. What is selected gets an outline:
/// for pictures whose renderer draws no ring, as SVG. Labels of what is dimmed are dimmed, too.
#[must_use]
pub fn overlay(scene: &Scene, camera: &Camera, words: &Words<'_>, marks: Marks<'_>) -> Overlay {
    let plot = plot(camera);
    let mut covered = Covered::new(scene, camera, &plot);
    let holes = marks.holes.iter().map(|hole| scene.placed(hole));
    let holes: Vec<Area> = holes
        .filter_map(|hole| seen(&hole, camera, &plot))
        .collect();
    for hole in &holes {
        covered.cover(hole);
    }
    let mut taken = Taken::default();
    let (mut under, mut items) = (Vec::new(), Vec::new());
    let mut on_ruler = Vec::new();
    let curve = curve(scene, camera, &plot).filter(|_| !words.live.is_empty());
    let room = (&plot, &covered);
    let places = (&mut taken, &mut on_ruler);
    let mut captions = captions(scene, camera, words, room, places, &mut items);
    let rulers = rulers(
        (scene.clock().is_some(), camera),
        words,
        &plot,
        &mut taken,
        &mut under,
    );
    under.extend(segments(scene, camera, &plot));
    captions.extend(pools(scene, camera, words, &plot, &mut taken, &mut items));
    if let Some(curve) = curve.clone() {
        // A thumbnail has no room for what says which line it is.
        if camera.labelling.rulers != Rulers::None {
            captions.extend(curve_caption(
                (&curve, scene),
                camera,
                words.live,
                (&plot, &covered),
                &mut taken,
            ));
        }
        items.extend(both_lines(curve));
    }
    let curve = curve.unwrap_or_default();
    let around = Around {
        plot: &plot,
        curve: &curve,
        dim: marks.dim,
    };
    items.extend(seams(scene, camera, &plot));
    items.extend(labels(scene, camera, words, &around, &mut taken));
    for hole in &holes {
        hatch(&mut items, hole, Ink::Fault);
        items.push(Item::Outline(*hole, Ink::Fault));
    }
    items.extend(captions);
    if let Some(rect) = marks.selected.and_then(|index| scene.rect(index)) {
        let (left, bottom) = camera.screen_from_data(rect.x0, rect.y0);
        let (right, top) = camera.screen_from_data(rect.x1, rect.y1);
        let area = Area {
            left,
            top,
            right: right.max(left + 1.0),
            bottom: bottom.max(top + 1.0),
        };
        if area.overlaps(&plot) {
            items.push(Item::Outline(area.within(&plot), Ink::Selected));
        }
    }
    items.extend(rulers);
    items.extend(on_ruler);
    Overlay {
        under,
        items,
        font: camera.labelling.font,
    }
}

/// The part of the picture that no ruler covers.
pub(crate) fn plot(camera: &Camera) -> Area {
    let insets = camera.labelling.insets();
    Area {
        left: insets.left,
        top: 0.0,
        right: camera.width.max(insets.left),
        bottom: (camera.height - insets.bottom).max(0.0),
    }
}

/// The part of a rectangle that is seen, by the pixels that are drawn of it.
pub(crate) fn seen(rect: &Rect, camera: &Camera, plot: &Area) -> Option<Area> {
    let cell = Snap::new(camera, 1.0).cell(rect);
    let area = Area {
        left: f64::from(cell.left),
        top: f64::from(cell.top),
        right: f64::from(cell.right),
        bottom: f64::from(cell.bottom),
    };
    area.overlaps(plot).then(|| area.within(plot))
}

/// The borders of segments, where they are there: no block reaches across. Those that are too
/// thin to be told apart are left out.
fn segments(scene: &Scene, camera: &Camera, plot: &Area) -> Vec<Item> {
    const THINNEST: f64 = 3.0;
    let seen = scene
        .segments
        .iter()
        .filter_map(|it| seen(it, camera, plot));
    let seen = seen.filter(|area| area.height() >= THINNEST && area.width() >= THINNEST);
    // Filled thinly, so that what was not taken stays as it is behind everything.
    let drawn = seen.flat_map(|area| {
        let border = Item::Outline(area, Ink::Grid);
        [Item::Wash(area, Ink::Grid), border]
    });
    drawn.collect()
}

/// A seam where a buffer is written over another: both are one bar in memory, so that the edge
/// between them is dashed. Those that are too small to be seen are left out.
fn seams(scene: &Scene, camera: &Camera, plot: &Area) -> Vec<Item> {
    const SMALLEST: f64 = 4.0;
    let seen = scene.seams.iter().filter_map(|it| seen(it, camera, plot));
    let large = seen.filter(|area| area.height() >= SMALLEST && area.width() >= SMALLEST);
    let drawn = large.flat_map(|area| {
        let inner = |points: [(f64, f64); 2], ink, dashed| Item::Line {
            points: points.to_vec(),
            ink,
            width: 2.0,
            dashed,
        };
        let x = area.left + 1.0;
        let ends = [(x, area.top), (x, area.bottom)];
        [
            inner(ends, Ink::Background, false),
            inner(ends, Ink::Text, true),
        ]
    });
    drawn.collect()
}

/// A line where each pool begins; their names are returned, to lie over the labels.
fn pools(
    scene: &Scene,
    camera: &Camera,
    words: &Words<'_>,
    plot: &Area,
    taken: &mut Taken,
    items: &mut Vec<Item>,
) -> Vec<Item> {
    let font = camera.labelling.font;
    let mut names = Vec::new();
    for (index, &base) in scene.pools.iter().enumerate() {
        let (_, y) = camera.screen_from_data(0.0, base);
        // A fitted picture begins a little above or below its first byte.
        if y < plot.top || y > plot.bottom + font {
            continue;
        }
        let y = y.min(plot.bottom);
        items.push(Item::Line {
            points: vec![(plot.left, y), (plot.right, y)],
            ink: Ink::Arena,
            width: 2.0,
            dashed: false,
        });
        let name = (words.pool)(index);
        let width = camera.labelling.width(&name).min(plot.width() - 8.0);
        if width > 0.0 {
            let middle = (y - font).max(plot.top + font);
            let area = camera.labelling.boxed(plot.left + 4.0, middle, width);
            push_text(&mut names, taken, name, area, Ink::Arena, true);
        }
    }
    names
}

/// Adds a text where its box is free, and returns whether it is.
pub(crate) fn push_text(
    items: &mut Vec<Item>,
    taken: &mut Taken,
    text: String,
    area: Area,
    ink: Ink,
    halo: bool,
) -> bool {
    let free = taken.claim(area);
    if free {
        items.push(Item::Text(Text {
            text,
            area,
            ink,
            halo,
        }));
    }
    free
}

pub(crate) fn line(points: &[(f64, f64)], ink: Ink, dashed: bool) -> Item {
    Item::Line {
        points: points.to_vec(),
        ink,
        width: 1.0,
        dashed,
    }
}

/// A whole, non-negative number as such.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "float casts saturate"
)]
pub(crate) fn whole_step(value: f64) -> u64 {
    value as u64
}

/// Diagonal lines that fill a box.
pub(crate) fn hatch(items: &mut Vec<Item>, area: &Area, ink: Ink) {
    let height = area.height();
    let mut foot = area.left - height;
    while foot < area.right {
        // The line goes up to the right from (foot, bottom); only its part inside counts.
        let from = foot.max(area.left);
        let to = (foot + height).min(area.right);
        if to > from {
            items.push(Item::Line {
                points: vec![
                    (from, area.bottom - (from - foot)),
                    (to, area.bottom - (to - foot)),
                ],
                ink,
                width: 1.0,
                dashed: false,
            });
        }
        foot += HATCH;
    }
}
