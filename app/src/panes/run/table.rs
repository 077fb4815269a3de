//! Every run so far, one row per plan, so that strategies are compared by what was measured.

use leptos::prelude::*;
use std::sync::Arc;

use super::export;
use super::outcome::{differing, fastest, verdict_word};
use super::trouble::sentence;
use super::{machine, name};
use crate::actions::{Action, RunAction, act};
use crate::format;
use crate::links::files::download;
use crate::state::run::{Key, Outcome};
use crate::state::session::{Session, session};
use crate::words::Word;

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

#[component]
pub(super) fn Table() -> impl IntoView {
    let session = session();
    let outcomes = session.runs.outcomes;
    let none = Memo::new(move |_| outcomes.with(std::collections::BTreeMap::is_empty));
    let heads = move || {
        let head = |(word, number): (Word, bool)| {
            view! { <th scope="col" class:number=number>{session.say(word)}</th> }
        };
        HEADS.map(head).collect_view()
    };
    let body = move || {
        let rows = outcomes.get();
        rows.iter()
            .map(|(&key, outcome)| row(session, key, outcome))
            .collect_view()
    };
    let copy = move |markdown: bool| {
        let text = untrack(|| text(session, markdown));
        act(session, Action::Copy(text));
    };
    let save = move |_| {
        let (name, json) = untrack(|| export::json(session));
        download(&name, "application/json", json.as_bytes());
    };
    view! {
        <section class="results" hidden=move || none.get() aria-label=move || session.say(Word::ResultsTable)>
            <header>
                <h3>{move || session.say(Word::ResultsTable)}</h3>
                <button data-copy="tsv" on:click=move |_| copy(false)>{move || session.say(Word::CopyTsv)}</button>
                <button data-copy="markdown" on:click=move |_| copy(true)>{move || session.say(Word::CopyMarkdown)}</button>
                <button id="export-runs" on:click=save>{move || session.say(Word::ExportRuns)}</button>
            </header>
            <table>
                <caption class="unseen">{move || session.say(Word::ResultsTable)}</caption>
                <thead><tr>{heads}</tr></thead>
                <tbody>{body}</tbody>
            </table>
        </section>
    }
}

fn row(session: Session, key: Key, outcome: &Arc<Outcome>) -> impl IntoView + use<> {
    let look = move |_| act(session, Action::Run(RunAction::Look(key)));
    let told = move || session.runs.told.get() == Some(key);
    let cells = cells(session, key, outcome, format::bytes);
    let class = match &outcome.result {
        Ok(report) => verdict_word(&report.verdict).1,
        Err(_) => "failed",
    };
    let cells = cells.into_iter().enumerate().skip(1).map(|(column, cell)| {
        let badge = if column == 6 {
            format!("badge {class}")
        } else {
            String::new()
        };
        view! { <td class:number=HEADS[column].1><span class=badge>{cell}</span></td> }
    });
    view! {
        <tr data-run=key.0.name() data-edited=key.1.to_string() aria-current=move || told().then_some("true")>
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
        Err(why) => {
            cells.extend(std::iter::repeat_with(none).take(4));
            cells.push(sentence(session, why));
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
