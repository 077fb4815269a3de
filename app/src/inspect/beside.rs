//! What TFLite Micro keeps in its arena beside a plan.

use std::slice;

use leptos::prelude::*;
use planner::graph::Dialect;
use planner::tail::{Tail, tail};
use planner::{Bytes, Io, Subject};

use crate::format;
use crate::state::session::{Session, session};
use crate::text::fault::told;
use crate::words::{ReportWord as W, filled};

/// What is kept beside a plan that takes `head`, and the smallest arena for both; nothing for
/// other runtimes.
pub(crate) fn beside(session: Session, subject: &Subject, head: Bytes) -> Option<(Tail, Bytes)> {
    let graph = subject.program.as_ref().map(|it| &it.graph);
    let is_micro = session.settings.with(|it| it.io == Io::Tflm);
    let graph = graph.filter(|it| is_micro && it.dialect == Dialect::Tflite)?;
    let found = tail(slice::from_ref(graph))?;
    let arena = found.arena(head)?;
    Some((found, arena))
}

/// The same in words: the sum, what is not known of it, and what kernels it is for.
pub(crate) fn says(session: Session, (found, arena): &(Tail, Bytes)) -> Vec<String> {
    let (beside, arena) = (format::exact(found.bytes.0), format::exact(arena.0));
    let unknown = (!found.unknown.is_empty()).then(|| found.unknown.join(", "));
    let unknown = unknown.map(|kinds| filled(session.say(W::BesideUnknown), &[&kinds]));
    let first = filled(session.say(W::BesideSays), &[&beside, &arena]);
    let last = session.say(W::BesideKernels).to_owned();
    [Some(first), unknown, Some(last)]
        .into_iter()
        .flatten()
        .collect()
}

/// The section about the plan that is looked at.
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
        let (tail, arena) = found;
        let rows = tail.parts.iter().map(|(what, bytes)| {
            view! {
                <tr>
                    <th scope="row">{told(session, what.says())}</th>
                    <td class="number">{format::exact(bytes.0)}</td>
                </tr>
            }
        });
        let rows: Vec<_> = rows.collect();
        Some(view! {
            <section class="beside-plan" data-with-tail=arena.0.to_string()>
                <h3>{session.say(W::Beside)}</h3>
                {says}
                <table class="parts"><tbody>{rows}</tbody></table>
            </section>
        })
    };
    view! { {found} }
}
