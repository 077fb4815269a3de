//! What the file of a deployed plan says of a buffer beyond size, span and offset: what writes
//! and reads it, why it is held, its other names, and the stack that allocated it.

use crate::state::driver::act;
use crate::state::session::Session;
use crate::text::quantity::steps_text;
use conversation::Action;
use leptos::prelude::*;
use planner::Subject;
use planner::deployed::{Frame, Hold, Note};

use crate::format;
use crate::tables::operators::look_at_step;
use crate::words::{DeployedWord, Word, filled};

/// At most this many readers, names or frames are listed.
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

/// The stack that allocated buffer `index`, innermost first; closed, it names the innermost
/// function.
pub(crate) fn stack(
    session: Session,
    subject: &Subject,
    index: usize,
) -> Option<impl IntoView + use<>> {
    let note = subject.notes.get(index)?;
    let frames = note.frames.iter();
    let frames: Vec<Frame> = frames
        .filter_map(|&frame| subject.frames.get(frame as usize).cloned())
        .filter(|frame| *frame != Frame::default())
        .collect();
    let innermost = frames.iter().find(|frame| !frame.function.is_empty());
    let innermost = innermost.or(frames.first())?;
    let title = filled(session.say(DeployedWord::Stack), &[&called(innermost)]);
    let count = format::grouped(frames.len() as u64);
    let count = filled(session.say(DeployedWord::StackMore), &[&count]);
    let lines: Vec<String> = frames.iter().map(line).collect();
    let copied = lines.join("\n");
    let total = frames.len();
    let listed = frames.into_iter().take(LISTED).map(|frame| {
        let at = place(&frame);
        view! {
            <li>
                <code>{frame.function}</code>
                " "
                <span class="place" title=at.clone()>{at.clone()}</span>
            </li>
        }
    });
    let listed = listed.collect_view();
    Some(view! {
        <details class="stack">
            <summary>{title} " " <span class="count">{count}</span></summary>
            <ol>{listed} {more(session, total)}</ol>
            <button on:click=move |_| act(session, Action::Copy(copied.clone()))>
                {session.say(DeployedWord::CopyStack)}
            </button>
        </details>
    })
}

/// The function, or where it is while it has no name.
fn called(frame: &Frame) -> String {
    if frame.function.is_empty() {
        place(frame)
    } else {
        frame.function.clone()
    }
}

/// File and line, as far as they are known.
fn place(frame: &Frame) -> String {
    match frame.line {
        0 => frame.file.clone(),
        line => format!("{}:{line}", frame.file),
    }
}

/// A frame as a line of text.
fn line(frame: &Frame) -> String {
    format!("{} ({})", frame.function, place(frame))
}
