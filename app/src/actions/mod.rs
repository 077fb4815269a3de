//! The only way in which the page's state changes: panes say what the person did, and
//! [`act`] does it.

mod difference;
mod edit;
mod film;
mod flow;
mod history;
mod home;
mod insight;
mod planning;
mod run;
mod view;
mod what_if;

use timeline::camera::Camera;

use crate::links::files::{self, Given};
use crate::parts::{HANDS, RUN};
use crate::state::column::Column;
use crate::state::memory;
use crate::state::session::{Coloring, Dialog, Drawing, Notice, Session, Tab, Theme};
use crate::words::{Language, Word};
use leptos::prelude::*;
use planner::Strategy;

pub(crate) use difference::DifferenceAction;
pub(crate) use edit::{grid, highest, rebase, step};
pub(crate) use film::{FilmAction, start as start_films};
pub(crate) use flow::{Stage, proceed, replied, start};
pub(crate) use history::{leave_trace, restore, view};
pub(crate) use insight::{InsightAction, start as start_insight};
pub(crate) use planning::PlanningAction;
pub(crate) use run::{RunAction, run, start as start_runs};
pub(crate) use what_if::{WhatIfAction, is_too_much_for_a_link, resume, wanted};

/// Something that a person did.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    /// Opened a user file, or several that make one document.
    OpenFiles(Vec<Given>),
    /// Opened a built-in sample.
    OpenSample(String),
    /// Gave a symbolic dimension a value; `None` for one that it cannot have.
    Bind(String, Option<u64>),
    /// Chose something about planning.
    Planning(PlanningAction),
    /// Showed or hid a column's pane.
    Show(Column, bool),
    /// Looks at the plan in the file beside the best one.
    SideBySide,
    /// Asked for a plan that was not made yet, or was cancelled.
    Plan(Column),
    /// Stopped whatever is at work.
    Cancel,
    /// Had the lifetimes looked for whose search was stopped.
    GoOn,
    /// Pointed at a buffer, or at none.
    Hover(Option<usize>),
    /// Chose a buffer, or none.
    Select(Option<usize>),
    /// Chose the next (1) or previous (-1) buffer in time.
    Step(i8),
    /// Typed into the search.
    Search(String),
    /// Chose the next (1) or previous (-1) match.
    Match(i8),
    /// Looked at what this camera sees.
    Look(Camera),
    /// Looked at everything.
    Fit,
    /// Looked at the selected buffer.
    FitSelection,
    /// Zoomed time and memory by these factors about the middle.
    Zoom(f64, f64),
    /// Moved later and higher by these shares of what is in view.
    Pan(f64, f64),
    /// Chose what colours mean.
    Color(Coloring),
    /// Switched single-key shortcuts on or off.
    Keys(bool),
    /// Chose a language.
    Speak(Language),
    /// Chose light or dark.
    Paint(Theme),
    /// Chose the renderer.
    Draw(Drawing),
    /// Opened or closed a dialog.
    Dialog(Option<Dialog>),
    /// Turned to a tab.
    Turn(Tab),
    /// Took the model with a column's plan home.
    TakeHome(Column),
    /// Copied a text.
    Copy(String),
    /// Got this notice.
    Notify(Word),
    /// Saved offsets as rows that cannot say how so many pairs of buffers share bytes.
    NotInCsv(usize),
    /// Resized the window: a picture has this size now, in CSS pixels.
    Measure((f64, f64)),
    /// Turned the system dark or light.
    Darken(bool),
    /// Has a browser that gave a WebGPU device, or none.
    AnswerGpu(bool),
    /// Did something about runs.
    Run(RunAction),
    /// Changed a plan by hand.
    WhatIf(WhatIfAction),
    /// Compared plans or dumps.
    Differ(DifferenceAction),
    /// Did something with films.
    Film(FilmAction),
    /// Asked something of a plan.
    Insight(InsightAction),
    /// Dismissed the notice.
    Dismiss,
}

/// Has done what the person did: at once, but what comes before the part of the page is there
/// that does it.
pub(crate) fn act(session: Session, action: Action) {
    match action {
        // No person did this, and the first picture needs it.
        Action::Measure(size) => session.size.set(size),
        Action::Darken(dark) => session.dark.set(dark),
        action => HANDS.then(move |hands| (hands.act)(session, action)),
    }
}

