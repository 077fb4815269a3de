//! The picture of one plan: canvases that follow the session, and the pointer on them.

use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

use conversation::{Column, PageAction, Progress, Work};
use leptos::html::{Canvas, Div};
use leptos::prelude::*;
use lesson::Hidden;
use timeline::camera::{Camera, Range};
use timeline::scene::{Rect, Scene};

use crate::drawing::painter::{Painter, Picture};
use crate::drawing::pointed::Pointed;
use crate::drawing::size;
use crate::drawing::view::{Shared, View};
use crate::format;
use crate::lazy::controls::Pointing;
use crate::lazy::{CONTROLS, DIFFERENCES, FILM};
use crate::picture::look;
use crate::picture::painting::Painting;
use crate::state::driver::act;
use crate::state::film::Still;
use crate::state::session::{Session, session, to_f64};
use crate::strings::{Word, filled};
use crate::text::title::title;

impl View {
    fn new(session: Session, column: Column, still: Memo<Option<Still>>) -> Self {
        // Other plans come and go meanwhile, and this one stays as it is.
        let planned = Memo::new(move |_| session.one_plan(Some(column)));
        let scene = Memo::new(move |_| {
            let (colors, clock) = (session.colors, session.clock.get());
            session.prepared.with(|prepared| {
                let prepared = prepared.as_ref()?;
                let lifetimes = &prepared.subject.lifetimes;
                let fill = |index: usize| {
                    colors.with(|colors| colors.fills.get(index).copied().unwrap_or_default())
                };
                if let Some(still) = still.get() {
                    let figures = (&prepared.bounds, &prepared.profile);
                    let scene = (FILM.get()?.scene)(&still, lifetimes, figures, &fill);
                    return Some(Shared(Arc::new(scene.timed(clock.as_ref()))));
                }
                let (_, planned) = planned.get().0?;
                let plan = &planned.judged.plan;
                let figures = (&prepared.bounds, &prepared.profile);
                let mut scene = Scene::new(lifetimes, plan, figures, &fill);
                scene.budget = prepared.subject.budget().map_or(0.0, |it| to_f64(it.0));
                if let Some(step) = session.insight.training.until.get() {
                    scene = scene.until(to_f64(step.0));
                }
                Some(Shared(Arc::new(scene.timed(clock.as_ref()))))
            })
        });
        let size = RwSignal::new((0.0, 0.0));
        Self {
            session,
            column,
            still,
            scene,
            camera: Memo::new(move |_| session.camera_of(column, size.get())),
            size,
            pointer: RwSignal::new(None),
            on_window: RwSignal::new((0.0, 0.0)),
        }
    }

    /// Looks at what this camera of the pane sees.
    pub(crate) fn look(self, camera: Camera) {
        // It shows everything, always.
        if untrack(|| self.session.silhouette()) == Some(self.column) {
            return;
        }
        let scale = untrack(|| self.session.scale_of(self.column));
        let y = Range::new(camera.y.start / scale, camera.y.end / scale);
        let camera = Camera { y, ..camera };
        act(self.session, look::at(self.session, camera));
    }

    /// The camera now; follows the session.
    pub(crate) fn camera(self) -> Camera {
        self.camera.get()
    }
}

/// The picture of a column.
#[component]
pub(crate) fn PictureCanvas(column: Column, still: Memo<Option<Still>>) -> impl IntoView {
    let session = session();
    let here = View::new(session, column, still);
    let frame = NodeRef::<Div>::new();
    let [raster, gpu, grid, text] = [(); 4].map(|()| NodeRef::<Canvas>::new());
    let marks = NodeRef::<Canvas>::new();
    let film_marks = NodeRef::<Canvas>::new();
    let differences = NodeRef::<Canvas>::new();
    let spot_marks = NodeRef::<Canvas>::new();
    size::follow(frame, move |size| {
        if size != here.size.get_untracked() {
            here.size.set(size);
            // What is worked out from the size of a pane is for those that can be looked around in.
            if untrack(|| session.silhouette()) != Some(column) {
                act(session, PageAction::Measure(size));
            }
        }
    });
    keep_painted(here, Painter::new(raster, gpu), [grid, text]);
    let pointer = Rc::new(Pointer {
        here,
        pointing: OnceCell::new(),
    });
    // What was drawn last is of another plan, perhaps of another file.
    let blank = move || {
        let failed = |plan: &Progress| matches!(plan, Progress::Failed(_));
        let failed = session
            .plans
            .with(|plans| plans.get(&column).is_some_and(failed));
        let stopped = session.work.with(|work| *work == Work::Stopped);
        stopped || failed && still.get().is_none()
    };
    view! {
        <div
            class="stage"
            node_ref=frame
            class:handy=move || session.runs.handy.get()
            class:blank=blank
            data-plot=move || plot(here)
            tabindex="0"
            role="img"
            aria-label=move || label(session, column)
            on:wheel=pointing(&pointer, Pointed::Wheel)
            on:pointerdown=pointing(&pointer, Pointed::Down)
            on:pointermove=pointing(&pointer, Pointed::Moved)
            on:pointerup=pointing(&pointer, Pointed::Up)
            on:pointercancel=pointing(&pointer, Pointed::Cancelled)
            on:pointerleave=pointing(&pointer, Pointed::Left)
            on:dblclick=pointing(&pointer, Pointed::Double)
            on:touchstart=pointing(&pointer, Pointed::Touched)
            on:touchmove=pointing(&pointer, Pointed::Touched)
            on:touchend=pointing(&pointer, Pointed::Touched)
        >
            <canvas node_ref=grid class="grid"></canvas>
            <canvas node_ref=raster class="rectangles"></canvas>
            <canvas node_ref=gpu class="rectangles" hidden></canvas>
            // Below the labels, whose halos part the line at the step that is looked at.
            <canvas node_ref=spot_marks class="marks"></canvas>
            <canvas node_ref=text class="labels"></canvas>
            <canvas node_ref=marks class="marks"></canvas>
            <canvas node_ref=film_marks class="marks"></canvas>
            <canvas node_ref=differences class="marks"></canvas>
            {CONTROLS.quiet(move |controls| (controls.cards)(here, column, [marks, spot_marks]))}
            {FILM.quiet(move |film| {
                (film.keep_drawn)(here, film_marks);
                ().into_any()
            })}
            {DIFFERENCES.quiet(move |part| {
                (part.keep_drawn)(here, differences);
                ().into_any()
            })}
        </div>
    }
}

