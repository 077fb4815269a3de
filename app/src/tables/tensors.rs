//! The timeline as a table: every buffer with its place in each plan that is shown. It says
//! in words what the picture shows, and can be sorted and searched.

use std::cmp::Ordering;
use std::sync::Arc;

use conversation::{Action, Column};
use leptos::prelude::*;
use planner::deployed::{IrValue, Note};
use planner::graph::{Op, OpId, Tensor};
use planner::{Buffer, Sorting as _};
use worker::Prepared;

use crate::drawing::after_paint::after_paint;
use crate::format;
use crate::lazy::tab;
use crate::picture::minimap::{ShownPlans, shown_plans};
use crate::state::driver::act;
use crate::state::session::{Session, session};
use crate::strings::Word;
use crate::tables::notes::{Head, PAGE, Pager, part, window};
use crate::text::file_name::in_row;
use crate::text::title::title;

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

    /// The term that the column is about.
    fn define(self) -> Option<&'static str> {
        match self {
            Self::Name => Some("tensor"),
            Self::Operator => Some("operator"),
            Self::First | Self::Last => Some("lifetime"),
            Self::Offset(_) => Some("address"),
            Self::Shape | Self::DType | Self::Size => None,
        }
    }

    fn label(self, session: Session) -> String {
        match (self, session.say(self.word())) {
            (Self::Offset(column), word) => format!("{word} · {}", title(session, column)),
            (_, word) => word.to_owned(),
        }
    }
}

/// What the cells are made from.
struct Source {
    prepared: Arc<Prepared>,
    /// The operator that writes each tensor.
    producers: Arc<Vec<Option<OpId>>>,
    plans: ShownPlans,
}

tab!(tensors, Word::Tensors, Tensors, |session| {
    session.with_lifetimes(|lifetimes| lifetimes.buffers.len())
});

/// The tab.
#[component]
fn Tensors() -> impl IntoView {
    let session = session();
    let sort = RwSignal::new((Key::First, false));
    let page = RwSignal::new(0);
    let plans = Memo::new(move |_| shown_plans(session));
    let producers = Memo::new(move |_| {
        let prepared = session.prepared.get()?;
        Some(Arc::new(prepared.subject.graph()?.producers()))
    });
    let source = move || {
        Some(Source {
            prepared: session.prepared.get()?,
            producers: producers.get().unwrap_or_default(),
            plans: plans.get(),
        })
    };
    let keys = Memo::new(move |_| keys(session, &plans.get()));
    let rows = Memo::new(move |_| source().map_or_else(Vec::new, |s| s.rows(session, sort.get())));
    // What is selected elsewhere is on the page that shows.
    Effect::new(move |_| {
        let selected = session.selected.get();
        let place = |rows: &Vec<usize>| rows.iter().position(|&row| Some(row) == selected);
        if let Some(place) = rows.with_untracked(place) {
            page.set(place / PAGE);
        }
    });
    let total = Signal::derive(move || rows.with(Vec::len));
    let painted = after_paint();
    let body = move |first: bool| {
        let shown = part(window(page.get(), total.get()), first, painted)?;
        let (source, keys) = (source()?, keys.get());
        let rows = rows.with(|rows| rows.get(shown).unwrap_or_default().to_vec());
        Some(
            rows.into_iter()
                .map(|index| row(session, &source, &keys, index))
                .collect_view(),
        )
    };
    view! {
        <div>
            <Pager page total/>
            <table>
                <caption class="unseen">{move || session.say(Word::Tensors)}</caption>
                <thead>
                    <tr>
                        <For each=move || keys.get() key=|key| *key let:key>
                            <Head key label=move || key.label(session) sort page define=key.define()/>
                        </For>
                    </tr>
                </thead>
                <tbody>{move || body(true)}{move || body(false)}</tbody>
            </table>
            {move || (total.get() == 0).then(|| view! { <p class="empty">{session.say(Word::NoRows)}</p> })}
        </div>
    }
}

/// The columns of the table: those about operators and values only where they are known.
fn keys(session: Session, plans: &ShownPlans) -> Vec<Key> {
    let prepared = session.prepared.get();
    let mut keys = vec![Key::Name];
    if let Some(prepared) = prepared {
        let (model, notes) = (prepared.subject.program.is_some(), &prepared.subject.notes);
        if model || notes.iter().any(|note| !note.op.is_empty()) {
            keys.push(Key::Operator);
        }
        let typed = |note: &Note| note.value.as_ref().is_some_and(|it| !it.dtype.is_empty());
        if model || notes.iter().any(typed) {
            keys.extend([Key::Shape, Key::DType]);
        }
    }
    keys.extend([Key::Size, Key::First, Key::Last]);
    keys.extend(plans.0.iter().map(|(column, _)| Key::Offset(*column)));
    keys
}

