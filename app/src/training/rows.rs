//! The policies as a table: what each comes to under the budget.

use std::sync::Arc;

use conversation::TrainingAction;
use leptos::prelude::*;
use planner::training::Policy;
use planner::training::dtr::Heuristic;
use planner::training::policies::{MOST_NODES, NoWalk, THRESHOLDS};
use planner::training::table::{PolicyTable, Row};

use super::{is_planned, train};
use crate::format;
use crate::state::session::{Session, session};
use crate::strings::{TrainingWord as W, filled};

/// The rows.
#[component]
pub(super) fn Rows(found: Memo<Option<Arc<PolicyTable>>>) -> impl IntoView {
    let session = session();
    let head = move || {
        let heads = [(W::Peak, "peak"), (W::Overhead, "overhead")];
        heads.map(|(word, define)| {
            view! { <th scope="col" class="number" data-define=define>{session.say(word)}</th> }
        })
    };
    let body = move || {
        let table = found.get().unwrap_or_default();
        // What is planned is known with its picture, before its row of the table.
        let trained = session
            .prepared
            .get()
            .and_then(|it| it.subject.trained.clone());
        let trained = trained.and_then(Result::ok);
        let rows = table.beside(trained.as_ref());
        let there = |policy: Policy| rows.iter().find(|row| row.policy == policy);
        let row = |policy: Policy| match there(policy) {
            // A log is one run: what needs the whole graph is no choice.
            Some(row) if row.why == Some(NoWalk::NotForLogs) => ().into_any(),
            // Until a device is chosen there is no link, and no line for each that needs one.
            Some(row) if row.why == Some(NoWalk::NoLink) => ().into_any(),
            Some(row) if row.why == Some(NoWalk::NoEnergy) => ().into_any(),
            Some(row) => line(session, row, &table).into_any(),
            None => waits(session, policy).into_any(),
        };
        Policy::ALL.map(row).collect_view()
    };
    view! {
        <div class="wide">
            <table class="stage-rows policies">
                <thead>
                    <tr>
                        <th scope="col">{move || session.say(W::Policy)}</th>
                        {head}
                        <th scope="col" data-define="proof">{move || session.say(W::Proof)}</th>
                    </tr>
                </thead>
                <tbody>{body}</tbody>
            </table>
        </div>
    }
}

/// A policy that has no row yet.
fn waits(session: Session, policy: Policy) -> impl IntoView + use<> {
    let says = move || {
        let (done, all) = session.insight.training.parts.get();
        session.say(if done < all { W::Waits } else { W::NotWanted })
    };
    view! {
        <tr>
            <th scope="row">{name(session, policy)}</th>
            <td colspan="3" class="hint">{says}</td>
        </tr>
    }
}

fn line(session: Session, row: &Row, table: &PolicyTable) -> impl IntoView + use<> {
    let (policy, budget) = (row.policy, row.budget);
    let current = move || is_planned(session, policy, budget).then_some("true");
    let button = view! {
        <button
            data-policy=policy.name()
            disabled=row.needs.is_none()
            title=move || session.say(W::PlanHint)
            on:click=move |_| train(session, TrainingAction::Plan(Some(policy)))
        >
            {name(session, policy)}
        </button>
    };
    let rest = match row.needs {
        None => view! {
            <td class="failed" colspan="3">{why(session, row)} {habit(session, row, table)}</td>
        }
        .into_any(),
        Some(needs) => {
            let peak = format::bytes(needs.peak.0);
            let exact = format::exact(needs.peak.0);
            let sum = [&format::grouped(needs.cost), super::cost_unit(table.log)];
            let computed = filled(session.say(W::Compute), &sum);
            let time = super::device::time(session, row, table);
            let time = time.map(|time| view! { <br/><small>{time}</small> });
            let hint = row.optimal.then(|| session.say(W::LeastWorkHint));
            let bound = row.lower_bound.filter(|bound| *bound > table.base);
            let proof = match (row.optimal, row.policy, bound) {
                (true, ..) if needs.cost <= table.base => session.say(W::NoExtraWork).to_owned(),
                (true, ..) => session.say(W::LeastWork).to_owned(),
                // What is proved of every schedule, where that is more than computing all once.
                (false, Policy::LpRounding, Some(bound)) => {
                    let least = bound as f64 / table.base.max(1) as f64;
                    filled(session.say(W::AtLeast), &[&times(least)])
                }
                (false, Policy::Exact, _) if table.nodes > MOST_NODES => {
                    session.say(W::TooManyToSearch).to_owned()
                }
                (false, Policy::Exact | Policy::LpRounding | Policy::LocalSearch, _) => {
                    session.say(W::NotProved).to_owned()
                }
                (false, ..) => String::new(),
            };
            view! {
                <td class="number" data-label=session.say(W::Peak) title=exact>{peak}</td>
                <td class="number" data-label=session.say(W::Overhead) title=computed>
                    {times(row.overhead)} {time}
                </td>
                <td data-label=session.say(W::Proof) title=hint>
                    {proof} {habit(session, row, table)}
                </td>
            }
            .into_any()
        }
    };
    view! { <tr aria-current=current data-row=policy.name()><th scope="row">{button}</th>{rest}</tr> }
}

