//! What is said over a film's picture, or why there is no film yet.

use crate::state::driver::act;
use crate::state::film::Still;
use crate::state::session::{Session, session};
use crate::text::refusal::why_not;
use crate::text::title::plain_title;
use conversation::{Action, Column, FilmAction, FilmState, Progress};
use leptos::prelude::*;
use planner::PlanError;

use super::room::longest;
use super::scene::{exactly, sentence};
use crate::strings::{FilmWord, filled};

/// The sentence of a column's film at the step where it stands.
#[component]
pub(crate) fn Caption(column: Column, still: Memo<Option<Still>>) -> impl IntoView {
    let session = session();
    let on = Memo::new(move |_| session.filmed().contains(&column));
    // While it plays, sentences follow each other faster than they can be read out.
    let live = move || {
        if session.films.playing.get() {
            "off"
        } else {
            "polite"
        }
    };
    let said = Memo::new(move |_| still.with(|still| sentence(session, column, still.as_ref()?)));
    let exactly = move || still.with(|still| exactly(session, column, still.as_ref()?));
    let room = Memo::new(move |_| {
        let recording = session.recording(column);
        recording.map_or_else(Vec::new, |recording| longest(session, column, &recording))
    });
    // They are laid out unseen, and are no text of the page.
    let room = move || {
        let said = room.get().into_iter();
        said.map(|said| view! { <span data-text=said></span> })
            .collect_view()
    };
    let step = move || still.with(|still| Some(still.as_ref()?.step.to_string()));
    let decisive = move || {
        still.with(|still| {
            let still = still.as_ref();
            still.is_some_and(|still| {
                still.step > 0 && still.recording.survey.decisive == still.step.checked_sub(1)
            })
        })
    };
    view! {
        <Show when=move || on.get()>
            <div class="caption" class:decisive=decisive data-step=step>
                <p aria-live=live title=exactly>{move || said.get()}</p>
                <div class="room" aria-hidden="true">{room}</div>
                <Making column/>
            </div>
        </Show>
    }
}

/// How far the film is, or why there is none.
#[component]
fn Making(column: Column) -> impl IntoView {
    let session = session();
    move || {
        let film = session.films.states.with(|all| all.get(&column).cloned())?;
        let name = plain_title(session, column);
        let (done, total) = match film {
            FilmState::Done(_) => return None,
            FilmState::Failed(error) => {
                let refused = |plan: &Progress| matches!(plan, Progress::Failed(_));
                let plans = &session.plans;
                // The pane says why already.
                if plans.with(|plans| plans.get(&column).is_some_and(refused)) {
                    return None;
                }
                return Some(failed(session, column, &error).into_any());
            }
            FilmState::Waiting => (0, 1),
            FilmState::Working(done, total) => (done, total),
        };
        let making = filled(session.film_word(FilmWord::Making), &[&name]);
        Some(
            view! {
                <span>{making}</span>
                <progress max=total.max(1).to_string() value=done.min(total).to_string()></progress>
            }
            .into_any(),
        )
    }
}

fn failed(session: Session, column: Column, error: &PlanError) -> impl IntoView {
    // The same would be refused again.
    let refused = matches!(error, PlanError::Unsupported { .. });
    view! {
        <span>{why_not(session, error)}</span>
        <button hidden=refused on:click=move |_| act(session, Action::Film(FilmAction::Make(column)))>
            {session.film_word(FilmWord::Again)}
        </button>
    }
}
