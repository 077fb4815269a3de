//! What to run, on what, and the ways to spoil it.

use leptos::prelude::*;
use runner::MachineKind;
use web_sys::{Event, HtmlInputElement};

use super::super::pane::title;
use crate::actions::{Action, RunAction, act};
use crate::state::column::Column;
use crate::state::session::{Session, session};
use crate::words::{Word, filled};

#[component]
pub(super) fn Controls() -> impl IntoView {
    let session = session();
    let going = Memo::new(move |_| session.runs.going.with(Option::is_some));
    let start = move |_| {
        let action = if going.get_untracked() {
            RunAction::Cancel
        } else {
            RunAction::Start
        };
        act(session, Action::Run(action));
    };
    let label = move || {
        session.say(match (going.get(), session.runs.machine.get()) {
            (true, _) => Word::Cancel,
            (false, MachineKind::Gpu) => Word::RunOnGpu,
            (false, MachineKind::Cpu) => Word::RunOnCpu,
        })
    };
    view! {
        <div class="controls">
            <button class="primary" id="run" title=move || session.say(Word::RunHint) on:click=start>
                {label}
            </button>
            <button
                id="run-all"
                disabled=move || going.get()
                on:click=move |_| act(session, Action::Run(RunAction::StartAll))
            >
                {move || session.say(Word::RunAll)}
            </button>
            <Plans/>
            <Machine/>
            <Seed/>
            <label class="check" title=move || session.say(Word::CompareTwinsHint)>
                <input
                    type="checkbox"
                    id="run-reference"
                    disabled=move || session.runs.machine.get() == MachineKind::Cpu
                    prop:checked=move || session.runs.reference.get()
                    on:change=move |event| {
                        let on = event_target_checked(&event);
                        act(session, Action::Run(RunAction::Reference(on)));
                    }
                />
                <span>{move || session.say(Word::CompareTwins)}</span>
            </label>
        </div>
        <Spoiling/>
    }
}

/// The plan that the buttons are about.
#[component]
fn Plans() -> impl IntoView {
    let session = session();
    let columns = Memo::new(move |_| {
        session.plans.with(|plans| {
            let there = plans.iter().filter(|(_, plan)| plan.planned().is_some());
            there.map(|(&column, _)| column).collect::<Vec<Column>>()
        })
    });
    let target = Memo::new(move |_| session.target());
    let name = move || target.get().map(Column::name).unwrap_or_default();
    let choose = move |event: Event| {
        if let Ok(column) = event_target_value(&event).parse() {
            act(session, Action::Run(RunAction::Target(column)));
        }
    };
    let options = move || {
        let option = |column: Column| {
            view! {
                <option value=column.name() selected=move || target.get() == Some(column)>
                    {title(session, column)}
                </option>
            }
        };
        columns.get().into_iter().map(option).collect_view()
    };
    view! {
        <label>
            <span>{move || session.say(Word::RunPlan)}</span>
            <select id="run-plan" prop:value=name on:change=choose>{options}</select>
        </label>
    }
}

#[component]
fn Machine() -> impl IntoView {
    let session = session();
    let is = move |machine| move || session.runs.machine.get() == machine;
    let choose = move |event: Event| {
        let machine = match event_target_value(&event).as_str() {
            "cpu" => MachineKind::Cpu,
            _ => MachineKind::Gpu,
        };
        act(session, Action::Run(RunAction::Machine(machine)));
    };
    let value = move || match session.runs.machine.get() {
        MachineKind::Gpu => "gpu",
        MachineKind::Cpu => "cpu",
    };
    view! {
        <label>
            <span>{move || session.say(Word::RunMachine)}</span>
            <select id="run-machine" prop:value=value on:change=choose>
                <option value="gpu" selected=is(MachineKind::Gpu)>{move || session.say(Word::MachineGpu)}</option>
                <option value="cpu" selected=is(MachineKind::Cpu)>{move || session.say(Word::MachineCpu)}</option>
            </select>
        </label>
    }
}

#[component]
fn Seed() -> impl IntoView {
    let session = session();
    let seed = move || session.runs.seed.get();
    let choose = move |event: Event| match event_target_value(&event).trim().parse() {
        Ok(seed) => act(session, Action::Run(RunAction::Seed(seed))),
        // The field shows what holds.
        Err(_) => event_target::<HtmlInputElement>(&event).set_value(&seed().to_string()),
    };
    view! {
        <label title=move || session.say(Word::SeedHint)>
            <span>{move || session.say(Word::Seed)}</span>
            <input
                type="number"
                id="run-seed"
                min="0"
                step="1"
                prop:value=move || seed().to_string()
                on:change=choose
            />
        </label>
    }
}

/// Changes of the plan: by chance, by hand, and back.
#[component]
fn Spoiling() -> impl IntoView {
    let session = session();
    let edited = Memo::new(move |_| {
        let column = session.target()?;
        let moved = session
            .runs
            .edits
            .with(|edits| Some(edits.get(&column)?.moved.len()))?;
        Some((column, moved))
    });
    let restore = move |_| {
        if let Some((column, _)) = edited.get_untracked() {
            act(session, Action::Run(RunAction::Restore(column)));
        }
    };
    let handy = move || session.runs.handy.get();
    view! {
        <div class="controls">
            <button
                id="spoil"
                class="spoil"
                title=move || session.say(Word::SpoilHint)
                on:click=move |_| act(session, Action::Run(RunAction::Spoil))
            >
                {move || session.say(Word::SpoilIt)}
            </button>
            <button
                id="move"
                title=move || session.say(Word::MoveHint)
                aria-pressed=move || handy().to_string()
                on:click=move |_| act(session, Action::Run(RunAction::Handy(!handy())))
            >
                {move || session.say(Word::MoveMode)}
            </button>
            <button id="restore" hidden=move || edited.get().is_none() on:click=restore>
                {move || session.say(Word::Restore)}
            </button>
            <span class="edited" role="status">{move || edited.get().map(|edit| note(session, edit))}</span>
        </div>
    }
}

fn note(session: Session, (column, moved): (Column, usize)) -> String {
    let names: Vec<String> = session.runs.edits.with(|edits| {
        let moved = edits
            .get(&column)
            .into_iter()
            .flat_map(|edit| edit.moved.keys());
        let name = |&index: &usize| {
            session
                .with_lifetimes(|l| Some(l.buffers.get(index)?.name.clone()))
                .flatten()
        };
        moved.take(3).filter_map(name).collect()
    });
    let more = moved.saturating_sub(names.len());
    let mut text = names.join(", ");
    if more > 0 {
        text = format!(
            "{text}, {}",
            filled(session.say(Word::AndMore), &[&more.to_string()])
        );
    }
    filled(session.say(Word::EditedNote), &[&text])
}