/// What a policy is called.
pub(super) fn name(session: Session, policy: Policy) -> &'static str {
    session.say(match policy {
        Policy::KeepAll => W::KeepAll,
        Policy::SqrtN => W::SqrtN,
        Policy::ChenGreedy => W::ChenGreedy,
        Policy::ChenGreedyAll => W::ChenGreedyAll,
        Policy::TorchSegments => W::TorchSegments,
        Policy::Knapsack => W::Knapsack,
        Policy::MinCut => W::MinCut,
        Policy::Revolve => W::Revolve,
        Policy::Rotor => W::Rotor,
        Policy::Exact => W::Exact,
        Policy::LpRounding => W::LpRounding,
        Policy::LocalSearch => W::LocalSearch,
        Policy::Live(Heuristic::Dtr) => W::Dtr,
        Policy::Live(Heuristic::DtrEq) => W::DtrEq,
        Policy::Live(Heuristic::DtrLocal) => W::DtrLocal,
        Policy::Live(Heuristic::Msps) => W::Msps,
        Policy::Live(Heuristic::Lru) => W::Lru,
        Policy::Live(Heuristic::Size) => W::Size,
        Policy::Live(Heuristic::NotStale) => W::NotStale,
        Policy::Live(Heuristic::Random) => W::Random,
        Policy::Megengine => W::Megengine,
        Policy::Dte => W::Dte,
        Policy::Coop => W::Coop,
        Policy::VdnnAll => W::VdnnAll,
        Policy::VdnnConv => W::VdnnConv,
        Policy::Capuchin => W::Capuchin,
        Policy::MegengineSwap => W::MegengineSwap,
        Policy::Poet => W::Poet,
    })
}

/// What a policy of checkpoints does whatever the budget is, and why that may take more memory than
/// keeping everything.
fn habit(session: Session, row: &Row, table: &PolicyTable) -> impl IntoView + use<> {
    let own = match row.policy {
        // Without a schedule that is said with the reason.
        Policy::SqrtN => row.needs.map(|_| session.say(W::SqrtNHabit).to_owned()),
        Policy::ChenGreedy | Policy::ChenGreedyAll => {
            let most = THRESHOLDS.to_string();
            Some(filled(session.say(W::ChenHabit), &[&most]))
        }
        Policy::VdnnAll | Policy::VdnnConv => Some(session.say(W::VdnnHabit).to_owned()),
        Policy::Capuchin => Some(session.say(W::CapuchinHabit).to_owned()),
        Policy::MegengineSwap => Some(session.say(W::MegengineSwapHabit).to_owned()),
        Policy::Poet => Some(session.say(W::PoetHabit).to_owned()),
        _ => return None,
    };
    let takes = match (&row.needs, &row.why) {
        (Some(needs), _) => needs.peak,
        (None, Some(NoWalk::SmallestNeeds(bytes))) => *bytes,
        (None, _) => return None,
    };
    // By autograd's rule what nobody reads any more is given back.
    let more = table.saved.is_none() && takes > table.keep_all;
    let more = more
        && matches!(
            row.policy,
            Policy::SqrtN | Policy::ChenGreedy | Policy::ChenGreedyAll
        );
    let more = more.then(|| session.say(W::KeptToTheEnd).to_owned());
    let lines = own.into_iter().chain(more);
    Some(
        lines
            .map(|line| view! { <small class="habit">{line}</small> })
            .collect_view(),
    )
}

/// Why there is no schedule.
pub(super) fn why(session: Session, row: &Row) -> String {
    let at = row.at.clone().unwrap_or_default();
    match &row.why {
        Some(NoWalk::BelowMinimum { bytes, .. }) => filled(
            session.say(W::BelowMinimum),
            &[&at, &format::bytes(bytes.0)],
        ),
        Some(NoWalk::SmallestNeeds(bytes)) => {
            let word = match row.policy {
                Policy::KeepAll => W::KeepAllNeeds,
                Policy::SqrtN => W::SqrtNNeeds,
                _ => W::SmallestNeeds,
            };
            filled(session.say(word), &[&format::bytes(bytes.0)])
        }
        Some(NoWalk::OutOfMemory(_)) => filled(session.say(W::OutOfMemory), &[&at]),
        Some(NoWalk::Impossible) => session.say(W::Impossible).to_owned(),
        Some(NoWalk::NotForLogs) => session.say(W::NotForLogs).to_owned(),
        Some(NoWalk::NoJointGraph) => session.say(W::NoJointGraph).to_owned(),
        Some(NoWalk::NoCut) => session.say(W::NoCut).to_owned(),
        Some(NoWalk::NotAChain) => session.say(W::NotAChain).to_owned(),
        Some(NoWalk::Thrashed) => session.say(W::Thrashed).to_owned(),
        Some(NoWalk::MoreNodesThan(most)) => {
            filled(session.say(W::MoreNodesThan), &[&most.to_string()])
        }
        Some(NoWalk::NoLink) => session.say(W::NoLink).to_owned(),
        Some(NoWalk::NoEnergy) => session.say(W::NoEnergy).to_owned(),
        Some(NoWalk::NotSearched) => session.say(W::NotSearched).to_owned(),
        Some(NoWalk::Stopped) | None => session.say(W::Stopped).to_owned(),
    }
}

/// "1.229×".
pub(super) fn times(overhead: f64) -> String {
    format!("{overhead:.3}×")
}
