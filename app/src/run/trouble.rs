//! Why a run has no result, in words, with figures where there are some.

use crate::state::driver::act;
use crate::state::session::Session;
use conversation::{Action, Gpu, RunAction, Trouble};
use executor::engine::RunError;
use executor::lower::{Refused, Unsupported};
use leptos::prelude::*;
use runner::Failure;

use crate::format;
use crate::strings::{ValueWord, Word, filled};
use crate::text::fault::said;

pub(super) fn trouble(session: Session, why: &Trouble) -> AnyView {
    if let Trouble::Failure(Failure::Refused(refused @ Refused::Unsupported(operators))) = why {
        let list = unsupported(session, operators);
        return view! { {list} {refused.runs_until().map(|steps| prefix(session, steps))} }
            .into_any();
    }
    view! { <p class="claim">{sentence(session, why)}</p> }.into_any()
}

/// Why there is no result, in one sentence.
pub(super) fn sentence(session: Session, why: &Trouble) -> String {
    let say = |word: Word, values: &[&str]| filled(session.say(word), values);
    match why {
        Trouble::Died(words) => say(Word::TroubleDied, &[&said(session, words)]),
        Trouble::Failure(Failure::Refused(refused)) => refusal(session, refused),
        Trouble::Failure(Failure::Run(error)) => match error {
            RunError::Unavailable(why) => say(Word::NoGpuRefused, &[&said(session, why)]),
            RunError::OutOfMemory(why) => say(Word::TroubleMemory, &[&said(session, why)]),
            RunError::Lost(why) => {
                let why = said(session, why);
                say(Word::TroubleLost, &[&gpu(session), &why])
            }
            other => say(Word::TroubleOther, &[&said(session, &other.message())]),
        },
        Trouble::Failure(Failure::Input { name, message }) => {
            say(Word::InputMisfit, &[name, &said(session, message)])
        }
        Trouble::Failure(other) => say(Word::TroubleOther, &[&said(session, &other.message())]),
    }
}

/// The name that the GPU reports.
fn gpu(session: Session) -> String {
    match session.runs.gpu.get() {
        Gpu::There(name) if !name.is_empty() => name,
        _ => "WebGPU".to_owned(),
    }
}

fn refusal(session: Session, refused: &Refused) -> String {
    let say = |word: Word, values: &[&str]| filled(session.say(word), values);
    match refused {
        Refused::Unsupported(operators) => say(
            Word::Unsupported,
            &[&format::grouped(roots(operators).count() as u64)],
        ),
        Refused::Unsized { tensor } => say(Word::TroubleUnsized, &[tensor]),
        Refused::Unaligned { tensor, offset } => {
            say(Word::TroubleUnaligned, &[tensor, &format::exact(*offset)])
        }
        Refused::Outside { tensor, end, arena } => say(
            Word::TroubleOutside,
            &[tensor, &format::exact(*end), &format::exact(*arena)],
        ),
        Refused::TooLarge { what, bytes, limit } => say(
            Word::TroubleLimit,
            &[
                &said(session, what),
                &format::exact(*bytes),
                &format::exact(*limit),
            ],
        ),
        Refused::Hazard { op, input, output } => say(Word::TroubleHazard, &[op, input, output]),
        counted => said(session, &counted.message()),
    }
}

/// The operators that stand in the way, without those that only read what they would give.
fn roots(operators: &[Unsupported]) -> impl Iterator<Item = &Unsupported> {
    operators.iter().filter(|operator| !operator.follows)
}

/// Runs the steps before the first operator that stands in the way.
fn prefix(session: Session, steps: usize) -> impl IntoView + use<> {
    let run = move |_| act(session, Action::Run(RunAction::StartUntil(steps)));
    let count = format::grouped(steps as u64);
    view! {
        <p>
            <button id="run-until" title=session.say(ValueWord::RunUntilHint) on:click=run>
                {filled(session.say(ValueWord::RunUntil), &[&count])}
            </button>
        </p>
    }
}

/// Every operator that has no kernel, with the reason; how many depend on them.
fn unsupported(session: Session, operators: &[Unsupported]) -> impl IntoView + use<> {
    let count = roots(operators).count();
    let more = operators.len() - count;
    let more = (more > 0).then(|| {
        let more = format::grouped(more as u64);
        view! { <p>{filled(session.say(Word::UnsupportedMore), &[&more])}</p> }
    });
    let count = format::grouped(count as u64);
    let title = filled(session.say(Word::Unsupported), &[&count]);
    let rows = roots(operators).cloned().map(|operator| {
        view! {
            <tr>
                <th scope="row">{operator.op}</th>
                <td>{operator.kind}</td>
                <td>{said(session, &operator.reason)}</td>
            </tr>
        }
    });
    view! {
        <table class="unsupported">
            <caption>{title}</caption>
            <thead>
                <tr>
                    <th scope="col">{session.say(Word::OperatorColumn)}</th>
                    <th scope="col">{session.say(Word::KindColumn)}</th>
                    <th scope="col">{session.say(Word::ReasonColumn)}</th>
                </tr>
            </thead>
            <tbody>{rows.collect_view()}</tbody>
        </table>
        {more}
    }
}
