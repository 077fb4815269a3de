//! All that a program has at every value, by what it is for: a bar for each value, which plans at
//! it.

use std::sync::Arc;

use leptos::prelude::*;
use planner::sweep::{Figures, Over, Point};

use super::Swept;
use super::curves::{name, plan};
use crate::format;
use crate::state::session::{Session, session, to_f64};
use crate::strings::{SweepWord as W, filled};

/// What a part is for, and the class of its colour: activations, then what lies beside them.
const PARTS: [(W, &str); 6] = [
    (W::Activations, "intermediate"),
    (W::Weights, "constant"),
    (W::Cache, "state"),
    (W::Callers, "input"),
    (W::Gradients, "output"),
    (W::Optimizer, "optimizer"),
];

/// The bytes of each part: the arena of the first strategy, or the least of any plan.
fn parts(figures: &Figures) -> [u64; 6] {
    let arena = figures.arenas.iter().find_map(|it| it.as_ref().ok());
    let arena = arena.copied().unwrap_or(figures.bound);
    let [weights, cache, callers, gradients, optimizer] = figures.beside.parts();
    [arena, weights, cache, callers, gradients, optimizer].map(|it| it.0)
}

/// The bars; nothing where nothing lies beside the arena.
#[component]
pub(super) fn Totals(sweep: Swept) -> impl IntoView {
    let session = session();
    let body = move || {
        let (over, points) = sweep.with(|sweep| {
            let sweep = sweep.as_ref()?;
            Some((sweep.range.over.clone(), sweep.points.clone()))
        })?;
        bars(session, &over, &points)
    };
    view! { {body} }
}

fn bars(session: Session, over: &Over, points: &[Arc<Point>]) -> Option<AnyView> {
    let found = points.iter().filter_map(|point| {
        let figures = point.found.as_ref().ok()?;
        Some((point.value, parts(figures)))
    });
    let found: Vec<(u64, [u64; 6])> = found.collect();
    let total = |parts: &[u64; 6]| parts.iter().fold(0, |sum: u64, it| sum.saturating_add(*it));
    let most = found
        .iter()
        .map(|it| total(&it.1))
        .max()
        .filter(|it| *it > 0)?;
    let used: Vec<usize> = (0..PARTS.len())
        .filter(|part| found.iter().any(|it| it.1[*part] > 0))
        .collect();
    if used.len() < 2 {
        return None;
    }
    let legend = used.iter().map(|part| {
        let (word, class) = PARTS[*part];
        view! { <li><i class=class></i>{session.say(word)}</li> }
    });
    let legend = legend.collect_view();
    let rows = found.iter().map(|(value, parts)| {
        let (value, over) = (*value, over.clone());
        let all = format::bytes(total(parts));
        let pieces = used.iter().map(|&part| {
            let (word, class) = PARTS[part];
            let share = 100.0 * to_f64(parts[part]) / to_f64(most);
            let says = format!("{}: {}", session.say(word), format::bytes(parts[part]));
            view! { <i class=class style=("width", format!("{share:.3}%")) title=says></i> }
        });
        let pieces = pieces.collect_view();
        let spoken = used.iter().map(|&part| {
            let (word, _) = PARTS[part];
            format!("{}: {}", session.say(word), format::bytes(parts[part]))
        });
        let spoken: Vec<String> = spoken.collect();
        let label = format!(
            "{}. {}. {}",
            filled(
                session.say(W::PlanAt),
                &[&name(session, &over), &format::grouped(value)]
            ),
            all,
            spoken.join(", "),
        );
        view! {
            <button class="total" data-value=value.to_string() aria-label=label
                on:click=move |_| plan(session, &over, value)>
                <b>{format::grouped(value)}</b>
                <span class="bar-of-parts">{pieces}</span>
                <span class="number">{all}</span>
            </button>
        }
    });
    let rows = rows.collect_view();
    let over = name(session, over);
    let title = filled(session.say(W::Totals), &[&over]);
    Some(
        view! {
            <section class="totals-bars" aria-label=title.clone()>
                <h3>{title.clone()}</h3>
                <ul class="legend-of-parts">{legend}</ul>
                {rows}
            </section>
        }
        .into_any(),
    )
}
