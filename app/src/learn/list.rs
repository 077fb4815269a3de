//! The list of lessons and puzzles.

use std::sync::Arc;

use conversation::{Dialog, PageAction};
use leptos::html::Dialog as DialogElement;
use leptos::prelude::*;

use super::fetched::{self, Entry};
use super::panel::say;
use super::{player, progress};
use crate::drawing::modal::keep_open;
use crate::state::driver::act;
use crate::state::session::{Session, session};
use crate::strings::{LearnWord, Word, filled};

/// Opens it.
pub(super) fn open(session: Session) {
    act(session, PageAction::Dialog(Some(Dialog::Learn)));
}

/// How far the list is.
#[derive(Clone, Default, PartialEq)]
enum Listed {
    #[default]
    Coming,
    There(Arc<Vec<Entry>>),
    Failed(String),
}

/// The dialog.
#[component]
pub(crate) fn List() -> impl IntoView {
    let session = session();
    super::fetch_sheet();
    let dialog = NodeRef::<DialogElement>::new();
    let shown = Memo::new(move |_| session.dialog.get() == Some(Dialog::Learn));
    keep_open(dialog, move || shown.get());
    let close = move || act(session, PageAction::Dialog(None));
    let listed = RwSignal::new(Listed::default());
    let forgotten = RwSignal::new(0);
    Effect::new(move |_| {
        let there = listed.with_untracked(|it| matches!(it, Listed::There(_)));
        if shown.get() && !there {
            wasm_bindgen_futures::spawn_local(async move {
                listed.set(match fetched::list().await {
                    Ok(list) => Listed::There(list),
                    Err(why) => Listed::Failed(why.to_string()),
                });
            });
        }
    });
    let body = move || {
        // What was answered since it was open last.
        shown.track();
        forgotten.track();
        match listed.get() {
            Listed::Coming => {
                view! { <p role="status">{session.say(LearnWord::Loading)}</p> }.into_any()
            }
            Listed::Failed(why) => {
                let text = filled(session.say(LearnWord::NoList), &[&why]);
                view! { <p role="alert">{text}</p> }.into_any()
            }
            Listed::There(list) => entries(session, &list),
        }
    };
    let forget = move |_| {
        progress::forget();
        forgotten.update(|count| *count += 1);
    };
    view! {
        <dialog class="learn" node_ref=dialog aria-labelledby="learn-title" on:close=move |_| close()>
            <header>
                <h2 id="learn-title">{move || session.say(LearnWord::Learn)}</h2>
                <button class="quiet" on:click=move |_| close() aria-label=move || session.say(Word::Close)>"×"</button>
            </header>
            <p class="hint">{move || session.say(LearnWord::ListHint)}</p>
            {body}
            <p class="hint">{move || session.say(LearnWord::OwnLesson)}</p>
            <button class="link" data-do="forget" on:click=forget>{move || session.say(LearnWord::Forget)}</button>
        </dialog>
    }
}

fn entries(session: Session, list: &[Entry]) -> AnyView {
    let (puzzles, lessons): (Vec<&Entry>, Vec<&Entry>) = list.iter().partition(|it| it.puzzles);
    let rows = |of: &[&Entry]| of.iter().map(|it| row(session, it)).collect_view();
    let puzzles = (!puzzles.is_empty()).then(|| {
        view! {
            <h3>{session.say(LearnWord::Puzzles)}</h3>
            <ol class="lessons">{rows(&puzzles)}</ol>
        }
    });
    view! {
        <h3>{session.say(LearnWord::Lessons)}</h3>
        <ol class="lessons">{rows(&lessons)}</ol>
        {puzzles}
    }
    .into_any()
}

fn row(session: Session, entry: &Entry) -> impl IntoView + use<> {
    let answered = progress::of(&entry.lesson);
    let scenes = match entry.random {
        true => vec![player::today()],
        false => entry.scenes.clone(),
    };
    let done = scenes
        .iter()
        .filter(|scene| answered.contains(*scene))
        .count();
    let counts = [done, scenes.len()].map(|count| count.to_string());
    let minutes = filled(
        session.say(LearnWord::Minutes),
        &[&entry.minutes.to_string()],
    );
    let how_far = filled(
        session.say(LearnWord::Done),
        &counts.each_ref().map(String::as_str),
    );
    // Where it was left: the first scene that is not answered.
    let first = scenes.iter().find(|scene| !answered.contains(*scene));
    let first = first.or(scenes.first()).cloned().unwrap_or_default();
    let link = format!("{}:{first}", entry.lesson);
    let title = say(session, &entry.title);
    let word = match done {
        0 => LearnWord::Begin,
        done if done == scenes.len() => LearnWord::Replay,
        _ => LearnWord::GoOn,
    };
    let play = move |_| {
        act(session, PageAction::Dialog(None));
        player::begin(session, &link);
    };
    view! {
        <li data-lesson=entry.lesson.clone()>
            <div>
                <p class="title"><b>{entry.number}</b> " " {title.clone()}</p>
                <p class="teaches">{say(session, &entry.teaches)}</p>
                <p class="figures">{minutes} " · " {how_far.clone()}</p>
                <progress aria-label=how_far.clone() max=counts[1].clone() value=counts[0].clone()></progress>
            </div>
            <button class="primary" aria-label=format!("{}: {title}", session.say(word)) on:click=play>{session.say(word)}</button>
        </li>
    }
}
