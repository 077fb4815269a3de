//! The lecturer's window: notes, the answer, the next scene and a clock, beside the window that the
//! class sees.

use gloo::storage::{SessionStorage, Storage};
use gloo::timers::callback::Interval;
use leptos::prelude::*;
use web_sys::UrlSearchParams;

use super::channel::{self, Button, Message, Seen};
use crate::state::memory;
use crate::state::session::session;
use crate::strings::LearnWord;

/// Under this the window keeps when it was opened.
const BEGAN: &str = "arenascope.lesson.began";

/// Which window with pictures it is of, as its address says.
fn of() -> String {
    let search = window().location().search().unwrap_or_default();
    let parameters = UrlSearchParams::new_with_str(&search).ok();
    parameters.and_then(|it| it.get("of")).unwrap_or_default()
}

/// The window.
#[component]
pub(crate) fn Notes() -> impl IntoView {
    let session = session();
    super::fetch_sheet();
    let seen = RwSignal::new(None::<Seen>);
    let channel = StoredValue::new_local(channel::channel(&of()));
    channel.with_value(|channel| {
        if let Some(channel) = channel {
            channel::listen(channel, move |message| match message {
                Message::Seen(it) => seen.set(Some(*it)),
                Message::Closed => seen.set(None),
                Message::Hello | Message::Pressed(_) => {}
            });
            channel::post(channel, &Message::Hello);
        }
    });
    let press = move |button| {
        channel.with_value(|channel| {
            if let Some(channel) = channel {
                channel::post(channel, &Message::Pressed(button));
            }
        });
    };
    let playing = move || seen.get().filter(|seen| seen.playing);
    let text = move |of: fn(&Seen) -> &String| move || playing().map(|seen| of(&seen).clone());
    let section = move |word: LearnWord, of: fn(&Seen) -> &String, name: &'static str| {
        let empty = move || playing().is_none_or(|seen| of(&seen).is_empty());
        view! {
            <section data-notes=name hidden=empty>
                <h3>{move || session.say(word)}</h3>
                <p>{text(of)}</p>
            </section>
        }
    };
    let button = move |button: Button, word: LearnWord, name: &'static str| {
        view! {
            <button data-do=name disabled=move || playing().is_none() on:click=move |_| press(button)>
                {move || session.say(word)}
            </button>
        }
    };
    view! {
        <main class="notes">
            <header>
                <h1>{move || session.say(LearnWord::Window)}</h1>
                <Clock/>
            </header>
            <p hidden=move || playing().is_some() role="status">{move || session.say(LearnWord::NoClass)}</p>
            <div hidden=move || playing().is_none()>
                <h2>{text(|seen| &seen.title)} " · " {text(|seen| &seen.at)}</h2>
                <p>{text(|seen| &seen.text)}</p>
                <p class="question">{text(|seen| &seen.ask)}</p>
            </div>
            {section(LearnWord::Notes, |seen| &seen.notes, "notes")}
            {section(LearnWord::Answer, |seen| &seen.answer, "answer")}
            {section(LearnWord::Hint, |seen| &seen.hint, "hint")}
            {section(LearnWord::NextScene, |seen| &seen.next, "next")}
            <div class="steps" role="group">
                {button(Button::Back, LearnWord::Back, "back")}
                {button(Button::Hint, LearnWord::Hint, "hint")}
                {button(Button::Show, LearnWord::ShowMe, "show")}
                {button(Button::Blank, LearnWord::Blank, "blank")}
                {button(Button::Next, LearnWord::Next, "next")}
            </div>
        </main>
    }
}

/// How long the window has been open.
#[component]
fn Clock() -> impl IntoView {
    let session = session();
    // Loaded again, the window goes on counting.
    let kept = memory::is_allowed().then(|| SessionStorage::get::<f64>(BEGAN).ok());
    let began = kept.flatten().unwrap_or_else(js_sys::Date::now);
    if memory::is_allowed() {
        let _ = SessionStorage::set(BEGAN, began);
    }
    let now = RwSignal::new(began);
    // A window that is covered ticks seldom: what counts is the time, not the ticks.
    Interval::new(1000, move || now.set(js_sys::Date::now())).forget();
    let clock = move || {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a lecture has few seconds, and not less than none"
        )]
        let seconds = ((now.get() - began) / 1000.0).max(0.0) as u64;
        format!("{}:{:02}", seconds / 60, seconds % 60)
    };
    view! {
        <p class="clock">
            <span>{move || session.say(LearnWord::Elapsed)}</span> " " <b role="timer">{clock}</b>
        </p>
    }
}
