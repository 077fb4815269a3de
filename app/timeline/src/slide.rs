//! A page of pictures to take away: a title, each picture under its figures, and the legend.
//!
//! Only where things stand is decided here; [`svg`](crate::svg) writes it, and a canvas draws
//! it from the same lists. Positions are CSS pixels from the top left.

use crate::labelling::{FONT, Labelling, Rulers};
use crate::overlay::{Area, Ink, Item, Overlay, Text};
use crate::scene::Fill;

/// A slide as wide as high in the proportion 16:9, in CSS pixels.
pub const WIDE: (f64, f64) = (1280.0, 720.0);

/// Height of the title's letters, and of a picture's name, in letters of the text.
const TITLE: f64 = 1.5;
const NAME: f64 = 1.15;

/// From line to line, in letters.
const LEADING: f64 = 1.35;

/// The most lines of each text, and rows of the legend.
const TITLE_LINES: usize = 2;
const FIGURE_LINES: usize = 3;
const SAID_LINES: usize = 6;
const LEGEND_ROWS: usize = 3;

/// What a slide says and shows.
#[derive(Clone, Copy)]
pub struct Content<'a> {
    /// What is shown, in one sentence.
    pub title: &'a str,
    /// What a rectangle is.
    pub caption: &'a str,
    /// What stands over each picture.
    pub heads: &'a [Head],
    /// What fills mean.
    pub legend: &'a [Meaning],
    /// What stands for so many meanings that find no room.
    pub more: &'a dyn Fn(usize) -> String,
    /// Pictures in a row; a last row that is not full shares its whole width.
    pub columns: usize,
    /// How large it is.
    pub room: Room,
    /// Height of the letters in CSS pixels.
    pub font: f64,
}

/// How large a slide is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Room {
    /// As a whole, in CSS pixels: pictures take what texts leave.
    Whole(f64, f64),
    /// Each picture of a full row, in CSS pixels: the slide takes what that needs.
    Picture(f64, f64),
}

/// What stands over a picture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// Whose plan it is.
    pub name: String,
    /// Its figures.
    pub figures: String,
    /// What is to be said of it; may be empty.
    pub says: String,
}

/// What a fill means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meaning {
    /// The fill.
    pub fill: Fill,
    /// What it stands for, with figures.
    pub text: String,
}

/// Where everything stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Slide {
    /// Width and height.
    pub size: (f64, f64),
    /// The texts around the pictures, by the height of their letters.
    pub texts: Vec<Overlay>,
    /// Where each picture stands.
    pub pictures: Vec<Area>,
}

impl Slide {
    /// A single picture without anything around it.
    #[must_use]
    pub fn bare(width: f64, height: f64) -> Self {
        let whole = Area {
            left: 0.0,
            top: 0.0,
            right: width,
            bottom: height,
        };
        Self {
            size: (width, height),
            texts: Vec::new(),
            pictures: vec![whole],
        }
    }

    /// Takes room of this height from above a picture, for what is drawn there.
    pub fn put_over(&mut self, picture: usize, height: f64, drawn: Overlay) {
        let Some(area) = self.pictures.get_mut(picture) else {
            return;
        };
        let (left, top) = (area.left, area.top);
        area.top += height;
        let items = drawn.items.into_iter().map(|item| item.moved(left, top));
        self.texts.push(Overlay {
            items: items.collect(),
            ..drawn
        });
    }

