//! The help: what can be opened, keys and mouse, problems as CSV, queries.

use conversation::{Dialog, PageAction};
use leptos::html::Dialog as DialogElement;
use leptos::prelude::*;
use planner::query::Field;

use crate::drawing::modal::keep_open;
use crate::frame::openable::Openable;
use crate::lazy::GLOSSARY;
use crate::state::driver::act;
use crate::state::session::{Session, session};
use crate::strings::{
    ConstraintWord, FrameWord, HandWord, InsightWord, LearnWord, QueryWord, Spoken, Word, field,
    filled, flags,
};

/// What is pressed, and what it does.
const KEYS: [(&[&str], Word); 15] = [
    (&["W", "A", "S", "D"], Word::KeyWasd),
    (&["←", "→", "↑", "↓"], Word::KeyPan),
    (&["+", "−"], Word::KeyZoom),
    (&["0"], Word::KeyFit),
    (&["F"], Word::KeyFitSelection),
    (&[".", ","], Word::KeyNext),
    (&["P"], Word::KeyPin),
    (&["Ctrl+Z"], Word::Undo),
    (&["Ctrl+Shift+Z"], Word::Redo),
    (&["Space"], Word::KeyFilmPlay),
    (&["[", "]"], Word::KeyFilmStep),
    (&["Home", "End"], Word::KeyFilmEnds),
    (&["/"], Word::KeySearch),
    (&["Esc"], Word::KeyEscape),
    (&["?"], Word::KeyHelp),
];

/// The same for what is seen.
const SEEN: [(&[&str], FrameWord); 4] = [
    (&["⌫"], FrameWord::Back),
    (&["Shift+⌫"], FrameWord::Forth),
    (&["Z"], FrameWord::FocusHint),
    (&["Shift+P"], FrameWord::PresenterHint),
];

/// The same for asking.
const ASK: [(&[&str], InsightWord); 1] = [(&["X"], InsightWord::KeyCross)];

/// The same for changing a plan by hand.
const HAND: [(&[&str], HandWord); 2] = [
    (&["Shift+↑", "Shift+↓"], HandWord::KeyNudge),
    (&["Shift+PgUp", "Shift+PgDn"], HandWord::KeyNext),
];

/// The same while a lesson is played.
const LESSON: [(&[&str], LearnWord); 7] = [
    (&["PgUp", "PgDn"], LearnWord::KeyScene),
    (&["1", "…", "9"], LearnWord::KeyChoose),
    (&["R"], LearnWord::KeyReveal),
    (&["H"], LearnWord::KeyHint),
    (&["N"], LearnWord::KeyNotes),
    (&["B"], LearnWord::KeyBlank),
    (&["L"], LearnWord::KeyLanguage),
];

const MOUSE: [(Word, Word); 6] = [
    (Word::Wheel, Word::KeyWheel),
    (Word::Drag, Word::KeyDrag),
    (Word::ShiftDrag, Word::KeyMove),
    (Word::Click, Word::KeyClick),
    (Word::DoubleClick, Word::KeyDoubleClick),
    (Word::Pinch, Word::KeyPinch),
];

/// The columns of a CSV, each with an example and what it means.
const COLUMNS: [(&str, &str, ConstraintWord); 5] = [
    ("lower, upper, size", "", ConstraintWord::CsvNeeded),
    ("gaps", "3-5 7-9@0:64", ConstraintWord::CsvPauses),
    ("fixed", "4096", ConstraintWord::CsvFixed),
    ("pools", "1 0", ConstraintWord::CsvPools),
    ("id, alignment, name, offset", "", ConstraintWord::CsvOther),
];

/// Queries, and what they ask.
const QUERIES: [(&str, QueryWord); 6] = [
    ("conv or ^layer*weight$", QueryWord::HelpWord),
    ("size >= 1.5MiB and op ~ conv", QueryWord::HelpFields),
    ("live at 120 or live at peak", QueryWord::HelpLive),
    ("at offset 0x1000", QueryWord::HelpOver),
    ("is padded", QueryWord::HelpFlags),
    ("not (role = input or fixed = 0)", QueryWord::HelpJoin),
];

