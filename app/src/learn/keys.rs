//! Keys while a lesson is played.

use conversation::{Action, FilmAction, PageAction};
use leptos::prelude::*;
use lesson::Predict;
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, KeyboardEvent};

use super::player::{Player, player};
use super::tools;
use crate::state::driver::act;
use crate::state::session::Session;
use crate::strings::Language;

/// Whether a key was for the lesson; what it does is done.
pub(crate) fn pressed(session: Session, event: &KeyboardEvent) -> bool {
    let player = player(session);
    if event.ctrl_key() || player.lesson.with_untracked(Option::is_none) {
        return false;
    }
    let known = match (event.key().as_str(), event.shift_key()) {
        // Clickers send these.
        ("PageDown", false) => {
            player.go(true);
            true
        }
        ("PageUp", false) => {
            player.go(false);
            true
        }
        ("r", false) => {
            player.give_up();
            true
        }
        ("h", false) => {
            player.hinted.set(true);
            true
        }
        ("n", false) => {
            tools::open_window(player);
            true
        }
        ("b", false) => {
            player.blank.update(|blank| *blank = !*blank);
            true
        }
        ("l", false) => {
            let other = match session.chosen.get_untracked() {
                Language::En => Language::Zh,
                Language::Zh => Language::En,
            };
            act(session, PageAction::Speak(other));
            true
        }
        (" ", false) => space(player),
        (digit, false) => digit.parse().is_ok_and(|digit| choose(player, digit)),
        _ => false,
    };
    if known {
        event.prevent_default();
    }
    known
}

/// Plays the film where there is one; else goes on once the scene is answered.
fn space(player: Player) -> bool {
    let session = player.session;
    if untrack(|| session.film_len()) > 0 {
        let playing = session.films.playing.get_untracked();
        act(session, Action::Film(FilmAction::Play(!playing)));
        return true;
    }
    player.done.get_untracked() && player.go(true)
}

/// Chooses the sentence of this number, from 1.
fn choose(player: Player, number: usize) -> bool {
    let scene = untrack(|| player.scene());
    let Some(Predict::Choose(choices)) = scene.map(|scene| scene.predict) else {
        return false;
    };
    let choice = number.checked_sub(1).and_then(|index| choices.get(index));
    let Some(choice) = choice else { return false };
    let button = document().query_selector(&format!(".choice[data-choice='{}']", choice.id));
    let button = button
        .ok()
        .flatten()
        .and_then(|it| it.dyn_into::<HtmlElement>().ok());
    if let Some(button) = button {
        button.click();
    }
    true
}
