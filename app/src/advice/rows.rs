//! Changes of one kind as a table: what is changed, what it saves, how it is done.

use conversation::{Action, Column, InsightAction};
use leptos::prelude::*;
use planner::Strategy;
use planner::advice::{Advice, Change, Flag, Group, Outcome, Proposal};
use planner::attribution::Phase;
use planner::deployed::TotalKind;
use planner::query::{Field, Query};

use super::of_subject;
use crate::format;
use crate::state::driver::act;
use crate::state::session::Session;
use crate::strings::{AdviceWord as W, AnswerWord, QueryWord, filled};
use crate::tables::operators::look_at_step;
use crate::text::block;
use crate::text::group::label;

/// The plan that is offered instead.
const BEST: Column = Column::Strategy(Strategy::Best);

/// What a kind of change is called, and what it means, of a file in which a request failed or none.
/// A trace tells no uses.
fn headings(advice: &Advice, change: &Change, failed: bool) -> (W, W) {
    match change {
        Change::Plan(_) => (W::PlanTitle, W::PlanHint),
        Change::Settings(_) => (W::SettingsTitle, W::SettingsHint),
        Change::EmptyCache(_) => (W::EmptyTitle, W::EmptyHint),
        Change::LastingFirst(_) => (W::OrderTitle, W::OrderHint),
        Change::Unheld(group) if group.lasting => (W::LastingTitle, W::LastingHint),
        Change::Unheld(_) if failed => (W::FailedTitle, W::FailedHint),
        Change::Unheld(_) if advice.settings.is_some() => (W::TraceTitle, W::TraceHint),
        Change::Unheld(_) => (W::HeldTitle, W::HeldHint),
    }
}

/// What saves most of all; where requests failed, only if something does.
pub(super) fn most(session: Session, advice: &Advice) -> Option<AnyView> {
    // Where a request fits that did not, no bytes are saved.
    let same = |it: &&Proposal| it.outcome.failed == advice.base.failed;
    let helping = advice.proposals.iter().filter(same);
    let helping = helping.filter(|it| helps(session, advice, it));
    let most = helping.max_by_key(|it| better(session, advice, it).1);
    let most = most.map(|it| (it, better(session, advice, it).1));
    let saves = most.and_then(|(it, saved)| {
        let bytes = u64::try_from(saved).ok().filter(|bytes| *bytes > 0)?;
        Some((it, bytes))
    });
    let Some((most, saved)) = saves else {
        let says = session.say(AnswerWord::NoAdvice);
        let is_told = advice.base.failed == 0;
        return is_told.then(|| view! { <p class="answer">{says}</p> }.into_any());
    };
    let what = called(session, advice, &most.change);
    let says = filled(session.say(W::Most), &[&format::bytes(saved), &what]);
    Some(view! { <p class="answer sum" data-most=saved.to_string()>{says}</p> }.into_any())
}

/// With what every request is met that fails without a change, or that nothing does.
pub(super) fn fits(session: Session, advice: &Advice) -> Option<impl IntoView + use<>> {
    if advice.base.failed == 0 {
        return None;
    }
    let (others, told): (Vec<&Proposal>, Vec<&Proposal>) = (advice.proposals.iter())
        .filter(|it| it.outcome.failed == 0)
        .partition(|it| matches!(it.change, Change::Unheld(_)));
    let says = match (told.first(), advice.least) {
        (Some(first), _) => {
            let what = called(session, advice, &first.change);
            filled(session.say(W::FitsWith), &[&what])
        }
        (None, Some(least)) => {
            let capacity = advice.capacity.unwrap_or_default().0;
            let beyond = format::bytes(least.0.saturating_sub(capacity));
            let wished = session.insight.wish.get_untracked().capacity.is_some();
            let lowest = !wished && of_subject(session, |it| it.limit_below(advice).is_some());
            let says = if lowest {
                W::FitsNeverLowest
            } else {
                W::FitsNever
            };
            filled(session.say(says), &[&format::bytes(least.0), &beyond])
        }
        (None, None) => return None,
    };
    let without = others.first().filter(|_| told.is_empty());
    let without = without.map(|first| {
        let what = called(session, advice, &first.change);
        filled(session.say(W::FitsWithout), &[&what])
    });
    Some(view! {
        <p class="fits" data-least=advice.least.map(|it| it.0.to_string())>{says} " " {without}</p>
    })
}