/// The dialog.
#[component]
pub(crate) fn Help() -> impl IntoView {
    let session = session();
    let dialog = NodeRef::<DialogElement>::new();
    keep_open(dialog, move || session.dialog.get() == Some(Dialog::Help));
    let close = move || act(session, PageAction::Dialog(None));
    view! {
        <dialog node_ref=dialog aria-labelledby="help-title" on:close=move |_| close()>
            <header>
                <h2 id="help-title">{move || session.say(Word::Help)}</h2>
                <button class="quiet" on:click=move |_| close() aria-label=move || session.say(Word::Close)>"×"</button>
            </header>
            <Openable/>
            <h3>{move || session.say(Word::KeysTitle)}</h3>
            <dl class="keys">
                {KEYS.map(|(keys, word)| key_row(session, keys, word)).collect_view()}
                {SEEN.map(|(keys, word)| key_row(session, keys, word)).collect_view()}
                {ASK.map(|(keys, word)| key_row(session, keys, word)).collect_view()}
                {HAND.map(|(keys, word)| key_row(session, keys, word)).collect_view()}
                {MOUSE.map(|(what, word)| view! {
                    <dt>{move || session.say(what)}</dt>
                    <dd>{move || session.say(word)}</dd>
                }).collect_view()}
            </dl>
            <h3>{move || session.say(LearnWord::KeysTitle)}</h3>
            <dl class="keys">
                {LESSON.map(|(keys, word)| key_row(session, keys, word)).collect_view()}
            </dl>
            <h3>{move || session.say(FrameWord::Terms)}</h3>
            {GLOSSARY.view(|part| (part.list)())}
            <h3>{move || session.say(ConstraintWord::CsvTitle)}</h3>
            <dl class="keys columns">
                {COLUMNS.map(|(column, example, word)| view! {
                    <dt><code>{column}</code></dt>
                    <dd>
                        {move || session.say(word)} " "
                        {(!example.is_empty()).then(|| view! { <code>{example}</code> })}
                    </dd>
                }).collect_view()}
            </dl>
            <Queries session/>
            <KeysSwitch session/>
        </dialog>
    }
}

/// Keys, and what they do.
fn key_row(
    session: Session,
    keys: &'static [&'static str],
    word: impl Spoken + Send + Sync + 'static,
) -> impl IntoView {
    view! {
        <dt>{keys.iter().map(|key| view! { <kbd>{*key}</kbd> }).collect_view()}</dt>
        <dd>{move || session.say(word)}</dd>
    }
}

/// The language of the search.
#[component]
fn Queries(session: Session) -> impl IntoView {
    let of_field = move |known: Field| {
        view! {
            <dt><code>{known.name()}</code></dt>
            <dd>{move || session.say(field(known))}</dd>
        }
    };
    view! {
        <h3>{move || session.say(QueryWord::HelpTitle)}</h3>
        <dl class="keys columns">
            {QUERIES.map(|(query, word)| view! {
                <dt><code>{query}</code></dt>
                <dd>{move || filled(session.say(word), &[&flags()])}</dd>
            }).collect_view()}
        </dl>
        <p>{move || session.say(QueryWord::HelpKeys)}</p>
        <details>
            <summary>{move || session.say(QueryWord::HelpAll)}</summary>
            <dl class="keys columns">{Field::ALL.map(of_field).collect_view()}</dl>
        </details>
    }
}

/// Single keys as shortcuts can be switched off, for those whom they get in the way.
#[component]
fn KeysSwitch(session: Session) -> impl IntoView {
    view! {
        <label class="check">
            <input
                type="checkbox"
                prop:checked=move || session.keys.get()
                on:change=move |event| act(session, PageAction::Keys(event_target_checked(&event)))
            />
            <span>{move || session.say(Word::SingleKeys)}</span>
        </label>
    }
}
