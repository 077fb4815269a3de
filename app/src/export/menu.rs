//! A pane's plan and picture as files, and its figures on the clipboard.

use std::slice;
use std::sync::Arc;

use conversation::{Action, Column, OpenFile};
use leptos::prelude::*;
use planner::load::Format;
use planner::save;
use timeline::scene::Scene;
use worker::{Planned, Prepared};

use crate::browser::files::{download, stem};
use crate::drawing::menu::Menu;
use crate::export::report::report;
use crate::export::slide::take_jobs;
use crate::format;
use crate::lazy::export::{Encoding, Shape};
use crate::lazy::{EXPORT, FILM};
use crate::state::driver::act;
use crate::state::film::Still;
use crate::state::session::{Session, session, to_f64};
use crate::strings::{DifferenceWord, GraphWord, TrainingWord, Word, filled};
use crate::text::title::title;

/// What can be taken out of a pane, with the name that tests go by.
const KINDS: [(&str, Word); 8] = [
    ("png", Word::ExportPng),
    ("svg", Word::ExportSvg),
    ("csv", Word::ExportCsv),
    ("json", Word::ExportJson),
    ("h", Word::ExportC),
    ("schedule.json", Word::ExportSchedule),
    ("html", Word::ExportReport),
    ("copy", Word::CopyFigures),
];

/// Viewers that what is taken out is for, in their own names, which every language has.
const VIEWERS: [(&str, &str); 2] = [("pickle", "PyTorch memory_viz"), ("trace.json", "Perfetto")];

/// The menu of a pane.
#[component]
pub(crate) fn ExportMenu(column: Column) -> impl IntoView {
    let session = session();
    let ready = Memo::new(move |_| {
        session.plans.with(|plans| {
            plans
                .get(&column)
                .is_some_and(|plan| plan.planned().is_some())
        })
    });
    let items = KINDS.map(|(kind, word)| {
        let choose = move |_| {
            EXPORT.then(move |part| (part.export)(session, column, kind));
        };
        view! { <button data-export=kind on:click=choose>{move || session.say(word)}</button> }
    });
    let viewers = VIEWERS.map(|(kind, name)| {
        let choose = move |_| {
            EXPORT.then(move |part| (part.export)(session, column, kind));
        };
        let hint = move || (kind == "pickle").then(|| session.say(Word::ExportSegmentHint));
        view! { <button data-export=kind title=hint on:click=choose>{name}</button> }
    });
    let items = (items.collect_view(), viewers.collect_view());
    let can_export = move || can_export(session, column);
    let export = move |_| act(session, Action::Export(column));
    let name = move || format!("{}: {}", session.say(Word::Export), title(session, column));
    view! {
        <Menu
            says=Signal::derive(move || session.say(Word::Export).to_owned())
            name=Signal::derive(name)
            hidden=Signal::derive(move || !ready.get() || session.hides_something())
        >
            {items}
            <button
                data-export="program.json"
                hidden=move || !trains(session)
                title=move || session.say(TrainingWord::ExportProgramHint)
                on:click=move |_| {
                    EXPORT.then(move |part| (part.export)(session, column, "program.json"));
                }
            >
                {move || session.say(TrainingWord::ExportProgram)}
            </button>
            <button
                data-export="tflite"
                hidden=move || !can_export()
                title=move || session.say(Word::ExportTfliteHint)
                on:click=export
            >
                {move || session.say(Word::ExportTflite)}
            </button>
        </Menu>
    }
}

/// Whether a training step is planned.
fn trains(session: Session) -> bool {
    session.prepared.with(|prepared| {
        let subject = prepared.as_ref().map(|prepared| &prepared.subject);
        subject.is_some_and(|it| it.trained.is_some() && it.program.is_some())
    })
}

/// Takes the column's plan away as `kind`.
pub(crate) fn export(session: Session, column: Column, kind: &str) {
    if let Some(job) = Job::new(session, column) {
        job.run(kind);
    }
}

