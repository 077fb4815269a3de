//! How a question is answered: by a sentence, a number, a place in the picture, an order.

use leptos::html::Input;
use leptos::prelude::*;
use lesson::{Answer, Choice, Hidden, List, Operators, Point, PointedAt, Predict};
use web_sys::{DragEvent, SubmitEvent};

use super::panel::say;
use super::place::{CorruptIt, Drops, PlaceIt};
use super::player::{Player, Said};
use super::{moves, ordered};
use crate::format;
use crate::state::session::Session;
use crate::strings::{LearnWord, filled};

/// What is done to answer.
#[component]
pub(super) fn Ask(player: Player) -> impl IntoView {
    let session = player.session;
    let predict = untrack(|| player.scene()).map(|scene| scene.predict);
    let how = match predict {
        Some(Predict::Choose(choices)) => choose(player, choices),
        Some(Predict::Number(number)) => write(player, number.unit),
        Some(Predict::Point(point)) => point_at(player, point),
        Some(Predict::Place(place)) => view! { <PlaceIt player place/> }.into_any(),
        Some(Predict::Corrupt(corrupt)) => view! { <CorruptIt player corrupt/> }.into_any(),
        Some(Predict::GiveUp(_)) => view! { <Drops player/> }.into_any(),
        Some(Predict::List(list)) => order(player, list),
        Some(Predict::Operators(operators)) => operators_in_order(player, operators),
        None => ().into_any(),
    };
    let working = move || player.measured().is_none();
    view! {
        <div class="ask" data-measured=move || (!working()).to_string()>
            {how}
            <p class="measuring" role="status" hidden=move || !working()>
                {move || session.say(LearnWord::Measuring)}
            </p>
        </div>
    }
}

fn choose(player: Player, choices: Vec<Choice>) -> AnyView {
    let session = player.session;
    let chosen = RwSignal::new(None::<String>);
    let row = |(index, choice): (usize, Choice)| {
        let (id, text) = (choice.id.clone(), choice.text);
        let is_chosen = {
            let id = id.clone();
            move || chosen.with(|chosen| chosen.as_ref() == Some(&id))
        };
        let answer = {
            let id = id.clone();
            move |_| {
                chosen.set(Some(id.clone()));
                player.answer(&Answer::Chosen(id.clone()));
            }
        };
        // Once the answer is there, found or shown.
        let right = {
            let id = id.clone();
            Memo::new(move |_| player.done.get() && player.is_right_choice(&id))
        };
        view! {
            <li>
                <button
                    class="choice"
                    data-choice=id
                    aria-pressed=move || is_chosen().to_string()
                    data-right=move || right.get().then_some("true")
                    disabled=move || player.done.get() || player.measured().is_none()
                    on:click=answer
                >
                    <kbd aria-hidden="true">{index + 1}</kbd>
                    <span>
                        {move || say(session, &text)}
                        {move || right.get().then(|| mark(session))}
                    </span>
                </button>
            </li>
        }
    };
    view! { <ol class="choices">{choices.into_iter().enumerate().map(row).collect_view()}</ol> }
        .into_any()
}

/// What a right choice is marked with.
fn mark(session: Session) -> impl IntoView {
    view! {
        <b class="mark" aria-hidden="true">" ✓"</b>
        <span class="unseen">{format!(" ({})", session.say(LearnWord::RightChoice))}</span>
    }
}

fn write(player: Player, unit: String) -> AnyView {
    let session = player.session;
    let of_unit = unit.clone();
    let field = NodeRef::<Input>::new();
    let answer = move |event: SubmitEvent| {
        event.prevent_default();
        let Some(field) = field.get_untracked() else {
            return;
        };
        match number(&field.value(), &of_unit) {
            Some(number) => player.answer(&Answer::Number(number)),
            None => player.said.set(Some(Said::Nothing)),
        }
    };
    let off = move || player.done.get() || player.measured().is_none();
    view! {
        <form class="number" on:submit=answer>
            <label>
                <span class="unseen">{move || session.say(LearnWord::YourNumber)}</span>
                <input type="text" inputmode="decimal" autocomplete="off" node_ref=field prop:value=move || {
                    // Another scene begins with an empty field.
                    player.shown.track();
                    String::new()
                } disabled=move || player.done.get()
                    placeholder=move || session.say(LearnWord::YourNumber)/>
            </label>
            <span class="unit">{unit}</span>
            <button class="primary" type="submit" disabled=off>
                {move || session.say(LearnWord::Check)}
            </button>
        </form>
    }
    .into_any()
}

