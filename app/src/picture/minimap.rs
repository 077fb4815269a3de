//! The overview: the whole of the first plan that is shown, with a box for what is in view.

use std::sync::Arc;

use conversation::{Action, Column};
use leptos::html::{Canvas, Div};
use leptos::prelude::*;
use planner::{Lifetimes, Plan};
use timeline::minimap::Minimap as Map;
use timeline::raster_canvas::RasterCanvas;
use timeline::renderer::{Frame, Marks, Renderer};
use timeline::scene::{Extents, Fill, Scene};
use wasm_bindgen::prelude::*;
use web_sys::{Element, KeyboardEvent, PointerEvent};
use worker::Planned;

use crate::drawing::painter::{scale, theme};
use crate::drawing::size;
use crate::drawing::view::Shared;
use crate::picture::look;
use crate::state::driver::act;
use crate::state::session::{Session, session};
use crate::strings::Word;

/// An arrow key moves the view by this share of what is in view.
const ARROW: f64 = 0.1;

/// The plans that are shown; equal only to itself, so that comparing costs nothing.
#[derive(Clone, Default)]
pub(crate) struct ShownPlans(pub(crate) Vec<(Column, Arc<Planned>)>);

impl PartialEq for ShownPlans {
    fn eq(&self, other: &Self) -> bool {
        let mut pairs = self.0.iter().zip(&other.0);
        self.0.len() == other.0.len() && pairs.all(|(a, b)| a.0 == b.0 && Arc::ptr_eq(&a.1, &b.1))
    }
}

/// The plans that are shown and made, in the order of their panes.
pub(crate) fn shown_plans(session: Session) -> ShownPlans {
    let shown = session.shown.get();
    session.plans.with(|plans| {
        let planned = |column: &Column| Some((*column, plans.get(column)?.planned()?.clone()));
        ShownPlans(shown.iter().filter_map(planned).collect())
    })
}

/// What the overview shows and how large it is.
#[derive(Clone, Copy)]
struct Overview {
    session: Session,
    scene: Memo<Option<Shared>>,
    /// How far it reaches; the same while plans that are not shown are made.
    extents: Memo<Extents>,
    /// In CSS pixels.
    size: RwSignal<(f64, f64)>,
    /// From the middle of the box to the pointer that holds it, in CSS pixels.
    drag: StoredValue<Option<(f64, f64)>>,
}

/// The overview.
#[component]
pub(crate) fn Minimap() -> impl IntoView {
    let session = session();
    let here = Overview {
        session,
        scene: scene(session),
        extents: Memo::new(move |_| session.extents()),
        size: RwSignal::new((0.0, 0.0)),
        drag: StoredValue::new(None),
    };
    let frame = NodeRef::<Div>::new();
    let canvas = NodeRef::<Canvas>::new();
    size::follow(frame, move |size| {
        if size != here.size.get_untracked() {
            here.size.set(size);
        }
    });
    Effect::new(move |_| paint(here, canvas));
    let area = move || here.map().viewport(&session.camera(session.size.get()));
    view! {
        <div
            class="minimap"
            node_ref=frame
            role="group"
            tabindex="0"
            hidden=move || here.scene.with(Option::is_none)
            aria-label=move || session.say(Word::Minimap)
            on:pointerdown=move |event| here.down(&event)
            on:pointermove=move |event| here.moved(&event)
            on:pointerup=move |_| here.drag.set_value(None)
            on:pointercancel=move |_| here.drag.set_value(None)
            on:keydown=move |event| pressed(session, &event)
        >
            <canvas node_ref=canvas aria-hidden="true"></canvas>
            <div
                class="viewport"
                aria-hidden="true"
                style:left=move || format!("{:.1}px", area().left)
                style:top=move || format!("{:.1}px", area().top)
                style:width=move || format!("{:.1}px", area().width())
                style:height=move || format!("{:.1}px", area().height())
            ></div>
        </div>
    }
}

