//! The comparison: one row per plan, sortable, with the smallest and the optimal marked.

use std::cmp::Ordering;

use leptos::prelude::*;
use planner::metrics::Metrics;
use planner::strategies::Model;

use super::pane::{title, why_not};
use crate::actions::{Action, act};
use crate::format;
use crate::state::column::Column;
use crate::state::session::{Progress, Session, session};
use crate::words::{self, Word, filled};

/// What the rows are sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    Listed,
    Name,
    Arena,
    Fragmentation,
    Reuse,
    Objects,
    Time,
}

/// One row.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    column: Column,
    progress: Progress,
}

impl Row {
    fn metrics(&self) -> Option<Metrics> {
        Some(self.progress.planned()?.judged.metrics)
    }

    fn ms(&self) -> Option<f64> {
        Some(self.progress.planned()?.ms)
    }
}

/// The table.
#[component]
pub(crate) fn Compare() -> impl IntoView {
    let session = session();
    let sort = RwSignal::new((Key::Listed, true));
    let rows = Memo::new(move |_| rows(session, sort.get()));
    let least = Memo::new(move |_| {
        rows.with(|rows| rows.iter().filter_map(Row::metrics).map(|metrics| metrics.arena).min())
    });
    let head = move |key, word, hint: Option<Word>| view! { <Head sort key word hint/> };
    view! {
        <table class="compare">
            <caption class="unseen">{move || session.say(Word::Compare)}</caption>
            <thead>
                <tr>
                    <th scope="col">{move || session.say(Word::Shown)}</th>
                    {head(Key::Name, Word::Strategy, None)}
                    {head(Key::Arena, Word::Arena, None)}
                    {head(Key::Fragmentation, Word::Fragmentation, Some(Word::FragmentationHint))}
                    {head(Key::Reuse, Word::Reuse, Some(Word::ReuseHint))}
                    {head(Key::Objects, Word::Objects, None)}
                    {head(Key::Time, Word::Time, Some(Word::TimeHint))}
                </tr>
            </thead>
            <tbody>
                {move || {
                    let least = least.get();
                    rows.get().into_iter().map(|row| {
                        let best = row.metrics().is_some_and(|metrics| Some(metrics.arena) == least);
                        view! { <OneRow row best/> }
                    }).collect_view()
                }}
            </tbody>
        </table>
        <Bounds/>
    }
}

fn rows(session: Session, (key, ascending): (Key, bool)) -> Vec<Row> {
    let mut rows: Vec<Row> = session.file.with(|file| {
        let deployed = file.as_ref().is_some_and(|file| file.opened.deployed);
        let progress = |column| session.plans.with(|plans| plans.get(&column).cloned());
        let row = |column| Row {
            column,
            progress: progress(column).unwrap_or(Progress::Waiting),
        };
        file.iter().flat_map(|_| Column::all(deployed)).map(row).collect()
    });
    let number = |row: &Row| {
        let metrics = row.metrics()?;
        Some(match key {
            Key::Arena | Key::Fragmentation => crate::state::session::to_f64(metrics.arena.0),
            Key::Reuse => metrics.reuse,
            Key::Objects => crate::state::session::to_f64(metrics.objects?),
            Key::Time => row.ms()?,
            Key::Listed | Key::Name => return None,
        })
    };
    match key {
        Key::Listed => {}
        Key::Name => rows.sort_by_key(|row| title(session, row.column)),
        _ => rows.sort_by(|a, b| match (number(a), number(b)) {
            (Some(a), Some(b)) => a.total_cmp(&b),
            // Rows without a figure stay last in both directions.
            (Some(_), None) => if ascending { Ordering::Less } else { Ordering::Greater },
            (None, Some(_)) => if ascending { Ordering::Greater } else { Ordering::Less },
            (None, None) => Ordering::Equal,
        }),
    }
    if !ascending {
        rows.reverse();
    }
    rows
}

/// A column head that sorts.
#[component]
fn Head(sort: RwSignal<(Key, bool)>, key: Key, word: Word, hint: Option<Word>) -> impl IntoView {
    let session = session();
    let direction = move || match sort.get() {
        (current, true) if current == key => "ascending",
        (current, false) if current == key => "descending",
        _ => "none",
    };
    let turn = move |_| {
        sort.update(|(current, ascending)| {
            if *current == key && !*ascending {
                (*current, *ascending) = (Key::Listed, true);
            } else {
                *ascending = *current != key;
                *current = key;
            }
        });
    };
    view! {
        <th scope="col" aria-sort=direction>
            <button
                class="sort"
                on:click=turn
                title=move || {
                    let word = hint.map(|hint| session.say(hint).to_owned());
                    word.unwrap_or_else(|| filled(session.say(Word::SortBy), &[session.say(word_of(key))]))
                }
            >
                {move || session.say(word)}
                <span class="arrow" aria-hidden="true">
                    {move || match direction() { "ascending" => "▲", "descending" => "▼", _ => "" }}
                </span>
            </button>
        </th>
    }
}

