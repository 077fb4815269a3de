//! The comparison: one row per plan, sortable, with the smallest and the optimal marked.

use std::cmp::Ordering;

use leptos::prelude::*;
use planner::metrics::Metrics;
use planner::strategies::Model;
use planner::units::Bytes;
use worker::Planned;

use super::pane::{title, why_not};
use crate::actions::{Action, act};
use crate::format;
use crate::state::column::Column;
use crate::state::session::{Progress, Session, session, to_f64};
use crate::words::{self, Word, filled};

/// What the rows are sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    Listed,
    Name,
    Arena,
    OverBound,
    Fragmentation,
    Reuse,
    Objects,
    Time,
}

/// The table.
#[component]
pub(crate) fn Compare() -> impl IntoView {
    let session = session();
    let sort = RwSignal::new((Key::Listed, true));
    let order = Memo::new(move |_| order(session, sort.get()));
    let least = Memo::new(move |_| {
        session
            .plans
            .with(|plans| plans.values().filter_map(arena).min())
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
                    {head(Key::OverBound, Word::OverBoundColumn, Some(Word::OverBoundHint))}
                    {head(Key::Fragmentation, Word::Fragmentation, Some(Word::FragmentationHint))}
                    {head(Key::Reuse, Word::Reuse, Some(Word::ReuseHint))}
                    {head(Key::Objects, Word::Objects, None)}
                    {head(Key::Time, Word::Time, Some(Word::TimeHint))}
                </tr>
            </thead>
            <tbody>
                <For each=move || order.get() key=|column| *column let:column>
                    <Row column least/>
                </For>
            </tbody>
        </table>
        <Bounds/>
    }
}

/// The columns in the order that was asked for; those without a figure stay last.
fn order(session: Session, (key, ascending): (Key, bool)) -> Vec<Column> {
    let mut columns = session.file.with(|file| {
        let file = file.as_ref();
        file.map(|file| Column::all(file.opened.deployed))
            .unwrap_or_default()
    });
    match key {
        Key::Listed => return columns,
        Key::Name => columns.sort_by_key(|&column| title(session, column)),
        _ => session.plans.with(|plans| {
            let figure = |column: &Column| figure(plans.get(column)?.planned()?, key);
            columns.sort_by(|a, b| match (figure(a), figure(b)) {
                (Some(a), Some(b)) if ascending => a.total_cmp(&b),
                (Some(a), Some(b)) => b.total_cmp(&a),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => Ordering::Equal,
            });
        }),
    }
    if key == Key::Name && !ascending {
        columns.reverse();
    }
    columns
}

fn figure(planned: &Planned, key: Key) -> Option<f64> {
    let metrics = planned.judged.metrics;
    match key {
        Key::Arena | Key::OverBound | Key::Fragmentation => Some(to_f64(metrics.arena.0)),
        Key::Reuse => Some(metrics.reuse),
        Key::Objects => metrics.objects.map(to_f64),
        Key::Time => Some(planned.ms),
        Key::Listed | Key::Name => None,
    }
}

/// The arena of a valid plan that places something.
fn arena(progress: &Progress) -> Option<Bytes> {
    let judged = &progress.planned()?.judged;
    let counts = judged.violations.is_empty() && judged.metrics.arena > Bytes::ZERO;
    counts.then_some(judged.metrics.arena)
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
        Key::OverBound => Word::OverBoundColumn,
        Key::Fragmentation => Word::Fragmentation,
        Key::Reuse => Word::Reuse,
        Key::Objects => Word::Objects,
        Key::Time => Word::Time,
    }
}