/// The first plan that is seen, as rectangles; of a film nothing before its end.
fn scene(session: Session) -> Memo<Option<Shared>> {
    let plans = Memo::new(move |_| shown_plans(session));
    let colors = session.colors;
    Memo::new(move |_| {
        let (prepared, clock) = (session.prepared.get()?, session.clock.get());
        let is_open = |column: &Column| session.is_film_open(*column);
        let figures = (&prepared.bounds, &prepared.profile);
        if session.filmed().iter().any(is_open) {
            let nothing = (Lifetimes::default(), Plan::default());
            let scene = Scene::new(&nothing.0, &nothing.1, figures, &|_| Fill::default());
            return Some(Shared(Arc::new(scene.timed(clock.as_ref()))));
        }
        let silhouette = session.silhouette();
        let seen = |(column, _): &&(Column, Arc<Planned>)| {
            !session.is_aside(*column) && Some(*column) != silhouette
        };
        let (_, planned) = plans.with(|plans| plans.0.iter().find(seen).cloned())?;
        let (lifetimes, plan) = (&prepared.subject.lifetimes, &planned.judged.plan);
        colors.with(|colors| {
            let fill = |index: usize| colors.fills.get(index).copied().unwrap_or_default();
            let scene = Scene::new(lifetimes, plan, figures, &fill);
            Some(Shared(Arc::new(scene.timed(clock.as_ref()))))
        })
    })
}

impl Overview {
    fn map(self) -> Map {
        let (width, height) = self.size.get();
        Map::new(self.extents.get(), width, height)
    }

    /// Takes hold of the box, or of its middle when the pointer is outside it.
    fn down(self, event: &PointerEvent) {
        if event.button() != 0 {
            return;
        }
        let Some((x, y)) = place(event) else { return };
        if let Some(target) = event.current_target() {
            let target: Element = target.unchecked_into();
            let _ = target.set_pointer_capture(event.pointer_id());
        }
        let session = self.session;
        let (map, seen) = untrack(|| (self.map(), session.camera(session.size.get())));
        let area = map.viewport(&seen);
        let inside = area.left <= x && x < area.right && area.top <= y && y < area.bottom;
        let middle = map
            .camera
            .screen_from_data(seen.x.middle(), seen.y.middle());
        let drag = if inside {
            (x - middle.0, y - middle.1)
        } else {
            (0.0, 0.0)
        };
        self.drag.set_value(Some(drag));
        if !inside {
            self.moved(event);
        }
    }

    fn moved(self, event: &PointerEvent) {
        let (Some(drag), Some((x, y))) = (self.drag.get_value(), place(event)) else {
            return;
        };
        let session = self.session;
        let (map, seen) = untrack(|| (self.map(), session.camera(session.size.get())));
        let camera = map.centred(&seen, x - drag.0, y - drag.1);
        act(session, look::at(session, camera));
    }
}

fn pressed(session: Session, event: &KeyboardEvent) {
    let action = match event.key().as_str() {
        "ArrowLeft" => look::panned(session, -ARROW, 0.0),
        "ArrowRight" => look::panned(session, ARROW, 0.0),
        "ArrowUp" => look::panned(session, 0.0, ARROW),
        "ArrowDown" => look::panned(session, 0.0, -ARROW),
        "Home" => Action::Look(None),
        _ => return,
    };
    event.prevent_default();
    // The whole page listens to arrows too.
    event.stop_propagation();
    act(session, action);
}

/// CSS pixels from the overview's top left corner.
fn place(event: &PointerEvent) -> Option<(f64, f64)> {
    let target: Element = event.current_target()?.unchecked_into();
    let frame = target.get_bounding_client_rect();
    Some((
        f64::from(event.client_x()) - frame.left(),
        f64::from(event.client_y()) - frame.top(),
    ))
}

fn paint(here: Overview, canvas: NodeRef<Canvas>) {
    let (width, height) = here.size.get();
    let (Some(canvas), Some(scene)) = (canvas.get(), here.scene.get()) else {
        return;
    };
    if width < 1.0 || height < 1.0 {
        return;
    }
    let Ok(mut raster) = RasterCanvas::for_canvas(canvas) else {
        return;
    };
    let dim = here.session.dimmed();
    let frame = Frame {
        camera: here.map().camera,
        scale: scale(),
        theme: &theme(here.session.is_dark()),
        opaque: true,
        marks: Marks {
            dim: dim.as_ref().map(|dim| dim.as_slice()),
            ..Marks::default()
        },
    };
    // Fails only for a picture of no pixels.
    let _ = raster.upload(&scene.0).and_then(|()| raster.draw(&frame));
}
