//! What if the selected buffer lay elsewhere: address, steps, pin, swap, a strategy for the
//! rest, undo; and how it lies now.
//!
//! The pane stays in the document while something is selected, and each part of it follows
//! what it shows, so that a field that is typed in and a button that is used keep the focus.

use crate::state::driver::act;
use crate::state::hand::has_version;
use crate::state::session::{Session, session};
use crate::text::title::title;
use conversation::{Action, CARRIED, Column, Drag, HandAction, Keep, RunAction};
use leptos::html::Input;
use leptos::prelude::*;
use planner::{Offset, Strategy, what_if};
use web_sys::{Event, KeyboardEvent, SubmitEvent};

use crate::format;
use crate::picture::outlook::says;
use crate::strings::{HandWord, Word, filled};
use crate::text::violation::names;

/// The plan that the buttons are about, and the selected buffer.
type Chosen = Memo<Option<(Column, usize)>>;

/// What can be done with the selected buffer of the plan that the buttons are about.
#[component]
pub(crate) fn WhatIf() -> impl IntoView {
    let session = session();
    let chosen = Memo::new(move |_| {
        let (column, buffer) = session.target().zip(session.selected.get())?;
        let there = session.with_lifetimes(|lifetimes| buffer < lifetimes.buffers.len());
        there.unwrap_or(false).then_some((column, buffer))
    });
    let heading = move || {
        let title = chosen.get().map(|(column, _)| title(session, column));
        format!(
            "{}: {}",
            session.say(HandWord::WhatIf),
            title.unwrap_or_default()
        )
    };
    view! {
        <Show when=move || chosen.with(Option::is_some)>
            <section class="what-if" aria-label=move || session.say(HandWord::WhatIf)>
                <h3 data-define="what-if">{heading}</h3>
                {plans(session, chosen)}
                {verdict(session, chosen)}
                {address(session, chosen)}
                {steps(session, chosen)}
                <div class="controls">{pin(session, chosen)} {swap(session, chosen)}</div>
                <div class="controls">{finish(session, chosen)}</div>
                {history(session, chosen)}
                {too_much(session)}
            </section>
        </Show>
    }
}

fn does(session: Session, action: HandAction) {
    act(session, Action::Hand(action));
}

/// Which of the plans that are shown the buttons are about.
fn plans(session: Session, chosen: Chosen) -> impl IntoView {
    let others = move || {
        let mut shown = session.shown.get();
        let own = chosen.get().map(|(column, _)| column);
        shown.extend(own.filter(|own| !shown.contains(own)));
        shown
    };
    let options = move || {
        let own = chosen.get().map(|(column, _)| column);
        let option = |column: Column| {
            view! {
                <option value=column.name() selected=Some(column) == own>{title(session, column)}</option>
            }
        };
        others().into_iter().map(option).collect_view()
    };
    let choose = move |event: Event| {
        if let Ok(column) = event_target_value(&event).parse() {
            act(session, Action::Run(RunAction::Target(column)));
        }
    };
    view! {
        <label class="controls" hidden=move || others().len() < 2>
            <span>{move || session.say(HandWord::Plan)}</span>
            <select
                id="what-if-plan"
                prop:value=move || chosen.get().map(|(column, _)| column.name())
                on:change=choose
            >
                {options}
            </select>
        </label>
    }
}

/// How it lies, as text; screen readers announce it whenever it changes.
fn verdict(session: Session, chosen: Chosen) -> impl IntoView {
    let said = Memo::new(move |_| {
        let (column, buffer) = chosen.get()?;
        let at = session.offset(column, buffer)?;
        let look = session.look(column, buffer, at)?;
        let mut said = says(session, column, (buffer, at), &look);
        let pinned = session.what_if.is_pinned(column, buffer);
        if pinned {
            said.push(session.say(HandWord::Pinned).to_owned());
        }
        let moved = session
            .runs
            .edits
            .with(|edits| Some(edits.get(&column)?.moved.len()));
        if let Some(moved) = moved {
            let moved = format::grouped(moved as u64);
            said.push(filled(session.say(HandWord::Moved), &[&moved]));
        }
        Some((said.join(" "), look.is_free()))
    });
    let busy = move || said.with(|said| said.as_ref().is_some_and(|(_, free)| !free));
    let text = move || said.with(|said| said.as_ref().map(|(text, _)| text.clone()));
    view! {
        <p id="what-if-says" class="outlook" class:busy=busy role="status">{text}</p>
    }
}

