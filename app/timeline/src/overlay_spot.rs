//! The point query of a plan, over its picture: a place and its free range, the rectangles that
//! make a part of the arena, the free ranges that are wasted.

use crate::camera::Camera;
use crate::overlay::{Area, Ink, Item, Overlay, plot, seen};
use crate::scene::{Rect, Scene};

/// Pixels between two strokes of a hatching.
const HATCH: f64 = 9.0;

/// A rectangle that is no wider or higher gets no outline, in CSS pixels.
const THIN: f64 = 6.0;

/// Longest hatched edge that is drawn stroke by stroke; nothing on a screen is longer.
const LONGEST: f64 = 10_000.0;

/// What is asked. Indices beyond the scene are ignored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpotMarks {
    /// Rectangles that are lit.
    pub lit: Vec<usize>,
    /// Free ranges that are hatched.
    pub free_ranges: Vec<Rect>,
    /// The free range of the point query.
    pub free_range: Option<Rect>,
    /// The step that is looked at.
    pub step: Option<f64>,
    /// Where the keyboard points: step and byte.
    pub cross: Option<(f64, f64)>,
    /// The operator that is looked at.
    pub operator: Option<OperatorMarks>,
}

/// What an operator has to do with. Indices beyond the scene are ignored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OperatorMarks {
    /// When it runs.
    pub step: f64,
    /// What lives then.
    pub live: Vec<usize>,
    /// What it reads.
    pub reads: Vec<usize>,
    /// What it writes.
    pub writes: Vec<usize>,
}

/// Everything that `marks` says over the picture that `camera` sees of `scene`.
#[must_use]
pub fn spot_overlay(scene: &Scene, camera: &Camera, marks: &SpotMarks) -> Overlay {
    let plot = plot(camera);
    let mut items = Vec::new();
    for rect in marks.lit.iter().filter_map(|&index| scene.rect(index)) {
        // An outline would cover all of a thin one, which stands out by itself where the
        // others are dimmed.
        let area = seen(&rect, camera, &plot);
        if let Some(area) = area.filter(|area| area.width() > THIN && area.height() > THIN) {
            items.push(Item::Outline(area, Ink::Bound));
        }
    }
    for area in marks
        .free_ranges
        .iter()
        .filter_map(|free_range| seen(&scene.placed(free_range), camera, &plot))
    {
        hatch(&mut items, &area);
        items.push(Item::Outline(area, Ink::Fault));
    }
    if let Some(area) = marks
        .free_range
        .and_then(|free_range| seen(&scene.placed(&free_range), camera, &plot))
    {
        items.push(Item::Wash(area, Ink::Selected));
        items.push(Item::Outline(area, Ink::Selected));
    }
    if let Some(operator) = &marks.operator {
        operates(&mut items, scene, camera, operator);
    }
    if let Some(step) = marks.step {
        let (x, _) = camera.screen_from_data(scene.across(step + 0.5), 0.0);
        if (plot.left..=plot.right).contains(&x) {
            items.push(stroke((x, plot.top), (x, plot.bottom), Ink::Written, 1.5));
        }
    }
    if let Some((step, byte)) = marks.cross {
        let (x, y) = camera.screen_from_data(scene.across(step), byte);
        if (plot.left..=plot.right).contains(&x) {
            items.push(stroke((x, plot.top), (x, plot.bottom), Ink::Text, 1.0));
        }
        if (plot.top..=plot.bottom).contains(&y) {
            items.push(stroke((plot.left, y), (plot.right, y), Ink::Text, 1.0));
        }
    }
    Overlay {
        under: Vec::new(),
        items,
        font: camera.labelling.font,
    }
}

/// The step of an operator, what lives then in thin outlines, and what it reads and writes.
fn operates(items: &mut Vec<Item>, scene: &Scene, camera: &Camera, marks: &OperatorMarks) {
    let plot = plot(camera);
    let areas = |all: &[usize]| {
        let rects = all.iter().filter_map(|&index| scene.rect(index));
        let areas = rects.filter_map(|rect| seen(&rect, camera, &plot));
        areas.collect::<Vec<Area>>()
    };
    let whole = Rect {
        x0: marks.step,
        x1: marks.step + 1.0,
        y0: camera.y.start,
        y1: camera.y.end,
    };
    if let Some(column) = seen(&scene.placed(&whole), camera, &plot) {
        items.push(Item::Wash(column, Ink::Grid));
        for x in [column.left, column.right] {
            items.push(stroke((x, plot.top), (x, plot.bottom), Ink::Text, 1.0));
        }
    }
    for area in areas(&marks.live) {
        let (left, right) = (area.left + 0.5, area.right - 0.5);
        let (top, bottom) = (area.top + 0.5, area.bottom - 0.5);
        let corners = [
            (left, top),
            (right, top),
            (right, bottom),
            (left, bottom),
            (left, top),
        ];
        items.push(Item::Line {
            points: corners.to_vec(),
            ink: Ink::Text,
            width: 1.0,
            dashed: false,
        });
    }
    for (all, ink) in [(&marks.reads, Ink::Read), (&marks.writes, Ink::Written)] {
        for area in areas(all) {
            items.push(Item::Wash(area, ink));
            items.push(Item::Outline(area, ink));
        }
    }
}

/// Strokes from the lower left to the upper right, cut off at the edges. Neighbouring areas
/// continue each other's strokes.
fn hatch(items: &mut Vec<Item>, area: &Area) {
    let (width, height) = (area.width(), area.height());
    if !(0.0..LONGEST).contains(&width) || !(0.0..LONGEST).contains(&height) {
        return;
    }
    // On the stroke of sum s, x + y = s.
    let mut sum = ((area.left + area.top) / HATCH).ceil() * HATCH;
    while sum < area.right + area.bottom {
        let left = (sum - area.bottom).max(area.left);
        let right = (sum - area.top).min(area.right);
        if left < right {
            items.push(stroke(
                (left, sum - left),
                (right, sum - right),
                Ink::Fault,
                1.0,
            ));
        }
        sum += HATCH;
    }
}

fn stroke(from: (f64, f64), to: (f64, f64), ink: Ink, width: f64) -> Item {
    Item::Line {
        points: vec![from, to],
        ink,
        width,
        dashed: false,
    }
}
