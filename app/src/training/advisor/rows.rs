//! The ways that were looked at, as rows.

use conversation::TrainingAction;
use leptos::prelude::*;
use planner::AllocatorSettings;
use planner::training::advisor::{Advice, Case};
use planner::training::choice;
use planner::training::devices::Device;
use planner::training::estimate::Allocator;

use super::{changes, time};
use crate::browser::files::download;
use crate::format;
use crate::state::session::Session;
use crate::strings::{AdvisorWord as W, filled};
use crate::training::train;

/// So many rows are shown.
const SHOWN: usize = 12;

/// The answer first, then those on the front, then those that are cheaper and do not fit.
fn order(found: &Advice) -> Vec<usize> {
    let is = |case: &&Case| found.answer.as_ref() == Some(*case);
    let answer = found.cases.iter().position(|it| is(&it));
    let cheaper = found.cheaper.iter();
    let cheaper = cheaper.filter_map(|it| found.cases.iter().position(|case| case == it));
    let mut order: Vec<usize> = answer.into_iter().collect();
    for at in found.front.iter().copied().chain(cheaper) {
        if !order.contains(&at) {
            order.push(at);
        }
    }
    order
}

pub(super) fn table(session: Session, found: &Advice, device: Device) -> impl IntoView + use<> {
    let order = order(found);
    let rows = order.iter().take(SHOWN).map(|at| {
        let case = &found.cases[*at];
        let answer = found.answer.as_ref() == Some(case);
        row(session, (*at, case, answer), device)
    });
    let rows = rows.collect_view();
    let shown = order.len().min(SHOWN);
    let head = [
        (W::Changes, ""),
        (W::Time, "number"),
        (W::Needs, "number"),
        (W::Missing, "number"),
    ];
    let head = head.map(|(word, class)| {
        view! { <th scope="col" class=class>{session.say(word)}</th> }
    });
    let of = filled(
        session.say(W::Of),
        &[
            &format::grouped(shown as u64),
            &format::grouped(found.cases.len() as u64),
        ],
    );
    let text = csv(found);
    let save = move |_| download("fits.csv", "text/csv", text.as_bytes());
    view! {
        <div class="wide">
            <h4>{session.say(W::Cases)}</h4>
            <table class="stage-rows fits">
                <thead><tr>{head.collect_view()}</tr></thead>
                <tbody>{rows}</tbody>
            </table>
            <p class="hint">{of} " " <button data-do="advisor-csv" on:click=save>{session.say(W::Csv)}</button></p>
        </div>
    }
}

fn row(
    session: Session,
    (at, case, answer): (usize, &Case, bool),
    device: Device,
) -> impl IntoView + use<> {
    let part = |cost| time(device, cost).unwrap_or_else(|| format::grouped(cost));
    let parts = [
        case.time.computed,
        case.time.waited,
        case.time.sent,
        case.time.idle,
    ];
    let parts = parts.map(part);
    let title = filled(
        session.say(W::Computes),
        &parts.each_ref().map(String::as_str),
    );
    // On a narrow screen cells bear the heads of their columns.
    let lacks = (!case.fits()).then(|| session.say(W::Missing));
    let missing = (!case.fits()).then(|| format::bytes(case.missing.0));
    let class = if case.fits() { "fits" } else { "too-small" };
    let take = move |_| train(session, TrainingAction::Take(at));
    view! {
        <tr class=class aria-current=answer.then_some("true")>
            <th scope="row">
                {changes(session, case)}
                <code class="soft">{choice::text(case.training)}</code>
                {allocator(case.by).map(|it| view! { <code class="soft">{it}</code> })}
                <button data-do="take-case" on:click=take>{session.say(W::Take)}</button>
            </th>
            <td class="number" data-label=session.say(W::Time) title=title>
                {part(case.time.sum())}
            </td>
            <td class="number" data-label=session.say(W::Needs) title=format::exact(case.reserved.0)>
                {format::bytes(case.reserved.0)}
            </td>
            <td class="number" data-label=lacks>{missing}</td>
        </tr>
    }
}

/// Who is asked for memory, where that is not PyTorch's allocator as it comes.
fn allocator(by: Allocator) -> Option<String> {
    match by {
        Allocator::Planned(strategy) => Some(strategy.name().to_owned()),
        Allocator::Caching(settings) => {
            (settings != AllocatorSettings::default()).then(|| settings.to_string())
        }
    }
}

/// Everything that was looked at.
fn csv(found: &Advice) -> String {
    let mut text = String::from(
        "training,allocator,changes,computed,waited,sent,idle,values_bytes,device_bytes,missing_bytes\n",
    );
    for it in &found.cases {
        let changes: Vec<&str> = it.changes.each().map(|kind| kind.name()).collect();
        let cells = [
            format!("\"{}\"", choice::text(it.training)),
            format!("\"{}\"", allocator(it.by).unwrap_or_default()),
            changes.join(" "),
            it.time.computed.to_string(),
            it.time.waited.to_string(),
            it.time.sent.to_string(),
            it.time.idle.to_string(),
            it.needs.peak.0.to_string(),
            it.reserved.0.to_string(),
            it.missing.0.to_string(),
        ];
        text += &cells.join(",");
        text.push('\n');
    }
    text
}
