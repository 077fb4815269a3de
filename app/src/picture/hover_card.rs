//! The card beside the pointer: what the buffer under it is. Screen readers get the same,
//! and more, from the inspector.

use conversation::Column;
use leptos::prelude::*;
use planner::{Buffer, Offset, Span, Step, Subject};

use crate::drawing::beside::Beside;
use crate::drawing::view::View;
use crate::state::session::{Session, to_f64};
use crate::strings::{DeployedWord, Word, filled};
use crate::text::quantity::{offset_text, shape_text, size_text, steps_text};
use crate::text::wiring::Wiring;

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
        let rows = rows(session, subject, (buffer, index), offset(index));
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
    let (x, byte) = here.camera().data_from_screen(x, y);
    let step = here.session.step_at(x);
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

fn rows(
    session: Session,
    subject: &Subject,
    (buffer, index): (&Buffer, usize),
    offset: Option<Offset>,
) -> Vec<(Word, String)> {
    let wiring = Wiring::new(subject, buffer);
    let mut rows = Vec::new();
    let producer = wiring.producer.and_then(|step| subject.op(Step(step)));
    let kind = producer.map(|op| &op.kind);
    let kind = kind.or_else(|| Some(&subject.notes.get(index)?.op));
    if let Some(kind) = kind.filter(|kind| !kind.is_empty()) {
        rows.push((Word::OperatorColumn, kind.clone()));
    }
    if let Some(shape) = shape_text(subject, index) {
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
