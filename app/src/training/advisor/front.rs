//! Time against memory: every way that was looked at, the front, and the device's memory.

use leptos::prelude::*;
use planner::training::advisor::{Advice, Case};
use planner::training::devices::Device;
use timeline::axis::{ByteStyle, byte_ticks};
use timeline::camera::Range;

use super::{changes, time};
use crate::format;
use crate::state::session::{Session, to_f64};
use crate::strings::AdvisorWord as W;
use crate::training::chart::{BOTTOM, HEIGHT, RIGHT, TOP, WIDTH, text};

const LEFT: f64 = 104.0;
/// Pixels between two lines of the ruler.
const APART: f64 = 90.0;

struct Scale {
    bytes: f64,
    time: (f64, f64),
}

impl Scale {
    fn x(&self, bytes: u64) -> f64 {
        LEFT + to_f64(bytes) / self.bytes * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, cost: u64) -> f64 {
        let (low, high) = self.time;
        let share = (to_f64(cost) - low) / (high - low).max(1.0);
        HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)
    }
}

pub(super) fn chart(session: Session, found: &Advice, device: Device) -> impl IntoView + use<> {
    let bytes = found.cases.iter().map(|it| it.reserved.0);
    let most = bytes.chain([device.memory.0]).max().unwrap_or(1);
    let times = || found.cases.iter().map(|it| it.time.sum());
    let low = to_f64(times().min().unwrap_or(0));
    let high = to_f64(times().max().unwrap_or(1));
    // Where all take as long they lie half way up.
    let apart = ((high - low) * 0.06).max(1.0);
    let scale = Scale {
        bytes: to_f64(most) * 1.04,
        time: (low - apart, high + apart),
    };
    let on_front = |at: usize| found.front.contains(&at);
    let points = found.cases.iter().enumerate().map(|(at, it)| {
        let class = match (found.answer.as_ref() == Some(it), on_front(at)) {
            (true, _) => "answer",
            (_, true) => "segments",
            _ => "live",
        };
        point(session, &scale, (it, class), device)
    });
    let points = points.collect_view();
    let line: Vec<String> = found
        .front
        .iter()
        .map(|at| &found.cases[*at])
        .map(|it| {
            format!(
                "{:.1},{:.1}",
                scale.x(it.reserved.0),
                scale.y(it.time.sum())
            )
        })
        .collect();
    let memory = format!("{:.1}", scale.x(device.memory.0));
    let foot = (HEIGHT - BOTTOM).to_string();
    view! {
        <figure class="pareto">
            <svg viewBox=format!("0 0 {WIDTH} {HEIGHT}") role="img" aria-label=session.say(W::Front)>
                {axes(session, &scale, (times().min(), times().max()), device)}
                <line class="budget" x1=memory.clone() x2=memory y1=TOP.to_string() y2=foot/>
                <polyline class="front" points=line.join(" ")/>
                {points}
            </svg>
            <figcaption>{session.say(W::Front)}</figcaption>
        </figure>
    }
}

fn point(
    session: Session,
    scale: &Scale,
    (it, class): (&Case, &'static str),
    device: Device,
) -> impl IntoView + use<> {
    let taken = time(device, it.time.sum()).unwrap_or_else(|| format::grouped(it.time.sum()));
    let says = format!(
        "{}: {}, {taken}",
        changes(session, it),
        format::bytes(it.reserved.0)
    );
    view! {
        <circle
            class=class
            cx=format!("{:.1}", scale.x(it.reserved.0))
            cy=format!("{:.1}", scale.y(it.time.sum()))
            r=if class == "answer" { "6" } else { "4" }
        >
            <title>{says}</title>
        </circle>
    }
}

/// Bytes across, and the least and the most time.
fn axes(
    session: Session,
    scale: &Scale,
    (least, most): (Option<u64>, Option<u64>),
    device: Device,
) -> impl IntoView + use<> {
    let foot = HEIGHT - BOTTOM;
    let range = Range::new(0.0, scale.bytes);
    let ticks = byte_ticks(range, WIDTH - LEFT - RIGHT, APART, ByteStyle::Binary);
    let across = ticks.into_iter().map(|tick| {
        let x = LEFT + tick.at / scale.bytes * (WIDTH - LEFT - RIGHT);
        view! {
            <line class="grid" x1=format!("{x:.1}") x2=format!("{x:.1}") y1=TOP.to_string() y2=foot.to_string()/>
            {text(x, foot + 18.0, "middle", tick.label)}
        }
    });
    let mut up: Vec<u64> = least.into_iter().chain(most).collect();
    up.dedup();
    let up = up.into_iter().map(|cost| {
        let label = time(device, cost).unwrap_or_else(|| format::grouped(cost));
        text(LEFT - 6.0, scale.y(cost) + 4.0, "end", label)
    });
    view! {
        {across.collect_view()}
        {up.collect_view()}
        {text(WIDTH - RIGHT, HEIGHT - 6.0, "end", session.say(W::Needs).to_owned())}
        {text(LEFT - 6.0, TOP - 8.0, "end", session.say(W::Time).to_owned())}
    }
}
