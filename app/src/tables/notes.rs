//! What was left out of the plan and why, and what the reader had to say about the file.

use std::ops::Range;

use leptos::prelude::*;
use planner::graph::{Limit, Tensor, Unsized};

use crate::drawing::after_paint::FIRST_ROWS;
use crate::format;
use crate::lazy::tab;
use crate::state::session::{Session, session};
use crate::strings::{ValueWord, Word, filled, unsized_reason};
use crate::text::fault;

/// Each table shows at most this many rows.
const ROWS: usize = 500;

/// A table with pages has this many rows on each.
pub(crate) const PAGE: usize = 200;

tab!(notes, Word::Notes, Notes);

/// The tab.
#[component]
fn Notes() -> impl IntoView {
    let session = session();
    move || {
        let unsized_tensors = unsized_tensors(session);
        let warnings = warnings(session);
        let counts = counts(session);
        let subgraphs = subgraphs(session);
        let empty = subgraphs.is_none()
            && unsized_tensors.is_none()
            && counts.is_none()
            && warnings.is_none();
        view! {
            <div>
                {counts}
                {subgraphs}
                {unsized_tensors}
                {warnings}
                {empty.then(|| view! { <p class="empty">{session.say(Word::NoNotes)}</p> })}
            </div>
        }
    }
}

fn unsized_tensors(session: Session) -> Option<impl IntoView> {
    let prepared = session.prepared.get()?;
    let graph = prepared.subject.graph()?;
    let missing = |tensor: &Tensor| Some((tensor.name.clone(), tensor.missing.clone()?));
    let found: Vec<(String, Unsized)> = graph.tensors.iter().filter_map(missing).collect();
    if found.is_empty() {
        return None;
    }
    let count = found.len();
    let rows = found.into_iter().take(ROWS).map(|(name, missing)| {
        view! {
            <tr>
                <th scope="row">{name}</th>
                <td>{session.say(unsized_reason(missing.reason))}</td>
                <td>{fault::said(session, &missing.detail)}</td>
            </tr>
        }
    });
    let count_text = format::grouped(count as u64);
    Some(view! {
        <table>
            <caption>{filled(session.say(Word::UnsizedCount), &[&count_text])}</caption>
            <thead>
                <tr>
                    <th scope="col">{session.say(Word::TensorColumn)}</th>
                    <th scope="col">{session.say(Word::ReasonColumn)}</th>
                    <th scope="col">{session.say(Word::DetailColumn)}</th>
                </tr>
            </thead>
            <tbody>{rows.collect_view()}</tbody>
        </table>
        {cut(session, count)}
    })
}

/// The operators of which what their subgraphs hold is not planned.
fn subgraphs(session: Session) -> Option<impl IntoView> {
    let prepared = session.prepared.get()?;
    let count = prepared.subject.left_out().count();
    let rows = prepared.subject.left_out().take(ROWS).map(|(op, why)| {
        view! {
            <tr>
                <th scope="row">{op.name.clone()}</th>
                <td>{op.kind.clone()}</td>
                <td>{fault::said(session, &why)}</td>
            </tr>
        }
    });
    let caption = filled(
        session.say(Word::SubgraphsLeftOut),
        &[&format::grouped(count as u64)],
    );
    (count > 0).then(|| {
        view! {
            <table class="subgraphs">
                <caption>{caption}</caption>
                <tbody>{rows.collect_view()}</tbody>
            </table>
            {cut(session, count)}
        }
    })
}

/// What is planned for the most that it gives, and what that follows from.
fn counts(session: Session) -> Option<impl IntoView> {
    let prepared = session.prepared.get()?;
    let counts = &prepared.subject.graph()?.counts;
    if counts.is_empty() {
        return None;
    }
    let rows = counts.iter().take(ROWS).map(|count| {
        let word = match count.limit {
            Limit::Shapes => ValueWord::LimitShapes,
            Limit::File => ValueWord::LimitFile,
            Limit::Set => ValueWord::LimitSet,
            Limit::Run => ValueWord::LimitRun,
        };
        view! {
            <tr>
                <th scope="row">{count.tensor.clone()}</th>
                <td>{count.kind.clone()}</td>
                <td>"≤ " {format::grouped(count.most)}</td>
                <td>{session.say(word)}</td>
            </tr>
        }
    });
    Some(view! {
        <table class="counts">
            <caption>{session.say(ValueWord::CountsCaption)}</caption>
            <tbody>{rows.collect_view()}</tbody>
        </table>
        {cut(session, counts.len())}
    })
}

