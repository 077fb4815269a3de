//! The cases that stand side by side: which there are, which one tables and inspector are about,
//! and what can be put beside them.

use crate::state::driver::act;
use crate::state::session::{Session, session};
use conversation::CaseAction;
use conversation::{Case, MOST_CASES, Where};
use leptos::html::Input;
use leptos::prelude::*;
use planner::{Parallel, passes};
use web_sys::Event;
use worker::CaseId;

use super::basis::OnOneBasis;
use crate::browser::files;
use crate::format;
use crate::state::driver::act_in;
use crate::state::driver::all_given;
use crate::strings::{self, CaseWord, filled};

/// The list, and what can be opened beside.
#[component]
pub(crate) fn Cases() -> impl IntoView {
    let session = session();
    let several = Memo::new(move |_| session.cases.with(Vec::len) > 1);
    let full = move || session.cases.with(Vec::len) >= MOST_CASES;
    view! {
        <details class="cases" open=several>
            <summary title=move || session.say(CaseWord::Hint)>{move || session.say(CaseWord::Title)}</summary>
            <ul>
                <For each=move || session.cases.get() key=|id| *id let:id>
                    <OneCase id/>
                </For>
            </ul>
            <Show when=move || several.get()>
                <OnOneBasis/>
                <label class="check">
                    <input
                        type="checkbox"
                        id="link-axes"
                        prop:checked=move || session.linked.get()
                        on:change=move |event| act(session, CaseAction::LinkAxes(event_target_checked(&event)))
                    />
                    <span>{move || session.say(CaseWord::Linked)}</span>
                </label>
            </Show>
            <Show
                when=move || !full()
                fallback=move || {
                    let most = MOST_CASES.to_string();
                    view! { <p class="soft">{filled(session.say(CaseWord::Full), &[&most])}</p> }
                }
            >
                <Beside/>
            </Show>
        </details>
    }
}

/// What can be put beside what is open.
#[component]
fn Beside() -> impl IntoView {
    let session = session();
    let input = NodeRef::<Input>::new();
    let chosen = move |_: Event| {
        let Some(input) = input.get_untracked() else {
            return;
        };
        if let Some(list) = input.files() {
            let given = all_given(session, &list);
            act(session, CaseAction::OpenFiles(given, Where::Beside));
        }
        // So that the same file can be chosen again.
        input.set_value("");
    };
    let choose = move |_| {
        if let Some(input) = input.get_untracked() {
            input.click();
        }
    };
    let sample = move |event: Event| {
        let id = event_target_value(&event);
        if !id.is_empty() {
            act(session, CaseAction::OpenSample(id, Where::Beside));
        }
    };
    let options = move || {
        let language = session.language.get();
        let samples = files::samples().into_iter();
        let option = samples.map(|sample| {
            let title = sample.title(language).to_owned();
            view! { <option value=sample.id>{title}</option> }
        });
        option.collect_view()
    };
    view! {
        <p class="beside">
            <button
                data-do="duplicate"
                disabled=move || !session.is_open()
                on:click=move |_| act(session, CaseAction::Duplicate)
            >
                {move || session.say(CaseWord::Duplicate)}
            </button>
            <input type="file" id="file-beside" node_ref=input multiple hidden on:change=chosen/>
            <button data-do="open-beside" on:click=choose>{move || session.say(CaseWord::OpenBeside)}</button>
            <select
                id="sample-beside"
                aria-label=move || session.say(CaseWord::SampleBeside)
                prop:value=""
                on:change=sample
            >
                <option value="">{move || session.say(CaseWord::SampleBeside)}</option>
                {options}
            </select>
        </p>
    }
}

#[component]
fn OneCase(id: CaseId) -> impl IntoView {
    let session = session();
    let name = case_name(session, id);
    let active = move || session.active.get() == id;
    let alone = move || session.cases.with(Vec::len) < 2;
    view! {
        <li data-case=id.0.to_string() class:active=active>
            <button
                class="link"
                aria-pressed=move || active().to_string()
                title=move || session.say(CaseWord::About)
                on:click=move |_| act_in(session, id, CaseAction::Activate)
            >
                {name}
            </button>
            <button
                class="quiet"
                hidden=alone
                aria-label=move || format!("{}: {}", session.say(CaseWord::Close), name.get())
                title=move || session.say(CaseWord::Close)
                on:click=move |_| act(session, CaseAction::Close(id))
            >
                "×"
            </button>
        </li>
    }
}

/// What a case is called: its document, and what distinguishes how it is planned. Follows both.
pub(crate) fn case_name(session: Session, id: CaseId) -> Memo<String> {
    let parts = session.figures(move |state| {
        let case = state.case(id);
        let file = case.file.as_ref().map(|file| file.name.clone());
        (file.unwrap_or_default(), ways(case))
    });
    Memo::new(move |_| {
        let (file, ways) = parts.get();
        let ways = ways.into_iter().map(|way| way.text(session));
        let all: Vec<String> = [file].into_iter().chain(ways).collect();
        all.join(" · ")
    })
}

/// One way in which a case differs from how its document begins.
#[derive(Clone, Debug, PartialEq)]
enum Way {
    Parallel(Parallel),
    Passes(String),
    Stage(u8),
    Edited,
    Aligned(u64),
    Arena(u32),
    Bound(String, u64),
}

fn ways(case: &Case) -> Vec<Way> {
    let Some(file) = case.file.as_ref() else {
        return Vec::new();
    };
    let settings = *case.settings;
    let mut ways = Vec::new();
    if settings.parallel != Parallel::Serial {
        ways.push(Way::Parallel(settings.parallel));
    }
    if settings.passes != planner::PassSet::NONE {
        ways.push(Way::Passes(passes::text(settings.passes)));
    }
    ways.extend(settings.until.map(Way::Stage));
    if case.text.planned.is_some() {
        ways.push(Way::Edited);
    }
    if settings.alignment.0 != file.opened.alignment {
        ways.push(Way::Aligned(settings.alignment.0));
    }
    if settings.arena != file.opened.arena {
        ways.push(Way::Arena(settings.arena));
    }
    let bound = case.bindings.iter();
    ways.extend(bound.map(|(name, value)| Way::Bound(name.clone(), *value)));
    ways
}

impl Way {
    fn text(self, session: Session) -> String {
        match self {
            Self::Parallel(parallel) => session
                .say(match parallel {
                    Parallel::Serial => CaseWord::Serial,
                    Parallel::Streams => CaseWord::Streams,
                    Parallel::Free => CaseWord::Free,
                })
                .to_owned(),
            Self::Passes(names) => names,
            Self::Edited => session.say(CaseWord::Edited).to_owned(),
            Self::Stage(row) => {
                let pass = passes::ALL.get(usize::from(row));
                match pass.and_then(|pass| strings::pass(pass.name)) {
                    Some((name, _)) => filled(session.say(CaseWord::UpTo), &[session.say(name)]),
                    None => session.say(CaseWord::BeforePasses).to_owned(),
                }
            }
            Self::Aligned(bytes) => {
                filled(session.say(CaseWord::Aligned), &[&format::exact(bytes)])
            }
            Self::Arena(index) => filled(
                session.say(CaseWord::Arena),
                &[&index.saturating_add(1).to_string()],
            ),
            Self::Bound(name, value) => format!("{name} = {value}"),
        }
    }
}

/// How many panes there are, of all cases.
pub(crate) fn pane_count(session: Session) -> Memo<usize> {
    session.figures(|state| {
        let shown = state.shown().map(|case| case.shown.len());
        shown.sum()
    })
}