/// Why what was typed is no address for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Misfit {
    Unreadable,
    TooHigh,
}

/// What is wrong with an address, and what would be right.
fn sentence(session: Session, misfit: Misfit) -> String {
    match misfit {
        Misfit::Unreadable => session.say(HandWord::NoAddress).to_owned(),
        Misfit::TooHigh => {
            let most = format!("{:#x}", session.highest().0);
            filled(session.say(HandWord::TooHigh), &[&most])
        }
    }
}

/// Undo and Redo in a field whose text was not changed.
fn travel(session: Session, event: &KeyboardEvent) {
    let action = match event.key().as_str() {
        _ if !event.ctrl_key() => return,
        "z" => HandAction::Undo,
        "Z" | "y" => HandAction::Redo,
        _ => return,
    };
    event.prevent_default();
    does(session, action);
}

/// Reads an address as it can be typed.
fn read(session: Session, text: &str) -> Result<Offset, Misfit> {
    let at = format::read_bytes(text).ok_or(Misfit::Unreadable)?;
    if at > untrack(|| session.highest()).0 {
        return Err(Misfit::TooHigh);
    }
    Ok(Offset(at))
}

/// Where it lies, to be typed over.
fn address(session: Session, chosen: Chosen) -> impl IntoView {
    let field = NodeRef::<Input>::new();
    let misfit = RwSignal::new(None::<Misfit>);
    let at = Memo::new(move |_| {
        let (column, buffer) = chosen.get()?;
        session.offset(column, buffer)
    });
    let shown = move || {
        at.get()
            .map(|at| format!("{:#x}", at.0))
            .unwrap_or_default()
    };
    // Another buffer or another place: what was wrong with the last one is over.
    Effect::new(move |_| {
        chosen.track();
        at.track();
        misfit.set(None);
    });
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        let Some((field, (column, buffer))) = field.get_untracked().zip(chosen.get_untracked())
        else {
            return;
        };
        match read(session, &field.value()) {
            Ok(to) => {
                misfit.set(None);
                does(session, HandAction::Move(Drag { column, buffer, to }));
            }
            Err(wrong) => misfit.set(Some(wrong)),
        }
    };
    let typed = move |event: Event| {
        if misfit.get_untracked().is_some() && read(session, &event_target_value(&event)).is_ok() {
            misfit.set(None);
        }
    };
    let pressed = move |event: KeyboardEvent| {
        let typed = field.get_untracked().map(|field| field.value());
        if typed == Some(untrack(shown)) {
            travel(session, &event);
        }
    };
    let why = move || Some(sentence(session, misfit.get()?));
    let stuck = move || pinned(session, chosen);
    view! {
        <form class="controls" on:submit=submit>
            <label>
                <span data-define="address">{move || session.say(HandWord::Address)}</span>
                <input
                    id="what-if-address"
                    node_ref=field
                    autocomplete="off"
                    spellcheck="false"
                    disabled=stuck
                    prop:value=shown
                    title=move || session.say(HandWord::AddressHint)
                    aria-invalid=move || misfit.get().is_some().to_string()
                    aria-describedby="what-if-misfit"
                    on:input=typed
                    on:keydown=pressed
                />
            </label>
            <button disabled=stuck>{move || session.say(HandWord::MoveThere)}</button>
            <p id="what-if-misfit" class="misfit" role="alert">{why}</p>
        </form>
    }
}

fn pinned(session: Session, chosen: Chosen) -> bool {
    let pinned = |(column, buffer)| session.what_if.is_pinned(column, buffer);
    chosen.get().is_some_and(pinned)
}

