//! Rulers, names, curve and bound over the rectangles of a picture.

use crate::state::session::Session;
use leptos::prelude::*;
use lesson::Hidden;
use planner::{Step, Subject};
use timeline::axis::ByteStyle;
use timeline::camera::Camera;
use timeline::overlay::{self, Item, Overlay, Words};
use timeline::overlay_canvas;
use timeline::palette::{Rgb, Theme};
use timeline::renderer::Marks;
use timeline::scene::Scene;
use timeline::snap::Snap;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::HtmlCanvasElement;

use super::painter::{Picture, context, scale, theme};
use crate::strings::{FrameWord, Word};

/// Draws what lies under `picture` and over it on canvases that are made as large as it is.
pub(crate) fn draw(session: Session, [under, canvas]: [&HtmlCanvasElement; 2], picture: &Picture) {
    // The renderer outlines the selected rectangle itself.
    let marks = Marks {
        dim: picture.dim.as_ref().map(|dim| dim.as_slice()),
        holes: &picture.holes,
        ..Marks::default()
    };
    let over = over(session, &picture.scene, &picture.camera, marks);
    // Fails only without a 2D context, and then there is nothing to draw on.
    let (camera, theme) = (&picture.camera, theme(picture.dark));
    let _ = put(under, (&over, &over.under), camera, &theme, scale());
    let _ = put(canvas, (&over, &over.items), camera, &theme, scale());
}

/// Puts `items` of `over` on a canvas of the camera's size at `scale` device pixels per CSS pixel.
pub(crate) fn put(
    canvas: &HtmlCanvasElement,
    (over, items): (&Overlay, &[Item]),
    camera: &Camera,
    theme: &Theme,
    scale: f64,
) -> Result<(), JsValue> {
    let snap = Snap::new(camera, scale);
    let columns = u32::try_from(snap.columns).unwrap_or(1);
    let rows = u32::try_from(snap.rows).unwrap_or(1);
    // Setting the size clears the canvas and costs an allocation even when it is the same.
    if (canvas.width(), canvas.height()) != (columns, rows) {
        canvas.set_width(columns);
        canvas.set_height(rows);
    }
    let size = (camera.width, camera.height);
    overlay_canvas::draw(&context(canvas)?, (over, items), theme, size, scale)
}

/// Everything over the picture that `camera` sees of `scene`, in the language of the page.
pub(crate) fn over(session: Session, scene: &Scene, camera: &Camera, marks: Marks<'_>) -> Overlay {
    let prepared = session.prepared.get_untracked();
    let subject: Option<&Subject> = prepared.as_ref().map(|prepared| &prepared.subject);
    let step = |step: u64| Some(subject?.step_name(Step(step))?.to_owned());
    let buffer = |index: usize| {
        let buffer = subject.and_then(|subject| subject.lifetimes.buffers.get(index));
        buffer.map(|buffer| buffer.name.clone()).unwrap_or_default()
    };
    // Not followed: the caller draws again when the language changes.
    let language = session.language.get_untracked();
    let is_model = subject.is_some_and(|subject| subject.graph().is_some());
    let steps = match (scene.clock(), is_model) {
        (Some(_), _) => FrameWord::AxisTime.in_language(language),
        (None, true) => Word::AxisOperators.in_language(language),
        (None, false) => Word::AxisSteps.in_language(language),
    };
    let is_hidden = |what| {
        session
            .taught
            .hidden
            .with_untracked(|hidden| hidden.contains(&what))
    };
    let shown = |what, word: &'static str| if is_hidden(what) { "" } else { word };
    let pools = session.planning.pools.get_untracked();
    let pool = |index: usize| {
        let pool = pools.get(index);
        pool.map(|pool| pool.name.clone()).unwrap_or_default()
    };
    let words = Words {
        pool: &pool,
        step: &step,
        buffer: &buffer,
        bound: shown(Hidden::Bound, Word::Bound.in_language(language)),
        // Of a trace that is not what was reserved.
        arena: match scene.segments.is_empty() {
            true => shown(Hidden::Arena, Word::Arena.in_language(language)),
            false => shown(Hidden::Arena, Word::BlocksReach.in_language(language)),
        },
        budget: Word::BudgetLine.in_language(language),
        live: shown(Hidden::Profile, Word::LiveBytes.in_language(language)),
        addresses: Word::AxisAddress.in_language(language),
        steps,
        bytes: match is_hidden(Hidden::Arena) {
            true => ByteStyle::Hidden,
            false => ByteStyle::Binary,
        },
    };
    overlay::overlay(scene, camera, &words, marks)
}

/// A canvas that is not in the document.
pub(crate) fn canvas() -> Result<HtmlCanvasElement, JsValue> {
    Ok(document().create_element("canvas")?.unchecked_into())
}

/// A colour for a canvas.
pub(crate) fn css([red, green, blue]: Rgb) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}
