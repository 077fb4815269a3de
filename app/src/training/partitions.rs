//! What torch.compile's partitioner makes of its memory budget: what it counts, and what its
//! schedule needs.

use std::sync::Arc;

use conversation::TrainingAction;
use leptos::prelude::*;
use planner::training::policies::min_cut::Partition;
use planner::training::table::PolicyTable;

use super::chart::{BOTTOM, HEIGHT, RIGHT, TOP, WIDTH, text, whole};
use super::rows::times;
use super::train;
use crate::format;
use crate::state::session::{Session, session, to_f64};
use crate::strings::{TrainingWord as W, filled};

/// The margin that labels of bytes need, in the picture's units.
const LEFT: f64 = 92.0;

/// Two curves over the budget, where the step is a joint graph.
#[component]
pub(super) fn Partitions(found: Memo<Option<Arc<PolicyTable>>>) -> impl IntoView {
    let session = session();
    let all = Memo::new(move |_| found.with(|it| it.as_ref().map(|it| it.partitions.clone())));
    move || {
        let all = all.get().filter(|all| all.len() > 1)?;
        let says = sentence(session, &all);
        Some(view! {
            <section class="partitions">
                <h4>{move || session.say(W::Partitions)}</h4>
                <p class="hint">{says}</p>
                <figure class="pareto">
                    <svg
                        viewBox=format!("0 0 {WIDTH} {HEIGHT}")
                        role="group"
                        aria-label=move || session.say(W::PartitionsTitle)
                    >
                        {picture(session, &all)}
                    </svg>
                    <figcaption>
                        <span class="segments"><i></i>{move || session.say(W::KeptByCount)}</span>
                        <span class="live"><i></i>{move || session.say(W::PeakOfSchedule)}</span>
                    </figcaption>
                </figure>
            </section>
        })
    }
}

/// Where a smaller budget needs more memory, and by how much most.
fn sentence(session: Session, all: &[Partition]) -> String {
    let rises = all.windows(2).filter_map(|pair| {
        let more = pair[0].needs.peak.0.checked_sub(pair[1].needs.peak.0)?;
        (more > 0).then_some((more, pair[0].budget, pair[1].budget))
    });
    let count = rises.clone().count();
    match rises.max_by_key(|it| it.0) {
        None => session.say(W::PeakFollows).to_owned(),
        Some((more, small, large)) => {
            let [small, large] = [small, large].map(share);
            let says = [&count.to_string(), &small, &large, &format::bytes(more)];
            filled(session.say(W::PeakRises), &says.map(String::as_str))
        }
    }
}

/// "0.35".
fn share(hundredths: u32) -> String {
    format!("{:.2}", f64::from(hundredths) / 100.0)
}

fn picture(session: Session, all: &[Partition]) -> impl IntoView + use<> {
    let most = all.iter().map(|it| it.kept.max(it.needs.peak).0).max();
    let most = to_f64(most.unwrap_or(0).max(1)) * 1.04;
    let across = |hundredths: u32| LEFT + f64::from(hundredths) / 100.0 * (WIDTH - LEFT - RIGHT);
    let up = move |bytes: u64| HEIGHT - BOTTOM - to_f64(bytes) / most * (HEIGHT - TOP - BOTTOM);
    let curve = |of: fn(&Partition) -> u64| {
        let points = all
            .iter()
            .map(|it| format!("{:.1},{:.1}", across(it.budget), up(of(it))));
        points.collect::<Vec<_>>().join(" ")
    };
    let (kept, peak) = (curve(|it| it.kept.0), curve(|it| it.needs.peak.0));
    let dots = all.iter().map(|it| {
        let overhead = all.last().map_or(1.0, |all| ratio(it, all));
        let says = filled(
            session.say(W::Partition),
            &[
                &share(it.budget),
                &format::bytes(it.kept.0),
                &format::bytes(it.needs.peak.0),
                &times(overhead),
            ],
        );
        let at = u8::try_from(it.budget).unwrap_or(100);
        let chosen = move || {
            let training = session.settings.get().training;
            training.is_some_and(|it| it.share == Some(at))
        };
        let open = move || train(session, TrainingAction::Partition(at));
        view! {
            <circle
                class="live"
                class:chosen=chosen
                tabindex="0"
                role="button"
                aria-label=says.clone()
                aria-pressed=move || chosen().to_string()
                data-partition=at.to_string()
                cx=format!("{:.1}", across(it.budget))
                cy=format!("{:.1}", up(it.needs.peak.0))
                r="5"
                on:click=move |_| open()
                on:keydown=move |event| {
                    if matches!(event.key().as_str(), "Enter" | " ") {
                        event.prevent_default();
                        open();
                    }
                }
            >
                <title>{says.clone()}</title>
            </circle>
        }
    });
    view! {
        {axes(session, most)}
        <polyline class="curve segments" points=kept/>
        <polyline class="curve live" points=peak/>
        {dots.collect_view()}
    }
}

/// What one costs over another.
fn ratio(one: &Partition, other: &Partition) -> f64 {
    to_f64(one.needs.cost) / to_f64(other.needs.cost.max(1))
}

fn axes(session: Session, most: f64) -> impl IntoView + use<> {
    let foot = HEIGHT - BOTTOM;
    let across = [0, 25, 50, 75, 100].map(|hundredths| {
        let x = LEFT + f64::from(hundredths) / 100.0 * (WIDTH - LEFT - RIGHT);
        text(x, foot + 16.0, "middle", share(hundredths))
    });
    let up = [0.0, 0.5, 1.0].map(|part| {
        let y = foot - part * (HEIGHT - TOP - BOTTOM);
        let right = (WIDTH - RIGHT).to_string();
        view! {
            <line x1=LEFT.to_string() x2=right y1=format!("{y:.1}") y2=format!("{y:.1}")/>
            {text(LEFT - 6.0, y + 4.0, "end", format::bytes(whole(most * part)))}
        }
    });
    view! {
        <g class="axes">
            {up.collect_view()}
            {across.collect_view()}
            {text((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 8.0, "middle", session.say(W::MemoryBudget).to_owned())}
        </g>
    }
}
