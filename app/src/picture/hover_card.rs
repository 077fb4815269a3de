//! The card beside the pointer: what the buffer under it is. Screen readers get the same,
//! and more, from the inspector.

use crate::state::session::{Session, to_f64};
use conversation::Column;
use leptos::prelude::*;
use planner::graph::TensorId;
use planner::{Buffer, Offset, Span, Step, Subject};
use wasm_bindgen::JsValue;

use super::stage::View;
use crate::format;
use crate::words::{DeployedWord, Word, filled};

/// Free pixels between pointer and card, and between card and edge, in CSS pixels.
const GAP: f64 = 14.0;

/// The card's greatest width in CSS pixels.
const WIDEST: f64 = 340.0;

/// The card names at most this many readers.
const READERS: usize = 4;

/// The card of one picture.
#[component]
pub(crate) fn HoverCard(here: View, column: Column) -> impl IntoView {
    let session = here.session;
    let pointed = Memo::new(move |_| here.pointer.with(Option::is_some));
    let offset = move |index: usize| {
        if let Some(still) = here.still.get() {
            return still.layout.offsets.get(index).copied().flatten();
        }
        session.plans.with(|plans| {
            let planned = plans.get(&column)?.planned()?;
            planned.judged.plan.offsets.get(index).copied()
        })
    };
    let in_pause = Memo::new(move |_| pause_under(here, session.hovered.get()?, &offset));
    // What the card says changes with the buffer, where it is with every move.
    move || {
        let index = pointed.get().then(|| session.hovered.get()).flatten()?;
        let prepared = session.prepared.get()?;
        let subject = &prepared.subject;
        let buffer = subject.lifetimes.buffers.get(index)?;
        let rows = rows(session, subject, buffer, offset(index));
        let rows = rows.into_iter().map(|(word, value)| {
            view! {
                <dt>{session.say(word)}</dt>
                <dd>{value}</dd>
            }
        });
        let rows = rows.collect_view();
        let name = buffer.name.clone();
        Some(view! {
            <Beside at=here.on_window>
                <b>{name}</b>
                {move || in_pause.get().map(|pause| {
                    let text = filled(session.say(DeployedWord::InPause), &[&steps_text(session, pause)]);
                    view! { <p class="pause">{text}</p> }
                })}
                <dl>{rows}</dl>
            </Beside>
        })
    }
}

/// The pause of buffer `index` that the pointer is in, where none of the bytes under it is needed.
fn pause_under(here: View, index: usize, offset: &dyn Fn(usize) -> Option<Offset>) -> Option<Span> {
    let (x, y) = here.pointer.get()?;
    let (step, byte) = here.camera().data_from_screen(x, y);
    let from = to_f64(offset(index)?.0);
    let pauses = here
        .session
        .with_lifetimes(|lifetimes| lifetimes.buffers.get(index).map(|it| it.pauses.clone()))??;
    let pause = pauses
        .into_iter()
        .find(|pause| (to_f64(pause.span.start.0)..to_f64(pause.span.end.0)).contains(&step))?;
    let needed = pause
        .window
        .is_some_and(|(start, end)| (from + to_f64(start.0)..from + to_f64(end.0)).contains(&byte));
    (!needed).then_some(pause.span)
}

/// A card beside the pointer, which is at `at` in the window.
#[component]
pub(crate) fn Beside(at: RwSignal<(f64, f64)>, children: Children) -> impl IntoView {
    let place = move || Place::beside(at.get(), window_size());
    view! {
        <div
            class="card"
            aria-hidden="true"
            style:left=move || pixels(place().left)
            style:right=move || pixels(place().right)
            style:top=move || pixels(place().top)
            style:bottom=move || pixels(place().bottom)
            style:max-width=move || pixels(Some(place().room.0))
            style:max-height=move || pixels(Some(place().room.1))
            style:overflow=move || "hidden"
        >
            {children()}
        </div>
    }
}

/// Size of the window in CSS pixels.
pub(crate) fn window_size() -> (f64, f64) {
    let number = |size: Result<JsValue, JsValue>| size.ok().and_then(|size| size.as_f64());
    let window = window();
    let width = number(window.inner_width()).unwrap_or_default();
    (width, number(window.inner_height()).unwrap_or_default())
}

/// Where the card is: on that side of the pointer where there is more room, so that it stays
/// inside the window without being measured. A low picture is no reason to cut it off.
#[derive(Clone, Copy, Default)]
struct Place {
    left: Option<f64>,
    right: Option<f64>,
    top: Option<f64>,
    bottom: Option<f64>,
    room: (f64, f64),
}

