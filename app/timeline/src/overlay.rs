//! What lies over the rectangles, as data: rulers, grid, curve, bound, arena and labels.
//!
//! A list in drawing order that a canvas draws and SVG writes. Texts never overlap: each
//! claims its box, and one that finds its box taken is left out. Positions are CSS pixels.

use crate::axis::{ByteStyle, bytes_text};
use crate::camera::{Camera, Insets};
use crate::overlay_curve::curve;
use crate::overlay_labels::labels;
use crate::overlay_rulers::rulers;
use crate::palette::{Rgb, Theme};
use crate::renderer::Marks;
use crate::scene::{Rect, Scene};
use crate::snap::Snap;

/// The room for both rulers: what [`Camera::fit`] should leave free.
pub const INSETS: Insets = Insets {
    left: 76.0,
    right: 10.0,
    top: 12.0,
    bottom: 36.0,
};

/// Height of the letters in CSS pixels.
pub const FONT: f64 = 11.0;
/// How much of what lies under a wash is covered.
pub const WASH: f64 = 0.35;
/// Pixels between the lines of a hatching.
const HATCH: f64 = 9.0;
/// The typeface, a fixed-width one so that widths are known without a browser.
pub const FONT_FAMILY: &str = "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace";

/// Everything over the rectangles of one picture, in drawing order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overlay {
    /// Lines, bands and texts.
    pub items: Vec<Item>,
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
}

/// The words of a picture, which only the caller knows.
#[derive(Clone, Copy)]
pub struct Words<'a> {
    /// Name of the operator at a step.
    pub step: &'a dyn Fn(u64) -> Option<String>,
    /// Name of a buffer.
    pub buffer: &'a dyn Fn(usize) -> String,
    /// The word for the bound: its size follows.
    pub bound: &'a str,
    /// The word for the arena: its size follows.
    pub arena: &'a str,
    /// Name of a pool.
    pub pool: &'a dyn Fn(usize) -> String,
    /// How offsets are written.
    pub bytes: ByteStyle,
}

/// Texts placed so far.
#[derive(Debug, Default)]
pub(crate) struct Taken(Vec<Area>);

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
        let free = self.0.iter().all(|taken| !taken.overlaps(&area));
        if free {
            self.0.push(area);
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
        }
    }
}

/// Width of a text in CSS pixels: 0.61 em for each narrow character, 1 em for wide ones.
#[must_use]
pub fn text_width(text: &str) -> f64 {
    let ems = text
        .chars()
        .map(|letter| if letter < '\u{1100}' { 0.61 } else { 1.0 });
    ems.sum::<f64>() * FONT
}

/// `text`, or its beginning and end around an ellipsis, so that it is at most `width` wide;
/// `None` when fewer than six characters would be left, which would name nothing.
#[must_use]
pub fn shortened(text: &str, width: f64) -> Option<String> {
    if text_width(text) <= width {
        return (!text.is_empty()).then(|| text.to_owned());
    }
    let letters: Vec<char> = text.chars().collect();
    let wide = |letter: char| text_width(letter.encode_utf8(&mut [0; 4]));
    let mut room = width - wide('…');
    let (mut head, mut tail) = (0, letters.len());
    while head < tail {
        let from_head = head <= letters.len() - tail;
        let letter = if from_head {
            letters[head]
        } else {
            letters[tail - 1]
        };
        room -= wide(letter);
        if room < 0.0 {
            break;
        }
        if from_head {
            head += 1;
        } else {
            tail -= 1;
        }
    }
    if head + letters.len() - tail < 6 {
        return None;
    }
    let head: String = letters[..head].iter().collect();
    let tail: String = letters[tail..].iter().collect();
    Some(format!("{head}…{tail}"))
}

/// Everything over the picture that `camera` sees of `scene`. What is selected gets an outline:
/// for pictures whose renderer draws no ring, as SVG. Labels of what is dimmed are dimmed, too.
#[must_use]
pub fn overlay(scene: &Scene, camera: &Camera, words: &Words<'_>, marks: Marks<'_>) -> Overlay {
    let plot = plot(camera);
    let mut taken = Taken::default();
    let mut items = Vec::new();
    let rulers = rulers(camera, words, &plot, &mut taken, &mut items);
    if let Some(curve) = curve(scene, camera, &plot) {
        items.push(curve);
    }
    let mut captions = captions(scene, camera, words, &plot, &mut taken, &mut items);
    captions.extend(pools(scene, camera, words, &plot, &mut taken, &mut items));
    items.extend(labels(scene, camera, words, (&plot, marks.dim), &mut taken));
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
    Overlay { items }
}

/// The part of the picture that no ruler covers.
pub(crate) fn plot(camera: &Camera) -> Area {
    Area {
        left: INSETS.left,
        top: 0.0,
        right: camera.width.max(INSETS.left),
        bottom: (camera.height - INSETS.bottom).max(0.0),
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

/// The bound's and the arena's line; their captions are returned, to lie over the labels.
fn captions(
    scene: &Scene,
    camera: &Camera,
    words: &Words<'_>,
    plot: &Area,
    taken: &mut Taken,
    items: &mut Vec<Item>,
) -> Vec<Item> {
    let mut captions = Vec::new();
    let lines = [
        (scene.arena, words.arena, Ink::Arena, -FONT, false),
        (scene.bound, words.bound, Ink::Bound, FONT, true),
    ];
    for (at, word, ink, beside, dashed) in lines {
        let (_, y) = camera.screen_from_data(0.0, at);
        if at <= 0.0 || y < plot.top || y > plot.bottom {
            continue;
        }
        items.push(line(&[(plot.left, y), (plot.right, y)], ink, dashed));
        let text = format!("{word} {}", bytes_text(whole_step(at)));
        // A line near an edge has its caption on the side where there is room.
        let beside = match y + beside {
            middle if middle < plot.top + FONT => FONT,
            middle if middle > plot.bottom - FONT => -FONT,
            _ => beside,
        };
        let width = text_width(&text).min(plot.width() - 8.0);
        if width > 0.0 {
            let area = boxed(plot.right - 4.0 - width, y + beside, width);
            // Not on the rectangles that it may lie over.
            captions.push(Item::Band(Area {
                left: area.left - 3.0,
                right: plot.right,
                ..area
            }));
            if !push_text(&mut captions, taken, text, area, ink, false) {
                captions.pop();
            }
        }
    }
    captions
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
    let mut names = Vec::new();
    for (index, &base) in scene.pools.iter().enumerate() {
        let (_, y) = camera.screen_from_data(0.0, base);
        // A fitted picture begins a little above or below its first byte.
        if y < plot.top || y > plot.bottom + FONT {
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
        let width = text_width(&name).min(plot.width() - 8.0);
        if width > 0.0 {
            let area = boxed(plot.left + 4.0, (y - FONT).max(plot.top + FONT), width);
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

/// The box of one line of text around a middle height.
pub(crate) fn boxed(left: f64, middle: f64, width: f64) -> Area {
    Area {
        left,
        top: middle - FONT * 0.6,
        right: left + width,
        bottom: middle + FONT * 0.6,
    }
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