/// Steps and places to move to, for use without a mouse; and dragging, for use without Shift.
fn steps(session: Session, chosen: Chosen) -> impl IntoView {
    let stuck = move || pinned(session, chosen);
    let by = move |word: HandWord| {
        let step = chosen.get().map(|(_, buffer)| {
            // It is no signal, but it changes with these.
            session.settings.track();
            session.case(|case| case.step(buffer)).0
        });
        filled(session.say(word), &[&format::exact(step.unwrap_or(1))])
    };
    let nudge = move |steps: i8| act(session, Action::Hand(HandAction::Nudge(steps)));
    let hop = move |above: bool| does(session, HandAction::Hop(above));
    let says = move |word: HandWord| move || session.say(word);
    let handy = move || session.runs.handy.get();
    view! {
        <div class="controls">
            <button id="what-if-down" disabled=stuck title=move || by(HandWord::DownBy) on:click=move |_| nudge(-1)>
                "▼ " {says(HandWord::Down)}
            </button>
            <button id="what-if-up" disabled=stuck title=move || by(HandWord::UpBy) on:click=move |_| nudge(1)>
                "▲ " {says(HandWord::Up)}
            </button>
            <button id="what-if-below" disabled=stuck title=says(HandWord::NextBelowHint) on:click=move |_| hop(false)>
                {says(HandWord::NextBelow)}
            </button>
            <button id="what-if-above" disabled=stuck title=says(HandWord::NextAboveHint) on:click=move |_| hop(true)>
                {says(HandWord::NextAbove)}
            </button>
            <button
                id="what-if-drag"
                aria-pressed=move || handy().to_string()
                title=move || session.say(Word::MoveHint)
                on:click=move |_| act(session, Action::Run(RunAction::Handy(!handy())))
            >
                {move || session.say(Word::MoveMode)}
            </button>
        </div>
    }
}

fn pin(session: Session, chosen: Chosen) -> impl IntoView {
    let turn = move |_| {
        if let Some((column, buffer)) = chosen.get_untracked() {
            does(session, HandAction::Pin(column, buffer));
        }
    };
    view! {
        <label class="check" title=move || session.say(HandWord::PinHint)>
            <input
                type="checkbox"
                id="what-if-pin"
                prop:checked=move || pinned(session, chosen)
                on:change=turn
            />
            <span data-define="pinned">{move || session.say(HandWord::Pin)}</span>
        </label>
    }
}

/// The one button marks the first of two, waits, and then has both change places.
fn swap(session: Session, chosen: Chosen) -> impl IntoView {
    let partner = session.what_if.partner;
    let pair = move || {
        let (column, buffer) = chosen.get()?;
        let partner = partner.get().filter(|partner| *partner != buffer)?;
        Some((column, partner, buffer))
    };
    let text = move || match (partner.get(), pair()) {
        (None, _) => session.say(HandWord::Swap).to_owned(),
        (Some(_), None) => session.say(HandWord::SwapChoose).to_owned(),
        (Some(_), Some((_, partner, _))) => {
            let name = names(session, &[partner]);
            filled(session.say(HandWord::SwapWith), &[&name])
        }
    };
    let stuck = move || {
        pair().is_some_and(|(column, one, other)| {
            let pinned = |buffer| session.what_if.is_pinned(column, buffer);
            pinned(one) || pinned(other)
        })
    };
    let press = move |_| match (untrack(pair), chosen.get_untracked()) {
        (Some((column, partner, buffer)), _) => {
            does(session, HandAction::Swap(column, partner, buffer));
        }
        (None, Some((_, buffer))) => {
            let waits = partner.get_untracked().is_some();
            does(session, HandAction::Partner((!waits).then_some(buffer)));
        }
        (None, None) => {}
    };
    let id = move || {
        if pair().is_some() {
            "what-if-swap"
        } else {
            "what-if-partner"
        }
    };
    view! {
        <button id=id disabled=stuck on:click=press>{text}</button>
        <button
            id="what-if-no-swap"
            hidden=move || partner.get().is_none()
            on:click=move |_| does(session, HandAction::Partner(None))
        >
            {move || session.say(Word::Cancel)}
        </button>
    }
}

