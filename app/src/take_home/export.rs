//! A pane's plan and picture as files, and its figures on the clipboard.

use crate::state::driver::act;
use crate::state::session::{Session, session};
use crate::text::title::title;
use conversation::Message;
use conversation::{Action, Column, OpenFile};
use std::sync::Arc;

use leptos::html::Details;
use leptos::prelude::*;
use planner::load::Format;
use planner::save;
use timeline::camera::Camera;
use timeline::palette::Theme;
use timeline::raster_canvas::RasterCanvas;
use timeline::renderer::{Frame, Marks, RenderError, Renderer};
use timeline::scene::Scene;
use timeline::svg;
use wasm_bindgen::prelude::*;
use web_sys::{Blob, FocusEvent, HtmlElement, KeyboardEvent, Node};
use worker::{Planned, Prepared};

use super::report::report;
use crate::drawing::coloring::Colors;
use crate::drawing::labels;
use crate::drawing::painter::theme;
use crate::format;
use crate::links::files::{download, download_blob};
use crate::parts::TAKE_HOME;
use crate::words::{DifferenceWord, Word};

/// Device pixels per CSS pixel of a PNG, so that it stays sharp in print.
const SCALE: f64 = 2.0;

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

/// The menu of a pane.
#[component]
pub(crate) fn ExportMenu(column: Column) -> impl IntoView {
    let session = session();
    let colors = session.colors;
    let menu = NodeRef::<Details>::new();
    let ready = Memo::new(move |_| {
        session.plans.with(|plans| {
            plans
                .get(&column)
                .is_some_and(|plan| plan.planned().is_some())
        })
    });
    let items = KINDS.map(|(kind, word)| {
        let choose = move |_| {
            close(menu, true);
            TAKE_HOME.then(move |part| (part.export)(session, column, colors, kind));
        };
        view! { <button data-export=kind on:click=choose>{move || session.say(word)}</button> }
    });
    let left = move |event: FocusEvent| {
        let to: Option<Node> = event
            .related_target()
            .and_then(|target| target.dyn_into().ok());
        let inside = menu
            .get_untracked()
            .is_some_and(|menu| menu.contains(to.as_ref()));
        if to.is_some() && !inside {
            close(menu, false);
        }
    };
    let pressed = move |event: KeyboardEvent| {
        let open = menu.get_untracked().is_some_and(|menu| menu.open());
        if open && event.key() == "Escape" {
            event.stop_propagation();
            close(menu, true);
        }
    };
    let items = items.collect_view();
    let takes_home = move || takes_home(session, column);
    let take_home = move |_| {
        close(menu, true);
        act(session, Action::TakeHome(column));
    };
    let name = move || format!("{}: {}", session.say(Word::Export), title(session, column));
    view! {
        <details
            class="menu"
            node_ref=menu
            hidden=move || !ready.get()
            on:focusout=left
            on:keydown=pressed
        >
            <summary aria-label=name>{move || session.say(Word::Export)}</summary>
            <div class="items">
                {items}
                <button
                    data-export="tflite"
                    hidden=move || !takes_home()
                    title=move || session.say(Word::ExportTfliteHint)
                    on:click=take_home
                >
                    {move || session.say(Word::ExportTflite)}
                </button>
            </div>
        </details>
    }
}

/// Takes the column's plan away as `kind`.
pub(crate) fn export(session: Session, column: Column, colors: Memo<Colors>, kind: &str) {
    if let Some(job) = Job::new(session, column, colors) {
        job.run(kind);
    }
}

/// Whether the file is one that can take the column's plan, which is valid.
fn takes_home(session: Session, column: Column) -> bool {
    let tflite = |file: &Option<OpenFile>| {
        let opened = file.as_ref().map(|file| file.opened.format);
        opened == Some(Format::Tflite)
    };
    session.file.with(tflite)
        && session.plans.with(|plans| {
            let planned = plans.get(&column).and_then(|plan| plan.planned());
            planned.is_some_and(|planned| planned.judged.violations.is_empty())
        })
}

/// Closes the menu; the focus goes back to what opened it.
fn close(menu: NodeRef<Details>, focus: bool) {
    let Some(menu) = menu.get_untracked() else {
        return;
    };
    menu.set_open(false);
    let summary = menu.query_selector("summary").ok().flatten();
    if let Some(summary) = summary.filter(|_| focus) {
        let summary: HtmlElement = summary.unchecked_into();
        let _ = summary.focus();
    }
}

/// Everything that an export is made from, as it is now.
pub(crate) struct Job {
    pub(crate) session: Session,
    pub(crate) column: Column,
    pub(crate) document: String,
    pub(crate) prepared: Arc<Prepared>,
    pub(crate) planned: Arc<Planned>,
    colors: Memo<Colors>,
}

impl Job {
    pub(crate) fn new(session: Session, column: Column, colors: Memo<Colors>) -> Option<Self> {
        let planned = session
            .plans
            .with_untracked(|plans| plans.get(&column)?.planned().cloned());
        Some(Self {
            session,
            column,
            document: session
                .file
                .with_untracked(|file| Some(file.as_ref()?.name.clone()))?,
            prepared: session.prepared.get_untracked()?,
            planned: planned?,
            colors,
        })
    }