/// The plot within the picture, in CSS pixels: left, top, width and height. For tests, which
/// point at steps and addresses.
fn plot(here: View) -> String {
    let (width, height) = here.size.get();
    let room = here.camera().labelling.insets();
    let plot = [
        room.left,
        room.top,
        width - room.left - room.right,
        height - room.top - room.bottom,
    ];
    plot.map(|length| format!("{length:.1}")).join(",")
}

/// What answers the pointer on one picture, from the first time that it can.
struct Pointer {
    here: View,
    pointing: OnceCell<Pointing>,
}

/// Passes on what happens on the picture.
fn pointing<E: 'static>(pointer: &Rc<Pointer>, what: fn(E) -> Pointed) -> impl Fn(E) + use<E> {
    let pointer = Rc::clone(pointer);
    move |event| {
        if let Some(controls) = CONTROLS.now() {
            let make = || (controls.pointing)(pointer.here);
            pointer.pointing.get_or_init(make)(what(event));
        }
    }
}

/// What the picture shows, for those who do not see it.
fn label(session: Session, column: Column) -> String {
    let buffers = session
        .with_lifetimes(|lifetimes| lifetimes.buffers.len())
        .unwrap_or(0);
    let arena = session.plans.with(|plans| {
        if session.is_hidden(Hidden::Arena) {
            return None;
        }
        let planned = plans.get(&column)?.planned()?;
        Some(format::bytes(planned.judged.plan.arena.0))
    });
    let words = [
        title(session, column),
        buffers.to_string(),
        arena.unwrap_or_else(|| "?".to_owned()),
    ];
    filled(
        session.say(Word::CanvasLabel),
        &words.each_ref().map(String::as_str),
    )
}

/// Paints again, at most once per frame, whenever something that the picture shows changes.
fn keep_painted(here: View, painter: Painter, canvases: [NodeRef<Canvas>; 2]) {
    let painting = Rc::new(Painting::new(here, painter, canvases));
    let introduced = Rc::downgrade(&painting);
    let dim = Memo::new(move |_| here.session.dimmed());
    let no_holes =
        move || here.still.with(Option::is_some) || here.session.is_hidden(Hidden::Waste);
    let holes = Memo::new(move |_| match no_holes() {
        true => Arc::default(),
        false => Arc::new(here.session.holes(here.column)),
    });
    let [_, text] = canvases;
    Effect::new(move |_| {
        // Follow the canvases too: the first run comes before they are there.
        if text.get().is_none() {
            return;
        }
        if let Some(picture) = picture(here, dim, holes) {
            painting.show(picture);
        }
    });
    let both = Memo::new(move |_| {
        let session = here.session;
        let naive = session.silhouette().filter(|_| CONTROLS.get().is_some());
        let planned = |column| session.planned(column).is_some();
        naive.is_some_and(|naive| planned(naive) && planned(here.column))
    });
    Effect::new(move |_| {
        if both.get()
            && let Some(painting) = introduced.upgrade()
        {
            painting.introduce();
        }
    });
}

fn picture(
    here: View,
    dim: Memo<Option<Arc<Vec<bool>>>>,
    holes: Memo<Arc<Vec<Rect>>>,
) -> Option<Picture> {
    let session = here.session;
    // Labels speak it.
    session.language.track();
    session.taught.hidden.track();
    let (width, height) = here.size.get();
    if width < 1.0 || height < 1.0 {
        return None;
    }
    let still = here.still.with(Option::is_some);
    Some(Picture {
        of: session.prepared.get_untracked().filter(|_| !still),
        scene: here.scene.get()?.0,
        camera: here.camera(),
        dark: session.is_dark(),
        hovered: session.hovered.get(),
        selected: session.selected.get(),
        dim: dim.get(),
        holes: holes.get(),
        drawing: session.drawing.get(),
    })
}
