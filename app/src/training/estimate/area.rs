//! Allocated bytes over the events of an estimate, stacked by what they are for, under what is
//! reserved.

use std::fmt::Write as _;

use leptos::prelude::*;
use planner::training::estimate::{Estimate, Point, Purpose};
use timeline::axis::{ByteStyle, byte_ticks};
use timeline::camera::Range;

use super::tables::word;
use crate::state::session::{Session, to_f64};
use crate::strings::{EstimateWord as W, filled};
use crate::training::chart::text;

/// The picture's size and margins, in its own units.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 280.0;
const LEFT: f64 = 76.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 28.0;
/// Its width where pictures are no wider than this in pixels, so that its text can be read there.
const NARROW: f64 = 380.0;
const PHONE: f64 = 480.0;
/// Pixels between two lines of the ruler.
const APART: f64 = 44.0;

/// The most columns that are drawn; of the points of one that with most is.
const COLUMNS: usize = 600;

/// The chart and its legend.
pub(super) fn chart(session: Session, it: &Estimate) -> impl IntoView + use<> {
    let points = columns(&it.points);
    let used = |purpose: &Purpose| it.points.iter().any(|point| point.of(*purpose).0 > 0);
    let used: Vec<Purpose> = Purpose::ALL.into_iter().filter(used).collect();
    let phone = session.size.get().0 <= PHONE;
    let scale = Scale::of(it, if phone { NARROW } else { WIDTH });
    let (width, right) = (scale.width, scale.width - RIGHT);
    let device = session.insight.training.device.get();
    // The device's memory, where it does not press the chart flat.
    let line = device.map(|it| to_f64(it.memory.0));
    let line = line.filter(|it| *it < scale.most).map(|memory| {
        let y = format!("{:.1}", scale.y(memory));
        view! { <line class="budget" x1=LEFT.to_string() x2=right.to_string() y1=y.clone() y2=y/> }
    });
    let areas = (0..used.len()).rev().map(|last| {
        let path = outline(&scale, &points, |point| {
            let below = used[..=last].iter().map(|it| point.of(*it).0);
            below.fold(0_u64, u64::saturating_add)
        });
        let foot = format!("V{0:.1}H{LEFT}Z", scale.y(0.0));
        view! { <path class=used[last].name() d=path + &foot><title>{session.say(word(used[last]))}</title></path> }
    });
    let areas = areas.collect_view();
    let reserved = outline(&scale, &points, |point| point.reserved.0);
    let legend = used.iter().rev().map(|it| {
        view! { <span class=it.name()><i></i>{session.say(word(*it))}</span> }
    });
    view! {
        <figure class="pareto purposes">
            <svg
                viewBox=format!("0 0 {width} {HEIGHT}")
                role="img"
                aria-label=session.say(W::Chart)
            >
                {areas}
                <path class="reserved" d=reserved/>
                {axes(session, &scale, &it.points)}
                {line}
            </svg>
            <figcaption>
                <span class="reserved"><i></i>{session.say(W::Reserved)}</span>
                {legend.collect_view()}
            </figcaption>
        </figure>
    }
}

/// Where what is drawn.
struct Scale {
    width: f64,
    events: f64,
    most: f64,
}

impl Scale {
    fn of(it: &Estimate, width: f64) -> Self {
        let most = it
            .points
            .iter()
            .map(|it| it.reserved.max(it.allocated))
            .max();
        Self {
            width,
            events: to_f64((it.events as u64).max(1)),
            most: to_f64(most.map_or(1, |it| it.0.max(1))) * 1.06,
        }
    }

    fn x(&self, event: usize) -> f64 {
        LEFT + to_f64(event as u64) / self.events * (self.width - LEFT - RIGHT)
    }

    fn y(&self, bytes: f64) -> f64 {
        HEIGHT - BOTTOM - bytes / self.most * (HEIGHT - TOP - BOTTOM)
    }
}

/// The points that are drawn: of as many as share a column that with most allocated.
fn columns(points: &[Point]) -> Vec<Point> {
    let share = points.len().div_ceil(COLUMNS).max(1);
    let most = |column: &[Point]| {
        let from = column.first()?.event;
        let most = column.iter().max_by_key(|it| it.allocated)?;
        Some(Point {
            event: from,
            ..*most
        })
    };
    points.chunks(share).filter_map(most).collect()
}

/// Steps from the left edge to the right one, from what one point has to what the next has.
fn outline(scale: &Scale, points: &[Point], of: impl Fn(&Point) -> u64) -> String {
    let mut path = String::new();
    for (index, point) in points.iter().enumerate() {
        let (x, y) = (scale.x(point.event), scale.y(to_f64(of(point))));
        // Before its first event there is nothing.
        let _ = match index {
            0 => write!(path, "M{LEFT} {:.1}H{x:.1}V{y:.1}", scale.y(0.0)),
            _ => write!(path, "H{x:.1}V{y:.1}"),
        };
    }
    path + &format!("H{:.1}", scale.width - RIGHT)
}

/// Bytes up, and where each step begins.
fn axes(session: Session, scale: &Scale, points: &[Point]) -> impl IntoView + use<> {
    let foot = HEIGHT - BOTTOM;
    let right = (scale.width - RIGHT).to_string();
    let range = Range::new(0.0, scale.most);
    let ticks = byte_ticks(range, foot - TOP, APART, ByteStyle::Binary);
    let up = ticks.into_iter().map(|tick| {
        let y = scale.y(tick.at);
        view! {
            <line class="grid" x1=LEFT.to_string() x2=right.clone() y1=format!("{y:.1}") y2=format!("{y:.1}")/>
            {text(LEFT - 6.0, y + 4.0, "end", tick.label)}
        }
    });
    let begins = points.chunk_by(|one, two| one.step == two.step);
    let steps = begins.filter_map(|points| {
        let (first, last) = (points.first()?, points.last()?);
        let (from, to) = (scale.x(first.event), scale.x(last.event));
        let name = match first.step {
            0 => session.say(W::Start).to_owned(),
            step => filled(session.say(W::Step), &[&step.to_string()]),
        };
        // A narrow one has no room for its name.
        let name = (to - from > 60.0).then(|| text(from + 4.0, foot + 18.0, "start", name));
        let at = format!("{from:.1}");
        Some(view! {
            <line class="begins" x1=at.clone() x2=at y1=TOP.to_string() y2=(foot + 6.0).to_string()/>
            {name}
        })
    });
    view! {
        <g class="axes">
            {up.collect_view()}
            {steps.collect_view()}
        </g>
    }
}