/// What exactly is changed.
fn called(session: Session, advice: &Advice, change: &Change) -> String {
    match change {
        Change::Plan(strategy) => strategy.name().to_owned(),
        Change::Settings(settings) => settings.to_string(),
        Change::EmptyCache(step) => filled(session.say(W::EmptyRow), &[&format::grouped(step.0)]),
        Change::LastingFirst(count) => filled(
            &block::say(session, W::OrderRow),
            &[&format::grouped(*count)],
        ),
        Change::Unheld(group) => label(session, advice.field, &group.text),
    }
}

/// A table for each kind.
pub(super) fn sections(session: Session, advice: &Advice) -> impl IntoView + use<> {
    let failed = of_subject(session, |it| it.failed_at().is_some());
    // What meets every request comes first, whatever its kind: the rest joins what is there.
    let mut kinds: Vec<Vec<&Proposal>> = Vec::new();
    for it in &advice.proposals {
        let title = headings(advice, &it.change, failed).0;
        let same = |rows: &&mut Vec<&Proposal>| {
            let first = rows.first();
            first.is_some_and(|first| headings(advice, &first.change, failed).0 == title)
        };
        match kinds.iter_mut().find(same) {
            Some(rows) => rows.push(it),
            None => kinds.push(vec![it]),
        }
    }
    let sections = kinds
        .iter()
        .map(|proposals| section(session, advice, failed, proposals));
    let sections = sections.collect_view();
    let idle = |it: &Proposal| matches!(it.change, Change::Unheld(_));
    let all_used = advice.traced && !advice.proposals.iter().any(idle);
    let live = of_subject(session, |it| it.failure().map(|failure| failure.live.0));
    let says = match (live, advice.settings) {
        (Some(0), _) => W::FailedEmpty,
        (Some(_), _) => W::FailedUsed,
        (None, Some(_)) => W::TraceUsed,
        (None, None) => W::AllUsed,
    };
    let all_used = all_used.then(|| view! { <p data-kind="all-used">{session.say(says)}</p> });
    view! { {sections} {all_used} }
}

fn section(
    session: Session,
    advice: &Advice,
    failed: bool,
    proposals: &[&Proposal],
) -> Option<AnyView> {
    let first = &proposals.first()?.change;
    let (title, hint) = headings(advice, first, failed);
    let hint = match first {
        Change::Unheld(group) => filled(session.say(hint), &[&format::grouped(group.step.0)]),
        _ => session.say(hint).to_owned(),
    };
    let columns = columns(advice, first)
        .map(|word| view! { <th scope="col" class="number">{session.say(word)}</th> })
        .collect_view();
    let (useful, useless): (Vec<&Proposal>, Vec<&Proposal>) = proposals
        .iter()
        .copied()
        .partition(|it| helps(session, advice, it));
    let count = useless.len() as u64;
    let rows = |proposals: Vec<&Proposal>| {
        let rows = proposals.into_iter().map(|it| row(session, advice, it));
        rows.collect_view()
    };
    let head = view! {
        <thead>
            <tr>
                <th scope="col">{session.say(W::Change)}</th>
                {columns}
            </tr>
        </thead>
    };
    let head = (!useful.is_empty()).then_some(head);
    let (useful, useless) = (rows(useful), rows(useless));
    let folded = (count > 0).then(|| {
        let says = filled(session.say(W::Useless), &[&format::grouped(count)]);
        view! {
            <tbody class="useless">
                <tr>
                    <td colspan="4">
                        <details>
                            <summary>{says}</summary>
                            <table class="proposals"><tbody>{useless}</tbody></table>
                        </details>
                    </td>
                </tr>
            </tbody>
        }
    });
    let section = view! {
        <section>
            <h3>{session.say(title)}</h3>
            <p class="hint">{hint}</p>
            <div class="wide">
                <table class="proposals">
                    {head}
                    <tbody>{useful}</tbody>
                    {folded}
                </table>
            </div>
        </section>
    };
    Some(section.into_any())
}

