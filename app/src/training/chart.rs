//! Overhead against memory: every schedule that was found, and those that no other beats in
//! both.

use std::sync::Arc;

use conversation::TrainingAction;
use leptos::prelude::*;
use planner::training::Policy;
use planner::training::cost::Needs;
use planner::training::table::{PolicyTable, Row};

use super::rows::{name, times};
use super::{is_planned, train};
use crate::format;
use crate::state::session::{Session, session, to_f64};
use crate::strings::{TrainingWord as W, filled};

/// The picture's size and margins, in its own units.
pub(super) const WIDTH: f64 = 560.0;
pub(super) const HEIGHT: f64 = 300.0;
const LEFT: f64 = 64.0;
pub(super) const RIGHT: f64 = 34.0;
pub(super) const TOP: f64 = 28.0;
pub(super) const BOTTOM: f64 = 44.0;

/// Where what is drawn.
#[derive(Clone, Copy)]
struct Scale {
    low: f64,
    high: f64,
    /// The largest overhead.
    most: f64,
}

impl Scale {
    fn of(table: &PolicyTable, points: &[Row]) -> Self {
        let peaks = points.iter().filter_map(|row| row.needs);
        let high = peaks.map(|needs| needs.peak.0).max().unwrap_or(0);
        let high = high.max(table.keep_all.0);
        let most = points.iter().map(|row| row.overhead).fold(1.1, f64::max);
        Self {
            low: to_f64(table.minimum.0) * 0.9,
            high: to_f64(high) * 1.03,
            most: 1.0 + (most - 1.0) * 1.08,
        }
    }

    fn x(&self, bytes: f64) -> f64 {
        let range = (self.high - self.low).max(1.0);
        LEFT + (bytes - self.low) / range * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, overhead: f64) -> f64 {
        let share = (overhead - 1.0) / (self.most - 1.0);
        HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)
    }
}

/// The chart.
#[component]
pub(super) fn Chart(found: Memo<Option<Arc<PolicyTable>>>) -> impl IntoView {
    let session = session();
    let drawn = move || found.get().map(|table| picture(session, &table));
    let label = move || session.say(W::ChartTitle);
    view! {
        <figure class="pareto">
            <svg viewBox=format!("0 0 {WIDTH} {HEIGHT}") role="img" aria-label=label>
                {drawn}
            </svg>
            <figcaption>
                {legend(session)}
            </figcaption>
        </figure>
    }
}

/// Policies of one kind have one colour.
fn family(policy: Policy) -> &'static str {
    match policy {
        Policy::KeepAll => "keep",
        Policy::SqrtN
        | Policy::ChenGreedy
        | Policy::ChenGreedyAll
        | Policy::TorchSegments
        | Policy::Knapsack
        | Policy::MinCut
        | Policy::Revolve
        | Policy::Rotor => "segments",
        Policy::Exact | Policy::LpRounding | Policy::LocalSearch => "search",
        Policy::Live(_) | Policy::Megengine | Policy::Dte | Policy::Coop => "live",
        Policy::VdnnAll
        | Policy::VdnnConv
        | Policy::Capuchin
        | Policy::MegengineSwap
        | Policy::Poet => "swap",
    }
}

fn legend(session: Session) -> impl IntoView {
    let families = [
        ("keep", W::KeepAll),
        ("segments", W::Segments),
        ("search", W::Searches),
        ("live", W::Live),
        ("swap", W::Swapping),
        ("best", W::Best),
    ];
    let entry = move |(class, word): (&'static str, W)| {
        view! { <span class=class><i></i>{move || session.say(word)}</span> }
    };
    families.map(entry).collect_view()
}

