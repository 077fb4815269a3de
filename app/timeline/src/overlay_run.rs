//! What a run shows over the rectangles: where it is, what it touches there, and, when it
//! went wrong, which operator overwrote which buffer.

use crate::camera::Camera;
use crate::overlay::{Area, Ink, Item, Overlay, Text, hatch, plot, seen};
use crate::scene::{Rect, Scene};

/// Size of the mark on a pinned rectangle, in CSS pixels.
const PIN: f64 = 7.0;

/// What a run shows. Indices beyond the scene are ignored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunMarks {
    /// The step that runs.
    pub playhead: Option<f64>,
    /// Buffers that it reads.
    pub read: Vec<usize>,
    /// Buffers that it writes.
    pub written: Vec<usize>,
    /// The buffer that was overwritten.
    pub victim: Option<usize>,
    /// The step whose operator did it.
    pub overwriter: Option<f64>,
    /// The first overwritten address, in bytes, and how it is written.
    pub address: Option<(f64, String)>,
    /// Buffers that stay where they are.
    pub pinned: Vec<usize>,
    /// Buffers that are in the way of the one that is held.
    pub in_the_way: Vec<usize>,
    /// Buffers that cannot be smaller together, and the step at which they meet.
    pub witness: Vec<usize>,
    /// See [`witness`](Self::witness).
    pub witness_step: Option<f64>,
    /// Where moved rectangles were before.
    pub previews: Vec<Rect>,
    /// The rectangle that is held, where it is held.
    pub held: Option<(usize, Rect)>,
    /// Bytes that two rectangles need at the same steps.
    pub overlaps: Vec<Rect>,
}

/// Everything that `marks` says over the picture that `camera` sees of `scene`.
#[must_use]
pub fn run_overlay(scene: &Scene, camera: &Camera, marks: &RunMarks) -> Overlay {
    let plot = plot(camera);
    let mut items = Vec::new();
    let mark = |items: &mut Vec<Item>, rect: &Rect, ink: Ink, wash: bool| {
        let Some(area) = seen(rect, camera, &plot) else {
            return;
        };
        if wash {
            items.push(Item::Wash(area, ink));
        }
        items.push(Item::Outline(area, ink));
    };
    for preview in &marks.previews {
        mark(&mut items, &scene.placed(preview), Ink::Text, false);
    }
    for rect in marks.witness.iter().filter_map(|&index| scene.rect(index)) {
        mark(&mut items, &rect, Ink::Bound, false);
    }
    if let Some(step) = marks.witness_step {
        mark(&mut items, &column(scene, step, camera), Ink::Bound, true);
    }
    let washed = [
        (&marks.in_the_way, Ink::Fault),
        (&marks.read, Ink::Read),
        (&marks.written, Ink::Written),
    ];
    for (indices, ink) in washed {
        for rect in indices.iter().filter_map(|&index| scene.rect(index)) {
            mark(&mut items, &rect, ink, true);
        }
    }
    if let Some(rect) = marks.victim.and_then(|index| scene.rect(index)) {
        mark(&mut items, &rect, Ink::Fault, true);
    }
    moved(&mut items, scene, camera, marks);
    for rect in marks.pinned.iter().filter_map(|&index| scene.rect(index)) {
        if let Some(area) = seen(&rect, camera, &plot) {
            items.push(Item::Outline(area, Ink::Text));
            items.push(pin(&area));
        }
    }
    if let Some(step) = marks.overwriter {
        mark(&mut items, &column(scene, step, camera), Ink::Fault, true);
    }
    if let Some((at, text)) = &marks.address {
        address(&mut items, camera, &plot, *at, text);
    }
    if let Some(step) = marks.playhead {
        let (x, _) = camera.screen_from_data(scene.across(step + 0.5), 0.0);
        if (plot.left..=plot.right).contains(&x) {
            items.push(Item::Line {
                points: vec![(x, plot.top), (x, plot.bottom)],
                ink: Ink::Written,
                width: 2.0,
                dashed: false,
            });
        }
    }
    Overlay {
        under: Vec::new(),
        items,
        font: camera.labelling.font,
    }
}

/// The rectangle that is held, and what lies over each other.
fn moved(items: &mut Vec<Item>, scene: &Scene, camera: &Camera, marks: &RunMarks) {
    let plot = plot(camera);
    if let Some((index, rect)) = &marks.held {
        held(items, scene, camera, (*index, rect));
    }
    let overlaps = marks.overlaps.iter();
    for area in overlaps.filter_map(|rect| seen(&scene.placed(rect), camera, &plot)) {
        items.push(Item::Wash(area, Ink::Background));
        hatch(items, &area, Ink::Fault);
        items.push(Item::Outline(area, Ink::Fault));
    }
}

/// The rectangle under the pointer in its own colour, and an empty place where it was.
fn held(items: &mut Vec<Item>, scene: &Scene, camera: &Camera, (index, rect): (usize, &Rect)) {
    let plot = plot(camera);
    let before = scene
        .rect(index)
        .and_then(|rect| seen(&rect, camera, &plot));
    if let Some(area) = before {
        items.push(Item::Band(area));
        items.push(Item::Outline(area, Ink::Grid));
    }
    let color = scene.pieces(index).start;
    let color = scene.fill.get(color).copied().unwrap_or_default();
    if let Some(area) = seen(&scene.placed(rect), camera, &plot) {
        items.push(Item::Solid(area, Ink::Fill(color)));
        items.push(Item::Outline(area, Ink::Selected));
    }
}

/// A thick stroke in the upper left corner of a pinned rectangle.
fn pin(area: &Area) -> Item {
    let width = (area.bottom - area.top).min(PIN);
    let y = area.top + width / 2.0;
    let right = (area.left + PIN).min(area.right);
    Item::Line {
        points: vec![(area.left, y), (right, y)],
        ink: Ink::Text,
        width,
        dashed: false,
    }
}

/// All of memory during a step.
fn column(scene: &Scene, step: f64, camera: &Camera) -> Rect {
    Rect {
        x0: scene.across(step),
        x1: scene.across(step + 1.0),
        y0: camera.y.start,
        y1: camera.y.end,
    }
}

/// A line at an address, and what it is over its right end.
fn address(items: &mut Vec<Item>, camera: &Camera, plot: &Area, at: f64, text: &str) {
    let (_, y) = camera.screen_from_data(0.0, at);
    if !(plot.top..=plot.bottom).contains(&y) {
        return;
    }
    items.push(Item::Line {
        points: vec![(plot.left, y), (plot.right, y)],
        ink: Ink::Fault,
        width: 1.5,
        dashed: false,
    });
    let width = camera.labelling.width(text).min(plot.width());
    let middle = if y - camera.labelling.font < plot.top {
        y + camera.labelling.font
    } else {
        y - camera.labelling.font
    };
    items.push(Item::Text(Text {
        text: text.to_owned(),
        area: camera.labelling.boxed(plot.left + 4.0, middle, width),
        ink: Ink::Fault,
        halo: true,
    }));
}
