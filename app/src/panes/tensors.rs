//! The timeline as a table: every buffer with its place in each plan that is shown. It says
//! in words what the picture shows, and can be sorted and searched.

use std::cmp::Ordering;

use leptos::prelude::*;
use planner::graph::{Graph, OpId, Tensor};
use planner::liveness::Buffer;
use planner::pipeline::Subject;

use super::minimap::{ShownPlans, shown_plans};
use super::notes::{PAGE, Pager, window};
use super::pane::title;
use crate::actions::{Action, act};
use crate::format;
use crate::state::column::Column;
use crate::state::session::{Session, session};
use crate::words::{Word, filled};

/// A column of the table, and so what it can be sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key {
    Name,
    Operator,
    Shape,
    DType,
    Size,
    First,
    Last,
    Offset(Column),
}

impl Key {
    fn word(self) -> Word {
        match self {
            Self::Name => Word::TensorColumn,
            Self::Operator => Word::KindColumn,
            Self::Shape => Word::ShapeColumn,
            Self::DType => Word::DType,
            Self::Size => Word::SizeColumn,
            Self::First => Word::FirstColumn,
            Self::Last => Word::LastColumn,
            Self::Offset(_) => Word::OffsetColumn,
        }
    }
}

/// What the cells are made from.
struct Source<'a> {
    subject: &'a Subject,
    producers: &'a [Option<OpId>],
    plans: &'a ShownPlans,
}

/// The tab.
#[component]
pub(crate) fn Tensors() -> impl IntoView {
    let session = session();
    let sort = RwSignal::new((Key::First, false));
    let page = RwSignal::new(0);
    let plans = Memo::new(move |_| shown_plans(session));
    let producers = Memo::new(move |_| {
        let prepared = session.prepared.get();
        let graph = prepared.as_ref().and_then(|prepared| prepared.subject.graph.as_ref());
        graph.map(Graph::producers).unwrap_or_default()
    });
    let keys = Memo::new(move |_| keys(session, &plans.get()));
    let rows = Memo::new(move |_| {
        let Some(prepared) = session.prepared.get() else {
            return Vec::new();
        };
        let subject = &prepared.subject;
        let all = || (0..subject.lifetimes.buffers.len()).collect();
        let mut rows: Vec<usize> = session.matches().unwrap_or_else(all);
        let (key, falling) = sort.get();
        let (producers, plans) = (producers.read(), plans.read());
        let source = Source {
            subject,
            producers: &producers,
            plans: &plans,
        };
        rows.sort_by(|&a, &b| {
            let order = source.compare(key, a, b);
            if falling { order.reverse() } else { order }
        });
        rows
    });
    // What is selected elsewhere is on the page that shows.
    Effect::new(move |_| {
        let place = session.selected.get().and_then(|selected| {
            rows.with_untracked(|rows| rows.iter().position(|&row| row == selected))
        });
        if let Some(place) = place {
            page.set(place / PAGE);
        }
    });
    let total = Signal::derive(move || rows.with(Vec::len));
    let body = move || {
        let prepared = session.prepared.get()?;
        let (producers, plans) = (producers.read(), plans.read());
        let source = Source {
            subject: &prepared.subject,
            producers: &producers,
            plans: &plans,
        };
        let (from, to) = window(page.get(), total.get());
        let keys = keys.get();
        let rows = rows.with(|rows| rows.get(from..to).unwrap_or_default().to_vec());
        Some(rows.into_iter().map(|index| row(session, &source, &keys, index)).collect_view())
    };
    view! {
        <div class="tensors">
            <Pager page total/>
            <table>
                <caption class="unseen">{move || session.say(Word::Tensors)}</caption>
                <thead>
                    <tr>
                        <For each=move || keys.get() key=|key| *key let:key>
                            <Head key sort page/>
                        </For>
                    </tr>
                </thead>
                <tbody>{body}</tbody>
            </table>
            <Show when=move || total.get() == 0>
                <p class="empty">{move || session.say(Word::NoRows)}</p>
            </Show>
        </div>
    }
}

#[component]
fn Head(key: Key, sort: RwSignal<(Key, bool)>, page: RwSignal<usize>) -> impl IntoView {
    let session = session();
    let label = move || match (key, session.say(key.word())) {
        (Key::Offset(column), word) => format!("{word} · {}", title(session, column)),
        (_, word) => word.to_owned(),
    };
    let falling = move || {
        let (by, falling) = sort.get();
        (by == key).then_some(falling)
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
            <button
                class="sort"
                on:click=turn
                title=move || filled(session.say(Word::SortBy), &[&label()])
            >
                {label}
                <span class="arrow" aria-hidden="true">{arrow}</span>
            </button>
        </th>
    }
}

