//! The film of one strategy, or of two in lock-step: which, and how they play. The pictures
//! and sentences are in the panes above.

mod caption;
mod considered;
mod listing;
pub(crate) mod keys;
mod mistake;
mod objects;
mod pooling;
mod room;
pub(crate) mod scene;
mod search;
mod sentence;
mod narrator;

use conversation::{Action, Column, FILMS, FilmAction, Pace, SPEEDS, Tab};
use leptos::prelude::*;
use planner::Strategy;

use crate::format::grouped;
use crate::lazy::{FILM, TabEntry};
use crate::state::driver::act;
use crate::state::session::{Session, session};
use crate::strings::{FilmWord, Word, filled};
use crate::text::title::plain_title;

pub(crate) use caption::Caption;

/// The tab.
pub(crate) const TAB: TabEntry = TabEntry {
    tab: Tab::FILM,
    title: |language| Word::Film.in_language(language),
    show: || FILM.view(|film| (film.tab)()),
    count: |_| None,
    source: None,
};

/// The tab.
#[component]
pub(crate) fn Film() -> impl IntoView {
    let session = session();
    view! {
        <div class="film" on:keydown=move |event| keys::inside(session, &event)>
            <div class="controls">
                {(0..FILMS).map(|place| view! { <Choose place/> }).collect_view()}
                <Settings/>
            </div>
            <Show
                when=move || session.film_len() != 0
                fallback=move || view! {
                    <p class="empty">
                        {move || session.filmed().is_empty().then(|| session.film_word(FilmWord::Nothing))}
                    </p>
                }
            >
                <Transport/>
            </Show>
            <Sampled/>
        </div>
    }
}

/// Which strategy's film is in the first or second place.
#[component]
fn Choose(place: usize) -> impl IntoView {
    let session = session();
    let chosen = move || session.filmed().get(place).map(|column| column.name());
    let change = move |event| {
        let name = event_target_value(&event);
        let strategy: Option<Strategy> = name.parse().ok();
        act(session, Action::Film(FilmAction::Choose(place, strategy)));
    };
    let word = if place == 0 {
        FilmWord::First
    } else {
        FilmWord::Second
    };
    // A second film needs a first one.
    let disabled = move || place > session.filmed().len();
    view! {
        <label>
            <span data-define="film">{move || session.film_word(word)}</span>
            <select data-film=place.to_string() prop:value=move || chosen().unwrap_or_default() on:change=change disabled=disabled>
                <option value="" selected=move || chosen().is_none()>{move || session.film_word(FilmWord::NoFilm)}</option>
                {Strategy::ALL.map(|strategy| {
                    let name = strategy.name();
                    view! { <option value=name selected=move || chosen() == Some(name)>{name}</option> }
                }).collect_view()}
            </select>
        </label>
    }
}

/// Start, back, play, on, end; the scrubber and where it is.
#[component]
fn Transport() -> impl IntoView {
    let session = session();
    let films = session.films;
    let len = Memo::new(move |_| session.film_len());
    let cursor = Memo::new(move |_| films.cursor.get().min(len.get()));
    let go = move |event| {
        if let Ok(step) = event_target_value(&event).parse() {
            act(session, Action::Film(FilmAction::Go(step)));
        }
    };
    let position = move || {
        let numbers = [cursor.get(), len.get()].map(|number| grouped(number as u64));
        filled(
            session.film_word(FilmWord::Position),
            &numbers.each_ref().map(String::as_str),
        )
    };
    let button =
        move |sign: &'static str, word: FilmWord, action: FilmAction, name: &'static str| {
            view! { <Button sign word action name/> }
        };
    view! {
        <div class="transport">
            <div class="buttons">
                {button("|◀", FilmWord::Start, FilmAction::End(false), "start")}
                {button("◀", FilmWord::Back, FilmAction::Step(-1), "back")}
                <Play/>
                {button("▶", FilmWord::On, FilmAction::Step(1), "on")}
                {button("▶|", FilmWord::End, FilmAction::End(true), "end")}
            </div>
            <input
                type="range"
                class="scrubber"
                min="0"
                max=move || len.get().to_string()
                step="1"
                prop:value=move || cursor.get().to_string()
                on:input=go
                aria-label=move || session.film_word(FilmWord::Scrubber)
                aria-valuetext=position
            />
            <span class="position" data-position=move || cursor.get().to_string()>{position}</span>
            <Decisive/>
        </div>
    }
}

