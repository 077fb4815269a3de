//! Curves of bytes over values, with legend and rulers: a list that a canvas draws and SVG writes.
//! Positions are CSS pixels.

use planner::Sorting as _;

use crate::axis::{ByteStyle, Tick, byte_ticks, step_ticks};
use crate::camera::Range;
use crate::labelling::{Labelling, Rulers};
use crate::overlay::{Area, Ink, Item, Text};

/// Least distance of two ticks of bytes, in letters.
const APART: f64 = 2.8;

/// A curve of more points has no marks at them.
const MARKED: usize = 64;

/// A scale of values is logarithmic where each is so much larger than the one before.
const RATIO: f64 = 1.5;

/// One curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// What it is called.
    pub name: String,
    /// Its colour.
    pub ink: Ink,
    /// Its thickness.
    pub width: f64,
    /// Whether it is dashed.
    pub dashed: bool,
    /// Its bytes at each value; `None` is a gap.
    pub bytes: Vec<Option<u64>>,
}

/// What is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Chart<'a> {
    /// The values, ascending, each once.
    pub values: &'a [u64],
    /// The curves, the last on top.
    pub curves: &'a [Curve],
    /// What the values are.
    pub axis: &'a str,
    /// A value that is marked, and what is said there.
    pub now: Option<(u64, &'a str)>,
    /// Width and height.
    pub size: (f64, f64),
    /// Height of the letters.
    pub font: f64,
}

/// Where values and bytes are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plot {
    /// The box inside the rulers.
    pub area: Area,
    logarithmic: bool,
    first: f64,
    last: f64,
    top: f64,
}

/// Whether each value is much larger than the one before.
#[must_use]
pub fn is_logarithmic(values: &[u64]) -> bool {
    let grows = |pair: &[u64]| pair[0] > 0 && pair[1] as f64 >= pair[0] as f64 * RATIO;
    values.len() > 3 && values.windows(2).all(grows)
}

impl Plot {
    /// Where a value is across.
    #[must_use]
    pub fn x(&self, value: u64) -> f64 {
        self.across(value as f64)
    }

    fn across(&self, value: f64) -> f64 {
        let (at, wide) = (scaled(value, self.logarithmic), self.last - self.first);
        let share = match wide > 0.0 {
            true => (at - self.first) / wide,
            false => 0.5,
        };
        self.area.left + share * self.area.width()
    }

    /// Where a number of bytes is.
    #[must_use]
    pub fn y(&self, bytes: u64) -> f64 {
        self.area.bottom - bytes as f64 / self.top * self.area.height()
    }

    /// The place in the list of the value that is nearest across.
    #[must_use]
    pub fn nearest(&self, values: &[u64], x: f64) -> Option<usize> {
        let apart = |index: &usize| (self.x(values[*index]) - x).abs();
        (0..values.len()).min_by(|one, other| apart(one).total_cmp(&apart(other)))
    }
}

fn scaled(value: f64, logarithmic: bool) -> f64 {
    match logarithmic {
        true => value.max(1.0).log2(),
        false => value,
    }
}