fn warnings(session: Session) -> Option<impl IntoView> {
    let opened = session
        .file
        .with(|file| Some(file.as_ref()?.opened.clone()))?;
    let warnings = &opened.warnings;
    if warnings.is_empty() {
        return None;
    }
    let rows = warnings.iter().take(ROWS).map(|warning| {
        view! {
            <tr>
                <th scope="row">{fault::said(session, &warning.place)}</th>
                <td>{format::in_text(&fault::said(session, &warning.message))}</td>
            </tr>
        }
    });
    Some(view! {
        <table>
            <caption>{session.say(Word::Warnings)}</caption>
            <thead>
                <tr>
                    <th scope="col">{session.say(Word::PlaceColumn)}</th>
                    <th scope="col">{session.say(Word::DetailColumn)}</th>
                </tr>
            </thead>
            <tbody>{rows.collect_view()}</tbody>
        </table>
        {cut(session, warnings.len())}
    })
}

/// How many rows are not shown, if any.
fn cut(session: Session, count: usize) -> Option<impl IntoView> {
    let more = count.checked_sub(ROWS).filter(|more| *more > 0)?;
    let more = format::grouped(more as u64);
    Some(view! { <p class="cut">{filled(session.say(Word::AndMore), &[&more])}</p> })
}

/// Start and end of the rows of a page; a page past the last is the last.
pub(crate) fn window(page: usize, total: usize) -> (usize, usize) {
    let last = total.saturating_sub(1) / PAGE;
    let from = page.min(last) * PAGE;
    (from, (from + PAGE).min(total))
}

/// The rows of a window with which a table begins, or those that come once they are painted.
pub(crate) fn part(
    (from, to): (usize, usize),
    first: bool,
    painted: ReadSignal<bool>,
) -> Option<Range<usize>> {
    let middle = (from + FIRST_ROWS).min(to);
    match first {
        true => Some(from..middle),
        false => painted.get().then_some(middle..to),
    }
}

/// Which rows are shown, and buttons for the others where there are any.
#[component]
pub(crate) fn Pager(page: RwSignal<usize>, total: Signal<usize>) -> impl IntoView {
    let session = session();
    let shown = Memo::new(move |_| window(page.get(), total.get()));
    let says = move || {
        let (from, to) = shown.get();
        let numbers = [(from + 1).min(to), to, total.get()];
        let numbers = numbers.map(|number| format::grouped(number as u64));
        filled(
            session.say(Word::PageRows),
            &numbers.each_ref().map(String::as_str),
        )
    };
    let turn = move |forward: bool| {
        let now = shown.get_untracked().0 / PAGE;
        page.set(if forward {
            now + 1
        } else {
            now.saturating_sub(1)
        });
    };
    view! {
        <div class="pager">
            <span role="status">{says}</span>
            <Show when=move || { total.get() > PAGE }>
                <button disabled=move || shown.get().0 == 0 on:click=move |_| turn(false)>
                    "← " {move || session.say(Word::PagePrevious)}
                </button>
                <button
                    disabled=move || shown.get().1 == total.get()
                    on:click=move |_| turn(true)
                >
                    {move || session.say(Word::PageNext)} " →"
                </button>
            </Show>
        </div>
    }
}

/// The head of a column that the table can be sorted by: rising, then falling. `define` is the
/// term that the column is about.
#[component]
pub(crate) fn Head<K>(
    key: K,
    #[prop(into)] label: Signal<String>,
    sort: RwSignal<(K, bool)>,
    page: RwSignal<usize>,
    #[prop(default = None)] define: Option<&'static str>,
) -> impl IntoView
where
    K: Copy + PartialEq + Send + Sync + 'static,
{
    let session = session();
    let hint = move || filled(session.say(Word::SortBy), &[&label.get()]);
    let falling = move || {
        Some(sort.get())
            .filter(|(by, _)| *by == key)
            .map(|(_, falling)| falling)
    };
    let direction = move || match falling() {
        None => "none",
        Some(false) => "ascending",
        Some(true) => "descending",
    };
    let arrow = move || falling().map(|falling| if falling { "▼" } else { "▲" });
    let turn = move |_| {
        sort.update(|(by, falling)| {
            *falling = *by == key && !*falling;
            *by = key;
        });
        page.set(0);
    };
    view! {
        <th scope="col" aria-sort=direction>
            <button class="sort" data-define=define on:click=turn title=hint>
                {label}
                <span class="arrow" aria-hidden="true">{arrow}</span>
            </button>
        </th>
    }
}
