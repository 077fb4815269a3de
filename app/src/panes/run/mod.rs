//! The Run tab: the plan on the GPU, and what that says of its figures.

mod bars;
mod controls;
mod export;
mod finding;
mod inputs;
mod no_gpu;
mod outcome;
mod table;
mod trouble;

use executor::measure::report::Phase;
use leptos::prelude::*;
use runner::MachineKind;

use crate::actions::{Action, RunAction, act};
use crate::state::run::Key;
use crate::state::session::{Session, session};
use crate::words::{Word, filled};

use super::pane::title;

/// The tab.
#[component]
pub(crate) fn Run() -> impl IntoView {
    let session = session();
    let model = Memo::new(move |_| {
        session
            .prepared
            .with(|prepared| prepared.as_ref().is_some_and(|p| p.subject.graph.is_some()))
    });
    view! {
        <Show
            when=move || model.get()
            fallback=move || view! { <p class="empty">{move || session.say(Word::NoRun)}</p> }
        >
            <div class="run">
                <controls::Controls/>
                <AtWork/>
                <no_gpu::NoGpu/>
                <outcome::OutcomeView/>
                <table::Table/>
                <inputs::Inputs/>
            </div>
        </Show>
    }
}

/// A plan's name for people, with a mark when it was edited.
fn name(session: Session, (column, edited): Key) -> String {
    let name = title(session, column);
    if edited {
        format!("{name} ({})", session.say(Word::EditedPlan))
    } else {
        name
    }
}

/// The word for a machine.
fn machine(session: Session, machine: MachineKind) -> &'static str {
    session.say(match machine {
        MachineKind::Gpu => Word::MachineGpuShort,
        MachineKind::Cpu => Word::MachineCpuShort,
    })
}

/// Where a run is, and a way to stop it.
#[component]
fn AtWork() -> impl IntoView {
    let session = session();
    let going = session.runs.going;
    let there = Memo::new(move |_| going.with(Option::is_some));
    // Only words change here as a phase does, so that screen readers are not flooded.
    let phase = Memo::new(move |_| {
        going.with(|going| {
            let going = going.as_ref()?;
            Some((
                going.key,
                going.progress.map(|progress| progress.phase),
                going.rest.len(),
            ))
        })
    });
    let text = move || {
        let (key, phase, rest) = phase.get()?;
        let word = session.say(phase.map_or(Word::PhaseBegin, phase_word));
        let mut text = format!("{}: {word}", name(session, key));
        if rest > 0 {
            let more = filled(session.say(Word::RunsLeft), &[&rest.to_string()]);
            text = format!("{text} · {more}");
        }
        Some(text)
    };
    let steps = move || going.with(|going| going.as_ref()?.progress);
    let total = move || steps().map_or(1, |progress| progress.total.max(1));
    let done = move || steps().map_or(0, |progress| progress.done.min(total()));
    view! {
        <div class="going" hidden=move || !there.get()>
            <span role="status">{text}</span>
            <progress
                aria-label=move || session.say(Word::Run)
                max=move || total().to_string()
                prop:value=move || f64::from(done())
            ></progress>
            <span class="size" aria-hidden="true">{move || format!("{} / {}", done(), total())}</span>
            <button on:click=move |_| act(session, Action::Run(RunAction::Cancel))>
                {move || session.say(Word::Cancel)}
            </button>
        </div>
    }
}

fn phase_word(phase: Phase) -> Word {
    match phase {
        Phase::Load => Word::PhaseLoad,
        Phase::Naive => Word::PhaseNaive,
        Phase::Planned => Word::PhasePlanned,
        Phase::Audit => Word::PhaseAudit,
        Phase::Reference => Word::PhaseReference,
    }
}