impl Chart<'_> {
    /// Where everything is, and everything in drawing order.
    #[must_use]
    pub fn drawn(&self) -> (Plot, Vec<Item>) {
        let (mut items, below) = self.legend();
        let plot = self.plot(below);
        self.bytes_ruler(&plot, &mut items);
        self.values_ruler(&plot, &mut items);
        if let Some((value, says)) = self.now {
            self.mark(&plot, value, says, &mut items);
        }
        for curve in self.curves {
            self.curve(&plot, curve, &mut items);
        }
        (plot, items)
    }

    fn letters(&self) -> Labelling {
        Labelling {
            font: self.font,
            rulers: Rulers::None,
        }
    }

    fn text(&self, left: f64, middle: f64, text: &str) -> Item {
        let letters = self.letters();
        Item::Text(Text {
            text: text.to_owned(),
            area: letters.boxed(left, middle, letters.width(text)),
            ink: Ink::Text,
            halo: true,
        })
    }

    /// Each curve with its name, in as many rows as it takes, and where they end.
    fn legend(&self) -> (Vec<Item>, f64) {
        let (font, letters) = (self.font, self.letters());
        let (mut left, mut middle) = (font, font);
        let mut items = Vec::new();
        for curve in self.curves {
            let wide = 2.0 * font + 0.5 * font + letters.width(&curve.name);
            if left > font && left + wide > self.size.0 {
                (left, middle) = (font, middle + 1.6 * font);
            }
            let points = vec![(left, middle), (left + 2.0 * font, middle)];
            items.push(line(points, curve));
            items.push(self.text(left + 2.5 * font, middle, &curve.name));
            left += wide + 1.5 * font;
        }
        (items, middle + font)
    }

    fn plot(&self, below: f64) -> Plot {
        let logarithmic = is_logarithmic(self.values);
        let end = |value: Option<&u64>| scaled(value.map_or(0.0, |it| *it as f64), logarithmic);
        let bytes = self.curves.iter().flat_map(|curve| &curve.bytes);
        let most = bytes.flatten().max().copied().unwrap_or_default();
        let top = below + 1.6 * self.font;
        Plot {
            area: Area {
                left: 7.0 * self.font,
                top,
                right: (self.size.0 - 2.0 * self.font).max(8.0 * self.font),
                bottom: (self.size.1 - 3.6 * self.font).max(top + self.font),
            },
            logarithmic,
            first: end(self.values.first()),
            last: end(self.values.last()),
            top: (most as f64 * 1.05).max(1.0),
        }
    }

    fn bytes_ruler(&self, plot: &Plot, items: &mut Vec<Item>) {
        let (letters, area) = (self.letters(), plot.area);
        let range = Range::new(0.0, plot.top);
        let apart = APART * self.font;
        for tick in byte_ticks(range, area.height(), apart, ByteStyle::Binary) {
            let y = area.bottom - tick.at / plot.top * area.height();
            items.push(thin(vec![(area.left, y), (area.right, y)], Ink::Grid));
            let left = area.left - 0.6 * self.font - letters.width(&tick.label);
            items.push(self.text(left, y, &tick.label));
        }
    }

    fn values_ruler(&self, plot: &Plot, items: &mut Vec<Item>) {
        let (letters, area, font) = (self.letters(), plot.area, self.font);
        let mut taken = f64::NEG_INFINITY;
        for tick in self.value_ticks(plot) {
            let x = plot.across(tick.at);
            items.push(thin(
                vec![(x, area.bottom), (x, area.bottom + 5.0)],
                Ink::Text,
            ));
            let wide = letters.width(&tick.label);
            let left = (x - wide / 2.0).min(self.size.0 - wide);
            if left > taken {
                items.push(self.text(left, area.bottom + 1.2 * font, &tick.label));
                taken = left + wide + font;
            }
        }
        let left = (area.right - letters.width(self.axis)).max(0.0);
        items.push(self.text(left, self.size.1 - font, self.axis));
    }

    /// The values themselves where there is room for all, or where they are far apart.
    fn value_ticks(&self, plot: &Plot) -> Vec<Tick> {
        let widest = |tick: &Tick| self.letters().width(&tick.label) + self.font;
        let all = self.values.iter().map(|&value| Tick {
            at: value as f64,
            label: value.to_string(),
        });
        let all: Vec<Tick> = all.collect();
        let room = all.iter().map(widest).fold(1.0, f64::max);
        let mut places: Vec<f64> = self.values.iter().map(|it| plot.x(*it)).collect();
        places.order_by(f64::total_cmp);
        let fits = places.windows(2).all(|pair| pair[1] - pair[0] >= room);
        if fits || plot.logarithmic || plot.last <= plot.first {
            return all;
        }
        step_ticks(Range::new(plot.first, plot.last), plot.area.width(), room)
    }

    fn mark(&self, plot: &Plot, value: u64, says: &str, items: &mut Vec<Item>) {
        let inside = self.values.first().is_some_and(|first| *first <= value)
            && self.values.last().is_some_and(|last| value <= *last);
        if !inside {
            return;
        }
        let (x, area) = (plot.x(value), plot.area);
        items.push(thin(vec![(x, area.top), (x, area.bottom)], Ink::Selected));
        let wide = self.letters().width(says);
        let left = (x - wide / 2.0).clamp(0.0, (self.size.0 - wide).max(0.0));
        items.push(self.text(left, area.top - 0.7 * self.font, says));
    }

    fn curve(&self, plot: &Plot, curve: &Curve, items: &mut Vec<Item>) {
        let places = self.values.iter().zip(&curve.bytes);
        let places = places.map(|(value, bytes)| Some((plot.x(*value), plot.y((*bytes)?))));
        let places: Vec<Option<(f64, f64)>> = places.collect();
        for run in places.split(Option::is_none) {
            let points: Vec<(f64, f64)> = run.iter().copied().flatten().collect();
            if points.len() > 1 {
                items.push(line(points.clone(), curve));
            }
            // What has no neighbour is seen by its mark alone.
            if points.len() == 1 || self.values.len() <= MARKED {
                let half = curve.width / 2.0 + 1.0;
                let marks = points.into_iter().map(|(x, y)| Area {
                    left: x - half,
                    top: y - half,
                    right: x + half,
                    bottom: y + half,
                });
                items.extend(marks.map(|area| Item::Solid(area, curve.ink)));
            }
        }
    }
}

fn line(points: Vec<(f64, f64)>, curve: &Curve) -> Item {
    Item::Line {
        points,
        ink: curve.ink,
        width: curve.width,
        dashed: curve.dashed,
    }
}

fn thin(points: Vec<(f64, f64)>, ink: Ink) -> Item {
    Item::Line {
        points,
        ink,
        width: 1.0,
        dashed: false,
    }
}
