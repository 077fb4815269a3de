//! What is seen as a page for lectures and papers: pictures with title, figures, axes and legend.

use std::sync::Arc;

use conversation::{Action, Message, Tab, Tiling};
use leptos::prelude::*;
use timeline::camera::Camera;
use timeline::labelling::FONT;
use timeline::overlay::{Area, Item, Overlay};
use timeline::overlay_difference::difference_overlay;
use timeline::overlay_film::film_overlay;
use timeline::overlay_graph::{GraphMarks, GraphView, graph_overlay, strip_height};
use timeline::overlay_run::run_overlay;
use timeline::palette::Theme;
use timeline::raster_canvas::RasterCanvas;
use timeline::renderer::{Frame, Marks, RenderError, Renderer};
use timeline::scene::Scene;
use timeline::slide::{Content, Head, Meaning, Room, Slide, WIDE, labelling};
use timeline::svg::Pictured;
use timeline::{overlay_canvas, svg};
use wasm_bindgen::prelude::*;
use web_sys::{Blob, HtmlCanvasElement};

use crate::browser::files::{download, download_blob};
use crate::document::cases::case_name;
use crate::document::legend::meaning;
use crate::document::pools::pool_texts;
use crate::drawing::labels;
use crate::drawing::painter::{context, theme};
use crate::export::menu::Job;
use crate::format;
use crate::lazy::FILM;
use crate::lazy::export::{Drawn, Encoding, Shape};
use crate::state::driver::act;
use crate::state::film::Still;
use crate::state::session::Session;
use crate::strings::{FilmWord, FrameWord, InsightWord, Word, filled};
use crate::text::headline::{caption, headline};
use crate::text::title::title;
use crate::text::violation::{is_overlap, sentence};
use crate::text::why::why;

/// Device pixels per CSS pixel of a PNG, so that it stays sharp in print.
const SCALE: f64 = 2.0;

/// Height of a wide slide's letters in CSS pixels: of up to two pictures, and of more, which have
/// no room for axes in larger ones.
const LETTERS: f64 = 16.0;

const SMALL_LETTERS: f64 = 13.0;

/// Among more pictures than this no sentence has room.
const SAID_UP_TO: usize = 4;

/// Of how a wide slide's height is divided: what its texts take at least.
const AROUND: f64 = 160.0;

/// One picture, with what stands over it.
struct Pane {
    scene: Arc<Scene>,
    camera: Camera,
    overlay: Overlay,
    dim: Option<Arc<Vec<bool>>>,
    selected: Option<usize>,
}

/// Everything that is seen, taken away.
pub(crate) fn take(session: Session, shape: Shape, encoding: Encoding) {
    let jobs = untrack(|| seen(session));
    let Some(first) = jobs.first() else { return };
    let name = match (shape, encoding) {
        (Shape::Wide, Encoding::Png) => "slide.png",
        (Shape::Wide, Encoding::Svg) => "slide.svg",
        (Shape::Seen, Encoding::Png) => "seen.png",
        (Shape::Seen, Encoding::Svg) => "seen.svg",
    };
    let name = first.stem() + "." + name;
    take_jobs(&jobs, shape, encoding, name);
}

/// The pictures of `jobs` under this name.
pub(super) fn take_jobs(jobs: &[Job], shape: Shape, encoding: Encoding, name: String) {
    let Some(first) = jobs.first() else { return };
    let session = first.session;
    let theme = untrack(|| theme(session.is_dark()));
    match encoding {
        Encoding::Svg => save_svg(&name, &written(jobs, shape, &theme)),
        Encoding::Png => save_png(session, &untrack(|| composed(jobs, shape)), &theme, &name),
    }
}

/// What is drawn already, without any picture of a plan.
pub(crate) fn take_drawn(session: Session, drawn: Drawn, encoding: Encoding) {
    let theme = untrack(|| theme(session.is_dark()));
    let Drawn { slide, name, title } = drawn;
    match encoding {
        Encoding::Svg => save_svg(&name, &svg::write(&slide, &[], &theme, &title)),
        Encoding::Png => save_png(session, &(slide, Vec::new()), &theme, &name),
    }
}

fn save_svg(name: &str, written: &str) {
    download(name, "image/svg+xml", written.as_bytes());
}

