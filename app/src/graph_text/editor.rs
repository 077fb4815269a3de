//! The editor: a text with the numbers of its lines, and what is wrong with it.

use std::fmt::Write;
use std::sync::Arc;

use conversation::{Action, MOST_TEXT, TextAction, TextFault};
use leptos::html::{Div, Textarea};
use leptos::prelude::*;
use planner::load::defined;
use web_sys::{HtmlTextAreaElement, KeyboardEvent};

use super::shown;
use crate::format;
use crate::state::driver::act;
use crate::state::graph_text::GraphText;
use crate::state::session::{Session, session};
use crate::strings::{self, GraphWord as W, filled};
use crate::text::fault;

/// The height of a line in CSS pixels, as the style has it.
const LINE: usize = 18;

/// Keys that move the caret and type nothing.
const MOVES: [&str; 8] = [
    "ArrowUp",
    "ArrowDown",
    "ArrowLeft",
    "ArrowRight",
    "PageUp",
    "PageDown",
    "Home",
    "End",
];

/// The editor.
#[component]
pub(super) fn Editor(text: GraphText) -> impl IntoView {
    let session = session();
    let (area, gutter) = (NodeRef::<Textarea>::new(), NodeRef::<Div>::new());
    let count = RwSignal::new(1_usize);
    follow_text(session, text, (area, count));
    follow_selection(session, area);
    let input = move |_| {
        if let Some(area) = area.get_untracked() {
            let text: Arc<str> = area.value().into();
            count.set(lines(&text));
            act(session, Action::Text(TextAction::Type(text)));
        }
    };
    let scroll = move |_| {
        if let (Some(area), Some(gutter)) = (area.get_untracked(), gutter.get_untracked()) {
            gutter.set_scroll_top(area.scroll_top());
        }
    };
    let moved = move || {
        if let Some(area) = area.get_untracked() {
            select_at(session, &area);
        }
    };
    let wrong = Memo::new(move |_| text.fault.with(|it| Some(it.as_ref()?.line)));
    let mark = move || {
        wrong.get().filter(|&line| line > 0).map(|line| {
            view! { <i class="mark" style:top=format!("{}px", (line - 1) * LINE)></i> }
        })
    };
    view! {
        <div class="editor">
            <div class="lines">
                <div class="gutter" aria-hidden="true" node_ref=gutter>
                    {mark}
                    <pre>{move || numbers(count.get())}</pre>
                </div>
                <textarea
                    node_ref=area
                    wrap="off"
                    spellcheck="false"
                    autocomplete="off"
                    autocapitalize="off"
                    aria-label=move || session.say(W::Editor)
                    aria-invalid=move || wrong.get().is_some().to_string()
                    aria-describedby="graph-fault"
                    on:input=input
                    on:scroll=scroll
                    on:click=move |_| moved()
                    on:keyup=move |event: KeyboardEvent| {
                        if MOVES.contains(&event.key().as_str()) {
                            moved();
                        }
                    }
                ></textarea>
            </div>
            <div id="graph-fault" aria-live="polite">
                {move || text.fault.get().map(|fault| said(session, fault, area))}
                {move || too_long(session, text)}
            </div>
        </div>
    }
}

/// Puts the text into the editor where something else stands there; the caret goes where both
/// begin to differ.
fn follow_text(
    session: Session,
    text: GraphText,
    (area, count): (NodeRef<Textarea>, RwSignal<usize>),
) {
    Effect::new(move |_| {
        text.written.track();
        text.planned.track();
        text.typed.track();
        let (Some(area), Some(text)) = (area.get(), shown(session)) else {
            return;
        };
        let had = area.value();
        if had == *text {
            return;
        }
        area.set_value(&text);
        count.set(lines(&text));
        if !had.is_empty() {
            let same = had.chars().zip(text.chars()).take_while(|(a, b)| a == b);
            let units: usize = same.map(|(it, _)| it.len_utf16()).sum();
            put_caret(&area, (units, units));
        }
    });
}

/// Shows the line that writes the selected tensor, unless the person is in the text.
fn follow_selection(session: Session, area: NodeRef<Textarea>) {
    Effect::new(move |_| {
        let selected = session.selected.get();
        let Some(area) = area.get() else { return };
        if document().active_element().as_ref() == Some(area.as_ref()) {
            return;
        }
        let name = selected.and_then(|index| {
            session.with_lifetimes(|it| Some(it.buffers.get(index)?.name.clone()))?
        });
        let text = shown(session);
        let Some((name, text)) = name.zip(text) else {
            return;
        };
        // A name in quotes may be written in another way than it is.
        let may = |line: &str| line.contains(&*name) || line.contains('\\');
        let mut lines = text.lines().enumerate();
        let found = lines.find(|(_, line)| may(line) && defined(line).contains(&name));
        if let Some((number, line)) = found {
            let start = units_before(&text, number);
            let end = start + line.encode_utf16().count();
            put_caret(&area, (start, end));
            show_line(&area, number);
        }
    });
}

