//! What the step is to run on: its memory sets the budget, its rates how long it takes at least.

use std::sync::Arc;

use conversation::{Answer, TrainingAction};
use leptos::prelude::*;
use planner::Bytes;
use planner::training::devices::{Batches, DEVICES, Device};
use planner::training::table::{PolicyTable, Row};
use web_sys::Event;

use super::{field, train};
use crate::format;
use crate::state::session::{Session, session, to_f64};
use crate::strings::{TrainingWord as W, filled};

const GIB: f64 = 1_073_741_824.0;

/// A figure of a device that can be typed, in a unit that people use.
#[derive(Clone, Copy)]
struct Figure {
    place: &'static str,
    word: W,
    unit: f64,
    read: fn(&Device) -> u64,
    write: fn(Device, u64) -> Device,
}

const FIGURES: [Figure; 3] = [
    Figure {
        place: "device-memory",
        word: W::DeviceMemory,
        unit: GIB,
        read: |it| it.memory.0,
        write: |it, memory| Device {
            memory: Bytes(memory),
            ..it
        },
    },
    Figure {
        place: "device-rate",
        word: W::DeviceRate,
        unit: 1e12,
        read: |it| it.flops,
        write: |it, flops| Device { flops, ..it },
    },
    Figure {
        place: "device-link",
        word: W::DeviceLink,
        unit: 1e9,
        read: |it| it.link,
        write: |it, link| Device { link, ..it },
    },
];

/// The choice of a device, and its figures.
#[component]
pub(super) fn Choose() -> impl IntoView {
    let session = session();
    let device = session.insight.training.device;
    let put = move |device| train(session, TrainingAction::Device(device));
    let named = move || {
        let device = device.get();
        let same = |it: &&planner::training::devices::Named| Some(it.device) == device;
        match DEVICES.iter().find(same) {
            Some(named) => named.name,
            None if device.is_some() => OWN,
            None => "",
        }
    };
    let changed = move |event: Event| {
        let name = event_target_value(&event);
        let found = DEVICES.iter().find(|it| it.name == name);
        put(found.map(|it| it.device));
    };
    let options = DEVICES.map(|it| {
        view! { <option value=it.name selected=move || named() == it.name>{it.name}</option> }
    });
    let own = move || {
        (named() == OWN).then(|| {
            view! { <option value=OWN selected=true>{session.say(W::OwnDevice)}</option> }
        })
    };
    let figures = move || {
        device.with(Option::is_some).then(|| {
            let field = |figure: Figure| view! { <Field figure/> };
            FIGURES.map(field).collect_view()
        })
    };
    view! {
        <label title=move || session.say(W::DeviceHint)>
            {move || session.say(W::Device)} " "
            <select data-do="device" prop:value=named on:change=changed>
                <option value="" selected=move || named().is_empty()>
                    {move || session.say(W::NoDevice)}
                </option>
                {options.collect_view()}
                {own}
            </select>
        </label>
        {figures}
    }
}

/// The name of a device whose figures were changed.
const OWN: &str = "own";

#[component]
fn Field(figure: Figure) -> impl IntoView {
    let session = session();
    let device = session.insight.training.device;
    let shown = move || {
        let value = device.with(|it| it.as_ref().map_or(0, figure.read));
        let value = to_f64(value) / figure.unit;
        // As many digits as it has, up to six.
        let text = format!("{value:.6}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    let typed = move |text: &str| {
        let value = text.parse::<f64>().ok().map(|it| it * figure.unit);
        let Some(now) = device.get_untracked() else {
            return;
        };
        let value = value.filter(|it| *it >= 1.0 && *it < 1e18);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it is between 1 and 10^18"
        )]
        let next = value.map_or(now, |it| (figure.write)(now, it as u64));
        train(session, TrainingAction::Device(Some(next)));
    };
    view! {
        <label>
            {move || session.say(figure.word)} " "
            {field::number(figure.place, ("0", None), shown, typed)}
        </label>
    }
}

/// What follows for the step: whether it fits, the largest batches, and what is planned beside
/// fetching the same bytes.
#[component]
pub(super) fn Follows(found: Memo<Option<Arc<PolicyTable>>>) -> impl IntoView {
    let session = session();
    let largest = session.training_asides().batches;
    let says = move || {
        let device = session.insight.training.device.get()?;
        let table = found.get()?;
        let all = [
            fits(session, device, &table),
            batches(session, &largest.get(), &table),
            planned(session, device, &table),
        ];
        let all: Vec<String> = all.into_iter().flatten().collect();
        Some(all.join(" "))
    };
    view! { <p class="hint" data-device="follows">{says}</p> }
}

/// Says that what is fixed alone does not fit.
fn fits(session: Session, device: Device, table: &PolicyTable) -> Option<String> {
    let beyond = !table.log && table.fixed > device.memory;
    beyond.then(|| {
        let bytes = [table.fixed.0, device.memory.0].map(format::bytes);
        filled(session.say(W::FixedBeyond), &[&bytes[0], &bytes[1]])
    })
}

fn batches(session: Session, found: &Answer<Batches>, table: &PolicyTable) -> Option<String> {
    match found {
        _ if table.log => None,
        Answer::There(largest) => {
            let [all, any] = [largest.keep_all, largest.any].map(format::grouped);
            Some(match largest.keep_all {
                0 => filled(session.say(W::LargestAny), &[&any]),
                _ => filled(session.say(W::Largest), &[&all, &any]),
            })
        }
        _ => None,
    }
}

/// What computing again takes beside fetching the same bytes over the link.
fn planned(session: Session, device: Device, table: &PolicyTable) -> Option<String> {
    let prepared = session.prepared.get()?;
    let row = prepared.subject.trained.clone()?.ok()?;
    let needs = row.needs.filter(|_| !table.log && row.again.0 > 0)?;
    let again = fast(session, device).seconds(needs.cost.saturating_sub(table.base));
    let link = device.link_seconds(row.again);
    let parts = [seconds(again), seconds(link), format::bytes(row.again.0)];
    Some(filled(
        session.say(W::AgainOrFetched),
        &parts.each_ref().map(String::as_str),
    ))
}

/// The device with the rate that the precision of the step has.
fn fast(session: Session, device: Device) -> Device {
    let chosen = session.insight.training.chosen.get();
    device.computing_in(chosen.recipe.precision)
}

/// How long a schedule takes at least; `None` without a device, and for a log, which has times.
pub(super) fn time(session: Session, row: &Row, table: &PolicyTable) -> Option<String> {
    let device = session.insight.training.device.get()?;
    let needs = row.needs.filter(|_| !table.log)?;
    Some(filled(
        session.say(W::AtLeastSeconds),
        &[&seconds(fast(session, device).seconds(needs.time()))],
    ))
}

/// A time in the unit in which it has one to three digits before the point.
pub(super) fn seconds(time: f64) -> String {
    match time {
        0.0 => "0 s".to_owned(),
        1.0.. => format!("{time:.2} s"),
        1e-3.. => format!("{:.2} ms", time * 1e3),
        1e-6.. => format!("{:.2} µs", time * 1e6),
        _ => format!("{:.3} ns", time * 1e9),
    }
}