fn word_of(key: Key) -> Word {
    match key {
        Key::Listed | Key::Name => Word::Strategy,
        Key::Arena => Word::Arena,
        Key::Fragmentation => Word::Fragmentation,
        Key::Reuse => Word::Reuse,
        Key::Objects => Word::Objects,
        Key::Time => Word::Time,
    }
}

#[component]
fn OneRow(row: Row, best: bool) -> impl IntoView {
    let session = session();
    let column = row.column;
    let shown = move || session.shown.with(|shown| shown.contains(&column));
    let toggle = move |event| act(session, Action::Show(column, event_target_checked(&event)));
    let metrics = row.metrics();
    let optimal = metrics.is_some_and(|metrics| metrics.optimal);
    let (about, origin) = about(session, column);
    view! {
        <tr data-strategy=column.name() class:best=best class:optimal=optimal>
            <td>
                <input
                    type="checkbox"
                    prop:checked=shown
                    on:change=toggle
                    aria-label=format!("{}: {}", session.say(Word::Shown), title(session, column))
                />
            </td>
            <th scope="row" title=origin>
                <span class="name">{title(session, column)}</span>
                <span class="about">{about}</span>
            </th>
            {cells(session, &row, best)}
        </tr>
    }
}

fn cells(session: Session, row: &Row, best: bool) -> AnyView {
    let Some(metrics) = row.metrics() else {
        let text = match &row.progress {
            Progress::Failed(error) => why_not(session, error),
            Progress::Working(done, total) => format!("{done} / {total}"),
            Progress::Waiting | Progress::Done(_) => session.say(Word::WaitingColumn).to_owned(),
        };
        let column = row.column;
        let again = matches!(row.progress, Progress::Failed(_) | Progress::Waiting);
        let plan = again.then(|| view! {
            <button on:click=move |_| act(session, Action::Plan(column))>
                {session.say(Word::PlanNow)}
            </button>
        });
        return view! { <td colspan="5">{text} " " {plan}</td> }.into_any();
    };
    let badge = if metrics.optimal {
        Some(view! { <span class="badge optimal" title=session.say(Word::OptimalHint)>"✓ " {session.say(Word::Optimal)}</span> }.into_any())
    } else if best {
        Some(view! { <span class="badge">{session.say(Word::Best)}</span> }.into_any())
    } else {
        None
    };
    let objects = metrics.objects.map_or_else(|| "–".to_owned(), format::grouped);
    let deployed = row.column == Column::Deployed;
    let time = row.ms().filter(|_| !deployed).map_or_else(|| "–".to_owned(), format::duration);
    view! {
        <td class="number" data-bytes=metrics.arena.0.to_string() title=format::exact(metrics.arena.0)>
            {format::bytes(metrics.arena.0)} " " {badge}
        </td>
        <td class="number">{format::percent(metrics.fragmentation)}</td>
        <td class="number">{format!("{:.2}×", metrics.reuse)}</td>
        <td class="number">{objects}</td>
        <td class="number">{time}</td>
    }.into_any()
}

/// What a column's strategy does, and where it comes from.
fn about(session: Session, column: Column) -> (String, String) {
    match column {
        Column::Deployed => (String::new(), String::new()),
        Column::Strategy(strategy) => {
            let facts = strategy.facts();
            let about = session.say(words::strategy(strategy)).to_owned();
            (about, format!("{} · {}", facts.source, facts.cost))
        }
    }
}

/// The bounds under the table, for both ways of planning.
#[component]
fn Bounds() -> impl IntoView {
    let session = session();
    move || {
        let bounds = session.prepared.with(|prepared| prepared.as_ref().map(|p| p.bounds.clone()))?;
        let objects = session.plans.with(|plans| {
            plans.keys().any(|column| matches!(column, Column::Strategy(s) if s.model() == Model::Objects))
        });
        let step = bounds.peak.0.to_string();
        let count = bounds.witness.len().to_string();
        let hint = filled(session.say(Word::BoundHint), &[&step, &count]);
        Some(view! {
            <p class="bounds">
                <span title=hint>
                    {session.say(Word::Bound)} ": " <b data-bound=bounds.offsets.0.to_string()>{format::bytes(bounds.offsets.0)}</b>
                    " (" {format::exact(bounds.offsets.0)} ")"
                </span>
                {objects.then(|| view! {
                    <span>
                        {session.say(Word::ObjectBound)} ": " <b>{format::bytes(bounds.objects.0)}</b>
                        " (" {format::exact(bounds.objects.0)} ")"
                    </span>
                })}
            </p>
        })
    }
}
