//! Names and sizes inside the rectangles that are large enough.

use crate::axis::bytes_text;
use crate::camera::Camera;
use crate::overlay::{Area, Ink, Item, Taken, Words, push_text, whole_step};
use crate::scene::Scene;
use crate::snap::Snap;
use planner::Sorting as _;

/// A picture has at most this many labelled rectangles: the largest.
pub(crate) const MAX_LABELS: usize = 300;

/// The labels of the rectangles in the plot, largest first; those that `dim` names by buffer are
/// dimmed.
pub(crate) fn labels(
    scene: &Scene,
    camera: &Camera,
    words: &Words<'_>,
    (plot, dim): (&Area, Option<&[bool]>),
    taken: &mut Taken,
) -> Vec<Item> {
    let labelling = camera.labelling;
    let font = labelling.font;
    let mut rooms = rooms(scene, camera, plot);
    let dimmed = |index: usize| {
        let dim = dim.and_then(|dim| dim.get(scene.owner(index)));
        dim.copied().unwrap_or(false)
    };
    let size = |area: &Area| area.width() * area.height();
    rooms.order_by(|a, b| size(&b.1).total_cmp(&size(&a.1)).then(a.0.cmp(&b.0)));
    rooms.truncate(MAX_LABELS);
    let mut items = Vec::new();
    for (index, room) in rooms {
        let buffer = || (words.buffer)(scene.owner(index));
        let name = scene.view(index).map_or_else(buffer, str::to_owned);
        let Some(name) = labelling.shortened(&name, room.width()) else {
            continue;
        };
        let ink = match dimmed(index) {
            true => Ink::Dimmed,
            false => Ink::Label(scene.fill[index]),
        };
        let first = room.top + font * 0.6;
        let area = labelling.boxed(room.left, first, labelling.width(&name));
        push_text(&mut items, taken, name, area, ink, false);
        let second = first + font * 1.3;
        let rect = scene.at(index);
        let bytes = bytes_text(whole_step(rect.y1 - rect.y0));
        let width = labelling.width(&bytes);
        if width <= room.width() && second + font * 0.6 <= room.bottom {
            let area = labelling.boxed(room.left, second, width);
            push_text(&mut items, taken, bytes, area, ink, false);
        }
    }
    items
}

/// The room for text in each rectangle that has any: its visible part less a margin.
fn rooms(scene: &Scene, camera: &Camera, plot: &Area) -> Vec<(usize, Area)> {
    let font = camera.labelling.font;
    let snap = Snap::new(camera, 1.0);
    let mut rooms = Vec::new();
    snap.for_each_cell(scene, |index, cell| {
        if scene.is_outline(index) {
            return;
        }
        let area = Area {
            left: f64::from(cell.left),
            top: f64::from(cell.top),
            right: f64::from(cell.right),
            bottom: f64::from(cell.bottom),
        };
        let seen = area.within(plot);
        let room = Area {
            left: seen.left + 4.0,
            top: seen.top + 2.0,
            right: seen.right - 4.0,
            bottom: seen.bottom - 2.0,
        };
        if room.width() >= 3.0 * font && room.height() >= font * 1.2 {
            rooms.push((index, room));
        }
    });
    rooms
}
