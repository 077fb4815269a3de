//! The bytes that each group needs at every step, and where they are in the picture.

use std::fmt::Write as _;
use std::sync::Arc;

use leptos::prelude::*;
use planner::Step;
use planner::deployed::Clock;
use planner::grouping::{Area, Column, area};
use planner::query::Field;
use timeline::palette::neutral;
use timeline::scene::Fill;

use crate::format;
use crate::state::coloring::{OTHERS, fills_of};
use crate::state::session::{Session, to_f64};
use crate::strings::{QueryWord, filled};
use crate::text::group::label;

/// So many groups have a band of their own.
const BANDS: usize = 8;

/// Height of the picture, and the room around its plot, in CSS pixels.
pub(super) const HEIGHT: f64 = 190.0;

pub(super) const LEFT: f64 = 66.0;

pub(super) const RIGHT: f64 = 8.0;

pub(super) const TOP: f64 = 16.0;

pub(super) const BOTTOM: f64 = 22.0;

/// The bands with their fills.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Chart {
    pub(super) field: Field,
    pub(super) area: Area,
    pub(super) fills: Vec<Fill>,
    pub(super) plot: Plot,
    /// The step at which most is needed.
    pub(super) peak: Step,
}

/// Where steps and bytes are in the picture.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Plot {
    pub(super) width: f64,
    /// How far steps, or times, reach.
    pub(super) whole: f64,
    /// The most bytes of any column.
    pub(super) top: f64,
    /// What says where steps are across, while times are across.
    pub(super) clock: Option<Arc<Clock>>,
}

impl Plot {
    fn columns(width: f64) -> f64 {
        (width - LEFT - RIGHT).max(1.0)
    }

    /// The place of a step, or of a time.
    pub(super) fn across(&self, at: f64) -> f64 {
        LEFT + at / self.whole * Self::columns(self.width)
    }

    pub(super) fn x(&self, step: u64) -> f64 {
        let step = to_f64(step);
        let at = self.clock.as_ref().map_or(step, |clock| clock.at(step));
        self.across(at)
    }

    pub(super) fn y(&self, bytes: f64) -> f64 {
        TOP + (1.0 - bytes / self.top) * (HEIGHT - TOP - BOTTOM)
    }
}

impl Chart {
    /// The bands in a picture of this width; `None` before it has one, and where nothing is open.
    pub(super) fn new(session: Session, field: Field, width: f64) -> Option<Self> {
        let texts = session.lookup.texts.get()?;
        let (coloring, clock) = (session.coloring.get(), session.clock.get());
        session.prepared.with(|prepared| {
            let prepared = prepared.as_ref().filter(|_| width > LEFT + RIGHT)?;
            let lifetimes = &prepared.subject.lifetimes;
            let edges = edges(lifetimes.horizon, Plot::columns(width), clock.as_deref());
            let area = area(&texts.0, lifetimes, field, (&edges, BANDS));
            let kinds = area
                .bands
                .iter()
                .map(|it| (it.groups == 1).then_some(&*it.text));
            let kinds: Vec<Option<&str>> = kinds.collect();
            let legend = session.colors.with(|colors| colors.legend.clone());
            let fills = fills_of(&kinds, field, coloring, (&texts.0, &legend));
            let top = area.columns.iter().map(|it| it.total.0).max();
            Some(Self {
                field,
                fills,
                area,
                plot: Plot {
                    width,
                    whole: session.across(to_f64(lifetimes.horizon.0)).max(1.0),
                    clock,
                    top: to_f64(top.unwrap_or_default().max(1)),
                },
                peak: prepared.bounds.peak,
            })
        })
    }

    /// The fill of a group.
    pub(super) fn fill(&self, text: &str) -> Fill {
        let mut bands = self.area.bands.iter().zip(&self.fills);
        let own = bands.find(|(band, _)| band.groups == 1 && band.text == text);
        own.map_or(neutral(OTHERS), |(_, fill)| *fill)
    }

    pub(super) fn name(&self, session: Session, band: usize) -> String {
        match self.area.bands.get(band) {
            Some(band) if band.groups == 1 => label(session, self.field, &band.text),
            band => {
                let groups = band.map_or(0, |band| band.groups as u64);
                filled(session.say(QueryWord::Others), &[&format::grouped(groups)])
            }
        }
    }

    /// The column at a step.
    pub(super) fn column(&self, step: u64) -> usize {
        let columns = &self.area.columns;
        let after = columns.partition_point(|column| column.span.end.0 <= step);
        after.min(columns.len().saturating_sub(1))
    }

    /// Column and band at a place, in CSS pixels from the top left; above the bands none of these.
    pub(super) fn at(&self, (x, y): (f64, f64)) -> Option<(usize, Option<usize>)> {
        let place = |column: &Column| self.plot.x(column.span.end.0) <= x;
        let column = self.area.columns.partition_point(place);
        let found = self.area.columns.get(column).filter(|_| x >= LEFT)?;
        let bands = 0..found.bytes.len();
        let band = bands
            .filter(|&band| found.bytes[band].0 > 0)
            .find(|&band| self.plot.y(below(found, band + 1)) <= y);
        Some((column, band.filter(|_| y <= HEIGHT - BOTTOM)))
    }

    /// The outline of a band.
    pub(super) fn path(&self, band: usize) -> String {
        let mut path = String::new();
        let ends = |column: &Column| [column.span.start.0, column.span.end.0];
        let mut letter = 'M';
        // Writing to a string cannot fail.
        for column in &self.area.columns {
            let [from, to] = ends(column).map(|step| self.plot.x(step));
            let y = self.plot.y(below(column, band + 1));
            let _ = write!(path, "{letter}{from:.1} {y:.1}H{to:.1}");
            letter = 'L';
        }
        for column in self.area.columns.iter().rev() {
            let [from, to] = ends(column).map(|step| self.plot.x(step));
            let y = self.plot.y(below(column, band));
            let _ = write!(path, "L{to:.1} {y:.1}H{from:.1}");
        }
        path + "z"
    }
}

/// Steps that are about a pixel apart, from the first to the end.
fn edges(horizon: Step, pixels: f64, clock: Option<&Clock>) -> Vec<Step> {
    let end = to_f64(horizon.0);
    let whole = clock.map_or(end, |clock| clock.at(end));
    let mut at = 1.0;
    let mut edges = vec![Step(0)];
    while at < pixels {
        let across = whole * at / pixels;
        let step = clock.map_or(across, |clock| clock.step(across));
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "float casts saturate, and it is not negative"
        )]
        edges.push(Step(step as u64));
        at += 1.0;
    }
    edges.push(horizon);
    edges.dedup();
    edges
}

/// What the first `bands` of a column need.
pub(super) fn below(column: &Column, bands: usize) -> f64 {
    let own = column.bytes.iter().take(bands).map(|bytes| to_f64(bytes.0));
    own.sum()
}
