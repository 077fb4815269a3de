//! Why there is no WebGPU, what to do about it, and what runs all the same.

use crate::state::driver::act;
use crate::state::session::session;
use conversation::Missing;
use conversation::{Action, Gpu, Outcome, RunAction};
use std::sync::Arc;

use leptos::prelude::*;
use runner::MachineKind;

use crate::strings::{Word, filled};
use crate::text::fault::said;

#[component]
pub(super) fn NoGpu() -> impl IntoView {
    let session = session();
    let on_cpu = move |_| {
        act(session, Action::Run(RunAction::Machine(MachineKind::Cpu)));
        act(session, Action::Run(RunAction::Start));
    };
    move || {
        let (why, advice): (String, &[Word]) = match session.runs.gpu.get() {
            Gpu::Unasked | Gpu::Asked | Gpu::There(_) => return None,
            Gpu::Missing(Missing::Insecure) => (session.say(Word::NoGpuInsecure).to_owned(), &[]),
            Gpu::Missing(Missing::NoInterface) => (
                session.say(Word::NoGpuInterface).to_owned(),
                &[Word::NoGpuBrowsers, Word::NoGpuLinux],
            ),
            Gpu::Missing(Missing::NoAdapter) => (
                session.say(Word::NoGpuAdapter).to_owned(),
                &[Word::NoGpuLinux, Word::NoGpuBlocklist],
            ),
            Gpu::Refused(why) => (
                filled(session.say(Word::NoGpuRefused), &[&said(session, &why)]),
                &[Word::NoGpuLinux, Word::NoGpuBlocklist],
            ),
        };
        // It stands back once there is something to see.
        let failed = |outcome: &Arc<Outcome>| outcome.result.is_err();
        let first = session.runs.outcomes.with(|all| all.values().all(failed));
        let advice = advice
            .iter()
            .map(|&word| view! { <li>{session.say(word)}</li> });
        Some(view! {
            <details class="no-gpu" open=first>
                <summary>{session.say(Word::NoGpuTitle)}</summary>
                <p>{why}</p>
                <ul>{advice.collect_view()}</ul>
                <p>{session.say(Word::NoGpuCpu)}</p>
                <button id="run-cpu" on:click=on_cpu>{session.say(Word::RunOnCpu)}</button>
            </details>
        })
    }
}
