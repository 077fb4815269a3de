//! Every buffer that the run held on the device, in one picture and as a table.

use crate::state::session::{Session, to_f64};
use executor::verify::report::Report;
use leptos::prelude::*;
use planner::Message;

use crate::format;
use crate::strings::{ValueWord, Word};
use crate::text::fault;

/// Labels that share a colour: the arena, what the model brings, and what the run needs besides.
const PARTS: [(&str, &[&str]); 4] = [
    ("arena", &["arena"]),
    ("weights", &["weights"]),
    ("io", &["inputs and outputs", "readback"]),
    ("audit", &["audit"]),
];

/// The class of a buffer in the style sheet.
fn part(label: &Message) -> &'static str {
    let label = label.to_string();
    let begins = |names: &[&str]| names.iter().any(|name| label.starts_with(name));
    let found = PARTS.iter().find(|(_, names)| begins(names));
    found.map_or("other", |(class, _)| class)
}

/// Buffers of one label are one row.
fn summed(report: &Report) -> Vec<(Message, u64)> {
    let mut rows: Vec<(Message, u64)> = Vec::new();
    for entry in &report.ledger {
        match rows.iter_mut().find(|(label, _)| *label == entry.label) {
            Some((_, bytes)) => *bytes = bytes.saturating_add(entry.bytes.0),
            None => rows.push((entry.label.clone(), entry.bytes.0)),
        }
    }
    rows
}

pub(super) fn buffers(session: Session, report: &Report) -> Option<impl IntoView + use<>> {
    let rows = summed(report);
    let sum = rows
        .iter()
        .fold(0_u64, |sum, (_, bytes)| sum.saturating_add(*bytes));
    if sum == 0 {
        return None;
    }
    let share = move |bytes: u64| to_f64(bytes) / to_f64(sum);
    let pieces = rows.iter().map(|(label, bytes)| {
        let width = format!("{:.3}%", 100.0 * share(*bytes));
        let title = format!("{}: {}", fault::said(session, label), format::bytes(*bytes));
        view! { <span class=format!("piece {}", part(label)) style:width=width title=title></span> }
    });
    let row = |class: &'static str, label: String, bytes: u64| {
        view! {
            <tr>
                <th scope="row">
                    <span class=format!("piece key {class}") aria-hidden="true"></span>
                    {label}
                </th>
                <td class="number">{format::bytes(bytes)}</td>
                <td class="number">{format::exact(bytes)}</td>
                <td class="number">{format::percent(share(bytes))}</td>
            </tr>
        }
    };
    let lines = rows
        .iter()
        .map(|(label, bytes)| row(part(label), fault::said(session, label), *bytes));
    let title = session.say(ValueWord::AllBuffers);
    Some(view! {
        <details class="ledger" open>
            <summary>{title} ": " {format::bytes(sum)}</summary>
            <div class="bar-of pieces" role="img" aria-label=title>{pieces.collect_view()}</div>
            <table>
                <caption class="unseen">{session.say(Word::LedgerTitle)}</caption>
                <thead>
                    <tr>
                        <th scope="col">{session.say(Word::LedgerLabel)}</th>
                        <th scope="col" class="number">{session.say(Word::SizeColumn)}</th>
                        <th scope="col" class="number">"B"</th>
                        <th scope="col" class="number">{session.say(ValueWord::Share)}</th>
                    </tr>
                </thead>
                <tbody>
                    {lines.collect_view()} {row("none", session.say(Word::LedgerSum).to_owned(), sum)}
                </tbody>
            </table>
        </details>
    })
}
