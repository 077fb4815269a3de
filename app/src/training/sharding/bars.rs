//! What a rank holds at its peak while one thing is chosen otherwise: a bar for each value, by what
//! memory is for.

use std::sync::Arc;

use conversation::{Answer, ChosenStep, TrainingAction};
use leptos::prelude::*;
use planner::Training;
use planner::training::estimate::{NoEstimate, Purpose};
use planner::training::sharding::bars::{Axis, Bar};

use crate::format;
use crate::state::session::{Session, session, to_f64};
use crate::strings::{EstimateWord, ShardingWord as W, TrainingWord, filled};
use crate::training::estimate::reason;
use crate::training::estimate::tables::word;
use crate::training::train;

/// The size of a bar, in its own units.
const WIDTH: f64 = 400.0;
const HEIGHT: f64 = 18.0;

const AXES: [(Axis, W); 8] = [
    (Axis::Stage, W::OfStage),
    (Axis::Zero, W::OfZero),
    (Axis::Data, W::OfData),
    (Axis::Tensor, W::OfTensor),
    (Axis::Context, W::OfContext),
    (Axis::Pipeline, W::OfPipeline),
    (Axis::Batch, W::OfBatch),
    (Axis::Sequence, W::OfSequence),
];

/// The bars, once they are wanted.
#[component]
pub(super) fn Bars() -> impl IntoView {
    let session = session();
    let asides = session.training_asides();
    let open = Memo::new(move |_| asides.bars.with(|it| *it != Answer::Unasked));
    let axis = asides.axis;
    let ask = move |_| {
        let wanted = (!open.get_untracked()).then(|| axis.get_untracked());
        train(session, TrainingAction::Bars(wanted));
    };
    let changed = move |event| {
        let value = event_target_value(&event);
        if let Some((axis, _)) = AXES.iter().find(|it| it.0.name() == value) {
            train(session, TrainingAction::Bars(Some(*axis)));
        }
    };
    let option = move |(own, word): (Axis, W)| {
        view! {
            <option value=own.name() selected=move || axis.get() == own>
                {move || session.say(word)}
            </option>
        }
    };
    let body = move || match asides.bars.get() {
        Answer::Unasked | Answer::Nothing | Answer::Stopped => None,
        Answer::Working(..) => {
            Some(view! { <p role="status">{session.say(TrainingWord::Waits)}</p> }.into_any())
        }
        Answer::There(found) => Some(bars(session, axis.get(), &found)),
    };
    view! {
        <button
            data-do="bars"
            aria-expanded=move || open.get().to_string()
            on:click=ask
        >
            {move || session.say(W::Bars)}
        </button>
        <Show when=move || open.get()>
            <p class="choices">
                <label>
                    {move || session.say(W::Over)} " "
                    <select data-do="bars-over" prop:value=move || axis.get().name() on:change=changed>
                        {AXES.map(option).collect_view()}
                    </select>
                </label>
                <span class="soft">{move || session.say(W::BarsHint)}</span>
            </p>
            {body}
        </Show>
    }
}

fn bars(session: Session, axis: Axis, found: &Arc<Vec<Bar>>) -> AnyView {
    if found.is_empty() {
        return view! { <p class="empty">{session.say(W::NoSequence)}</p> }.into_any();
    }
    let held = found.iter().filter_map(|it| it.found.as_ref().ok());
    let most = held.clone().map(|it| it.1.0).max().unwrap_or(1).max(1);
    let used = |purpose: &Purpose| held.clone().any(|it| it.0.of(*purpose).0 > 0);
    let used: Vec<Purpose> = Purpose::ALL.into_iter().filter(used).collect();
    let legend = used.iter().map(|it| {
        view! { <span class=it.name()><i></i>{session.say(word(*it))}</span> }
    });
    let loaded = (axis == Axis::Stage).then(|| most_loaded(session, found));
    view! {
        <figure class="pareto purposes bars">
            <table class="ranks">
                <tbody>
                    {found.iter().map(|it| row(session, axis, (it, most))).collect_view()}
                </tbody>
            </table>
            <figcaption>{legend.collect_view()}</figcaption>
        </figure>
        <p class="says">{loaded}</p>
    }
    .into_any()
}

fn row(session: Session, axis: Axis, (bar, most): (&Bar, u64)) -> impl IntoView + use<> {
    let value = bar.value;
    // Of a sequence the page does not say how long it is.
    let chosen = session.insight.training.chosen.get_untracked();
    let is_now = axis.value(&training(chosen), 0) == value;
    let take = move |_| {
        let other = axis.with(training(chosen), value);
        let action = match axis {
            Axis::Batch => TrainingAction::Batch(other.batch),
            _ => TrainingAction::Recipe(other.recipe),
        };
        train(session, action);
    };
    let name = format::grouped(value);
    let label = match axis {
        Axis::Sequence => view! { {name} }.into_any(),
        _ => view! { <button data-do="take-bar" on:click=take>{name}</button> }.into_any(),
    };
    let cells = match &bar.found {
        Err(why) => {
            let why = match why {
                NoEstimate::NoStep(why) => super::super::none(session, why),
                other => reason(session, other),
            };
            let says = filled(session.say(W::Cannot), &[&why]);
            view! { <td colspan="2" class="soft">{says}</td> }.into_any()
        }
        Ok((peak, total)) => {
            let mut at = 0.0;
            let parts = Purpose::ALL.map(|purpose| {
                let bytes = peak.of(purpose).0;
                let width = to_f64(bytes) / to_f64(most) * WIDTH;
                let x = at;
                at += width;
                let says = format!("{}: {}", session.say(word(purpose)), format::bytes(bytes));
                (bytes > 0).then(|| view! {
                    <rect class=purpose.name() x=format!("{x:.1}") y="0" height=HEIGHT.to_string() width=format!("{width:.1}")>
                        <title>{says}</title>
                    </rect>
                })
            });
            view! {
                <td class="rank-bar">
                    <svg viewBox=format!("0 0 {WIDTH} {HEIGHT}") preserveAspectRatio="none" role="img"
                        aria-label=session.say(EstimateWord::AtPeak)>
                        {parts.collect_view()}
                    </svg>
                </td>
                <td class="number" title=format::exact(total.0)>{format::bytes(total.0)}</td>
            }
            .into_any()
        }
    };
    view! {
        <tr aria-current=is_now.then_some("true")>
            <th scope="row" class="number">{label}</th>{cells}
        </tr>
    }
}

/// What is chosen, whatever keeps what.
const fn training(of: ChosenStep) -> Training {
    Training {
        policy: 0,
        batch: of.batch,
        budget: None,
        recipe: of.recipe,
        share: None,
    }
}

/// The stage that holds most, and what most of that is for.
fn most_loaded(session: Session, found: &[Bar]) -> Option<String> {
    let held = found
        .iter()
        .filter_map(|it| Some((it.value, it.found.as_ref().ok()?)));
    let (stage, (peak, total)) = held.max_by_key(|it| (it.1.1, std::cmp::Reverse(it.0)))?;
    let purpose = Purpose::ALL.into_iter().max_by_key(|it| peak.of(*it))?;
    let all = [
        stage.to_string(),
        format::bytes(total.0),
        session.say(word(purpose)).to_owned(),
        format::bytes(peak.of(purpose).0),
    ];
    Some(filled(
        session.say(W::MostLoaded),
        &all.each_ref().map(String::as_str),
    ))
}
