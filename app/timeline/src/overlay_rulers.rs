//! The rulers of bytes and steps, and what they count.

use crate::axis::{byte_ticks, step_ticks, time_ticks};
use crate::camera::{Camera, Range};
use crate::labelling::Rulers as Shown;
use crate::overlay::{Area, Ink, Item, Taken, Words, line, push_text, whole_step};

/// Least distance of two ticks, in letters: of bytes, and of steps.
const APART: (f64, f64) = (4.0, 6.6);

/// Where rulers are drawn, and what is drawn of them so far.
struct Rulers<'a> {
    /// Whether times are across, not steps.
    timed: bool,
    camera: &'a Camera,
    words: &'a Words<'a>,
    plot: &'a Area,
    taken: &'a mut Taken,
    /// The grid, which lies under everything else.
    grid: &'a mut Vec<Item>,
    /// Everything else.
    items: Vec<Item>,
}

/// Both rulers; their grid goes into `grid`, under everything else.
pub(crate) fn rulers(
    (timed, camera): (bool, &Camera),
    words: &Words<'_>,
    plot: &Area,
    taken: &mut Taken,
    grid: &mut Vec<Item>,
) -> Vec<Item> {
    if camera.labelling.rulers == Shown::None {
        return Vec::new();
    }
    let bands = vec![
        Item::Band(Area {
            left: 0.0,
            right: plot.left,
            top: 0.0,
            bottom: camera.height,
        }),
        Item::Band(Area {
            top: plot.bottom,
            bottom: camera.height,
            ..*plot
        }),
    ];
    let mut rulers = Rulers {
        timed,
        camera,
        words,
        plot,
        taken,
        grid,
        items: bands,
    };
    rulers.titles();
    rulers.of_bytes();
    rulers.of_steps();
    rulers.items
}

impl Rulers<'_> {
    /// A text where its box is free.
    fn text(&mut self, text: String, area: Area) {
        push_text(&mut self.items, self.taken, text, area, Ink::Text, false);
    }

    /// What the axes count: addresses upward, steps to the right.
    fn titles(&mut self) {
        let (camera, words, plot) = (self.camera, self.words, self.plot);
        let labelling = camera.labelling;
        if labelling.rulers != Shown::Titled {
            return;
        }
        let mut put = |text: String, left: f64, middle: f64| {
            let width = labelling.width(&text);
            let area = labelling.boxed(left, middle, width);
            self.text(text, area);
        };
        put(format!("↑ {}", words.addresses), 4.0, labelling.font * 0.7);
        let steps = format!("{} →", words.steps);
        let left = f64::max(plot.left, plot.right - 4.0 - labelling.width(&steps));
        if labelling.width(&steps) <= plot.width() {
            put(steps, left, camera.height - labelling.font * 0.75);
        }
    }

    fn of_bytes(&mut self) {
        let (camera, words, plot) = (self.camera, self.words, self.plot);
        let labelling = camera.labelling;
        let apart = APART.0 * labelling.font;
        for tick in byte_ticks(camera.y, camera.height, apart, words.bytes) {
            let (_, y) = camera.screen_from_data(0.0, tick.at);
            if y < labelling.font || y > plot.bottom + 1.0 {
                continue;
            }
            self.grid
                .push(line(&[(plot.left, y), (plot.right, y)], Ink::Grid, false));
            let mark = [(plot.left - 5.0, y), (plot.left, y)];
            self.items.push(line(&mark, Ink::Text, false));
            let room = plot.left - 10.0;
            let width = labelling.width(&tick.label).min(room);
            let area = labelling.boxed(plot.left - 8.0 - width, y, width);
            self.text(tick.label, area);
        }
    }

    fn of_steps(&mut self) {
        let (camera, words, plot) = (self.camera, self.words, self.plot);
        let labelling = camera.labelling;
        let seen = Range::new(camera.x.start.max(0.0), camera.x.end.max(0.0));
        let pixels = seen.len() * camera.pixels_per_step();
        let gap = APART.1 * labelling.font;
        let ticks = match self.timed {
            true => time_ticks(seen, pixels, gap),
            false => step_ticks(seen, pixels, gap),
        };
        let spacing = match ticks.as_slice() {
            [first, second, ..] => (second.at - first.at) * camera.pixels_per_step(),
            _ => plot.width(),
        };
        let place = |at: f64| camera.screen_from_data(at, 0.0).0;
        // The first step may lie a rounding before the plot.
        let inside = |x: f64| plot.left - 0.5 <= x && x <= plot.right;
        let ticks: Vec<_> = ticks
            .into_iter()
            .filter(|tick| inside(place(tick.at)))
            .collect();
        let name = |at: f64| (words.step)(whole_step(at)).filter(|_| !self.timed);
        let names = ticks.iter().map(|tick| name(tick.at).unwrap_or_default());
        let names: Vec<String> = names.collect();
        let labels = labelling.distinct(&names, |_| spacing - 8.0);
        for (tick, name) in ticks.into_iter().zip(labels) {
            let x = place(tick.at);
            self.grid
                .push(line(&[(x, plot.top), (x, plot.bottom)], Ink::Grid, false));
            let mark = [(x, plot.bottom), (x, plot.bottom + 5.0)];
            self.items.push(line(&mark, Ink::Text, false));
            // The last tick may have less room than there is between two.
            let room = (spacing - 8.0).min(camera.width - x - 4.0);
            let fits = |text: &String| labelling.width(text) <= room;
            let number = Some(tick.label).filter(fits);
            let name = name.and_then(|name| labelling.shortened(&name, room));
            for (text, below) in [(number, 0.95), (name, 2.3)] {
                let Some(text) = text else { continue };
                let middle = plot.bottom + below * labelling.font;
                let area = labelling.boxed(x + 4.0, middle, labelling.width(&text));
                self.text(text, area);
            }
        }
    }
}
