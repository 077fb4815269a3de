//! What a runtime needs beside the plan that is looked at.

use leptos::prelude::*;

use crate::state::session::session;
use crate::strings::ReportWord as W;
use crate::text::beside::beside;

/// The section; nothing for runtimes that keep nothing there.
#[component]
pub(super) fn Beside() -> impl IntoView {
    let session = session();
    let found = move || {
        let prepared = session.prepared.get()?;
        let planned = session.planned(session.target()?)?;
        let head = planned.judged.metrics.taken();
        let found = beside(session, &prepared.subject, head)?;
        let says = found.says.into_iter();
        let says: Vec<_> = says.map(|it| view! { <p>{it}</p> }).collect();
        let arena = found.arena.map(|arena| arena.0.to_string());
        let rows = found.parts.into_iter().map(|(what, bytes)| {
            view! {
                <tr>
                    <th scope="row">{what}</th>
                    <td class="number">{bytes}</td>
                </tr>
            }
        });
        let rows: Vec<_> = rows.collect();
        Some(view! {
            <section class="beside-plan" data-head=head.0.to_string() data-with-tail=arena>
                <h3>{session.say(W::Beside)}</h3>
                {says}
                {(!rows.is_empty()).then(|| view! { <table><tbody>{rows}</tbody></table> })}
            </section>
        })
    };
    view! { {found} }
}
