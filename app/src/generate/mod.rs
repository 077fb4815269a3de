//! The form of a transformer without a file, and of requests to its key-value cache.

mod fields;
mod fit;
mod numbers;
mod requests;
mod totals;

use std::collections::BTreeSet;

use conversation::{CaseAction, Dialog, Given, PageAction, Where};
use leptos::html::Dialog as DialogElement;
use leptos::prelude::*;
use planner::generate::presets::{NAMES, preset};
use planner::generate::{Execution, Mode, Transformer};
use planner::load::Described;
use web_sys::HtmlSelectElement;

use crate::drawing::modal::keep_open;
use crate::state::driver::act;
use crate::state::session::{Session, session};
use crate::strings::{GenerateWord as W, Word};

/// What the form begins with.
const FIRST: &str = "llama-3-8b";

/// The fields in which something stands that is no number of theirs.
#[derive(Clone, Copy)]
struct Wrong(RwSignal<BTreeSet<String>>);

impl Wrong {
    /// Whether there are any whose names begin so; follows that.
    fn any(self, begin: &str) -> bool {
        self.0
            .with(|all| all.iter().any(|it| it.starts_with(begin)))
    }

    /// What is described anew stands in every field of it.
    fn clear(self, begin: &str) {
        self.0.update(|all| all.retain(|it| !it.starts_with(begin)));
    }

    /// Says of a field whether it is one.
    fn set(self, id: &str, is_wrong: bool) {
        let id = id.to_owned();
        self.0.update(|all| {
            if is_wrong {
                all.insert(id);
            } else {
                all.remove(&id);
            }
        });
    }

    /// Whether this field is one, as an attribute; follows that.
    fn of(self, id: &str) -> Option<&'static str> {
        self.0.with(|all| all.contains(id)).then_some("true")
    }
}

/// What is described at the moment.
type Form = RwSignal<Described>;

/// What runs as `execution` says, as far as `of` can.
fn fitting(of: Transformer, execution: Execution) -> Described {
    let execution = execution.fitted(&of);
    Described::new(of, execution)
}

/// A preset that writes a token after 8,192 others.
fn first() -> Option<Described> {
    let execution = Execution {
        mode: Mode::Decode(8192),
        ..Execution::default()
    };
    Some(fitting(preset(FIRST)?, execution))
}

/// The dialog.
#[component]
pub(crate) fn Generate() -> impl IntoView {
    let session = session();
    let dialog = NodeRef::<DialogElement>::new();
    let is_open = move || session.dialog.get() == Some(Dialog::Generate);
    keep_open(dialog, is_open);
    let close = move || act(session, PageAction::Dialog(None));
    let Some(first) = first() else {
        return ().into_any();
    };
    // How it is to run, as far as what is described can.
    let wanted = RwSignal::new(first.execution);
    let form: Form = RwSignal::new(first);
    let open = move |_| {
        let described = form.get_untracked();
        let name = format!("{}.json", described.transformer.name);
        opened(session, &name, &described.written());
    };
    // What is typed and is no number, by field.
    let wrong = Wrong(RwSignal::new(BTreeSet::new()));
    provide_context(wrong);
    let refused = move || form.with(totals::refused).is_some() || wrong.any("generate-");
    view! {
        <dialog class="generate" node_ref=dialog aria-labelledby="generate-title" on:close=move |_| close()>
            <header>
                <h2 id="generate-title">{move || session.say(W::Title)}</h2>
                <button class="quiet" on:click=move |_| close() aria-label=move || session.say(Word::Close)>"×"</button>
            </header>
            <Presets form wanted/>
            <div class="parts">
                <fields::Shape form/>
                <fields::Runs form wanted/>
                <totals::Totals form/>
            </div>
            <p class="soft">{move || session.say(W::PlanHint)}</p>
            <p><button class="primary" data-do="generate" disabled=refused on:click=open>
                {move || session.say(W::Open)}
            </button></p>
            <requests::Requests form/>
        </dialog>
    }
    .into_any()
}

/// Opens a text that the form has written.
fn opened(session: Session, name: &str, text: &str) {
    act(session, PageAction::Dialog(None));
    let given = vec![Given::text(name, text)];
    act(session, CaseAction::OpenFiles(given, Where::Instead));
}

#[component]
fn Presets(form: Form, wanted: RwSignal<Execution>) -> impl IntoView {
    let session = session();
    let wrong = expect_context::<Wrong>();
    let current = move || {
        let of = form.with(|it| it.transformer.clone());
        let known = NAMES
            .into_iter()
            .find(|name| preset(name).as_ref() == Some(&of));
        known.unwrap_or_default()
    };
    let pick = move |event| {
        let name = event_target::<HtmlSelectElement>(&event).value();
        let Some(chosen) = preset(&name) else {
            return;
        };
        wrong.clear("generate-");
        form.set(fitting(chosen, wanted.get_untracked()));
    };
    view! {
        <label class="preset">
            {move || session.say(W::Preset)}
            <select id="preset" prop:value=current on:change=pick>
                {NAMES.map(|name| view! {
                    <option value=name selected=move || current() == name>{name}</option>
                }).collect_view()}
                <option value="" hidden=move || !current().is_empty() selected=move || current().is_empty()>
                    {move || session.say(W::Own)}
                </option>
            </select>
        </label>
    }
}
