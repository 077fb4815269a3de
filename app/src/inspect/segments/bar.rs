//! A segment as a bar: its blocks where they lie, in the colours of the picture.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use leptos::prelude::*;
use planner::space::SegmentAt;
use planner::{Lifetimes, Offset, Plan};
use timeline::palette::Theme;
use timeline::scene::Fill;
use wasm_bindgen::JsCast;
use web_sys::{Element, MouseEvent};

use crate::document::legend::css;
use crate::state::session::to_f64;

/// The bar's width in the units in which it is drawn.
const WIDE: u64 = 1000;

/// A block as wide as this is told from its neighbour by a gap of one unit.
const APART: u64 = 8;

/// What lies at a place of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Here {
    /// This block.
    Block(usize),
    /// So many free bytes.
    Free(u64),
}

/// A segment that is drawn.
pub(super) struct Bar<'p> {
    pub(super) row: &'p SegmentAt,
    pub(super) lifetimes: &'p Lifetimes,
    pub(super) plan: &'p Plan,
}

impl Bar<'_> {
    /// Where a block lies.
    fn block(&self, index: usize) -> Option<(u64, u64)> {
        let low = self.plan.offsets.get(index)?.0;
        let size = self.lifetimes.buffers.get(index)?.size.0;
        Some((low, low.saturating_add(size)))
    }

    /// From where to where it is drawn, in units from 0 to [`WIDE`].
    fn units(&self, (from, to): (u64, u64)) -> (u64, u64) {
        let (low, high) = self.row.reach();
        let whole = u128::from(high.0.saturating_sub(low.0).max(1));
        let unit = |at: u64| {
            let share = u128::from(at.saturating_sub(low.0)) * u128::from(WIDE);
            u64::try_from(share / whole).unwrap_or(WIDE).min(WIDE)
        };
        let from = unit(from).min(WIDE - 1);
        (from, unit(to).max(from + 1))
    }

    /// What lies at this share of its width; nothing where its bytes are not there.
    pub(super) fn at(&self, share: f64) -> Option<Here> {
        let (low, high) = self.row.reach();
        let length = to_f64(high.0.saturating_sub(low.0));
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "float casts saturate"
        )]
        let offset = Offset(low.0.saturating_add((share * length).max(0.0) as u64));
        let run = self.row.runs.iter();
        let run = run
            .into_iter()
            .find(|run| run.0 <= offset && offset < run.1)?;
        let blocks = &self.row.blocks;
        let start = |index: &usize| self.block(*index).map_or(0, |block| block.0);
        let next = blocks.partition_point(|index| start(index) <= offset.0);
        let below = next.checked_sub(1).and_then(|it| blocks.get(it));
        let below = below.and_then(|&index| Some((index, self.block(index)?.1)));
        if let Some((index, _)) = below.filter(|(_, end)| offset.0 < *end) {
            return Some(Here::Block(index));
        }
        let from = below.map_or(run.0.0, |(_, end)| end.max(run.0.0));
        let to = blocks
            .get(next)
            .map_or(run.1.0, |it| start(it).min(run.1.0));
        Some(Here::Free(to.saturating_sub(from)))
    }

    /// The block after `from`, or before it; the first, or the last, where that is not here.
    pub(super) fn next(&self, from: Option<usize>, forward: bool) -> Option<usize> {
        let blocks = &self.row.blocks;
        let place = blocks.iter().position(|it| Some(*it) == from);
        match (place, forward) {
            (None, true) => blocks.first(),
            (None, false) => blocks.last(),
            (Some(place), true) => blocks.get(place + 1),
            (Some(place), false) => place.checked_sub(1).and_then(|it| blocks.get(it)),
        }
        .copied()
    }

    /// Its blocks, one path for each fill; those that `dim` says pale.
    fn paths(&self, fills: &[Fill], dim: Option<&[bool]>) -> BTreeMap<(u8, bool), String> {
        let mut paths: BTreeMap<(u8, bool), String> = BTreeMap::new();
        // Of what is narrower than a unit the first of each unit is drawn.
        let mut drawn = 0;
        for &index in &self.row.blocks {
            let Some(block) = self.block(index) else {
                continue;
            };
            let (from, to) = self.units(block);
            if to <= drawn {
                continue;
            }
            drawn = to;
            let width = to - from;
            let width = width - u64::from(width >= APART);
            let pale = dim.and_then(|dim| dim.get(index).copied());
            let color = fills.get(index).map_or(0, |fill| fill.color);
            let path = paths.entry((color, pale.unwrap_or(false))).or_default();
            let _ = write!(path, "M{from} 0h{width}v10h-{width}z");
        }
        paths
    }

    /// The drawing.
    pub(super) fn view(
        &self,
        theme: &Theme,
        fills: &[Fill],
        dim: Option<&[bool]>,
    ) -> impl IntoView + use<> {
        let runs = self.row.runs.iter().map(|run| {
            let (from, to) = self.units((run.0.0, run.1.0));
            format!("M{from} 0h{0}v10h-{0}z", to - from)
        });
        let runs: String = runs.collect();
        let blocks = self
            .paths(fills, dim)
            .into_iter()
            .map(|((color, pale), path)| {
                let fill = css(theme.fill(color));
                let opacity = if pale { "0.2" } else { "1" };
                view! { <path d=path fill=fill opacity=opacity></path> }
            });
        view! {
            <path class="there" d=runs></path>
            {blocks.collect_view()}
        }
    }

    /// The outline of a block.
    pub(super) fn outline(
        &self,
        index: usize,
        class: &'static str,
    ) -> Option<impl IntoView + use<>> {
        let (from, to) = self.units(self.block(index)?);
        let (from, width) = (from.to_string(), (to - from).to_string());
        Some(view! { <rect class=class x=from width=width y="0" height="10"></rect> })
    }
}

/// At which share of the width of the element that listens the pointer is.
pub(super) fn share_of(event: &MouseEvent) -> Option<f64> {
    let target = event.current_target()?;
    let place = target
        .dyn_into::<Element>()
        .ok()?
        .get_bounding_client_rect();
    let share = (f64::from(event.client_x()) - place.left()) / place.width().max(1.0);
    Some(share.clamp(0.0, 1.0))
}