/// Whether the file is one that can take the column's plan, which is valid.
fn can_export(session: Session, column: Column) -> bool {
    let tflite = |file: &Option<OpenFile>| {
        let opened = file.as_ref().map(|file| file.opened.format);
        opened == Some(Format::Tflite)
    };
    // Its graph is no longer the one of the file.
    session.file.with(tflite)
        && !session.is_edited()
        && session.plans.with(|plans| {
            let planned = plans.get(&column).and_then(|plan| plan.planned());
            planned.is_some_and(|planned| planned.judged.violations.is_empty())
        })
}

/// Everything that an export is made from, as it is now.
pub(crate) struct Job {
    pub(crate) session: Session,
    pub(crate) column: Column,
    pub(crate) document: String,
    pub(crate) prepared: Arc<Prepared>,
    pub(crate) planned: Arc<Planned>,
}

/// What is open, and whether its graph was edited.
fn document(session: Session) -> Option<String> {
    let name = session
        .file
        .with_untracked(|file| Some(file.as_ref()?.name.clone()))?;
    Some(match session.is_edited() {
        true => filled(untrack(|| session.say(GraphWord::Changed)), &[&name]),
        false => name,
    })
}

impl Job {
    pub(crate) fn new(session: Session, column: Column) -> Option<Self> {
        let planned = session
            .plans
            .with_untracked(|plans| plans.get(&column)?.planned().cloned());
        Some(Self {
            session,
            column,
            document: document(session)?,
            prepared: session.prepared.get_untracked()?,
            planned: planned?,
        })
    }

    fn run(&self, kind: &str) {
        let (lifetimes, plan) = (&self.prepared.subject.lifetimes, &self.planned.judged.plan);
        let name = self.file_name(kind);
        match kind {
            "png" => take_jobs(slice::from_ref(self), Shape::Seen, Encoding::Png, name),
            "svg" => take_jobs(slice::from_ref(self), Shape::Seen, Encoding::Svg, name),
            "csv" => {
                download(&name, "text/csv", save::csv(lifetimes, plan).as_bytes());
                if let pairs @ 1.. = save::not_in_csv(lifetimes, plan) {
                    act(self.session, Action::NotInCsv(pairs));
                }
            }
            "json" => download(&name, "application/json", self.json().as_bytes()),
            "h" => download(&name, "text/x-c", self.c_header().as_bytes()),
            "schedule.json" => download(&name, "application/json", self.schedule().as_bytes()),
            "pickle" => {
                let bytes = self.recorded(save::memory_viz);
                download(&name, "application/octet-stream", &bytes);
            }
            "trace.json" => {
                let lanes = &self.prepared.subject.lanes;
                let text = self.recorded(|recorded| save::perfetto(recorded, lanes));
                download(&name, "application/json", text.as_bytes());
            }
            "program.json" => {
                if let Some(text) = self
                    .prepared
                    .subject
                    .program
                    .as_ref()
                    .and_then(save::program_json)
                {
                    download(&name, "application/json", text.as_bytes());
                }
            }
            "html" => download(&name, "text/html", untrack(|| report(self)).as_bytes()),
            _ => act(self.session, Action::Copy(untrack(|| self.figures()))),
        }
    }

