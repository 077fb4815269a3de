//! What is said of a run that gives no sign, and a way to begin it once more.

use crate::state::driver::act;
use crate::state::session::session;
use conversation::{Action, RunAction};
use leptos::prelude::*;

use crate::strings::{Word, filled};

/// Seconds without any answer before the page says so: longer than most steps of the CPU reference.
const MUTE: u32 = 10;

/// Seconds without progress before the page says so: longer than most compilations.
const STILL: u32 = 30;

#[component]
pub(super) fn QuietRun() -> impl IntoView {
    let session = session();
    let runs = session.runs;
    let word = Memo::new(move |_| {
        let quiet = runs.quiet.get();
        let going = runs.going.with(Option::is_some);
        match (quiet.mute >= MUTE, quiet.still >= STILL) {
            (true, _) if going => Some(Word::RunnerMute),
            (false, true) if going => Some(Word::RunnerStill),
            _ => None,
        }
    });
    let seconds = move |word: Word| {
        let quiet = runs.quiet.get();
        let seconds = if word == Word::RunnerMute {
            quiet.mute
        } else {
            quiet.still
        };
        filled(session.say(Word::QuietFor), &[&seconds.to_string()])
    };
    // What changes every second is kept from screen readers.
    move || {
        let word = word.get()?;
        Some(view! {
            <div class="quiet-run">
                <p role="alert">{session.say(word)}</p>
                <span class="size" aria-hidden="true">{move || seconds(word)}</span>
                <button
                    id="run-anew"
                    on:click=move |_| act(session, Action::Run(RunAction::Anew))
                >
                    {session.say(Word::RunAnew)}
                </button>
            </div>
        })
    }
}
