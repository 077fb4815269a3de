//! What TFLite Micro keeps in its arena beside the plan that is looked at.

use leptos::prelude::*;

use crate::state::session::session;
use crate::text::beside::{beside, parts, says};
use crate::words::ReportWord as W;

/// The section; nothing for other runtimes.
#[component]
pub(super) fn Beside() -> impl IntoView {
    let session = session();
    let found = move || {
        let prepared = session.prepared.get()?;
        let planned = session.planned(session.target()?)?;
        let head = planned.judged.metrics.taken();
        let found = beside(session, &prepared.subject, head)?;
        let says = says(session, &found).into_iter();
        let says: Vec<_> = says.map(|it| view! { <p>{it}</p> }).collect();
        let rows = parts(session, &found.0).into_iter().map(|(what, bytes)| {
            view! {
                <tr>
                    <th scope="row">{what}</th>
                    <td class="number">{bytes}</td>
                </tr>
            }
        });
        let rows: Vec<_> = rows.collect();
        Some(view! {
            <section class="beside-plan" data-head=head.0.to_string() data-with-tail=found.1.0.to_string()>
                <h3>{session.say(W::Beside)}</h3>
                {says}
                <table><tbody>{rows}</tbody></table>
            </section>
        })
    };
    view! { {found} }
}
