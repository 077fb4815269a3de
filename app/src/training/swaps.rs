//! What a policy that swaps does over time: a lane for what is computed and one for each direction
//! of the link, what is waited for, and what Capuchin weighed.

use std::sync::Arc;

use conversation::{Answer, TrainingAction};
use leptos::prelude::*;
use planner::Bytes;
use planner::training::Rates;
use planner::training::devices::Device;
use planner::training::swap::script::How;
use planner::training::swap::timetable::{Bar, Timed, Timetable, Weighed};

use super::device::seconds;
use super::{planned, train};
use crate::format;
use crate::state::session::{Session, session, to_f64};
use crate::strings::{TrainingWord as W, filled};

/// The picture's size, and where its lanes are, in its own units.
const WIDTH: f64 = 640.0;
const LEFT: f64 = 92.0;
const LANE: f64 = 34.0;
const HEIGHT: f64 = 160.0;
/// Rows of what was weighed that are listed.
const MOST_ROWS: usize = 12;
/// From this width on a bar has its name in it, at so much for a letter.
const LETTER: f64 = 8.0;

/// The lanes; there are none for a policy that does not swap.
#[component]
pub(super) fn Swaps() -> impl IntoView {
    let session = session();
    let found = session.training_asides().timetable;
    let linked = move || {
        let training = session.settings.get().training;
        training.is_some_and(|it| it.recipe.rates.is_some())
    };
    let swaps = move || linked() && planned(session).is_some_and(planner::training::Policy::swaps);
    let body = move || {
        Some(match found.get() {
            Answer::Unasked | Answer::Nothing | Answer::Stopped => return None,
            Answer::Working(..) => {
                view! { <p role="status">{session.say(W::Waits)}</p> }.into_any()
            }
            Answer::There(found) if found.runs.is_empty() => return None,
            Answer::There(found) => view! { <Lanes found/> }.into_any(),
        })
    };
    view! {
        <Show when=swaps>
            <section class="swaps wide">
                <h4>{move || session.say(W::LinkTitle)}</h4>
                {body}
            </section>
        </Show>
    }
}

/// One run, and the way to the others.
#[component]
fn Lanes(found: Arc<Timetable>) -> impl IntoView {
    let session = session();
    let last = found.runs.len().saturating_sub(1);
    let at = session.training_asides().iteration;
    let shown = move || at.get().min(last);
    let slide = move |event| {
        if let Ok(to) = event_target_value(&event).parse() {
            train(session, TrainingAction::Iteration(to));
        }
    };
    let which = move || match shown() {
        0 => session.say(W::MeasuredRun).to_owned(),
        at => filled(session.say(W::Guided), &[&at.to_string()]),
    };
    let slider = (last > 0).then(|| {
        view! {
            <label class="slider">
                <span>{move || session.say(W::Iteration)}</span>
                <input
                    type="range"
                    data-do="iteration"
                    min="0"
                    max=last.to_string()
                    step="1"
                    prop:value=move || shown().to_string()
                    aria-valuetext=which
                    on:input=slide
                />
                <output>{which}</output>
            </label>
        }
    });
    let cut = found
        .cut
        .then(|| view! { <p class="hint">{session.say(W::LanesCut)}</p> });
    let run = move || {
        let rates = session
            .settings
            .get()
            .training
            .and_then(|it| it.recipe.rates);
        let run = &found.runs[shown()];
        view! {
            <p class="hint">{summary(session, run, rates)}</p>
            {picture(session, run, rates)}
            {(!run.candidates.is_empty()).then(|| candidates(session, run, rates))}
        }
    };
    view! {
        {slider}
        {run}
        {cut}
    }
}

/// A time in seconds of the device.
fn time(rates: Option<Rates>, cost: u64) -> String {
    match rates {
        Some(Rates { flops, link }) => {
            let device = Device {
                flops,
                link,
                products: flops,
                memory: Bytes::ZERO,
                peers: 0,
                network: 0,
            };
            seconds(device.seconds(cost))
        }
        None => format::grouped(cost),
    }
}

fn summary(session: Session, run: &Timed, rates: Option<Rates>) -> String {
    let stall = run.stall;
    let all = [
        time(rates, run.time),
        time(rates, stall.arrival),
        time(rates, stall.room),
        time(rates, stall.layer),
        format::bytes(run.peak.0),
    ];
    let says = filled(
        session.say(W::LanesSay),
        &all.each_ref().map(String::as_str),
    );
    format!("{says} {}", session.say(W::LowerBoundTime))
}

