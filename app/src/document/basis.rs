//! What the cases that stand side by side take on one basis, as a table.

use leptos::prelude::*;
use planner::basis::{Basis, Figure, basis};
use worker::CaseId;

use super::cases::case_name;
use crate::format;
use crate::state::session::{Session, session};
use crate::words::CaseWord;

/// The table, in the order of the cases.
#[component]
pub(crate) fn OnOneBasis() -> impl IntoView {
    let session = session();
    let column =
        move |word| view! { <th scope="col" class="number">{move || session.say(word)}</th> };
    view! {
        <section class="arenas basis">
            <table>
                <caption title=move || session.say(CaseWord::BasisHint)>
                    {move || session.say(CaseWord::Basis)}
                </caption>
                <thead>
                    <tr>
                        {column(CaseWord::Temporary)}
                        {column(CaseWord::Handed)}
                        {column(CaseWord::Whole)}
                    </tr>
                </thead>
                <For each=move || session.cases.get() key=|id| *id let:id>
                    <OneCase id/>
                </For>
            </table>
        </section>
    }
}

#[component]
fn OneCase(id: CaseId) -> impl IntoView {
    let session = session();
    let name = case_name(session, id);
    let changes = session.figures(move |state| state.case(id).prepared.changes());
    // Bounds are found once for what was prepared, not after every change of the state.
    let found = Memo::new(move |_| {
        changes.track();
        session.state(|state| {
            let case = state.case(id);
            let rows = case.file.as_ref().map(|file| file.opened.arenas.as_slice());
            let prepared = case.prepared.as_ref()?;
            Some(basis(&prepared.subject, rows.unwrap_or_default()))
        })
    });
    let cell = move |of: fn(&Basis) -> Figure| {
        let figure = move || found.get().map_or(Figure::Unsaid, |found| of(&found));
        view! {
            <td class="number" title=move || exactly(session, figure())>{move || short(session, figure())}</td>
        }
    };
    view! {
        <tbody data-basis=id.0.to_string()>
            <tr>
                <th scope="rowgroup" colspan="3">{name}</th>
            </tr>
            <tr>
                {cell(|it| it.temporary)}
                {cell(|it| it.handed)}
                {cell(|it| it.whole)}
            </tr>
        </tbody>
    }
}

fn short(session: Session, figure: Figure) -> String {
    match figure {
        Figure::Exact(bytes) => format::bytes(bytes.0),
        Figure::AtLeast(bytes) => format!("≥ {}", format::bytes(bytes.0)),
        Figure::Unsaid => session.say(CaseWord::Unsaid).to_owned(),
    }
}

fn exactly(session: Session, figure: Figure) -> String {
    match figure {
        Figure::Exact(bytes) => format::exact(bytes.0),
        Figure::AtLeast(bytes) => {
            format!(
                "≥ {}. {}",
                format::exact(bytes.0),
                session.say(CaseWord::AtLeastHint)
            )
        }
        Figure::Unsaid => session.say(CaseWord::UnsaidHint).to_owned(),
    }
}