fn save_png(session: Session, drawn: &(Slide, Vec<Pane>), theme: &Theme, name: &str) {
    // Refused for a picture of too many pixels; half as sharp has a quarter.
    let encoded = |scale| png(session, drawn, theme, scale, name);
    if encoded(SCALE).or_else(|_| encoded(1.0)).is_err() {
        act(session, Action::Notify(Message::NoPicture));
    }
}

/// Everything that is seen as SVG, for paper: on white.
pub(crate) fn printed(session: Session) -> Option<String> {
    let jobs = untrack(|| seen(session));
    (!jobs.is_empty()).then(|| written(&jobs, Shape::Wide, &theme(false)))
}

/// The plans in all panes.
fn seen(session: Session) -> Vec<Job> {
    let cases = session.cases.get().into_iter().map(|id| session.of(id));
    let jobs = cases.flat_map(|session| {
        let shown = session.shown.get().into_iter();
        let seen = shown.filter(move |column| !session.is_aside(*column));
        seen.filter_map(move |column| Job::new(session, column))
    });
    jobs.collect()
}

/// The slide of `jobs` as SVG.
pub(super) fn written(jobs: &[Job], shape: Shape, theme: &Theme) -> String {
    untrack(|| {
        let (slide, panes) = composed(jobs, shape);
        let pictures: Vec<Pictured<'_>> = panes.iter().map(Pane::pictured).collect();
        let titles: Vec<String> = jobs.iter().map(Job::title).collect();
        svg::write(&slide, &pictures, theme, &titles.join("; "))
    })
}

impl Pane {
    fn pictured(&self) -> Pictured<'_> {
        Pictured {
            scene: &self.scene,
            camera: &self.camera,
            overlay: &self.overlay,
            dim: self.dim.as_ref().map(|dim| dim.as_slice()),
        }
    }

    /// The graph over it, for its place from the top left on.
    fn graph(&self, job: &Job, height: f64) -> Overlay {
        let session = job.session;
        let Some(strip) = session.graph_strip() else {
            return Overlay::default();
        };
        let clock = session.clock.get();
        let camera = Camera {
            height,
            ..self.camera
        };
        let view = GraphView {
            strip: &strip,
            camera: &camera,
            across: &|step| clock.as_ref().map_or(step, |clock| clock.at(step)),
            word: session.say(InsightWord::Graph),
        };
        let buffer = self.selected;
        let marks = GraphMarks {
            buffer,
            ..GraphMarks::default()
        };
        graph_overlay(&view, marks)
    }

    fn new(job: &Job, area: &Area, font: f64) -> Self {
        let session = job.session;
        let size = (area.width(), area.height());
        let camera = session.camera_labelled(job.column, size, labelling(area, font));
        let still = job.still();
        let holes = match still {
            Some(_) => Vec::new(),
            None => session.holes(job.column),
        };
        let scene = job.scene(still.as_ref());
        let dim = session.dimmed();
        let selected = session.selected.get();
        let marks = Marks {
            selected,
            holes: &holes,
            dim: dim.as_ref().map(|dim| dim.as_slice()),
            ..Marks::default()
        };
        let mut overlay = labels::over(session, &scene, &camera, marks);
        overlay
            .items
            .extend(marked(job, still.as_ref(), &scene, &camera));
        Self {
            overlay,
            scene: Arc::new(scene),
            camera,
            dim,
            selected,
        }
    }
}

/// What a film, or a run, a change and a comparison mark on the picture.
fn marked(job: &Job, still: Option<&Still>, scene: &Scene, camera: &Camera) -> Vec<Item> {
    let (session, column) = (job.session, job.column);
    if let Some((still, film)) = still.zip(FILM.now()) {
        return film_overlay(scene, camera, &(film.marks)(session, column, still)).items;
    }
    let differences = match session.tab.get() == Tab::DIFFERENCES {
        true => difference_overlay(scene, camera, &session.difference_marks(column)).items,
        false => Vec::new(),
    };
    let runs = run_overlay(scene, camera, &session.run_marks(column)).items;
    differences.into_iter().chain(runs).collect()
}

