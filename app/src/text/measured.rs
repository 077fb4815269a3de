//! What was estimated of memory beside what was measured, as a table of errors.

use leptos::prelude::*;
use planner::Bytes;
use planner::training::estimate::measured::{Compared, Part};

use crate::format;
use crate::state::session::Session;
use crate::strings::EstimateWord as W;

fn part_word(part: Part) -> W {
    match part {
        Part::Weights => W::Weights,
        Part::Optimizer => W::Optimizer,
        Part::WeightGradients => W::WeightGradients,
        Part::Inputs => W::Inputs,
        Part::Outputs => W::Outputs,
        Part::Temporary => W::Temporary,
        Part::Values => W::Values,
        Part::Unknown => W::Unknown,
        Part::Run => W::Run,
        Part::Allocated => W::Allocated,
        Part::Reserved => W::Reserved,
    }
}

/// A cell of bytes; empty where nobody knows them.
pub(crate) fn bytes(session: Session, word: W, bytes: Option<Bytes>) -> impl IntoView + use<> {
    let (says, exact) = match bytes {
        Some(it) => (format::bytes(it.0), Some(format::exact(it.0))),
        None => ("–".to_owned(), None),
    };
    view! { <td class="number" data-label=session.say(word) title=exact>{says}</td> }
}

/// The head of a table of figures: what each row is of, and what it has.
pub(crate) fn head(session: Session, first: W, numbers: &[W]) -> impl IntoView + use<> {
    let numbers = numbers.iter().map(|it| {
        view! { <th scope="col" class="number">{session.say(*it)}</th> }
    });
    view! {
        <thead>
            <tr>
                <th scope="col">{session.say(first)}</th>
                {numbers.collect_view()}
            </tr>
        </thead>
    }
}

/// What was estimated beside what was measured.
pub(crate) fn errors(session: Session, all: &[Compared]) -> impl IntoView + use<> {
    // A run tells what is given from what is returned no more than its buffers do.
    let run = all.iter().any(|it| it.part == Part::Values);
    let called = move |part| match part {
        Part::Inputs if run => W::InputsOutputs,
        part => part_word(part),
    };
    let rows = all.iter().map(|it| {
        let error = it.error().map(|error| {
            let sign = if error < 0 { "−" } else { "+" };
            let size = u64::try_from(error.unsigned_abs()).unwrap_or(u64::MAX);
            let percent = it.percent().map(|it| format!(" ({it:+.1} %)"));
            let percent = percent.unwrap_or_default().replace('-', "−");
            match size {
                0 => "0 B".to_owned(),
                size => format!("{sign}{}{percent}", format::bytes(size)),
            }
        });
        view! {
            <tr data-part=it.part.name()>
                <th scope="row">{session.say(called(it.part))}</th>
                {bytes(session, W::Estimated, it.estimated)}
                {bytes(session, W::Measured, it.measured)}
                <td class="number" data-label=session.say(W::Error)>
                    {error.unwrap_or_else(|| "–".to_owned())}
                </td>
            </tr>
        }
    });
    view! {
        <h4>{session.say(W::Errors)}</h4>
        <p class="hint">{session.say(W::ErrorsHint)}</p>
        <div class="wide">
            <table class="stage-rows errors">
                {head(session, W::Part, &[W::Estimated, W::Measured, W::Error])}
                <tbody>{rows.collect_view()}</tbody>
            </table>
        </div>
    }
}
