//! The groups as a table, each a query that shows what is in it.

use leptos::prelude::*;
use planner::grouping::{Group, Moment, groups};
use planner::query::{Field, Query};

use super::{Holders, field};
use crate::format;
use crate::state::session::{Session, session, to_f64};
use crate::words::{HeldWord, InsightWord, QueryWord, filled};

/// So many groups are listed.
const LISTED: usize = 100;

/// The table.
#[component]
pub(super) fn Groups(holders: Memo<Option<Holders>>) -> impl IntoView {
    let session = session();
    let by = Memo::new(move |_| field(session));
    let table = move || {
        let (holders, field) = (holders.get()?, by.get());
        let texts = session.lookup.texts.get()?;
        let groups = groups(&texts.0, &holders.held, field);
        if groups.is_empty() {
            return Some(
                view! { <p class="empty">{session.say(HeldWord::Nothing)}</p> }.into_any(),
            );
        }
        let (count, whole) = (groups.len(), holders.bytes());
        let rows = groups.into_iter().take(LISTED);
        let rows = rows.map(|group| row(session, group, field, (&holders, whole)));
        let rows = rows.collect_view();
        let more = count.checked_sub(LISTED).filter(|more| *more > 0);
        let more = more.map(|more| {
            let more = format::grouped(more as u64);
            view! { <p>{filled(session.say(HeldWord::More), &[&more])}</p> }
        });
        Some(
            view! {
                <table class="groups">
                    <thead>
                        <tr>
                            <th scope="col">{session.say(HeldWord::Group)}</th>
                            <th scope="col" class="number">{session.say(InsightWord::BytesColumn)}</th>
                            <th scope="col" class="number">{session.say(HeldWord::Share)}</th>
                            <th scope="col" class="number">{session.say(HeldWord::Tensors)}</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
                {more}
            }
            .into_any(),
        )
    };
    view! { {table} }
}

fn row(
    session: Session,
    group: Group,
    field: Field,
    (holders, whole): (&Holders, u64),
) -> impl IntoView + use<> {
    let share = to_f64(group.bytes.0) / to_f64(whole.max(1));
    let query = match holders.moment {
        Moment::At(step) => format!(
            "{} and live at {}",
            Query::equal(field, group.text.as_str()),
            step.0
        ),
        Moment::Between(..) | Moment::End => Query::equal(field, group.text.as_str()).to_string(),
    };
    let hint = filled(session.say(QueryWord::LegendHint), &[&format!("`{query}`")]);
    let query = StoredValue::new(query);
    let on = move || query.with_value(|query| session.is_sought(query));
    let press = move |_| query.with_value(|query| session.seek(query));
    let label = match (group.text.is_empty(), field) {
        (true, Field::Caller) => session.say(HeldWord::NoPython).to_owned(),
        (true, _) => session.say(QueryWord::Unsaid).to_owned(),
        (false, _) => group.text.clone(),
    };
    let bar = format!("{:.2}%", 100.0 * share);
    view! {
        <tr data-group=group.text data-bytes=group.bytes.0.to_string()>
            <th scope="row">
                <button class="link" aria-pressed=move || on().to_string() title=hint on:click=press>{label}</button>
                <i class="share" style:width=bar aria-hidden="true"></i>
            </th>
            <td class="number" title=format::exact(group.bytes.0)>{format::bytes(group.bytes.0)}</td>
            <td class="number">{format::percent(share)}</td>
            <td class="number">{format::grouped(group.buffers.len() as u64)}</td>
        </tr>
    }
}