/// Where everything stands, and the pictures.
fn composed(jobs: &[Job], shape: Shape) -> (Slide, Vec<Pane>) {
    let mut heads: Vec<Head> = jobs.iter().map(head).collect();
    if heads.len() > SAID_UP_TO {
        heads.iter_mut().for_each(|head| head.says.clear());
    }
    let Some(first) = jobs.first() else {
        return (Slide::bare(1.0, 1.0), Vec::new());
    };
    let session = first.session;
    let (room, columns, font) = match shape {
        Shape::Wide => {
            let (width, height) = WIDE;
            let tiling = Tiling::of(jobs.len(), (width, height - AROUND));
            let letters = match jobs.len() {
                0..=2 => LETTERS,
                3..=4 => SMALL_LETTERS,
                _ => FONT,
            };
            (Room::Whole(width, height), tiling.columns, letters)
        }
        Shape::Seen => {
            let (width, height) = session.size.get();
            let columns = match jobs.len() {
                1 => 1,
                _ => on_page(width),
            };
            (Room::Picture(width, height), columns, session.letters())
        }
    };
    let graph = over(jobs, shape, font);
    let room = match room {
        Room::Picture(width, height) => Room::Picture(width, height + graph),
        whole @ Room::Whole(..) => whole,
    };
    let mut slide = Slide::new(&Content {
        title: &headline(session)
            .filter(|_| !session.hides_something())
            .unwrap_or_default(),
        caption: caption(session),
        heads: &heads,
        legend: &legend(jobs),
        more: &|count| filled(session.say(FrameWord::More), &[&count.to_string()]),
        columns,
        room,
        font,
    });
    let places: Vec<Area> = slide.pictures.clone();
    let panes = jobs.iter().zip(places).enumerate();
    let panes = panes.map(|(index, (job, area))| {
        let top = area.top + graph;
        let pane = Pane::new(job, &Area { top, ..area }, font);
        if graph > 0.0 {
            slide.put_over(index, graph, pane.graph(job, graph));
        }
        pane
    });
    let panes = panes.collect();
    (slide, panes)
}

/// Height of the graph over each picture; 0 where none is seen on the page.
fn over(jobs: &[Job], shape: Shape, font: f64) -> f64 {
    let seen = jobs.iter().map(|job| job.session.graph_height());
    let seen = seen.fold(0.0, f64::max);
    let programs = jobs
        .iter()
        .filter_map(|job| job.prepared.subject.program.as_ref());
    let operators = programs.map(|it| it.operators().count()).max();
    match (shape, operators) {
        (Shape::Wide, Some(operators)) if seen > 0.0 => {
            strip_height(operators, jobs.len() <= 2, font)
        }
        _ => seen,
    }
}

/// Panes in a row of the page, of which one is so wide.
fn on_page(width: f64) -> usize {
    let panes = document().get_element_by_id("picture");
    let whole = panes.map_or(0, |panes| panes.client_width());
    let most = (f64::from(whole) / width.max(1.0)).floor();
    (1..=8)
        .take_while(|count| *count as f64 <= most)
        .last()
        .unwrap_or(1)
}

/// What stands over the picture of a plan: until a film's end only what it has shown.
fn head(job: &Job) -> Head {
    let session = job.session;
    let several = session.cases.with(Vec::len) > 1;
    let case = several.then(|| case_name(session, session.id()).get());
    let name = case.into_iter().chain([title(session, job.column)]);
    let name = name.collect::<Vec<String>>().join(" · ");
    if session.hides_something() {
        return Head {
            name,
            figures: String::new(),
            says: String::new(),
        };
    }
    let before_end = job
        .still()
        .filter(|still| still.step < still.recording.len());
    if let Some(still) = before_end {
        let arena = format::bytes(still.layout.arena.0);
        return Head {
            name,
            figures: format!("{} {arena}", session.film_word(FilmWord::SoFar)),
            says: String::new(),
        };
    }
    Head {
        name,
        figures: figures(job),
        says: says(job),
    }
}

/// What the judge finds first, or why the plan is larger than the bound.
fn says(job: &Job) -> String {
    let found = &job.planned.judged.violations;
    let worst = found.iter().find(|it| is_overlap(it)).or(found.first());
    match worst {
        Some(violation) => sentence(job.session, violation),
        None => why(job.session, job.column),
    }
}

