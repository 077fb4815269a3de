//! The figures of an estimate: what is there at the peak, and which devices it fits into.

use leptos::prelude::*;
use planner::Bytes;
use planner::training::estimate::{Estimate, Fit, Purpose, Remedy, Verdict};

use crate::format;
use crate::state::session::{Session, to_f64};
use crate::strings::{EstimateWord as W, filled};
use crate::text::measured::{bytes, head};

/// The most of what is there at the peak that is named.
const NAMED: usize = 6;

/// What a purpose is called.
pub(in crate::training) fn word(purpose: Purpose) -> W {
    match purpose {
        Purpose::Weights => W::Weights,
        Purpose::Master => W::Master,
        Purpose::Optimizer => W::Optimizer,
        Purpose::WeightGradients => W::WeightGradients,
        Purpose::Inputs => W::Inputs,
        Purpose::Outputs => W::Outputs,
        Purpose::Gradients => W::Gradients,
        Purpose::Ephemeral => W::Ephemeral,
        Purpose::Communication => W::Communication,
        Purpose::Workspace => W::WorkspaceUsed,
        Purpose::Idle => W::Idle,
    }
}

/// What is there at the peak, by what it is for, the sums, and the largest pieces.
pub(super) fn peak(session: Session, it: &Estimate) -> impl IntoView + use<> {
    let of = Purpose::ALL
        .into_iter()
        .map(|purpose| (word(purpose), it.peak.of(purpose)));
    let of = of
        .filter(|it| it.1.0 > 0)
        .map(|(word, bytes)| (word, Some(bytes)));
    let sums = [
        (W::Allocated, Some(it.peak.allocated)),
        (W::Reserved, Some(it.reserved)),
        (W::Driver, it.context),
        (W::Total, Some(it.total())),
    ];
    let total = to_f64(it.total().0.max(1));
    let row = |(word, held): (W, Option<Bytes>)| {
        let share = held.map(|it| format::percent(to_f64(it.0) / total));
        view! {
            <tr>
                <th scope="row">{session.say(word)}</th>
                {bytes(session, W::AtPeak, held)}
                <td class="number" data-label=session.say(W::Share)>{share}</td>
            </tr>
        }
    };
    let largest = it.holds.iter().take(NAMED).map(|it| {
        format!(
            "{} ({}, {})",
            it.name,
            session.say(word(it.purpose)),
            format::bytes(it.bytes.0)
        )
    });
    let (count, bytes_of) = it.more;
    let unnamed = it.holds.iter().skip(NAMED);
    let others = unnamed.clone().count() + count;
    let bytes_of = unnamed.fold(bytes_of.0, |sum, it| sum.saturating_add(it.bytes.0));
    let others = (others > 0).then(|| {
        let all = [format::grouped(others as u64), format::bytes(bytes_of)];
        filled(session.say(W::More), &all.each_ref().map(String::as_str))
    });
    let largest: Vec<String> = largest.chain(others).collect();
    view! {
        <div class="wide">
            <table class="stage-rows peak">
                {head(session, W::Part, &[W::AtPeak, W::Share])}
                <tbody>{of.map(row).collect_view()}</tbody>
                <tbody class="sums">{sums.map(row).collect_view()}</tbody>
            </table>
            <p class="hint">{filled(session.say(W::Largest), &[&largest.join(session.say(W::Then))])}</p>
        </div>
    }
}

/// Which devices the step fits into.
pub(super) fn fits(session: Session, all: &[Fit]) -> impl IntoView + use<> {
    let rows = all.iter().map(|it| {
        let (class, says) = verdict(session, &it.verdict);
        view! {
            <tr data-device=it.device.clone() class=class>
                <th scope="row">{it.device.clone()}</th>
                {bytes(session, W::Memory, Some(it.memory))}
                <td data-label=session.say(W::Verdict)>{says}</td>
            </tr>
        }
    });
    view! {
        <div class="wide">
            <p class="hint">{session.say(W::FitsHint)}</p>
            <table class="stage-rows fits">
                <thead>
                    <tr>
                        <th scope="col">{session.say(W::Device)}</th>
                        <th scope="col" class="number">{session.say(W::Memory)}</th>
                        <th scope="col">{session.say(W::Verdict)}</th>
                    </tr>
                </thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
        </div>
    }
}

fn verdict(session: Session, it: &Verdict) -> (&'static str, String) {
    match it {
        Verdict::Fits => ("fits", session.say(W::Fits).to_owned()),
        Verdict::FitsWith(all) => {
            // Those that change least come first.
            let all: Vec<String> = all.iter().take(2).map(|it| remedy(session, it)).collect();
            let all = all.join(session.say(W::Or));
            ("fits-with", filled(session.say(W::FitsWith), &[&all]))
        }
        Verdict::TooSmall { missing, with } => {
            let missing = format::bytes(missing.0);
            let says = match with {
                None => filled(session.say(W::TooSmall), &[&missing]),
                Some(with) => filled(
                    session.say(W::TooSmallWith),
                    &[&missing, &remedy(session, with)],
                ),
            };
            ("too-small", says)
        }
    }
}

/// What can be told to PyTorch, as it is written.
fn remedy(session: Session, it: &Remedy) -> String {
    let settings = it.settings.map(|it| it.to_string());
    let gone = it.set_to_none.then(|| session.say(W::SetToNone).to_owned());
    let all: Vec<String> = settings.into_iter().chain(gone).collect();
    all.join(session.say(W::And))
}
