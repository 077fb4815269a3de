//! What a training step takes on a device, before it runs; beside it what a snapshot measured, and
//! what other allocators would reserve.

mod area;
mod controls;
mod rectangles;
pub(super) mod tables;

use std::sync::Arc;

use conversation::{Answer, TrainingAction};
use leptos::prelude::*;
use planner::Bytes;
use planner::training::estimate::{Estimate, NoEstimate};
use planner::training::table::PolicyTable;
use worker::Estimated;

use super::{is_log, none, rows, train};
use crate::format;
use crate::state::session::{Session, session};
use crate::strings::{EstimateWord as W, TrainingWord, filled};
use crate::text::fault::said;
use crate::text::{allocators, measured};

/// The estimate, once it is wanted; there is none of a log, which says what was measured.
#[component]
pub(super) fn Estimates(found: Memo<Option<Arc<PolicyTable>>>) -> impl IntoView {
    let session = session();
    let asides = session.training_asides();
    let state = asides.estimate;
    let open = Memo::new(move |_| state.with(|it| *it != Answer::Unasked));
    let ask = move |_| {
        let estimating = asides.estimating.get_untracked();
        let wanted = !open.get_untracked();
        train(
            session,
            TrainingAction::Estimate(wanted.then_some(estimating)),
        );
    };
    let body = move || {
        asked(session, state.get(), |found| {
            view! { <Found found=found.clone()/> }.into_any()
        })
    };
    view! {
        <Show when=move || !is_log(found)>
            <section class="evictions estimate">
                <button
                    data-do="estimate"
                    aria-expanded=move || open.get().to_string()
                    on:click=ask
                >
                    {move || session.say(W::Title)}
                </button>
                <Show when=move || open.get()>
                    <p class="hint">{move || session.say(W::Hint)}</p>
                    <controls::Controls/>
                    {body}
                    <rectangles::Rectangles/>
                </Show>
            </section>
            <Others/>
        </Show>
    }
}

/// What allocators would reserve, once it is wanted.
#[component]
fn Others() -> impl IntoView {
    let session = session();
    let state = session.training_asides().allocators;
    let open = move || state.with(|it| *it != Answer::Unasked);
    let body = move || {
        asked(session, state.get(), |found| {
            view! {
                <p class="hint">{session.say(W::OthersHint)}</p>
                {allocators::table(session, found)}
            }
            .into_any()
        })
    };
    view! {
        <section class="evictions others">
            <button
                data-do="step-allocators"
                aria-expanded=move || open().to_string()
                on:click=move |_| train(session, TrainingAction::Allocators(!untrack(open)))
            >
                {move || session.say(W::Others)}
            </button>
            {body}
        </section>
    }
}

/// An answer that may be missing: what is there of it, what is waited for, or why there is none.
fn asked<T>(
    session: Session,
    answer: Answer<Result<T, NoEstimate>>,
    shown: impl Fn(&T) -> AnyView,
) -> Option<AnyView> {
    Some(match answer {
        Answer::Unasked | Answer::Nothing | Answer::Stopped => return None,
        Answer::Working(..) => {
            view! { <p role="status">{session.say(TrainingWord::Waits)}</p> }.into_any()
        }
        Answer::There(found) => match &*found {
            Ok(found) => shown(found),
            Err(why) => {
                view! { <p role="status" class="failed">{reason(session, why)}</p> }.into_any()
            }
        },
    })
}

pub(super) fn reason(session: Session, why: &NoEstimate) -> String {
    match why {
        NoEstimate::NoStep(why) => none(session, why),
        NoEstimate::NoSchedule(row) => {
            filled(session.say(W::NoSchedule), &[&rows::why(session, row)])
        }
        NoEstimate::TooLarge(_) => session.say(W::TooLarge).to_owned(),
        NoEstimate::NoPlan(why) => {
            filled(session.say(W::NoPlan), &[&said(session, &why.message())])
        }
    }
}

#[component]
fn Found(found: Box<Estimated>) -> impl IntoView {
    let session = session();
    let Estimated { answer, compared } = *found;
    let errors = (!compared.is_empty()).then(|| measured::errors(session, &compared));
    view! {
        <p class="says">{sentence(session, &answer.estimate)}</p>
        {area::chart(session, &answer.estimate)}
        <div class="pair">
            {tables::peak(session, &answer.estimate)}
            {tables::fits(session, &answer.fits)}
        </div>
        {errors}
    }
}

/// What it comes to, and what is not counted.
fn sentence(session: Session, it: &Estimate) -> String {
    let bytes = |it: Bytes| format::bytes(it.0);
    let total = bytes(it.total());
    let mut says = match it.segments {
        0 => filled(session.say(W::SaysPlanned), &[&total]),
        segments => {
            let all = [
                total,
                bytes(it.reserved),
                format::grouped(segments),
                bytes(it.peak.allocated),
                it.peak.step.to_string(),
            ];
            filled(session.say(W::Says), &all.each_ref().map(String::as_str))
        }
    };
    let missing = [
        (it.context.is_none(), W::TheDriver),
        (it.workspace.is_none(), W::TheWorkspace),
    ];
    let missing = missing.into_iter().filter(|it| it.0);
    let missing: Vec<&str> = missing.map(|it| session.say(it.1)).collect();
    if !missing.is_empty() {
        let all = match missing[..] {
            [one, other] => filled(session.say(W::Both), &[one, other]),
            _ => missing.concat(),
        };
        says = format!("{says} {}", filled(session.say(W::NotKnown), &[&all]));
    }
    if it.failed > 0 {
        let failed = format::grouped(it.failed);
        says = format!("{says} {}", filled(session.say(W::NoRoom), &[&failed]));
    }
    says
}