/// Arena, bound, and how far one is from the other.
fn figures(job: &Job) -> String {
    let (session, metrics) = (job.session, job.planned.judged.metrics);
    let figure = |word: Word, bytes: u64| format!("{} {}", session.say(word), format::bytes(bytes));
    let mut figures = vec![
        figure(Word::Arena, metrics.arena.0),
        figure(Word::Bound, metrics.bound.0),
    ];
    let badges = crate::compare::badge::of_plan(session, job.column, &job.planned);
    figures.extend(
        badges
            .into_iter()
            .map(crate::compare::badge::Badge::into_text),
    );
    figures.extend(pool_texts(session, &job.planned));
    if session.has_own_scales() {
        figures.push(session.say(FrameWord::OwnScaleHere).to_owned());
    }
    figures.join(" · ")
}

/// What fills mean, each once.
fn legend(jobs: &[Job]) -> Vec<Meaning> {
    let mut all: Vec<Meaning> = Vec::new();
    let mut cases = Vec::new();
    for session in jobs.iter().map(|job| job.session) {
        if cases.contains(&session.id()) {
            continue;
        }
        cases.push(session.id());
        for entry in session.colors.get().legend {
            let meaning = Meaning {
                fill: entry.fill,
                text: meaning(session, &entry),
            };
            if !all.contains(&meaning) {
                all.push(meaning);
            }
        }
    }
    all
}

/// The slide on a canvas, encoded by the browser.
fn png(
    session: Session,
    (slide, panes): &(Slide, Vec<Pane>),
    theme: &Theme,
    scale: f64,
    name: &str,
) -> Result<(), JsValue> {
    let whole = labels::canvas()?;
    for (name, length) in [("width", slide.size.0), ("height", slide.size.1)] {
        whole.set_attribute(name, &(length * scale).round().to_string())?;
    }
    let on = context(&whole)?;
    on.set_fill_style_str(&labels::css(theme.background));
    on.fill_rect(
        0.0,
        0.0,
        f64::from(whole.width()),
        f64::from(whole.height()),
    );
    // Drawing clears the canvas first, so that each height of letters has one of its own.
    for texts in &slide.texts {
        let layer = labels::canvas()?;
        layer.set_width(whole.width());
        layer.set_height(whole.height());
        let items = (texts, texts.items.as_slice());
        overlay_canvas::draw(&context(&layer)?, items, theme, slide.size, scale)?;
        on.draw_image_with_html_canvas_element(&layer, 0.0, 0.0)?;
    }
    for (area, pane) in slide.pictures.iter().zip(panes) {
        for layer in layers(pane, theme, scale)? {
            let (left, top) = (area.left * scale, area.top * scale);
            on.draw_image_with_html_canvas_element(&layer, left, top)?;
        }
    }
    let name = name.to_owned();
    let encoded = Closure::once_into_js(move |blob: Option<Blob>| match blob {
        Some(blob) => download_blob(&name, &blob),
        None => act(session, Action::Notify(Message::NoPicture)),
    });
    whole.to_blob(encoded.unchecked_ref())
}

/// What lies under the rectangles, the rectangles, and what lies over them.
fn layers(pane: &Pane, theme: &Theme, scale: f64) -> Result<[HtmlCanvasElement; 3], JsValue> {
    let refused = |error: RenderError| JsValue::from_str(&error.to_string());
    let [under, rectangles, over] = [labels::canvas()?, labels::canvas()?, labels::canvas()?];
    let mut raster = RasterCanvas::for_canvas(rectangles.clone()).map_err(refused)?;
    raster.upload(&pane.scene).map_err(refused)?;
    let frame = Frame {
        camera: pane.camera,
        scale,
        theme,
        opaque: false,
        marks: Marks {
            selected: pane.selected,
            dim: pane.dim.as_ref().map(|dim| dim.as_slice()),
            ..Marks::default()
        },
    };
    raster.draw(&frame).map_err(refused)?;
    let (overlay, camera) = (&pane.overlay, &pane.camera);
    labels::put(&under, (overlay, &overlay.under), camera, theme, scale)?;
    labels::put(&over, (overlay, &overlay.items), camera, theme, scale)?;
    Ok([under, rectangles, over])
}
