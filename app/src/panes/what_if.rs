//! What if the selected buffer lay elsewhere: address, pin, swap, a strategy for the rest,
//! undo; and what dropping a held rectangle would give.

use leptos::html::Input;
use leptos::prelude::*;
use planner::liveness::Lifetimes;
use planner::strategies::{Model, Strategy};
use planner::units::Offset;
use web_sys::{Event, SubmitEvent};

use super::hover_card::offset_text;
use super::pane::title;
use crate::actions::{Action, RunAction, WhatIfAction, act, is_pinned};
use crate::format;
use crate::state::column::Column;
use crate::state::run::Moving;
use crate::state::session::{Session, session};
use crate::state::what_if::Keep;
use crate::words::{Word, filled};

/// A list of names stops after this many.
const NAMED: usize = 3;

/// What can be done with the selected buffer of the plan that the buttons are about.
#[component]
pub(crate) fn WhatIf() -> impl IntoView {
    let session = session();
    let chosen = Memo::new(move |_| {
        let (column, buffer) = session.target().zip(session.selected.get())?;
        let there = session.with_lifetimes(|lifetimes| buffer < lifetimes.buffers.len());
        there.unwrap_or(false).then_some((column, buffer))
    });
    // Each part follows what it shows, so that a field that is typed in stays.
    move || {
        let (column, buffer) = chosen.get()?;
        Some(view! {
            <section class="what-if" aria-label=move || session.say(Word::WhatIf)>
                <h3>{move || format!("{}: {}", session.say(Word::WhatIf), title(session, column))}</h3>
                {address(session, column, buffer)}
                <div class="controls">
                    {pin(session, column, buffer)}
                    {move || swap(session, column, buffer)}
                </div>
                <div class="controls">{move || finish(session, column, buffer)}</div>
                {history(session, column)}
            </section>
        })
    }
}

fn does(session: Session, action: WhatIfAction) {
    act(session, Action::WhatIf(action));
}

fn button(
    session: Session,
    id: &'static str,
    text: String,
    disabled: bool,
    action: WhatIfAction,
) -> AnyView {
    let click = move |_| does(session, action.clone());
    view! { <button id=id disabled=disabled on:click=click>{text}</button> }.into_any()
}

/// Where it lies, to be typed over.
fn address(session: Session, column: Column, buffer: usize) -> AnyView {
    let field = NodeRef::<Input>::new();
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        let Some(field) = field.get_untracked() else {
            return;
        };
        match read(&field.value()) {
            Some(to) => does(session, WhatIfAction::Move(Moving { column, buffer, to })),
            None => act(session, Action::Tell(Word::NoAddress)),
        }
    };
    let pinned = Memo::new(move |_| session.what_if.pinned(column).contains(&buffer));
    let at = Memo::new(move |_| {
        session.plans.with(|plans| {
            let plan = &plans.get(&column)?.planned()?.judged.plan;
            plan.offsets.get(buffer).copied()
        })
    });
    view! {
        <form class="controls" on:submit=submit>
            <label>
                <span>{move || session.say(Word::Address)}</span>
                <input
                    id="what-if-address"
                    node_ref=field
                    autocomplete="off"
                    disabled=pinned
                    prop:value=move || at.get().map(|at| format!("{:#x}", at.0))
                    title=move || session.say(Word::AddressHint)
                />
            </label>
            <button disabled=pinned>{move || session.say(Word::MoveThere)}</button>
        </form>
    }
    .into_any()
}

/// An address in bytes: decimal, or hexadecimal behind "0x".
fn read(text: &str) -> Option<Offset> {
    let text = text.trim().replace([',', '_'], "").to_lowercase();
    let number = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.trim_end_matches('b').trim_end().parse(),
    };
    number.ok().map(Offset)
}

fn pin(session: Session, column: Column, buffer: usize) -> AnyView {
    let pinned = move || session.what_if.pinned(column).contains(&buffer);
    view! {
        <label class="check" title=move || session.say(Word::PinHint)>
            <input
                type="checkbox"
                id="what-if-pin"
                prop:checked=pinned
                on:change=move |_| does(session, WhatIfAction::Pin(column, buffer))
            />
            <span>{move || session.say(Word::Pin)}</span>
        </label>
    }
    .into_any()
}

fn swap(session: Session, column: Column, buffer: usize) -> Vec<AnyView> {
    match session.what_if.partner.get() {
        Some(partner) if partner != buffer => {
            let name = names(session, &[partner]);
            let stuck = [partner, buffer]
                .iter()
                .any(|&buffer| is_pinned(session, column, buffer));
            let action = WhatIfAction::Swap(column, partner, buffer);
            let text = filled(session.say(Word::SwapWith), &[&name]);
            let back = session.say(Word::Cancel).to_owned();
            vec![
                button(session, "what-if-swap", text, stuck, action),
                button(
                    session,
                    "what-if-no-swap",
                    back,
                    false,
                    WhatIfAction::Partner(None),
                ),
            ]
        }
        Some(_) => {
            let back = session.say(Word::Cancel).to_owned();
            vec![
                view! { <span>{session.say(Word::SwapChoose)}</span> }.into_any(),
                button(
                    session,
                    "what-if-no-swap",
                    back,
                    false,
                    WhatIfAction::Partner(None),
                ),
            ]
        }
        None => {
            let text = session.say(Word::Swap).to_owned();
            let action = WhatIfAction::Partner(Some(buffer));
            vec![button(session, "what-if-partner", text, false, action)]
        }
    }
}

