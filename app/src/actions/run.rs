//! The conversation with the runner: one plan after the other is confirmed. Whatever starts
//! replaces what is going on, by ending the runner.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use executor::engine::RunError;
use executor::measure::report::Progress;
use gloo::timers::callback::Timeout;
use leptos::prelude::*;
use runner::{Failure, Feed, MachineKind, Reply, Request, Run};
use web_sys::Blob;
use worker::{Reply as Read, Request as Reading};

use super::{edit, flow, show_column, what_if};
use crate::links::aside::Aside;
use crate::links::feeds::{self, Wanted};
use crate::links::{gpu, runner as link};
use crate::state::column::Column;
use crate::state::run::{Feeding, Going, Gpu, Key, Moving, Outcome, Quiet, Trouble};
use crate::state::session::{Notice, Session, Tab};
use crate::words::Word;

/// Something that a person did about runs.
#[derive(Clone, Debug)]
pub(crate) enum RunAction {
    /// Chose the plan that the buttons are about.
    Target(Column),
    /// Chose the machine that runs.
    Machine(MachineKind),
    /// Chose a seed for the inputs.
    Seed(u64),
    /// Chose whether the CPU twins compute the same beside it.
    Reference(bool),
    /// Gave a file for the input of this position.
    Feed(usize, String, Blob),
    /// Took the file of the input of this position away.
    Unfeed(usize),
    /// Confirms one plan.
    Start,
    /// Confirms every plan that is there, one after the other.
    StartAll,
    /// Stops.
    Cancel,
    /// Stops the runner and begins what it was doing once more.
    Anew,
    /// Looks at what an earlier run found.
    Look(Key),
    /// Corrupts the plan and runs it.
    Spoil,
    /// Chose whether dragging moves rectangles.
    Handy(bool),
    /// Holds a rectangle over a new place, or over none.
    Drag(Option<Moving>),
    /// Let go of it there.
    Drop,
    /// Moves the selected rectangle by this many alignments.
    Nudge(i8),
    /// Gave a file with another plan of the same model.
    Import(String, Blob),
    /// Takes all changes of a plan back.
    Restore(Column),
}

/// How often a run is looked after.
const SECOND_MS: u32 = 1000;

thread_local! {
    static SESSION: RefCell<Option<Session>> = const { RefCell::new(None) };
    /// Number of the outstanding question.
    static QUESTION: Cell<u32> = const { Cell::new(0) };
}

/// Sets the handlers of replies of the runner.
pub(crate) fn start(session: Session) {
    SESSION.with_borrow_mut(|kept| *kept = Some(session));
    link::handle(link::Handlers {
        reply: received,
        died,
    });
}

pub(crate) fn run(session: Session, action: RunAction) {
    let runs = session.runs;
    match action {
        RunAction::Target(column) => {
            runs.target.set(Some(column));
            let key = untrack(|| runs.key(column));
            if runs.outcomes.with_untracked(|all| all.contains_key(&key)) {
                runs.shown.set(Some(key));
            }
        }
        RunAction::Machine(machine) => runs.machine.set(machine),
        RunAction::Seed(seed) => runs.seed.set(seed),
        RunAction::Reference(on) => runs.reference.set(on),
        RunAction::Feed(position, name, blob) => feed(session, position, name, blob),
        RunAction::Unfeed(position) => runs.inputs.update(|inputs| {
            inputs.remove(&position);
        }),
        RunAction::Start => {
            if let Some(column) = untrack(|| session.target()) {
                confirm(session, column);
            }
        }
        RunAction::StartAll => {
            let columns = session.plans.with_untracked(|plans| {
                let there = plans.iter().filter(|(_, plan)| plan.planned().is_some());
                there.map(|(&column, _)| column).collect::<Vec<_>>()
            });
            let keys = columns
                .into_iter()
                .map(|column| untrack(|| runs.key(column)));
            begin(session, keys.collect());
        }
        RunAction::Cancel => {
            cancel(session);
            session.notice.set(Some(Notice::Said(Word::RunCancelled)));
        }
        RunAction::Anew => {
            if let Some(going) = runs.going.get_untracked() {
                cancel(session);
                ask(session, going.key, going.rest);
            }
        }
        RunAction::Look(key) => {
            runs.shown.set(Some(key));
            runs.target.set(Some(key.0));
        }
        RunAction::Spoil => {
            if let Some(column) = edit::spoil(session) {
                confirm(session, column);
            } else {
                session.notice.set(Some(Notice::Said(Word::NothingToSpoil)));
            }
        }
        RunAction::Handy(on) => runs.handy.set(on),
        RunAction::Drag(moving) => runs.moving.set(moving),
        RunAction::Drop => edit::drop(session),
        RunAction::Nudge(steps) => edit::nudge(session, steps),
        RunAction::Import(name, blob) => import(session, name, blob),
        RunAction::Restore(column) => edit::restore(session, column),
    }
}

