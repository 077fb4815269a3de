//! Names and sizes inside the rectangles that are large enough.

use crate::axis::bytes_text;
use crate::camera::Camera;
use crate::overlay::{Area, Ink, Item, Taken, Words, push_text, whole_step};
use crate::scene::Scene;
use crate::snap::{Snap, whole};
use planner::Sorting as _;

/// The narrowest room for a name, in letters.
const NARROWEST: f64 = 3.0;
/// The lowest, in letters.
const LOWEST: f64 = 1.2;

/// What labels keep to.
pub(crate) struct Around<'a> {
    /// The part of the picture that no ruler covers.
    pub(crate) plot: &'a Area,
    /// The line that runs over the rectangles.
    pub(crate) curve: &'a [(f64, f64)],
    /// Buffers that are dimmed.
    pub(crate) dim: Option<&'a [bool]>,
}

/// The labels of the rectangles in the plot, largest first, wherever one fits and can be told from
/// all others; those that `dim` names by buffer are dimmed. Where the curve runs through the top of a
/// rectangle and not through its bottom, the label stands there.
pub(crate) fn labels(
    scene: &Scene,
    camera: &Camera,
    words: &Words<'_>,
    around: &Around<'_>,
    taken: &mut Taken,
) -> Vec<Item> {
    let &Around { plot, curve, dim } = around;
    let labelling = camera.labelling;
    let font = labelling.font;
    let mut rooms = rooms(scene, camera, plot);
    let dimmed = |index: usize| {
        let dim = dim.and_then(|dim| dim.get(scene.owner(index)));
        dim.copied().unwrap_or(false)
    };
    let size = |area: &Area| area.width() * area.height();
    rooms.order_by(|a, b| size(&b.1).total_cmp(&size(&a.1)).then(a.0.cmp(&b.0)));
    // So many have room beside each other: more overlap, as only what breaks rules does.
    rooms.truncate(whole(size(plot) / (NARROWEST * font * LOWEST * font)).unsigned_abs() as usize);
    let name = |&(index, _): &(usize, Area)| {
        let buffer = || (words.buffer)(scene.owner(index));
        scene.view(index).map_or_else(buffer, str::to_owned)
    };
    let names: Vec<String> = rooms.iter().map(name).collect();
    let names = labelling.distinct(&names, |place| rooms[place].1.width());
    let mut items = Vec::new();
    for ((index, room), name) in rooms.into_iter().zip(names) {
        let Some(name) = name else {
            continue;
        };
        let ink = match dimmed(index) {
            true => Ink::Dimmed,
            false => Ink::Label(scene.fill[index]),
        };
        let rect = scene.at(index);
        let bytes = bytes_text(whole_step(rect.y1 - rect.y0));
        let (width, of_bytes) = (labelling.width(&name), labelling.width(&bytes));
        let two = of_bytes <= room.width() && font * 2.5 <= room.height();
        let high = font * if two { 2.5 } else { 1.2 };
        let block = |top: f64| Area {
            left: room.left,
            top,
            right: room.left + if two { width.max(of_bytes) } else { width },
            bottom: top + high,
        };
        let tops = [room.top, room.bottom - high];
        let free = tops.into_iter().find(|top| !crosses(curve, &block(*top)));
        let first = free.unwrap_or(room.top) + font * 0.6;
        let area = labelling.boxed(room.left, first, width);
        push_text(&mut items, taken, name, area, ink, false);
        if two {
            let area = labelling.boxed(room.left, first + font * 1.3, of_bytes);
            push_text(&mut items, taken, bytes, area, ink, false);
        }
    }
    items
}

/// Whether a line from left to right, level or upright from point to point, runs through `area`.
fn crosses(line: &[(f64, f64)], area: &Area) -> bool {
    let first = line.partition_point(|point| point.0 < area.left);
    let seen = &line[first.saturating_sub(1)..];
    let mut pairs = seen.iter().zip(seen.iter().skip(1));
    let through = |(a, b): (&(f64, f64), &(f64, f64))| {
        a.0.max(b.0) > area.left && a.1.min(b.1) < area.bottom && a.1.max(b.1) > area.top
    };
    pairs
        .by_ref()
        .take_while(|(a, _)| a.0 < area.right)
        .any(through)
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
        if room.width() >= NARROWEST * font && room.height() >= LOWEST * font {
            rooms.push((index, room));
        }
    });
    rooms
}
