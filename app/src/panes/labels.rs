//! Rulers, names, curve and bound over the rectangles of a picture.

use leptos::prelude::*;
use planner::pipeline::Subject;
use timeline::axis::ByteStyle;
use timeline::camera::Camera;
use timeline::overlay::{self, Overlay, Words};
use timeline::overlay_canvas;
use timeline::palette::Theme;
use timeline::scene::Scene;
use timeline::snap::Snap;
use wasm_bindgen::JsValue;
use web_sys::HtmlCanvasElement;

use super::hover_card::op_at;
use super::painter::{Picture, context, scale, theme};
use crate::state::session::Session;
use crate::words::Word;

/// Draws what lies over `picture` on `canvas`, which is made as large as the picture.
pub(crate) fn draw(session: Session, canvas: &HtmlCanvasElement, picture: &Picture) {
    // The renderer outlines the selected rectangle itself.
    let over = over(session, &picture.scene, &picture.camera, None);
    // Fails only without a 2D context, and then there is nothing to draw on.
    let _ = put(canvas, &over, &picture.camera, &theme(picture.dark), scale());
}

/// Puts `over` on a canvas of the camera's size at `scale` device pixels per CSS pixel.
pub(crate) fn put(
    canvas: &HtmlCanvasElement,
    over: &Overlay,
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
    overlay_canvas::draw(&context(canvas)?, over, theme, size, scale)
}

/// Everything over the picture that `camera` sees of `scene`, in the language of the page.
pub(crate) fn over(
    session: Session,
    scene: &Scene,
    camera: &Camera,
    selected: Option<usize>,
) -> Overlay {
    let prepared = session.prepared.get_untracked();
    let subject: Option<&Subject> = prepared.as_ref().map(|prepared| &prepared.subject);
    let step = |step: u64| Some(op_at(subject?, step)?.name.clone());
    let buffer = |index: usize| {
        let buffer = subject.and_then(|subject| subject.lifetimes.buffers.get(index));
        buffer.map(|buffer| buffer.name.clone()).unwrap_or_default()
    };
    let (bound, arena) = untrack(|| (session.say(Word::Bound), session.say(Word::Arena)));
    let words = Words {
        step: &step,
        buffer: &buffer,
        bound,
        arena,
        bytes: ByteStyle::Binary,
    };
    overlay::overlay(scene, camera, &words, selected)
}