fn row(session: Session, source: &Source, keys: &[Key], index: usize) -> impl IntoView + use<> {
    let cells = keys.iter().map(|&key| {
        let text = source.text(key, index);
        let number = source.number(key, index).is_some();
        match key {
            Key::Name => {
                let short = in_row(&text);
                view! { <th scope="row"><button class="link" title=text>{short}</button></th> }
                    .into_any()
            }
            _ => view! { <td class:number=number>{text}</td> }.into_any(),
        }
    });
    let cells = cells.collect_view();
    let selected = move || session.selected.get() == Some(index);
    view! {
        <tr
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

impl Source {
    /// What the search matches, sorted by a column, falling or rising.
    fn rows(&self, session: Session, (key, falling): (Key, bool)) -> Vec<usize> {
        let all = || (0..self.prepared.subject.lifetimes.buffers.len()).collect();
        let mut rows: Vec<usize> = session.matches().unwrap_or_else(all);
        rows.order_by(|&a, &b| {
            let order = self.compare(key, a, b);
            if falling { order.reverse() } else { order }
        });
        rows
    }

    fn buffer(&self, index: usize) -> Option<&Buffer> {
        self.prepared.subject.lifetimes.buffers.get(index)
    }

    fn kind(&self, index: usize) -> Option<&str> {
        let noted = || Some(self.note(index)?.op.as_str());
        self.op(index).map(|op| op.kind.as_str()).or_else(noted)
    }

    fn op(&self, index: usize) -> Option<&Op> {
        let tensor = self.prepared.subject.tensor(self.buffer(index)?)?;
        let op = (*self.producers.get(tensor.index())?)?;
        self.prepared.subject.graph()?.ops.get(op.index())
    }

    /// What the file of a deployed plan says of it.
    fn note(&self, index: usize) -> Option<&Note> {
        self.prepared.subject.notes.get(index)
    }

    fn value(&self, index: usize) -> Option<&IrValue> {
        self.note(index)?.value.as_deref()
    }

    fn dims(&self, index: usize) -> Option<&[u64]> {
        match self.tensor(index) {
            Some(tensor) => tensor.dims.as_deref(),
            None => self.value(index)?.shape.as_deref(),
        }
    }

    fn dtype(&self, index: usize) -> Option<&str> {
        match self.tensor(index) {
            Some(tensor) => Some(tensor.dtype.name()),
            None => Some(&self.value(index)?.dtype),
        }
    }

    fn tensor(&self, index: usize) -> Option<&Tensor> {
        let subject = &self.prepared.subject;
        Some(
            subject
                .graph()?
                .tensor(subject.tensor(self.buffer(index)?)?),
        )
    }

    /// What a column of numbers has for a buffer.
    fn number(&self, key: Key, index: usize) -> Option<u64> {
        let buffer = self.buffer(index)?;
        Some(match key {
            Key::Size => buffer.size.0,
            Key::First => buffer.span.start.0,
            Key::Last => buffer.span.end.0.saturating_sub(1),
            Key::Offset(column) => {
                let (_, planned) = self.plans.0.iter().find(|(shown, _)| *shown == column)?;
                planned.judged.plan.offsets.get(index)?.0
            }
            Key::Name | Key::Operator | Key::Shape | Key::DType => return None,
        })
    }

    fn compare(&self, key: Key, a: usize, b: usize) -> Ordering {
        let name = |index: usize| self.buffer(index).map(|buffer| buffer.name.as_str());
        let order = match key {
            Key::Name => name(a).cmp(&name(b)),
            Key::Operator => self.kind(a).cmp(&self.kind(b)),
            Key::Shape => self.dims(a).cmp(&self.dims(b)),
            Key::DType => self.dtype(a).cmp(&self.dtype(b)),
            _ => self.number(key, a).cmp(&self.number(key, b)),
        };
        order.then(a.cmp(&b))
    }

    fn text(&self, key: Key, index: usize) -> String {
        let text = match key {
            Key::Name => self.buffer(index).map(|buffer| buffer.name.clone()),
            Key::Operator => self.kind(index).map(str::to_owned),
            Key::Shape => self.dims(index).map(format::dims),
            Key::DType => self.dtype(index).map(str::to_owned),
            Key::Size | Key::Offset(_) => self.number(key, index).map(format::exact),
            Key::First | Key::Last => self.number(key, index).map(format::grouped),
        };
        text.unwrap_or_default()
    }
}
