//! What the pictures of terms are made of, and how it is drawn: marks on a grid of 28 units across
//! and 14 up, as of a plan with time across and memory upwards.

use leptos::prelude::*;

/// A picture's size in units of the drawing, of which the page shows one as a CSS pixel.
const WIDTH: u8 = 120;
const HEIGHT: u8 = 64;

/// One unit of the grid, and what stays free around the grid.
const UNIT: u8 = 4;
const MARGIN: u8 = 4;

/// Half the height of what ends a measure, and the radius of a node.
const TICK: f64 = 4.0;
const RADIUS: f64 = 6.0;

/// Length and half the width of an arrow's head.
const HEAD: (f64, f64) = (6.0, 3.5);

/// Free units between the lines of a hatching.
const HATCHING: f64 = 6.0;

/// How a mark looks: what it stands for.
#[derive(Clone, Copy)]
pub(super) enum Look {
    /// What the term is seen beside.
    Plain,
    /// What the term says.
    Meant,
    /// What it says, too.
    Second,
    /// What is wrong, or too much.
    Bad,
    /// What is free: hatched.
    Free,
    /// What is not there, or no longer.
    Faded,
    /// Some steps.
    Band,
}

/// A point of the grid.
pub(super) type Point = (u8, u8);

/// A part of a picture.
#[derive(Clone, Copy)]
pub(super) enum Mark {
    /// A rectangle from one point of time to another, and from one address to another.
    Rect(Look, u8, u8, u8, u8),
    /// A line through points.
    Line(Look, &'static [Point]),
    /// An arrow from one point to another.
    Arrow(Look, Point, Point),
    /// A measure of time, from one point to another, at a height.
    Span(Look, u8, u8, u8),
    /// A measure of memory, at a time, from one address to another.
    Rise(Look, u8, u8, u8),
    /// An operator, or an event.
    Node(Look, u8, u8),
    /// A number or a sign, around a point. Never a word: pictures know no language.
    Sign(u8, u8, &'static str),
}

/// The picture of which these are the layers, from the back to the front.
pub(super) fn drawn(layers: &[&'static [Mark]]) -> impl IntoView + use<> {
    let marks = layers.iter().copied().flatten();
    let marks: Vec<AnyView> = marks.map(|mark| one(*mark)).collect();
    view! {
        <svg
            class="term-picture"
            viewBox=format!("0 0 {WIDTH} {HEIGHT}")
            width=WIDTH.to_string()
            height=HEIGHT.to_string()
            aria-hidden="true"
        >
            {marks}
        </svg>
    }
}

fn one(mark: Mark) -> AnyView {
    let (class, d) = match mark {
        Mark::Rect(look, x0, x1, y0, y1) => (filled(look), rectangle(look, (x0, y0), (x1, y1))),
        Mark::Line(look, points) => (outlined(look), line(points)),
        Mark::Arrow(look, from, to) => (outlined(look), arrow(from, to)),
        Mark::Span(look, x0, x1, y) => {
            let ((x0, y), (x1, _)) = (place((x0, y)), place((x1, y)));
            let (top, ticks) = (y - TICK, TICK + TICK);
            let d = format!("M{x0} {y}H{x1}M{x0} {top}v{ticks}M{x1} {top}v{ticks}");
            (outlined(look), d)
        }
        Mark::Rise(look, x, y0, y1) => {
            let ((x, y0), (_, y1)) = (place((x, y0)), place((x, y1)));
            let (left, ticks) = (x - TICK, TICK + TICK);
            let d = format!("M{x} {y0}V{y1}M{left} {y0}h{ticks}M{left} {y1}h{ticks}");
            (outlined(look), d)
        }
        Mark::Node(look, x, y) => (filled(look), circle((x, y))),
        Mark::Sign(x, y, sign) => {
            let (x, y) = place((x, y));
            return view! { <text x=x.to_string() y=y.to_string()>{sign}</text> }.into_any();
        }
    };
    view! { <path class=class d=d></path> }.into_any()
}

/// The class of an area.
fn filled(look: Look) -> &'static str {
    match look {
        Look::Plain => "plain",
        Look::Meant => "meant",
        Look::Second => "second",
        Look::Bad => "bad",
        Look::Free => "free",
        Look::Faded => "faded",
        Look::Band => "band",
    }
}

/// The class of a line.
fn outlined(look: Look) -> &'static str {
    match look {
        Look::Plain => "line plain",
        Look::Meant | Look::Free | Look::Band => "line meant",
        Look::Second => "line second",
        Look::Bad => "line bad",
        Look::Faded => "line faded",
    }
}

/// Where a point of the grid is in the drawing, in which heights are counted downwards.
fn place((x, y): Point) -> (f64, f64) {
    let across = f64::from(MARGIN) + f64::from(UNIT) * f64::from(x);
    let down = f64::from(HEIGHT - MARGIN) - f64::from(UNIT) * f64::from(y);
    (across, down)
}

fn rectangle(look: Look, low: Point, high: Point) -> String {
    let ((left, bottom), (right, top)) = (place(low), place(high));
    let mut d = format!("M{left} {top}H{right}V{bottom}H{left}Z");
    if matches!(look, Look::Free) {
        let (width, height) = (right - left, bottom - top);
        // Lines that rise to the right: each begins at the left edge or the lower one, and ends at
        // the upper edge or the right one.
        let mut along = HATCHING;
        while along < width + height {
            let (x0, y0) = (left + (along - height).max(0.0), top + along.min(height));
            let (x1, y1) = (left + along.min(width), top + (along - width).max(0.0));
            d += &format!("M{x0} {y0}L{x1} {y1}");
            along += HATCHING;
        }
    }
    d
}

fn line(points: &[Point]) -> String {
    let mut d = String::new();
    for (at, point) in points.iter().enumerate() {
        let (x, y) = place(*point);
        d += &format!("{}{x} {y}", if at == 0 { 'M' } else { 'L' });
    }
    d
}

fn arrow(from: Point, to: Point) -> String {
    let ((x0, y0), (x1, y1)) = (place(from), place(to));
    let length = (x1 - x0).hypot(y1 - y0).max(1.0);
    let (along, up) = ((x1 - x0) / length, (y1 - y0) / length);
    let (back, side) = HEAD;
    let (x, y) = (x1 - back * along, y1 - back * up);
    let one = (x - side * up, y + side * along);
    let other = (x + side * up, y - side * along);
    format!(
        "M{x0} {y0}L{x1} {y1}M{:.1} {:.1}L{x1} {y1}L{:.1} {:.1}",
        one.0, one.1, other.0, other.1
    )
}

fn circle(center: Point) -> String {
    let (x, y) = place(center);
    let across = RADIUS + RADIUS;
    let left = x - RADIUS;
    format!("M{left} {y}a{RADIUS} {RADIUS} 0 1 0 {across} 0a{RADIUS} {RADIUS} 0 1 0 -{across} 0Z")
}