    fn run(&self, kind: &str) {
        let (lifetimes, plan) = (&self.prepared.subject.lifetimes, &self.planned.judged.plan);
        let name = self.file_name(kind);
        match kind {
            "png" => {
                // Refused for a picture of too many pixels; half as sharp has a quarter.
                if self.png(SCALE).or_else(|_| self.png(1.0)).is_err() {
                    act(self.session, Action::Notify(Message::NoPicture));
                }
            }
            "svg" => {
                let svg = self.svg(&self.look().1);
                download(&name, "image/svg+xml", svg.as_bytes());
            }
            "csv" => {
                download(&name, "text/csv", save::csv(lifetimes, plan).as_bytes());
                if let pairs @ 1.. = save::not_in_csv(lifetimes, plan) {
                    act(self.session, Action::NotInCsv(pairs));
                }
            }
            "json" => download(&name, "application/json", self.json().as_bytes()),
            "h" => download(&name, "text/x-c", self.c_header().as_bytes()),
            "schedule.json" => download(&name, "application/json", self.schedule().as_bytes()),
            "html" => download(&name, "text/html", untrack(|| report(self)).as_bytes()),
            _ => act(self.session, Action::Copy(untrack(|| self.figures()))),
        }
    }

    fn file_name(&self, kind: &str) -> String {
        let safe = |sign: char| match sign {
            '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|' => '_',
            sign if sign.is_control() => '_',
            sign => sign,
        };
        let stem: String = save::stem(&self.document).chars().map(safe).collect();
        let edits = self.session.runs.edits;
        let edited = edits.with_untracked(|edits| edits.contains_key(&self.column));
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

    /// Document, strategy, arena and bound in one line.
    pub(crate) fn title(&self) -> String {
        let (session, metrics) = (self.session, self.planned.judged.metrics);
        untrack(|| {
            format!(
                "{} · {} · {} {} · {} {}",
                self.document,
                title(session, self.column),
                session.say(Word::Arena),
                format::bytes(metrics.arena.0),
                session.say(Word::Bound),
                format::bytes(metrics.bound.0),
            )
        })
    }

    fn scene(&self) -> Scene {
        let (lifetimes, plan) = (&self.prepared.subject.lifetimes, &self.planned.judged.plan);
        self.colors.with_untracked(|colors| {
            let fill = |index: usize| colors.fills.get(index).copied().unwrap_or_default();
            let figures = (&self.prepared.bounds, &self.prepared.profile);
            Scene::new(lifetimes, plan, figures, &fill)
        })
    }

    fn look(&self) -> (Camera, Theme) {
        let session = self.session;
        untrack(|| {
            (
                session.camera_of(self.column, session.size.get()),
                theme(session.is_dark()),
            )
        })
    }

    /// The picture as it is looked at, in the colours of `theme`.
    pub(crate) fn svg(&self, theme: &Theme) -> String {
        let (scene, (camera, _)) = (self.scene(), self.look());
        let holes = untrack(|| self.session.holes(self.column));
        let marks = Marks {
            selected: self.session.selected.get_untracked(),
            holes: &holes,
            ..Marks::default()
        };
        let over = labels::over(self.session, &scene, &camera, marks);
        svg::write(&scene, &camera, theme, &over, &self.title())
    }

    /// Title, rectangles and labels on one canvas, encoded by the browser.
    fn png(&self, scale: f64) -> Result<(), JsValue> {
        let (scene, (camera, theme)) = (Arc::new(self.scene()), self.look());
        let refused = |error: RenderError| JsValue::from_str(&error.to_string());
        let [grid, rectangles, texts] = [labels::canvas()?, labels::canvas()?, labels::canvas()?];
        let mut raster = RasterCanvas::for_canvas(rectangles.clone()).map_err(refused)?;
        raster.upload(&scene).map_err(refused)?;
        let frame = Frame {
            camera,
            scale,
            theme: &theme,
            opaque: false,
            marks: Marks {
                selected: self.session.selected.get_untracked(),
                ..Marks::default()
            },
        };
        raster.draw(&frame).map_err(refused)?;
        let holes = untrack(|| self.session.holes(self.column));
        let marks = Marks {
            holes: &holes,
            ..Marks::default()
        };
        let over = labels::over(self.session, &scene, &camera, marks);
        labels::put(&grid, (&over, &over.under), &camera, &theme, scale)?;
        labels::put(&texts, (&over, &over.items), &camera, &theme, scale)?;
        let whole = labels::titled([&grid, &rectangles, &texts], &self.title(), &theme, scale)?;
        let (name, session) = (self.file_name("png"), self.session);
        let encoded = Closure::once_into_js(move |blob: Option<Blob>| match blob {
            Some(blob) => download_blob(&name, &blob),
            None => act(session, Action::Notify(Message::NoPicture)),
        });
        whole.to_blob(encoded.unchecked_ref())
    }
}
