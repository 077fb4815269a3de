//! Colours and patterns: a light and a dark theme.
//!
//! The categorical fills were found by a random search for the largest smallest OKLab distance
//! between any two, seen with normal vision and with protanopia, deuteranopia and tritanopia
//! (matrices of Machado, Oliveira and Fernandes 2009), each at 3:1 or more against the background
//! and none too glaring for large areas. Both themes have the same hues in the same order, within
//! 18 degrees, and a colour is nearly as light in one as in the other. Patterns distinguish
//! categories where colour alone does not.

use crate::scene::Fill;
use planner::Sorting as _;

/// Red, green and blue, sRGB.
pub type Rgb = [u8; 3];

/// Number of different categorical fills: [`Theme::fills`] from 0 on.
pub const CATEGORIES: u8 = 8;
/// Index of the grey fill of what belongs to no category of its own.
pub const NEUTRAL: u8 = 8;
/// Index of the first fill of the sequential ramp.
pub const RAMP_START: u8 = 16;
/// Number of fills in the sequential ramp, from least to most.
pub const RAMP: u8 = 16;
/// Number of fills in a theme.
pub const FILLS: usize = 32;

/// The patterns, each eight rows of eight bits, the lowest bit leftmost: plain, diagonal,
/// falling diagonal, dots, horizontal, vertical, cross, checks.
pub const PATTERNS: [[u8; 8]; 8] = [
    [0; 8],
    [0x03, 0x81, 0xc0, 0x60, 0x30, 0x18, 0x0c, 0x06],
    [0x03, 0x06, 0x0c, 0x18, 0x30, 0x60, 0xc0, 0x81],
    [0x00, 0x06, 0x06, 0x00, 0x00, 0x60, 0x60, 0x00],
    [0x00, 0x00, 0xff, 0x00, 0x00, 0x00, 0xff, 0x00],
    [0x44, 0x44, 0x44, 0x44, 0x44, 0x44, 0x44, 0x44],
    [0xff, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01],
    [0x0f, 0x0f, 0x0f, 0x0f, 0xf0, 0xf0, 0xf0, 0xf0],
];

/// Every colour of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Theme {
    /// Whether it is the dark one.
    pub dark: bool,
    /// Behind everything.
    pub background: Rgb,
    /// Fills: categorical from 0, [`NEUTRAL`], the ramp from [`RAMP_START`].
    pub fills: [Rgb; FILLS],
    /// Ruler marks and text on the background.
    pub text: Rgb,
    /// Lines of the grid.
    pub grid: Rgb,
    /// The lower bound's line and label.
    pub bound: Rgb,
    /// The arena's top line and label.
    pub arena: Rgb,
    /// The live-bytes curve.
    pub curve: Rgb,
    /// Ring around the selected rectangle, and the minimap's viewport.
    pub selected: Rgb,
    /// Ring around the hovered rectangle.
    pub hovered: Rgb,
    /// What a run reads now.
    pub read: Rgb,
    /// What a run writes now, and the line at the step where it is.
    pub written: Rgb,
    /// Where a run went wrong.
    pub fault: Rgb,
}

const LIGHT_CATEGORIES: [Rgb; CATEGORIES as usize] = [
    [0x4b, 0x43, 0xd0],
    [0xd1, 0x82, 0x00],
    [0x39, 0xa3, 0x93],
    [0xa2, 0x6e, 0xea],
    [0xb5, 0x3d, 0x0d],
    [0x69, 0x3a, 0x73],
    [0x00, 0x1a, 0x99],
    [0x77, 0x06, 0x1b],
];

const DARK_CATEGORIES: [Rgb; CATEGORIES as usize] = [
    [0xa4, 0xae, 0xff],
    [0xf3, 0xb4, 0x35],
    [0x25, 0xe6, 0xc3],
    [0x68, 0x59, 0xa4],
    [0xa2, 0x4b, 0x05],
    [0xad, 0x80, 0xaa],
    [0x6e, 0x76, 0xfb],
    [0xdd, 0x6d, 0x4b],
];

impl Theme {
    /// For a bright room and for print.
    #[must_use]
    pub fn light() -> Self {
        Self {
            dark: false,
            background: [0xff, 0xff, 0xff],
            fills: fills(
                &LIGHT_CATEGORIES,
                [0x7f, 0x79, 0x73],
                ([0x45, 0x9d, 0xa8], [0x1c, 0x12, 0x48]),
            ),
            text: [0x33, 0x3a, 0x44],
            grid: [0xd5, 0xda, 0xe0],
            bound: [0xb0, 0x00, 0x20],
            arena: [0x33, 0x3a, 0x44],
            curve: [0x11, 0x11, 0x11],
            selected: [0x00, 0x00, 0x00],
            hovered: [0x8a, 0x55, 0x00],
            read: [0x00, 0x4f, 0xb8],
            written: [0x8a, 0x3c, 0x00],
            fault: [0xc8, 0x00, 0x1e],
        }
    }

    /// For a dark room.
    #[must_use]
    pub fn dark() -> Self {
        Self {
            dark: true,
            background: [0x12, 0x16, 0x1c],
            fills: fills(
                &DARK_CATEGORIES,
                [0x89, 0x83, 0x7d],
                ([0x3f, 0x72, 0x9b], [0xff, 0xf0, 0xa8]),
            ),
            text: [0xc9, 0xd1, 0xda],
            grid: [0x33, 0x3b, 0x46],
            bound: [0xff, 0x7b, 0x8a],
            arena: [0xc9, 0xd1, 0xda],
            curve: [0xf4, 0xf4, 0xf4],
            selected: [0xff, 0xff, 0xff],
            hovered: [0xff, 0xc8, 0x5a],
            read: [0x8c, 0xc8, 0xff],
            written: [0xff, 0xa9, 0x4d],
            fault: [0xff, 0x4d, 0x5e],
        }
    }

