//! Between the window with the picture and the lecturer's: what is shown goes one way, what the
//! lecturer presses the other. Both are windows of one browser.

use gloo::events::EventListener;
use gloo::storage::{SessionStorage, Storage};
use leptos::prelude::*;
use lesson::Scene;
use serde::{Deserialize, Serialize};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{BroadcastChannel, MessageEvent};

use super::panel::{answer_and_why, say};
use super::player::Player;
use crate::state::memory;
use crate::strings::{LearnWord, filled};

/// The channel's name; both windows are of one origin.
const NAME: &str = "arenascope.lesson";

/// What is shown, as the lecturer sees it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Seen {
    pub(super) title: String,
    pub(super) at: String,
    pub(super) text: String,
    pub(super) ask: String,
    pub(super) notes: String,
    pub(super) hint: String,
    pub(super) answer: String,
    pub(super) next: String,
    pub(super) done: bool,
    pub(super) blank: bool,
    /// Whether there is a lesson at all.
    pub(super) playing: bool,
}

/// What is said between the windows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Message {
    /// The lecturer's window wants to know what is shown.
    Hello,
    /// This is shown.
    Seen(Box<Seen>),
    /// The lecturer pressed this.
    Pressed(Button),
    /// The window with the picture is closed.
    Closed,
}

/// What a lecturer presses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Button {
    Back,
    Next,
    Hint,
    Show,
    Blank,
}

/// Under this a window with pictures keeps what its lecturer's window calls it.
const OWN: &str = "arenascope.lesson.window";

/// What the lecturer's window of this one calls it: the same after it is loaded again.
pub(super) fn own() -> String {
    let kept = memory::is_allowed().then(|| SessionStorage::get::<String>(OWN).ok());
    kept.flatten().unwrap_or_else(|| {
        let own = format!("{:.0}", js_sys::Math::random() * 1e15);
        if memory::is_allowed() {
            let _ = SessionStorage::set(OWN, &own);
        }
        own
    })
}

/// The channel of the window that is called so; `None` where the browser has none.
pub(super) fn channel(of: &str) -> Option<BroadcastChannel> {
    BroadcastChannel::new(&format!("{NAME}.{of}")).ok()
}

/// Says something.
pub(super) fn post(channel: &BroadcastChannel, message: &Message) {
    if let Ok(text) = serde_json::to_string(message) {
        // Fails only once the channel is closed.
        let _ = channel.post_message(&JsValue::from_str(&text));
    }
}

/// Calls `take` with what is said in other windows.
pub(super) fn listen(channel: &BroadcastChannel, take: impl Fn(Message) + 'static) {
    EventListener::new(channel, "message", move |event| {
        let text = event
            .dyn_ref::<MessageEvent>()
            .and_then(|it| it.data().as_string());
        if let Some(message) = text.and_then(|text| serde_json::from_str(&text).ok()) {
            take(message);
        }
    })
    .forget();
}

/// Keeps the lecturer's window and the player at the same scene.
pub(super) fn follow(player: Player) {
    let Some(channel) = channel(&player.window.get_value()) else {
        return;
    };
    let own = StoredValue::new_local(channel.clone());
    let tell = move || {
        let seen = Box::new(untrack(|| seen(player)));
        own.with_value(|channel| post(channel, &Message::Seen(seen)));
    };
    listen(&channel, move |message| match message {
        Message::Hello => tell(),
        Message::Pressed(button) => press(player, button),
        Message::Seen(_) | Message::Closed => {}
    });
    Effect::new(move |_| {
        let seen = Box::new(seen(player));
        own.with_value(|channel| post(channel, &Message::Seen(seen)));
    });
    EventListener::new(&window(), "pagehide", move |_| {
        own.with_value(|channel| post(channel, &Message::Closed));
    })
    .forget();
}

fn press(player: Player, button: Button) {
    match button {
        Button::Back => {
            player.go(false);
        }
        Button::Next => {
            player.go(true);
        }
        Button::Hint => player.hinted.set(true),
        Button::Show => player.give_up(),
        Button::Blank => player.blank.update(|blank| *blank = !*blank),
    }
}

/// What is shown; follows it.
fn seen(player: Player) -> Seen {
    let session = player.session;
    let (Some(lesson), Some(scene)) = (player.lesson.get(), player.scene()) else {
        return Seen::default();
    };
    let at = player.at.get();
    let counts = [at + 1, lesson.scenes.len()].map(|count| count.to_string());
    let next = lesson
        .scenes
        .get(at + 1)
        .map(|next: &Scene| say(session, &next.ask));
    let optional = |text: &Option<lesson::Text>| {
        text.as_ref()
            .map(|text| say(session, text))
            .unwrap_or_default()
    };
    Seen {
        title: say(session, &lesson.title),
        at: filled(
            session.say(LearnWord::Scene),
            &counts.each_ref().map(String::as_str),
        ),
        text: say(session, &scene.text),
        ask: say(session, &scene.ask),
        notes: optional(&scene.notes),
        hint: optional(&scene.hint),
        answer: answer_and_why(player),
        next: next.unwrap_or_default(),
        done: player.done.get(),
        blank: player.blank.get(),
        playing: session.taught.scene.with(Option::is_some),
    }
}