    /// Gives everything its place.
    #[must_use]
    pub fn new(content: &Content<'_>) -> Self {
        let count = content.heads.len();
        let columns = content.columns.clamp(1, count.max(1));
        let rows = count.div_ceil(columns);
        let pad = content.font * 1.5;
        let width = match content.room {
            Room::Whole(width, _) => width,
            Room::Picture(width, _) => {
                let gaps = count_f64(columns - 1) * pad;
                count_f64(columns) * width + gaps + 2.0 * pad
            }
        };
        let inside = (width - 2.0 * pad).max(1.0);
        let mut texts = Texts::new(content.font);
        let mut top = pad;
        top = texts.lines(TITLE, content.title, (pad, top, inside), TITLE_LINES);
        top = texts.lines(1.0, content.caption, (pad, top, inside), TITLE_LINES) + pad / 2.0;
        let (legend, legend_height) = legend(content, inside);
        let in_row = |row: usize| columns.min(count - row * columns);
        let heads: Vec<f64> = (0..rows)
            .map(|row| {
                let wide = picture_width(inside, in_row(row), pad);
                let of_row = content.heads.iter().skip(row * columns).take(in_row(row));
                let heights = of_row.map(|head| texts.head_height(head, wide));
                heights.fold(0.0, f64::max)
            })
            .collect();
        let height = match content.room {
            Room::Picture(_, height) => height,
            Room::Whole(_, height) => {
                let around = top + heads.iter().sum::<f64>() + legend_height + pad;
                let left = height - around - count_f64(rows) * pad;
                (left / count_f64(rows.max(1))).max(1.0)
            }
        };
        let mut pictures = Vec::with_capacity(count);
        for (row, head_height) in heads.iter().enumerate() {
            let wide = picture_width(inside, in_row(row), pad);
            for place in 0..in_row(row) {
                let left = pad + count_f64(place) * (wide + pad);
                texts.head(&content.heads[row * columns + place], (left, top, wide));
                let from = top + head_height;
                // Rectangles are drawn on whole pixels.
                pictures.push(Area {
                    left: left.round(),
                    top: from.round(),
                    right: (left + wide).round(),
                    bottom: (from + height).round(),
                });
            }
            top += head_height + height + pad;
        }
        texts.place(legend, (pad, top));
        let bottom = match content.room {
            Room::Whole(_, height) => height,
            Room::Picture(..) => top + legend_height + pad,
        };
        Self {
            size: (width, bottom),
            texts: texts.overlays,
            pictures,
        }
    }
}

/// Width of a picture of several in a row.
fn picture_width(inside: f64, in_row: usize, gap: f64) -> f64 {
    let gaps = count_f64(in_row.saturating_sub(1)) * gap;
    ((inside - gaps) / count_f64(in_row.max(1))).max(1.0)
}

#[expect(clippy::cast_precision_loss, reason = "panes and rows are few")]
fn count_f64(count: usize) -> f64 {
    count as f64
}

/// The texts so far, one overlay for each height of letters.
struct Texts {
    font: f64,
    overlays: Vec<Overlay>,
}

impl Texts {
    fn new(font: f64) -> Self {
        let of_height = |ratio: f64| Overlay {
            font: font * ratio,
            ..Overlay::default()
        };
        Self {
            font,
            overlays: [TITLE, NAME, 1.0].map(of_height).into(),
        }
    }

    fn letters(&self, ratio: f64) -> Labelling {
        Labelling {
            font: self.font * ratio,
            rulers: Rulers::None,
        }
    }

    /// Writes a text in lines of `width` from `(left, top)` on; returns where it ends.
    fn lines(
        &mut self,
        ratio: f64,
        text: &str,
        (left, top, width): (f64, f64, f64),
        most: usize,
    ) -> f64 {
        let letters = self.letters(ratio);
        let mut middle = top + letters.font * LEADING / 2.0;
        for line in letters.wrapped(text, width, most) {
            let text = Text {
                area: letters.boxed(left, middle, letters.width(&line)),
                text: line,
                ink: Ink::Text,
                halo: false,
            };
            middle += letters.font * LEADING;
            let same = |overlay: &&mut Overlay| (overlay.font - letters.font).abs() < 1e-9;
            if let Some(overlay) = self.overlays.iter_mut().find(same) {
                overlay.items.push(Item::Text(text));
            }
        }
        middle - letters.font * LEADING / 2.0
    }