/// What plans the rest, and what stays.
fn finish(session: Session, chosen: Chosen) -> impl IntoView {
    let finisher = session.what_if.finisher;
    let finishers = Memo::new(move |_| {
        let options = session.options();
        let can = session.with_lifetimes(|lifetimes| what_if::finishers(lifetimes, &options));
        can.unwrap_or_default()
    });
    // What was chosen for another file may not do for this one.
    let current = move || {
        let chosen = finisher.get();
        finishers.with(|can| match can.contains(&chosen) {
            true => chosen,
            false => can.first().copied().unwrap_or(chosen),
        })
    };
    let options = move || {
        let current = current();
        let option = |strategy: Strategy| {
            let name = strategy.name();
            view! { <option value=name selected=strategy == current>{name}</option> }
        };
        finishers.get().into_iter().map(option).collect_view()
    };
    let choose = move |event: Event| {
        if let Ok(strategy) = event_target_value(&event).parse() {
            does(session, HandAction::Finisher(strategy));
        }
    };
    let keeps = move |keep: fn(usize) -> Keep| {
        move |_| {
            if let Some((column, buffer)) = chosen.get_untracked() {
                does(session, HandAction::Finisher(untrack(current)));
                does(session, HandAction::Finish(column, keep(buffer)));
            }
        }
    };
    let pins = move || {
        let column = chosen.get().map(|(column, _)| column);
        column.map_or(0, |column| session.what_if.pinned(column).len())
    };
    let waits = move || session.what_if.finishing.get().is_some();
    let count = move || {
        filled(
            session.say(HandWord::KeepPins),
            &[&format::grouped(pins() as u64)],
        )
    };
    view! {
        <label>
            <span>{move || session.say(HandWord::Finisher)}</span>
            <select id="what-if-strategy" prop:value=move || current().name() on:change=choose>
                {options}
            </select>
        </label>
        <button
            id="what-if-pins"
            disabled=move || waits() || pins() == 0
            on:click=keeps(|_| Keep::Pins)
        >
            {count}
        </button>
        <button
            id="what-if-rest"
            disabled=move || waits() || pinned(session, chosen)
            on:click=keeps(Keep::AllBut)
        >
            {move || session.say(HandWord::KeepRest)}
        </button>
        {wait(session)}
    }
}

/// A strategy is at work on the rest; the bar of what is at work stops it.
fn wait(session: Session) -> impl IntoView {
    let waits = move || session.what_if.finishing.get().is_some();
    view! { <span role="status">{move || waits().then(|| session.say(HandWord::Finishing))}</span> }
}

fn history(session: Session, chosen: Chosen) -> impl IntoView {
    let column = move || chosen.get().map(|(column, _)| column);
    let changed = move || {
        let column = column();
        column.is_some_and(|column| session.runs.edits.with(|edits| edits.contains_key(&column)))
    };
    let restore = move |_| {
        if let Some(column) = untrack(column) {
            act(session, Action::Hand(HandAction::Restore(column)));
        }
    };
    let none = move |versions| column().is_none_or(|column| !has_version(versions, column));
    let (past, future) = (session.what_if.past, session.what_if.future);
    view! {
        <div class="controls">
            <button
                id="undo"
                title="Ctrl+Z"
                disabled=move || none(past)
                on:click=move |_| does(session, HandAction::Undo)
            >
                {move || session.say(Word::Undo)}
            </button>
            <button
                id="redo"
                title="Ctrl+Shift+Z"
                disabled=move || none(future)
                on:click=move |_| does(session, HandAction::Redo)
            >
                {move || session.say(Word::Redo)}
            </button>
            <button disabled=move || !changed() on:click=restore>
                {move || session.say(Word::Restore)}
            </button>
        </div>
    }
}

/// A link that does not show what is seen says so.
fn too_much(session: Session) -> impl IntoView {
    let too_much = Memo::new(move |_| session.is_too_much_for_a_link());
    move || {
        too_much.get().then(|| {
            let carried = format::grouped(CARRIED as u64);
            let says = filled(session.say(HandWord::LinkTooLong), &[&carried]);
            view! { <p class="misfit" role="status">{says}</p> }
        })
    }
}