/// See [`Advice::helps`].
fn helps(session: Session, advice: &Advice, proposal: &Proposal) -> bool {
    let (outcome, saved) = better(session, advice, proposal);
    advice.helps(outcome, saved)
}

fn row(session: Session, advice: &Advice, proposal: &Proposal) -> impl IntoView + use<> {
    let (outcome, saved) = better(session, advice, proposal);
    let failed = (outcome.failed > 0).then(|| {
        let count = format::grouped(outcome.failed);
        let says = filled(session.say(W::Failed), &[&count]);
        view! { <span class="failed">{says}</span> }
    });
    // Where a request fits that did not, no bytes are saved.
    let base = advice.base.failed;
    let figures = [
        match (advice.met_more(outcome), outcome.failed) {
            (0, _) => format::signed(saved),
            (_, 0) => session.say(W::Fits).to_owned(),
            (more, _) => {
                let counts = [more, base].map(format::grouped);
                filled(session.say(W::SomeFit), &[&counts[0], &counts[1]])
            }
        },
        format::exact(outcome.taken.0),
        format::exact(outcome.needed.0),
    ];
    let cells = columns(advice, &proposal.change).into_iter().zip(figures);
    let cells = cells
        .map(|(word, text)| view! { <td class="number" data-label=session.say(word)>{text}</td> })
        .collect_view();
    view! {
        <tr data-kind=proposal.change.name() data-saved=saved.to_string()>
            <th scope="row">{what(session, advice, &proposal.change)} {failed}</th>
            {cells}
        </tr>
    }
}

/// The columns of figures.
fn columns(advice: &Advice, change: &Change) -> [W; 3] {
    let saves = match change {
        Change::Unheld(_) => W::SavesAtMost,
        _ => W::Saves,
    };
    let then = match advice.settings {
        Some(_) => W::ThenReserved,
        None => W::ThenArena,
    };
    [saves, then, W::ThenNeeded]
}

/// What comes of a proposal. The page searches longer for another plan than advice does.
fn better(session: Session, advice: &Advice, proposal: &Proposal) -> (Outcome, i64) {
    let found = (proposal.outcome, proposal.saved);
    if !matches!(proposal.change, Change::Plan(_)) {
        return found;
    }
    let Some(planned) = session.planned(BEST) else {
        return found;
    };
    let taken = planned.judged.metrics.arena;
    if taken >= proposal.outcome.taken || !planned.judged.violations.is_empty() {
        return found;
    }
    let saved = advice.taken.0.checked_signed_diff(taken.0);
    let outcome = Outcome {
        taken,
        ..proposal.outcome
    };
    (outcome, saved.unwrap_or(proposal.saved))
}

/// What is changed, with a way to do it or to see it.
fn what(session: Session, advice: &Advice, change: &Change) -> AnyView {
    let text = called(session, advice, change);
    match change {
        Change::Plan(_) => {
            let show = move |_| act(session, Action::SideBySide);
            view! { {text} " " <button on:click=show>{session.say(W::SideBySide)}</button> }
                .into_any()
        }
        Change::Settings(settings) => {
            let line = format!("PYTORCH_CUDA_ALLOC_CONF={text}");
            let limit = (settings.collect_above > 0).then(|| {
                view! { <span class="how">{session.say(W::WithLimit)}</span> }
            });
            view! { {copied(session, text, line)} {limit} }.into_any()
        }
        Change::EmptyCache(step) => {
            let step = *step;
            let look = move |_| {
                act(session, Action::Insight(InsightAction::Step(Some(step))));
                look_at_step(session, step.0);
            };
            view! { <button class="link" on:click=look>{text}</button> }.into_any()
        }
        Change::LastingFirst(_) => text.into_any(),
        Change::Unheld(group) => held(session, advice, group, &text).into_any(),
    }
}

/// Something to be typed elsewhere, and a button that copies `line`.
fn copied(session: Session, shown: String, line: String) -> impl IntoView {
    let hint = filled(session.say(W::CopyHint), &[&line]);
    let copy = move |_| act(session, Action::Copy(line.clone()));
    view! {
        <code>{shown}</code> " "
        <button class="quiet" title=hint.clone() aria-label=hint on:click=copy>{session.say(W::Copy)}</button>
    }
}

