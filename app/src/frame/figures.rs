//! What a text says of memory that has no plan in it, such as a message that there was not enough.

use crate::state::driver::act;
use crate::state::session::Session;
use conversation::Action;
use leptos::prelude::*;
use planner::load::{Figure, Figures};

use crate::format;
use crate::strings::{GivenWord as W, HelpWord};
use crate::text::fault;

/// Its figures, what they mean together, and what to record to see a plan.
pub(super) fn said(session: Session, figures: &Figures) -> impl IntoView + use<> {
    let most = figures.figures.iter().map(|it| it.bytes.0).max();
    let most = most.unwrap_or_default().max(1);
    let rows = figures.figures.iter().map(|it| row(session, it, most));
    let rows = rows.collect_view();
    let says = figures.says.iter().map(|say| fault::said(session, say));
    let says = says.map(|say| view! { <li>{say}</li> }).collect_view();
    let record = figures.record.join("\n");
    let text = record.clone();
    let copy = move |_| act(session, Action::Copy(text.clone()));
    view! {
        <section class="memory-text">
            <h3>{fault::said(session, &figures.of)}</h3>
            {(!figures.figures.is_empty()).then(|| view! { <table><tbody>{rows}</tbody></table> })}
            {(!figures.says.is_empty()).then(|| view! { <ul>{says}</ul> })}
            {(!record.is_empty()).then(|| view! {
                <h3>{session.say(W::FiguresRecord)}</h3>
                <pre tabindex="0"><code>{record}</code></pre>
                <button on:click=copy>{session.say(HelpWord::Copy)}</button>
            })}
        </section>
    }
}

/// A figure, and a bar as long as its share of the largest one.
#[expect(clippy::cast_precision_loss, reason = "a bar has a few hundred pixels")]
fn row(session: Session, figure: &Figure, most: u64) -> impl IntoView + use<> {
    let bytes = figure.bytes.0;
    let share = format!("{:.1}%", bytes as f64 / most as f64 * 100.0);
    view! {
        <tr data-depth=figure.depth.to_string()>
            <th scope="row">{fault::said(session, &figure.what)}</th>
            <td class="number" title=format::exact(bytes)>{figure.rounded()}</td>
            <td class="share" aria-hidden="true"><span style:width=share></span></td>
        </tr>
    }
}
