//! Two plans of the open file: which, what the one saves, and what moved.

use crate::state::difference::{Compared, shared};
use crate::state::driver::act;
use crate::state::session::{Session, session};
use crate::text::title::title;
use conversation::{Action, Column, DifferenceAction};
use std::cmp::Reverse;
use std::sync::Arc;

use leptos::prelude::*;
use planner::difference::Move;
use planner::metrics::Metrics;
use planner::{Buffer, Bytes, Offset, Sorting as _};

use super::left_out;
use crate::format;
use crate::strings::{AnswerWord, DifferenceWord as W, filled};

/// Rows of the table: the largest that moved.
const ROWS: usize = 200;

/// The section.
#[component]
pub(super) fn Plans() -> impl IntoView {
    let session = session();
    let compared = shared();
    let columns = Memo::new(move |_| session.compared_columns());
    let choose = move |which: Side| {
        move || {
            let (from, to) = columns.get()?;
            Some(view! { <Choice which from to/> })
        }
    };
    let swap = move |_| {
        if let Some((from, to)) = columns.get_untracked() {
            act(session, Action::Differ(DifferenceAction::Plans(to, from)));
        }
    };
    view! {
        <section aria-label=move || session.say(W::PlansTitle)>
            {move || compared.get().map(|compared| answer(session, &compared))}
            <h3>{move || session.say(W::PlansTitle)}</h3>
            <Show
                when=move || columns.with(Option::is_some)
                fallback=move || view! { <p class="empty">{move || session.say(W::OnlyOne)}</p> }
            >
                <p class="pair">
                    {choose(Side::From)}
                    <button on:click=swap title=move || session.say(W::Swap) aria-label=move || session.say(W::Swap)>"⇄"</button>
                    {choose(Side::To)}
                </p>
                {move || compared.get().map(|compared| view! { <Found compared/> })}
            </Show>
        </section>
    }
}

/// Which of both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    From,
    To,
}

/// A menu of the plans that there are.
#[component]
fn Choice(which: Side, from: Column, to: Column) -> impl IntoView {
    let session = session();
    let word = match which {
        Side::From => W::From,
        Side::To => W::To,
    };
    let now = if which == Side::From { from } else { to };
    let change = move |event| {
        let Ok(column) = event_target_value(&event).parse() else {
            return;
        };
        // The one that the other menu has goes to this one's place.
        let pair = match which {
            Side::From if column == to => (to, from),
            Side::From => (column, to),
            Side::To if column == from => (to, from),
            Side::To => (from, column),
        };
        act(
            session,
            Action::Differ(DifferenceAction::Plans(pair.0, pair.1)),
        );
    };
    let options = move || {
        let option = |column: Column| {
            view! {
                <option value=column.name() selected=column == now>{title(session, column)}</option>
            }
        };
        let columns = session.planned_columns().into_iter();
        columns.map(option).collect_view()
    };
    let name = if which == Side::From { "from" } else { "to" };
    view! {
        <label>
            {session.say(word)} " "
            <select data-choice=name prop:value=now.name() on:change=change>{options}</select>
        </label>
    }
}

