//! Every run so far, one row per plan, so that strategies are compared by what was measured.

use crate::state::driver::act;
use crate::state::session::{Session, session};
use conversation::{Action, Key, Outcome, RunAction};
use leptos::prelude::*;
use std::sync::Arc;

use super::export;
use super::outcome::{differing, fastest, verdict_word};
use super::{machine, name};
use crate::browser::files::download;
use crate::format;
use crate::strings::Word;

/// One column: its head, and its cells' alignment.
const HEADS: [(Word, bool); 10] = [
    (Word::RunPlan, false),
    (Word::RunMachine, false),
    (Word::Promised, true),
    (Word::Allocated, true),
    (Word::Touched, true),
    (Word::NaiveArena, true),
    (Word::VerdictColumn, false),
    (Word::RunTime, true),
    (Word::DifferingWords, true),
    (Word::Findings, true),
];

/// The term that a column is about.
fn define(word: Word) -> Option<&'static str> {
    Some(match word {
        Word::Promised => "promised",
        Word::Allocated => "allocated",
        Word::Touched => "touched",
        Word::NaiveArena => "naive",
        _ => return None,
    })
}

#[component]
pub(super) fn Table() -> impl IntoView {
    let session = session();
    move || {
        let outcomes = session.runs.outcomes.get();
        if outcomes.is_empty() {
            return None;
        }
        let shown = session.runs.shown.get();
        let heads = HEADS.map(|(word, number)| {
            let define = define(word);
            view! { <th scope="col" class:number=number data-define=define>{session.say(word)}</th> }
        });
        let row = |(&key, outcome): (&Key, &Arc<Outcome>)| row(session, key, outcome, shown);
        let rows = outcomes.iter().map(row).collect_view();
        let button = |kind: &'static str, word: Word| {
            view! {
                <button data-take=kind on:click=move |_| take(session, kind)>
                    {session.say(word)}
                </button>
            }
        };
        Some(view! {
            <section class="results" aria-label=session.say(Word::ResultsTable)>
                <header>
                    <h3>{session.say(Word::ResultsTable)}</h3>
                    {button("tsv", Word::CopyTsv)}
                    {button("markdown", Word::CopyMarkdown)}
                    {button("json", Word::ExportRuns)}
                </header>
                <table>
                    <caption class="unseen">{session.say(Word::ResultsTable)}</caption>
                    <thead><tr>{heads.collect_view()}</tr></thead>
                    <tbody>{rows}</tbody>
                </table>
            </section>
        })
    }
}

/// Copies the table or saves the runs.
fn take(session: Session, kind: &str) {
    if kind == "json" {
        let (name, json) = untrack(|| export::json(session));
        download(&name, "application/json", json.as_bytes());
    } else {
        let text = untrack(|| text(session, kind == "markdown"));
        act(session, Action::Copy(text));
    }
}

fn row(
    session: Session,
    key: Key,
    outcome: &Arc<Outcome>,
    shown: Option<Key>,
) -> impl IntoView + use<> {
    let look = move |_| act(session, Action::Run(RunAction::Look(key)));
    let class = match &outcome.result {
        Ok(report) => verdict_word(&report.verdict).1,
        Err(_) => "failed",
    };
    let cells = cells(session, key, outcome, format::bytes);
    let cells = cells.into_iter().enumerate().skip(1).map(|(column, cell)| {
        let badge = if column == 6 {
            format!("badge {class}")
        } else {
            String::new()
        };
        view! { <td class:number=HEADS[column].1><span class=badge>{cell}</span></td> }
    });
    view! {
        <tr
            data-run=key.0.name()
            data-edited=key.1.to_string()
            aria-current=(shown == Some(key)).then_some("true")
        >
            <th scope="row">
                <button class="link" on:click=look>{name(session, key)}</button>
            </th>
            {cells.collect_view()}
        </tr>
    }
}

/// The cells of a row; `bytes` says how bytes are written.
fn cells(session: Session, key: Key, outcome: &Outcome, bytes: fn(u64) -> String) -> Vec<String> {
    let mut cells = vec![
        name(session, key),
        machine(session, outcome.machine).to_owned(),
    ];
    let none = || "–".to_owned();
    match &outcome.result {
        Ok(report) => {
            let audit = report.audit.as_ref().ok();
            cells.push(bytes(report.promised.0));
            cells.push(bytes(report.allocated.0));
            cells.push(audit.map_or_else(none, |audit| bytes(audit.touched.0)));
            cells.push(
                report
                    .naive
                    .as_ref()
                    .map_or_else(|_| none(), |naive| bytes(naive.arena.0)),
            );
            cells.push(session.say(verdict_word(&report.verdict).0).to_owned());
            cells.push(fastest(report).map_or_else(none, format::duration));
            cells.push(format::grouped(differing(report)));
            let count = |findings: usize| format::grouped(findings as u64);
            cells.push(audit.map_or_else(none, |audit| count(audit.findings.len())));
        }
        Err(_) => {
            cells.extend(std::iter::repeat_with(none).take(4));
            cells.push(session.say(Word::RunFailed).to_owned());
            cells.extend(std::iter::repeat_with(none).take(3));
        }
    }
    cells
}

/// The table as text: apart by tabs, or as Markdown has it. Bytes are exact.
fn text(session: Session, markdown: bool) -> String {
    let heads = HEADS.iter().map(|(word, _)| session.say(*word).to_owned());
    let mut rows: Vec<Vec<String>> = vec![heads.collect()];
    if markdown {
        let line = |(_, number): &(Word, bool)| if *number { "---:" } else { "---" }.to_owned();
        rows.push(HEADS.iter().map(line).collect());
    }
    session.runs.outcomes.with(|outcomes| {
        let row = |(&key, outcome): (&Key, &Arc<Outcome>)| cells(session, key, outcome, plain);
        rows.extend(outcomes.iter().map(row));
    });
    let clean = |cell: &String| cell.replace(['\t', '\n', '\r'], " ").replace('|', "/");
    let line = |row: &Vec<String>| {
        let cells: Vec<String> = row.iter().map(clean).collect();
        if markdown {
            format!("| {} |", cells.join(" | "))
        } else {
            cells.join("\t")
        }
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// A number that a spreadsheet reads.
fn plain(bytes: u64) -> String {
    bytes.to_string()
}
