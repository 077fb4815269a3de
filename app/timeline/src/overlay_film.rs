//! What a film shows over the rectangles: the buffer that is decided, the ranges that were
//! considered for it, what it stands on, and the shared objects so far.

use crate::camera::Camera;
use crate::overlay::{Area, Ink, Item, Overlay, Taken, hatch, plot, push_text, seen};
use crate::scene::{Rect, Scene};

/// Fewer pixels between two objects' edges show neither.
const OBJECT: f64 = 4.0;

/// What a film shows at one decision. Indices beyond the scene are ignored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FilmMarks {
    /// The buffer that is decided.
    pub current: Option<usize>,
    /// Buffers that hold it up, where that is its trouble.
    pub stack: Vec<usize>,
    /// Free ranges that were considered and not taken.
    pub ranges: Vec<FilmRange>,
    /// The shared objects: start, end, and what it is called.
    pub objects: Vec<(f64, f64, String)>,
}

/// A free range that was not taken.
#[derive(Clone, Debug, PartialEq)]
pub struct FilmRange {
    /// Where it is.
    pub rect: Rect,
    /// Whether the buffer would have fitted.
    pub fits: bool,
    /// Its size, as it is written.
    pub label: String,
}

/// Everything that `marks` says over the picture that `camera` sees of `scene`.
#[must_use]
pub fn film_overlay(scene: &Scene, camera: &Camera, marks: &FilmMarks) -> Overlay {
    let plot = plot(camera);
    let mut items = Vec::new();
    let mut taken = Taken::default();
    objects(&mut items, &mut taken, camera, &plot, &marks.objects);
    for range in &marks.ranges {
        let Some(area) = seen(&scene.placed(&range.rect), camera, &plot) else {
            continue;
        };
        let ink = if range.fits { Ink::Fault } else { Ink::Text };
        hatch(&mut items, &area, ink);
        items.push(Item::Outline(area, ink));
        let width = camera.labelling.width(&range.label);
        if area.height() >= camera.labelling.font && area.width() >= width + 4.0 {
            let left = area.left + (area.width() - width) / 2.0;
            let middle = f64::midpoint(area.top, area.bottom);
            let label = camera.labelling.boxed(left, middle, width);
            push_text(
                &mut items,
                &mut taken,
                range.label.clone(),
                label,
                ink,
                true,
            );
        }
    }
    for rect in marks.stack.iter().filter_map(|&index| scene.rect(index)) {
        if let Some(area) = seen(&rect, camera, &plot) {
            items.push(Item::Outline(area, Ink::Fault));
        }
    }
    let current = marks.current.and_then(|index| scene.rect(index));
    if let Some(area) = current.and_then(|rect| seen(&rect, camera, &plot)) {
        items.push(Item::Wash(area, Ink::Written));
        items.push(Item::Outline(area, Ink::Written));
    }
    Overlay {
        under: Vec::new(),
        items,
        font: camera.labelling.font,
    }
}

/// A dashed line at the upper edge of each object, and its name under it.
fn objects(
    items: &mut Vec<Item>,
    taken: &mut Taken,
    camera: &Camera,
    plot: &Area,
    objects: &[(f64, f64, String)],
) {
    let mut last = f64::INFINITY;
    for (from, to, label) in objects {
        let (_, bottom) = camera.screen_from_data(0.0, *from);
        let (_, top) = camera.screen_from_data(0.0, *to);
        if !(plot.top..=plot.bottom).contains(&top) || last - top < OBJECT {
            continue;
        }
        last = top;
        items.push(Item::Line {
            points: vec![(plot.left, top), (plot.right, top)],
            ink: Ink::Text,
            width: 1.0,
            dashed: true,
        });
        let width = camera.labelling.width(label);
        if bottom - top >= camera.labelling.font * 1.4 && width < plot.width() {
            let area = camera.labelling.boxed(
                plot.right - width - 6.0,
                top + camera.labelling.font * 0.8,
                width,
            );
            push_text(items, taken, label.clone(), area, Ink::Text, true);
        }
    }
}