#[component]
fn Row(column: Column, least: Memo<Option<Bytes>>) -> impl IntoView {
    let session = session();
    let progress = Memo::new(move |_| session.plans.with(|plans| plans.get(&column).cloned()));
    let metrics = Memo::new(move |_| progress.with(|progress| metrics(progress.as_ref())));
    let shown = move || session.shown.with(|shown| shown.contains(&column));
    let toggle = move |event| act(session, Action::Show(column, event_target_checked(&event)));
    let best = move || {
        let own = progress.with(|progress| arena(progress.as_ref()?));
        own.is_some() && own == least.get()
    };
    let invalid = move || {
        progress.with(|progress| {
            let planned = progress.as_ref().and_then(Progress::planned);
            planned.is_some_and(|planned| !planned.judged.violations.is_empty())
        })
    };
    let number =
        move |text: fn(&Metrics) -> String| move || metrics.get().map(|metrics| text(&metrics));
    let time = move || {
        let ms = progress.with(|progress| Some(progress.as_ref()?.planned()?.ms))?;
        Some(if column == Column::Deployed {
            "–".to_owned()
        } else {
            format::duration(ms)
        })
    };
    view! {
        <tr data-strategy=column.name() class:best=best>
            <td>
                <input
                    type="checkbox"
                    prop:checked=shown
                    on:change=toggle
                    aria-label=move || format!("{}: {}", session.say(Word::Shown), title(session, column))
                />
            </td>
            <th scope="row" title=move || {
                let (about, origin) = about(session, column);
                format!("{about}\n{origin}")
            }>
                <span class="name">{move || title(session, column)}</span>
                <span class="about">{move || about(session, column).0}</span>
            </th>
            <td
                class="number"
                data-bytes=move || metrics.get().map(|metrics| metrics.arena.0.to_string())
                title=number(|metrics| format::exact(metrics.arena.0))
            >
                <State column progress/>
                {number(|metrics| format::bytes(metrics.arena.0))}
                <Mark metrics best=Signal::derive(best) invalid=Signal::derive(invalid)/>
            </td>
            <td class="number">{number(|metrics| format::percent(metrics.over_bound))}</td>
            <td class="number">{number(|metrics| format::percent(metrics.fragmentation))}</td>
            <td class="number">{number(|metrics| format!("{:.2}×", metrics.reuse))}</td>
            <td class="number">
                {number(|metrics| metrics.objects.map_or_else(|| "–".to_owned(), format::grouped))}
            </td>
            <td class="number">{time}</td>
        </tr>
    }
}

fn metrics(progress: Option<&Progress>) -> Option<Metrics> {
    Some(progress?.planned()?.judged.metrics)
}

/// Why there is no figure, and a way to get one.
#[component]
fn State(column: Column, progress: Memo<Option<Progress>>) -> impl IntoView {
    let session = session();
    let text = move || {
        progress.with(|progress| match progress.as_ref() {
            Some(Progress::Done(_)) => None,
            Some(Progress::Failed(error)) => Some(why_not(session, error)),
            Some(Progress::Working(done, total)) => Some(format!("{done} / {total}")),
            Some(Progress::Waiting) => Some(session.say(Word::WaitingColumn).to_owned()),
            None => Some(String::new()),
        })
    };
    let can_plan =
        move || progress.with(|progress| matches!(progress, None | Some(Progress::Failed(_))));
    view! {
        {text}
        " "
        <Show when=can_plan>
            <button on:click=move |_| act(session, Action::Plan(column))>
                {move || session.say(Word::PlanNow)}
            </button>
        </Show>
    }
}

/// Marks the invalid and the optimal plans, or else the smallest.
#[component]
fn Mark(
    metrics: Memo<Option<Metrics>>,
    best: Signal<bool>,
    invalid: Signal<bool>,
) -> impl IntoView {
    let session = session();
    let badge = move || {
        let metrics = metrics.get()?;
        let of_objects = metrics.objects.is_some() && metrics.arena == metrics.model_bound;
        let (word, hint, class) = if invalid.get() {
            (Word::Invalid, Word::Invalid, "badge invalid")
        } else if metrics.optimal && session.left_out() > 0 {
            (Word::BoundMet, Word::BoundMetHint, "badge")
        } else if metrics.optimal {
            (Word::Optimal, Word::OptimalHint, "badge optimal")
        } else if of_objects && metrics.arena > Bytes::ZERO {
            (Word::ObjectOptimal, Word::ObjectOptimalHint, "badge")
        } else if best.get() {
            (Word::Best, Word::Best, "badge")
        } else {
            return None;
        };
        Some(view! { <span class=class title=session.say(hint)>{session.say(word)}</span> })
    };
    view! {
        " "
        {badge}
    }
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
        let bounds = session
            .prepared
            .with(|prepared| prepared.as_ref().map(|p| p.bounds.clone()))?;
        let objects = session.plans.with(|plans| {
            plans
                .keys()
                .any(|column| matches!(column, Column::Strategy(s) if s.model() == Model::Objects))
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