/// Who plans the rest, and what stays.
fn finish(session: Session, column: Column, buffer: usize) -> Vec<AnyView> {
    if session.what_if.finishing.get().is_some() {
        let cancel = move |_| act(session, Action::Cancel);
        let wait = view! {
            <span role="status">{session.say(Word::Finishing)}</span>
            <button on:click=cancel>{session.say(Word::Cancel)}</button>
        };
        return vec![wait.into_any()];
    }
    let current = session.what_if.finisher.get();
    let choose = move |event: Event| {
        if let Ok(strategy) = event_target_value(&event).parse() {
            does(session, WhatIfAction::Finisher(strategy));
        }
    };
    let can = |strategy: &Strategy| strategy.model() == Model::Offsets;
    let options = Strategy::ALL.into_iter().filter(can).map(|strategy| {
        let name = strategy.name();
        view! { <option value=name selected=strategy == current>{name}</option> }
    });
    let pins = session.what_if.pinned(column).len();
    let count = format::grouped(pins as u64);
    let keep_pins = filled(session.say(Word::KeepPins), &[&count]);
    let keep_rest = session.say(Word::KeepRest).to_owned();
    let action = |keep| WhatIfAction::Finish(column, keep);
    vec![
        view! {
            <label>
                <span>{session.say(Word::Finisher)}</span>
                <select id="what-if-strategy" prop:value=current.name() on:change=choose>
                    {options.collect_view()}
                </select>
            </label>
        }
        .into_any(),
        button(
            session,
            "what-if-pins",
            keep_pins,
            pins == 0,
            action(Keep::Pins),
        ),
        button(
            session,
            "what-if-rest",
            keep_rest,
            false,
            action(Keep::AllBut(buffer)),
        ),
    ]
}

fn history(session: Session, column: Column) -> AnyView {
    let changed = move || session.runs.edits.with(|edits| edits.contains_key(&column));
    let restore = move |_| act(session, Action::Run(RunAction::Restore(column)));
    view! {
        <div class="controls">
            <button
                id="undo"
                title="Ctrl+Z"
                disabled=move || session.what_if.past.with(Vec::is_empty)
                on:click=move |_| does(session, WhatIfAction::Undo)
            >
                {move || session.say(Word::Undo)}
            </button>
            <button
                id="redo"
                title="Ctrl+Shift+Z"
                disabled=move || session.what_if.future.with(Vec::is_empty)
                on:click=move |_| does(session, WhatIfAction::Redo)
            >
                {move || session.say(Word::Redo)}
            </button>
            <button disabled=move || !changed() on:click=restore>
                {move || session.say(Word::Restore)}
            </button>
        </div>
    }
    .into_any()
}

/// What dropping the held rectangle would give; nothing while none is held.
#[component]
pub(crate) fn Outlook(column: Column) -> impl IntoView {
    let session = session();
    move || {
        let outlook = session.outlook(column)?;
        let moving = session.runs.moving.get()?;
        let name = names(session, &[moving.buffer]);
        let at = offset_text(moving.to);
        let bound = session
            .prepared
            .with(|p| Some(p.as_ref()?.bounds.offsets.0))?;
        let arena = format::exact(outlook.arena.0);
        let over = outlook.arena.0.saturating_sub(bound);
        let over = format::exact(over);
        let free = outlook.in_the_way.is_empty();
        // An arena says nothing while two rectangles share bytes.
        let figures = free.then(|| filled(session.say(Word::OutlookArena), &[&arena, &over]));
        let way = match free {
            true => session.say(Word::OutlookFree).to_owned(),
            false => {
                let names = names(session, &outlook.in_the_way);
                filled(session.say(Word::OutlookBusy), &[&names])
            }
        };
        Some(view! {
            <p class="outlook" class:busy=!free>
                <b>{name}</b> " → " {at} ": " {way} " " {figures}
            </p>
        })
    }
}

/// Names of some buffers, the first few of them.
fn names(session: Session, buffers: &[usize]) -> String {
    let name = |lifetimes: &Lifetimes| {
        let name = |&index: &usize| Some(lifetimes.buffers.get(index)?.name.clone());
        buffers
            .iter()
            .take(NAMED)
            .filter_map(name)
            .collect::<Vec<String>>()
    };
    let text = session.with_lifetimes(name).unwrap_or_default().join(", ");
    let more = buffers.len().saturating_sub(NAMED);
    if more == 0 {
        return text;
    }
    let more = filled(session.say(Word::AndMore), &[&format::grouped(more as u64)]);
    format!("{text}, {more}")
}
