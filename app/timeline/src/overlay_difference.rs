//! What differs between two plans, over the rectangles of either: which buffers moved, where the
//! selected one was, and the memory that the smaller plan frees.

use crate::camera::Camera;
use crate::labelling::Labelling;
use crate::overlay::{Area, Ink, Item, Overlay, Taken, hatch, plot, push_text, seen};
use crate::scene::{Rect, Scene};

/// A moved rectangle of fewer pixels than this either way has no outline.
const SEEN: f64 = 3.0;
/// The most outlines: more would hide what they are about.
const MOST: usize = 4_000;

/// What differs. Indices beyond the scene are ignored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DifferenceMarks {
    /// Buffers that lie elsewhere in the other plan, and are to be seen there.
    pub moved: Vec<usize>,
    /// Where the selected buffer lies in the other plan.
    pub preview: Option<Rect>,
    /// Start and end of what only the larger of both uses, and the text there.
    pub freed: Option<(f64, f64, String)>,
    /// Whether this plan is the one that uses it.
    pub larger: bool,
}

/// Everything that `marks` says over the picture that `camera` sees of `scene`.
#[must_use]
pub fn difference_overlay(scene: &Scene, camera: &Camera, marks: &DifferenceMarks) -> Overlay {
    let plot = plot(camera);
    let mut items = Vec::new();
    if let Some((from, to, text)) = &marks.freed {
        let rect = Rect {
            x0: 0.0,
            x1: scene.extents.horizon,
            y0: *from,
            y1: *to,
        };
        if let Some(area) = seen(&rect, camera, &plot) {
            if marks.larger {
                items.push(Item::Wash(area, Ink::Bound));
            } else {
                freed(&mut items, &area, text, camera.labelling);
            }
        }
    }
    let moved = marks.moved.iter().filter_map(|&index| scene.rect(index));
    let areas = moved.filter_map(|rect| seen(&rect, camera, &plot));
    let large = areas.filter(|area| area.width() >= SEEN && area.height() >= SEEN);
    items.extend(
        large
            .take(MOST)
            .map(|area| Item::Outline(area, Ink::Written)),
    );
    if let Some(area) = marks
        .preview
        .and_then(|rect| seen(&scene.placed(&rect), camera, &plot))
    {
        items.push(Item::Wash(area, Ink::Read));
        items.push(Item::Outline(area, Ink::Read));
    }
    Overlay {
        under: Vec::new(),
        items,
        font: camera.labelling.font,
    }
}

/// Hatched, with what is said in the middle.
fn freed(items: &mut Vec<Item>, area: &Area, text: &str, labelling: Labelling) {
    hatch(items, area, Ink::Bound);
    items.push(Item::Outline(*area, Ink::Bound));
    let width = labelling.width(text);
    if area.height() >= labelling.font * 1.2 && area.width() >= width + 4.0 {
        let left = area.left + (area.width() - width) / 2.0;
        let at = labelling.boxed(left, f64::midpoint(area.top, area.bottom), width);
        let text = text.to_owned();
        push_text(items, &mut Taken::default(), text, at, Ink::Text, true);
    }
}
