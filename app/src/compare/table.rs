//! The comparison: one row per plan, in groups by where the strategies come from, or sorted
//! by a figure, with the smallest and the optimal marked.

use std::cmp::Ordering;

use conversation::{Column, Progress, Tab};
use leptos::prelude::*;
use planner::{Bytes, Family, Sorting as _, Strategy};
use worker::Planned;

use crate::compare::answer::Answer;
use crate::compare::bounds::Bounds;
use crate::compare::compare_row::Row;
use crate::compare::replan::given;
use crate::drawing::after_paint::after_paint;
use crate::drawing::beside::is_narrow;
use crate::lazy::TabEntry;
use crate::state::session::{Session, session, to_f64};
use crate::strings;
use crate::strings::{FrameWord, Word, filled};
use crate::text::title::title;

/// What the rows are sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    Listed,
    Name,
    Arena,
    OverBound,
    Reuse,
    Objects,
    Time,
}

/// A line of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Line {
    /// The heading of a group: the plan in the file, or a family.
    Group(Option<Family>),
    /// A plan, and the group that can hide it.
    Plan(Column),
}

/// What is seen of the table.
#[derive(Clone, Copy)]
struct Table {
    sort: RwSignal<(Key, bool)>,
    filter: RwSignal<String>,
    /// The groups whose plans are hidden.
    closed: RwSignal<Vec<Option<Family>>>,
}

impl Table {
    /// Whether the plans of a group are seen: all that a filter leaves are.
    fn is_open(self, group: Option<Family>) -> bool {
        let filtered = self.filter.with(|filter| !filter.trim().is_empty());
        filtered || self.closed.with(|closed| !closed.contains(&group))
    }
}

/// Lines that are made at once, for the others are out of sight at first.
const FIRST_LINES: usize = 16;

/// The tab.
pub(crate) const TAB: TabEntry = TabEntry {
    tab: Tab::COMPARE,
    title: |language| FrameWord::Strategies.in_language(language),
    show: || view! { <Compare/> }.into_any(),
    count: |_| None,
    source: None,
};

/// The table.
#[component]
pub(crate) fn Compare() -> impl IntoView {
    let session = session();
    let table = Table {
        sort: RwSignal::new((Key::Listed, true)),
        filter: RwSignal::new(String::new()),
        closed: RwSignal::new(closed_at_first()),
    };
    let sort = table.sort;
    let asked = RwSignal::new(None);
    let painted = after_paint();
    let lines = Memo::new(move |_| {
        let mut lines = lines(session, table);
        if !painted.get() {
            lines.truncate(FIRST_LINES);
        }
        lines
    });
    let least = Memo::new(move |_| {
        session
            .plans
            .with(|plans| plans.values().filter_map(arena).min())
    });
    let head = move |key, word, hint: Option<Word>| view! { <Head sort key word hint/> };
    let line = move |line| match line {
        Line::Group(group) => view! { <Group table group/> }.into_any(),
        Line::Plan(column) => view! { <Row column least asked/> }.into_any(),
    };
    view! {
        <Answer asked/>
        <div class="over-table">
            <FilterBox table/>
            <Bounds/>
        </div>
        <table class="compare">
            <caption class="unseen">{move || session.say(Word::Compare)}</caption>
            <thead>
                <tr>
                    <th scope="col">{move || session.say(Word::Shown)}</th>
                    {head(Key::Name, Word::Strategy, None)}
                    {head(Key::Arena, Word::Arena, None)}
                    {head(Key::OverBound, Word::OverBoundColumn, Some(Word::OverBoundHint))}
                    {head(Key::Reuse, Word::Reuse, Some(Word::ReuseHint))}
                    {head(Key::Objects, Word::Objects, None)}
                    {head(Key::Time, Word::Time, Some(Word::TimeHint))}
                </tr>
            </thead>
            <tbody>
                <For each=move || lines.get() key=|line| *line children=line/>
            </tbody>
        </table>
        <Show when=move || lines.with(Vec::is_empty) && session.is_open()>
            <p class="empty">{move || session.say(Word::FilterNone)}</p>
        </Show>
    }
}

/// On a narrow screen only what comes first is open, for a row takes many lines there.
fn closed_at_first() -> Vec<Option<Family>> {
    if !is_narrow() {
        return Vec::new();
    }
    let families = Strategy::ALL.into_iter().map(|it| it.description().family);
    let mut closed: Vec<_> = families
        .filter(|family| place(*family) > 0)
        .map(Some)
        .collect();
    closed.dedup();
    closed
}

/// A field that leaves only the strategies whose name has the typed text.
#[component]
fn FilterBox(table: Table) -> impl IntoView {
    let session = session();
    let count = move || {
        let all = all(session).len().to_string();
        let left = filtered(session, table).len().to_string();
        filled(session.say(Word::FilterCount), &[&left, &all])
    };
    view! {
        <p class="filter">
            <input
                type="search"
                id="filter"
                placeholder=move || session.say(Word::Filter)
                aria-label=move || session.say(Word::Filter)
                prop:value=move || table.filter.get()
                on:input=move |event| table.filter.set(event_target_value(&event))
            />
            <output for="filter">{count}</output>
        </p>
    }
}

