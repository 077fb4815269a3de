//! The groups as a table, each a query that shows what is in it.

use std::sync::Arc;

use leptos::prelude::*;
use planner::Bytes;
use planner::grouping::{Group, Moment, groups, padding};
use planner::query::Field;
use planner::waste::WasteKind;

use super::area::Chart;
use super::{Holders, field, query};
use crate::document::legend::swatch;
use crate::drawing::painter::theme;
use crate::format;
use crate::state::session::{Session, session, to_f64};
use crate::strings::{self, HeldWord, InsightWord, QueryWord, filled};
use crate::text::block;
use crate::text::group::label;

/// So many groups are listed.
const LISTED: usize = 100;

/// The table.
#[component]
pub(super) fn Groups(
    holders: Memo<Option<Holders>>,
    chart: Memo<Option<Arc<Chart>>>,
) -> impl IntoView {
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
        let rest = session.not_listed().filter(|rest| rest.0 > 0);
        // Of what is not listed it is not known when it began.
        let rest = rest.filter(|_| !matches!(holders.moment, Moment::Between(..)));
        let whole = holders.bytes().saturating_add(rest.map_or(0, |it| it.0));
        let count = groups.len();
        let padding = session.prepared.with_untracked(|prepared| {
            let lifetimes = &prepared.as_ref()?.subject.lifetimes;
            let of = |group| padding(lifetimes, &holders.held, group);
            Some(groups.iter().map(of).collect::<Vec<Bytes>>())
        })?;
        let padded = padding.iter().any(|it| it.0 > 0);
        let rows = groups.into_iter().zip(padding).take(LISTED);
        let theme = theme(session.is_dark());
        let fill = |text: &str| {
            chart.with(|chart| {
                let own = chart.as_ref().filter(|chart| chart.field == field);
                let fill = own.map(|chart| chart.fill(text));
                fill.map(|fill| swatch(&theme, fill))
            })
        };
        let rows = rows.map(|(group, padding)| {
            let swatch = fill(&group.text).into_any();
            let padding = padded.then_some(padding);
            row(session, (group, padding), field, (&holders, whole), swatch)
        });
        let rows = rows.collect_view();
        let rest = rest.map(|rest| not_listed(session, rest, whole, padded));
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
                            {padded.then(|| view! {
                                <th scope="col" class="number">{session.say(strings::part_of_arena(WasteKind::Padding))}</th>
                            })}
                            <th scope="col" class="number">{session.say(HeldWord::Share)}</th>
                            <th scope="col" class="number">{block::say(session, HeldWord::Tensors)}</th>
                        </tr>
                    </thead>
                    <tbody>{rows} {rest}</tbody>
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
    (group, padding): (Group, Option<Bytes>),
    field: Field,
    (holders, whole): (&Holders, u64),
    swatch: AnyView,
) -> impl IntoView + use<> {
    let share = to_f64(group.bytes.0) / to_f64(whole.max(1));
    let query = query(field, &group.text, holders.moment);
    let hint = filled(session.say(QueryWord::LegendHint), &[&format!("`{query}`")]);
    let query = StoredValue::new(query);
    let on = move || query.with_value(|query| session.is_sought(query));
    let press = move |_| query.with_value(|query| session.seek(query));
    let label = label(session, field, &group.text);
    let bar = format!("{:.2}%", 100.0 * share);
    view! {
        <tr data-group=group.text data-bytes=group.bytes.0.to_string()>
            <th scope="row">
                {swatch}
                <button class="link" aria-pressed=move || on().to_string() title=hint on:click=press>{label}</button>
                <i class="share" style:width=bar aria-hidden="true"></i>
            </th>
            <td class="number" title=format::exact(group.bytes.0)>{format::bytes(group.bytes.0)}</td>
            {padding.map(|padding| view! {
                <td class="number" data-padding=padding.0.to_string() title=format::exact(padding.0)>{format::bytes(padding.0)}</td>
            })}
            <td class="number">{format::percent(share)}</td>
            <td class="number">{format::grouped(group.buffers.len() as u64)}</td>
        </tr>
    }
}

/// What the file says is there beyond the largest buffers, which are all that it lists.
fn not_listed(session: Session, rest: Bytes, whole: u64, padded: bool) -> impl IntoView + use<> {
    let share = to_f64(rest.0) / to_f64(whole.max(1));
    view! {
        <tr data-not-listed=rest.0.to_string()>
            <th scope="row" title=session.say(InsightWord::NotListedWhy)>
                {session.say(strings::part_of_arena(WasteKind::NotListed))}
            </th>
            <td class="number" title=format::exact(rest.0)>{format::bytes(rest.0)}</td>
            {padded.then(|| view! { <td></td> })}
            <td class="number">{format::percent(share)}</td>
            <td></td>
        </tr>
    }
}