/// Confirms a column's plan, in view.
fn confirm(session: Session, column: Column) {
    session.runs.target.set(Some(column));
    if !session
        .shown
        .with_untracked(|shown| shown.contains(&column))
    {
        show_column(session, column, true);
    }
    let key = untrack(|| session.runs.key(column));
    begin(session, vec![key]);
}

/// Asks for a GPU as soon as a pane shows what needs one.
pub(super) fn turned(session: Session, tab: Tab) {
    let runs = session.runs;
    if tab != Tab::Run || runs.gpu.get_untracked() != Gpu::Unasked {
        return;
    }
    wasm_bindgen_futures::spawn_local(async move {
        match gpu::probe().await {
            Ok(adapter_name) => runs.gpu.set(Gpu::There(adapter_name)),
            Err(missing) => {
                runs.gpu.set(Gpu::Missing(missing));
                runs.machine.set(MachineKind::Cpu);
            }
        }
    });
}

/// The document is another one, or its sizes are.
pub(super) fn forget(session: Session, inputs: bool) {
    let runs = session.runs;
    cancel(session);
    runs.shown.set(None);
    runs.outcomes.update(std::collections::BTreeMap::clear);
    runs.edits.update(std::collections::BTreeMap::clear);
    runs.moving.set(None);
    what_if::forget(session);
    if inputs {
        runs.inputs.update(std::collections::BTreeMap::clear);
        runs.target.set(None);
    }
}

/// The plan that a column's strategy made is another one: what runs of it found says nothing
/// any longer. A plan changed by hand stays, and so does what a run of it found.
pub(super) fn forget_column(session: Session, column: Column) {
    let runs = session.runs;
    let own = |key: &Key| key.0 == column && !key.1;
    let run = runs
        .outcomes
        .with_untracked(|outcomes| outcomes.keys().any(own));
    if run {
        runs.outcomes
            .update(|outcomes| outcomes.retain(|key, _| !own(key)));
        if runs.shown.get_untracked().is_some_and(|key| own(&key)) {
            runs.shown.set(None);
        }
    }
}

fn cancel(session: Session) {
    if session.runs.going.get_untracked().is_some() {
        session.runs.going.set(None);
        // The program is in the middle of something; another one starts with the next run.
        link::end();
        crate::execute::died("the runner was stopped");
    }
}

/// Starts with the first of some plans, and keeps the others for later.
fn begin(session: Session, mut keys: Vec<Key>) {
    cancel(session);
    if keys.is_empty() {
        return;
    }
    let cancelled =
        |notice: &Option<Notice>| matches!(notice, Some(Notice::Said(Word::RunCancelled)));
    if session.notice.with_untracked(cancelled) {
        session.notice.set(None);
    }
    let key = keys.remove(0);
    ask(session, key, keys);
}

/// Asks the runner to confirm a plan.
fn ask(session: Session, key: Key, rest: Vec<Key>) {
    let runs = session.runs;
    let Some(run) = question(session, key) else {
        return;
    };
    let id = QUESTION.get().wrapping_add(1);
    QUESTION.set(id);
    runs.shown.set(Some(key));
    runs.going.set(Some(Going {
        key,
        machine: run.machine,
        seed: run.seed,
        fed: untrack(|| runs.fed()),
        progress: None,
        rest,
    }));
    let run = Box::new(run);
    link::ask(&Request::Confirm { id, run }, flow::blob().as_ref());
    runs.quiet.set(Quiet::default());
    watch(session, id, None);
}

/// Counts the seconds without a sign of the run, as long as its question stands. Nothing is
/// ended: compiling for a GPU and one step of the twins may both take long.
fn watch(session: Session, id: u32, before: Option<Progress>) {
    Timeout::new(SECOND_MS, move || {
        let runs = session.runs;
        let Some(going) = runs.going.get_untracked().filter(|_| QUESTION.get() == id) else {
            return;
        };
        let answered = link::knock();
        let went_on = going.progress != before;
        let quiet = runs.quiet.get_untracked().after(answered, went_on);
        runs.quiet.set(quiet);
        watch(session, id, going.progress);
    })
    .forget();
}

fn question(session: Session, (column, spoiled): Key) -> Option<Run> {
    let prepared = session.prepared.get_untracked()?;
    let program = prepared.subject.program.clone()?;
    let plan = session.plans.with_untracked(|plans| {
        let planned = plans.get(&column)?.planned()?;
        Some(planned.judged.plan.clone())
    });
    let runs = session.runs;
    let inputs = runs.inputs.with_untracked(|inputs| {
        let feed = |position: usize| match inputs.get(&position) {
            Some(Feeding::File(_, elements)) => Feed::Elements(elements.to_vec()),
            Some(Feeding::Seeded | Feeding::Misfit(..)) | None => Feed::Seeded,
        };
        (0..program.graph.inputs.len()).map(feed).collect()
    });
    // A file that does not fit must not be replaced by the seed in silence.
    let misfit = runs.inputs.with_untracked(|inputs| {
        inputs.values().find_map(|feeding| match feeding {
            Feeding::Misfit(name, why) => Some((name.clone(), why.clone())),
            Feeding::Seeded | Feeding::File(..) => None,
        })
    });
    if let Some((name, why)) = misfit {
        session.notice.set(Some(Notice::Misfit(name, why)));
        return None;
    }
    let machine = runs.machine.get_untracked();
    Some(Run {
        program,
        bindings: session.bindings.get_untracked(),
        lifetimes: prepared.subject.lifetimes.clone(),
        plan: plan?,
        settings: session.settings.get_untracked(),
        machine,
        inputs,
        seed: runs.seed.get_untracked(),
        spoiled,
        // The twins are what runs there anyway.
        reference: runs.reference.get_untracked() && machine == MachineKind::Gpu && !spoiled,
        naive: true,
    })
}