#[component]
fn Button(
    sign: &'static str,
    word: FilmWord,
    action: FilmAction,
    name: &'static str,
) -> impl IntoView {
    let session = session();
    view! {
        <button
            data-film=name
            aria-label=move || session.film_word(word)
            title=move || session.film_word(word)
            on:click=move |_| act(session, Action::Film(action.clone()))
        >
            <span aria-hidden="true">{sign}</span>
        </button>
    }
}

#[component]
fn Play() -> impl IntoView {
    let session = session();
    let playing = session.films.playing;
    let word = move || {
        session.film_word(if playing.get() {
            FilmWord::Pause
        } else {
            FilmWord::Play
        })
    };
    view! {
        <button
            class="primary"
            data-film="play"
            aria-label=word
            title=word
            on:click=move |_| act(session, Action::Film(FilmAction::Play(!playing.get_untracked())))
        >
            {word}
        </button>
    }
}

/// Goes to the step that decides that a film misses the bound, for each that has one.
#[component]
fn Decisive() -> impl IntoView {
    let session = session();
    let found = move || {
        let filmed = session.filmed();
        let several = filmed.len() > 1;
        let decisive = filmed.into_iter().filter_map(|column| {
            let recording = session.recording(column)?;
            let step = session.film_cursor(&recording, recording.survey.decisive? + 1);
            Some((column, step))
        });
        decisive
            .map(|(column, step)| decisive_button(session, column, step, several))
            .collect_view()
    };
    view! { <div class="buttons">{found}</div> }
}

fn decisive_button(session: Session, column: Column, step: usize, several: bool) -> impl IntoView {
    let word = session.film_word(FilmWord::Decisive);
    let text = if several {
        format!("{word}: {}", plain_title(session, column))
    } else {
        word.to_owned()
    };
    let go = move |_| {
        act(session, Action::Film(FilmAction::Play(false)));
        act(session, Action::Film(FilmAction::Go(step)));
    };
    view! { <button data-decisive=column.name() on:click=go>{text}</button> }
}

/// How fast, and how two keep step.
#[component]
fn Settings() -> impl IntoView {
    let session = session();
    let films = session.films;
    let speed = move |event| {
        if let Ok(speed) = event_target_value(&event).parse() {
            act(session, Action::Film(FilmAction::Speed(speed)));
        }
    };
    let keep = move |event| {
        let pace = match event_target_value(&event).as_str() {
            "share" => Pace::Share,
            "tensor" => Pace::Tensor,
            _ => Pace::Decision,
        };
        act(session, Action::Film(FilmAction::Keep(pace)));
    };
    let two = move || session.recordings().len() > 1;
    let paces = [
        ("decision", Pace::Decision, FilmWord::ByDecision),
        ("tensor", Pace::Tensor, FilmWord::ByTensor),
        ("share", Pace::Share, FilmWord::ByShare),
    ];
    view! {
        <label>
            <span>{move || session.film_word(FilmWord::Speed)}</span>
            <select data-film="speed" on:change=speed>
                {SPEEDS.map(|speed| {
                    let chosen = move || (films.speed.get() - speed).abs() < f64::EPSILON;
                    view! { <option value=speed.to_string() selected=chosen>{format!("{speed}×")}</option> }
                }).collect_view()}
            </select>
        </label>
        <Show when=two>
            <label>
                <span>{move || session.film_word(FilmWord::KeepStep)}</span>
                <select data-film="pace" on:change=keep>
                    {paces.map(|(name, pace, word)| view! {
                        <option value=name selected=move || films.pace.get() == pace>
                            {move || session.film_word(word)}
                        </option>
                    }).collect_view()}
                </select>
            </label>
        </Show>
    }
}

/// Says which films are sampled.
#[component]
fn Sampled() -> impl IntoView {
    let session = session();
    move || {
        let sampled = session.filmed().into_iter().filter_map(|column| {
            let recording = session.recording(column)?;
            let every = grouped(recording.trace.sampled?);
            let all = grouped(recording.trace.decisions);
            let name = plain_title(session, column);
            let text = filled(session.film_word(FilmWord::Sampled), &[&name, &all, &every]);
            Some(view! { <p class="sampled">{text}</p> })
        });
        sampled.collect_view()
    }
}