/// What differs.
#[component]
fn Found(compared: Arc<Compared>) -> impl IntoView {
    let session = session();
    let plans = &compared.plans;
    let count = |word, number: u64, bytes: u64| {
        filled(
            session.say(word),
            &[&format::grouped(number), &format::bytes(bytes)],
        )
    };
    let moved = count(W::MovedCount, plans.moved.len() as u64, plans.moved_bytes.0);
    let same = count(W::SameCount, plans.same, plans.same_bytes.0);
    let any = !plans.moved.is_empty();
    let few = plans.pointed(false).len();
    let many = plans.moved.len();
    let largest = Memo::new({
        let compared = Arc::clone(&compared);
        move |_| {
            let mut largest = compared.plans.pointed(session.all_moved.get());
            session.with_lifetimes(|lifetimes| {
                let size = |it: &Move| lifetimes.buffers.get(it.buffer).map(|it| it.size);
                largest.order_by_key(|it| Reverse(size(it)));
            });
            largest
        }
    });
    let rows = move || {
        let largest = largest.get().into_iter().take(ROWS);
        largest.map(|it| row(session, it)).collect_view()
    };
    let left = move || left_out(session, largest.with(Vec::len).saturating_sub(ROWS));
    view! {
        {reserved(session, &compared)}
        <ul class="counts">
            <li data-moved=plans.moved.len().to_string()>{moved}</li>
            <li data-same=plans.same.to_string()>{same}</li>
        </ul>
        {(few < many).then(|| all_moved(session, many))}
        {move || legend(session, (few, many))}
        {any.then(|| view! {
            <table>
                <caption class="unseen">{session.say(W::PlansTitle)}</caption>
                <thead>
                    <tr>
                        <th scope="col">{session.say(W::Buffer)}</th>
                        <th scope="col" class="number">{session.say(W::Size)}</th>
                        <th scope="col" class="number">{session.say(W::Was)}</th>
                        <th scope="col" class="number">{session.say(W::Is)}</th>
                        <th scope="col" class="number">{session.say(W::By)}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        })}
        {left}
    }
}

/// What the one saves, and whether that can be beaten.
fn answer(session: Session, compared: &Compared) -> impl IntoView + use<> {
    let saved = i64::try_from(compared.plans.saved()).unwrap_or(i64::MAX);
    view! {
        <p class="answer verdict" data-saved=saved.to_string()>
            {verdict(session, compared)} {session.say(AnswerWord::Then)} {proof(session, compared)}
        </p>
    }
}

/// Whether everything that moved is outlined and listed, not only what decides.
fn all_moved(session: Session, many: usize) -> impl IntoView {
    let choose = move |event| {
        let all = event_target_checked(&event);
        act(session, Action::Differ(DifferenceAction::AllMoved(all)));
    };
    let many = format::grouped(many as u64);
    view! {
        <label class="check">
            <input
                type="checkbox"
                id="all-moved"
                prop:checked=move || session.all_moved.get()
                on:change=choose
            />
            <span>{move || filled(session.say(W::AllMoved), &[&many])}</span>
        </label>
    }
}

/// What the outlines mean, or that something else that is lit has taken their place.
fn legend(session: Session, (few, many): (usize, usize)) -> AnyView {
    if session.insight.lit.get().is_none() {
        let counts = [few, many].map(|count| format::grouped(count as u64));
        let counts = counts.each_ref().map(String::as_str);
        let text = match few < many && !session.all_moved.get() {
            true => filled(session.say(W::LegendDeciding), &counts),
            false => session.say(W::Legend).to_owned(),
        };
        return view! { <p class="soft">{text}</p> }.into_any();
    }
    let show = move |_| act(session, Action::Differ(DifferenceAction::Outlines));
    view! {
        <p class="soft outlines-off">
            {session.say(W::OutlinesOff)} " "
            <button class="link" on:click=show>{session.say(W::OutlinesOn)}</button>
        </p>
    }
    .into_any()
}

/// One buffer that moved.
fn row(session: Session, it: Move) -> Option<impl IntoView> {
    let buffer = |read: fn(&Buffer) -> (String, u64)| {
        session.with_lifetimes(|lifetimes| lifetimes.buffers.get(it.buffer).map(read))
    };
    let (name, size) = buffer(|buffer| (buffer.name.clone(), buffer.size.0)).flatten()?;
    let select = move |_| act(session, Action::Select(Some(it.buffer)));
    let selected = move || session.selected.get() == Some(it.buffer);
    let (from, to) = (it.from, it.to);
    Some(view! {
        <tr class:selected=selected>
            <th scope="row"><button class="link" on:click=select>{name}</button></th>
            <td class="number" data-label=session.say(W::Size) title=format::exact(size)>{format::bytes(size)}</td>
            <td class="number" data-label=session.say(W::Was)>{format::grouped(from.0)}</td>
            <td class="number" data-label=session.say(W::Is)>{format::grouped(to.0)}</td>
            <td class="number" data-label=session.say(W::By)>{shift(from, to)}</td>
        </tr>
    })
}