/// The heading of a group, which hides and shows its plans.
#[component]
fn Group(table: Table, group: Option<Family>) -> impl IntoView {
    let session = session();
    let open = move || table.is_open(group);
    let turn = move |_| {
        table.closed.update(|closed| {
            if closed.contains(&group) {
                closed.retain(|other| *other != group);
            } else {
                closed.push(group);
            }
        });
    };
    let count = move || {
        let columns = filtered(session, table);
        columns
            .iter()
            .filter(|column| group_of(**column) == group)
            .count()
    };
    let name = move || match group.map(strings::family) {
        Some(word) => session.say(word),
        None => given(session),
    };
    view! {
        <tr class="group">
            <th scope="rowgroup" colspan="7">
                <button class="quiet" aria-expanded=move || open().to_string() on:click=turn>
                    <span class="arrow" aria-hidden="true">{move || if open() { "▾" } else { "▸" }}</span>
                    {name} " " <span class="count">{count}</span>
                </button>
            </th>
        </tr>
    }
}

fn group_of(column: Column) -> Option<Family> {
    match column {
        Column::Deployed => None,
        Column::Strategy(strategy) => Some(strategy.description().family),
    }
}

/// Every plan that the document can have.
fn all(session: Session) -> Vec<Column> {
    session.file.with(|file| {
        let file = file.as_ref();
        file.map(|file| Column::all(file.opened.deployed))
            .unwrap_or_default()
    })
}

/// Those that the filter leaves.
fn filtered(session: Session, table: Table) -> Vec<Column> {
    let wanted = table.filter.get().trim().to_lowercase();
    let mut columns = all(session);
    columns.retain(|column| title(session, *column).to_lowercase().contains(&wanted));
    columns
}

/// The lines of the table: groups in the order of families, unless something is sorted by.
fn lines(session: Session, table: Table) -> Vec<Line> {
    let columns = filtered(session, table);
    let sort = table.sort.get();
    if sort.0 != Key::Listed {
        let sorted = order(session, columns, sort).into_iter();
        return sorted.map(Line::Plan).collect();
    }
    let mut groups: Vec<Option<Family>> = columns.iter().copied().map(group_of).collect();
    groups.order_by_key(|group| group.map(place));
    groups.dedup();
    let mut lines = Vec::new();
    for group in groups {
        lines.push(Line::Group(group));
        if table.is_open(group) {
            let own = columns.iter().filter(|column| group_of(**column) == group);
            lines.extend(own.copied().map(Line::Plan));
        }
    }
    lines
}

/// Where a family stands: what most people look for first.
fn place(family: Family) -> u8 {
    match family {
        Family::Search => 0,
        Family::Packing => 1,
        Family::TfliteGpu => 2,
        Family::Deployed => 3,
        Family::Online => 4,
        Family::Coloring => 5,
        Family::Baseline => 6,
    }
}

/// The columns in the order that was asked for; those without a figure stay last.
fn order(session: Session, mut columns: Vec<Column>, (key, ascending): (Key, bool)) -> Vec<Column> {
    match key {
        Key::Listed => return columns,
        Key::Name => columns.order_by_key(|&column| title(session, column)),
        _ => session.plans.with(|plans| {
            let figure = |column: &Column| figure(plans.get(column)?.planned()?, key);
            columns.order_by(|a, b| match (figure(a), figure(b)) {
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
        Key::Arena | Key::OverBound => Some(to_f64(metrics.taken().0)),
        Key::Reuse => Some(metrics.reuse),
        Key::Objects => metrics.objects.map(to_f64),
        Key::Time => Some(planned.ms),
        Key::Listed | Key::Name => None,
    }
}

/// What a valid plan takes that places something.
pub(crate) fn arena(progress: &Progress) -> Option<Bytes> {
    let judged = &progress.planned()?.judged;
    let counts = judged.violations.is_empty() && judged.metrics.arena > Bytes::ZERO;
    counts.then_some(judged.metrics.taken())
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
                data-define=define(key)
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

/// The term that a column is about.
fn define(key: Key) -> Option<&'static str> {
    match key {
        Key::Listed | Key::Time => None,
        Key::Name => Some("strategy"),
        Key::Arena => Some("arena"),
        Key::OverBound => Some("over-bound"),
        Key::Reuse => Some("reuse"),
        Key::Objects => Some("shared-object"),
    }
}

fn word_of(key: Key) -> Word {
    match key {
        Key::Listed | Key::Name => Word::Strategy,
        Key::Arena => Word::Arena,
        Key::OverBound => Word::OverBoundColumn,
        Key::Reuse => Word::Reuse,
        Key::Objects => Word::Objects,
        Key::Time => Word::Time,
    }
}
