//! What is changed to answer: rectangles that are put elsewhere, activations that are given up.

use leptos::prelude::*;
use lesson::{Answer, Corrupt, PlacementTask, PointedAt, Right};

use super::moves;
use super::panel::number_text;
use super::player::Player;
use crate::state::session::to_f64;
use crate::strings::{LearnWord, filled};

/// How the plan stands, and what can be said of it.
#[component]
pub(super) fn PlaceIt(player: Player, place: PlacementTask) -> impl IntoView {
    let session = player.session;
    let may_be_impossible = place.may_be_impossible;
    // Of a puzzle it is said how small it can be: what is asked is how.
    let least = move || match player.measured()?.ok()?.0.right {
        Right::Bytes { least, stars, .. } if !stars.is_empty() => {
            let least = number_text(least, "B");
            Some(format!(
                " ({})",
                filled(session.say(LearnWord::Least), &[&least])
            ))
        }
        _ => None,
    };
    let now = move || {
        let judged = moves::plan(player, &place.plan)?;
        let text = match judged.violations.len() {
            0 => {
                let arena = number_text(to_f64(judged.metrics.taken().0), "B");
                filled(session.say(LearnWord::ArenaNow), &[&arena])
            }
            faults => filled(session.say(LearnWord::Overlaps), &[&faults.to_string()]),
        };
        Some(text + &least().unwrap_or_default())
    };
    let impossible = move || {
        may_be_impossible.then(|| {
            view! {
                <button
                    data-do="impossible"
                    disabled=move || player.done.get() || player.measured().is_none()
                    on:click=move |_| player.answer(&Answer::Impossible)
                >
                    {session.say(LearnWord::Impossible)}
                </button>
            }
        })
    };
    view! {
        <Movable player/>
        <p class="now" aria-live="polite">{now}</p>
        {impossible}
    }
}

/// Which outputs the plan changes as it is.
#[component]
pub(super) fn CorruptIt(player: Player, corrupt: Corrupt) -> impl IntoView {
    let session = player.session;
    let now = move || {
        let judged = moves::plan(player, &corrupt.plan)?;
        let changed = moves::changed(player, &judged);
        Some(match changed.is_empty() {
            true => session.say(LearnWord::NoOutput).to_owned(),
            false => filled(session.say(LearnWord::Outputs), &[&changed.join(", ")]),
        })
    };
    view! {
        <Movable player/>
        <p class="now" aria-live="polite">{now}</p>
    }
}

/// The rectangles by name, for who does not use a mouse.
#[component]
fn Movable(player: Player) -> impl IntoView {
    let session = player.session;
    let names = Memo::new(move |_| moves::pointable(player, PointedAt::Rectangle));
    let chip = move |name: String| {
        let (label, clicked) = (name.clone(), name.clone());
        view! {
            <button class="chip" data-select=name disabled=move || player.done.get() on:click=move |_| moves::take(player, &clicked)>
                {label}
            </button>
        }
    };
    view! {
        <p class="how">{move || session.say(LearnWord::PlaceHint)}</p>
        <div class="chips">{move || names.get().into_iter().map(chip).collect_view()}</div>
    }
}

/// Activations to give up, and what the step needs then.
#[component]
pub(super) fn Drops(player: Player) -> impl IntoView {
    let session = player.session;
    let right = Memo::new(move |_| match player.measured() {
        Some(Ok((measured, _))) => Some(measured.right),
        _ => None,
    });
    let chip = move |(index, name): (usize, String)| {
        let bit = 1_u32 << index;
        let label = name.clone();
        view! {
            <button
                class="chip"
                data-drop=name
                aria-pressed=move || (player.dropped.get() & bit != 0).to_string()
                disabled=move || player.done.get()
                on:click=move |_| {
                    player.dropped.update(|set| *set ^= bit);
                    player.said.set(None);
                }
            >
                {label}
            </button>
        }
    };
    let chips = move || {
        let names = match right.get() {
            Some(Right::Drops { names, .. }) => names,
            _ => Vec::new(),
        };
        names.into_iter().enumerate().map(chip).collect_view()
    };
    let now = move || {
        let drop = right.get()?.drop(player.dropped.get())?;
        let peak = number_text(to_f64(drop.peak), "B");
        let words = [peak, drop.again.to_string()];
        let words = words.each_ref().map(String::as_str);
        Some(filled(session.say(LearnWord::StepNow), &words))
    };
    let off = move || player.done.get() || player.measured().is_none();
    view! {
        <p class="how">{move || session.say(LearnWord::DropHint)}</p>
        <div class="chips">{chips}</div>
        <p class="now" aria-live="polite">{now}</p>
        <button class="primary" data-do="check" disabled=off on:click=move |_| player.answer(&Answer::GivenUp(player.dropped.get_untracked()))>
            {move || session.say(LearnWord::Check)}
        </button>
    }
}
