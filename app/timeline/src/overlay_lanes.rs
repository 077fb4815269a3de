//! Lanes under a picture: figures over time, one below the other, on the picture's own axis
//! of time.

use crate::camera::{Camera, Range};
use crate::overlay::{Area, Ink, Item, Overlay, Text};
use crate::overlay_curve::steps;

/// Height of one lane in CSS pixels.
pub const LANE: f64 = 46.0;

/// Room over a lane's highest value, for its name.
const NAME: f64 = 16.0;

/// A figure over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lane {
    /// What it is called.
    pub name: String,
    /// The value from each point's step until the next point's, by ascending step.
    pub points: Vec<(f64, f64)>,
    /// The value at the top of the lane; the bottom is 0.
    pub most: f64,
    /// How that value is written.
    pub top: String,
}

/// The lanes over a canvas as wide as the picture that `camera` is of.
#[must_use]
pub fn lanes_overlay<'l>(lanes: impl IntoIterator<Item = &'l Lane>, camera: &Camera) -> Overlay {
    let insets = camera.labelling.insets();
    let mut items = Vec::new();
    let mut top = 0.0;
    for lane in lanes {
        let area = Area {
            left: insets.left,
            top: top + NAME,
            right: camera.width.max(insets.left),
            bottom: top + LANE - 3.0,
        };
        one(&mut items, lane, camera, &area);
        top += LANE;
    }
    Overlay {
        under: Vec::new(),
        items,
        font: camera.labelling.font,
    }
}

fn one(items: &mut Vec<Item>, lane: &Lane, camera: &Camera, area: &Area) {
    if area.width() <= 0.0 {
        return;
    }
    let per_pixel = lane.most.max(f64::MIN_POSITIVE) / area.height();
    // The lane's own picture: the same steps, and 0 at its bottom.
    let own = Camera {
        y: Range::new(0.0, area.bottom * per_pixel),
        height: area.bottom,
        ..*camera
    };
    let points = steps(&lane.points, &own, area);
    items.push(Item::Fill {
        points,
        bottom: area.bottom,
        ink: Ink::Curve,
    });
    let edges = [(area.left, area.bottom), (area.right, area.bottom)];
    items.push(line(&edges, Ink::Text, 1.0));
    let middle = area.top - NAME / 2.0;
    if let Some(name) = camera.labelling.shortened(&lane.name, area.width() - 8.0) {
        let width = camera.labelling.width(&name);
        items.push(text(
            name,
            camera.labelling.boxed(area.left + 4.0, middle, width),
        ));
    }
    for (value, y) in [
        (lane.top.as_str(), area.top),
        ("0", area.bottom - camera.labelling.font / 2.0),
    ] {
        let width = camera.labelling.width(value).min(area.left - 10.0);
        let place = camera.labelling.boxed(area.left - 8.0 - width, y, width);
        items.push(text(value.to_owned(), place));
    }
}

fn text(text: String, area: Area) -> Item {
    Item::Text(Text {
        text,
        area,
        ink: Ink::Text,
        halo: true,
    })
}

fn line(points: &[(f64, f64)], ink: Ink, width: f64) -> Item {
    Item::Line {
        points: points.to_vec(),
        ink,
        width,
        dashed: false,
    }
}
