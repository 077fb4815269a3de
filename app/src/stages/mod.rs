//! The model after each of its passes: a slider over the stages, what each saves, and what was
//! rewritten or refused.

mod findings;
mod rows;

use std::sync::Arc;

use conversation::{Action, Answer, Setting, StagesAction};
use leptos::prelude::*;
use planner::stages::{StageRow, Staged};
use planner::{PassSet, passes};
use web_sys::Event;

use crate::format;
use crate::lazy::tab;
use crate::state::driver::act;
use crate::state::session::{Session, session};
use crate::strings;
use crate::strings::{AnswerWord, StageWord, filled};
use crate::text::waiting;

tab!(stages, StageWord::Tab, Stages);

/// The tab.
#[component]
fn Stages() -> impl IntoView {
    let session = session();
    let state = session.insight.stages;
    let found = Memo::new(move |_| match state.get() {
        Answer::There(staged) => Some(staged),
        _ => None,
    });
    let waits = move || match state.get() {
        Answer::There(_) => None,
        Answer::Nothing => {
            let says = session.say(StageWord::Nothing);
            Some(view! { <p class="empty">{says}</p> }.into_any())
        }
        Answer::Stopped => Some(waiting::stopped(
            session,
            Action::Stages(StagesAction::Again),
        )),
        Answer::Unasked => Some(working(session, 0, 0)),
        Answer::Working(done, total) => Some(working(session, done, total)),
    };
    view! {
        <div class="stages">
            {waits}
            <Show when=move || found.with(Option::is_some)>
                {move || found.get().and_then(|staged| answer(session, &staged))}
                <header>
                    <h3 data-define="pass">{move || session.say(StageWord::Title)}</h3>
                    {choices(session)}
                    <Slider found/>
                </header>
                <rows::Rows found/>
                <findings::Findings found/>
            </Show>
        </div>
    }
}

fn working(session: Session, done: u64, total: u64) -> AnyView {
    let words = [StageWord::Starts, StageWord::Working];
    waiting::working(
        session,
        (done, total),
        words,
        Action::Stages(StagesAction::Stop),
    )
}

/// What the chosen passes save, and which of them most.
fn answer(session: Session, staged: &Staged) -> Option<impl IntoView + use<>> {
    let arena = |row: &StageRow| row.arena.as_ref().ok().map(|bytes| bytes.0);
    let before = arena(staged.rows.first()?)?;
    let after = arena(staged.rows.last()?)?;
    let bytes = format::bytes(before);
    let says = if staged.rows.len() == 1 {
        filled(session.say(AnswerWord::NoPasses), &[&bytes])
    } else {
        let pairs = staged.rows.iter().zip(staged.rows.iter().skip(1));
        let saved = pairs.filter_map(|(row, next)| {
            let saved = arena(row)?.checked_sub(arena(next)?)?;
            Some((saved, next.name()))
        });
        match saved.max_by_key(|(saved, _)| *saved).filter(|it| it.0 > 0) {
            Some((saved, name)) if after < before => {
                let called = strings::pass(name).map_or(name, |(name, _)| session.say(name));
                let [after, saved] = [after, saved].map(format::bytes);
                let values = [&bytes, &after, called, &saved].map(AsRef::<str>::as_ref);
                filled(session.say(AnswerWord::Passes), &values)
            }
            _ => filled(session.say(AnswerWord::PassesSame), &[&bytes]),
        }
    };
    Some(view! { <p class="answer">{says}</p> })
}

/// All passes at once, or none.
fn choices(session: Session) -> impl IntoView {
    let chosen = move || session.settings.get().passes;
    let choose = move |passes: PassSet| act(session, Setting::Passes(passes));
    let usual = move || {
        session.prepared.with(|prepared| {
            let graph = prepared.as_ref().and_then(|it| it.subject.graph());
            graph.map_or(PassSet::NONE, passes::usual)
        })
    };
    view! {
        <p class="choices">
            <button
                data-do="all-passes"
                title=move || session.say(StageWord::Usual)
                aria-pressed=move || (chosen() == usual()).to_string()
                on:click=move |_| choose(usual())
            >
                {move || session.say(StageWord::All)}
            </button>
            <button
                data-do="no-pass"
                aria-pressed=move || (chosen() == PassSet::NONE).to_string()
                on:click=move |_| choose(PassSet::NONE)
            >
                {move || session.say(StageWord::None)}
            </button>
        </p>
    }
}

/// What a stage is called.
fn name(session: Session, row: &StageRow) -> String {
    let word = strings::pass(row.name()).map(|(name, _)| session.say(name));
    word.unwrap_or_else(|| session.say(StageWord::Model))
        .to_owned()
}

/// The place of the stage that is in view; follows what is chosen.
fn current(session: Session, staged: &Staged) -> usize {
    let last = staged.rows.len().saturating_sub(1);
    let Some(until) = session.settings.get().until else {
        return last;
    };
    let mut rows = staged.rows.iter();
    rows.rposition(|row| row.until() <= until).unwrap_or(0)
}

/// Turns to the stage at this place.
fn turn(session: Session, staged: &Staged, place: usize) {
    act(session, Setting::Until(until(staged, place)));
}

fn until(staged: &Staged, place: usize) -> Option<u8> {
    let last = place + 1 >= staged.rows.len();
    let until = staged.rows.get(place).map(StageRow::until);
    until.filter(|_| !last)
}

/// A slider over the stages, where there are several.
#[component]
fn Slider(found: Memo<Option<Arc<Staged>>>) -> impl IntoView {
    let session = session();
    let with = move |read: &dyn Fn(&Staged) -> String| {
        let read = |it: &Option<Arc<Staged>>| it.as_ref().map(|it| read(it));
        found.with(read).unwrap_or_default()
    };
    let at = move || with(&|staged| current(session, staged).to_string());
    let last = move || with(&|staged| staged.rows.len().saturating_sub(1).to_string());
    let called = move || {
        with(&|staged| {
            let row = staged.rows.get(current(session, staged));
            row.map(|row| name(session, row)).unwrap_or_default()
        })
    };
    let slide = move |event: Event| {
        let place = event_target_value(&event).parse().unwrap_or_default();
        if let Some(staged) = found.get_untracked() {
            let slide = StagesAction::Slide(until(&staged, place));
            act(session, Action::Stages(slide));
        }
    };
    let several = move || found.with(|it| it.as_ref().is_some_and(|it| it.rows.len() > 1));
    view! {
        <label class="slider" hidden=move || !several()>
            <span data-define="stage">{move || session.say(StageWord::Slider)}</span>
            <input
                type="range"
                min="0"
                max=last
                step="1"
                prop:value=at
                aria-valuetext=called
                on:input=slide
                on:change=move |_| act(session, Action::Stages(StagesAction::Rest))
            />
            <output>{called}</output>
        </label>
    }
}