fn picture(session: Session, run: &Timed, rates: Option<Rates>) -> impl IntoView + use<> {
    let end = to_f64(run.time.max(1));
    let x = move |time: u64| LEFT + to_f64(time) / end * (WIDTH - LEFT - 8.0);
    let lane = |row: u8, class: &'static str, word: W, bars: &[Bar]| {
        let top = 10.0 + f64::from(row) * (LANE + 6.0);
        let drawn = bars
            .iter()
            .map(|it| bar(it, class, (x(it.start), x(it.end), top), rates));
        let drawn = drawn.collect_view();
        let waits = bars.iter().filter(|it| it.waited > 0).map(|it| {
            let (from, to) = (x(it.start.saturating_sub(it.waited)), x(it.start));
            let says = filled(
                session.say(W::WaitsFor),
                &[&it.name, &time(rates, it.waited)],
            );
            view! {
                <rect
                    class="stall"
                    x=format!("{from:.1}")
                    y=format!("{top:.1}")
                    width=format!("{:.1}", (to - from).max(1.0))
                    height=LANE.to_string()
                >
                    <title>{says}</title>
                </rect>
            }
        });
        view! {
            <text x="0" y=format!("{:.1}", top + LANE * 0.62)>{session.say(word)}</text>
            <line
                x1=LEFT.to_string()
                x2=(WIDTH - 8.0).to_string()
                y1=format!("{:.1}", top + LANE)
                y2=format!("{:.1}", top + LANE)
            />
            {waits.collect_view()}
            {drawn}
        }
    };
    let axis = [0_u8, 1, 2, 3, 4].map(|part| {
        let share = f64::from(part) / 4.0;
        let at = LEFT + share * (WIDTH - LEFT - 8.0);
        let anchor = match part {
            0 => "start",
            4 => "end",
            _ => "middle",
        };
        let says = time(rates, run.time / 4 * u64::from(part));
        view! { <text x=format!("{at:.1}") y=(HEIGHT - 8.0).to_string() text-anchor=anchor>{says}</text> }
    });
    view! {
        <svg
            class="lanes"
            viewBox=format!("0 0 {WIDTH} {HEIGHT}")
            role="img"
            aria-label=session.say(W::LanesTitle)
        >
            {lane(0, "computed", W::LaneCompute, &run.computed)}
            {lane(1, "out", W::LaneOut, &run.out)}
            {lane(2, "back", W::LaneBack, &run.back)}
            {axis.collect_view()}
        </svg>
    }
}

fn bar(
    it: &Bar,
    class: &'static str,
    (from, to, top): (f64, f64, f64),
    rates: Option<Rates>,
) -> impl IntoView + use<> {
    let width = (to - from).max(0.6);
    let says = format!("{}: {}", it.name, time(rates, it.end - it.start));
    let fits = width > LETTER * to_f64(it.name.chars().count() as u64 + 1);
    let label = fits.then(|| {
        view! {
            <text class="in" x=format!("{:.1}", from + 4.0) y=format!("{:.1}", top + LANE * 0.64)>
                {it.name.clone()}
            </text>
        }
    });
    view! {
        <rect
            class=class
            x=format!("{from:.1}")
            y=format!("{top:.1}")
            width=format!("{width:.1}")
            height=LANE.to_string()
        >
            <title>{says}</title>
        </rect>
        {label}
    }
}

/// What was weighed: FreeTime as a bar to either side, and what became of it.
fn candidates(session: Session, run: &Timed, rates: Option<Rates>) -> impl IntoView + use<> {
    let longest = run.candidates.iter().filter_map(|it| it.free_time);
    let longest = longest.map(i64::unsigned_abs).max().unwrap_or(0).max(1);
    let rows = run.candidates.iter().take(MOST_ROWS);
    let rows = rows.map(|it| row(session, it, longest, rates));
    let more = run.candidates.len().saturating_sub(MOST_ROWS);
    let more = (more > 0).then(|| filled(session.say(W::MoreWeighed), &[&more.to_string()]));
    view! {
        <table class="stage-rows candidates">
            <thead>
                <tr>
                    <th scope="col">{session.say(W::Candidate)}</th>
                    <th scope="col" class="number">{session.say(W::Bytes)}</th>
                    <th scope="col" colspan="2" data-define="free-time">{session.say(W::FreeTime)}</th>
                    <th scope="col">{session.say(W::BetweenUses)}</th>
                </tr>
            </thead>
            <tbody>{rows.collect_view()}</tbody>
        </table>
        {more.map(|more| view! { <p class="hint">{more}</p> })}
    }
}

fn row(
    session: Session,
    it: &Weighed,
    longest: u64,
    rates: Option<Rates>,
) -> impl IntoView + use<> {
    let free = it.free_time.map(|free| {
        let sign = if free < 0 { "−" } else { "" };
        format!("{sign}{}", time(rates, free.unsigned_abs()))
    });
    let share = it.free_time.map_or(0.0, |free| {
        50.0 * to_f64(free.unsigned_abs()) / to_f64(longest)
    });
    let late = it.free_time.is_some_and(|free| free < 0);
    let x = if late { 50.0 - share } else { 50.0 };
    let says = session.say(match it.how {
        None => W::KeptThere,
        Some(How::Recompute) => W::RecomputedThere,
        Some(How::Swap { .. }) => W::SwappedThere,
    });
    view! {
        <tr>
            <th scope="row">{it.name.clone()}</th>
            <td class="number" data-label=session.say(W::Bytes)>{format::bytes(it.bytes.0)}</td>
            <td class="number" data-label=session.say(W::FreeTime)>{free}</td>
            <td>
                <svg class="free-time" viewBox="0 0 100 10" aria-hidden="true">
                    <rect
                        class:late=late
                        x=format!("{x:.1}")
                        y="1"
                        width=format!("{share:.1}")
                        height="8"
                    />
                    <line x1="50" x2="50" y1="0" y2="10"/>
                </svg>
            </td>
            <td data-label=session.say(W::BetweenUses)>{says}</td>
        </tr>
    }
}
