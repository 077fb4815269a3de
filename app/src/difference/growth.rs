//! What grew at the peak of two dumps, by the stack that asked for it; each row is a query.

use conversation::Action;
use leptos::prelude::*;
use planner::difference::Growth;
use planner::query::{Field, Query};

use super::left_out;
use crate::format;
use crate::state::driver::act;
use crate::state::session::Session;
use crate::strings::{DifferenceWord as W, HeldWord, QueryWord, filled};
use crate::text::group::label;

/// So many stacks are listed.
const LISTED: usize = 100;

/// The columns of bytes.
const FIGURES: [W; 3] = [W::Before, W::After, W::GrewBy];

/// The table; nothing where no stack grew or shrank.
pub(super) fn growth(
    session: Session,
    title: W,
    growth: &[Growth],
) -> Option<impl IntoView + use<>> {
    if growth.is_empty() {
        return None;
    }
    let rows = growth.iter().take(LISTED).map(|it| row(session, it));
    let rows = rows.collect_view();
    let figures = FIGURES
        .map(|word| view! { <th scope="col" class="number">{session.say(word)}</th> })
        .collect_view();
    Some(view! {
        <table class="stacks">
            <caption>{session.say(title)}</caption>
            <thead>
                <tr>
                    <th scope="col">{session.say(HeldWord::Caller)}</th>
                    <th scope="col">{session.say(HeldWord::Operator)}</th>
                    {figures}
                </tr>
            </thead>
            <tbody>{rows}</tbody>
        </table>
        {left_out(session, growth.len().saturating_sub(LISTED))}
    })
}

fn row(session: Session, it: &Growth) -> impl IntoView + use<> {
    let query = Query::equal(Field::Caller, it.caller.as_str()).to_string();
    let hint = filled(session.say(QueryWord::LegendHint), &[&query]);
    let label = label(session, Field::Caller, &it.caller);
    let search = move |_| act(session, Action::Search(query.clone()));
    let growth = it.growth();
    let sign = if growth < 0 { "−" } else { "+" };
    let bytes = u64::try_from(growth.unsigned_abs()).unwrap_or(u64::MAX);
    let values = [
        format::exact(it.bytes.0.0),
        format::exact(it.bytes.1.0),
        format!("{sign}{}", format::exact(bytes)),
    ];
    let cells = FIGURES.into_iter().zip(values);
    let cells = cells
        .map(|(word, value)| view! { <td class="number" data-label=session.say(word)>{value}</td> })
        .collect_view();
    view! {
        <tr data-growth=growth.to_string()>
            <th scope="row">
                <button class="link" title=hint on:click=search>{label}</button>
            </th>
            <td data-label=session.say(HeldWord::Operator)>{it.operator.clone()}</td>
            {cells}
        </tr>
    }
}
