//! What to run, on what, and the ways to corrupt it.
//!
//! All of it is one closure that makes plain values: what changes is set in place, and no
//! text needs a closure of its own, each of which would cost the first load kilobytes.

use crate::state::driver::act;
use crate::state::driver::given;
use crate::state::session::{Session, session};
use crate::text::title::title;
use conversation::HandAction;
use conversation::{Action, Column, RunAction};
use leptos::html::Input;
use leptos::prelude::*;
use runner::MachineKind;
use web_sys::{Event, HtmlInputElement};

use super::corrupting::{self, Corrupting};
use crate::format;
use crate::strings::{ValueWord, Word, filled};

#[component]
pub(super) fn Controls() -> impl IntoView {
    let session = session();
    // What runs now, and whether others wait behind it.
    let going = Memo::new(move |_| {
        let going = session.runs.going;
        going.with(|going| {
            going
                .as_ref()
                .map(|going| (going.key.0, !going.rest.is_empty()))
        })
    });
    let columns = Memo::new(move |_| {
        session.plans.with(|plans| {
            let there = plans.iter().filter(|(_, plan)| plan.planned().is_some());
            there.map(|(&column, _)| column).collect::<Vec<Column>>()
        })
    });
    let target = Memo::new(move |_| session.target());
    let movable = Memo::new(move |_| corrupting::movable(session).unwrap_or_default());
    let corrupting = Memo::new(move |_| Corrupting::of(session, &movable.read()));
    move || {
        view! {
            <div class="controls">{buttons(session, going.get(), &corrupting.read())}</div>
            <div class="controls">
                {plans(session, &columns.read(), target.get())}
                {machines(session)}
                {seed(session)}
                {reference(session)}
                {import(session)}
            </div>
            <p class="edited" role="status">{note(session, target.get())}</p>
        }
    }
}

/// Does what a button says.
fn button(
    id: &'static str,
    class: &'static str,
    (text, hint): (Word, Word),
    disabled: bool,
    action: Action,
) -> AnyView {
    let held = match action {
        Action::Run(RunAction::Handy(on)) => Some((!on).to_string()),
        _ => None,
    };
    let session = session();
    view! {
        <button
            id=id
            class=class
            title=session.say(hint)
            disabled=disabled
            aria-pressed=held
            on:click=move |_| act(session, action.clone())
        >
            {session.say(text)}
        </button>
    }
    .into_any()
}

fn buttons(
    session: Session,
    going: Option<(Column, bool)>,
    corrupting: &Corrupting,
) -> Vec<AnyView> {
    let target = session.target();
    // Another plan than the one that runs replaces it.
    let stops = going.is_some_and(|(column, more)| more || Some(column) == target);
    let (run, action) = match (stops, session.runs.machine.get()) {
        (true, _) => (Word::Cancel, Action::Run(RunAction::Cancel)),
        (false, MachineKind::Gpu) => (Word::RunOnGpu, Action::Run(RunAction::Start)),
        (false, MachineKind::Cpu) => (Word::RunOnCpu, Action::Run(RunAction::Start)),
    };
    let handy = session.runs.handy.get();
    let mut buttons = vec![
        button("run", "primary", (run, Word::RunHint), false, action),
        button(
            "run-all",
            "",
            (Word::RunAll, Word::RunAllHint),
            going.is_some(),
            Action::Run(RunAction::StartAll),
        ),
        button(
            "spoil",
            "spoil",
            (Word::CorruptIt, Word::CorruptHint),
            false,
            Action::Run(RunAction::Corrupt(corrupting.place())),
        ),
    ];
    buttons.extend(corrupting.choices(session));
    buttons.push(button(
        "move",
        "",
        (Word::MoveMode, Word::MoveHint),
        false,
        Action::Run(RunAction::Handy(!handy)),
    ));
    if let Some(column) = target
        && session.runs.edits.with(|edits| edits.contains_key(&column))
    {
        let words = (Word::Restore, Word::Restore);
        buttons.push(button(
            "restore",
            "",
            words,
            false,
            Action::Hand(HandAction::Restore(column)),
        ));
    }
    buttons
}

/// One choice among some, with its label.
pub(super) fn choice(
    id: &'static str,
    (label, hint): (Word, Option<Word>),
    options: Vec<(String, String)>,
    current: String,
    chosen: fn(&str) -> Option<RunAction>,
) -> AnyView {
    let session = session();
    let choose = move |event: Event| {
        if let Some(action) = chosen(&event_target_value(&event)) {
            act(session, Action::Run(action));
        }
    };
    let options = options.into_iter().map(|(value, text)| {
        let selected = value == current;
        view! { <option value=value selected=selected>{text}</option> }
    });
    let options = options.collect_view();
    view! {
        <label title=hint.map(|hint| session.say(hint))>
            <span>{session.say(label)}</span>
            <select id=id prop:value=current on:change=choose>{options}</select>
        </label>
    }
    .into_any()
}

