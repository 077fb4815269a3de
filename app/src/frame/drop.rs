//! Files and texts that are dropped or pasted.

use conversation::{Action, CaseAction, DifferenceAction, Given, Where};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{ClipboardEvent, DragEvent, Element};

use crate::browser::files;
use crate::lazy::LEARN;
use crate::state::driver::{act, all_given};
use crate::state::session::{Session, session};
use crate::strings::{GivenWord, HelpWord, filled};

/// What a pasted text is called.
const PASTED: &str = "pasted.txt";

/// What lies over the page while files are held over it.
#[component]
pub(crate) fn Dropping() -> impl IntoView {
    let session = session();
    let completes = move || {
        let waiting = session.completes_other()?;
        let what = filled(session.say(GivenWord::DropMissing), &[&waiting]);
        Some([session.say(GivenWord::DropCompare).to_owned(), what])
    };
    let opens = move || {
        let words = [
            HelpWord::DropTitle,
            HelpWord::DropKinds,
            HelpWord::DropTogether,
        ];
        words.map(|word| session.say(word).to_owned())
    };
    let dropping = move || match completes() {
        Some(lines) => lines.map(|line| view! { <p>{line}</p> }).collect_view(),
        None => opens().map(|line| view! { <p>{line}</p> }).collect_view(),
    };
    view! { <div class="drop">{dropping}</div> }
}

/// Opens dropped files.
pub(crate) fn dropped(session: Session, event: &DragEvent) {
    let list = event.data_transfer().and_then(|data| data.files());
    if let Some(list) = list {
        take(session, all_given(session, &list));
    }
}

/// Opens pasted files, or a pasted text such as a log, as one file. What is pasted into a
/// field belongs there.
pub(crate) fn pasted(session: Session, event: &ClipboardEvent) {
    let target = event.target();
    let target = target.and_then(|target| target.dyn_into::<Element>().ok());
    let in_field = target.is_some_and(|it| matches!(it.closest("input, textarea"), Ok(Some(_))));
    let Some(data) = event.clipboard_data().filter(|_| !in_field) else {
        return;
    };
    let mut given = data
        .files()
        .map_or_else(Vec::new, |list| all_given(session, &list));
    if given.is_empty() {
        let text = data.get_data("text/plain").unwrap_or_default();
        let text = Some(text).filter(|text| !text.trim().is_empty());
        given.extend(text.map(|text| Given::text(PASTED, &text)));
    }
    if !given.is_empty() {
        take(session, given);
    }
}

/// Opens files, or takes them for the missing ones of the dump that is to be compared. One that is
/// a lesson is played.
pub(crate) fn take(session: Session, given: Vec<Given>) {
    if session.completes_other().is_some() {
        act(session, Action::Differ(DifferenceAction::Dump(given)));
        return;
    }
    let open = move |given| act(session, CaseAction::OpenFiles(given, Where::Instead));
    let blob = match given.as_slice() {
        [one] => session.page.driver().files.blob(&one.content),
        _ => None,
    };
    // One byte more: who reads it says that it is too large.
    let blob = blob.and_then(|all| all.slice_with_i32_and_i32(0, MOST_LESSON + 1).ok());
    let Some(blob) = blob else { return open(given) };
    wasm_bindgen_futures::spawn_local(async move {
        let text = files::text_of(&blob)
            .await
            .filter(|text| begins_a_lesson(text));
        let (Some(text), Some(name)) = (text, given.first().map(|one| one.name.clone())) else {
            return open(given);
        };
        LEARN.then(move |learn| (learn.play)(session, &name, &text));
    });
}

/// A lesson file is at most so large, in bytes.
const MOST_LESSON: i32 = 1 << 20;

/// Whether a text is a JSON object that begins as a lesson, or has what every lesson has.
fn begins_a_lesson(text: &str) -> bool {
    let text = text.trim_start().trim_start_matches('\u{feff}');
    let Some(inside) = text.strip_prefix('{') else {
        return false;
    };
    let has = |key: &str| inside.contains(key);
    inside.trim_start().starts_with("\"lesson\"") || has("\"lesson\"") && has("\"scenes\"")
}