fn picture(session: Session, table: &Arc<PolicyTable>) -> impl IntoView + use<> {
    // What is found under the budget is there too, if the range has no such point.
    let mut points = table.points.clone();
    for row in table.rows.iter().filter(|row| row.needs.is_some()) {
        if !points
            .iter()
            .any(|it| (it.policy, it.needs) == (row.policy, row.needs))
        {
            points.push(row.clone());
        }
    }
    let scale = Scale::of(table, &points);
    let best = line(&scale, &unbeaten(&points));
    let budget = move || {
        let budget = session.insight.training.chosen.get().budget?;
        let at = format!("{:.1}", scale.x(to_f64(budget.0)));
        let (top, foot) = (TOP.to_string(), (HEIGHT - BOTTOM).to_string());
        Some(view! { <line class="budget" x1=at.clone() x2=at y1=top y2=foot/> })
    };
    let dots = points.into_iter();
    let dots = dots.map(|row| dot(session, &scale, row)).collect_view();
    view! {
        {axes(session, &scale)}
        <path class="best" d=best/>
        {budget}
        {dots}
    }
}

/// The points that no other beats in memory without costing more, by memory.
fn unbeaten(points: &[Row]) -> Vec<(u64, f64)> {
    let mut all: Vec<(Needs, f64)> = points
        .iter()
        .filter_map(|row| Some((row.needs?, row.overhead)))
        .collect();
    all.sort_by_key(|(needs, _)| (needs.peak, needs.cost));
    let mut least = u64::MAX;
    let mut kept = Vec::new();
    for (needs, overhead) in all {
        if needs.cost < least {
            least = needs.cost;
            kept.push((needs.peak.0, overhead));
        }
    }
    kept
}

/// Steps from point to point: with less memory than the next point nothing cheaper is known.
fn line(scale: &Scale, points: &[(u64, f64)]) -> String {
    let mut path = String::new();
    for (index, (bytes, overhead)) in points.iter().enumerate() {
        let (x, y) = (scale.x(to_f64(*bytes)), scale.y(*overhead));
        path += &match index {
            0 => format!("M{x:.1} {y:.1}"),
            _ => format!("H{x:.1}V{y:.1}"),
        };
    }
    path
}

fn dot(session: Session, scale: &Scale, row: Row) -> Option<AnyView> {
    let needs = row.needs?;
    let (policy, budget) = (row.policy, row.budget);
    let at = |number: f64| format!("{number:.1}");
    let says = {
        let (peak, times) = (format::bytes(needs.peak.0), times(row.overhead));
        filled(
            session.say(W::Point),
            &[name(session, row.policy), &peak, &times],
        )
    };
    let chosen = move || is_planned(session, policy, budget);
    let open = move |_| {
        train(session, TrainingAction::Open(policy, budget));
    };
    Some(
        view! {
            <circle
                class=family(policy)
                class:chosen=chosen
                cx=at(scale.x(to_f64(needs.peak.0)))
                cy=at(scale.y(row.overhead))
                r="5"
                on:click=open
            >
                <title>{says}</title>
            </circle>
        }
        .into_any(),
    )
}

/// A label of an axis.
pub(super) fn text(x: f64, y: f64, anchor: &'static str, text: String) -> impl IntoView {
    view! { <text x=format!("{x:.1}") y=format!("{y:.1}") text-anchor=anchor>{text}</text> }
}

fn axes(session: Session, scale: &Scale) -> impl IntoView + use<> {
    let foot = HEIGHT - BOTTOM;
    let (low, high, most) = (scale.low, scale.high, scale.most);
    let across = [0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0].map(|share| {
        let bytes = low + (high - low) * share;
        text(
            scale.x(bytes),
            foot + 16.0,
            "middle",
            format::bytes(whole(bytes)),
        )
    });
    let up = [0.0, 0.5, 1.0].map(|share| {
        let overhead = 1.0 + (most - 1.0) * share;
        let y = scale.y(overhead);
        let right = (WIDTH - RIGHT).to_string();
        view! {
            <line x1=LEFT.to_string() x2=right y1=format!("{y:.1}") y2=format!("{y:.1}")/>
            {text(LEFT - 6.0, y + 4.0, "end", format!("{overhead:.2}×"))}
        }
    });
    view! {
        <g class="axes">
            {up.collect_view()}
            {across.collect_view()}
            {text(0.0, TOP - 14.0, "start", session.say(W::Up).to_owned())}
            {text((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 8.0, "middle", session.say(W::Across).to_owned())}
        </g>
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a figure on an axis, above zero and below 2^64"
)]
pub(super) fn whole(bytes: f64) -> u64 {
    bytes.max(0.0) as u64
}
