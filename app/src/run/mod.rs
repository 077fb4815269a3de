//! The Run tab: the plan on the GPU, and what that says of its figures.

mod bars;
mod buffers;
mod controls;
mod export;
mod finding;
mod inputs;
pub(crate) mod leaving;
mod no_gpu;
mod outcome;
mod profile;
mod quiet;
mod corrupting;
mod table;
mod trouble;
mod value_views;
mod values;

use conversation::{Action, Key, RunAction, State, Tab};
use executor::verify::report::Phase;
use leptos::prelude::*;
use runner::MachineKind;

use crate::lazy::{RUN, TabEntry};
use crate::state::driver::act;
use crate::state::session::{Session, session};
use crate::strings::{Word, filled};
use crate::text::title::plain_title;

/// The tab.
pub(crate) const TAB: TabEntry = TabEntry {
    tab: Tab::RUN,
    title: |language| Word::Run.in_language(language),
    show: || RUN.view(|run| (run.tab)()),
    count: |_| None,
    source: None,
};

/// The tab.
#[component]
pub(crate) fn Run() -> impl IntoView {
    let session = session();
    let model = Memo::new(move |_| {
        session.prepared.with(|prepared| {
            prepared
                .as_ref()
                .is_some_and(|p| p.subject.program.is_some())
        })
    });
    view! {
        <Show
            when=move || model.get()
            fallback=move || view! { <p class="empty">{move || session.say(Word::NoRun)}</p> }
        >
            <div class="run">
                {move || outcome::answer(session)}
                <controls::Controls/>
                <AtWork/>
                <quiet::QuietRun/>
                <no_gpu::NoGpu/>
                <outcome::OutcomeView/>
                <table::Table/>
                <values::ValuesView/>
                <profile::Profile/>
                <inputs::Inputs/>
            </div>
        </Show>
    }
}

/// A plan's name for people, with a mark when it was edited.
fn name(session: Session, (column, edited): Key) -> String {
    let name = plain_title(session, column);
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
    move || {
        let going = session.runs.going.get()?;
        let (phase, done, total) = going.progress.map_or((Word::PhaseBegin, 0, 1), |progress| {
            (
                phase_word(progress.phase),
                progress.done,
                progress.total.max(1),
            )
        });
        // One runs at a time, whatever case tabs are about.
        let other = (session.active.get() != going.case).then(|| {
            let name = |state: &State| Some(state.case(going.case).file.as_ref()?.name.clone());
            session.state(name).unwrap_or_default()
        });
        // The button that begins a run of this plan ends it.
        let own = !going.rest.is_empty() || Some(going.key.0) == session.target();
        let elsewhere = other.is_some() || !own;
        // Only words of a phase: what changes with every step would flood screen readers.
        let mut text = format!("{}: {}", name(session, going.key), session.say(phase));
        if let Some(other) = other {
            text = format!("{other} · {text}");
        }
        if !going.rest.is_empty() {
            let more = going.rest.len().to_string();
            let more = filled(session.say(Word::RunsLeft), &[&more]);
            text = format!("{text} · {more}");
        }
        Some(view! {
            <div class="going">
                <span role="status">{text}</span>
                <progress
                    aria-label=session.say(Word::Run)
                    max=total.to_string()
                    prop:value=f64::from(done.min(total))
                ></progress>
                <span class="size" aria-hidden="true">{format!("{done} / {total}")}</span>
                {elsewhere.then(|| view! {
                    <button on:click=move |_| act(session, Action::Run(RunAction::Cancel))>
                        {session.say(Word::Cancel)}
                    </button>
                })}
            </div>
        })
    }
}

fn phase_word(phase: Phase) -> Word {
    match phase {
        Phase::Load => Word::PhaseLoad,
        Phase::Compile => Word::PhaseCompile,
        Phase::Naive => Word::PhaseNaive,
        Phase::Planned => Word::PhasePlanned,
        Phase::Audit => Word::PhaseAudit,
        Phase::Reference => Word::PhaseReference,
        Phase::BeforePasses => Word::PhaseBeforePasses,
    }
}