    /// The colour of a fill.
    #[must_use]
    pub fn fill(&self, color: u8) -> Rgb {
        self.fills[usize::from(color) % FILLS]
    }

    /// The colour of a fill's edge and pattern: nearer to the background than the fill, so
    /// that neighbours of one colour stay apart.
    #[must_use]
    pub fn ink(&self, color: u8) -> Rgb {
        mix(self.fill(color), self.background, 90)
    }

    /// A dimmed colour: what a search does not match.
    #[must_use]
    pub fn dimmed(&self, color: Rgb) -> Rgb {
        mix(color, self.background, 200)
    }

    /// Black or white, whichever can be read on a fill.
    #[must_use]
    pub fn label(&self, color: u8) -> Rgb {
        readable_on(self.fill(color))
    }
}

/// Black or white, whichever can be read on `fill`.
#[must_use]
pub fn readable_on(fill: Rgb) -> Rgb {
    let (black, white) = ([0, 0, 0], [0xff, 0xff, 0xff]);
    if contrast(fill, black) >= contrast(fill, white) {
        black
    } else {
        white
    }
}

/// The fill of category `index`: colours first, then the same colours with patterns, so that
/// 64 categories look different.
#[must_use]
pub fn categorical(index: usize) -> Fill {
    let colors = usize::from(CATEGORIES);
    let pattern = index / colors % PATTERNS.len();
    Fill {
        color: u8::try_from(index % colors).unwrap_or(0),
        pattern: u8::try_from(pattern).unwrap_or(0),
    }
}

/// The fills of `names`, the most important first: the first eight get the plain colours, the
/// next eight the same with a pattern, and so on.
///
/// Within its eight a name gets the colour that its letters choose, or the next one that is
/// free for the name that comes first in the alphabet: so a name keeps its colour from file
/// to file as far as colours go round, whatever its rank.
#[must_use]
pub fn assigned(names: &[&str]) -> Vec<Fill> {
    let colors = usize::from(CATEGORIES);
    let mut fills = vec![Fill::default(); names.len()];
    for (round, group) in names.chunks(colors).enumerate() {
        let mut order: Vec<usize> = (0..group.len()).collect();
        order.order_by_key(|&index| group[index]);
        let mut taken = [false; CATEGORIES as usize];
        for index in order {
            let wish = letters(group[index], colors);
            let places = (0..colors).map(|more| (wish + more) % colors);
            let free = places.into_iter().find(|&place| !taken[place]);
            let place = free.unwrap_or_default();
            taken[place] = true;
            fills[round * colors + index] = categorical(round * colors + place);
        }
    }
    fills
}

/// The one of `places` that a name wishes for: FNV-1a of its letters (Fowler, Noll and Vo 1991).
pub(crate) fn letters(name: &str, places: usize) -> usize {
    let hash = name.bytes().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    usize::from(u8::try_from(hash >> 24).unwrap_or_default()) % places.max(1)
}

/// The grey fill with pattern number `pattern`.
#[must_use]
pub fn neutral(pattern: u8) -> Fill {
    Fill {
        color: NEUTRAL,
        pattern,
    }
}

/// The fill of class `index` of `count`, from least to most: evenly spread over the ramp.
#[must_use]
pub fn class(index: usize, count: usize) -> Fill {
    let last = usize::from(RAMP - 1);
    let level = match count {
        0 | 1 => last / 2,
        _ => index.min(count - 1) * last / (count - 1),
    };
    Fill {
        color: RAMP_START + u8::try_from(level).unwrap_or_default(),
        pattern: 0,
    }
}

/// Contrast of two colours as WCAG 2.2 defines it, from 1 to 21.
#[must_use]
pub fn contrast(a: Rgb, b: Rgb) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// `a` with `share`/256 of `b` in it.
#[must_use]
pub fn mix(a: Rgb, b: Rgb, share: u8) -> Rgb {
    std::array::from_fn(|channel| {
        let (a, b) = (u32::from(a[channel]), u32::from(b[channel]));
        let mixed = (a * (256 - u32::from(share)) + b * u32::from(share) + 128) / 256;
        u8::try_from(mixed).unwrap_or(u8::MAX)
    })
}

/// Relative luminance as WCAG 2.2 defines it.
fn luminance(color: Rgb) -> f64 {
    let linear = |channel: u8| {
        let value = f64::from(channel) / 255.0;
        if value <= 0.04045 {
            value / 12.92
        } else {
            ((value + 0.055) / 1.055).powf(2.4)
        }
    };
    0.2126 * linear(color[0]) + 0.7152 * linear(color[1]) + 0.0722 * linear(color[2])
}

fn fills(categories: &[Rgb], neutral: Rgb, (least, most): (Rgb, Rgb)) -> [Rgb; FILLS] {
    std::array::from_fn(|index| match index.checked_sub(usize::from(RAMP_START)) {
        None if index == usize::from(NEUTRAL) => neutral,
        None => categories[index % categories.len()],
        Some(level) => {
            let share = level * 255 / usize::from(RAMP - 1);
            mix(least, most, u8::try_from(share).unwrap_or(u8::MAX))
        }
    })
}
