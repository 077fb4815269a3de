//! A hand-out: every scene of a lesson with its picture and its question, the answers apart.

use std::sync::Arc;
use std::time::Duration;

use gloo::timers::future::sleep;
use leptos::prelude::*;
use lesson::{Lesson, Predict, Scene};
use timeline::svg::escaped;

use crate::lazy::EXPORT;
use crate::learn::moves;
use crate::learn::panel::{answer_and_why, say};
use crate::learn::player::Player;
use crate::state::session::Session;
use crate::strings::LearnWord;

/// How often it is looked whether a picture is there, in milliseconds, and how often at most.
const LOOK_MS: u64 = 60;

const LOOKS: u32 = 500;

/// Makes it and has the browser print it; says how far it is.
pub(super) fn hand_out(player: Player, printing: RwSignal<Option<(usize, usize)>>) {
    let Some(lesson) = player.lesson.get_untracked() else {
        return;
    };
    let back = player.at.get_untracked();
    EXPORT.fetch();
    wasm_bindgen_futures::spawn_local(async move {
        let count = lesson.scenes.len();
        let mut pages = Vec::new();
        for (index, scene) in lesson.scenes.iter().enumerate() {
            printing.set(Some((index + 1, count)));
            player.show(index, "");
            if !arrives(player).await {
                break;
            }
            let picture = EXPORT
                .now()
                .and_then(|part| untrack(|| (part.printed)(player.session)));
            let right = untrack(|| answer_and_why(player));
            pages.push((scene.clone(), picture.unwrap_or_default(), right));
        }
        printing.set(None);
        player.show(back, "");
        if pages.len() == count {
            let html = untrack(|| written(player.session, &lesson, &pages));
            print(&html);
        }
    });
}

/// Waits until the picture and the answer of a scene are there; whether they are.
async fn arrives(player: Player) -> bool {
    for _ in 0..LOOKS {
        sleep(Duration::from_millis(LOOK_MS)).await;
        let there = untrack(|| moves::is_there(player) && player.measured().is_some());
        if there && EXPORT.now().is_some() {
            return true;
        }
    }
    false
}

/// A scene, its picture as SVG, and the answer.
type Page = (Scene, String, String);

fn written(session: Session, lesson: &Arc<Lesson>, pages: &[Page]) -> String {
    let text = |text: &lesson::Text| escaped(&say(session, text));
    let mut html = format!("<h1>{}</h1>", text(&lesson.title));
    for (scene, picture, _) in pages {
        html += &format!(
            "<section><h2>{}</h2><p>{}</p><div class=\"picture\">{picture}</div><p><b>{}</b></p>{}</section>",
            scene.id,
            text(&scene.text),
            text(&scene.ask),
            choices(session, scene),
        );
    }
    html += &format!(
        "<section class=\"answers\"><h1>{}</h1>",
        session.say(LearnWord::HandOutAnswers)
    );
    for (scene, _, right) in pages {
        html += &format!("<p><b>{}</b> {}</p>", scene.id, escaped(right));
    }
    html + "</section>"
}

fn choices(session: Session, scene: &Scene) -> String {
    let Predict::Choose(choices) = &scene.predict else {
        return String::new();
    };
    let rows = choices
        .iter()
        .map(|choice| format!("<li>{}</li>", escaped(&say(session, &choice.text))));
    format!("<ol>{}</ol>", rows.collect::<String>())
}

/// What is printed, by its id.
const SHEETS: &str = "hand-out";

/// Prints in place of the page, which comes back afterwards.
fn print(html: &str) {
    let body = document().body();
    let sheets = document().create_element("div").ok();
    let (Some(body), Some(sheets)) = (body, sheets) else {
        return;
    };
    sheets.set_id(SHEETS);
    sheets.set_inner_html(html);
    let _ = body.append_child(&sheets);
    // Returns once the dialog is closed; refused only in frames that may not print.
    let _ = window().print();
    sheets.remove();
}