/// Selects the tensor in the picture that the line of the caret writes.
fn select_at(session: Session, area: &HtmlTextAreaElement) {
    let Ok(Some(caret)) = area.selection_start() else {
        return;
    };
    let text = area.value();
    let mut before = 0;
    let line = text.split('\n').find(|line| {
        before += line.encode_utf16().count() + 1;
        before > caret as usize
    });
    let names = line.map(defined).unwrap_or_default();
    let found = untrack(|| {
        session.with_lifetimes(|lifetimes| {
            let named = |name: &String| lifetimes.buffers.iter().position(|it| it.name == *name);
            names.iter().find_map(named)
        })
    });
    if let Some(index) = found.flatten()
        && session.selected.get_untracked() != Some(index)
    {
        act(session, Action::Select(Some(index)));
    }
}

/// What is wrong, and a way there.
/// What is typed is more than is planned.
fn too_long(session: Session, text: GraphText) -> Option<impl IntoView> {
    let bytes = text
        .typed
        .with(|typed| typed.as_ref().map(|text| text.len()));
    let bytes = bytes.filter(|bytes| *bytes > MOST_TEXT)?;
    let says = filled(session.say(W::TooLong), &[&format::bytes(bytes as u64)]);
    Some(view! { <p class="fault" data-text="too-long">{says}</p> })
}

fn said(session: Session, fault: TextFault, area: NodeRef<Textarea>) -> impl IntoView {
    let message = fault::said(session, &fault.error.message);
    let remedy = session.say(strings::fault(fault.error.kind).1);
    let says = match fault.line {
        0 => message,
        line => {
            let (line, column) = (line.to_string(), fault.column.to_string());
            filled(session.say(W::FaultAt), &[&line, &column, &message])
        }
    };
    let lead = move |_| {
        if let Some(area) = area.get_untracked() {
            lead_to(&area, &fault);
        }
    };
    view! {
        <p class="fault">
            <button class="link" data-text="fault" on:click=lead>{says}</button>
            " " {remedy} " " <span class="soft">{session.say(W::Stays)}</span>
        </p>
    }
}

/// Puts the caret on what is wrong: the word there, else one character.
fn lead_to(area: &HtmlTextAreaElement, fault: &TextFault) {
    let text = area.value();
    let number = fault.line.saturating_sub(1);
    let line = text.split('\n').nth(number).unwrap_or_default();
    let mut rest = line.chars().skip(fault.column.saturating_sub(1));
    let before = line.chars().take(fault.column.saturating_sub(1));
    let start = units_before(&text, number) + before.map(char::len_utf16).sum::<usize>();
    let first = rest.next().map_or(0, char::len_utf16);
    let word = rest.take_while(|it| it.is_alphanumeric() || *it == '_');
    let end = start + first + word.map(char::len_utf16).sum::<usize>();
    let _ = area.focus();
    put_caret(area, (start, end));
    show_line(area, number);
}

/// Selects from one place to another, in units of UTF-16.
fn put_caret(area: &HtmlTextAreaElement, (start, end): (usize, usize)) {
    let [start, end] = [start, end].map(|it| u32::try_from(it).unwrap_or(u32::MAX));
    let _ = area.set_selection_range(start, end);
}

/// Scrolls until a line, counted from 0, is in the middle.
fn show_line(area: &HtmlTextAreaElement, number: usize) {
    let top = i32::try_from(number * LINE).unwrap_or(i32::MAX);
    area.set_scroll_top((top - area.client_height() / 2).max(0));
}

/// How many units of UTF-16 stand before a line, counted from 0.
fn units_before(text: &str, number: usize) -> usize {
    let before = text.split('\n').take(number);
    before.map(|line| line.encode_utf16().count() + 1).sum()
}

/// How many lines a text has.
fn lines(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count() + 1
}

/// The numbers of so many lines, as one text.
fn numbers(count: usize) -> String {
    (1..=count).fold(String::new(), |mut all, number| {
        // Writing to a String cannot fail.
        let _ = writeln!(all, "{number}");
        all
    })
}