/// Does what the person did.
pub(crate) fn take(session: Session, action: Action) {
    let follows = matches!(
        action,
        Action::Hover(_)
            | Action::Measure(_)
            | Action::Darken(_)
            | Action::AnswerGpu(_)
            | Action::Insight(InsightAction::Point(_))
    );
    if !follows {
        history::person_acts();
    }
    match &action {
        Action::OpenFiles(given) if given.is_empty() => {}
        Action::OpenFiles(_) | Action::OpenSample(_) => session.notice.set(None),
        _ => {}
    }
    match action {
        Action::OpenFiles(given) => flow::open_files(session, given),
        Action::OpenSample(id) => flow::open_sample(session, id),
        Action::Bind(name, Some(value)) => bind(session, name, value),
        Action::Bind(_, None) => session.notice.set(Some(Notice::Said(Word::BindWhole))),
        Action::Planning(action) => planning::choose(session, action),
        Action::Show(column, show) => show_column(session, column, show),
        Action::Plan(column) => flow::plan(session, column),
        Action::Cancel => flow::cancel(session),
        Action::GoOn => flow::replan(session),
        Action::Search(query) => session.query.set(query),
        Action::Copy(text) => copy(session, text),
        Action::TakeHome(column) => home::take(session, column),
        Action::Speak(language) => {
            memory::remember_language(language.tag());
            session.language.set(language);
        }
        Action::Paint(theme) => {
            memory::remember_theme(theme.name());
            session.theme.set(theme);
        }
        Action::Draw(drawing) => {
            memory::remember_drawing(drawing.name());
            session.drawing.set(drawing);
        }
        Action::Color(coloring) => session.coloring.set(Some(coloring)),
        Action::Keys(on) => session.keys.set(on),
        Action::NotInCsv(pairs) => session.notice.set(Some(Notice::NotInCsv(pairs))),
        Action::Notify(word) => session.notice.set(Some(Notice::Said(word))),
        Action::Measure(size) => session.size.set(size),
        Action::Darken(dark) => session.dark.set(dark),
        Action::AnswerGpu(there) => {
            session.webgpu.set(Some(there));
            // Chosen by hand, it must not fail in silence.
            if !there && session.drawing.get_untracked() == Drawing::Wgpu {
                session.notice.set(Some(Notice::Said(Word::NoWebgpu)));
            }
        }
        Action::Dialog(dialog) => session.dialog.set(dialog),
        Action::Turn(tab) => history::turn_to(session, tab),
        Action::Run(action) => RUN.then(move |run| (run.act)(session, action)),
        Action::WhatIf(action) => what_if::act(session, action),
        Action::Film(action) => film::film(session, action),
        Action::Differ(action) => difference::act(session, action),
        Action::Dismiss => {
            flow::forget_waiting(session);
            session.notice.set(None);
        }
        Action::SideBySide => side_by_side(session),
        Action::Insight(action) => insight::ask(session, action),
        look => view::look(session, look),
    }
}

fn copy(session: Session, text: String) {
    files::copy(text, move |copied| {
        let word = if copied {
            Word::Copied
        } else {
            Word::NotCopied
        };
        session.notice.set(Some(Notice::Said(word)));
    });
}

fn bind(session: Session, name: String, value: u64) {
    session.bindings.update(|bindings| {
        bindings.insert(name, value.max(1));
    });
    if let Some(file) = session.file.get_untracked() {
        let bindings = session.bindings.get_untracked();
        memory::remember_bindings(&file.name, file.bytes, &bindings);
    }
    what_if::unwant();
    flow::replan(session);
}

fn show_column(session: Session, column: Column, show: bool) {
    session.shown.update(|shown| {
        shown.retain(|other| *other != column);
        if show {
            shown.push(column);
        }
    });
    if show {
        flow::plan(session, column);
    }
}

/// Shows the plan in the file and the best one for the same lifetimes, and nothing else.
fn side_by_side(session: Session) {
    let both = [Column::Deployed, Column::Strategy(Strategy::Best)];
    session.shown.set(both.to_vec());
    session.window.set(None);
    for column in both {
        flow::plan(session, column);
    }
}