    /// The plan as what an allocator would have recorded.
    fn recorded<T>(&self, write: impl FnOnce(&save::Recorded<'_>) -> T) -> T {
        let session = self.session;
        let index = session.settings.with_untracked(|settings| settings.arena);
        let arena = session.file.with_untracked(|file| {
            let arenas = &file.as_ref()?.opened.arenas;
            arenas
                .get(index as usize)
                .map(|arena| arena.name.to_string())
        });
        let plan = &self.planned.judged.plan;
        let subject = &self.prepared.subject;
        subject.recorded(&arena.unwrap_or_default(), plan, write)
    }

    /// What is open, as the beginning of a file's name.
    pub(super) fn stem(&self) -> String {
        stem(&self.document)
    }

    fn file_name(&self, kind: &str) -> String {
        let stem = self.stem();
        let edits = self.session.runs.edits;
        let edited = edits.with_untracked(|edits| edits.contains_key(&self.column));
        let edited = edited || self.session.is_edited();
        let edited = if edited { ".edited" } else { "" };
        format!("{stem}.{}{edited}.{kind}", self.column.name())
    }

    fn json(&self) -> String {
        let options = untrack(|| self.session.options());
        let plan = &self.planned.judged.plan;
        self.prepared.subject.plan_json(plan, &options, "")
    }

    fn c_header(&self) -> String {
        let options = untrack(|| self.session.options());
        let (lifetimes, plan) = (&self.prepared.subject.lifetimes, &self.planned.judged.plan);
        save::c_header(lifetimes, plan, &options, save::stem(&self.document))
    }

    fn schedule(&self) -> String {
        let lifetimes = &self.prepared.subject.lifetimes;
        let live = &self.prepared.profile.points;
        save::schedule_json(lifetimes, &self.prepared.subject.step_names(), live)
    }

    /// One figure a line, its name and its value with the unit, apart by a tab.
    fn figures(&self) -> String {
        let metrics = self.planned.judged.metrics;
        let mut lines = vec![
            (
                Word::Document,
                self.document.replace(['\t', '\n', '\r'], " "),
            ),
            (Word::Strategy, title(self.session, self.column)),
            (Word::Arena, format!("{} B", metrics.arena.0)),
            (Word::Bound, format!("{} B", metrics.bound.0)),
            (Word::OverBoundColumn, format::percent(metrics.over_bound)),
            (Word::Fragmentation, format::percent(metrics.fragmentation)),
            (Word::Reuse, format!("{:.3}×", metrics.reuse)),
        ];
        if let Some(objects) = metrics.objects {
            lines.push((Word::Objects, objects.to_string()));
        }
        if self.column != Column::Deployed {
            lines.push((Word::Time, format::duration(self.planned.ms)));
        }
        let lines = lines
            .iter()
            .map(|(word, value)| format!("{}\t{value}", self.session.say(*word)));
        let mut lines: Vec<String> = lines.collect();
        if let Some(reserved) = metrics.reserved {
            let name = self.session.say(DifferenceWord::Reserved);
            lines.push(format!("{name}\t{} B", reserved.0));
        }
        lines.join("\n")
    }

    /// Document, strategy, arena and bound in one line; without figures while a scene hides some.
    pub(crate) fn title(&self) -> String {
        let (session, metrics) = (self.session, self.planned.judged.metrics);
        untrack(|| {
            let named = format!("{} · {}", self.document, title(session, self.column));
            if session.hides_something() {
                return named;
            }
            format!(
                "{named} · {} {} · {} {}",
                session.say(Word::Arena),
                format::bytes(metrics.arena.0),
                session.say(Word::Bound),
                format::bytes(metrics.bound.0),
            )
        })
    }

    /// Where the column's film stands, while it is shown instead of the plan.
    pub(super) fn still(&self) -> Option<Still> {
        let film = FILM.now()?;
        let (session, column) = (self.session, self.column);
        Owner::new().with(|| (film.follow)(session, column).get_untracked())
    }

    /// The plan, or its film where it stands, as rectangles.
    pub(super) fn scene(&self, still: Option<&Still>) -> Scene {
        let (lifetimes, plan) = (&self.prepared.subject.lifetimes, &self.planned.judged.plan);
        let figures = (&self.prepared.bounds, &self.prepared.profile);
        let mut scene = self.session.colors.with_untracked(|colors| {
            let fill = |index: usize| colors.fills.get(index).copied().unwrap_or_default();
            match still.zip(FILM.now()) {
                Some((still, film)) => (film.scene)(still, lifetimes, figures, &fill),
                None => Scene::new(lifetimes, plan, figures, &fill),
            }
        });
        let budget = self.prepared.subject.budget();
        scene.budget = budget.map_or(0.0, |it| to_f64(it.0));
        scene.timed(self.session.clock.get_untracked().as_ref())
    }
}