/// A number as people write it: with its unit or without, in full width, and with commas or spaces
/// between thousands.
fn number(text: &str, unit: &str) -> Option<f64> {
    let narrow = |sign: char| match sign {
        '０'..='９' => char::from_u32(u32::from(sign) - u32::from('０') + u32::from('0')),
        '．' => Some('.'),
        '，' | '\u{202f}' | '\u{a0}' | ' ' | '_' => Some(','),
        '−' | '－' => Some('-'),
        other => Some(other),
    };
    let text: String = text.trim().chars().filter_map(narrow).collect();
    let text = text
        .strip_suffix(unit)
        .unwrap_or(&text)
        .trim_end_matches(',');
    let (whole, rest) = text.split_once('.').unwrap_or((text, ""));
    let mut groups = whole.split(',');
    let first = groups.next().unwrap_or_default().trim_start_matches('-');
    let grouped = groups.clone().count() > 0;
    let fits = groups.all(|group| group.len() == 3) && (1..=3).contains(&first.len());
    if grouped && !fits || rest.contains(',') {
        return None;
    }
    let plain = text.replace(',', "");
    plain.parse().ok().filter(|number: &f64| number.is_finite())
}

fn point_at(player: Player, point: Point) -> AnyView {
    let session = player.session;
    let word = match point.at {
        PointedAt::Rectangle => LearnWord::PointRectangle,
        PointedAt::Step => LearnWord::PointStep,
        PointedAt::Operator => LearnWord::PointOperator,
    };
    let names = Memo::new(move |_| moves::pointable(player, point.at));
    let chip = move |name: String| {
        let (label, pressed, clicked) = (name.clone(), name.clone(), name.clone());
        view! {
            <button
                class="chip"
                data-point=name
                aria-pressed=move || player.names.with(|names| names.contains(&pressed)).to_string()
                disabled=move || player.done.get() || player.measured().is_none()
                on:click=move |_| moves::pointed(player, &clicked)
            >
                {label}
            </button>
        }
    };
    let chips = move || names.get().into_iter().map(chip).collect_view();
    view! {
        <p class="how">
            {move || session.say(if session.is_hidden(Hidden::Picture) { LearnWord::PointHere } else { word })}
        </p>
        <div class="chips">{chips}</div>
    }
    .into_any()
}

fn order(player: Player, list: List) -> AnyView {
    let session = player.session;
    let items = list.items;
    let text = move |id: &str| {
        let item = items.iter().find(|item| item.0 == id);
        item.map(|item| say(session, &item.1)).unwrap_or_default()
    };
    let off = move || player.done.get() || player.measured().is_none();
    view! {
        {rows(player, text)}
        <button class="primary" data-do="check" disabled=off on:click=move |_| ordered::check(player)>
            {move || session.say(LearnWord::Check)}
        </button>
    }
    .into_any()
}

fn operators_in_order(player: Player, _: Operators) -> AnyView {
    let session = player.session;
    let peak = move || {
        let (_, peak) = ordered::planned(session);
        let peak = super::panel::number_text(peak?, "B");
        Some(filled(session.say(LearnWord::PeakNow), &[&peak]))
    };
    view! {
        {rows(player, |name| name.to_owned())}
        <p class="now" aria-live="polite">{peak}</p>
    }
    .into_any()
}

/// Things in their order, which are dragged or moved by buttons.
fn rows(player: Player, text: impl Fn(&str) -> String + Clone + Send + Sync + 'static) -> AnyView {
    let session = player.session;
    let held = RwSignal::new(None::<usize>);
    let row = move |(index, name): (usize, String)| {
        let label = text(&name);
        let said = |word| format!("{}: {label}", session.say(word));
        let (earlier, later) = (said(LearnWord::Earlier), said(LearnWord::Later));
        let dropped = move |event: DragEvent| {
            if let Some(from) = held.get_untracked() {
                event.prevent_default();
                event.stop_propagation();
                held.set(None);
                ordered::put(player, from, index);
            }
        };
        let over = move |event: DragEvent| {
            if held.get_untracked().is_some() {
                event.prevent_default();
                event.stop_propagation();
            }
        };
        let off = move || player.done.get();
        view! {
            <li draggable="true" data-item=name on:dragstart=move |_| held.set(Some(index)) on:dragover=over on:drop=dropped>
                <span class="place" aria-hidden="true">{format::grouped(index as u64 + 1)}</span>
                <span class="item">{label}</span>
                <button class="quiet" data-do="earlier" aria-label=earlier disabled=off on:click=move |_| ordered::shift(player, index, false)>"↑"</button>
                <button class="quiet" data-do="later" aria-label=later disabled=off on:click=move |_| ordered::shift(player, index, true)>"↓"</button>
            </li>
        }
    };
    let rows = move || {
        let names = player.names.get().into_iter().enumerate();
        names.map(row.clone()).collect_view()
    };
    view! { <ol class="ordered">{rows}</ol> }.into_any()
}