/// A group as a query that shows it, and what can be done about it.
fn held(session: Session, advice: &Advice, group: &Group, label: &str) -> impl IntoView + use<> {
    let mut query = format!(
        "{} and live at {}",
        Query::equal(advice.field, group.text.as_str()),
        group.step.0
    );
    if let Some(phase) = group.phase {
        query += &format!(" and {}", Query::equal(Field::Phase, phase.name()));
    }
    // A trace tells no uses: a block is used where it is asked for and right before it is given back.
    if advice.settings.is_some() {
        let horizon = session.with_lifetimes(|lifetimes| lifetimes.horizon.0);
        let horizon = horizon.unwrap_or_default();
        let step = group.step.0;
        query += &format!(" and start < {step} and ");
        query += &match group.lasting {
            true => format!("end = {horizon}"),
            false => format!("last > {step} and end < {horizon}"),
        };
    }
    let hint = filled(session.say(QueryWord::LegendHint), &[&format!("`{query}`")]);
    let query = StoredValue::new(query);
    let on = move || query.with_value(|query| session.is_sought(query));
    let press = move |_| query.with_value(|query| session.seek(query));
    let count = format::grouped(group.buffers.len() as u64);
    let label = filled(&block::say(session, W::Row), &[label, &count]);
    let bytes = format::bytes(group.bytes.0);
    view! {
        <button class="link" aria-pressed=move || on().to_string() title=hint on:click=press>{label}</button>
        " " <span title=format::exact(group.bytes.0)>"(" {bytes} ")"</span>
        <span class="how">{session.say(how(advice, group))}</span>
    }
}

/// What can be done about a group.
fn how(advice: &Advice, group: &Group) -> W {
    match group.phase {
        _ if advice.flags.iter().any(|it| it.is_xla()) => W::Remat,
        _ if advice.settings.is_none() => W::Recompute,
        _ if group.lasting => W::Elsewhere,
        Some(Phase::Forward) => W::Checkpoint,
        Some(Phase::Backward) => W::Gradients,
        Some(Phase::Optimizer) => W::Optimizer,
        None => W::Free,
    }
}

/// What XLA could write results over, and what it could keep in arguments that hold little.
pub(super) fn donation(session: Session) -> impl IntoView {
    let kinds = [
        (
            TotalKind::Donatable,
            "donate",
            W::DonateTitle,
            W::DonateHint,
        ),
        (TotalKind::Reusable, "reuse", W::ReuseTitle, W::ReuseHint),
    ];
    let sections = kinds.map(|(kind, name, title, hint)| {
        let bytes = session.file.with(|file| {
            let totals = &file.as_ref()?.opened.totals;
            let total = totals.iter().find(|it| it.kind == kind)?;
            Some(total.bytes.0).filter(|bytes| *bytes > 0)
        })?;
        Some(view! {
            <section data-kind=name data-saved=bytes.to_string()>
                <h3>{session.say(title)}</h3>
                <p>{session.say(W::SavesAtMost)} " " <b>{format::exact(bytes)}</b></p>
                <p class="hint">{session.say(hint)}</p>
            </section>
        })
    });
    sections.collect_view()
}

/// A flag of the toolchain.
pub(super) fn flag(session: Session, flag: Flag) -> impl IntoView {
    let text = flag.text().to_owned();
    let means = match flag {
        Flag::XlaCpu => W::FlagXla,
        Flag::XlaGpu => W::FlagXlaGpu,
        Flag::XlaTpuRerun => W::FlagXlaRerun,
        Flag::XlaTpuSerial => W::FlagXlaSerial,
        Flag::Iree => W::FlagIree,
        Flag::Vela => W::FlagVela,
    };
    view! {
        <section data-kind="flag">
            <h3>{session.say(W::FlagTitle)}</h3>
            <p>{copied(session, text.clone(), text)}</p>
            <p class="hint">{session.say(means)} " " {session.say(W::FlagHint)}</p>
        </section>
    }
}