    fn head(&mut self, head: &Head, (left, top, width): (f64, f64, f64)) -> f64 {
        let top = self.lines(NAME, &head.name, (left, top, width), 1);
        let top = self.lines(1.0, &head.figures, (left, top, width), FIGURE_LINES);
        self.lines(1.0, &head.says, (left, top, width), SAID_LINES) + self.font / 2.0
    }

    fn head_height(&self, head: &Head, width: f64) -> f64 {
        Self::new(self.font).head(head, (0.0, 0.0, width))
    }

    /// Adds what was placed from the top left on.
    fn place(&mut self, items: Vec<Item>, (left, top): (f64, f64)) {
        let moved = items.into_iter().map(|item| item.moved(left, top));
        if let Some(overlay) = self.overlays.last_mut() {
            overlay.items.extend(moved);
        }
    }
}

impl Item {
    /// The same, so much farther right and down.
    fn moved(self, right: f64, down: f64) -> Self {
        let all = |points: Vec<(f64, f64)>| {
            let moved = points.into_iter().map(|(x, y)| (x + right, y + down));
            moved.collect()
        };
        match self {
            Self::Line {
                points,
                ink,
                width,
                dashed,
            } => Self::Line {
                points: all(points),
                ink,
                width,
                dashed,
            },
            Self::Fill {
                points,
                bottom,
                ink,
            } => Self::Fill {
                points: all(points),
                bottom: bottom + down,
                ink,
            },
            Self::Band(area) => Self::Band(area.moved(right, down)),
            Self::Outline(area, ink) => Self::Outline(area.moved(right, down), ink),
            Self::Wash(area, ink) => Self::Wash(area.moved(right, down), ink),
            Self::Solid(area, ink) => Self::Solid(area.moved(right, down), ink),
            Self::Swatch(area, fill) => Self::Swatch(area.moved(right, down), fill),
            Self::Text(text) => Self::Text(Text {
                area: text.area.moved(right, down),
                ..text
            }),
        }
    }
}

/// Swatches and what they mean in rows of `width`, from the origin on, and their height.
fn legend(content: &Content<'_>, width: f64) -> (Vec<Item>, f64) {
    let letters = Labelling {
        font: content.font,
        rulers: Rulers::None,
    };
    let font = letters.font;
    let (swatch, gap, high) = (1.4 * font, 1.6 * font, LEADING * font);
    let mut items = Vec::new();
    let (mut left, mut row) = (0.0, 0_usize);
    for (index, meaning) in content.legend.iter().enumerate() {
        let rest = content.legend.len() - index;
        let more = letters.width(&(content.more)(rest));
        let wide = swatch + letters.width(&meaning.text);
        // In the last row there has to be room to say how many are left out.
        let needs = match row + 1 == LEGEND_ROWS && rest > 1 {
            true => wide + gap + more,
            false => wide,
        };
        if left > 0.0 && left + needs > width {
            if row + 1 == LEGEND_ROWS {
                let middle = (count_f64(row) + 0.5) * high;
                items.push(Item::Text(Text {
                    text: (content.more)(rest),
                    area: letters.boxed(left, middle, more),
                    ink: Ink::Text,
                    halo: false,
                }));
                break;
            }
            (left, row) = (0.0, row + 1);
        }
        let middle = (count_f64(row) + 0.5) * high;
        items.push(Item::Swatch(
            letters.boxed(left, middle, font),
            meaning.fill,
        ));
        items.push(Item::Text(Text {
            text: meaning.text.clone(),
            area: letters.boxed(left + swatch, middle, letters.width(&meaning.text)),
            ink: Ink::Text,
            halo: false,
        }));
        left += wide + gap;
    }
    let rows = if content.legend.is_empty() {
        0
    } else {
        row + 1
    };
    (items, count_f64(rows) * high)
}

/// The labelling of a picture on a slide.
#[must_use]
pub fn labelling(area: &Area, font: f64) -> Labelling {
    Labelling::of((area.width(), area.height()), font.max(FONT))
}
