//! What lines across the plot are called: written where no rectangle lies under the words.

use crate::axis::bytes_text;
use crate::camera::Camera;
use crate::overlay::{Area, Ink, Item, Taken, Words, line, push_text, whole_step};
use crate::scene::Scene;
use crate::snap::Snap;

/// Side of a field of the map of what is covered, in CSS pixels.
const FIELD: f64 = 8.0;

/// Beyond this many rectangles in view the map is not made, and nothing is known to be free.
const MAPPED: usize = 20_000;

/// Which parts of the plot rectangles cover.
pub(crate) struct Covered {
    columns: usize,
    rows: usize,
    origin: (f64, f64),
    fields: Vec<bool>,
    known: bool,
}

impl Covered {
    /// What the rectangles of `scene` cover of `plot`.
    pub(crate) fn new(scene: &Scene, camera: &Camera, plot: &Area) -> Self {
        let count = |length: f64| fields((length / FIELD).ceil());
        let (columns, rows) = (count(plot.width()), count(plot.height()));
        let mut covered = Self {
            columns,
            rows,
            origin: (plot.left, plot.top),
            fields: vec![false; columns * rows],
            known: scene.len() <= MAPPED,
        };
        if covered.known {
            Snap::new(camera, 1.0).for_each_cell(scene, |_, cell| {
                let area = Area {
                    left: f64::from(cell.left),
                    top: f64::from(cell.top),
                    right: f64::from(cell.right),
                    bottom: f64::from(cell.bottom),
                };
                covered.cover(&area.within(plot));
            });
        }
        covered
    }

    /// Counts `area` as covered, too.
    pub(crate) fn cover(&mut self, area: &Area) {
        let (columns, rows) = self.fields_of(area);
        for row in rows {
            for column in columns.clone() {
                if let Some(field) = self.fields.get_mut(row * self.columns + column) {
                    *field = true;
                }
            }
        }
    }

    fn fields_of(&self, area: &Area) -> (std::ops::Range<usize>, std::ops::Range<usize>) {
        let index = |at: f64, from: f64| fields((at - from) / FIELD);
        let along = |from: f64, to: f64, origin: f64, most: usize| {
            // An edge on the border of a field is not inside the next.
            index(from, origin).min(most)..(index(to - 0.01, origin) + 1).min(most)
        };
        if area.width() <= 0.0 || area.height() <= 0.0 {
            return (0..0, 0..0);
        }
        (
            along(area.left, area.right, self.origin.0, self.columns),
            along(area.top, area.bottom, self.origin.1, self.rows),
        )
    }

    /// Whether no rectangle lies under `area`, as far as is known.
    fn is_free(&self, area: &Area) -> bool {
        let (columns, mut rows) = self.fields_of(area);
        self.known
            && rows.all(|row| {
                let mut fields = columns.clone();
                fields.all(|column| !self.fields[row * self.columns + column])
            })
    }
}

/// A number of fields: of a plot, and so few.
fn fields(count: f64) -> usize {
    usize::try_from(whole_step(count.max(0.0))).unwrap_or(usize::MAX)
}

/// The bound's and the arena's line; what they are called is returned, to lie over everything.
/// Where rectangles leave no room beside the line, it stands on the ruler in place of a tick.
pub(crate) fn captions(
    scene: &Scene,
    camera: &Camera,
    words: &Words<'_>,
    (plot, covered): (&Area, &Covered),
    (taken, on_ruler): (&mut Taken, &mut Vec<Item>),
    items: &mut Vec<Item>,
) -> Vec<Item> {
    let mut captions = Vec::new();
    let both_said = !words.arena.is_empty() && !words.bound.is_empty();
    let met = both_said && (scene.arena - scene.bound).abs() < 0.5;
    let both = format!("{} = {}", words.arena, words.bound);
    let lines = [
        (
            scene.arena,
            if met { &both } else { words.arena },
            Ink::Arena,
            false,
        ),
        (scene.bound, words.bound, Ink::Bound, true),
        (scene.budget, words.budget, Ink::Text, true),
    ];
    for (index, (at, word, ink, dashed)) in lines.into_iter().enumerate() {
        let (_, y) = camera.screen_from_data(0.0, at);
        if at <= 0.0 || word.is_empty() || y < plot.top || y > plot.bottom {
            continue;
        }
        items.push(line(&[(plot.left, y), (plot.right, y)], ink, dashed));
        if met && index == 1 {
            continue;
        }
        let size = bytes_text(whole_step(at));
        let text = format!("{word} {size}");
        let room = (plot, covered);
        let other = if index == 0 { scene.bound } else { scene.arena };
        let other = camera.screen_from_data(0.0, other).1;
        if !caption(camera, &text, (ink, y, other), room, taken, &mut captions) {
            beside(camera, size, (ink, y), plot, taken, on_ruler);
        }
    }
    captions
}