/// The columns of the table: those about operators only where there are any.
fn keys(session: Session, plans: &ShownPlans) -> Vec<Key> {
    let model = session.prepared.with(|prepared| {
        prepared.as_ref().is_some_and(|prepared| prepared.subject.graph.is_some())
    });
    let mut keys = vec![Key::Name];
    if model {
        keys.extend([Key::Operator, Key::Shape, Key::DType]);
    }
    keys.extend([Key::Size, Key::First, Key::Last]);
    keys.extend(plans.0.iter().map(|(column, _)| Key::Offset(*column)));
    keys
}

fn row(session: Session, source: &Source<'_>, keys: &[Key], index: usize) -> impl IntoView + use<> {
    let cells = keys.iter().map(|&key| {
        let text = source.text(key, index);
        match key {
            Key::Name => view! {
                <th scope="row">
                    <button class="link">{text}</button>
                </th>
            }
            .into_any(),
            Key::Operator | Key::Shape | Key::DType => view! { <td>{text}</td> }.into_any(),
            Key::Size | Key::First | Key::Last | Key::Offset(_) => {
                view! { <td class="number">{text}</td> }.into_any()
            }
        }
    });
    let cells = cells.collect_view();
    let selected = move || session.selected.get() == Some(index);
    view! {
        <tr
            class:selected=selected
            aria-current=move || selected().then_some("true")
            data-buffer=index.to_string()
            on:click=move |_| act(session, Action::Select(Some(index)))
            on:pointerenter=move |_| act(session, Action::Hover(Some(index)))
            on:pointerleave=move |_| act(session, Action::Hover(None))
        >
            {cells}
        </tr>
    }
}

impl Source<'_> {
    fn buffer(&self, index: usize) -> Option<&Buffer> {
        self.subject.lifetimes.buffers.get(index)
    }

    fn kind(&self, index: usize) -> Option<&str> {
        let tensor = self.buffer(index)?.tensor?;
        let op = (*self.producers.get(tensor.index())?)?;
        let op = self.subject.graph.as_ref()?.ops.get(op.index())?;
        Some(&op.kind)
    }

    fn tensor(&self, index: usize) -> Option<&Tensor> {
        let tensor = self.buffer(index)?.tensor?;
        self.subject.graph.as_ref()?.tensors.get(tensor.index())
    }

    fn dims(&self, index: usize) -> Option<&Vec<u64>> {
        self.tensor(index)?.dims.as_ref()
    }

    fn dtype(&self, index: usize) -> Option<&'static str> {
        Some(self.tensor(index)?.dtype.name())
    }

    fn offset(&self, column: Column, index: usize) -> Option<u64> {
        let (_, planned) = self.plans.0.iter().find(|(shown, _)| *shown == column)?;
        Some(planned.judged.plan.offsets.get(index)?.0)
    }

    fn compare(&self, key: Key, a: usize, b: usize) -> Ordering {
        let span = |index: usize| self.buffer(index).map(|buffer| buffer.span);
        let name = |index: usize| self.buffer(index).map(|buffer| buffer.name.as_str());
        let size = |index: usize| self.buffer(index).map(|buffer| buffer.size);
        let order = match key {
            Key::Name => name(a).cmp(&name(b)),
            Key::Operator => self.kind(a).cmp(&self.kind(b)),
            Key::Shape => self.dims(a).cmp(&self.dims(b)),
            Key::DType => self.dtype(a).cmp(&self.dtype(b)),
            Key::Size => size(a).cmp(&size(b)),
            Key::First => span(a).map(|span| span.start).cmp(&span(b).map(|span| span.start)),
            Key::Last => span(a).map(|span| span.end).cmp(&span(b).map(|span| span.end)),
            Key::Offset(column) => self.offset(column, a).cmp(&self.offset(column, b)),
        };
        order.then(a.cmp(&b))
    }

    fn text(&self, key: Key, index: usize) -> String {
        let Some(buffer) = self.buffer(index) else {
            return String::new();
        };
        match key {
            Key::Name => buffer.name.clone(),
            Key::Operator => self.kind(index).unwrap_or_default().to_owned(),
            Key::Shape => self.dims(index).map(|dims| format::dims(dims)).unwrap_or_default(),
            Key::DType => self.dtype(index).unwrap_or_default().to_owned(),
            Key::Size => format::exact(buffer.size.0),
            Key::First => format::grouped(buffer.span.start.0),
            Key::Last => format::grouped(buffer.span.end.0.saturating_sub(1)),
            Key::Offset(column) => self.offset(column, index).map(format::exact).unwrap_or_default(),
        }
    }
}