fn received(reply: Reply) {
    let Some(session) = SESSION.with_borrow(|session| *session) else {
        return;
    };
    let asked = QUESTION.get();
    match reply {
        Reply::Progress { id, progress } if id == asked => session.runs.going.update(|going| {
            if let Some(going) = going {
                going.progress = Some(progress);
            }
        }),
        Reply::Confirmed {
            id,
            report,
            adapter,
        } if id == asked => finish(session, Ok(*report), adapter),
        Reply::Failed { id, failure } if id == asked => {
            finish(session, Err(Trouble::Failure(failure)), None);
        }
        Reply::Panicked(words) => died(words),
        Reply::Outputs { .. } | Reply::Connected { .. } => crate::execute::received(reply),
        Reply::Progress { .. } | Reply::Confirmed { .. } | Reply::Failed { .. } => {
            crate::execute::received(reply);
        }
    }
}

/// The runner has died: all that wait are notified, and the next run starts another.
fn died(words: String) {
    link::end();
    crate::execute::died(&words);
    if let Some(session) = SESSION.with_borrow(|session| *session) {
        finish(session, Err(Trouble::Died(words)), None);
    }
}

fn finish(
    session: Session,
    result: Result<executor::measure::report::Report, Trouble>,
    adapter: Option<runner::Adapter>,
) {
    let runs = session.runs;
    let Some(going) = runs.going.get_untracked() else {
        return;
    };
    let refused = match &result {
        Err(Trouble::Failure(Failure::Run(RunError::Unavailable(why)))) => Some(why.clone()),
        _ => None,
    };
    let adapter_name = match runs.gpu.get_untracked() {
        Gpu::There(adapter_name) => adapter_name,
        _ => String::new(),
    };
    let adapter = adapter.map(|mut adapter| {
        if adapter.name.is_empty() {
            adapter.name = adapter_name;
        }
        adapter
    });
    let outcome = Outcome {
        machine: going.machine,
        seed: going.seed,
        fed: going.fed,
        adapter,
        result,
    };
    runs.outcomes.update(|outcomes| {
        outcomes.insert(going.key, Arc::new(outcome));
    });
    runs.going.set(None);
    if let Some(why) = refused {
        runs.gpu.set(Gpu::Refused(why));
        return;
    }
    let mut rest = going.rest;
    if !rest.is_empty() {
        let next = rest.remove(0);
        ask(session, next, rest);
        return;
    }
    // What is shown in the end is about the plan that the picture shows.
    if let Some(key) = untrack(|| session.target().map(|column| runs.key(column)))
        && runs.outcomes.with_untracked(|all| all.contains_key(&key))
    {
        runs.shown.set(Some(key));
    }
}

/// Lays the plan of a file over the plan that the buttons are about.
fn import(session: Session, name: String, blob: Blob) {
    Aside::Plan.ask(&Reading::ReadPlan { id: 0 }, &[blob], move |answer| {
        let read = match answer {
            Ok(Read::PlanRead { read, .. }) => read.map_err(|error| error.to_string()),
            Ok(_) => return,
            Err(reason) => Err(reason),
        };
        let laid = read.and_then(|read| edit::import(session, &read.0, &read.1));
        match laid {
            Ok(column) => session.runs.target.set(Some(column)),
            Err(why) => session.notice.set(Some(Notice::Misfit(name, why))),
        }
    });
}

/// Reads a file for an input; the input says when it does not fit.
fn feed(session: Session, position: usize, name: String, blob: Blob) {
    let wanted = session.prepared.with_untracked(|prepared| {
        let graph = prepared.as_ref()?.subject.graph()?;
        let tensor = graph.tensor(*graph.inputs.get(position)?);
        Some(Wanted {
            dtype: tensor.dtype,
            dims: tensor.dims.clone()?,
        })
    });
    let Some(wanted) = wanted else { return };
    wasm_bindgen_futures::spawn_local(async move {
        let feeding = match feeds::elements(&blob, &wanted).await {
            Ok(elements) => Feeding::File(name, Arc::new(elements)),
            Err(why) => Feeding::Misfit(name, why),
        };
        session.runs.inputs.update(|inputs| {
            inputs.insert(position, feeding);
        });
    });
}