fn plans(session: Session, columns: &[Column], target: Option<Column>) -> AnyView {
    let options = columns
        .iter()
        .map(|&column| (column.name().to_owned(), title(session, column)));
    let current = target.map(Column::name).unwrap_or_default().to_owned();
    choice(
        "run-plan",
        (Word::RunPlan, None),
        options.collect(),
        current,
        |name| name.parse().ok().map(RunAction::Target),
    )
}

fn machines(session: Session) -> AnyView {
    let options = [("gpu", Word::MachineGpu), ("cpu", Word::MachineCpu)];
    let options = options.map(|(value, word)| (value.to_owned(), session.say(word).to_owned()));
    let current = match session.runs.machine.get() {
        MachineKind::Gpu => "gpu",
        MachineKind::Cpu => "cpu",
    };
    choice(
        "run-machine",
        (Word::RunMachine, None),
        options.to_vec(),
        current.to_owned(),
        |name| {
            Some(RunAction::Machine(match name {
                "cpu" => MachineKind::Cpu,
                _ => MachineKind::Gpu,
            }))
        },
    )
}

fn seed(session: Session) -> AnyView {
    let seed = session.runs.seed.get().to_string();
    let shown = seed.clone();
    let choose = move |event: Event| match event_target_value(&event).trim().parse() {
        Ok(seed) => act(session, Action::Run(RunAction::Seed(seed))),
        // The field shows what holds.
        Err(_) => event_target::<HtmlInputElement>(&event).set_value(&shown),
    };
    view! {
        <label title=session.say(Word::SeedHint)>
            <span>{session.say(Word::Seed)}</span>
            <input type="number" id="run-seed" min="0" step="1" prop:value=seed on:change=choose/>
        </label>
    }
    .into_any()
}

fn reference(session: Session) -> AnyView {
    let choose = move |event: Event| {
        let on = event_target_checked(&event);
        act(session, Action::Run(RunAction::Reference(on)));
    };
    view! {
        <label class="check" title=session.say(Word::CompareReferenceHint)>
            <input
                type="checkbox"
                id="run-reference"
                disabled=session.runs.machine.get() == MachineKind::Cpu
                prop:checked=session.runs.reference.get()
                on:change=choose
            />
            <span>{session.say(Word::CompareReference)}</span>
        </label>
    }
    .into_any()
}

/// A file with another plan of the same model.
fn import(session: Session) -> AnyView {
    let field = NodeRef::<Input>::new();
    let chosen = move |_: Event| {
        let Some(field) = field.get_untracked() else {
            return;
        };
        if let Some(file) = field.files().and_then(|files| files.get(0)) {
            let action = RunAction::Import(given(session, file.name(), file.into()));
            act(session, Action::Run(action));
        }
        // So that the same file can be chosen again after it has changed.
        field.set_value("");
    };
    let choose = move |_| {
        if let Some(field) = field.get_untracked() {
            field.click();
        }
    };
    view! {
        <input type="file" id="plan-file" node_ref=field hidden on:change=chosen/>
        <button title=session.say(Word::ImportPlanHint) on:click=choose>
            {session.say(Word::ImportPlan)}
        </button>
    }
    .into_any()
}

/// What was moved, if anything was.
fn note(session: Session, target: Option<Column>) -> Option<String> {
    let edit = session
        .runs
        .edits
        .with(|edits| edits.get(&target?).cloned())?;
    if edit.moved.is_empty() {
        let arena = format::exact(edit.original.judged.plan.arena.0);
        return Some(filled(session.say(ValueWord::OtherArena), &[&arena]));
    }
    let name = |&index: &usize| {
        let name = session.with_lifetimes(|l| Some(l.buffers.get(index)?.name.clone()));
        name.flatten()
    };
    let names: Vec<String> = edit.moved.keys().take(3).filter_map(name).collect();
    let more = edit.moved.len().saturating_sub(names.len());
    let mut text = names.join(", ");
    if more > 0 {
        let more = filled(session.say(Word::AndMore), &[&more.to_string()]);
        text = format!("{text}, {more}");
    }
    Some(filled(session.say(Word::EditedNote), &[&text]))
}
