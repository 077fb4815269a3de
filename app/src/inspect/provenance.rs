//! What the file of a deployed plan says of a buffer beyond size, span and offset: what writes
//! and reads it, why it is held, its other names, and the stack that allocated it.

use crate::state::driver::act;
use crate::state::session::Session;
use crate::text::quantity::steps_text;
use conversation::Action;
use leptos::prelude::*;
use planner::Subject;
use planner::attribution::{Owner, called, owner};
use planner::deployed::{Frame, Hold, Note};

use crate::format;
use crate::strings::{DeployedWord, Word, filled};
use crate::tables::operators::look_at_step;

/// At most this many readers or names are listed.
const LISTED: usize = 50;

/// What the file says of buffer `index`, as rows of a description list.
pub(crate) fn rows(
    session: Session,
    subject: &Subject,
    index: usize,
) -> Vec<(&'static str, AnyView)> {
    let Some(note) = subject.notes.get(index) else {
        return Vec::new();
    };
    let mut rows = Vec::new();
    let mut put = |word: DeployedWord, view: AnyView| rows.push((session.say(word), view));
    if !note.role.is_empty() {
        put(DeployedWord::Role, note.role.clone().into_any());
    }
    if !note.op.is_empty() {
        put(DeployedWord::WrittenBy, note.op.clone().into_any());
    }
    if let Some(value) = &note.value {
        for (word, text) in [
            (DeployedWord::Source, &value.source),
            (DeployedWord::Computation, &value.computation),
        ] {
            if !text.is_empty() {
                put(word, text.clone().into_any());
            }
        }
    }
    if !note.aliases.is_empty() {
        put(DeployedWord::Aliases, aliases(session, note));
    }
    if let Some(held) = note.held {
        let word = match held.why {
            Hold::Pinned => DeployedWord::Pinned,
            Hold::WholeLife => DeployedWord::WholeLife,
            Hold::Pending => DeployedWord::Pending,
        };
        let text = filled(session.say(word), &[&steps_text(session, held.needed)]);
        put(DeployedWord::Held, text.into_any());
    }
    if !note.uses.is_empty() {
        put(DeployedWord::Uses, uses(session, subject, note));
    }
    rows
}

fn aliases(session: Session, note: &Note) -> AnyView {
    let names = note.aliases.iter().take(LISTED).cloned();
    let names = names.map(|name| view! { <li>{name}</li> }).collect_view();
    view! { <ul>{names} {more(session, note.aliases.len())}</ul> }.into_any()
}

/// The steps that read it, as buttons that look there.
fn uses(session: Session, subject: &Subject, note: &Note) -> AnyView {
    let links = note.uses.iter().take(LISTED).map(|&step| {
        let number = step.0.to_string();
        let name = subject.step_name(step);
        let text = name.map_or_else(|| number.clone(), |name| format!("{number} {name}"));
        let says = filled(session.say(Word::GoToStep), &[&number]);
        let look = move |_| look_at_step(session, step.0);
        view! { <li><button class="link" title=says on:click=look>{text}</button></li> }
    });
    view! { <ul>{links.collect_view()} {more(session, note.uses.len())}</ul> }.into_any()
}

fn more(session: Session, count: usize) -> Option<impl IntoView> {
    let more = count.checked_sub(LISTED).filter(|more| *more > 0)?;
    let text = filled(session.say(Word::AndMore), &[&format::grouped(more as u64)]);
    Some(view! { <li>{text}</li> })
}

/// The stack that allocated buffer `index`, innermost first. Closed, it names the line of the
/// program; open, it folds runs of frames of the runtime, which unfold.
pub(crate) fn stack(
    session: Session,
    subject: &Subject,
    index: usize,
) -> Option<impl IntoView + use<>> {
    let note = subject.notes.get(index)?;
    let frames = subject.stacks.frames_of(note.stack).cloned();
    let frames: Vec<Frame> = frames.filter(|frame| *frame != Frame::default()).collect();
    let first = |by: Owner| frames.iter().find(|frame| owner(frame) == by);
    let known = first(Owner::Program).or_else(|| first(Owner::Library));
    let title = match known.or(frames.first()) {
        Some(frame) => filled(session.say(DeployedWord::Stack), &[&called(frame)]),
        None => return None,
    };
    let count = format::grouped(frames.len() as u64);
    let count = filled(session.say(DeployedWord::StackMore), &[&count]);
    let lines: Vec<String> = frames.iter().map(line).collect();
    let copied = lines.join("\n");
    let runs = frames.chunk_by(|one, other| owner(one) == owner(other));
    let runs = runs.map(|run| self::run(session, run)).collect_view();
    Some(view! {
        <details class="stack">
            <summary>{title} " " <span class="count">{count}</span></summary>
            <ol>{runs}</ol>
            <button on:click=move |_| act(session, Action::Copy(copied.clone()))>
                {session.say(DeployedWord::CopyStack)}
            </button>
        </details>
    })
}

/// Frames of one owner: those of the runtime behind one line, where they are several.
fn run(session: Session, frames: &[Frame]) -> AnyView {
    let folds = frames.len() > 1 && frames.first().is_some_and(|it| owner(it) == Owner::Runtime);
    let listed = frames.iter().map(frame_item).collect_view();
    if !folds {
        return listed.into_any();
    }
    let count = format::grouped(frames.len() as u64);
    let text = filled(session.say(DeployedWord::RuntimeFrames), &[&count]);
    view! { <li class="runtime"><details><summary>{text}</summary><ol>{listed}</ol></details></li> }
        .into_any()
}

fn frame_item(frame: &Frame) -> impl IntoView + use<> {
    let own = owner(frame) == Owner::Program;
    let (function, at) = (frame.function.clone(), at(frame));
    view! {
        <li class:own=own>
            <code>{function}</code>
            " "
            <span class="place" title=at.clone()>{at.clone()}</span>
        </li>
    }
}

/// The whole file and the line, as far as they are known.
fn at(frame: &Frame) -> String {
    match frame.line {
        0 => frame.file.clone(),
        line => format!("{}:{line}", frame.file),
    }
}

/// A frame as a line of text.
fn line(frame: &Frame) -> String {
    format!("{} ({})", frame.function, at(frame))
}
