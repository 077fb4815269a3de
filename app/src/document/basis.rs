//! What the cases that stand side by side take on one basis, as a table.

use leptos::prelude::*;
use planner::basis::{Basis, Figure};
use worker::CaseId;

use super::cases::case_name;
use crate::format;
use crate::state::session::{Session, session};
use crate::strings::CaseWord;

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
    let found = session.figures(move |state| {
        let prepared = state.case(id).prepared.as_ref();
        prepared.map(|it| it.basis).unwrap_or_default()
    });
    let cell = move |of: fn(&Basis) -> Figure| {
        let figure = move || of(&found.get());
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