/// What the curve is called, where there is room beside it and no line strikes the word out.
pub(crate) fn curve_caption(
    (curve, scene): (&[(f64, f64)], &Scene),
    camera: &Camera,
    word: &str,
    (plot, covered): (&Area, &Covered),
    taken: &mut Taken,
) -> Option<Item> {
    let labelling = camera.labelling;
    let width = labelling.width(word);
    let step = (curve.len() / 64).max(1);
    let mut captions = Vec::new();
    let lines =
        [scene.arena, scene.bound, scene.budget].map(|at| camera.screen_from_data(0.0, at).1);
    // What is out of sight runs along the edge.
    let in_view = |y: f64| plot.top < y && y < plot.bottom;
    for &(x, y) in curve.iter().step_by(step).filter(|(_, y)| in_view(*y)) {
        let area = labelling.boxed(x + 6.0, y - labelling.font, width);
        let under = |at: &(f64, f64)| {
            area.left - 4.0 <= at.0 && at.0 <= area.right + 4.0 && at.1 <= area.bottom + 3.0
        };
        let is_struck = lines.iter().any(|y| area.top < *y && *y < area.bottom);
        let is_free = !is_struck && covered.is_free(&area);
        if inside(&area, plot) && is_free && !curve.iter().any(under) {
            let pushed = push_text(
                &mut captions,
                taken,
                word.to_owned(),
                area,
                Ink::Curve,
                true,
            );
            if pushed {
                return captions.pop();
            }
        }
    }
    None
}

fn inside(area: &Area, plot: &Area) -> bool {
    area.within(plot) == *area
}

/// What a line at `y` is called, above or below it, where the line at `other` does not strike it
/// out; whether there was room.
fn caption(
    camera: &Camera,
    text: &str,
    (ink, y, other): (Ink, f64, f64),
    (plot, covered): (&Area, &Covered),
    taken: &mut Taken,
    captions: &mut Vec<Item>,
) -> bool {
    let labelling = camera.labelling;
    let font = labelling.font;
    let width = labelling.width(text);
    let mut right = plot.right - 4.0;
    while right - width >= plot.left + 4.0 {
        for middle in [y - font * 0.9, y + font * 0.9] {
            let area = labelling.boxed(right - width, middle, width);
            let is_struck = area.top < other && other < area.bottom;
            if inside(&area, plot)
                && !is_struck
                && covered.is_free(&area)
                && push_text(captions, taken, text.to_owned(), area, ink, true)
            {
                return true;
            }
        }
        right -= font * 2.0;
    }
    false
}

/// The size of a line on the ruler, in place of a tick: its ink says which line it is.
fn beside(
    camera: &Camera,
    size: String,
    (ink, y): (Ink, f64),
    plot: &Area,
    taken: &mut Taken,
    on_ruler: &mut Vec<Item>,
) {
    let room = (plot.left - 8.0).max(0.0);
    let width = camera.labelling.width(&size).min(room);
    let area = camera.labelling.boxed(room - width, y, width);
    if room > 0.0 {
        push_text(on_ruler, taken, size, area, ink, false);
    }
}