impl Place {
    fn beside((x, y): (f64, f64), (width, height): (f64, f64)) -> Self {
        let mut place = Self::default();
        if x + x <= width {
            place.left = Some(x + GAP);
        } else {
            place.right = Some(width - x + GAP);
        }
        if y + y <= height {
            place.top = Some(y + GAP);
        } else {
            place.bottom = Some(height - y + GAP);
        }
        let room = |at: f64, size: f64| (at.max(size - at) - 2.0 * GAP).max(0.0);
        place.room = (room(x, width).min(WIDEST), room(y, height));
        place
    }
}

fn pixels(value: Option<f64>) -> String {
    value.map_or_else(|| "auto".to_owned(), |value| format!("{value:.0}px"))
}

fn rows(
    session: Session,
    subject: &Subject,
    buffer: &Buffer,
    offset: Option<Offset>,
) -> Vec<(Word, String)> {
    let wiring = Wiring::new(subject, buffer);
    let mut rows = Vec::new();
    let producer = wiring.producer.and_then(|step| subject.op(Step(step)));
    if let Some(op) = producer {
        rows.push((Word::OperatorColumn, op.kind.clone()));
    }
    if let Some(shape) = shape_text(subject, buffer) {
        rows.push((Word::ShapeColumn, shape));
    }
    rows.push((Word::Payload, size_text(buffer.payload.0)));
    if buffer.size != buffer.payload {
        rows.push((Word::Reserved, size_text(buffer.size.0)));
    }
    rows.push((Word::LiveSteps, steps_text(session, buffer.span)));
    if let Some(offset) = offset {
        rows.push((Word::OffsetColumn, offset_text(offset)));
    }
    if subject.program.is_some() {
        let no_operator = || session.say(Word::Nobody).to_owned();
        let written = producer.map_or_else(no_operator, |op| op.name.clone());
        rows.push((Word::Producer, written));
        rows.push((Word::Consumers, readers(session, subject, &wiring)));
    }
    rows
}

fn readers(session: Session, subject: &Subject, wiring: &Wiring) -> String {
    let named = wiring.consumers.iter().take(READERS);
    let mut names: Vec<&str> = named
        .filter_map(|&step| Some(subject.op(Step(step))?.name.as_str()))
        .collect();
    let more = wiring.consumers.len().saturating_sub(READERS);
    let more = filled(session.say(Word::AndMore), &[&more.to_string()]);
    if wiring.consumers.len() > READERS {
        names.push(&more);
    }
    if names.is_empty() {
        return session.say(Word::Nobody).to_owned();
    }
    names.join(", ")
}

/// The steps at which a buffer's tensor is written and read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wiring {
    /// The step that writes it first.
    pub(crate) producer: Option<u64>,
    /// The steps that read it, ascending.
    pub(crate) consumers: Vec<u64>,
}

impl Wiring {
    /// Looks only at the steps at which the buffer is live: what touches it runs then.
    pub(crate) fn new(subject: &Subject, buffer: &Buffer) -> Self {
        let mut wiring = Self::default();
        let last = buffer.span.end.0.min(subject.scheduled() as u64);
        let stored = |tensor: TensorId| subject.stores(buffer, tensor);
        for step in buffer.span.start.0..last {
            let Some(op) = subject.op(Step(step)) else {
                continue;
            };
            if wiring.producer.is_none() && op.written().any(stored) {
                wiring.producer = Some(step);
            }
            if op.read().any(stored) {
                wiring.consumers.push(step);
            }
        }
        wiring
    }
}

/// Dimensions and element type: "1×3×224×224 f32"; nothing without a model.
pub(crate) fn shape_text(subject: &Subject, buffer: &Buffer) -> Option<String> {
    let tensor = subject.graph()?.tensor(subject.tensor(buffer)?);
    let dims = format::dims(tensor.dims.as_ref()?);
    Some(format!("{dims} {}", tensor.dtype.name()))
}

/// A size twice: to read, and exactly.
pub(crate) fn size_text(bytes: u64) -> String {
    if bytes < 1024 {
        return format::exact(bytes);
    }
    format!("{} ({})", format::bytes(bytes), format::exact(bytes))
}

/// First and last step, both inclusive, and how many they are.
pub(crate) fn steps_text(session: Session, span: Span) -> String {
    let last = span.end.0.saturating_sub(1).max(span.start.0);
    let numbers = [span.start.0, last, span.len()].map(format::grouped);
    filled(
        session.say(Word::StepsFromTo),
        &numbers.each_ref().map(String::as_str),
    )
}

/// An address in bytes, decimal and hexadecimal.
pub(crate) fn offset_text(offset: Offset) -> String {
    format!("{} ({:#x})", format::exact(offset.0), offset.0)
}