/// How far a buffer moved: "+1,024", "−64".
fn shift(from: Offset, to: Offset) -> String {
    let sign = if to < from { "−" } else { "+" };
    format!("{sign}{}", format::grouped(to.0.abs_diff(from.0)))
}

/// What the one saves over the other.
fn verdict(session: Session, compared: &Compared) -> String {
    let names = [compared.to, compared.from].map(|column| title(session, column));
    let [to, from] = names.each_ref().map(String::as_str);
    for (column, name) in [(compared.from, from), (compared.to, to)] {
        if !is_valid(session, column) {
            return filled(session.say(W::InvalidSays), &[name]);
        }
    }
    let (before, after) = compared.plans.taken;
    let share = format::percent(compared.plans.saved_share().abs());
    let bytes = format::exact(before.0.abs_diff(after.0));
    if before == after {
        return filled(session.say(W::Even), &[to, from, &format::exact(after.0)]);
    }
    let word = if after < before { W::Saves } else { W::Costs };
    filled(session.say(word), &[to, &bytes, &share, from])
}

/// Whether the smaller plan can be beaten, as far as the page knows.
fn proof(session: Session, compared: &Compared) -> Option<String> {
    let column = match compared.plans.taken {
        (before, after) if after <= before => compared.to,
        _ => compared.from,
    };
    if !is_valid(session, column) {
        return None;
    }
    let metrics = metrics(session, column)?;
    // Of separate allocations there is nothing to plan.
    if session.left_out() > 0 || metrics.arena.0 == 0 || session.is_separate() {
        return None;
    }
    let name = title(session, column);
    let taken = metrics.taken();
    if metrics.optimal || session.proved() == Some(taken) {
        return Some(filled(session.say(W::Proved), &[&name]));
    }
    let planned = session.planned_columns().into_iter();
    let valid = planned.filter(|other| is_valid(session, *other));
    let taken_by = valid.filter_map(|other| Some((taken_by(session, other)?, other)));
    let smallest = taken_by.min().filter(|(bytes, _)| *bytes < taken);
    if let Some((bytes, other)) = smallest {
        let words = [title(session, other), format::exact(bytes.0)];
        let words = words.each_ref().map(String::as_str);
        return Some(filled(session.say(W::SmallerStill), &words));
    }
    let above = format::exact(taken.0.saturating_sub(metrics.bound.0));
    Some(filled(session.say(W::AboveBound), &[&name, &above]))
}

fn metrics(session: Session, column: Column) -> Option<Metrics> {
    session.plans.with(|plans| {
        let planned = plans.get(&column)?.planned()?;
        Some(planned.judged.metrics)
    })
}

fn taken_by(session: Session, column: Column) -> Option<Bytes> {
    metrics(session, column).map(|metrics| metrics.taken())
}

/// Of which plans what was reserved counts, and how high their blocks reach.
fn reserved(session: Session, compared: &Compared) -> impl IntoView + use<> {
    let columns = [compared.from, compared.to].into_iter();
    let says = columns.filter_map(|column| {
        let metrics = metrics(session, column)?;
        let values = [
            title(session, column),
            format::exact(metrics.reserved?.0),
            format::exact(metrics.arena.0),
        ];
        let says = filled(
            session.say(W::ReservedCounts),
            &values.each_ref().map(String::as_str),
        );
        Some(view! { <p class="soft" data-reserved=column.name()>{says}</p> })
    });
    says.collect_view()
}

fn is_valid(session: Session, column: Column) -> bool {
    session.plans.with(|plans| {
        let planned = plans.get(&column).and_then(|plan| plan.planned());
        planned.is_some_and(|planned| planned.judged.violations.is_empty())
    })
}
